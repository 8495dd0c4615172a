/* SPDX-License-Identifier: MIT */
/* Parser state: tables, tokens as strings and numbers, names of nodes. */
#include "graph/text/parser_state.h"

#include "graph/store/unique_values.h"
#include "base/error.h"

#include <string.h>

void plait__parser_init(struct plait__parser *parser, plait__store *store)
{
	const plait_allocator *allocator = &store->allocator;

	parser->store = store;
	parser->last_node = PLAIT__NONE;
	plait__vector_init(&parser->names, allocator,
			   sizeof(struct plait__parser_named));
	plait__vector_init(&parser->edges, allocator,
			   sizeof(struct plait__parser_edge));
	plait__vector_init(&parser->open_bodies, allocator,
			   sizeof(struct plait__parser_open_body));
	plait__vector_init(&parser->branch_counts, allocator, sizeof(uint32_t));
	parser->index = plait__index_create(allocator);
}

void plait__parser_fini(struct plait__parser *parser)
{
	plait__vector_fini(&parser->names);
	plait__vector_fini(&parser->edges);
	plait__vector_fini(&parser->open_bodies);
	plait__vector_fini(&parser->branch_counts);
	plait__index_destroy(&parser->store->allocator, parser->index);
}

plait_status plait__parser_no_memory(struct plait__parser *parser)
{
	return plait__fail(parser->line.error, PLAIT_E_NOMEM,
			   "%s:%u: no memory for the graph",
			   parser->line.name, parser->line.number);
}

plait_status plait__parser_string(struct plait__parser *parser,
				  plait__token token, const char *what,
				  uint32_t *out)
{
	char text[PLAIT__PARSER_MAX_NAME + 1];

	if (token.length == 0)
		return plait__lexer_expected(&parser->line, what, token);
	if (token.length > PLAIT__PARSER_MAX_NAME)
		return plait__lexer_fail(&parser->line,
					 "a name is longer than the limit of "
					 "%d bytes",
					 PLAIT__PARSER_MAX_NAME);
	if (memchr(token.start, '\0', token.length) != NULL)
		return plait__lexer_fail(&parser->line,
					 "a name contains a NUL byte");
	memcpy(text, token.start, token.length);
	text[token.length] = '\0';
	*out = plait__values_string(parser->store, text);
	return *out != PLAIT__NONE ? PLAIT_OK : plait__parser_no_memory(parser);
}

plait_status plait__parser_new_name(struct plait__parser *parser,
				    const char *what, uint32_t *out)
{
	plait__token token;

	(void)plait__lexer_next_token(&parser->line, &token);
	for (size_t i = 0; i < token.length; i++)
		if (memchr("=,+", token.start[i], 3) != NULL)
			return plait__lexer_expected(&parser->line, what,
						     token);
	return plait__parser_string(parser, token, what, out);
}

plait_status plait__parser_number(struct plait__parser *parser,
				  plait__token key, plait__token value,
				  uint64_t maximum, uint64_t *out)
{
	char shown[44];

	if (plait__lexer_number(value, out) && *out <= maximum)
		return PLAIT_OK;
	return plait__lexer_fail(&parser->line,
				 "expected a number from 0 to %llu after "
				 "\"%.*s=\", found \"%s\"",
				 (unsigned long long)maximum, (int)key.length,
				 key.start, plait__lexer_show(value, shown));
}

uint32_t plait__parser_next_node(const struct plait__parser *parser)
{
	return plait__store_scope_at(parser->store,
				     parser->scope)->nodes.count;
}

plait_status plait__parser_expect_end(struct plait__parser *parser)
{
	plait__token token;

	if (plait__lexer_next_token(&parser->line, &token))
		return plait__lexer_expected(&parser->line,
					     "the end of the line", token);
	return PLAIT_OK;
}

/* ---- names of nodes ---- */

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

struct plait__parser_named *plait__parser_find_name(
	struct plait__parser *parser, uint32_t scope, uint32_t name)
{
	struct plait__parser_named wanted = { .scope = scope, .name = name };
	plait__index_key key = key_of(parser, &wanted);
	uint32_t at = plait__index_find(parser->index, &key);

	return at == PLAIT__NONE ? NULL : plait__vector_at(&parser->names, at);
}

plait_status plait__parser_add_name(struct plait__parser *parser,
				    uint32_t scope, uint32_t name,
				    uint32_t node)
{
	struct plait__parser_named named = {
		scope, name, node, parser->line.number
	};
	plait__index_key key = key_of(parser, &named);

	if (plait__index_reserve(parser->index, &parser->store->allocator) !=
	    0 || plait__vector_push(&parser->names, &named, 1) == NULL)
		return plait__parser_no_memory(parser);
	plait__index_add(parser->index, &key, parser->names.count - 1);
	return PLAIT_OK;
}
