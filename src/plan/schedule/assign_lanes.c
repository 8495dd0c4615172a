/* SPDX-License-Identifier: MIT */
/*
 * Lanes for every scope, inner ones first: what a region needs of lanes and
 * time is known when its own scope's turn comes.  The two ways to find lanes
 * are chain_cover.c (widest) and list_schedule.c (bounded, and widest where the limit of a
 * device is in the way).
 */
#include "plan/schedule/planner_state.h"

#include "base/error.h"

#include <string.h>

plait_status plait__build_new_lane(plait__build *build,
				   plait__build_scope *scope, uint32_t device,
				   uint32_t *out_lane)
{
	uint32_t index = build->lane_device_count;

	if (plait__work_reserve(&build->work, (void **)&build->lane_device,
				&build->lane_device_capacity, index + 1ull,
				sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	build->lane_device[index] = device;
	build->lane_device_count++;
	*out_lane = scope->lane_count++;
	return PLAIT_OK;
}

/* ---- further items ---- */

static plait_status add_extra(plait__build *build, uint32_t t, uint32_t device)
{
	uint32_t capacity = build->extra_capacity;

	if (plait__work_reserve(&build->work, (void **)&build->extra_device,
				&capacity, build->extra_count + 1ull,
				sizeof(uint32_t)) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	build->extra_capacity = capacity;
	build->extra_device[build->extra_count++] = device;
	build->extras[t].count++;
	return PLAIT_OK;
}

/* How many lanes of each device the bodies of a region want at once. */
static void count_region_lanes(plait__build *build, uint32_t region_index,
			       uint32_t *counts, uint32_t *most)
{
	const plait__input_region *region =
		&build->input->regions[region_index];
	uint32_t devices = build->input->device_count, s, i, d;

	memset(most, 0, devices * sizeof(uint32_t));
	for (s = 0; s < region->scope_count; s++) {
		const plait__build_scope *scope =
			&build->scopes[region->scope_first + s];

		memset(counts, 0, devices * sizeof(uint32_t));
		for (i = 0; i < scope->lane_count; i++)
			counts[build->lane_device[scope->lane_first + i]]++;
		for (d = 0; d < devices; d++)
			if (counts[d] > most[d])
				most[d] = counts[d];
	}
}

static plait_status region_extras(plait__build *build, uint32_t t,
				  uint32_t *counts)
{
	uint32_t devices = build->input->device_count, d, i;
	uint32_t home = plait__build_device(build, t);
	uint32_t *most = counts + devices;

	count_region_lanes(build, plait__build_node(build, t)->link, counts,
			   most);
	for (d = 0; d < devices; d++)
		for (i = d == home; i < most[d]; i++)
			if (add_extra(build, t, d) != PLAIT_OK)
				return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

static plait_status node_extras(plait__build *build, uint32_t t,
				uint32_t *counts)
{
	const plait__input_node *node = plait__build_node(build, t);
	uint32_t k;

	build->extras[t].first = build->extra_count;
	build->extras[t].count = 0;
	if (node->kind == PLAIT__CMD_REGION)
		return region_extras(build, t, counts);
	if (node->device_count == 1 || node->meaning == PLAIT__MEANING_FIRST)
		return PLAIT_OK;
	for (k = 1; k < node->device_count; k++)
		if (add_extra(build, t,
			      build->input->device_sets[node->device + k]) !=
		    PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

static plait_status scope_extras(plait__build *build, uint32_t s,
				 uint32_t *counts)
{
	const plait__build_scope *scope = &build->scopes[s];
	uint32_t t, end = scope->t_first + scope->t_count;

	if (build->extras == NULL)
		return PLAIT_OK;
	for (t = scope->t_first; t < end; t++)
		if (node_extras(build, t, counts) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	return PLAIT_OK;
}

/* ---- the order for chains ---- */

/* Does t run the same kernel as one of its preds? */
static bool has_like_pred(const plait__build *build, uint32_t t)
{
	uint32_t affinity = plait__build_node(build, t)->affinity, i;

	for (i = build->pred_first[t]; i < build->pred_first[t + 1]; i++)
		if (affinity != 0 && affinity ==
		    plait__build_node(build, build->preds[i])->affinity)
			return true;
	return false;
}

/* Highest rank first; then what likes the lane of a pred. */
static bool is_before(const plait__build *build, uint32_t a, uint32_t b)
{
	if (build->rank[a] != build->rank[b] || !build->has_affinity)
		return build->rank[a] > build->rank[b];
	return has_like_pred(build, a) && !has_like_pred(build, b);
}

/* Merge two neighbouring runs of seq, the left one first among equals. */
static void merge(const plait__build *build, uint32_t *seq, uint32_t middle,
		  uint32_t end, uint32_t *spare)
{
	uint32_t i = 0, j = middle, out = 0;

	memcpy(spare, seq, middle * sizeof(uint32_t));
	while (i < middle && j < end)
		seq[out++] = is_before(build, seq[j], spare[i]) ? seq[j++]
								: spare[i++];
	memcpy(seq + out, spare + i, (middle - i) * sizeof(uint32_t));
}

/* One level; stable. */
static void sort_level(plait__build *build, uint32_t *seq, uint32_t count,
		       uint32_t *spare)
{
	uint32_t width, i;

	for (i = 1; i < count; i++)
		if (is_before(build, seq[i], seq[i - 1]))
			break;
	if (i >= count)
		return;
	for (width = 1; width < count; width *= 2) {
		for (i = 0; i + width < count; i += 2 * width) {
			uint32_t end = count - i < 2 * width ? count - i
							     : 2 * width;

			build->counts->steps += end;
			merge(build, seq + i, width, end, spare);
		}
	}
}

/* t numbers go up with the level already. */
static void sort_scope(plait__build *build, const plait__build_scope *scope,
		       uint32_t *spare)
{
	uint32_t end = scope->t_first + scope->t_count, t, from;

	for (t = scope->t_first; t < end; t++)
		build->seq[t] = t;
	for (t = from = scope->t_first; t < end; t++) {
		if (t + 1 < end && build->level[t + 1] == build->level[from])
			continue;
		sort_level(build, build->seq + from, t + 1 - from, spare);
		from = t + 1;
	}
}

/* ---- all scopes ---- */

struct lanes {
	struct plait__chains *chains;
	struct plait__list *list;
	uint32_t *counts;	/* two per device */
	uint32_t *spare;	/* by t */
};

/* Is a hard limit exceeded? */
static bool is_too_wide(const plait__build *build, uint32_t s,
			uint32_t *counts)
{
	const plait__build_scope *scope = &build->scopes[s];
	uint32_t i, d;

	memset(counts, 0, build->input->device_count * sizeof(uint32_t));
	for (i = 0; i < scope->lane_count; i++) {
		d = build->lane_device[scope->lane_first + i];
		counts[d]++;
		if (build->limits[d] > 0 && counts[d] > build->limits[d])
			return true;
	}
	return false;
}

static plait_status run_chains(plait__build *build, struct lanes *l,
			       uint32_t s, bool *done)
{
	plait__build_scope *scope = &build->scopes[s];
	plait_status status = PLAIT_OK;

	if (l->spare == NULL)
		l->spare = plait__work_cut(&build->work, PLAIT__WORK_EARLY,
					   build->node_count,
					   sizeof(uint32_t));
	if (l->spare == NULL)
		return plait__build_no_memory(build);
	sort_scope(build, scope, l->spare);
	if (l->chains == NULL)
		status = plait__chains_open(build, &l->chains);
	if (status == PLAIT_OK)
		status = plait__chains_run(l->chains, s);
	if (status != PLAIT_OK)
		return status;
	*done = !is_too_wide(build, s, l->counts);
	if (!*done) {
		build->lane_device_count = scope->lane_first;
		scope->lane_count = 0;
	}
	return PLAIT_OK;
}

static plait_status run_scope(plait__build *build, struct lanes *l, uint32_t s)
{
	plait_status status = plait__build_rank(build, s);
	bool done = false;

	if (status == PLAIT_OK && s == 0 && build->options->whole != NULL) {
		build->mixed = true;
		return plait__build_whole(build);
	}
	if (status == PLAIT_OK &&
	    build->options->policy == PLAIT__POLICY_WIDEST)
		status = run_chains(build, l, s, &done);
	if (status != PLAIT_OK || done)
		return status;
	build->mixed = true;
	if (l->list == NULL)
		status = plait__list_open(build, &l->list);
	if (status == PLAIT_OK)
		status = plait__list_run(l->list, s);
	return status;
}

static plait_status take_arrays(plait__build *build, struct lanes *l)
{
	plait__work *work = &build->work;
	uint64_t n = build->node_count;

	memset(l, 0, sizeof(*l));
	build->cost = plait__work_cut(work, PLAIT__WORK_LATE, n,
				      sizeof(uint64_t));
	build->rank = plait__work_cut(work, plait__build_early(build), n,
				      sizeof(uint64_t));
	build->seq = plait__work_cut(work, PLAIT__WORK_LATE, n,
				     sizeof(uint32_t));
	l->counts = plait__work_take(work, 2ull * build->input->device_count,
				     sizeof(uint32_t));
	build->mixed = build->has_several;
	if (build->mixed)
		build->extras = plait__work_take_zero(work, n,
						      sizeof(*build->extras));
	if (build->cost == NULL || build->rank == NULL || build->seq == NULL ||
	    l->counts == NULL || (build->mixed && build->extras == NULL))
		return plait__build_no_memory(build);
	return PLAIT_OK;
}

static void close_engines(struct lanes *l)
{
	if (l->chains != NULL)
		plait__chains_close(l->chains);
	if (l->list != NULL)
		plait__list_close(l->list);
}

static plait_status grow_items(plait__build *build, uint32_t *capacity)
{
	uint64_t items = (uint64_t)build->node_count + build->extra_count;
	uint32_t old = *capacity;

	/* Mostly the first are all: a scope of plain nodes. */
	if (old == 0 && build->lane == NULL) {
		build->lane = plait__work_cut(&build->work, PLAIT__WORK_LATE,
					      items, sizeof(uint32_t));
		*capacity = build->lane == NULL ? 0 : (uint32_t)items;
	}
	if (plait__work_reserve(&build->work, (void **)&build->lane, capacity,
				items, sizeof(uint32_t)) != PLAIT_OK)
		return plait__build_no_memory(build);
	if (*capacity > old)
		memset(build->lane + old, 0xff,
		       (*capacity - old) * sizeof(uint32_t));
	return PLAIT_OK;
}

plait_status plait__build_lanes(plait__build *build)
{
	uint32_t s = build->scope_count, capacity = 0;
	struct lanes l;
	plait_status status = take_arrays(build, &l);

	while (status == PLAIT_OK && s-- > 0) {
		if (build->scopes[s].body == PLAIT__NONE)
			continue;
		if (scope_extras(build, s, l.counts) != PLAIT_OK)
			return plait__build_no_memory(build);
		status = grow_items(build, &capacity);
		if (status == PLAIT_OK)
			status = run_scope(build, &l, s);
	}
	close_engines(&l);
	plait__work_give(&build->work, l.spare);
	plait__work_give(&build->work, l.counts);
	return status;
}
