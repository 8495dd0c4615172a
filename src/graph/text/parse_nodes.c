/* SPDX-License-Identifier: MIT */
/* Node lines of the text form, and the steps that regions share with them. */
#include "graph/text/parse_nodes.h"

#include "graph/text/parse_attributes.h"

/* Parse a further line of a known node, which may only add edges. */
static plait_status parse_more_edges(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     const struct plait__parser_named *named)
{
	uint32_t line = named->line, edges = parser->edges.count;
	plait_status status;

	parser->last_node = named->node;
	parser->last_scope = parser->scope;
	status = plait__parse_attributes(parser, draft, named->node);
	if (status == PLAIT_OK &&
	    (draft->has_other || parser->edges.count == edges))
		return plait__lexer_fail(&parser->line,
					 "\"%s\" is defined in line %u; only "
					 "after= can be added",
					 plait__parser_text(parser,
							    draft->name),
					 line);
	return status;
}

plait_status plait__parse_start_node(struct plait__parser *parser,
				     struct plait__parser_draft *draft,
				     uint8_t kind)
{
	*draft = (struct plait__parser_draft){
		.node = { .kind = kind, .cost = 1, .link = PLAIT__NONE,
			  .file = PLAIT__NONE,
			  .line = parser->line.number,
			  .access_first = parser->store->accesses.count },
	};
	if (kind == PLAIT__CMD_REGION)
		draft->node.cost = 0;
	return plait__parser_new_name(parser, "a name without '=', ',' or "
				      "'+'", &draft->name);
}

plait_status plait__parse_finish_node(struct plait__parser *parser,
				      struct plait__parser_draft *draft)
{
	uint32_t at;

	/* Default: the first device, index 0. */
	if (draft->node.device_count == 0)
		draft->node.device_count = 1;
	draft->node.label = draft->name;
	parser->last_node = plait__parser_next_node(parser);
	parser->last_scope = parser->scope;
	at = plait__store_push(parser->store, parser->scope, &draft->node,
			       NULL, 0);
	return at != PLAIT__NONE ? PLAIT_OK : plait__parser_no_memory(parser);
}

plait_status plait__parse_node(struct plait__parser *parser)
{
	struct plait__parser_draft draft;
	const struct plait__parser_named *named;
	uint32_t node = plait__parser_next_node(parser);
	plait_status status = plait__parse_start_node(parser, &draft,
						      PLAIT__CMD_LAUNCH);

	if (status != PLAIT_OK)
		return status;
	named = plait__parser_find_name(parser, parser->scope, draft.name);
	if (named != NULL)
		return parse_more_edges(parser, &draft, named);
	status = plait__parser_add_name(parser, parser->scope, draft.name,
					node);
	if (status == PLAIT_OK)
		status = plait__parse_attributes(parser, &draft, node);
	if (status == PLAIT_OK)
		status = plait__parse_finish_node(parser, &draft);
	return status;
}
