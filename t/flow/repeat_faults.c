/* SPDX-License-Identifier: MIT */
/*
 * Repetitions, named or found, captures and advice on devices while the k-th allocation
 * fails, for each k (without PLAIT_SOAK=1 each seventh, or more, from one that the seed
 * chooses) until the program does not get so far: no call leaves memory, every wait
 * ends, and the flow goes on.
 */
#include "flows.h"

#include "plait/repeat.h"

#include <sched.h>
#include <stdlib.h>

enum { N = 16, MOST = 5000, STRIDE = 7 };

static uint64_t stride = STRIDE;
static plait_flow_flags flags;

/* Threads of the simulator allocate, too; and free what a context has left. */
static uint64_t allocations, failing;
static bool has_failed;
static int64_t bytes_left;

static bool is_failing(void)
{
	uint64_t number = __atomic_add_fetch(&allocations, 1, __ATOMIC_SEQ_CST);
	uint64_t first = __atomic_load_n(&failing, __ATOMIC_SEQ_CST);

	if (number != first)
		return false;
	__atomic_store_n(&has_failed, true, __ATOMIC_SEQ_CST);
	return true;
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *moved = NULL;

	(void)user_data;
	if (new_bytes > old_bytes && is_failing())
		return NULL;
	if (new_bytes == 0)
		free(pointer);
	else
		moved = realloc(pointer, new_bytes);
	__atomic_add_fetch(&bytes_left,
			   (int64_t)new_bytes - (int64_t)old_bytes,
			   __ATOMIC_SEQ_CST);
	return moved;
}

static plait_allocator allocator = { sizeof(allocator), 0, resize, NULL };
static plait_context *context;
static plait_kernel *axpy;
static plait_data *data[2];
static plait_device *devices[2];
static plait_error failure = { .size = sizeof(failure) };

static bool open_all(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .allocator = &allocator,
		.flags = PLAIT_CONTEXT_NO_WORKERS, .backends = "host,chaos",
		.options = "chaos:devices=2,peers=none",
	};
	const plait_flow_desc flow_desc = { .size = sizeof(flow_desc),
					    .devices = devices,
					    .device_count = 2, .window = 128,
					    .flags = flags };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = run_axpy,
		.signature = "axpy(a: f32, x: in pointer f32, y: pointer f32)",
	};
	plait_data_desc shape = { .size = sizeof(shape), .dimensions = 1,
				  .element_bytes = 4, .extent = { N } };
	bool done = plait_context_open(&desc, &context, &failure) == PLAIT_OK;

	for (uint32_t i = 0; done && i < 2; i++)
		done = plait_context_device(context, 1 + i, &devices[i],
					    &failure) == PLAIT_OK;
	done = done && plait_kernel_create(context, &kernel, &axpy, &failure) ==
			       PLAIT_OK &&
	       plait_flow_create(context, &flow_desc, &flow, &failure) ==
			PLAIT_OK;
	for (int i = 0; done && i < 2; i++)
		done = plait_data_create(flow, &shape, &data[i], &failure) ==
		       PLAIT_OK;
	return OK_THAT(done, "open: %s", failure.text);
}

static void close_all(void)
{
	for (int i = 0; i < 2; i++)
		plait_data_release(data[i]);
	plait_flow_release(flow);
	flow = NULL;
	plait_kernel_release(axpy);
	plait_context_release(context);
}

static plait_status fill(void)
{
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_FILL,
				       .target = data[0],
				       .pattern = 0x3f800000 };

	return plait_flow_submit(flow, &desc, NULL, &failure);
}

static plait_status add(int x, int y)
{
	float one = 1;

	return plait_flow_launch(flow, axpy, PLAIT_ITEMS(N),
				 PLAIT_ARGUMENTS(PLAIT_VALUE(one),
						 PLAIT_DATA(data[x]),
						 PLAIT_DATA(data[y])),
				 NULL, &failure);
}

static plait_status add_tasks(void)
{
	plait_status status = add(1, 0);

	if (status == PLAIT_OK)
		status = fill();
	return status == PLAIT_OK ? add(0, 1) : status;
}

static plait_status repeat(void)
{
	plait_task task;
	plait_status status = plait_flow_repeat(flow, 1, &task, &failure);

	if (status != PLAIT_OK || task != 0)
		return status;
	status = add_tasks();
	if (status == PLAIT_OK)
		return plait_flow_repeat(flow, 0, NULL, &failure);
	(void)plait_flow_capture(flow, NULL, NULL);
	return status;
}

static plait_status capture(plait_graph *graph)
{
	plait_status status = plait_flow_capture(flow, graph, &failure);
	plait_status end;

	if (status != PLAIT_OK)
		return status;
	status = add_tasks();
	end = plait_flow_capture(flow, NULL, &failure);
	return status != PLAIT_OK ? status : end;
}

/* The flow brings the values to the program's memory, and runs the plan. */
static plait_status run_plan(plait_plan *plan)
{
	const plait_access accesses[] = {
		access_of(data[0], PLAIT_ACCESS_READ_WRITE, NULL),
		access_of(data[1], PLAIT_ACCESS_READ_WRITE, NULL),
	};
	const plait_task_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_TASK_PLAN, .plan = plan,
				       .accesses = accesses,
				       .access_count = 2 };
	plait_status status = plait_flow_submit(flow, &desc, NULL, &failure);

	return status != PLAIT_OK ? status :
	       plait_flow_wait(flow, 0, PLAIT_FOREVER, &failure);
}

static plait_status run_graph(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_status status = plait_graph_create(context, &graph, &failure);

	if (status == PLAIT_OK)
		status = capture(graph);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, &plan, &failure);
	plait_graph_release(graph);
	if (status == PLAIT_OK)
		status = run_plan(plan);
	plait_plan_release(plan);
	return status;
}

/* Launches among hints, which do not fail. */
static plait_status follow_advice(void)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < 6; i++)
		status = plait_data_advise(data[i / 3], NULL, devices[i % 2],
					   i % 3, &failure);
	if (status == PLAIT_OK)
		status = add(0, 1);
	for (uint32_t i = 0; status == PLAIT_OK && i < 4; i++)
		status = plait_data_advise(data[i / 2], NULL, devices[i % 2],
					   PLAIT_ADVISE_EVICT, &failure);
	return status;
}

/* Of a stretch of six triples. */
enum { TRIPLES = 58 };

/* Stretches that the flow finds, the last one cut short. */
static plait_status repeat_tasks(void)
{
	plait_status status = PLAIT_OK;

	for (int i = 0; status == PLAIT_OK && i < TRIPLES; i++)
		status = add_tasks();
	return status;
}

static float wanted = 3;
static plait_status (*step)(void);
static int steps = 3;

/* Data 1 gets one more with each step. */
static plait_status run(void)
{
	plait_status status = fill();

	for (int i = 0; status == PLAIT_OK && i < steps; i++)
		status = step();
	if (status == PLAIT_OK)
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, &failure);
	(void)plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL);
	return status;
}

static void check_flow(plait_status status)
{
	float values[N] = { 0 }, zero[N] = { 0 };

	if (status == PLAIT_OK &&
	    OK_THAT(plait_data_read(data[1], NULL, values, &failure) ==
		    PLAIT_OK, "read: %s", failure.text))
		OK(values[0] == wanted && values[N - 1] == wanted);
	OK(plait_data_write(data[1], NULL, zero, NULL) == PLAIT_OK);
	OK_THAT(run() == PLAIT_OK, "again: %s", failure.text);
	OK(plait_data_read(data[1], NULL, values, NULL) == PLAIT_OK);
	/* No run that has failed goes on. */
	OK_THAT(values[0] == wanted && values[N - 1] == wanted, "%g, not %g",
		(double)values[0], (double)wanted);
}

static void set_failing(uint64_t k)
{
	__atomic_store_n(&failing, UINT64_MAX, __ATOMIC_SEQ_CST);
	__atomic_store_n(&allocations, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&failing, k, __ATOMIC_SEQ_CST);
}

static void sweep(void)
{
	const uint64_t distance = tap_soak() ? 1 : stride;
	const uint64_t first = 1 + tap_seed() % distance;
	uint64_t since = 0;

	has_failed = true;
	for (uint64_t k = first; has_failed && k < MOST; k += distance) {
		plait_status status;

		set_failing(UINT64_MAX);
		if (!open_all())
			return;
		has_failed = false;
		set_failing(k);
		status = run();
		set_failing(UINT64_MAX);
		OK_THAT(status == PLAIT_OK ||
			(has_failed && (status == PLAIT_E_NOMEM ||
					status == PLAIT_E_FAILED)),
			"allocation %llu: %d %s", (unsigned long long)k, status,
			failure.text);
		check_flow(status);
		close_all();
	}
	OK(!has_failed);
	/* Contexts end behind the threads of their backends. */
	while (__atomic_load_n(&bytes_left, __ATOMIC_SEQ_CST) != 0 &&
	       !tap_late(&since))
		(void)sched_yield();
	IS_INT(bytes_left, 0);
}

static void repetitions(void)
{
	step = repeat;
	sweep();
}

static void captures(void)
{
	step = run_graph;
	sweep();
}

static void advice(void)
{
	step = follow_advice;
	sweep();
}

static void found(void)
{
	step = repeat_tasks;
	flags = PLAIT_FLOW_REPEATS;
	stride = 83;
	steps = 1;
	wanted = TRIPLES;
	sweep();
	flags = 0;
	stride = STRIDE;
	steps = 3;
	wanted = 3;
}

static const struct tap_scenario all[] = {
	{ "repetitions", repetitions },
	{ "repetitions that are found", found },
	{ "captures", captures },
	{ "advice", advice },
};

TAP_MAIN(all)
