/* SPDX-License-Identifier: MIT */
/*
 * Calls of OpenCL in runs of a loop of known count, on the stand-in: as many as a
 * program makes that enqueues the launches by itself.  Each launch is one call, and
 * one more for each argument that changes; the rest is a few calls per window of
 * iterations.  Runs after the first make no kernel objects, or a few where the core
 * replaces launches.
 */
#include "standin/opencl/standin.h"

/* Above two windows of the core, of 512 launches, launches with a size of their own
 * are made anew in each run. */
enum { FEW = 400, MANY = 3000, RUNS = 3 };

static plait_error error;
static plait_context *context;
static plait_device *device;
static plait_buffer *buffer;
static plait_plan *plan;

/* Arguments of the launches. */
enum kind { EQUAL, NUMBER, TWO_NUMBERS, SIZE, KINDS };

static const struct {
	const char *signature, *code;
	uint32_t changes; /* arguments of a launch */
} kinds[KINDS] = {
	[EQUAL] = { "take(x: inout pointer u32)",
		    "__kernel void take(__global uint *x) { }\n", 0 },
	[NUMBER] = { "take(x: inout pointer u32, a: u32)",
		     "__kernel void take(__global uint *x, uint a) { }\n", 1 },
	[TWO_NUMBERS] = { "take(x: inout pointer u32, a: u32, b: u32)",
			  "__kernel void take(__global uint *x, uint a, "
			  "uint b) { }\n", 2 },
	[SIZE] = { "take(x: inout pointer u32)",
		   "__kernel void take(__global uint *x) { }\n", 0 },
};

static enum kind current;

/* x = 3 x + the numbers, or the items */
static int32_t take(void *const *arguments, const plait_launch *launch,
		    void *data)
{
	uint32_t *x = *(uint32_t **)arguments[0];

	(void)data;
	*x = 3 * *x + (uint32_t)launch->items[0];
	if (current == NUMBER || current == TWO_NUMBERS)
		*x += *(uint32_t *)arguments[1];
	if (current == TWO_NUMBERS)
		*x += 7 * *(uint32_t *)arguments[2];
	return 0;
}

static uint32_t expect(uint32_t count)
{
	uint32_t x = 1;

	for (uint32_t i = 0; i < count; i++) {
		x = 3 * x + (current == SIZE ? i + 1 : 1);
		if (current == NUMBER || current == TWO_NUMBERS)
			x += i;
		if (current == TWO_NUMBERS)
			x += 7 * (count - i);
	}
	return x;
}

/* --- the plan ------------------------------------------------------------- */

static void open_it(const char *counted)
{
	const struct fakecl_setup setup = { .devices = 1, .fail = counted,
					    .mode = FAKECL_FLUSHED };
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl", .workers = 1,
					  .options = options };
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	error = (plait_error){ .size = sizeof(error) };
	standin()->reset(&setup);
	standin()->teach("take", NULL, take);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s",
		       standin_path);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &buffer, &error), PLAIT_OK);
}

static plait_kernel *make_kernel(void)
{
	const plait_source source = { .size = sizeof(source),
				      .form = PLAIT_SOURCE_OPENCL_C,
				      .code = kinds[current].code };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = kinds[current].signature,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(context, &desc, &kernel, &error) ==
		PLAIT_OK, "%s", error.text);
	return kernel;
}

static void make_plan(uint32_t count)
{
	static const plait_series back = { sizeof(back),
					   PLAIT_SERIES_FROM_COUNT, 0, -1, 0 };
	static const plait_series from_one = { sizeof(from_one), 0, 1, 1, 0 };
	static const plait_launch one = { .size = sizeof(one), .items = { 1 } };
	plait_kernel *kernel = make_kernel();
	plait_argument arguments[3] = { PLAIT_BUFFER(buffer),
					PLAIT_ITERATION(NULL),
					PLAIT_ITERATION(NULL) };
	const plait_node_desc launch = {
		.size = sizeof(launch), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .launch = &one, .arguments = arguments,
		.argument_count = 1 + kinds[current].changes,
		.series = current == SIZE ? &from_one : NULL,
		.series_count = current == SIZE, .device = device,
	};
	plait_graph *graph, *body;

	arguments[2].series = &back;
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_repeat(graph, count, 0, &body, NULL, &error),
	       PLAIT_OK);
	OK_THAT(plait_graph_add(body, &launch, NULL, 0, NULL, &error) ==
		PLAIT_OK, "%s", error.text);
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &error) == PLAIT_OK,
		"%s", error.text);
	OK_THAT(plait_plan_prepare(plan, &error) == PLAIT_OK, "%s",
		error.text);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
}

static void close_it(void)
{
	plait_plan_release(plan);
	plait_buffer_release(buffer);
	plait_context_release(context);
	standin_is_clean();
	standin()->reset(&(struct fakecl_setup){ .devices = 1 });
}

/* --- runs ----------------------------------------------------------------- */

static void set_word(uint32_t word)
{
	plait_queue *queue;

	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_write(queue, buffer, 0, &word, 4, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_queue_release(queue);
}

static uint32_t get_word(void)
{
	plait_queue *queue;
	uint32_t word = 0;

	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_read(queue, buffer, 0, &word, 4, &error), PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_queue_release(queue);
	return word;
}

/* Returns the number of calls in a run. */
static uint64_t count_calls(uint32_t count)
{
	uint64_t before;

	set_word(1);
	before = standin_report().calls;
	OK_THAT(plait_plan_call(plan, NULL, NULL, &error) == PLAIT_OK, "%s",
		error.text);
	before = standin_report().calls - before;
	IS_UINT(get_word(), expect(count));
	return before;
}

/* At most `each` calls per launch and `rest` more. */
static void check(const char *name, uint32_t count, uint64_t each,
		  uint64_t rest)
{
	open_it(name);
	make_plan(count);
	for (int run = 0; run < RUNS; run++) {
		uint64_t calls = count_calls(count);

		OK_THAT(run == 0 || calls <= each * count + rest,
			"kind %d, %u launches: %s %u times, at most %u",
			(int)current, (unsigned)count, name, (unsigned)calls,
			(unsigned)(each * count + rest));
	}
	close_it();
}

static void check_kind(void)
{
	const uint32_t counts[] = { FEW, MANY };

	for (size_t i = 0; i < TAP_COUNT(counts); i++) {
		const uint32_t count = counts[i];
		const uint64_t windows = count / 512 + 1;
		const uint64_t made = current == SIZE && count > FEW ?
				      8 * windows : 0;

		check("clEnqueueNDRangeKernel", count, 1, 0);
		check("clSetKernelArg", count, kinds[current].changes, made);
		check("clCreateKernel", count, 0, made);
		check("clRetainKernel", count, 0, 0);
		check("clSetEventCallback", count, 0, windows);
		check("clReleaseEvent", count, 0, 4 * windows);
		check("clRetainEvent", count, 0, 4 * windows);
		check("clFlush", count, 0, 2 * windows);
	}
}

static void equal(void)
{
	current = EQUAL;
	check_kind();
}

static void number(void)
{
	current = NUMBER;
	check_kind();
}

static void two_numbers(void)
{
	current = TWO_NUMBERS;
	check_kind();
}

static void size(void)
{
	current = SIZE;
	check_kind();
}

/* A few launches with sizes have an object each: nothing is set again. */
static void few(void)
{
	current = SIZE;
	check("clSetKernelArg", 7, 0, 0);
}

static const struct tap_scenario all[] = {
	{ "equal launches", equal },
	{ "a number of the iteration", number },
	{ "two numbers", two_numbers },
	{ "a size of the iteration", size },
	{ "few launches", few },
};

TAP_MAIN(all)
