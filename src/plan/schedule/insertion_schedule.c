/* SPDX-License-Identifier: MIT */
/*
 * Insertion-based list scheduling (as in HEFT): in order of rank, each node
 * goes to the lane where it can start first, possibly into a gap left by hops.
 * For scopes in which every node is one command, on few lanes.
 */
#include "plan/schedule/phases.h"
#include "plan/schedule/place_command.h"

#include <string.h>

/* Maximum number of commands of a lane that are searched for a gap. */
enum { GAPS_TRIED = 64 };

struct insert {
	plait__planner_state *planner;
	plait__placement *place;
	const uint64_t *rank;		/* by t: highest first */
	uint64_t *finish;		/* by t */
	uint32_t *before;		/* by t: previous command of its lane */
	uint32_t tail[PLAIT__INSERTION_LANES];
};

/* ---- orders ---- */

typedef bool is_before(const struct insert *x, uint32_t a, uint32_t b);

static bool has_higher_rank(const struct insert *x, uint32_t a, uint32_t b)
{
	return x->rank[a] != x->rank[b] ? x->rank[a] > x->rank[b] : a < b;
}

/* Nodes of cost 0 come before nodes that start at the same time. */
static bool is_sooner(const struct insert *x, uint32_t a, uint32_t b)
{
	uint64_t start_a = x->finish[a] - x->planner->cost[a];
	uint64_t start_b = x->finish[b] - x->planner->cost[b];

	if (start_a != start_b)
		return start_a < start_b;
	return x->finish[a] != x->finish[b] ? x->finish[a] < x->finish[b]
					    : a < b;
}

/* Merge two adjacent runs.  `spare` has room for the first one. */
static void merge(const struct insert *x, is_before *before, uint32_t *seq,
		  uint32_t middle, uint32_t end, uint32_t *spare)
{
	uint32_t i = 0, j = middle, out = 0;

	memcpy(spare, seq, middle * sizeof(uint32_t));
	while (i < middle && j < end)
		seq[out++] = before(x, seq[j], spare[i]) ? seq[j++]
							 : spare[i++];
	memcpy(seq + out, spare + i, (middle - i) * sizeof(uint32_t));
}

static void sort(const struct insert *x, is_before *before, uint32_t *seq,
		 uint32_t count, uint32_t *spare)
{
	uint64_t width, i, end;

	for (width = 1; width < count; width *= 2)
		for (i = 0; i + width < count; i += 2 * width) {
			end = count - i < 2 * width ? count - i : 2 * width;
			merge(x, before, seq + i, (uint32_t)width,
			      (uint32_t)end, spare);
		}
}

/* ---- one node ---- */

/* Time when all preds are visible: on `lane`, and on any other lane. */
struct visible {
	uint64_t local;
	uint64_t remote;
	uint32_t lane;
};

/* Preds are placed.  Sums do not overflow (critical_path.c). */
static struct visible find_visible(const struct insert *x, uint32_t t)
{
	const plait__planner_state *planner = x->planner;
	uint64_t hop = planner->options->hop_cost, last = 0, other = 0;
	struct visible visible = { 0, 0, PLAIT__NONE };
	uint32_t i;

	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++) {
		uint32_t u = planner->preds[i];

		if (visible.lane == PLAIT__NONE || x->finish[u] > last) {
			last = x->finish[u];
			visible.lane = planner->lane[u];
		}
	}
	for (i = planner->pred_first[t]; i < planner->pred_first[t + 1]; i++) {
		uint32_t u = planner->preds[i];

		if (planner->lane[u] != visible.lane &&
		    x->finish[u] + hop > other)
			other = x->finish[u] + hop;
	}
	visible.local = last > other ? last : other;
	visible.remote = visible.lane == PLAIT__NONE ? 0 : last + hop;
	return visible;
}

/* A slot on a lane, between two commands. */
struct slot {
	uint64_t start;
	uint32_t lane;
	uint32_t before;
	uint32_t after;
};

static uint64_t start_behind(const struct insert *x, uint32_t u,
			     uint64_t ready)
{
	return u != PLAIT__NONE && x->finish[u] > ready ? x->finish[u] : ready;
}

/* Returns the earliest gap of a lane that fits, searched from its end. */
static struct slot find_gap(const struct insert *x, uint32_t lane,
			    uint64_t ready, uint64_t cost)
{
	uint32_t u = x->tail[lane], i;
	struct slot slot = { start_behind(x, u, ready), lane, u, PLAIT__NONE };

	for (i = 0; i < GAPS_TRIED && u != PLAIT__NONE; i++) {
		uint64_t end = x->finish[u] - x->planner->cost[u], start;

		if (end < ready + cost)
			break;
		start = start_behind(x, x->before[u], ready);
		if (start + cost <= end) {
			slot.start = start;
			slot.before = x->before[u];
			slot.after = u;
		}
		u = x->before[u];
	}
	return slot;
}

/* Earliest start first; then the lane of the last pred; then the first. */
static bool is_better(const struct slot *a, const struct slot *b,
		      const struct visible *visible)
{
	if (b->lane == PLAIT__NONE || a->start != b->start)
		return b->lane == PLAIT__NONE || a->start < b->start;
	return a->lane == visible->lane;
}

/* Each device has a lane limit (phases.h), so the loop ends with a slot or a
 * lane may be added. */
static plait_status find_slot(struct insert *x, uint32_t t, struct slot *best)
{
	uint32_t d = plait__planner_device(x->planner, t), i;
	plait__place_device *device = &x->place->devices[d];
	struct visible visible = find_visible(x, t);

	best->lane = PLAIT__NONE;
	for (i = 0; i < device->count; i++) {
		uint32_t lane = device->heap[i];
		struct slot slot = find_gap(x, lane, lane == visible.lane ?
					    visible.local : visible.remote,
					    x->planner->cost[t]);

		if (is_better(&slot, best, &visible))
			*best = slot;
	}
	if (device->count >= device->limit ||
	    (best->lane != PLAIT__NONE && best->start <= visible.remote))
		return PLAIT_OK;
	best->start = visible.remote;
	best->before = best->after = PLAIT__NONE;
	if (plait__place_add_lane(x->place, d, &best->lane) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	x->tail[best->lane] = PLAIT__NONE;
	return PLAIT_OK;
}

/* Nothing runs on the lane between `before` and `after`. */
static void fill_slot(struct insert *x, uint32_t t, const struct slot *slot)
{
	x->planner->lane[t] = slot->lane;
	x->finish[t] = slot->start + x->planner->cost[t];
	x->before[t] = slot->before;
	if (slot->after == PLAIT__NONE)
		x->tail[slot->lane] = t;
	else
		x->before[slot->after] = t;
}

plait_status plait__insertion_schedule(plait__planner_state *planner,
				       const plait__planner_scope *scope,
				       plait__placement *place,
				       const plait__insertion_arrays *room,
				       uint64_t bound, uint64_t *makespan)
{
	struct insert x = { .planner = planner, .place = place,
			    .rank = room->rank, .finish = room->finish,
			    .before = room->before };
	uint32_t *seq = planner->seq + scope->t_first, i;
	struct slot slot;

	*makespan = 0;
	for (i = 0; i < scope->t_count; i++)
		seq[i] = scope->t_first + i;
	sort(&x, has_higher_rank, seq, scope->t_count, room->spare);
	for (i = 0; i < scope->t_count; i++) {
		if (find_slot(&x, seq[i], &slot) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		fill_slot(&x, seq[i], &slot);
		if (x.finish[seq[i]] > *makespan)
			*makespan = x.finish[seq[i]];
		if (slot.start + planner->rank[seq[i]] < bound)
			continue;
		*makespan = UINT64_MAX;
		return PLAIT_OK;
	}
	/* Start order: each lane runs its commands in it, and it is
	 * topological. */
	sort(&x, is_sooner, seq, scope->t_count, room->spare);
	return PLAIT_OK;
}
