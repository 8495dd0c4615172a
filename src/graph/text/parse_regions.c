/* SPDX-License-Identifier: MIT */
/* Reading the text form: while, do and case, their branches and ends. */
#include "graph/text/parser_state.h"

enum { MAX_BRANCHES = 65535 };

static plait_status check_times(struct plait__reader *reader,
				const struct plait__reader_draft *draft)
{
	if (draft->seen & PLAIT__READER_TIMES)
		return PLAIT_OK;
	return plait__line_fail(&reader->line, "expected %s, found none",
				draft->is_case ?
				"take=K, the branch to expect" :
				"times=N, how often it runs");
}

static plait_status open_region(struct plait__reader *reader,
				struct plait__reader_draft *draft,
				uint32_t kind)
{
	bool is_case = kind == PLAIT__REGION_CASE;
	uint32_t bodies = is_case ?
		*(uint32_t *)plait__vector_at(&reader->branches,
					      reader->next_case++) : 1;
	plait__input_region region = {
		.kind = kind, .scope_count = bodies,
		.predicate = PLAIT__NONE, .times = (uint32_t)draft->times,
	};
	struct plait__reader_open open = {
		.scope = reader->scope,
		.node = plait__reader_next_node(reader),
		.line = reader->line.number,
	};
	plait_status status = check_times(reader, draft);

	if (status != PLAIT_OK)
		return status;
	open.region = plait__store_region_add(reader->store, reader->scope,
					      &region);
	if (open.region == PLAIT__NONE ||
	    plait__vector_push(&reader->opens, &open, 1) == NULL)
		return plait__reader_no_memory(reader);
	draft->node.link = open.region;
	return PLAIT_OK;
}

static void enter_branch(struct plait__reader *reader,
			 const struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);

	reader->scope = region->input.scope_first + open->branch;
}

plait_status plait__reader_region(struct plait__reader *reader, uint32_t kind)
{
	struct plait__reader_draft draft;
	uint32_t node = plait__reader_next_node(reader);
	plait_status status = plait__reader_start_node(reader, &draft,
						       PLAIT__CMD_REGION);

	draft.is_case = kind == PLAIT__REGION_CASE;
	if (status == PLAIT_OK &&
	    plait__reader_find_name(reader, reader->scope, draft.name) != NULL)
		return plait__line_fail(&reader->line,
					"\"%s\" is defined before",
					plait__reader_text(reader, draft.name));
	if (status == PLAIT_OK)
		status = plait__reader_add_name(reader, draft.name, node);
	if (status == PLAIT_OK)
		status = plait__reader_attributes(reader, &draft, node);
	if (status == PLAIT_OK)
		status = open_region(reader, &draft, kind);
	if (status == PLAIT_OK)
		status = plait__reader_finish_node(reader, &draft);
	if (status == PLAIT_OK)
		enter_branch(reader, plait__vector_at(&reader->opens,
						      reader->opens.count -
						      1));
	return status;
}

static struct plait__reader_open *last_open(struct plait__reader *reader)
{
	return reader->opens.count == 0 ? NULL :
	       plait__vector_at(&reader->opens, reader->opens.count - 1);
}

/* Of a case that ends: its line is the one to mend. */
static plait_status check_take(struct plait__reader *reader,
			       const struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);
	uint32_t branches = region->input.scope_count;
	uint32_t take = region->input.times, end = reader->line.number;

	if (region->input.kind != PLAIT__REGION_CASE || take < branches)
		return PLAIT_OK;
	reader->line.number = open->line;
	return plait__line_fail(&reader->line, "expected take=K, K from 0 to "
				"%u: there %s %u branch%s up to \"end\" in "
				"line %u; found take=%u", branches - 1,
				branches == 1 ? "is" : "are", branches,
				branches == 1 ? "" : "es", end, take);
}

/* One empty branch is a case that was forgotten; several may be empty. */
static plait_status check_branches(struct plait__reader *reader,
				   const struct plait__reader_open *open)
{
	const plait__store_region *region =
		plait__vector_at(&reader->store->regions, open->region);
	const plait__store_scope *body = plait__store_scope_at(
		reader->store, region->input.scope_first);
	const plait__input_node *node = plait__vector_at(
		&plait__store_scope_at(reader->store, open->scope)->nodes,
		open->node);

	if (region->input.kind != PLAIT__REGION_CASE || open->branch > 0 ||
	    body->nodes.count > 0)
		return PLAIT_OK;
	return plait__line_fail(&reader->line,
				"case \"%s\" of line %u has no branches: "
				"expected nodes, or \"branch\", before "
				"\"end\"",
				plait__reader_text(reader, node->label),
				open->line);
}

plait_status plait__reader_close_body(struct plait__reader *reader)
{
	struct plait__reader_open *open = last_open(reader);
	plait_status status;

	if (open == NULL)
		return plait__line_fail(&reader->line, "\"end\" without "
					"while, do or case");
	status = check_branches(reader, open);
	if (status == PLAIT_OK)
		status = check_take(reader, open);
	if (status != PLAIT_OK)
		return status;
	reader->scope = open->scope;
	reader->last_scope = open->scope;
	reader->last_node = open->node;
	plait__vector_cut(&reader->opens, reader->opens.count - 1);
	return plait__reader_no_more(reader);
}

plait_status plait__reader_branch(struct plait__reader *reader)
{
	struct plait__reader_open *open = last_open(reader);
	const plait__store_region *region = open == NULL ? NULL :
		plait__vector_at(&reader->store->regions, open->region);

	if (region == NULL || region->input.kind != PLAIT__REGION_CASE)
		return plait__line_fail(&reader->line,
					"\"branch\" outside of a case");
	open->branch++;
	enter_branch(reader, open);
	return plait__reader_no_more(reader);
}

static bool opens_body(plait__word word)
{
	return plait__word_is(word, "while") || plait__word_is(word, "do") ||
	       plait__word_is(word, "case");
}

plait_status plait__reader_count_branches(struct plait__reader *reader,
					  plait__vector *stack,
					  plait__word word)
{
	uint32_t *top = stack->count == 0 ? NULL :
			plait__vector_at(stack, stack->count - 1);
	uint32_t one = 1, place = PLAIT__NONE, *bodies;

	if (plait__word_is(word, "end") && top != NULL) {
		plait__vector_cut(stack, stack->count - 1);
	} else if (plait__word_is(word, "branch") && top != NULL &&
		   *top != PLAIT__NONE) {
		bodies = plait__vector_at(&reader->branches, *top);
		if (++*bodies > MAX_BRANCHES)
			return plait__line_fail(&reader->line,
						"more than %d branches",
						MAX_BRANCHES);
	} else if (opens_body(word)) {
		if (plait__word_is(word, "case")) {
			place = reader->branches.count;
			if (plait__vector_push(&reader->branches, &one, 1) ==
			    NULL)
				return plait__reader_no_memory(reader);
		}
		if (plait__vector_push(stack, &place, 1) == NULL)
			return plait__reader_no_memory(reader);
	}
	return PLAIT_OK;
}

plait_status plait__reader_check_closed(struct plait__reader *reader)
{
	const struct plait__reader_open *open = last_open(reader);

	if (open == NULL)
		return PLAIT_OK;
	reader->line.number = open->line;
	return plait__line_fail(&reader->line,
				"no \"end\" for what starts here");
}
