/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form into a store, line by line: nodes and devices are read
 * here, their words in parse_attributes.c, bodies in parse_regions.c, and edges, which
 * are resolved at the end so that a name may be used before its line, in
 * parse_edges.c.
 */
#include "graph/text/parser.h"

#include "graph/text/parser_state.h"
#include "graph/store/unique_values.h"

#include <string.h>

/* A second line of a node may only add what it comes after. */
static plait_status read_again(struct plait__parser *parser,
			       struct plait__parser_draft *draft,
			       const struct plait__parser_named *named)
{
	uint32_t line = named->line, pendings = parser->pendings.count;
	plait_status status;

	parser->last_node = named->node;
	parser->last_scope = parser->scope;
	status = plait__parse_attributes(parser, draft, named->node);
	if (status == PLAIT_OK &&
	    (draft->has_other || parser->pendings.count == pendings))
		return plait__lexer_fail(&parser->line,
					 "\"%s\" is defined in line %u; only "
					 "after= can be added",
					 plait__parser_text(parser, draft->name), line);
	return status;
}

plait_status plait__parser_start_node(struct plait__parser *parser,
				      struct plait__parser_draft *draft,
				      uint8_t kind)
{
	*draft = (struct plait__parser_draft){
		.node = { .kind = kind, .cost = 1, .link = PLAIT__NONE,
			  .file = PLAIT__NONE,
			  .line = parser->line.number },
	};
	if (kind == PLAIT__CMD_REGION)
		draft->node.cost = 0;
	return plait__parse_new_name(parser, "a name without '=', ',' or "
				     "'+'", &draft->name);
}

uint32_t plait__parser_next_node(const struct plait__parser *parser)
{
	return plait__store_scope_at(parser->store,
				     parser->scope)->nodes.count;
}

plait_status plait__parser_finish_node(struct plait__parser *parser,
				       struct plait__parser_draft *draft)
{
	uint32_t at;

	/* Without a device of its own it is on the first one. */
	if (draft->node.device_count == 0)
		draft->node.device_count = 1;
	draft->node.label = draft->name;
	parser->last_node = plait__parser_next_node(parser);
	parser->last_scope = parser->scope;
	at = plait__store_push(parser->store, parser->scope, &draft->node,
			       NULL, 0);
	return at != PLAIT__NONE ? PLAIT_OK : plait__parse_no_memory(parser);
}

static plait_status read_node(struct plait__parser *parser)
{
	struct plait__parser_draft draft;
	const struct plait__parser_named *named;
	uint32_t node = plait__parser_next_node(parser);
	plait_status status = plait__parser_start_node(parser, &draft,
						       PLAIT__CMD_LAUNCH);

	if (status != PLAIT_OK)
		return status;
	named = plait__parse_find_name(parser, parser->scope, draft.name);
	if (named != NULL)
		return read_again(parser, &draft, named);
	status = plait__parse_add_name(parser, draft.name, node);
	if (status == PLAIT_OK)
		status = plait__parse_attributes(parser, &draft, node);
	if (status == PLAIT_OK)
		status = plait__parser_finish_node(parser, &draft);
	return status;
}

plait_status plait__parser_expect_end(struct plait__parser *parser)
{
	plait__token token;

	if (plait__lexer_next_token(&parser->line, &token))
		return plait__lexer_expected(&parser->line,
					     "the end of the line", token);
	return PLAIT_OK;
}

/* ---- devices ---- */

static plait_status read_device(struct plait__parser *parser)
{
	plait__token token, key, value;
	uint64_t lanes = 0;
	uint32_t name;
	plait_status status = plait__parse_new_name(parser, "a device's name", &name);

	if (status != PLAIT_OK)
		return status;
	if (plait__values_find_device(parser->store,
				      plait__parser_text(parser, name)) !=
	    PLAIT__NONE)
		return plait__lexer_fail(&parser->line,
					 "device \"%s\" is defined before",
					 plait__parser_text(parser, name));
	if (!plait__lexer_next_token(&parser->line, &token) ||
	    !plait__lexer_split(token, &key, &value) ||
	    !plait__lexer_is(key, "lanes"))
		return plait__lexer_expected(&parser->line, "lanes=N, the most "
					     "lanes of this device (0: what "
					     "--lanes says)", token);
	status = plait__parse_number(parser, key, value, UINT32_MAX - 1, &lanes);
	if (status != PLAIT_OK)
		return status;
	if (plait__values_device_named(parser->store, name, (uint32_t)lanes,
				       NULL) == PLAIT__NONE)
		return plait__parse_no_memory(parser);
	return plait__parser_expect_end(parser);
}

static plait_status read_line(struct plait__parser *parser)
{
	plait__token token, key, value;

	(void)plait__lexer_next_token(&parser->line, &token);
	if (plait__lexer_is(token, "node"))
		return read_node(parser);
	if (plait__lexer_split(token, &key, &value) &&
	    plait__lexer_is(key, "after"))
		return plait__parse_after_above(parser, value);
	if (plait__lexer_is(token, "after"))
		return plait__parse_after_line(parser);
	if (plait__lexer_is(token, "device"))
		return PLAIT_OK; /* read before all others */
	if (plait__lexer_is(token, "while"))
		return plait__parse_region(parser, PLAIT__REGION_WHILE);
	if (plait__lexer_is(token, "do"))
		return plait__parse_region(parser, PLAIT__REGION_DO);
	if (plait__lexer_is(token, "case"))
		return plait__parse_region(parser, PLAIT__REGION_CASE);
	if (plait__lexer_is(token, "branch"))
		return plait__parse_branch(parser);
	if (plait__lexer_is(token, "end"))
		return plait__parse_close_body(parser);
	return plait__lexer_expected(&parser->line,
				     "device, node, after, while, do, case, "
				     "branch or end", token);
}

/* ---- before and after the lines ---- */

/* The bodies of a case must be known when its line is read, and devices may
 * stand below the nodes that name them. */
static plait_status read_ahead(struct plait__parser *parser)
{
	plait_status status = PLAIT_OK;
	plait__vector stack;	/* uint32_t: place in branches, or none */
	plait__token token;

	plait__vector_init(&stack, &parser->store->allocator,
			   sizeof(uint32_t));
	while (status == PLAIT_OK && plait__lexer_next_line(&parser->line)) {
		(void)plait__lexer_next_token(&parser->line, &token);
		status = plait__lexer_is(token, "device") ?
			 read_device(parser) :
			 plait__parse_count_branches(parser, &stack, token);
	}
	plait__vector_fini(&stack);
	if (status == PLAIT_OK && parser->store->devices.count == 0 &&
	    plait__values_device(parser->store, "host", 0, NULL) == PLAIT__NONE)
		status = plait__parse_no_memory(parser);
	return status;
}

static void init(struct plait__parser *parser, plait__store *store)
{
	const plait_allocator *allocator = &store->allocator;

	parser->store = store;
	parser->last_node = PLAIT__NONE;
	plait__vector_init(&parser->names, allocator, sizeof(struct plait__parser_named));
	plait__vector_init(&parser->pendings, allocator,
			   sizeof(struct plait__parser_edge));
	plait__vector_init(&parser->opens, allocator, sizeof(struct plait__parser_open_body));
	plait__vector_init(&parser->branches, allocator, sizeof(uint32_t));
	parser->index = plait__index_create(allocator);
}

static void fini(struct plait__parser *parser)
{
	plait__vector_fini(&parser->names);
	plait__vector_fini(&parser->pendings);
	plait__vector_fini(&parser->opens);
	plait__vector_fini(&parser->branches);
	plait__index_destroy(&parser->store->allocator, parser->index);
}

plait_status plait__parser_read(plait__store *store, const char *text,
				uint64_t bytes, const char *name,
				plait_error *error)
{
	struct plait__parser parser = { 0 };
	plait_status status;

	init(&parser, store);
	plait__lexer_init(&parser.line, text, bytes, name, error);
	status = parser.index != NULL ? read_ahead(&parser) :
		 plait__parse_no_memory(&parser);
	plait__lexer_init(&parser.line, text, bytes, name, error);
	if (status == PLAIT_OK &&
	    plait__store_set_text_name(store, parser.line.name) != 0)
		status = plait__parse_no_memory(&parser);
	while (status == PLAIT_OK && plait__lexer_next_line(&parser.line))
		status = read_line(&parser);
	if (status == PLAIT_OK)
		status = plait__parse_check_closed(&parser);
	if (status == PLAIT_OK)
		status = plait__parse_resolve_edges(&parser);
	fini(&parser);
	return status;
}
