/* SPDX-License-Identifier: MIT */
/*
 * Reachability: interval labels, a bounded search, and sweeps of bit sets.
 *
 * Labels.  A depth-first traversal against the edges ranks a node after all its
 * ancestors that it finds there.  If u reaches v, the interval [low, rank] of u
 * is within that of v: else the answer is no.  If the rank of u is within
 * [start, rank] of v, the traversal found u below v: the answer is yes.  Two
 * traversals, with opposite orders of roots and edges, leave few pairs open.
 *
 * A sweep visits the nodes between the first origin and the last target of its
 * block, so that pairs that are near each other cost little.
 */
#include "plan/check/reach.h"

#include "base/alloc.h"

#include <string.h>

enum {
	/* Steps of one search, while the budget lasts and afterwards. */
	SEARCH_STEPS = 4096,
	LAST_STEPS = 16,
	/* Steps of all searches, per node and edge. */
	STEPS_EACH = 48,
	/* Origins of one sweep. */
	WORDS = 4,
	BLOCK = 64 * WORDS
};

/* ---- labels ---- */

/* Visit the ancestors of `root` that have no label yet.  `next` is, by node on
 * the stack, the number of its edges that were followed.  The graph has no
 * cycle, and edges lead from lower to higher numbers. */
static void label_from(plait__reach *reach, plait__reach_label *labels,
		       uint32_t root, uint32_t *count, bool forward)
{
	uint32_t *stack = reach->stack, *next = reach->seen, depth = 1;

	stack[0] = root;
	labels[root].start = *count;
	labels[root].low = UINT32_MAX;
	while (depth > 0) {
		uint32_t v = stack[depth - 1], i = next[v]++, u;
		uint32_t degree = reach->first[v + 1] - reach->first[v];

		if (i == degree) {
			labels[v].rank = (*count)++;
			if (labels[v].rank < labels[v].low)
				labels[v].low = labels[v].rank;
			depth--;
			if (depth > 0 && labels[v].low <
			    labels[stack[depth - 1]].low)
				labels[stack[depth - 1]].low = labels[v].low;
			continue;
		}
		u = reach->from[reach->first[v] +
				(forward ? i : degree - 1 - i)];
		if (next[u] > 0) {
			if (labels[u].low < labels[v].low)
				labels[v].low = labels[u].low;
			continue;
		}
		labels[u].start = *count;
		labels[u].low = UINT32_MAX;
		stack[depth++] = u;
	}
}

/* Every node is an ancestor of a node without successors.  find_forced_paths
 * has counted the successors. */
static void label_all(plait__reach *reach, plait__reach_label *labels,
		      bool forward)
{
	uint32_t rank = 0;

	memset(reach->seen, 0, reach->count * sizeof(uint32_t));
	for (uint32_t i = 0; i < reach->count; i++) {
		uint32_t v = forward ? i : reach->count - 1 - i;

		if (reach->successors[v] == 0)
			label_from(reach, labels, v, &rank, forward);
	}
}

/* ---- forced paths ---- */

static void find_forced_paths(plait__reach *reach)
{
	uint32_t *root = reach->root, *anchor = reach->anchor;

	for (uint32_t v = 0; v < reach->count; v++) {
		uint32_t first = reach->first[v], last = reach->first[v + 1];

		anchor[v] = last - first == 1 ? anchor[reach->from[first]] : v;
		for (uint32_t i = first; i < last; i++) {
			reach->successors[reach->from[i]]++;
			root[reach->from[i]] = v;
		}
	}
	for (uint32_t v = reach->count; v-- > 0;)
		root[v] = reach->successors[v] == 1 ? root[root[v]] : v;
}

plait_status plait__reach_init(plait__reach *reach, plait__check *check,
			       uint32_t count, const uint32_t *first,
			       const uint32_t *from)
{
	*reach = (plait__reach){ .check = check, .count = count,
				 .first = first, .from = from,
				 .limit = SEARCH_STEPS };
	reach->root = plait__check_alloc(check, count, sizeof(uint32_t));
	reach->anchor = plait__check_alloc(check, count, sizeof(uint32_t));
	reach->successors = plait__check_alloc(check, count,
					       sizeof(uint32_t));
	reach->seen = plait__check_alloc(check, count, sizeof(uint32_t));
	reach->stack = plait__check_alloc(check, count, sizeof(uint32_t));
	for (uint32_t i = 0; i < 2; i++)
		reach->labels[i] = plait__check_alloc(
			check, count, sizeof(plait__reach_label));
	if (reach->root == NULL || reach->anchor == NULL ||
	    reach->successors == NULL || reach->seen == NULL ||
	    reach->stack == NULL || reach->labels[0] == NULL ||
	    reach->labels[1] == NULL)
		return plait__check_no_memory(check);
	find_forced_paths(reach);
	label_all(reach, reach->labels[0], false);
	label_all(reach, reach->labels[1], true);
	memset(reach->seen, 0, count * sizeof(uint32_t));
	reach->budget = STEPS_EACH * ((uint64_t)count + first[count] + 64);
	return PLAIT_OK;
}

/* ---- queries ---- */

static uint32_t ask_labels(const plait__reach *reach, uint32_t u, uint32_t v)
{
	for (uint32_t i = 0; i < 2; i++) {
		const plait__reach_label *a = &reach->labels[i][u];
		const plait__reach_label *b = &reach->labels[i][v];

		if (a->low < b->low || a->rank > b->rank)
			return PLAIT__REACH_NO;
		if (a->rank >= b->start)
			return PLAIT__REACH_YES;
	}
	return PLAIT__REACH_UNKNOWN;
}

static uint32_t ask(const plait__reach *reach, uint32_t u, uint32_t v)
{
	if (u >= v)
		return u == v ? PLAIT__REACH_YES : PLAIT__REACH_NO;
	return ask_labels(reach, u, v);
}

/* Search backwards from `after`, last edges first.  Labels are known.  Edges
 * lead from lower to higher numbers. */
static uint32_t search(plait__reach *reach, uint32_t before, uint32_t after)
{
	uint32_t steps = 0, depth = 1;

	reach->stack[0] = after;
	reach->search++;
	while (depth > 0) {
		uint32_t v = reach->stack[--depth];

		for (uint32_t i = reach->first[v]; i < reach->first[v + 1];
		     i++) {
			uint32_t u = reach->from[i], answer;

			if (u < before || reach->seen[u] == reach->search)
				continue;
			reach->seen[u] = reach->search;
			answer = ask(reach, before, u);
			if (answer == PLAIT__REACH_YES)
				return answer;
			if (answer == PLAIT__REACH_UNKNOWN)
				reach->stack[depth++] = u;
		}
		steps += 1 + reach->first[v + 1] - reach->first[v];
		if (steps > reach->limit) {
			reach->budget -= steps < reach->budget ? steps :
					 reach->budget;
			if (reach->budget == 0)
				reach->limit = LAST_STEPS;
			return PLAIT__REACH_UNKNOWN;
		}
	}
	return PLAIT__REACH_NO;
}

uint32_t plait__reach_query(plait__reach *reach, uint32_t before,
			    uint32_t after)
{
	uint32_t answer = ask(reach, before, after);

	return answer != PLAIT__REACH_UNKNOWN ? answer :
	       search(reach, before, after);
}

/* ---- sweeps ---- */

/* State of the sweeps: pairs by origin, and a bit set per node of the span. */
struct sweep {
	plait__reach *reach;
	const plait__reach_pair *pairs;
	uint32_t *sorted;	/* indices of pairs, by origin */
	uint32_t *slot;		/* by node: 1 + its bit in this block */
	uint64_t (*bits)[WORDS];
};

static void sort_pairs(struct sweep *sweep, uint32_t count)
{
	uint32_t nodes = sweep->reach->count, sum = 0;
	uint32_t *at = sweep->slot;

	for (uint32_t i = 0; i < count; i++)
		at[sweep->pairs[i].before]++;
	for (uint32_t v = 0; v < nodes; v++) {
		uint32_t here = at[v];

		at[v] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < count; i++)
		sweep->sorted[at[sweep->pairs[i].before]++] = i;
	memset(at, 0, nodes * sizeof(*at));
}

static void set_bit(uint64_t bits[WORDS], uint32_t slot)
{
	bits[slot / 64] |= 1ull << slot % 64;
}

/* Carry the bits of the origins through the nodes [low, high].  `bits` has room
 * for the nodes of the range. */
static void carry(const struct sweep *sweep, uint32_t low, uint32_t high)
{
	const plait__reach *reach = sweep->reach;

	memset(sweep->bits, 0, (high - low + 1ull) * sizeof(*sweep->bits));
	for (uint32_t v = low; v <= high; v++) {
		uint64_t *own = sweep->bits[v - low];

		for (uint32_t i = reach->first[v]; i < reach->first[v + 1];
		     i++) {
			uint32_t u = reach->from[i];

			for (uint32_t k = 0; u >= low && k < WORDS; k++)
				own[k] |= sweep->bits[u - low][k];
		}
		if (sweep->slot[v] != 0)
			set_bit(own, sweep->slot[v] - 1);
	}
}

/* Prove the pairs sorted[from .. to), whose origins fit one block. */
static uint32_t sweep_block(struct sweep *sweep, uint32_t from, uint32_t to)
{
	uint32_t low = sweep->pairs[sweep->sorted[from]].before, high = low;
	uint32_t bad = PLAIT__NONE, slots = 0;

	for (uint32_t i = from; i < to; i++) {
		const plait__reach_pair *pair =
			&sweep->pairs[sweep->sorted[i]];

		if (sweep->slot[pair->before] == 0)
			sweep->slot[pair->before] = ++slots;
		if (pair->after > high)
			high = pair->after;
	}
	carry(sweep, low, high);
	for (uint32_t i = from; i < to; i++) {
		const plait__reach_pair *pair =
			&sweep->pairs[sweep->sorted[i]];
		uint32_t slot = sweep->slot[pair->before] - 1;

		if ((sweep->bits[pair->after - low][slot / 64] >> slot % 64 &
		     1) == 0 && sweep->sorted[i] < bad)
			bad = sweep->sorted[i];
	}
	for (uint32_t i = from; i < to; i++)
		sweep->slot[sweep->pairs[sweep->sorted[i]].before] = 0;
	return bad;
}

/* Return the end of the block of pairs that begins at `from`. */
static uint32_t end_of_block(const struct sweep *sweep, uint32_t from,
			     uint32_t count)
{
	uint32_t origins = 0, last = PLAIT__NONE, to = from;

	for (; to < count; to++) {
		uint32_t before = sweep->pairs[sweep->sorted[to]].before;

		if (before == last)
			continue;
		if (origins++ == BLOCK)
			break;
		last = before;
	}
	return to;
}

plait_status plait__reach_sweep(plait__reach *reach,
				const plait__reach_pair *pairs, uint32_t count,
				uint32_t *out_bad)
{
	plait__check *check = reach->check;
	struct sweep sweep = { .reach = reach, .pairs = pairs };
	uint32_t to;

	*out_bad = PLAIT__NONE;
	if (count == 0)
		return PLAIT_OK;
	sweep.sorted = plait__check_alloc(check, count, sizeof(uint32_t));
	sweep.slot = plait__check_alloc(check, reach->count,
					sizeof(uint32_t));
	sweep.bits = plait__check_alloc(check, reach->count,
					sizeof(*sweep.bits));
	if (sweep.sorted == NULL || sweep.slot == NULL || sweep.bits == NULL)
		return plait__check_no_memory(check);
	sort_pairs(&sweep, count);
	for (uint32_t from = 0; from < count && *out_bad == PLAIT__NONE;
	     from = to) {
		to = end_of_block(&sweep, from, count);
		*out_bad = sweep_block(&sweep, from, to);
	}
	return PLAIT_OK;
}
