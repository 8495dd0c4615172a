/* SPDX-License-Identifier: MIT */
/*
 * Reading the text form: names of nodes, and edges between names, which are
 * kept until all names are known.
 */
#include "graph/text/parser_state.h"

#include "base/spelling_hint.h"

#include <string.h>

static bool match_name(const void *table, uint32_t at, const void *value)
{
	const struct plait__parser_named *named = plait__vector_at(table, at);
	const struct plait__parser_named *wanted = value;

	return named->scope == wanted->scope && named->name == wanted->name;
}

static plait__index_key key_of(const struct plait__parser *parser,
			       const struct plait__parser_named *named)
{
	return (plait__index_key){
		0, ((uint64_t)named->scope << 32) | named->name, match_name,
		&parser->names, named
	};
}

struct plait__parser_named *plait__parse_find_name(
	struct plait__parser *parser, uint32_t scope, uint32_t name)
{
	struct plait__parser_named wanted = { .scope = scope, .name = name };
	plait__index_key key = key_of(parser, &wanted);
	uint32_t at = plait__index_find(parser->index, &key);

	return at == PLAIT__NONE ? NULL : plait__vector_at(&parser->names, at);
}

plait_status plait__parse_add_name(struct plait__parser *parser,
				   uint32_t name, uint32_t node)
{
	struct plait__parser_named named = {
		parser->scope, name, node, parser->line.number
	};
	plait__index_key key = key_of(parser, &named);

	if (plait__index_reserve(parser->index, &parser->store->allocator) !=
	    0 || plait__vector_push(&parser->names, &named, 1) == NULL)
		return plait__parse_no_memory(parser);
	plait__index_add(parser->index, &key, parser->names.count - 1);
	return PLAIT_OK;
}

plait_status plait__parse_after_list(struct plait__parser *parser,
				     plait__token list,
				     struct plait__parser_edge pending)
{
	plait__token part;
	plait_status status;

	pending.scope = parser->scope;
	pending.line = parser->line.number;
	while (plait__lexer_next_part(&list, ',', &part)) {
		status = plait__parse_string(parser, part, "a node's name",
					     &pending.before);
		if (status != PLAIT_OK)
			return status;
		if (plait__vector_push(&parser->pendings, &pending, 1) ==
		    NULL)
			return plait__parse_no_memory(parser);
	}
	return PLAIT_OK;
}

plait_status plait__parse_after_above(struct plait__parser *parser,
				      plait__token list)
{
	struct plait__parser_edge pending = { .node = parser->last_node };
	plait_status status;

	if (parser->last_node == PLAIT__NONE ||
	    parser->last_scope != parser->scope)
		return plait__lexer_fail(&parser->line, "expected a node of "
					 "this body above \"after=\", found "
					 "none");
	status = plait__parse_after_list(parser, list, pending);
	return status == PLAIT_OK ? plait__parser_expect_end(parser) : status;
}

plait_status plait__parse_after_line(struct plait__parser *parser)
{
	struct plait__parser_edge pending = { .node = PLAIT__NONE };
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
		return plait__lexer_expected(&parser->line, "one node, and then "
					     "those it comes after", key);
	status = plait__parse_string(parser, key, "a node's name",
				     &pending.after);
	if (status == PLAIT_OK)
		status = plait__parse_after_list(parser, value, pending);
	if (status == PLAIT_OK)
		status = plait__parser_expect_end(parser);
	return status;
}

/* Or it may be misspelt; there are too many to name them all. */
static plait_status nowhere(const struct plait__parser *parser, uint32_t scope,
			    const char *text)
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

/* It may be in another body, which edges do not reach. */
static plait_status not_here(const struct plait__parser *parser, uint32_t scope,
			     uint32_t name)
{
	const char *text = plait__parser_text(parser, name);

	for (uint32_t i = 0; i < parser->names.count; i++) {
		const struct plait__parser_named *named =
			plait__vector_at(&parser->names, i);

		if (named->name == name)
			return plait__lexer_fail(&parser->line,
						 "no node \"%s\" in this body; "
						 "that of line %u is in "
						 "another", text, named->line);
	}
	return nowhere(parser, scope, text);
}

static plait_status resolve(struct plait__parser *parser,
			    const struct plait__parser_edge *pending)
{
	const struct plait__parser_named *before, *after;
	uint32_t node = pending->node;

	parser->line.number = pending->line;
	before = plait__parse_find_name(parser, pending->scope, pending->before);
	if (before == NULL)
		return not_here(parser, pending->scope,
				pending->before);
	if (node == PLAIT__NONE) {
		after = plait__parse_find_name(parser, pending->scope,
					       pending->after);
		if (after == NULL)
			return not_here(parser, pending->scope,
					pending->after);
		node = after->node;
	}
	if (before->node == node)
		return plait__lexer_fail(&parser->line,
					 "\"%s\" comes after itself",
					 plait__parser_text(parser,
							    pending->before));
	if (plait__store_edge(parser->store, pending->scope, before->node,
			      node) != 0)
		return plait__parse_no_memory(parser);
	return PLAIT_OK;
}

plait_status plait__parse_resolve_edges(struct plait__parser *parser)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < parser->pendings.count; i++)
		status = resolve(parser,
				 plait__vector_at(&parser->pendings, i));
	return status;
}
