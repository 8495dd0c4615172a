/* SPDX-License-Identifier: MIT */
/*
 * Parser of the text form, in two passes: devices, names of temporaries and the
 * branch counts of cases first, then all other lines in order.  Dispatches each
 * line to parse_nodes.c, parse_temporaries.c, parse_regions.c or parse_edges.c.
 */
#include "graph/text/parser.h"

#include "graph/store/unique_values.h"
#include "graph/text/parse_edges.h"
#include "graph/text/parse_nodes.h"
#include "graph/text/parse_regions.h"
#include "graph/text/parse_resources.h"
#include "graph/text/parse_temporaries.h"

/* ---- devices ---- */

/* First pass: a `device` line. */
static plait_status read_device(struct plait__parser *parser)
{
	plait__token token, key, value;
	uint64_t lanes = 0;
	uint32_t name;
	plait_status status =
		plait__parser_new_name(parser, "a device's name", &name);

	if (status != PLAIT_OK)
		return status;
	if (plait__values_find_device(parser->store,
				      plait__parser_text(parser, name)) !=
	    PLAIT__NONE)
		return plait__lexer_fail(&parser->line,
					 "device \"%s\" is already defined",
					 plait__parser_text(parser, name));
	if (!plait__lexer_next_token(&parser->line, &token) ||
	    !plait__lexer_split(token, &key, &value) ||
	    !plait__lexer_is(key, "lanes"))
		return plait__lexer_expected(&parser->line, "lanes=N, the most "
					     "lanes of this device (0: what "
					     "--lanes says)", token);
	status = plait__parser_number(parser, key, value, UINT32_MAX - 1,
				      &lanes);
	if (status != PLAIT_OK)
		return status;
	if (plait__values_device_named(parser->store, name, (uint32_t)lanes,
				       NULL) == PLAIT__NONE)
		return plait__parser_no_memory(parser);
	return plait__parser_expect_end(parser);
}

/* Second pass: any line.  Errors are in the lexer's. */
static plait_status read_line(struct plait__parser *parser)
{
	plait__token token, key, value;

	(void)plait__lexer_next_token(&parser->line, &token);
	if (plait__lexer_is(token, "node"))
		return plait__parse_node(parser);
	if (plait__lexer_split(token, &key, &value) &&
	    plait__lexer_is(key, "after"))
		return plait__parse_after_above(parser, value);
	if (plait__lexer_is(token, "after"))
		return plait__parse_after_line(parser);
	if (plait__lexer_is(token, "device") ||
	    plait__lexer_is(token, "resource"))
		return PLAIT_OK; /* the first pass has read it */
	if (plait__lexer_is(token, "temporary"))
		return plait__parse_temporary(parser);
	if (plait__lexer_is(token, "while"))
		return plait__parse_region(parser, PLAIT__REGION_WHILE);
	if (plait__lexer_is(token, "do"))
		return plait__parse_region(parser, PLAIT__REGION_DO);
	if (plait__lexer_is(token, "repeat"))
		return plait__parse_region(parser, PLAIT__REGION_REPEAT);
	if (plait__lexer_is(token, "case"))
		return plait__parse_region(parser, PLAIT__REGION_CASE);
	if (plait__lexer_is(token, "branch"))
		return plait__parse_branch(parser);
	if (plait__lexer_is(token, "end"))
		return plait__parse_close_body(parser);
	return plait__lexer_expected(&parser->line,
				     "device, temporary, resource, node, after, "
				     "while, do, repeat, case, branch or end", token);
}

/* ---- passes ---- */

/* First pass: a case needs its branch count when its line is read, and a node
 * may name a device, temporary or resource of a later line. */
static plait_status read_ahead(struct plait__parser *parser)
{
	plait_status status = PLAIT_OK;
	plait__vector stack;	/* uint32_t: index in branch_counts, or none */
	plait__token token;

	plait__vector_init(&stack, &parser->store->allocator,
			   sizeof(uint32_t));
	while (status == PLAIT_OK && plait__lexer_next_line(&parser->line)) {
		(void)plait__lexer_next_token(&parser->line, &token);
		status = plait__lexer_is(token, "device") ?
			 read_device(parser) :
			 plait__lexer_is(token, "temporary") ?
			 plait__parse_declare_temporary(parser) :
			 plait__lexer_is(token, "resource") ?
			 plait__parse_resource(parser) :
			 plait__parse_count_branches(parser, &stack, token);
	}
	plait__vector_fini(&stack);
	if (status == PLAIT_OK && parser->store->devices.count == 0 &&
	    plait__values_device(parser->store, "host", 0, NULL) == PLAIT__NONE)
		status = plait__parser_no_memory(parser);
	return status;
}

plait_status plait__parser_read(plait__store *store, const char *text,
				uint64_t bytes, const char *name,
				plait_error *error)
{
	struct plait__parser parser = { 0 };
	plait_status status;

	plait__parser_init(&parser, store);
	plait__lexer_init(&parser.line, text, bytes, name, error);
	status = parser.index != NULL ? read_ahead(&parser) :
		 plait__parser_no_memory(&parser);
	plait__lexer_init(&parser.line, text, bytes, name, error);
	if (status == PLAIT_OK &&
	    plait__store_set_text_name(store, parser.line.name) != 0)
		status = plait__parser_no_memory(&parser);
	while (status == PLAIT_OK && plait__lexer_next_line(&parser.line))
		status = read_line(&parser);
	if (status == PLAIT_OK)
		status = plait__parse_check_closed(&parser);
	if (status == PLAIT_OK)
		status = plait__parse_resolve_edges(&parser);
	plait__parser_fini(&parser);
	return status;
}
