/* SPDX-License-Identifier: MIT */
/*
 * Programs whose loops count, against plain C: distances between all points
 * through one more point at a time, on rotating buffers; a sort by digits, whose
 * shift is a multiple of the iteration; and a sorting network, whose inner loop
 * is as long as a kernel of the outer one says.
 */
#include "repeats.h"

enum { N = 12, CELLS = N * N, KEYS_LOG = 6, KEYS = 1 << KEYS_LOG, DIGITS = 8 };

static void make_keys(uint32_t *keys, uint32_t count)
{
	uint32_t random = (uint32_t)tap_seed() | 1;

	for (uint32_t i = 0; i < count; i++) {
		random = random * 1664525u + 1013904223u;
		keys[i] = random ^ random >> 15;
	}
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* ---- distances ---- */

/* to = from, or the way through k if that is shorter */
static int32_t relax(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *to = *(uint32_t **)arguments[1], k = *(uint32_t *)arguments[2];

	(void)launch;
	(void)user_data;
	for (uint32_t i = 0; i < CELLS; i++) {
		uint32_t way = from[i / N * N + k] + from[k * N + i % N];

		to[i] = way < from[i] ? way : from[i];
	}
	return 0;
}

#define RELAX_TEXT \
	"KERNEL(relax) { EACH(i, 144) {" \
	"	u32 way = from[i / 12 * 12 + k] + from[k * 12 + i % 12];" \
	"	to[i] = way < from[i] ? way : from[i]; } }"

/* A launch that reads a rotating buffer and writes the next one, and copies out
 * what the last one wrote. */
static plait_plan *rotate(const struct place *place, plait_kernel *kernel,
			  plait_buffer *const *buffers, plait_buffer *out,
			  const plait_series *series,
			  const struct counted *counted)
{
	plait_argument arguments[] = {
		PLAIT_ROTATION(0, 0), PLAIT_ROTATION(0, 1),
		PLAIT_ITERATION(series),
	};
	plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "turn",
		.arguments = arguments, .argument_count = 3,
	};
	const uint32_t last = 0;
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, counted, NULL, 0);
	uint64_t turn = 0;

	body = body_of(graph, node, 0);
	OK(plait_graph_add_rotation(body, buffers, 2, 0, &turn, &rig.error) ==
	   PLAIT_OK);
	arguments[0].rotation = arguments[1].rotation = turn;
	(void)add_node(body, desc, NULL, 0);
	plait_graph_release(body);
	arguments[1] = (plait_argument)PLAIT_BUFFER(out);
	arguments[2] = (plait_argument)PLAIT_VALUE(last);
	(void)add_node(graph, desc, &node, 1);
	return freeze_on(graph, place->lanes);
}

/* Through point 0 once more at the end: that is no shorter way. */
static void check_distances(const struct place *place)
{
	plait_kernel *kernel = new_kernel(
		"relax(from: in pointer u32, to: out pointer u32, k: u32)",
		RELAX_TEXT, relax);
	plait_buffer *d[] = { cells_on(rig.device, CELLS),
			      cells_on(rig.device, CELLS) };
	plait_buffer *out = cells_on(rig.device, CELLS);
	const struct counted counted = { .how = CONSTANT, .count = N };
	uint32_t ways[2][CELLS], found[CELLS];
	plait_plan *plan = rotate(place, kernel, d, out, NULL, &counted);

	make_keys(ways[0], CELLS);
	for (uint32_t i = 0; i < CELLS; i++)
		ways[0][i] = i % (N + 1) == 0 ? 0 : ways[0][i] >> 20;
	put(d[0], ways[0], CELLS);
	OK_THAT(run_counted(plan, &counted, true) == PLAIT_OK,
		"distances: %s", rig.error.text);
	for (uint32_t k = 0; k < N; k++) {
		uint32_t *from = ways[k % 2], *to = ways[(k + 1) % 2];
		void *const arguments[] = { &from, &to, &k };

		(void)relax(arguments, NULL, NULL);
	}
	get(out, found, CELLS);
	OK(memcmp(ways[N % 2], found, sizeof(found)) == 0);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(out);
	plait_buffer_release(d[0]);
	plait_buffer_release(d[1]);
}

static void distances(void)
{
	each_place(20, check_distances);
}

/* ---- a sort by digits ---- */

/* Stable, by the four bits from `shift` on. */
static int32_t deal(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *to = *(uint32_t **)arguments[1], at = 0;
	uint32_t shift = *(uint32_t *)arguments[2];

	(void)launch;
	(void)user_data;
	for (uint32_t digit = 0; digit < 16; digit++)
		for (uint32_t i = 0; i < KEYS; i++)
			if ((from[i] >> shift & 15) == digit)
				to[at++] = from[i];
	return 0;
}

#define DEAL_TEXT \
	"KERNEL(deal) { EACH(one, 1) { u32 at = 0;" \
	"	for (u32 digit = 0; digit < 16; digit++)" \
	"		for (u32 i = 0; i < 64; i++)" \
	"			if ((from[i] >> shift & 15) == digit)" \
	"				to[at++] = from[i]; } }"

/* Behind the loop by the lowest digit once more: of sorted keys, so the test
 * sorts by that as well. */
static void expect_digits(uint32_t *keys)
{
	static uint32_t dealt[KEYS];
	uint32_t *to = dealt, shift = 0;
	void *const arguments[] = { &keys, &to, &shift };

	qsort(keys, KEYS, sizeof(*keys), compare);
	(void)deal(arguments, NULL, NULL);
	memcpy(keys, dealt, sizeof(dealt));
}

static void check_digits(const struct place *place)
{
	const plait_series shift = { sizeof(shift), 0, 0, 4, 0 };
	plait_kernel *kernel = new_kernel(
		"deal(from: in pointer u32, to: out pointer u32, shift: u32)",
		DEAL_TEXT, deal);
	plait_buffer *keys[] = { cells_on(rig.device, KEYS),
				 cells_on(rig.device, KEYS) };
	plait_buffer *out = cells_on(rig.device, KEYS);
	const struct counted counted = { .how = PARAMETER, .count = DIGITS };
	uint32_t expected[KEYS], found[KEYS];
	plait_plan *plan = rotate(place, kernel, keys, out, &shift, &counted);

	make_keys(expected, KEYS);
	put(keys[0], expected, KEYS);
	OK_THAT(run_counted(plan, &counted, false) == PLAIT_OK,
		"digits: %s", rig.error.text);
	expect_digits(expected);
	get(out, found, KEYS);
	OK(memcmp(expected, found, sizeof(found)) == 0);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(out);
	plait_buffer_release(keys[0]);
	plait_buffer_release(keys[1]);
}

static void digits(void)
{
	each_place(20, check_digits);
}

/* ---- a sorting network ---- */

/* length = stage + 1: the steps of the stage */
static int32_t begin_stage(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint32_t **)arguments[0] = *(uint32_t *)arguments[1] + 1;
	return 0;
}

#define BEGIN_TEXT "KERNEL(begin_stage) { EACH(one, 1) *length = stage + 1; }"

/* Order the pairs 2^step apart, in blocks of 2^length that alternate. */
static int32_t exchange(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint32_t *x = *(uint32_t **)arguments[0];
	uint32_t length = **(uint32_t **)arguments[1];
	uint32_t step = *(uint32_t *)arguments[2];

	(void)launch;
	(void)user_data;
	for (uint32_t p = 0; p < KEYS / 2; p++) {
		uint32_t low = (p >> step << (step + 1)) +
			       (p & ((1u << step) - 1));
		uint32_t high = low + (1u << step), a = x[low], b = x[high];

		if ((low >> length & 1) == (a > b ? 0u : 1u)) {
			x[low] = b;
			x[high] = a;
		}
	}
	return 0;
}

#define EXCHANGE_TEXT \
	"KERNEL(exchange) { EACH(i, 32) { u32 p = (u32)i;" \
	"	u32 low = (p >> step << (step + 1)) + (p & ((1u << step) - 1));" \
	"	u32 high = low + (1u << step), a = x[low], b = x[high];" \
	"	if ((low >> *length & 1) == (a > b ? 0u : 1u)) {" \
	"		x[low] = b; x[high] = a; } } }"

struct network {
	plait_kernel *begin, *exchange;
	plait_buffer *x, *length;
};

/* Step j of a stage of n is n - 1 - j. */
static void add_stage(plait_graph *body, const struct network *network)
{
	const plait_series step = { sizeof(step), PLAIT_SERIES_FROM_COUNT, -1,
				    -1, 0 };
	const plait_argument begin[] = { PLAIT_BUFFER(network->length),
					 PLAIT_ITERATION(NULL) };
	const plait_argument order[] = { PLAIT_BUFFER(network->x),
					 PLAIT_BUFFER(network->length),
					 PLAIT_ITERATION(&step) };
	const struct counted steps = { .how = WORD, .word = network->length };
	plait_node node = add_node(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = network->begin,
			.label = "begin", .arguments = begin,
			.argument_count = 2 }, NULL, 0);
	plait_graph *inner;

	node = add_repeat(body, &steps, &node, 1);
	inner = body_of(body, node, 0);
	(void)add_node(inner, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = network->exchange,
			.label = "order", .arguments = order,
			.argument_count = 3 }, NULL, 0);
	plait_graph_release(inner);
}

static void check_network(const struct place *place)
{
	struct network network = {
		.begin = new_kernel("begin_stage(length: out pointer u32, "
				    "stage: u32)", BEGIN_TEXT, begin_stage),
		.exchange = new_kernel("exchange(x: inout pointer u32, "
				       "length: in pointer u32, step: u32)",
				       EXCHANGE_TEXT, exchange),
		.x = cells_on(rig.device, KEYS),
		.length = cells_on(rig.device, 1),
	};
	const struct counted stages = { .how = CONSTANT, .count = KEYS_LOG };
	uint32_t expected[KEYS], found[KEYS];
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &stages, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, node, 0);
	add_stage(body, &network);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	make_keys(expected, KEYS);
	put(network.x, expected, KEYS);
	OK_THAT(run_counted(plan, &stages, true) == PLAIT_OK, "network: %s",
		rig.error.text);
	qsort(expected, KEYS, sizeof(*expected), compare);
	get(network.x, found, KEYS);
	OK(memcmp(expected, found, sizeof(found)) == 0);
	plait_plan_release(plan);
	plait_kernel_release(network.begin);
	plait_kernel_release(network.exchange);
	plait_buffer_release(network.x);
	plait_buffer_release(network.length);
}

static void networks(void)
{
	each_place(20, check_network);
}

static const struct tap_scenario all[] = {
	{ "distances", distances },
	{ "digits", digits },
	{ "networks", networks },
};
TAP_MAIN(all)
