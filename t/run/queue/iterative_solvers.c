/* SPDX-License-Identifier: MIT */
/*
 * Solvers whose iterations depend on results of the one before, against plain C:
 * a breadth-first search, which ends when a kernel finds no new node; and
 * orthogonal columns, where the launches shrink with the columns that are left.
 */
#include "iterative.h"

/* ---- a breadth-first search ---- */

enum { NODES = 48, EDGES = 3 };

static const uint32_t unseen = UINT32_MAX;

/* Nodes that are not seen, with an edge from the frontier. */
static int32_t expand(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	const uint32_t *sources = *(uint32_t **)arguments[0];
	const uint32_t *seen = *(uint32_t **)arguments[1];
	const uint32_t *frontier = *(uint32_t **)arguments[2];
	uint32_t *costs = *(uint32_t **)arguments[3];
	uint32_t *found = *(uint32_t **)arguments[4];

	(void)launch;
	(void)user_data;
	memset(found, 0, NODES * sizeof(*found));
	for (uint32_t e = 0; e < NODES * EDGES; e++)
		if (seen[e / EDGES] == 0 && frontier[sources[e]] != 0) {
			costs[e / EDGES] = costs[sources[e]] + 1;
			found[e / EDGES] = 1;
		}
	return 0;
}

#define EXPAND_SIGNATURE \
	"expand(sources: in pointer u32, seen: in pointer u32, " \
	"frontier: in pointer u32, costs: inout pointer u32, " \
	"found: out pointer u32)"
#define EXPAND_TEXT \
	"KERNEL(expand) { EACH(i, 48) { found[i] = 0;" \
	"	for (u32 e = 0; e < 3; e++) { u32 from = sources[3 * i + e];" \
	"		if (seen[i] == 0 && frontier[from] != 0) {" \
	"			costs[i] = costs[from] + 1; found[i] = 1; } } } }"

/* The nodes found are the frontier; count them and the rounds. */
static int32_t advance(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const uint32_t *found = *(uint32_t **)arguments[0];
	uint32_t *seen = *(uint32_t **)arguments[1];
	uint32_t *frontier = *(uint32_t **)arguments[2];
	uint32_t *count = *(uint32_t **)arguments[3];
	uint32_t *rounds = *(uint32_t **)arguments[4];

	(void)launch;
	(void)user_data;
	rounds[0]++;
	for (uint32_t i = 0; i < NODES; i++) {
		frontier[i] = found[i];
		seen[i] |= found[i];
		count[0] += found[i];
	}
	return 0;
}

#define ADVANCE_SIGNATURE \
	"advance(found: in pointer u32, seen: inout pointer u32, " \
	"frontier: out pointer u32, count: inout pointer u32, " \
	"rounds: inout pointer u32)"
#define ADVANCE_TEXT \
	"KERNEL(advance) { EACH(i, 48) {" \
	"	if (i == 0) rounds[0]++;" \
	"	frontier[i] = found[i]; seen[i] |= found[i];" \
	"	if (found[i] != 0) ATOMIC_ADD(&count[0], 1); } }"

struct search {
	plait_kernel *expand, *advance;
	plait_buffer *sources, *seen, *frontier, *costs, *found, *count,
		     *rounds;
};

/* do { count = 0 ; expand ; advance } while count */
static plait_plan *plan_search(const struct search *s, uint32_t lanes)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_DO, .label = "search",
		.predicate = s->count }, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_fill(body, s->count, 0, NULL, 0);
	node = add_step(body, s->expand, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(s->sources), PLAIT_BUFFER(s->seen),
		PLAIT_BUFFER(s->frontier), PLAIT_BUFFER(s->costs),
		PLAIT_BUFFER(s->found)));
	(void)add_step(body, s->advance, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(s->found), PLAIT_BUFFER(s->seen),
		PLAIT_BUFFER(s->frontier), PLAIT_BUFFER(s->count),
		PLAIT_BUFFER(s->rounds)));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* The ends of edges to each node, up to `reach` nodes behind it on a ring;
 * nothing but a start reaches every 16th node. */
static void make_sources(uint32_t *sources, uint32_t reach)
{
	uint32_t random = (uint32_t)tap_seed();

	for (uint32_t e = 0; e < NODES * EDGES; e++) {
		uint32_t node = e / EDGES;
		uint32_t back = next_random(&random) % (reach + 1);

		sources[e] = node % 16 == 0 ? node :
			     (node + NODES - back) % NODES;
	}
}

/* One node after the other, by a queue; give the rounds of the search. */
static uint32_t expect_costs(const uint32_t *sources, uint32_t start,
			     uint32_t *costs)
{
	uint32_t queue[NODES] = { start }, end = 1;

	for (uint32_t i = 0; i < NODES; i++)
		costs[i] = i == start ? 0 : unseen;
	for (uint32_t first = 0; first < end; first++)
		for (uint32_t e = 0; e < NODES * EDGES; e++)
			if (sources[e] == queue[first] &&
			    costs[e / EDGES] == unseen) {
				costs[e / EDGES] = costs[queue[first]] + 1;
				queue[end++] = e / EDGES;
			}
	return costs[queue[end - 1]] + 1;
}

static void check_search_from(const struct search *s, plait_plan *plan,
			      uint32_t start, uint32_t reach)
{
	const struct counted none = { .how = CONSTANT };
	uint32_t sources[NODES * EDGES], expected[NODES], costs[NODES];
	uint32_t marks[NODES] = { 0 }, rounds;

	make_sources(sources, reach);
	rounds = expect_costs(sources, start, expected);
	memset(costs, 0xff, sizeof(costs));
	costs[start] = 0;
	marks[start] = 1;
	put(s->sources, sources, NODES * EDGES);
	put(s->seen, marks, NODES);
	put(s->frontier, marks, NODES);
	put(s->costs, costs, NODES);
	write_words(s->rounds, 0);
	OK_THAT(run_counted(plan, &none, start % 2) == PLAIT_OK, "search: %s",
		rig.error.text);
	get(s->costs, costs, NODES);
	OK_THAT(memcmp(costs, expected, sizeof(costs)) == 0, "from %u", start);
	get(s->rounds, marks, 1);
	IS_UINT(marks[0], rounds);
}

static void check_search(const struct place *place)
{
	struct search s = {
		.expand = new_kernel(EXPAND_SIGNATURE, EXPAND_TEXT, expand),
		.advance = new_kernel(ADVANCE_SIGNATURE, ADVANCE_TEXT, advance),
		.sources = cells_on(rig.device, NODES * EDGES),
		.seen = cells_on(rig.device, NODES),
		.frontier = cells_on(rig.device, NODES),
		.costs = cells_on(rig.device, NODES),
		.found = cells_on(rig.device, NODES),
		.count = words_on(rig.device), .rounds = words_on(rig.device),
	};
	plait_plan *plan = plan_search(&s, place->lanes);

	check_search_from(&s, plan, 0, 9);
	check_search_from(&s, plan, 17, 30);
	/* No edge leads on: one round. */
	check_search_from(&s, plan, 4, 0);
	plait_plan_release(plan);
	plait_kernel_release(s.expand);
	plait_kernel_release(s.advance);
	plait_buffer_release(s.sources);
	plait_buffer_release(s.seen);
	plait_buffer_release(s.frontier);
	plait_buffer_release(s.costs);
	plait_buffer_release(s.found);
	plait_buffer_release(s.count);
	plait_buffer_release(s.rounds);
}

static void breadth_first(void)
{
	each_place(12, check_search);
}

/* ---- orthogonal columns ---- */

/* Numbers modulo 2^32, so that all backends agree.  A matrix that is odd on its
 * diagonal only has columns of odd squares, which have inverses; no square roots:
 * columns stay as long as they are, and q has them divided by their squares. */
enum { N = 10, CELLS = N * N };

static uint32_t inverse(uint32_t x)
{
	uint32_t y = x;

	for (int i = 0; i < 5; i++)
		y *= 2 - x * y;
	return y;
}

static uint32_t product(const uint32_t *a, uint32_t j, const uint32_t *b,
			uint32_t k)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < N; i++)
		sum += a[i * N + j] * b[i * N + k];
	return sum;
}

/* r[k][k] = the square of column k */
static int32_t square(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	const uint32_t *a = *(uint32_t **)arguments[0];
	uint32_t k = *(uint32_t *)arguments[2];

	(void)launch;
	(void)user_data;
	(*(uint32_t **)arguments[1])[k * N + k] = product(a, k, a, k);
	return 0;
}

#define SQUARE_TEXT \
	"KERNEL(square) { EACH(one, 1) { u32 sum = 0;" \
	"	for (u32 i = 0; i < 10; i++)" \
	"		sum += a[i * 10 + k] * a[i * 10 + k];" \
	"	r[k * 10 + k] = sum; } }"

/* column k of q = column k of a / r[k][k] */
static int32_t divide(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	const uint32_t *a = *(uint32_t **)arguments[0];
	const uint32_t *r = *(uint32_t **)arguments[1];
	uint32_t *q = *(uint32_t **)arguments[2];
	uint32_t k = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < N; i++)
		q[i * N + k] = a[i * N + k] * inverse(r[k * N + k]);
	return 0;
}

#define DIVIDE_TEXT \
	"KERNEL(divide) { EACH(i, 10) { u32 x = r[k * 10 + k], y = x;" \
	"	for (u32 t = 0; t < 5; t++) y *= 2 - x * y;" \
	"	q[i * 10 + k] = a[i * 10 + k] * y; } }"

/* The columns behind k without their parts in the direction of k. */
static int32_t project(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	uint32_t *a = *(uint32_t **)arguments[0];
	const uint32_t *q = *(uint32_t **)arguments[1];
	uint32_t *r = *(uint32_t **)arguments[2];
	uint32_t k = *(uint32_t *)arguments[3];
	uint32_t left = *(uint32_t *)arguments[4];

	(void)launch;
	(void)user_data;
	for (uint32_t j = k + 1; j < k + 1 + left; j++) {
		r[k * N + j] = product(q, k, a, j);
		for (uint32_t i = 0; i < N; i++)
			a[i * N + j] -= r[k * N + j] * a[i * N + k];
	}
	return 0;
}

#define PROJECT_TEXT \
	"KERNEL(project) { EACH(at, left) {" \
	"	u32 j = k + 1 + (u32)at, sum = 0;" \
	"	for (u32 i = 0; i < 10; i++)" \
	"		sum += q[i * 10 + k] * a[i * 10 + j];" \
	"	for (u32 i = 0; i < 10; i++)" \
	"		a[i * 10 + j] -= sum * a[i * 10 + k];" \
	"	r[k * 10 + j] = sum; } }"

struct columns {
	plait_kernel *square, *divide, *project;
	plait_buffer *a, *q, *r;
};

/* repeat n { square ; divide ; project } */
static plait_plan *plan_columns(const struct columns *c, uint32_t lanes)
{
	static const struct counted counted = { .how = PARAMETER };
	static const plait_series left = {
		sizeof(left), PLAIT_SERIES_FROM_COUNT, -1, -1, 0 };
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_step(body, c->square, NULL, 0, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(c->a), PLAIT_BUFFER(c->r),
		PLAIT_ITERATION(NULL)));
	node = add_step(body, c->divide, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(c->a), PLAIT_BUFFER(c->r), PLAIT_BUFFER(c->q),
		PLAIT_ITERATION(NULL)));
	(void)add_step(body, c->project, &left, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(c->a), PLAIT_BUFFER(c->q), PLAIT_BUFFER(c->r),
		PLAIT_ITERATION(NULL), PLAIT_ITERATION(&left)));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

static void make_matrix(uint32_t *a)
{
	uint32_t random = (uint32_t)tap_seed();

	for (uint32_t i = 0; i < CELLS; i++)
		a[i] = next_random(&random) * 2 + (i % (N + 1) == 0);
}

static void expect_columns(uint32_t *a, uint32_t *r, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		r[k * N + k] = product(a, k, a, k);
		for (uint32_t j = k + 1; j < count; j++) {
			r[k * N + j] = product(a, k, a, j) *
				       inverse(r[k * N + k]);
			for (uint32_t i = 0; i < N; i++)
				a[i * N + j] -= r[k * N + j] * a[i * N + k];
		}
	}
}

static bool are_orthogonal(const uint32_t *q, uint32_t count)
{
	for (uint32_t j = 0; j < count; j++)
		for (uint32_t k = 0; k < j; k++)
			if (product(q, j, q, k) != 0)
				return false;
	return true;
}

static void check_columns_of(const struct columns *c, plait_plan *plan,
			     uint32_t count)
{
	const struct counted counted = { .how = PARAMETER, .count = count };
	uint32_t a[CELLS], r[CELLS] = { 0 }, found[CELLS];

	make_matrix(a);
	put(c->a, a, CELLS);
	put(c->q, r, CELLS);
	put(c->r, r, CELLS);
	expect_columns(a, r, count);
	OK_THAT(run_counted(plan, &counted, count % 2) == PLAIT_OK,
		"columns: %s", rig.error.text);
	get(c->a, found, CELLS);
	OK_THAT(memcmp(a, found, sizeof(a)) == 0, "a of %u", count);
	get(c->r, found, CELLS);
	OK_THAT(memcmp(r, found, sizeof(r)) == 0, "r of %u", count);
	get(c->q, found, CELLS);
	OK_THAT(are_orthogonal(found, count), "q of %u", count);
	for (uint32_t k = 0; k < count; k++)
		IS_UINT(product(found, k, a, k), 1);
}

static void check_columns(const struct place *place)
{
	struct columns c = {
		.square = new_kernel("square(a: in pointer u32, "
				     "r: inout pointer u32, k: u32)",
				     SQUARE_TEXT, square),
		.divide = new_kernel("divide(a: in pointer u32, "
				     "r: in pointer u32, "
				     "q: inout pointer u32, k: u32)",
				     DIVIDE_TEXT, divide),
		.project = new_kernel("project(a: inout pointer u32, "
				      "q: in pointer u32, "
				      "r: inout pointer u32, k: u32, "
				      "left: u32)", PROJECT_TEXT, project),
		.a = cells_on(rig.device, CELLS),
		.q = cells_on(rig.device, CELLS),
		.r = cells_on(rig.device, CELLS),
	};
	plait_plan *plan = plan_columns(&c, place->lanes);

	check_columns_of(&c, plan, N);
	check_columns_of(&c, plan, N / 2);
	check_columns_of(&c, plan, 0);
	plait_plan_release(plan);
	plait_kernel_release(c.square);
	plait_kernel_release(c.divide);
	plait_kernel_release(c.project);
	plait_buffer_release(c.a);
	plait_buffer_release(c.q);
	plait_buffer_release(c.r);
}

static void orthogonal_columns(void)
{
	each_place(12, check_columns);
}

static const struct tap_scenario all[] = {
	{ "breadth-first search", breadth_first },
	{ "orthogonal columns", orthogonal_columns },
};
TAP_MAIN(all)
