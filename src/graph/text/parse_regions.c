/* SPDX-License-Identifier: MIT */
/* Regions of the text form: while, do, repeat and case, their branches and
 * ends. */
#include "graph/text/parse_regions.h"

#include "graph/text/parse_attributes.h"
#include "graph/text/parse_nodes.h"

enum { MAX_BRANCHES = 65535 };

static plait_status check_times(struct plait__parser *parser,
				const struct plait__parser_draft *draft)
{
	if (draft->seen & PLAIT__PARSER_TIMES)
		return PLAIT_OK;
	return plait__lexer_fail(&parser->line, "expected %s, found none",
				 draft->is_case ?
				 "take=K, the branch to expect" :
				 "times=N, how often it runs");
}

/* The first pass has counted the branches of each case. */
static plait_status open_region(struct plait__parser *parser,
				struct plait__parser_draft *draft,
				uint32_t kind)
{
	bool is_case = kind == PLAIT__REGION_CASE;
	uint32_t bodies = is_case ?
		*(uint32_t *)plait__vector_at(&parser->branch_counts,
					      parser->next_case++) : 1;
	plait__input_region region = {
		.kind = kind, .scope_count = bodies,
		.predicate = PLAIT__NONE, .times = (uint32_t)draft->times,
	};
	struct plait__parser_open_body open = {
		.scope = parser->scope,
		.node = plait__parser_next_node(parser),
		.line = parser->line.number,
	};
	plait_status status = check_times(parser, draft);

	if (status != PLAIT_OK)
		return status;
	open.region = plait__store_region_add(parser->store, parser->scope,
					      &region);
	if (open.region == PLAIT__NONE ||
	    plait__vector_push(&parser->open_bodies, &open, 1) == NULL)
		return plait__parser_no_memory(parser);
	draft->node.link = open.region;
	return PLAIT_OK;
}

static void enter_branch(struct plait__parser *parser,
			 const struct plait__parser_open_body *open)
{
	const plait__store_region *region =
		plait__vector_at(&parser->store->regions, open->region);

	parser->scope = region->input.scope_first + open->branch;
}

plait_status plait__parse_region(struct plait__parser *parser, uint32_t kind)
{
	struct plait__parser_draft draft;
	uint32_t node = plait__parser_next_node(parser);
	plait_status status = plait__parse_start_node(parser, &draft,
						      PLAIT__CMD_REGION);

	draft.is_case = kind == PLAIT__REGION_CASE;
	if (status == PLAIT_OK &&
	    plait__parser_find_name(parser, parser->scope, draft.name) != NULL)
		return plait__lexer_fail(&parser->line,
					 "\"%s\" is already defined",
					 plait__parser_text(parser,
							    draft.name));
	if (status == PLAIT_OK)
		status = plait__parser_add_name(parser, parser->scope,
						draft.name, node);
	if (status == PLAIT_OK)
		status = plait__parse_attributes(parser, &draft, node);
	if (status == PLAIT_OK)
		status = open_region(parser, &draft, kind);
	if (status == PLAIT_OK)
		status = plait__parse_finish_node(parser, &draft);
	if (status == PLAIT_OK)
		enter_branch(parser,
			     plait__vector_at(&parser->open_bodies,
					      parser->open_bodies.count - 1));
	return status;
}

static struct plait__parser_open_body *last_open(struct plait__parser *parser)
{
	return parser->open_bodies.count == 0
		       ? NULL
		       : plait__vector_at(&parser->open_bodies,
					  parser->open_bodies.count - 1);
}

/* Check take= of a case that ends; the error names the line of the case. */
static plait_status check_take(struct plait__parser *parser,
			       const struct plait__parser_open_body *open)
{
	const plait__store_region *region =
		plait__vector_at(&parser->store->regions, open->region);
	uint32_t branches = region->input.scope_count;
	uint32_t take = region->input.times, end = parser->line.number;

	if (region->input.kind != PLAIT__REGION_CASE || take < branches)
		return PLAIT_OK;
	parser->line.number = open->line;
	return plait__lexer_fail(&parser->line, "expected take=K, K from 0 to "
				 "%u: there %s %u branch%s up to \"end\" in "
				 "line %u; found take=%u", branches - 1,
				 branches == 1 ? "is" : "are", branches,
				 branches == 1 ? "" : "es", end, take);
}

/* Refuse a case with an empty only branch; of several, each may be empty. */
static plait_status check_branches(struct plait__parser *parser,
				   const struct plait__parser_open_body *open)
{
	const plait__store_region *region =
		plait__vector_at(&parser->store->regions, open->region);
	const plait__store_scope *body = plait__store_scope_at(
		parser->store, region->input.scope_first);
	const plait__input_node *node = plait__vector_at(
		&plait__store_scope_at(parser->store, open->scope)->nodes,
		open->node);

	if (region->input.kind != PLAIT__REGION_CASE || open->branch > 0 ||
	    body->nodes.count > 0)
		return PLAIT_OK;
	return plait__lexer_fail(&parser->line,
				 "case \"%s\" of line %u has no branches: "
				 "expected nodes, or \"branch\", before "
				 "\"end\"",
				 plait__parser_text(parser, node->label),
				 open->line);
}

plait_status plait__parse_close_body(struct plait__parser *parser)
{
	struct plait__parser_open_body *open = last_open(parser);
	plait_status status;

	if (open == NULL)
		return plait__lexer_fail(&parser->line, "\"end\" without "
					 "while, do, repeat or case");
	status = check_branches(parser, open);
	if (status == PLAIT_OK)
		status = check_take(parser, open);
	if (status != PLAIT_OK)
		return status;
	parser->scope = open->scope;
	parser->last_scope = open->scope;
	parser->last_node = open->node;
	plait__vector_truncate(&parser->open_bodies,
			       parser->open_bodies.count - 1);
	return plait__parser_expect_end(parser);
}

plait_status plait__parse_branch(struct plait__parser *parser)
{
	struct plait__parser_open_body *open = last_open(parser);
	const plait__store_region *region = open == NULL ? NULL :
		plait__vector_at(&parser->store->regions, open->region);

	if (region == NULL || region->input.kind != PLAIT__REGION_CASE)
		return plait__lexer_fail(&parser->line,
					 "\"branch\" outside of a case");
	open->branch++;
	enter_branch(parser, open);
	return plait__parser_expect_end(parser);
}

static bool opens_body(plait__token token)
{
	return plait__lexer_is(token, "while") ||
	       plait__lexer_is(token, "do") ||
	       plait__lexer_is(token, "repeat") ||
	       plait__lexer_is(token, "case");
}

plait_status plait__parse_count_branches(struct plait__parser *parser,
					 plait__vector *stack,
					 plait__token token)
{
	uint32_t *top = stack->count == 0 ? NULL :
			plait__vector_at(stack, stack->count - 1);
	uint32_t one = 1, at = PLAIT__NONE, *bodies;

	if (plait__lexer_is(token, "end") && top != NULL) {
		plait__vector_truncate(stack, stack->count - 1);
	} else if (plait__lexer_is(token, "branch") && top != NULL &&
		   *top != PLAIT__NONE) {
		bodies = plait__vector_at(&parser->branch_counts, *top);
		if (++*bodies > MAX_BRANCHES)
			return plait__lexer_fail(&parser->line,
						 "more than %d branches",
						 MAX_BRANCHES);
	} else if (opens_body(token)) {
		if (plait__lexer_is(token, "case")) {
			at = parser->branch_counts.count;
			if (plait__vector_push(&parser->branch_counts, &one,
					       1) == NULL)
				return plait__parser_no_memory(parser);
		}
		if (plait__vector_push(stack, &at, 1) == NULL)
			return plait__parser_no_memory(parser);
	}
	return PLAIT_OK;
}

plait_status plait__parse_check_closed(struct plait__parser *parser)
{
	const struct plait__parser_open_body *open = last_open(parser);

	if (open == NULL)
		return PLAIT_OK;
	parser->line.number = open->line;
	return plait__lexer_fail(&parser->line,
				 "no \"end\" for the region that starts here");
}
