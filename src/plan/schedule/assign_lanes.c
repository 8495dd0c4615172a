/* SPDX-License-Identifier: MIT */
/*
 * Lane assignment of all scopes, inner ones first: the lanes and the makespan
 * of a region must be known before the scope that holds it.  A scope's lanes
 * come from chain_cover.c (widest), or from list scheduling (bounded, and
 * widest where a device's lane limit forbids the cover).
 */
#include "plan/schedule/phases.h"

#include "base/error.h"

#include <string.h>

/* ---- extra items ---- */

static plait_status add_extra(plait__planner_state *planner, uint32_t t,
			      uint32_t device)
{
	uint32_t capacity = planner->extra_capacity;

	if (plait__workspace_reserve(&planner->work,
				     (void **)&planner->extra_device, &capacity,
				     planner->extra_count + 1ull,
				     sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	planner->extra_capacity = capacity;
	planner->extra_device[planner->extra_count++] = device;
	planner->extras[t].count++;
	return PLAIT_OK;
}

/* Count the lanes of each device that the bodies of a region need at once.  The
 * scopes of its bodies have their lanes. */
static void count_region_lanes(plait__planner_state *planner,
			       uint32_t region_index, uint32_t *counts,
			       uint32_t *most)
{
	const plait__input_region *region =
		&planner->input->regions[region_index];
	uint32_t devices = planner->input->device_count, s, i, d;

	memset(most, 0, devices * sizeof(uint32_t));
	for (s = 0; s < region->scope_count; s++) {
		const plait__planner_scope *scope =
			&planner->scopes[region->scope_first + s];

		memset(counts, 0, devices * sizeof(uint32_t));
		for (i = 0; i < scope->lane_count; i++)
			counts[planner->lane_device[scope->lane_first + i]]++;
		for (d = 0; d < devices; d++)
			if (counts[d] > most[d])
				most[d] = counts[d];
	}
}

static plait_status region_extras(plait__planner_state *planner, uint32_t t,
				  uint32_t *counts)
{
	uint32_t devices = planner->input->device_count, d, i;
	uint32_t home = plait__planner_device(planner, t);
	uint32_t *most = counts + devices;

	count_region_lanes(planner, plait__planner_node(planner, t)->link,
			   counts, most);
	for (d = 0; d < devices; d++)
		for (i = d == home; i < most[d]; i++)
			if (add_extra(planner, t, d) != PLAIT_OK)
				return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

static plait_status node_extras(plait__planner_state *planner, uint32_t t,
				uint32_t *counts)
{
	const plait__input_node *node = plait__planner_node(planner, t);
	uint32_t k;

	planner->extras[t].first = planner->extra_count;
	planner->extras[t].count = 0;
	if (node->kind == PLAIT__CMD_REGION)
		return region_extras(planner, t, counts);
	if (node->device_count == 1 || node->meaning == PLAIT__MEANING_FIRST)
		return PLAIT_OK;
	for (k = 1; k < node->device_count; k++)
		if (add_extra(planner, t,
			      planner->input->device_sets[node->device + k]) !=
		    PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

static plait_status scope_extras(plait__planner_state *planner, uint32_t s,
				 uint32_t *counts)
{
	const plait__planner_scope *scope = &planner->scopes[s];
	uint32_t t, end = scope->t_first + scope->t_count;

	if (planner->extras == NULL)
		return PLAIT_OK;
	for (t = scope->t_first; t < end; t++)
		if (node_extras(planner, t, counts) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* ---- placing order for the chain cover ---- */

/* Returns true if t runs the same kernel as one of its preds. */
static bool has_like_pred(const plait__planner_state *planner, uint32_t t)
{
	uint32_t affinity = plait__planner_node(planner, t)->affinity, i;

	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++)
		if (affinity != 0 && affinity ==
		    plait__planner_node(planner, planner->preds[i])->affinity)
			return true;
	return false;
}

/* Order: highest priority first; then highest rank; then nodes that share the
 * affinity of a pred. */
static bool is_before(const plait__planner_state *planner, uint32_t a,
		      uint32_t b)
{
	int16_t first = plait__planner_priority(planner, a);
	int16_t second = plait__planner_priority(planner, b);

	if (first != second)
		return first > second;
	if (planner->rank[a] != planner->rank[b] || !planner->has_affinity)
		return planner->rank[a] > planner->rank[b];
	return has_like_pred(planner, a) && !has_like_pred(planner, b);
}

/* Merge two adjacent runs of seq, stably.  `spare` has room for the first
 * one. */
static void merge(const plait__planner_state *planner, uint32_t *seq,
		  uint32_t middle, uint32_t end, uint32_t *spare)
{
	uint32_t i = 0, j = middle, out = 0;

	memcpy(spare, seq, middle * sizeof(uint32_t));
	while (i < middle && j < end)
		seq[out++] = is_before(planner, seq[j], spare[i]) ? seq[j++]
								: spare[i++];
	memcpy(seq + out, spare + i, (middle - i) * sizeof(uint32_t));
}

/* Sort one level, stably. */
static void sort_level(plait__planner_state *planner, uint32_t *seq,
		       uint32_t count, uint32_t *spare)
{
	uint32_t width, i;

	for (i = 1; i < count; i++)
		if (is_before(planner, seq[i], seq[i - 1]))
			break;
	if (i >= count)
		return;
	for (width = 1; width < count; width *= 2) {
		for (i = 0; i + width < count; i += 2 * width) {
			uint32_t end = count - i < 2 * width ? count - i
							     : 2 * width;

			planner->counts->steps += end;
			merge(planner, seq + i, width, end, spare);
		}
	}
}

/* Sort each level of the scope by rank.  t numbers ascend with the level. */
static void sort_scope(plait__planner_state *planner,
		       const plait__planner_scope *scope, uint32_t *spare)
{
	uint32_t end = scope->t_first + scope->t_count, t, from;

	for (t = scope->t_first; t < end; t++)
		planner->seq[t] = t;
	for (t = from = scope->t_first; t < end; t++) {
		if (t + 1 < end &&
		    planner->level[t + 1] == planner->level[from])
			continue;
		sort_level(planner, planner->seq + from, t + 1 - from, spare);
		from = t + 1;
	}
}

/* ---- all scopes ---- */

struct lanes {
	struct plait__chain_cover *chains;
	struct plait__list_schedule *list;
	uint32_t *counts;	/* two per device */
	uint32_t *spare;	/* by t */
};

/* Returns true if a device has more lanes than its limit. */
static bool is_too_wide(const plait__planner_state *planner, uint32_t s,
			uint32_t *counts)
{
	const plait__planner_scope *scope = &planner->scopes[s];
	uint32_t i, d;

	memset(counts, 0, planner->input->device_count * sizeof(uint32_t));
	for (i = 0; i < scope->lane_count; i++) {
		d = planner->lane_device[scope->lane_first + i];
		counts[d]++;
		if (planner->limits[d] > 0 && counts[d] > planner->limits[d])
			return true;
	}
	return false;
}

/* The scope has its ranks. */
static plait_status run_chains(plait__planner_state *planner, struct lanes *l,
			       uint32_t s, bool *done)
{
	plait__planner_scope *scope = &planner->scopes[s];
	plait_status status = PLAIT_OK;

	if (l->spare == NULL)
		l->spare = plait__workspace_cut(&planner->work,
						PLAIT__WORKSPACE_EARLY,
						planner->node_count,
						sizeof(uint32_t));
	if (l->spare == NULL)
		return plait__planner_no_memory(planner);
	sort_scope(planner, scope, l->spare);
	if (l->chains == NULL)
		status = plait__chain_cover_open(planner, &l->chains);
	if (status == PLAIT_OK)
		status = plait__chain_cover_run(l->chains, s);
	if (status != PLAIT_OK)
		return status;
	*done = !is_too_wide(planner, s, l->counts);
	if (!*done) {
		planner->lane_device_count = scope->lane_first;
		scope->lane_count = 0;
	}
	return PLAIT_OK;
}

static plait_status run_scope(plait__planner_state *planner, struct lanes *l,
			      uint32_t s)
{
	plait_status status = plait__critical_path_rank(planner, s);
	bool done = false;

	if (status == PLAIT_OK && s == 0 && planner->options->whole != NULL) {
		planner->mixed = true;
		return plait__inherit_lanes(planner);
	}
	if (status == PLAIT_OK &&
	    planner->options->policy == PLAIT__POLICY_WIDEST)
		status = run_chains(planner, l, s, &done);
	if (status != PLAIT_OK || done)
		return status;
	planner->mixed = true;
	if (l->list == NULL)
		status = plait__search_open(planner, &l->list);
	if (status == PLAIT_OK)
		status = plait__search_run(l->list, s);
	return status;
}

static plait_status alloc_arrays(plait__planner_state *planner, struct lanes *l)
{
	plait__workspace *work = &planner->work;
	uint64_t n = planner->node_count;

	memset(l, 0, sizeof(*l));
	planner->cost = plait__workspace_cut(work, PLAIT__WORKSPACE_LATE, n,
					     sizeof(uint64_t));
	planner->rank = plait__workspace_cut(work,
					     plait__planner_early_slab(planner),
					     n, sizeof(uint64_t));
	planner->seq = plait__workspace_cut(work, PLAIT__WORKSPACE_LATE, n,
					    sizeof(uint32_t));
	l->counts = plait__workspace_alloc(work,
					   2ull * planner->input->device_count,
					   sizeof(uint32_t));
	planner->mixed = planner->has_several;
	if (planner->mixed)
		planner->extras = plait__workspace_alloc_zero(work, n,
							  sizeof(*planner->extras));
	if (planner->cost == NULL || planner->rank == NULL ||
	    planner->seq == NULL || l->counts == NULL ||
	    (planner->mixed && planner->extras == NULL))
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

static void close_engines(struct lanes *l)
{
	if (l->chains != NULL)
		plait__chain_cover_close(l->chains);
	if (l->list != NULL)
		plait__search_close(l->list);
}

static plait_status grow_items(plait__planner_state *planner,
			       uint32_t *capacity)
{
	uint64_t items = (uint64_t)planner->node_count + planner->extra_count;
	uint32_t old = *capacity;

	/* Usually the first allocation is final: no extra items. */
	if (old == 0 && planner->lane == NULL) {
		planner->lane = plait__workspace_cut(&planner->work,
						     PLAIT__WORKSPACE_LATE,
						     items, sizeof(uint32_t));
		*capacity = planner->lane == NULL ? 0 : (uint32_t)items;
	}
	if (plait__workspace_reserve(&planner->work, (void **)&planner->lane,
				     capacity, items,
				     sizeof(uint32_t)) != PLAIT_OK)
		return plait__planner_no_memory(planner);
	if (*capacity > old)
		memset(planner->lane + old, 0xff,
		       (*capacity - old) * sizeof(uint32_t));
	return PLAIT_OK;
}

plait_status plait__assign_lanes(plait__planner_state *planner)
{
	uint32_t s = planner->scope_count, capacity = 0;
	struct lanes l;
	plait_status status = alloc_arrays(planner, &l);

	while (status == PLAIT_OK && s-- > 0) {
		if (planner->scopes[s].body == PLAIT__NONE)
			continue;
		if (scope_extras(planner, s, l.counts) != PLAIT_OK)
			return plait__planner_no_memory(planner);
		status = grow_items(planner, &capacity);
		if (status == PLAIT_OK)
			status = run_scope(planner, &l, s);
	}
	close_engines(&l);
	plait__workspace_free(&planner->work, l.spare);
	plait__workspace_free(&planner->work, l.counts);
	return status;
}
