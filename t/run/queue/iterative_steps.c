/* SPDX-License-Identifier: MIT */
/*
 * Loops that count and whose steps reduce what the step before has made, against
 * plain C: orthogonal columns, where the launches shrink with the columns that are
 * left; and particles, which are weighted and drawn again in each step.
 */
#include "iterative.h"

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

/* ---- particles ---- */

/* Whole numbers, so that all backends agree: weights in 65,536ths. */
enum { PARTICLES = 32, STEPS = 9 };

/* The object is at 1000 + 8 k; particles go on by 0 to 15. */
static uint32_t move_at(uint32_t i, uint32_t k)
{
	uint32_t hash = i * 2654435761u + k * 2246822519u;

	return (hash ^ hash >> 13) & 15;
}

static uint32_t weigh_at(uint32_t x, uint32_t k)
{
	uint32_t at = 1000 + 8 * k, d = x > at ? x - at : at - x;

	return 1 + 4096 / (1 + d * d);
}

static int32_t move(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *x = *(uint32_t **)arguments[1];
	uint32_t *w = *(uint32_t **)arguments[2];
	uint32_t k = *(uint32_t *)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < PARTICLES; i++) {
		x[i] = from[i] + move_at(i, k);
		w[i] = weigh_at(x[i], k);
	}
	return 0;
}

#define MOVE_TEXT \
	"KERNEL(move) { EACH(i, 32) {" \
	"	u32 hash = (u32)i * 2654435761u + k * 2246822519u;" \
	"	u32 at = 1000 + 8 * k, d;" \
	"	x[i] = from[i] + ((hash ^ hash >> 13) & 15);" \
	"	d = x[i] > at ? x[i] - at : at - x[i];" \
	"	w[i] = 1 + 4096 / (1 + d * d); } }"

static int32_t total(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	const uint32_t *w = *(uint32_t **)arguments[0];
	uint32_t *sum = *(uint32_t **)arguments[1];

	(void)launch;
	(void)user_data;
	*sum = 0;
	for (uint32_t i = 0; i < PARTICLES; i++)
		*sum += w[i];
	return 0;
}

#define TOTAL_TEXT \
	"KERNEL(total) { EACH(one, 1) { u32 s = 0;" \
	"	for (u32 i = 0; i < 32; i++) s += w[i];" \
	"	sum[0] = s; } }"

static int32_t normalise(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *w = *(uint32_t **)arguments[0];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < PARTICLES; i++)
		w[i] = w[i] * 65536 / **(uint32_t **)arguments[1];
	return 0;
}

#define NORMALISE_TEXT \
	"KERNEL(normalise) { EACH(i, 32) w[i] = w[i] * 65536 / sum[0]; }"

/* The sums of weights up to each particle, and the mean position of step k. */
static int32_t accumulate(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const uint32_t *w = *(uint32_t **)arguments[0];
	const uint32_t *x = *(uint32_t **)arguments[1];
	uint32_t *ends = *(uint32_t **)arguments[2], sum = 0, moment = 0;
	uint32_t k = *(uint32_t *)arguments[4];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < PARTICLES; i++) {
		moment += w[i] * x[i];
		ends[i] = sum += w[i];
	}
	(*(uint32_t **)arguments[3])[k] = moment / sum;
	return 0;
}

#define ACCUMULATE_TEXT \
	"KERNEL(accumulate) { EACH(one, 1) { u32 sum = 0, moment = 0;" \
	"	for (u32 i = 0; i < 32; i++) { moment += w[i] * x[i];" \
	"		sum += w[i]; ends[i] = sum; }" \
	"	means[k] = moment / sum; } }"

/* Particle j is the first whose sum exceeds the j-th of equal parts. */
static int32_t draw(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const uint32_t *x = *(uint32_t **)arguments[0];
	const uint32_t *ends = *(uint32_t **)arguments[1];
	uint32_t *to = *(uint32_t **)arguments[2];
	uint32_t last = ends[PARTICLES - 1];
	uint32_t first = *(uint32_t *)arguments[3] % last;

	(void)launch;
	(void)user_data;
	for (uint32_t j = 0; j < PARTICLES; j++) {
		uint32_t i = 0;

		while (ends[i] <= (j * last + first) / PARTICLES)
			i++;
		to[j] = x[i];
	}
	return 0;
}

#define DRAW_TEXT \
	"KERNEL(draw) { EACH(j, 32) { u32 last = ends[31], i = 0;" \
	"	u32 part = ((u32)j * last + first % last) / 32;" \
	"	while (ends[i] <= part) i++;" \
	"	to[j] = x[i]; } }"

struct particles {
	plait_kernel *move, *total, *normalise, *accumulate, *draw;
	plait_buffer *drawn, *x, *w, *sum, *ends, *means;
};

/* repeat n { move ; total ; normalise ; accumulate ; draw } */
static plait_plan *plan_particles(const struct particles *p, uint32_t lanes)
{
	static const struct counted steps = { .how = PARAMETER };
	static const plait_series first = { sizeof(first), 0, 20011, 7919, 0 };
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &steps, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_step(body, p->move, NULL, 0, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(p->drawn), PLAIT_BUFFER(p->x),
		PLAIT_BUFFER(p->w), PLAIT_ITERATION(NULL)));
	node = add_step(body, p->total, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(p->w), PLAIT_BUFFER(p->sum)));
	node = add_step(body, p->normalise, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(p->w), PLAIT_BUFFER(p->sum)));
	node = add_step(body, p->accumulate, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(p->w), PLAIT_BUFFER(p->x), PLAIT_BUFFER(p->ends),
		PLAIT_BUFFER(p->means), PLAIT_ITERATION(NULL)));
	(void)add_step(body, p->draw, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(p->x), PLAIT_BUFFER(p->ends),
		PLAIT_BUFFER(p->drawn), PLAIT_ITERATION(&first)));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* One step: particles are drawn by one walk along the sums. */
static uint32_t filter_particles(uint32_t *drawn, uint32_t k)
{
	uint32_t x[PARTICLES], i = 0;
	uint64_t w[PARTICLES], sum = 0, last = 0, moment = 0, end, first;

	for (uint32_t j = 0; j < PARTICLES; j++) {
		x[j] = drawn[j] + move_at(j, k);
		sum += weigh_at(x[j], k);
	}
	for (uint32_t j = 0; j < PARTICLES; j++) {
		w[j] = (uint64_t)weigh_at(x[j], k) * 65536 / sum;
		last += w[j];
		moment += w[j] * x[j];
	}
	end = w[0];
	first = (20011 + 7919 * k) % last;
	for (uint32_t j = 0; j < PARTICLES; j++) {
		while (end <= (j * last + first) / PARTICLES)
			end += w[++i];
		drawn[j] = x[i];
	}
	return (uint32_t)(moment / last);
}

static void check_steps(const struct particles *p, plait_plan *plan,
			uint32_t steps)
{
	const struct counted counted = { .how = PARAMETER, .count = steps };
	uint32_t drawn[PARTICLES], found[PARTICLES], means[STEPS] = { 0 };
	uint32_t random = (uint32_t)tap_seed();

	for (uint32_t i = 0; i < PARTICLES; i++)
		drawn[i] = 960 + next_random(&random) % 64;
	put(p->drawn, drawn, PARTICLES);
	put(p->means, means, STEPS);
	for (uint32_t k = 0; k < steps; k++)
		means[k] = filter_particles(drawn, k);
	OK_THAT(run_counted(plan, &counted, steps % 2) == PLAIT_OK,
		"particles: %s", rig.error.text);
	get(p->drawn, found, PARTICLES);
	OK_THAT(memcmp(drawn, found, sizeof(drawn)) == 0, "%u steps", steps);
	get(p->means, found, STEPS);
	OK_THAT(memcmp(means, found, sizeof(means)) == 0, "%u means", steps);
}

static void open_particles(struct particles *p)
{
	p->move = new_kernel("move(from: in pointer u32, x: out pointer u32, "
			     "w: out pointer u32, k: u32)", MOVE_TEXT, move);
	p->total = new_kernel("total(w: in pointer u32, sum: out pointer u32)",
			      TOTAL_TEXT, total);
	p->normalise = new_kernel("normalise(w: inout pointer u32, "
				  "sum: in pointer u32)",
				  NORMALISE_TEXT, normalise);
	p->accumulate = new_kernel("accumulate(w: in pointer u32, "
				   "x: in pointer u32, ends: out pointer u32, "
				   "means: inout pointer u32, k: u32)",
				   ACCUMULATE_TEXT, accumulate);
	p->draw = new_kernel("draw(x: in pointer u32, ends: in pointer u32, "
			     "to: out pointer u32, first: u32)",
			     DRAW_TEXT, draw);
	p->drawn = cells_on(rig.device, PARTICLES);
	p->x = cells_on(rig.device, PARTICLES);
	p->w = cells_on(rig.device, PARTICLES);
	p->sum = words_on(rig.device);
	p->ends = cells_on(rig.device, PARTICLES);
	p->means = cells_on(rig.device, STEPS);
}

static void close_particles(struct particles *p)
{
	plait_kernel_release(p->move);
	plait_kernel_release(p->total);
	plait_kernel_release(p->normalise);
	plait_kernel_release(p->accumulate);
	plait_kernel_release(p->draw);
	plait_buffer_release(p->drawn);
	plait_buffer_release(p->x);
	plait_buffer_release(p->w);
	plait_buffer_release(p->sum);
	plait_buffer_release(p->ends);
	plait_buffer_release(p->means);
}

static void check_particles(const struct place *place)
{
	struct particles p;
	plait_plan *plan;

	open_particles(&p);
	plan = plan_particles(&p, place->lanes);
	check_steps(&p, plan, STEPS);
	check_steps(&p, plan, 2);
	plait_plan_release(plan);
	close_particles(&p);
}

static void weighted_particles(void)
{
	each_place(12, check_particles);
}

static const struct tap_scenario all[] = {
	{ "orthogonal columns", orthogonal_columns },
	{ "weighted particles", weighted_particles },
};
TAP_MAIN(all)
