/* SPDX-License-Identifier: MIT */
/*
 * A filter of images, whose constant follows in each iteration from the image,
 * against plain C: reduced by a function of the host, which gives the next launch
 * its value, or by a kernel.
 */
#include "iterative.h"

/* Whole numbers, so that all backends agree: pixels below 2,048, coefficients
 * in 256ths, differences modulo 2^32. */
enum { SIDE = 8, PIXELS = SIDE * SIDE, PASSES = 6 };

/* The sum of each row, and of its squares. */
static int32_t sum_rows(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const uint32_t *image = *(uint32_t **)arguments[0];
	uint32_t *sums = *(uint32_t **)arguments[1];

	(void)launch;
	(void)user_data;
	memset(sums, 0, 2 * SIDE * sizeof(*sums));
	for (uint32_t i = 0; i < PIXELS; i++) {
		sums[i / SIDE] += image[i];
		sums[SIDE + i / SIDE] += image[i] * image[i];
	}
	return 0;
}

#define SUM_ROWS_TEXT \
	"KERNEL(sum_rows) { EACH(row, 8) { u32 sum = 0, squares = 0;" \
	"	for (u32 i = 8 * (u32)row; i < 8 * (u32)row + 8; i++) {" \
	"		sum += image[i]; squares += image[i] * image[i]; }" \
	"	sums[row] = sum; sums[8 + row] = squares; } }"

static uint32_t variance(const uint32_t *sums)
{
	uint32_t sum = 0, squares = 0;

	for (uint32_t i = 0; i < SIDE; i++) {
		sum += sums[i];
		squares += sums[SIDE + i];
	}
	return squares / PIXELS - sum / PIXELS * (sum / PIXELS);
}

static int32_t find_spread(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint32_t **)arguments[1] = variance(*(uint32_t **)arguments[0]);
	return 0;
}

#define FIND_SPREAD_TEXT \
	"KERNEL(find_spread) { EACH(one, 1) { u32 sum = 0, squares = 0;" \
	"	for (u32 i = 0; i < 8; i++) {" \
	"		sum += sums[i]; squares += sums[8 + i]; }" \
	"	spread[0] = squares / 64 - sum / 64 * (sum / 64); } }"

/* North, south, west, east; the border is its own neighbour. */
static uint32_t neighbour(uint32_t i, uint32_t side)
{
	uint32_t row = i / SIDE, column = i % SIDE;

	switch (side) {
	case 0:
		return row > 0 ? i - SIDE : i;
	case 1:
		return row + 1 < SIDE ? i + SIDE : i;
	case 2:
		return column > 0 ? i - 1 : i;
	default:
		return column + 1 < SIDE ? i + 1 : i;
	}
}

#define NEIGHBOURS_TEXT \
	"u32 at[4]; at[0] = i / 8 > 0 ? i - 8 : i;" \
	"at[1] = i / 8 < 7 ? i + 8 : i; at[2] = i % 8 > 0 ? i - 1 : i;" \
	"at[3] = i % 8 < 7 ? i + 1 : i;"

/* How far pixel i mixes with its neighbours: less at edges. */
static uint32_t coefficient(const uint32_t *image, uint32_t i, uint32_t spread)
{
	uint32_t squares = 0;

	for (uint32_t side = 0; side < 4; side++) {
		uint32_t d = image[neighbour(i, side)] - image[i];

		squares += d * d;
	}
	return 256 * spread / (spread + squares / (image[i] + 1) + 1);
}

static void prepare(const uint32_t *image, uint32_t spread, uint32_t *c,
		    uint32_t *d)
{
	for (uint32_t i = 0; i < PIXELS; i++) {
		c[i] = coefficient(image, i, spread);
		for (uint32_t side = 0; side < 4; side++)
			d[4 * i + side] = image[neighbour(i, side)] - image[i];
	}
}

static int32_t prepare_by_value(void *const *arguments,
				const plait_launch *launch, void *user_data)
{
	(void)launch;
	(void)user_data;
	prepare(*(uint32_t **)arguments[0], *(uint32_t *)arguments[1],
		*(uint32_t **)arguments[2], *(uint32_t **)arguments[3]);
	return 0;
}

static int32_t prepare_by_pointer(void *const *arguments,
				  const plait_launch *launch, void *user_data)
{
	(void)launch;
	(void)user_data;
	prepare(*(uint32_t **)arguments[0], **(uint32_t **)arguments[1],
		*(uint32_t **)arguments[2], *(uint32_t **)arguments[3]);
	return 0;
}

#define PREPARE_SIGNATURE(spread) \
	"prepare(image: in pointer u32, spread: " spread ", " \
	"c: out pointer u32, d: out pointer u32)"
#define PREPARE_TEXT(spread) \
	"KERNEL(prepare) { EACH(pixel, 64) { u32 i = (u32)pixel;" \
	"	u32 squares = 0, s = " spread "; " NEIGHBOURS_TEXT \
	"	for (u32 k = 0; k < 4; k++) {" \
	"		u32 x = image[at[k]] - image[i];" \
	"		squares += x * x; d[4 * i + k] = x; }" \
	"	c[i] = 256 * s / (s + squares / (image[i] + 1) + 1); } }"

/* Add a part of the differences, by the coefficients here, south and east. */
static int32_t spread_out(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	uint32_t *image = *(uint32_t **)arguments[0];
	const uint32_t *c = *(uint32_t **)arguments[1];
	const uint32_t *d = *(uint32_t **)arguments[2];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < PIXELS; i++)
		image[i] = (2048 * image[i] +
			    c[i] * (d[4 * i] + d[4 * i + 2]) +
			    c[neighbour(i, 1)] * d[4 * i + 1] +
			    c[neighbour(i, 3)] * d[4 * i + 3]) / 2048;
	return 0;
}

#define SPREAD_OUT_TEXT \
	"KERNEL(spread_out) { EACH(pixel, 64) { u32 i = (u32)pixel;" \
	NEIGHBOURS_TEXT \
	"	image[i] = (2048 * image[i] + c[i] * (d[4 * i] + d[4 * i + 2])" \
	"		+ c[at[1]] * d[4 * i + 1] + c[at[3]] * d[4 * i + 3])" \
	"		/ 2048; } }"

/* Memory of the program. */
struct reduction { uint32_t sums[2 * SIDE], spread, calls; };

static int32_t reduce(void *user_data)
{
	struct reduction *reduction = user_data;

	reduction->spread = variance(reduction->sums);
	reduction->calls++;
	return 0;
}

struct filter {
	bool by_host;
	struct reduction *reduction;
	plait_kernel *sum_rows, *find_spread, *prepare, *spread_out;
	plait_buffer *image, *sums, *spread, *c, *d;
};

static plait_node add_reduction(plait_graph *body, const struct filter *f,
				plait_node node)
{
	if (!f->by_host)
		return add_step(body, f->find_spread, NULL, node,
				PLAIT_ARGUMENTS(PLAIT_BUFFER(f->sums),
						PLAIT_BUFFER(f->spread)));
	node = add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_READ, .source = f->sums,
		.bytes = sizeof(f->reduction->sums), .label = "read",
		.host_parameter = "reduction",
		.host_offset = offsetof(struct reduction, sums) }, &node, 1);
	return add_call(body, "reduce", reduce, f->reduction, &node, 1);
}

/* repeat { sum_rows ; reduce ; prepare ; spread_out } */
static plait_plan *plan_filter(const struct filter *f, uint32_t lanes)
{
	static const struct counted passes = { .count = PASSES };
	const plait_argument by_value = PLAIT_HOST_VALUE(
		"reduction", offsetof(struct reduction, spread));
	const plait_argument by_pointer = PLAIT_BUFFER(f->spread);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &passes, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_step(body, f->sum_rows, NULL, 0, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(f->image), PLAIT_BUFFER(f->sums)));
	node = add_reduction(body, f, node);
	node = add_step(body, f->prepare, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(f->image), f->by_host ? by_value : by_pointer,
		PLAIT_BUFFER(f->c), PLAIT_BUFFER(f->d)));
	(void)add_step(body, f->spread_out, NULL, node, PLAIT_ARGUMENTS(
		PLAIT_BUFFER(f->image), PLAIT_BUFFER(f->c),
		PLAIT_BUFFER(f->d)));
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* The weighted differences summed with their signs, without tables. */
static void filter_once(uint32_t *image)
{
	uint32_t from[PIXELS];
	uint64_t sum = 0, squares = 0;

	memcpy(from, image, sizeof(from));
	for (uint32_t i = 0; i < PIXELS; i++) {
		sum += from[i];
		squares += (uint64_t)from[i] * from[i];
	}
	sum /= PIXELS;
	squares = squares / PIXELS - sum * sum;
	for (uint32_t i = 0; i < PIXELS; i++) {
		int64_t total = 0;

		for (uint32_t side = 0; side < 4; side++) {
			uint32_t at = neighbour(i, side);
			uint32_t by = side % 2 ? at : i;

			total += (int64_t)coefficient(from, by,
						      (uint32_t)squares) *
				 ((int64_t)from[at] - from[i]);
		}
		image[i] = (uint32_t)((2048 * (int64_t)from[i] + total) / 2048);
	}
}

/* Twice in a row: the second run goes on with the image of the first. */
static void check_images(const struct filter *f, plait_plan *plan)
{
	uint32_t image[PIXELS], found[PIXELS];
	uint32_t random = (uint32_t)tap_seed();

	for (uint32_t i = 0; i < PIXELS; i++)
		image[i] = next_random(&random) % 2048;
	put(f->image, image, PIXELS);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < PASSES; i++)
			filter_once(image);
		f->reduction->calls = 0;
		OK_THAT(run_memory(plan, f->by_host ? f->reduction : NULL,
				   sizeof(*f->reduction), run) == PLAIT_OK,
			"filter: %s", rig.error.text);
		IS_UINT(f->reduction->calls, f->by_host ? PASSES : 0);
		get(f->image, found, PIXELS);
		OK(memcmp(image, found, sizeof(image)) == 0);
	}
	plait_plan_release(plan);
}

static void open_filter(struct filter *f)
{
	f->sum_rows = new_kernel("sum_rows(image: in pointer u32, "
				 "sums: out pointer u32)",
				 SUM_ROWS_TEXT, sum_rows);
	f->find_spread = new_kernel("find_spread(sums: in pointer u32, "
				    "spread: out pointer u32)",
				    FIND_SPREAD_TEXT, find_spread);
	f->prepare = f->by_host ?
		new_kernel(PREPARE_SIGNATURE("u32"), PREPARE_TEXT("spread"),
			   prepare_by_value) :
		new_kernel(PREPARE_SIGNATURE("in pointer u32"),
			   PREPARE_TEXT("spread[0]"), prepare_by_pointer);
	f->spread_out = new_kernel("spread_out(image: inout pointer u32, "
				   "c: in pointer u32, d: in pointer u32)",
				   SPREAD_OUT_TEXT, spread_out);
	f->image = cells_on(rig.device, PIXELS);
	f->sums = cells_on(rig.device, 2 * SIDE);
	f->spread = words_on(rig.device);
	f->c = cells_on(rig.device, PIXELS);
	f->d = cells_on(rig.device, 4 * PIXELS);
}

static void close_filter(struct filter *f)
{
	plait_kernel_release(f->sum_rows);
	plait_kernel_release(f->find_spread);
	plait_kernel_release(f->prepare);
	plait_kernel_release(f->spread_out);
	plait_buffer_release(f->image);
	plait_buffer_release(f->sums);
	plait_buffer_release(f->spread);
	plait_buffer_release(f->c);
	plait_buffer_release(f->d);
}

static void check_filter(const struct place *place, bool by_host)
{
	struct reduction reduction = { .calls = 0 };
	struct filter f = { .by_host = by_host, .reduction = &reduction };

	open_filter(&f);
	check_images(&f, plan_filter(&f, place->lanes));
	close_filter(&f);
}

static void check_reduced_by_host(const struct place *place)
{
	check_filter(place, true);
}

static void check_reduced_by_kernel(const struct place *place)
{
	check_filter(place, false);
}

static void reduced_by_host(void)
{
	each_place(12, check_reduced_by_host);
}

static void reduced_by_kernel(void)
{
	each_place(12, check_reduced_by_kernel);
}

static const struct tap_scenario all[] = {
	{ "reduced by the host", reduced_by_host },
	{ "reduced by a kernel", reduced_by_kernel },
};
TAP_MAIN(all)
