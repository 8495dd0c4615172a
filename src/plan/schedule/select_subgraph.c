/* SPDX-License-Identifier: MIT */
/*
 * Which nodes take part: all, or for a partial plan those on a path from a
 * chosen source to a chosen sink.  What lies between two such nodes is such a
 * node itself, so leaving out the others loses no ordering.
 */
#include "plan/schedule/planner_state.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_BYTES = PLAIT__NODE_TEXT_BYTES + 40 };

struct reach {
	uint32_t *first;	/* by node and one more */
	uint32_t *next;		/* neighbours in the direction walked */
	uint32_t *queue;
	uint8_t *reached;
};

static uint32_t end_of(const plait__input_edge *edge, bool forward)
{
	return forward ? edge->before : edge->after;
}

static void link_edges(const plait__input *input, bool forward,
		       struct reach *r)
{
	uint32_t i, sum = 0;

	memset(r->first, 0, (input->node_count + 1ull) * sizeof(uint32_t));
	for (i = 0; i < input->edge_count; i++)
		r->first[end_of(&input->edges[i], forward)]++;
	for (i = 0; i <= input->node_count; i++) {
		sum += r->first[i];
		r->first[i] = sum;
	}
	for (i = 0; i < input->edge_count; i++)
		r->next[--r->first[end_of(&input->edges[i], forward)]] =
			end_of(&input->edges[i], !forward);
}

static void walk(const plait__input *input, const uint32_t *from,
		 uint32_t count, struct reach *r)
{
	uint32_t head = 0, tail = 0, i;

	memset(r->reached, 0, input->node_count);
	for (i = 0; i < count; i++)
		if (!r->reached[from[i]]) {
			r->reached[from[i]] = 1;
			r->queue[tail++] = from[i];
		}
	while (head < tail) {
		uint32_t node = r->queue[head++];

		for (i = r->first[node]; i < r->first[node + 1]; i++)
			if (!r->reached[r->next[i]]) {
				r->reached[r->next[i]] = 1;
				r->queue[tail++] = r->next[i];
			}
	}
}

/* Keep of the selected nodes those that can be reached from a list. */
static plait_status restrict_to(plait__build *build, struct reach *r,
				const uint32_t *list, uint32_t count,
				bool forward)
{
	const plait__input *input = build->input;
	uint32_t i;

	if (list == NULL)
		return PLAIT_OK;
	for (i = 0; i < count; i++)
		if (list[i] >= input->node_count ||
		    (build->scope_of != NULL && build->scope_of[list[i]] != 0))
			return plait__fail(build->error, PLAIT_E_INVALID,
					   "%s %u of the partial plan: node %u "
					   "is not in the graph itself",
					   forward ? "source" : "sink", i,
					   list[i]);
	link_edges(input, forward, r);
	walk(input, list, count, r);
	for (i = 0; i < input->node_count; i++)
		if (build->scope_of == NULL || build->scope_of[i] == 0)
			build->selected[i] &= r->reached[i];
	return PLAIT_OK;
}

/* "source node 3 'a' (x.c:7)", or the first of several. */
static const char *show_list(const plait__build *build, const char *what,
			     const uint32_t *list, uint32_t count,
			     char room[SHOWN_BYTES])
{
	char text[PLAIT__NODE_TEXT_BYTES];

	(void)plait__input_node_text(build->input, list[0], text);
	if (count == 1)
		(void)snprintf(room, SHOWN_BYTES, "%s %s", what, text);
	else
		(void)snprintf(room, SHOWN_BYTES, "any of %u %ss, like %s",
			       count, what, text);
	return room;
}

/* A plan of nothing is a mistake in the lists, or in the graph's edges. */
static plait_status check_any(const plait__build *build)
{
	const plait__input_options *options = build->options;
	char from[SHOWN_BYTES], to[SHOWN_BYTES];

	if (options->sources == NULL || options->sinks == NULL ||
	    memchr(build->selected + build->input_scopes[0].node_first, 1,
		   build->input_scopes[0].node_count) != NULL)
		return PLAIT_OK;
	return plait__fail(build->error, PLAIT_E_INVALID,
			   "the partial plan is empty: no path leads from %s "
			   "to %s",
			   show_list(build, "source", options->sources,
				     options->source_count, from),
			   show_list(build, "sink", options->sinks,
				     options->sink_count, to));
}

static plait_status restrict_scope_zero(plait__build *build)
{
	const plait__input_options *options = build->options;
	const plait__input *input = build->input;
	plait__work *work = &build->work;
	plait_status status;
	struct reach r;

	build->selected = plait__work_take(work, input->node_count, 1);
	r.first = plait__work_take(work, input->node_count + 1ull,
				   sizeof(uint32_t));
	r.next = plait__work_take(work, input->edge_count, sizeof(uint32_t));
	r.queue = plait__work_take(work, input->node_count, sizeof(uint32_t));
	r.reached = plait__work_take(work, input->node_count, 1);
	if (build->selected == NULL || r.first == NULL || r.next == NULL ||
	    r.queue == NULL || r.reached == NULL)
		return plait__build_no_memory(build);
	memset(build->selected, 1, input->node_count);
	status = restrict_to(build, &r, options->sources,
			     options->source_count, true);
	if (status == PLAIT_OK)
		status = restrict_to(build, &r, options->sinks,
				     options->sink_count, false);
	if (status == PLAIT_OK)
		status = check_any(build);
	plait__work_give(work, r.first);
	plait__work_give(work, r.next);
	plait__work_give(work, r.queue);
	plait__work_give(work, r.reached);
	return status;
}

/* A body takes part when the node of its region does. */
static void select_scope(plait__build *build, uint32_t s, uint32_t *bodies)
{
	const plait__input_scope *in = &build->input_scopes[s];
	uint32_t i, count = in->node_count;
	bool part = true;

	if (build->selected != NULL && s > 0) {
		part = build->selected[build->input->regions[in->region].node];
		memset(build->selected + in->node_first, part, count);
		count = part ? count : 0;
	} else if (build->selected != NULL) {
		for (i = 0, count = 0; i < in->node_count; i++)
			count += build->selected[in->node_first + i];
	}
	build->scopes[s].t_count = count;
	build->scopes[s].body = part ? (*bodies)++ : PLAIT__NONE;
}

plait_status plait__build_select(plait__build *build)
{
	plait_status status = PLAIT_OK;
	uint32_t s, bodies = 0;

	build->scopes = plait__work_take_zero(&build->work, build->scope_count,
					      sizeof(*build->scopes));
	if (build->scopes == NULL)
		return plait__build_no_memory(build);
	if (build->options->sources != NULL || build->options->sinks != NULL)
		status = restrict_scope_zero(build);
	for (s = 0; s < build->scope_count && status == PLAIT_OK; s++)
		select_scope(build, s, &bodies);
	return status;
}
