/* SPDX-License-Identifier: MIT */
/*
 * Sweeps whose loops count, against plain C: a table filled by diagonals, where
 * the launches grow with the iteration and then shrink; and lines swept forwards
 * and back, where a row is numbered from the end.
 */
#include "repeats.h"

enum { N = 11, SIDE = N + 1, CELLS = SIDE * SIDE };

static void make_cells(uint32_t *cells, uint32_t count, uint32_t bound)
{
	uint32_t random = (uint32_t)tap_seed() | 1;

	for (uint32_t i = 0; i < count; i++) {
		random = random * 1664525u + 1013904223u;
		cells[i] = random >> 8 & (bound - 1);
	}
}

/* ---- diagonals of a table ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The cost of making the first r + 1 signs of x the first c + 1 of y; the table
 * has a border. */
static void fill_cell(uint32_t *t, const uint32_t *x, const uint32_t *y,
		      uint32_t r, uint32_t c)
{
	uint32_t *cell = &t[(r + 1) * SIDE + c + 1];

	*cell = least(cell[-SIDE - 1] + 3 * (x[r] != y[c]),
		      least(cell[-SIDE], cell[-1]) + 2);
}

/* Item j: row first + j, column last - j. */
static int32_t diagonal(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint32_t first = *(uint32_t *)arguments[3];
	uint32_t last = *(uint32_t *)arguments[4];
	uint32_t items = *(uint32_t *)arguments[5];

	(void)launch;
	(void)user_data;
	for (uint32_t j = 0; j < items; j++)
		fill_cell(*(uint32_t **)arguments[0],
			  *(uint32_t **)arguments[1],
			  *(uint32_t **)arguments[2], first + j, last - j);
	return 0;
}

#define DIAGONAL_SIGNATURE \
	"diagonal(t: inout pointer u32, x: in pointer u32, " \
	"y: in pointer u32, first: u32, last: u32, items: u32)"
#define DIAGONAL_TEXT \
	"KERNEL(diagonal) { EACH(j, items) {" \
	"	u32 r = first + (u32)j, c = last - (u32)j;" \
	"	u32 at = (r + 1) * 12 + c + 1;" \
	"	u32 d = t[at - 13] + (x[r] == y[c] ? 0 : 3);" \
	"	u32 s = t[at - 12] < t[at - 1] ? t[at - 12] : t[at - 1];" \
	"	t[at] = d < s + 2 ? d : s + 2; } }"

struct table {
	plait_kernel *kernel;
	plait_buffer *t, *x, *y;
};

static const uint32_t zero, last_column = N - 1;

/* Diagonals that grow from one cell to N, or shrink from N - 1 to one. */
static plait_node add_diagonals(plait_graph *graph, const struct table *table,
				bool grows, plait_node after)
{
	const struct counted counted = { .count = grows ? N : N - 1 };
	const plait_series ascends = { sizeof(ascends), 0, 1, 1, 0 };
	const plait_series left = { sizeof(left), PLAIT_SERIES_FROM_COUNT, 0,
				    -1, 0 };
	const plait_series *items = grows ? &ascends : &left;
	const plait_argument growing[] = {
		PLAIT_BUFFER(table->t), PLAIT_BUFFER(table->x),
		PLAIT_BUFFER(table->y), PLAIT_VALUE(zero),
		PLAIT_ITERATION(NULL), PLAIT_ITERATION(items),
	};
	const plait_argument shrinking[] = {
		PLAIT_BUFFER(table->t), PLAIT_BUFFER(table->x),
		PLAIT_BUFFER(table->y), PLAIT_ITERATION(&ascends),
		PLAIT_VALUE(last_column), PLAIT_ITERATION(items),
	};
	const plait_launch launch = { .size = sizeof(launch) };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = table->kernel,
		.launch = &launch, .arguments = grows ? growing : shrinking,
		.argument_count = 6, .series = items, .series_count = 1,
	};
	plait_node node = add_repeat(graph, &counted, &after, after != 0);
	plait_graph *body = body_of(graph, node, 0);

	(void)add_node(body, desc, NULL, 0);
	plait_graph_release(body);
	return node;
}

static void make_border(uint32_t *t)
{
	memset(t, 0, CELLS * sizeof(*t));
	for (uint32_t i = 0; i < SIDE; i++)
		t[i] = t[i * SIDE] = 2 * i;
}

static void check_table(const struct place *place)
{
	struct table table = {
		.kernel = new_kernel(DIAGONAL_SIGNATURE, DIAGONAL_TEXT,
				     diagonal),
		.t = cells_on(rig.device, CELLS), .x = cells_on(rig.device, N),
		.y = cells_on(rig.device, N),
	};
	const struct counted none = { .how = CONSTANT };
	uint32_t t[CELLS], found[CELLS], signs[2 * N];
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_diagonals(graph, &table, false,
			    add_diagonals(graph, &table, true, 0));
	plan = freeze_on(graph, place->lanes);
	make_cells(signs, 2 * N, 4);
	put(table.x, signs, N);
	put(table.y, signs + N, N);
	for (int run = 0; run < 2; run++) {
		make_border(t);
		put(table.t, t, CELLS);
		for (uint32_t r = 0; r < N; r++)
			for (uint32_t c = 0; c < N; c++)
				fill_cell(t, signs, signs + N, r, c);
		OK_THAT(run_counted(plan, &none, run) == PLAIT_OK,
			"diagonals: %s", rig.error.text);
		get(table.t, found, CELLS);
		OK(memcmp(t, found, sizeof(found)) == 0);
	}
	plait_plan_release(plan);
	plait_kernel_release(table.kernel);
	plait_buffer_release(table.t);
	plait_buffer_release(table.x);
	plait_buffer_release(table.y);
}

static void diagonals(void)
{
	each_place(20, check_table);
}

/* ---- lines, forwards and back ---- */

/* a[to] = by a[to] + a[from], by columns */
static int32_t sweep(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	uint32_t *a = *(uint32_t **)arguments[0];
	uint32_t to = *(uint32_t *)arguments[1];
	uint32_t from = *(uint32_t *)arguments[2];
	uint32_t by = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t c = 0; c < SIDE; c++)
		a[to * SIDE + c] = by * a[to * SIDE + c] + a[from * SIDE + c];
	return 0;
}

#define SWEEP_SIGNATURE "sweep(a: inout pointer u32, to: u32, from: u32, by: u32)"
#define SWEEP_TEXT \
	"KERNEL(sweep) { EACH(c, 12)" \
	"	a[to * 12 + c] = by * a[to * 12 + c] + a[from * 12 + c]; }"

static plait_node add_sweep(plait_graph *graph, plait_kernel *kernel,
			    plait_buffer *a, bool forwards, plait_node after)
{
	static const struct counted counted = { .how = PARAMETER };
	static const uint32_t by[] = { 5, 3 };
	/* Forwards row i + 1 from i; back n - 1 - i from n - i. */
	const plait_series to = { sizeof(to), forwards ? 0 :
				  PLAIT_SERIES_FROM_COUNT, forwards ? 1 : -1,
				  forwards ? 1 : -1, 0 };
	const plait_series from = { sizeof(from), forwards ? 0 :
				    PLAIT_SERIES_FROM_COUNT, 0,
				    forwards ? 1 : -1, 0 };
	const plait_argument arguments[] = {
		PLAIT_BUFFER(a), PLAIT_ITERATION(&to), PLAIT_ITERATION(&from),
		PLAIT_VALUE(by[forwards]),
	};
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { SIDE } };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4,
	};
	plait_node node = add_repeat(graph, &counted, &after, after != 0);
	plait_graph *body = body_of(graph, node, 0);

	(void)add_node(body, desc, NULL, 0);
	plait_graph_release(body);
	return node;
}

static void expect_sweeps(uint32_t *a, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < SIDE; c++)
			a[(i + 1) * SIDE + c] = 3 * a[(i + 1) * SIDE + c] +
						a[i * SIDE + c];
	for (uint32_t r = count; r-- > 0;)
		for (uint32_t c = 0; c < SIDE; c++)
			a[r * SIDE + c] = 5 * a[r * SIDE + c] +
					  a[(r + 1) * SIDE + c];
}

static void check_sweeps(const struct place *place)
{
	struct counted counted = { .how = PARAMETER, .count = N };
	plait_kernel *kernel = new_kernel(SWEEP_SIGNATURE, SWEEP_TEXT, sweep);
	plait_buffer *a = cells_on(rig.device, CELLS);
	uint32_t expected[CELLS], found[CELLS];
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_sweep(graph, kernel, a, false,
			add_sweep(graph, kernel, a, true, 0));
	plan = freeze_on(graph, place->lanes);
	for (int run = 0; run < 3; run++) {
		make_cells(expected, CELLS, 1 << 16);
		put(a, expected, CELLS);
		expect_sweeps(expected, (uint32_t)counted.count);
		OK_THAT(run_counted(plan, &counted, run == 1) == PLAIT_OK,
			"sweeps: %s", rig.error.text);
		get(a, found, CELLS);
		OK(memcmp(expected, found, sizeof(found)) == 0);
		counted.count /= 3;
	}
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(a);
}

static void sweeps(void)
{
	each_place(20, check_sweeps);
}

static const struct tap_scenario all[] = {
	{ "diagonals", diagonals },
	{ "sweeps", sweeps },
};
TAP_MAIN(all)
