/* SPDX-License-Identifier: MIT */
/* Group Q: repeated submissions, the windows of a loop of known count. */
#include "conform.h"

enum { WORDS = 16, BYTES = WORDS * 4, NUMBERS = 4 };

/* x = 3 x + the numbers, of 4 and 8 bytes. */
static const char signature[] = "step(x: inout pointer u32, a: u32, b: i64, "
				"c: u64, d: i32, n: u64)";
static const char text[] =
	"KERNEL(step) { EACH(i, n) x[i] = 3 * x[i] + a + b + c + d; }\n";
static const uint64_t words = WORDS;

/* A plan under construction: `y` is `x` of the last iteration. */
struct repeat {
	struct conform *c;
	plait_queue *queue;
	plait_graph *graph, *body;
	plait_buffer *x, *y;
	plait_node last;
};

static void begin(struct repeat *r, struct conform *c, uint64_t count)
{
	*r = (struct repeat){ .c = c };
	r->queue = conform_queue(c);
	r->x = conform_buffer(c, BYTES);
	r->y = conform_buffer(c, BYTES);
	NEED(plait_graph_create(c->context, &r->graph, ERR));
	NEED(plait_graph_repeat(r->graph, count, 0, &r->body, NULL, ERR));
}

static void add(struct repeat *r, plait_node_desc desc)
{
	struct conform *c = r->c;

	desc.size = sizeof(desc);
	NEED(plait_graph_add(r->body, &desc, &r->last, r->last != 0, &r->last,
			     ERR));
}

static void add_step(struct repeat *r, plait_kernel *kernel,
		     const plait_argument numbers[NUMBERS])
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	const plait_argument arguments[] = {
		conform_memory(r->x, 0), numbers[0], numbers[1], numbers[2],
		numbers[3], conform_value(&words, sizeof(words)),
	};

	add(r, (plait_node_desc){ .kind = PLAIT_NODE_LAUNCH, .label = "step",
				  .kernel = kernel, .launch = &launch,
				  .arguments = arguments,
				  .argument_count = CONFORM_COUNT(arguments) });
}

/* Run the plan twice, from x = 1. */
static void run(struct repeat *r, uint32_t x, uint32_t y)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_QUEUES,
					 .lanes = 1, .instances = 1 };
	struct conform *c = r->c;
	uint32_t got[2] = { 0 };
	plait_plan *plan;

	NEED(plait_graph_freeze(r->graph, &desc, &plan, ERR));
	plait_graph_release(r->body);
	plait_graph_release(r->graph);
	for (int i = 0; i < 2; i++) {
		NEED(plait_queue_fill(r->queue, r->x, 0, BYTES, 1, 4, ERR));
		NEED(plait_queue_fill(r->queue, r->y, 0, BYTES, 7, 4, ERR));
		NEED(plait_queue_finish(r->queue, PLAIT_FOREVER, ERR));
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		NEED(plait_queue_read(r->queue, r->x, 0, &got[0], 4, ERR));
		NEED(plait_queue_read(r->queue, r->y, 0, &got[1], 4, ERR));
		NEED(plait_queue_finish(r->queue, PLAIT_FOREVER, ERR));
		HOLDS_THAT(got[0] == x && got[1] == y,
			   "run %d: %u and %u, not %u and %u", i, got[0],
			   got[1], x, y);
	}
	plait_plan_release(plan);
}

/* y = x; x = 3 x + 4, often. */
static void check_equal(struct conform *c, uint64_t count)
{
	static const uint64_t one = 1;
	plait_kernel *kernel = conform_kernel(c, signature, text, NULL);
	const plait_argument numbers[NUMBERS] = {
		conform_value(&one, 4), conform_value(&one, 8),
		conform_value(&one, 8), conform_value(&one, 4),
	};
	struct repeat r;
	uint32_t x = 1, y = 7;

	begin(&r, c, count);
	add(&r, (plait_node_desc){ .kind = PLAIT_NODE_COPY, .label = "copy",
				   .target = r.y, .source = r.x,
				   .bytes = BYTES });
	add_step(&r, kernel, numbers);
	for (uint64_t i = 0; i < count; i++) {
		y = x;
		x = 3 * x + 4;
	}
	run(&r, x, y);
}

static void does_all(struct conform *c)
{
	check_equal(c, 1);
	check_equal(c, 41);
	check_equal(c, 1500);
}

/* Two launches: 0, 1, ... and numbers that fall. */
static void check_numbers(struct conform *c, uint64_t count)
{
	static const plait_series falls[NUMBERS] = {
		{ sizeof(*falls), 0, 200, -3, 0 },
		{ sizeof(*falls), 0, -50000, -70000, 0 },
		{ sizeof(*falls), PLAIT_SERIES_FROM_COUNT, -1, -1, 0 },
		{ sizeof(*falls), 0, 300, -20, 0 },
	};
	plait_kernel *kernel = conform_kernel(c, signature, text, NULL);
	plait_argument numbers[NUMBERS];
	struct repeat r;
	uint32_t x = 1;

	begin(&r, c, count);
	for (int k = 0; k < NUMBERS; k++)
		numbers[k] = (plait_argument)PLAIT_ITERATION(NULL);
	add_step(&r, kernel, numbers);
	for (int k = 0; k < NUMBERS; k++)
		numbers[k].series = &falls[k];
	add_step(&r, kernel, numbers);
	for (uint64_t i = 0; i < count; i++) {
		x = 3 * x + 4 * (uint32_t)i;
		x = 3 * x + (uint32_t)(count + 500 - 50001 - 70024 * i);
	}
	run(&r, x, 7);
}

static void counts(struct conform *c)
{
	check_numbers(c, 1);
	check_numbers(c, 30);
}

static void counts_on(struct conform *c)
{
	check_numbers(c, 1500);
}

/* The queue of the plan has room for the work of two iterations. */
static void counts_once(struct conform *c)
{
	static const uint64_t one = 1;
	plait_kernel *kernel = conform_kernel(c, signature, text, NULL);
	const plait_argument numbers[NUMBERS] = {
		conform_value(&one, 4), conform_value(&one, 8),
		conform_value(&one, 8), conform_value(&one, 4),
	};
	struct repeat r;
	uint32_t x = 1;

	begin(&r, c, 3000);
	add_step(&r, kernel, numbers);
	for (int i = 0; i < 3000; i++)
		x = 3 * x + 4;
	run(&r, x, 7);
}

/* Plans on queues need completion notifications. */
enum { REPEATS = NEED_KERNELS | NEED_NOTIFY };

static const struct conform_check checks[] = {
	{ "Q10", "the work of a repeat is done as often, in its order", REPEATS,
	  does_all },
	{ "Q11", "numbers of 4 and 8 bytes follow the iterations", REPEATS,
	  counts },
	{ "Q12", "numbers go on from submission to submission", REPEATS,
	  counts_on },
	{ "Q13", "the work of a repeat counts once in the capacity", REPEATS,
	  counts_once },
};

CONFORM_GROUP(conform_repeats, "repeated submissions");
