/* SPDX-License-Identifier: MIT */
/* Edges of the text form, resolved when all names are known. */
#include "graph/text/parse_edges.h"

#include "graph/text/parse_temporaries.h"

#include "base/spelling_hint.h"

#include <string.h>

plait_status plait__parse_after_list(struct plait__parser *parser,
				     plait__token list,
				     struct plait__parser_edge edge)
{
	plait__token part;
	plait_status status;

	edge.scope = parser->scope;
	edge.line = parser->line.number;
	while (plait__lexer_next_part(&list, ',', &part)) {
		status = plait__parser_string(parser, part, "a node's name",
					      &edge.before);
		if (status != PLAIT_OK)
			return status;
		if (plait__vector_push(&parser->edges, &edge, 1) ==
		    NULL)
			return plait__parser_no_memory(parser);
	}
	return PLAIT_OK;
}

plait_status plait__parse_after_above(struct plait__parser *parser,
				      plait__token list)
{
	struct plait__parser_edge edge = { .node = parser->last_node };
	plait_status status;

	if (parser->last_node == PLAIT__NONE ||
	    parser->last_scope != parser->scope)
		return plait__lexer_fail(&parser->line, "expected a node of "
					 "this body above \"after=\", found "
					 "none");
	status = plait__parse_after_list(parser, list, edge);
	return status == PLAIT_OK ? plait__parser_expect_end(parser) : status;
}

plait_status plait__parse_after_line(struct plait__parser *parser)
{
	struct plait__parser_edge edge = { .node = PLAIT__NONE };
	plait__token token, key, value;
	plait_status status;

	if (!plait__lexer_next_token(&parser->line, &token))
		return plait__lexer_expected(&parser->line, "a node's name",
					     token);
	if (!plait__lexer_split(token, &key, &value)) {
		key = token;
		if (!plait__lexer_next_token(&parser->line, &value))
			return plait__lexer_expected(
				&parser->line, "the nodes it comes after",
				value);
	}
	if (key.length > 0 && memchr(key.start, ',', key.length) != NULL)
		return plait__lexer_expected(&parser->line,
					     "one node, and then "
					     "those it comes after",
					     key);
	status = plait__parser_string(parser, key, "a node's name",
				      &edge.after);
	if (status == PLAIT_OK)
		status = plait__parse_after_list(parser, value, edge);
	if (status == PLAIT_OK)
		status = plait__parser_expect_end(parser);
	return status;
}

/* Report an unknown name, with a similar one of the same body as a hint. */
static plait_status fail_unknown(const struct plait__parser *parser,
				 uint32_t scope, const char *text)
{
	plait__spelling_hint choices;

	plait__spelling_hint_init(&choices, text);
	for (uint32_t i = 0; i < parser->names.count; i++) {
		const struct plait__parser_named *named =
			plait__vector_at(&parser->names, i);

		if (named->scope == scope)
			plait__spelling_hint_add(&choices, plait__parser_text(
						   parser, named->name));
	}
	return plait__lexer_fail(&parser->line, "no node \"%s\" in this body%s",
				 text, plait__spelling_hint_text(&choices));
}

/* Report a name that this body lacks; edges do not cross bodies. */
static plait_status fail_lacking(const struct plait__parser *parser,
				 uint32_t scope, uint32_t name)
{
	const char *text = plait__parser_text(parser, name);

	for (uint32_t i = 0; i < parser->names.count; i++) {
		const struct plait__parser_named *named =
			plait__vector_at(&parser->names, i);

		if (named->name == name &&
		    named->scope != PLAIT__PARSER_TEMPORARIES)
			return plait__lexer_fail(&parser->line,
						 "no node \"%s\" in this body; "
						 "that of line %u is in "
						 "another", text, named->line);
	}
	return fail_unknown(parser, scope, text);
}

/* Push one edge; errors have the line where the edge was written. */
static plait_status resolve(struct plait__parser *parser,
			    const struct plait__parser_edge *edge)
{
	const struct plait__parser_named *before, *after;
	uint32_t node = edge->node;

	parser->line.number = edge->line;
	before = plait__parser_find_name(parser, edge->scope, edge->before);
	if (before == NULL)
		return fail_lacking(parser, edge->scope,
				    edge->before);
	if (node == PLAIT__NONE) {
		after = plait__parser_find_name(parser, edge->scope,
						edge->after);
		if (after == NULL)
			return fail_lacking(parser, edge->scope,
					    edge->after);
		node = after->node;
	}
	if (before->node == node)
		return plait__lexer_fail(&parser->line,
					 "\"%s\" comes after itself",
					 plait__parser_text(parser,
							    edge->before));
	if (plait__store_edge(parser->store, edge->scope, before->node,
			      node) != 0)
		return plait__parser_no_memory(parser);
	return PLAIT_OK;
}

plait_status plait__parse_resolve_edges(struct plait__parser *parser)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < parser->edges.count; i++)
		status = resolve(parser,
				 plait__vector_at(&parser->edges, i));
	return status;
}
