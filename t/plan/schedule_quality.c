/* SPDX-License-Identifier: MIT */
/*
 * Quality of plans, compared with the best known results.
 *
 * `widest`: lanes against the width of the graph, which is found exactly, as
 * nodes less a largest matching of the reachability relation (Dilworth).
 * `bounded`: the makespan against HEFT with insertion, and against a plain
 * greedy order, both written here without the planner; with hops that cost and
 * several devices too.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "plan/simulate/simulate.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { MOST = 128 };

typedef struct bits {
	uint64_t word[2];
} bits;

static bool has(const bits *b, uint32_t i)
{
	return b->word[i / 64] >> (i % 64) & 1;
}

static void closure(const struct shape *shape, bits *before)
{
	uint32_t i;

	/* Edges of shape_dag come sorted by `after`, and go upwards. */
	memset(before, 0, MOST * sizeof(*before));
	for (i = 0; i < shape->input.edge_count; i++) {
		uint32_t a = shape->edges[i].before, b = shape->edges[i].after;

		before[b].word[a / 64] |= 1ull << (a % 64);
		before[b].word[0] |= before[a].word[0];
		before[b].word[1] |= before[a].word[1];
	}
}

static bool augment(const bits *before, uint32_t n, uint32_t v,
		    uint32_t *follower, bool *seen)
{
	uint32_t u;

	for (u = 0; u < n; u++) {
		if (seen[u] || !has(&before[v], u))
			continue;
		seen[u] = true;
		if (follower[u] == PLAIT__NONE ||
		    augment(before, n, follower[u], follower, seen)) {
			follower[u] = v;
			return true;
		}
	}
	return false;
}

static uint32_t width(const struct shape *shape)
{
	uint32_t n = shape->input.node_count, v, chains = n;
	uint32_t follower[MOST];
	bits before[MOST];
	bool seen[MOST];

	closure(shape, before);
	memset(follower, 0xff, sizeof(follower));
	for (v = 0; v < n; v++) {
		memset(seen, 0, sizeof(seen));
		chains -= augment(before, n, v, follower, seen);
	}
	return chains;
}

/* ---- list schedulers for comparison ---- */

struct slot {
	uint64_t start;
	uint64_t end;
};

struct machine {
	struct slot slots[16][MOST];	/* by lane, in order of time */
	uint32_t counts[16];
	uint32_t lanes;			/* of each device */
	uint64_t hop;
	uint64_t finish[MOST];
	uint32_t lane[MOST];		/* by node */
};

static uint64_t ready_time(const struct shape *shape, const struct machine *m,
			   uint32_t v, uint32_t lane)
{
	uint64_t ready = 0;
	uint32_t i;

	for (i = 0; i < shape->input.edge_count; i++) {
		uint32_t u = shape->edges[i].before;
		uint64_t seen = m->finish[u] +
				(m->lane[u] == lane ? 0 : m->hop);

		if (shape->edges[i].after == v && seen > ready)
			ready = seen;
	}
	return ready;
}

/* The first gap of a lane that fits; *at is where it is inserted. */
static uint64_t find_gap(const struct machine *m, uint32_t lane,
			 uint64_t ready, uint64_t cost, uint32_t *at)
{
	uint64_t start = ready;
	uint32_t i;

	for (i = 0; i < m->counts[lane]; i++) {
		if (start + cost <= m->slots[lane][i].start)
			break;
		if (m->slots[lane][i].end > start)
			start = m->slots[lane][i].end;
	}
	*at = i;
	return start;
}

static void put(struct machine *m, uint32_t lane, uint32_t at, uint64_t start,
		uint64_t cost)
{
	memmove(&m->slots[lane][at + 1], &m->slots[lane][at],
		(m->counts[lane] - at) * sizeof(struct slot));
	m->slots[lane][at].start = start;
	m->slots[lane][at].end = start + cost;
	m->counts[lane]++;
}

static void place(const struct shape *shape, struct machine *m, uint32_t v,
		  bool insert)
{
	uint32_t first = shape->nodes[v].device * m->lanes, lane, at;
	uint32_t best = first, best_at = 0;
	uint64_t cost = shape->nodes[v].cost, best_start = UINT64_MAX;

	for (lane = first; lane < first + m->lanes; lane++) {
		uint64_t ready = ready_time(shape, m, v, lane);
		uint64_t start = find_gap(m, lane, ready, cost, &at);

		if (!insert) {
			at = m->counts[lane];
			start = at > 0 && m->slots[lane][at - 1].end > ready ?
				m->slots[lane][at - 1].end : ready;
		}
		if (start < best_start) {
			best_start = start;
			best = lane;
			best_at = at;
		}
	}
	put(m, best, best_at, best_start, cost);
	m->finish[v] = best_start + cost;
	m->lane[v] = best;
}

static uint64_t run_order(const struct shape *shape, const uint32_t *order,
			  uint32_t lanes, uint64_t hop, bool insert)
{
	struct machine *m = calloc(1, sizeof(*m));
	uint64_t makespan = 0;
	uint32_t i;

	if (m == NULL)
		return 0;
	m->lanes = lanes;
	m->hop = hop;
	for (i = 0; i < shape->input.node_count; i++) {
		place(shape, m, order[i], insert);
		if (m->finish[order[i]] > makespan)
			makespan = m->finish[order[i]];
	}
	free(m);
	return makespan;
}

/* Highest rank first, with so much for each edge; equal ones by number. */
static void rank_order(const struct shape *shape, uint64_t hop,
		       uint32_t *order)
{
	uint32_t n = shape->input.node_count, i, j;
	uint64_t rank[MOST];

	memset(rank, 0, sizeof(rank));
	for (i = n; i-- > 0;) {
		for (j = 0; j < shape->input.edge_count; j++)
			if (shape->edges[j].before == i &&
			    rank[shape->edges[j].after] + hop > rank[i])
				rank[i] = rank[shape->edges[j].after] + hop;
		rank[i] += shape->nodes[i].cost;
	}
	for (i = 0; i < n; i++) {
		for (j = i; j > 0 && rank[order[j - 1]] < rank[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

/* Kahn, first in first out: the simplest order. */
static void plain_order(const struct shape *shape, uint32_t *order)
{
	uint32_t n = shape->input.node_count, i, head = 0, tail = 0;
	uint32_t degree[MOST];

	memset(degree, 0, sizeof(degree));
	for (i = 0; i < shape->input.edge_count; i++)
		degree[shape->edges[i].after]++;
	for (i = 0; i < n; i++)
		if (degree[i] == 0)
			order[tail++] = i;
	for (; head < tail; head++)
		for (i = 0; i < shape->input.edge_count; i++)
			if (shape->edges[i].before == order[head] &&
			    --degree[shape->edges[i].after] == 0)
				order[tail++] = shape->edges[i].after;
}

/* ---- measurements ---- */

static plait__plan *make_plan(const struct shape *shape, uint32_t policy,
			      uint32_t lanes, uint64_t hop)
{
	plait__input_options options = { 0 };
	plait__plan *plan = NULL;

	options.policy = policy;
	options.lanes = lanes;
	options.hop_cost = hop;
	if (plait__planner_run(&shape->input, &options, NULL, NULL, &plan,
			       NULL) != PLAIT_OK)
		OK_THAT(false, "a plan is made");
	return plan;
}

/* A thousand; a tenth of that where every access is checked. */
static uint32_t rounds(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer == NULL || strcmp(sanitizer, "no") == 0)
		return 1000;
	return tap_soak() ? 1000 : 100;
}

static void widths(void)
{
	static const uint32_t cases[][2] = {
		{ 40, 80 }, { 100, 30 }, { 100, 80 }, { 120, 10 }, { 60, 200 }
	};
	uint64_t seed = tap_seed();
	size_t c;

	for (c = 0; c < TAP_COUNT(cases); c++) {
		uint32_t lanes = 0, best = 0, i, count = rounds();

		for (i = 0; i < count; i++) {
			plait__input_options options = { 0 };
			struct shape_random random;
			struct shape shape;
			plait__plan *plan;

			shape_seed(&random, seed + i);
			shape_dag(&shape, cases[c][0], cases[c][1], 3,
				  &random);
			options.policy = PLAIT__POLICY_WIDEST;
			if (plait__planner_run(&shape.input, &options, NULL,
					       NULL, &plan, NULL) == PLAIT_OK)
				lanes += plan->lanes_count;
			best += width(&shape);
			plait__plan_release(plan);
			shape_fini(&shape);
		}
		NOTE("%u nodes, p=0.%03u: %.2f lanes, width %.2f, %+.2f%%",
		     cases[c][0], cases[c][1], (double)lanes / count,
		     (double)best / count, 100.0 * lanes / best - 100);
		OK_THAT(lanes >= best && lanes * 100ull <= best * 105ull,
			"within 5%% of the width: %u of %u", lanes, best);
	}
}

/* Against both lists. */
static void compare(uint32_t nodes, uint32_t p, uint32_t max_cost,
		    uint32_t lanes)
{
	uint64_t seed = tap_seed();
	double ratio = 0;
	uint32_t i, worse = 0, over = 0, count = rounds();

	for (i = 0; i < count; i++) {
		uint32_t order[MOST];
		uint64_t heft, greedy;
		struct shape_random random;
		struct shape shape;
		plait__plan *plan;

		shape_seed(&random, seed * 31 + i);
		shape_dag(&shape, nodes, p, max_cost, &random);
		rank_order(&shape, 0, order);
		heft = run_order(&shape, order, lanes, 0, true);
		plain_order(&shape, order);
		greedy = run_order(&shape, order, lanes, 0, false);
		plan = make_plan(&shape, PLAIT__POLICY_BOUNDED, lanes, 0);
		if (plan == NULL)
			return;
		ratio += (double)plan->makespan / (double)heft;
		worse += plan->makespan > greedy;
		over += plan->lanes_count > lanes;
		plait__plan_release(plan);
		shape_fini(&shape);
	}
	NOTE("%u nodes, p=0.%03u, costs to %u, %u lanes: %.4f of HEFT", nodes,
	     p, max_cost, lanes, ratio / count);
	OK_THAT(ratio / count <= 1.05, "within 5%% of HEFT with insertion");
	OK_THAT(worse == 0, "never worse than a plain greedy order");
	OK_THAT(over == 0, "never above the limit");
}

static void makespans(void)
{
	compare(40, 80, 1, 2);
	compare(40, 80, 20, 2);
	compare(40, 80, 20, 4);
	compare(40, 40, 100, 8);
	compare(100, 30, 20, 4);
}

/* ---- where hops cost ---- */

/* Edges of 80 in 1000, each node on a device of these at random. */
static void dag_on(struct shape *shape, uint32_t devices, uint64_t seed)
{
	struct shape_random random;
	uint32_t i, j;

	shape_seed(&random, seed);
	shape_init(shape, devices);
	for (i = 0; i < 60; i++) {
		shape_node(shape, shape_below(&random, devices), NULL);
		shape->nodes[i].cost = 1 + shape_below(&random, 20);
		for (j = 0; j < i; j++)
			if (shape_below(&random, 1000) < 80)
				shape_edge(shape, j, i);
	}
}

/* HEFT with insertion; its ranks use the average cost of a hop. */
static uint64_t heft_with_hops(const struct shape *shape, uint32_t lanes,
			       uint64_t hop)
{
	uint32_t all = lanes * shape->input.device_count, order[MOST];

	rank_order(shape, hop - hop / all, order);
	return run_order(shape, order, lanes, hop, true);
}

/* The plan's figures equal those of its simulation. */
static bool is_true(const plait__plan *plan, uint64_t hop)
{
	const plait__simulate_system system = { .hop_cost = hop };
	plait__timeline *timeline;
	bool same;

	if (plait__simulate_plan(plan, &system, NULL, &timeline, NULL) !=
	    PLAIT_OK)
		return false;
	same = timeline->makespan == plan->makespan;
	plait__simulate_release(timeline);
	return same;
}

/* With up to so many lanes of each device: more are never worse. */
static void compare_hops(uint32_t devices, uint32_t lanes, uint64_t hop)
{
	uint64_t seed = tap_seed();
	double ratio = 0, most = 0;
	uint32_t i, k, longer = 0, wrong = 0, untrue = 0, count = 40;

	for (i = 0; i < count; i++) {
		struct shape shape;
		uint64_t before = UINT64_MAX;
		double one = 0;

		dag_on(&shape, devices, seed * 31 + i);
		for (k = 1; k <= lanes; k++) {
			plait__plan *plan = make_plan(
				&shape, PLAIT__POLICY_BOUNDED, k, hop);

			if (plan == NULL)
				return;
			longer += plan->makespan > before;
			wrong += plait__check_plan(plan, &shape.input, 0,
						   NULL, NULL, NULL) !=
				 PLAIT_OK;
			untrue += !is_true(plan, hop);
			before = plan->makespan;
			plait__plan_release(plan);
		}
		one = (double)before /
		      (double)heft_with_hops(&shape, lanes, hop);
		ratio += one;
		most = one > most ? one : most;
		shape_fini(&shape);
	}
	NOTE("%u devices with %u lanes, hops of %u: %.4f of HEFT, at most %.4f",
	     devices, lanes, (uint32_t)hop, ratio / count, most);
	OK_THAT(ratio / count <= 1.01, "within 1%% of HEFT with insertion");
	OK_THAT(longer == 0, "never longer with more lanes: %u", longer);
	OK_THAT(wrong == 0 && untrue == 0, "right, and as long as predicted: "
		"%u, %u", wrong, untrue);
}

static void hops(void)
{
	compare_hops(1, 4, 1);
	compare_hops(1, 4, 10);
	compare_hops(1, 4, 40);
	compare_hops(1, 4, 100);
	compare_hops(2, 3, 10);
	compare_hops(3, 2, 40);
}

static const struct tap_scenario all[] = {
	{ "widths", widths },
	{ "makespans", makespans },
	{ "hops", hops },
};

TAP_MAIN(all)
