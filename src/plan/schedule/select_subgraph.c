/* SPDX-License-Identifier: MIT */
/*
 * Selection of nodes: all that are not removed, or for a partial plan those on a
 * path from a chosen source to a chosen sink.  Any node between two selected
 * nodes is selected, so dropping the others loses no ordering; removed nodes
 * have no edges.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_BYTES = PLAIT__NODE_TEXT_BYTES + 40 };

struct reach {
	uint32_t *first;	/* by node, plus one sentinel */
	uint32_t *next;		/* neighbours in the search direction */
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

/* The list is checked, and the edges are linked in the direction of the
 * search. */
static void search(const plait__input *input, const uint32_t *from,
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

/* Deselect the nodes that cannot be reached from the list. */
static plait_status restrict_to(plait__planner_state *planner, struct reach *r,
				const uint32_t *list, uint32_t count,
				bool forward)
{
	const plait__input *input = planner->input;
	uint32_t i;

	if (list == NULL)
		return PLAIT_OK;
	for (i = 0; i < count; i++)
		if (list[i] >= input->node_count ||
		    (planner->scope_of != NULL &&
		     planner->scope_of[list[i]] != 0))
			return plait__fail(planner->error, PLAIT_E_INVALID,
					   "%s %u of the partial plan: node %u "
					   "is not in the graph itself",
					   forward ? "source" : "sink", i,
					   list[i]);
	link_edges(input, forward, r);
	search(input, list, count, r);
	for (i = 0; i < input->node_count; i++)
		if (planner->scope_of == NULL || planner->scope_of[i] == 0)
			planner->selected[i] &= r->reached[i];
	return PLAIT_OK;
}

/* Write "source node 3 'a' (x.c:7)", or the first of several.  The list has a
 * node: graph/plan/freeze.c refuses an empty one. */
static const char *show_list(const plait__planner_state *planner,
			     const char *what, const uint32_t *list,
			     uint32_t count, char room[SHOWN_BYTES])
{
	char text[PLAIT__NODE_TEXT_BYTES];

	(void)plait__input_node_text(planner->input, list[0], text);
	if (count == 1)
		(void)snprintf(room, SHOWN_BYTES, "%s %s", what, text);
	else
		(void)snprintf(room, SHOWN_BYTES, "any of %u %ss, like %s",
			       count, what, text);
	return room;
}

/* An empty plan means a mistake in the lists or in the graph's edges. */
static plait_status check_any(const plait__planner_state *planner)
{
	const plait__input_options *options = planner->options;
	char from[SHOWN_BYTES], to[SHOWN_BYTES];

	if (options->sources == NULL || options->sinks == NULL ||
	    memchr(planner->selected + planner->input_scopes[0].node_first, 1,
		   planner->input_scopes[0].node_count) != NULL)
		return PLAIT_OK;
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "the partial plan is empty: no path leads from %s "
			   "to %s",
			   show_list(planner, "source", options->sources,
				     options->source_count, from),
			   show_list(planner, "sink", options->sinks,
				     options->sink_count, to));
}

static plait_status restrict_scope_zero(plait__planner_state *planner)
{
	const plait__input_options *options = planner->options;
	const plait__input *input = planner->input;
	plait__workspace *work = &planner->work;
	plait_status status;
	struct reach r;

	planner->selected = plait__workspace_alloc(work, input->node_count, 1);
	r.first = plait__workspace_alloc(work, input->node_count + 1ull,
					 sizeof(uint32_t));
	r.next = plait__workspace_alloc(work, input->edge_count,
					sizeof(uint32_t));
	r.queue = plait__workspace_alloc(work, input->node_count,
					 sizeof(uint32_t));
	r.reached = plait__workspace_alloc(work, input->node_count, 1);
	if (planner->selected == NULL || r.first == NULL || r.next == NULL ||
	    r.queue == NULL || r.reached == NULL)
		return plait__planner_no_memory(planner);
	for (uint32_t i = 0; i < input->node_count; i++)
		planner->selected[i] = !input->nodes[i].is_removed;
	status = restrict_to(planner, &r, options->sources,
			     options->source_count, true);
	if (status == PLAIT_OK)
		status = restrict_to(planner, &r, options->sinks,
				     options->sink_count, false);
	if (status == PLAIT_OK)
		status = check_any(planner);
	plait__workspace_free(work, r.first);
	plait__workspace_free(work, r.next);
	plait__workspace_free(work, r.queue);
	plait__workspace_free(work, r.reached);
	return status;
}

/* A body is selected if the node of its region is. */
static void select_scope(plait__planner_state *planner, uint32_t s,
			 uint32_t *bodies)
{
	const plait__input_scope *in = &planner->input_scopes[s];
	uint32_t i, count = in->node_count;
	bool part = true;

	if (planner->selected != NULL && s > 0) {
		part = planner->selected[planner->input->regions[in->region].node];
		for (i = in->node_first; i < in->node_first + count; i++)
			planner->selected[i] &= part;
	}
	if (planner->selected != NULL)
		for (i = 0, count = 0; i < in->node_count; i++)
			count += planner->selected[in->node_first + i];
	planner->scopes[s].t_count = count;
	planner->scopes[s].body = part ? (*bodies)++ : PLAIT__NONE;
}

plait_status plait__select_subgraph(plait__planner_state *planner)
{
	plait_status status = PLAIT_OK;
	uint32_t s, bodies = 0;

	planner->scopes = plait__workspace_alloc_zero(&planner->work,
						      planner->scope_count,
						      sizeof(*planner->scopes));
	if (planner->scopes == NULL)
		return plait__planner_no_memory(planner);
	if (planner->options->sources != NULL ||
	    planner->options->sinks != NULL || planner->has_removed)
		status = restrict_scope_zero(planner);
	for (s = 0; s < planner->scope_count && status == PLAIT_OK; s++)
		select_scope(planner, s, &bodies);
	return status;
}
