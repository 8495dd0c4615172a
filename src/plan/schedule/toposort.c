/* SPDX-License-Identifier: MIT */
/*
 * Topological sort (Kahn's algorithm, first in first out: by level, then by id)
 * and the predecessor lists in the new numbers.  A cycle is an error that names
 * its nodes.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct order {
	uint32_t *first;	/* by node, plus one sentinel */
	uint32_t *succs;	/* node ids */
	uint32_t *degree;	/* by node: unnumbered preds */
	uint32_t *t_of;		/* by node */
};

static bool takes_part(const plait__planner_state *planner,
		       const plait__input_edge *edge)
{
	return planner->selected == NULL || (planner->selected[edge->before] &&
					     planner->selected[edge->after]);
}

/* Group the edges by `before`, each group in the order given. */
static void sort_edges(plait__planner_state *planner, struct order *o)
{
	const plait__input *input = planner->input;
	uint32_t i, sum = 0;

	for (i = 0; i < input->edge_count; i++) {
		if (!takes_part(planner, &input->edges[i]))
			continue;
		o->first[input->edges[i].before]++;
		o->degree[input->edges[i].after]++;
	}
	for (i = 0; i <= input->node_count; i++) {
		sum += o->first[i];
		o->first[i] = sum;
	}
	for (i = input->edge_count; i-- > 0;) {
		if (!takes_part(planner, &input->edges[i]))
			continue;
		o->succs[--o->first[input->edges[i].before]] =
			input->edges[i].after;
	}
}

/* Number the nodes of one scope; returns their count. */
static uint32_t number_scope(plait__planner_state *planner, struct order *o,
			     const plait__input_scope *scope, uint32_t t_first)
{
	uint32_t *queue = planner->node_of;
	uint32_t head = t_first, tail = t_first, i, node;

	for (i = 0; i < scope->node_count; i++) {
		node = scope->node_first + i;
		if (o->degree[node] == 0 &&
		    (planner->selected == NULL || planner->selected[node]))
			queue[tail++] = node;
	}
	while (head < tail) {
		node = queue[head];
		o->t_of[node] = head++;
		for (i = o->first[node]; i < o->first[node + 1]; i++)
			if (--o->degree[o->succs[i]] == 0)
				queue[tail++] = o->succs[i];
	}
	return tail - t_first;
}

/* Write "a -> b -> a", with as many names as fit.  `pred` leads around a cycle
 * that has `start` in it. */
static void write_cycle(plait__planner_state *planner, const uint32_t *pred,
			uint32_t start, char *text, size_t capacity)
{
	char name[PLAIT__NODE_TEXT_BYTES];
	size_t used = 0;
	uint32_t node = start;
	int length;

	do {
		node = pred[node];
		plait__input_node_text(planner->input, node, name);
		length = snprintf(text + used, capacity - used, "%s -> ", name);
		if (length < 0 || (size_t)length >= capacity - used - 8) {
			snprintf(text + used, capacity - used, "...");
			return;
		}
		used += (size_t)length;
	} while (node != start);
	plait__input_node_text(planner->input, pred[node], name);
	plait__text_copy(name, text + used, capacity - used, NULL);
}

/*
 * Each node left over has a pred that is left over, so following preds ends in
 * a cycle.  The links are reversed on the way, so the names run forwards.
 */
static plait_status fail_cycle(plait__planner_state *planner, struct order *o)
{
	const plait__input *input = planner->input;
	uint32_t *pred = o->t_of, *next = o->first;
	char text[PLAIT_ERROR_TEXT_BYTES - 8];
	uint32_t i, node = PLAIT__NONE, first, step;
	size_t place = input->text_name == NULL ? 0 :
		       strlen(input->text_name) + 14;

	for (i = 0; i < input->edge_count; i++) {
		const plait__input_edge *edge = &input->edges[i];

		if (!takes_part(planner, edge) ||
		    o->degree[edge->before] == 0 || o->degree[edge->after] == 0)
			continue;
		pred[edge->after] = edge->before;
		node = edge->after;
	}
	for (step = 0; step < input->node_count; step++)
		node = pred[node];
	first = node;
	for (i = node, step = 0; step == 0 || i != node; step++) {
		next[pred[i]] = i;
		i = pred[i];
		first = i < first ? i : first;
	}
	write_cycle(planner, next, pred[first], text, sizeof(text) -
		    (place < sizeof(text) / 2 ? place : sizeof(text) / 2));
	return plait__planner_fail_at(planner, first, "cycle: %s", text);
}

/* Predecessors by t.  Filled in ascending t, so each list ascends. */
static plait_status fill_preds(plait__planner_state *planner, struct order *o)
{
	uint32_t n = planner->node_count, t, i, sum = 0;
	uint32_t *fill = o->degree;

	planner->pred_first = plait__workspace_cut_zero(&planner->work,
							PLAIT__WORKSPACE_LATE,
							n + 1ull,
							sizeof(uint32_t));
	planner->preds = plait__workspace_alloc(&planner->work,
					    o->first[planner->input->node_count],
						sizeof(uint32_t));
	if (planner->pred_first == NULL || planner->preds == NULL)
		return plait__planner_no_memory(planner);
	for (i = 0; i < o->first[planner->input->node_count]; i++)
		planner->pred_first[o->t_of[o->succs[i]]]++;
	for (t = 0; t <= n; t++) {
		uint32_t count = planner->pred_first[t];

		planner->pred_first[t] = sum;
		if (t < n)
			fill[t] = sum;
		sum += count;
	}
	for (t = 0; t < n; t++) {
		uint32_t node = planner->node_of[t];

		for (i = o->first[node]; i < o->first[node + 1]; i++)
			planner->preds[fill[o->t_of[o->succs[i]]]++] = t;
	}
	return PLAIT_OK;
}

/* Preds ascend, so duplicate edges are adjacent. */
static uint32_t count_repeats(const plait__planner_state *planner)
{
	const uint32_t *preds = planner->preds;
	uint32_t count = 0;

	for (uint32_t t = 0; t < planner->node_count; t++)
		for (uint32_t i = planner->pred_first[t] + 1;
		     i < planner->pred_first[t + 1]; i++)
			count += preds[i] == preds[i - 1];
	return count;
}

static plait_status alloc_arrays(plait__planner_state *planner, struct order *o)
{
	uint64_t n = planner->input->node_count;
	plait__workspace *work = &planner->work;

	memset(o, 0, sizeof(*o));
	planner->node_of = plait__workspace_alloc(work, n, sizeof(uint32_t));
	o->first = plait__workspace_cut_zero(work, PLAIT__WORKSPACE_EARLY,
					     n + 1, sizeof(uint32_t));
	o->degree = plait__workspace_cut_zero(work, PLAIT__WORKSPACE_EARLY, n,
					      sizeof(uint32_t));
	o->t_of = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY, n,
				       sizeof(uint32_t));
	o->succs = plait__workspace_cut(work, PLAIT__WORKSPACE_EARLY,
				    planner->input->edge_count, sizeof(uint32_t));
	if (planner->node_of == NULL || o->first == NULL || o->degree == NULL ||
	    o->t_of == NULL || o->succs == NULL)
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

plait_status plait__toposort(plait__planner_state *planner)
{
	struct order o;
	plait_status status = alloc_arrays(planner, &o);
	uint32_t s, t = 0;
	bool cyclic = false;

	if (status != PLAIT_OK)
		return status;
	sort_edges(planner, &o);
	for (s = 0; s < planner->scope_count; s++) {
		plait__planner_scope *scope = &planner->scopes[s];
		uint32_t want = scope->t_count;

		scope->t_first = t;
		if (want == 0)
			continue;
		scope->t_count = number_scope(planner, &o,
					      &planner->input_scopes[s], t);
		cyclic |= scope->t_count != want;
		t += want;
	}
	if (cyclic)
		return fail_cycle(planner, &o);
	planner->node_count = t;
	planner->counts->steps += 2ull * planner->input->edge_count + t;
	status = fill_preds(planner, &o);
	if (status == PLAIT_OK)
		planner->plan->edge_count = o.first[planner->input->node_count] -
					  count_repeats(planner);
	plait__workspace_free(&planner->work, o.first);
	plait__workspace_free(&planner->work, o.degree);
	plait__workspace_free(&planner->work, o.t_of);
	plait__workspace_free(&planner->work, o.succs);
	return status;
}
