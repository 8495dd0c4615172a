/* SPDX-License-Identifier: MIT */
/*
 * Solvers whose loops count, against plain C: elimination of a linear system,
 * which is its factorization too, where the launches shrink with the rows that
 * are left; and a table of shortest paths, some rows at a time and then the rest,
 * on rotating buffers.
 */
#include "repeats.h"

enum { N = 12, CELLS = N * N, ROWS = 23, BLOCK = 5 };

/* Numbers modulo 2^32, so that all backends agree: a divisor is odd, and has an
 * inverse. */
static uint32_t inverse(uint32_t x)
{
	uint32_t y = x;

	for (int i = 0; i < 5; i++)
		y *= 2 - x * y;
	return y;
}

static void make_cells(uint32_t *cells)
{
	uint32_t random = (uint32_t)tap_seed() | 1;

	for (uint32_t i = 0; i < CELLS; i++) {
		random = random * 1664525u + 1013904223u;
		/* Even beside the diagonal: each pivot stays odd. */
		cells[i] = i % (N + 1) == 0 ? random | 1 : random & ~1u;
	}
}

/* ---- kernels ---- */

/* factor[r] = a[r][k] / a[k][k], for the rows r below k */
static int32_t find_factors(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	const uint32_t *a = *(uint32_t **)arguments[0];
	uint32_t *factor = *(uint32_t **)arguments[1];
	uint32_t k = *(uint32_t *)arguments[2], left = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t r = 0; r < left; r++)
		factor[k + 1 + r] = a[(k + 1 + r) * N + k] *
				    inverse(a[k * N + k]);
	return 0;
}

#define FACTORS_TEXT \
	"KERNEL(find_factors) { EACH(r, left) {" \
	"	u32 x = a[k * 12 + k], y = x;" \
	"	for (u32 i = 0; i < 5; i++) y *= 2 - x * y;" \
	"	factor[k + 1 + r] = a[(k + 1 + r) * 12 + k] * y; } }"

/* a[r][c] -= factor[r] a[k][c], for r below k and c from k on */
static int32_t eliminate(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *a = *(uint32_t **)arguments[0];
	const uint32_t *factor = *(uint32_t **)arguments[1];
	uint32_t k = *(uint32_t *)arguments[2], left = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t r = k + 1; r < k + 1 + left; r++)
		for (uint32_t c = k; c < N; c++)
			a[r * N + c] -= factor[r] * a[k * N + c];
	return 0;
}

#define ELIMINATE_TEXT \
	"KERNEL(eliminate) { EACH(i, (u64)left * 12) {" \
	"	u32 r = k + 1 + i / 12, c = i % 12;" \
	"	if (c >= k) a[r * 12 + c] -= factor[r] * a[k * 12 + c]; } }"

#define STEP_SIGNATURE(name, a, factor) \
	name "(a: " a " pointer u32, factor: " factor " pointer u32, " \
	"k: u32, left: u32)"

/* ---- elimination, with launches that shrink ---- */

struct solver {
	plait_kernel *factors, *eliminate;
	plait_buffer *a, *factor;
};

static plait_node add_step(plait_graph *body, plait_kernel *kernel,
			   const struct solver *solver, bool square,
			   plait_node after)
{
	/* The rows below row i, of as many as the count and one. */
	const plait_series left = { sizeof(left), PLAIT_SERIES_FROM_COUNT, 0,
				    -1, 0 };
	const plait_series both[] = { left, left };
	const plait_argument arguments[] = {
		PLAIT_BUFFER(solver->a), PLAIT_BUFFER(solver->factor),
		PLAIT_ITERATION(NULL), PLAIT_ITERATION(&left),
	};
	const plait_launch launch = { .size = sizeof(launch),
				      .dimensions = square ? 2 : 1 };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "step",
		.launch = &launch, .arguments = arguments, .argument_count = 4,
		.series = both, .series_count = square ? 2 : 1,
	};

	return add_node(body, desc, &after, after != 0);
}

static void expect_elimination(uint32_t *a, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t r = k + 1; r < k + 1 + count - k; r++) {
			uint32_t factor = a[r * N + k] * inverse(a[k * N + k]);

			for (uint32_t c = k; c < N; c++)
				a[r * N + c] -= factor * a[k * N + c];
		}
}

static void check_elimination(const struct place *place)
{
	struct solver solver = {
		.factors = new_kernel(STEP_SIGNATURE("find_factors", "in",
						     "inout"),
				      FACTORS_TEXT, find_factors),
		.eliminate = new_kernel(STEP_SIGNATURE("eliminate", "inout",
						       "in"),
					ELIMINATE_TEXT, eliminate),
		.a = cells_on(rig.device, CELLS),
		.factor = cells_on(rig.device, N),
	};
	struct counted counted = { .how = PARAMETER, .count = N - 1 };
	uint32_t expected[CELLS], found[CELLS];
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	node = add_step(body, solver.factors, &solver, false, 0);
	(void)add_step(body, solver.eliminate, &solver, true, node);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (int run = 0; run < 2; run++) {
		make_cells(expected);
		put(solver.a, expected, CELLS);
		expect_elimination(expected, (uint32_t)counted.count);
		OK_THAT(run_counted(plan, &counted, run) == PLAIT_OK,
			"elimination: %s", rig.error.text);
		get(solver.a, found, CELLS);
		OK(memcmp(expected, found, sizeof(found)) == 0);
		counted.count = N / 2;
	}
	plait_plan_release(plan);
	plait_kernel_release(solver.factors);
	plait_kernel_release(solver.eliminate);
	plait_buffer_release(solver.a);
	plait_buffer_release(solver.factor);
}

static void elimination(void)
{
	each_place(20, check_elimination);
}

/* ---- shortest paths through rows, some rows at a time ---- */

/* to[c] = the least sum down `rows` rows from row `first` on, from `from` */
static int32_t descend(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const uint32_t *wall = *(uint32_t **)arguments[0];
	const uint32_t *from = *(uint32_t **)arguments[1];
	uint32_t *to = *(uint32_t **)arguments[2];
	uint32_t first = *(uint32_t *)arguments[3];
	uint32_t rows = *(uint32_t *)arguments[4], next[N], here[N];

	(void)launch;
	(void)user_data;
	memcpy(here, from, sizeof(here));
	for (uint32_t r = first; r < first + rows; r++) {
		for (uint32_t c = 0; c < N; c++) {
			uint32_t least = here[c];

			if (c > 0 && here[c - 1] < least)
				least = here[c - 1];
			if (c + 1 < N && here[c + 1] < least)
				least = here[c + 1];
			next[c] = least + wall[r * N + c];
		}
		memcpy(here, next, sizeof(here));
	}
	memcpy(to, here, sizeof(here));
	return 0;
}

#define DESCEND_TEXT \
	"KERNEL(descend) { EACH(one, 1) { u32 here[12], next[12];" \
	"	for (u32 c = 0; c < 12; c++) here[c] = from[c];" \
	"	for (u32 r = first; r < first + rows; r++) {" \
	"		for (u32 c = 0; c < 12; c++) { u32 least = here[c];" \
	"			if (c > 0 && here[c - 1] < least) least = here[c - 1];" \
	"			if (c + 1 < 12 && here[c + 1] < least) least = here[c + 1];" \
	"			next[c] = least + wall[r * 12 + c]; }" \
	"		for (u32 c = 0; c < 12; c++) here[c] = next[c]; }" \
	"	for (u32 c = 0; c < 12; c++) to[c] = here[c]; } }"

static void expect_paths(const uint32_t *wall, uint32_t *sums, uint32_t rows)
{
	uint32_t first = 0;
	void *const arguments[] = { &wall, &sums, &sums, &first, &rows };

	(void)descend(arguments, NULL, NULL);
}

static void check_paths(const struct place *place)
{
	const plait_series first = { sizeof(first), 0, 0, BLOCK, 0 };
	const plait_series rest = { sizeof(rest), PLAIT_SERIES_FROM_COUNT, 0,
				    -BLOCK, BLOCK };
	plait_kernel *kernel = new_kernel(
		"descend(wall: in pointer u32, from: in pointer u32, "
		"to: out pointer u32, first: u32, rows: u32)",
		DESCEND_TEXT, descend);
	plait_buffer *wall = cells_on(rig.device, ROWS * N);
	plait_buffer *sums[] = { cells_on(rig.device, N),
				 cells_on(rig.device, N) };
	plait_buffer *out = cells_on(rig.device, N);
	struct counted counted = { .how = PARAMETER, .step = BLOCK };
	uint32_t heights[ROWS * N], expected[N] = { 0 }, found[N];
	plait_argument arguments[] = {
		PLAIT_BUFFER(wall), PLAIT_ROTATION(0, 0), PLAIT_ROTATION(0, 1),
		PLAIT_ITERATION(&first), PLAIT_ITERATION(&rest),
	};
	plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "descend",
		.arguments = arguments, .argument_count = 5,
	};
	const uint32_t none = 0;
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);
	plait_plan *plan;
	uint64_t turn = 0;

	for (uint32_t i = 0; i < ROWS * N; i++)
		heights[i] = (i * 2654435761u + (uint32_t)tap_seed()) >> 27;
	body = body_of(graph, node, 0);
	OK(plait_graph_add_rotation(body, sums, 2, 0, &turn, &rig.error) ==
	   PLAIT_OK);
	arguments[1].rotation = arguments[2].rotation = turn;
	(void)add_node(body, desc, NULL, 0);
	plait_graph_release(body);
	/* Behind the loop: the buffer that its last iteration wrote. */
	arguments[2] = (plait_argument)PLAIT_BUFFER(out);
	arguments[3] = arguments[4] = (plait_argument)PLAIT_VALUE(none);
	(void)add_node(graph, desc, &node, 1);
	plan = freeze_on(graph, place->lanes);
	put(wall, heights, ROWS * N);
	for (counted.count = 0; counted.count <= ROWS; counted.count += 4) {
		memset(expected, 0, sizeof(expected));
		put(sums[0], expected, N);
		expect_paths(heights, expected, (uint32_t)counted.count);
		OK_THAT(run_counted(plan, &counted, counted.count % 8) ==
			PLAIT_OK, "paths: %s", rig.error.text);
		get(out, found, N);
		OK_THAT(memcmp(expected, found, sizeof(found)) == 0,
			"%u rows", (unsigned)counted.count);
	}
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(wall);
	plait_buffer_release(out);
	plait_buffer_release(sums[0]);
	plait_buffer_release(sums[1]);
}

static void paths(void)
{
	each_place(20, check_paths);
}

static const struct tap_scenario all[] = {
	{ "elimination", elimination },
	{ "paths", paths },
};
TAP_MAIN(all)
