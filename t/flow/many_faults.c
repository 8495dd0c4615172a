/* SPDX-License-Identifier: MIT */
/*
 * Arrays of launches in pieces while the k-th allocation fails, for each k until
 * the program does not get so far: a call that returns PLAIT_OK has submitted each
 * piece once, to the flow or to the graph that captures it.
 */
#include "flows.h"

#include "plait/repeat.h"

#include <stdlib.h>

enum { N = 64, PIECES = 4, LAUNCHES = 3, MOST = 4000 };

static uint64_t allocations, failing;

static bool is_failing(void)
{
	return __atomic_add_fetch(&allocations, 1, __ATOMIC_SEQ_CST) ==
	       __atomic_load_n(&failing, __ATOMIC_SEQ_CST);
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	if (new_bytes > old_bytes && is_failing())
		return NULL;
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static plait_allocator allocator = { sizeof(allocator), 0, resize, NULL };
static plait_context *context;
static plait_kernel *kernel;
static plait_data *data;
static plait_error failure = { .size = sizeof(failure) };

static int32_t increment(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *values = *(uint32_t *const *)arguments[0];
	const plait_box *chunk = arguments[1];

	(void)launch;
	(void)user_data;
	for (uint64_t i = chunk->low[0]; i < chunk->high[0]; i++)
		values[i]++;
	return 0;
}

static bool open_all(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .allocator = &allocator,
		.flags = PLAIT_CONTEXT_NO_WORKERS, .backends = "host",
	};
	const plait_flow_desc flow_desc = { .size = sizeof(flow_desc),
					    .window = 256 };
	const plait_kernel_desc kernel_desc = {
		.size = sizeof(kernel_desc), .function = increment,
		.signature = "increment(v: pointer u32, c: struct chunk 48)",
	};
	const plait_data_desc shape = { .size = sizeof(shape), .dimensions = 1,
					.element_bytes = 4, .extent = { N } };
	bool done = plait_context_open(&desc, &context, &failure) == PLAIT_OK &&
		    plait_kernel_create(context, &kernel_desc, &kernel,
					&failure) == PLAIT_OK &&
		    plait_flow_create(context, &flow_desc, &flow, &failure) ==
			    PLAIT_OK &&
		    plait_data_create(flow, &shape, &data, &failure) ==
			    PLAIT_OK;

	return OK_THAT(done, "open: %s", failure.text);
}

static void close_all(void)
{
	plait_data_release(data);
	plait_flow_release(flow);
	flow = NULL;
	plait_kernel_release(kernel);
	plait_context_release(context);
}

static void set_failing(uint64_t k)
{
	__atomic_store_n(&allocations, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&failing, k, __ATOMIC_SEQ_CST);
}

static plait_status launch_many(plait_task *out)
{
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access to = { .size = sizeof(to), .data = data,
				  .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to),
					     PLAIT_CHUNK() };
	const plait_launch *items = PLAIT_ITEMS(N);
	plait_task_desc descs[LAUNCHES];

	for (int i = 0; i < LAUNCHES; i++)
		descs[i] = (plait_task_desc){
			.size = sizeof(*descs), .kernel = kernel,
			.launch = items, .arguments = arguments,
			.argument_count = 2, .split = 1, .pieces = PIECES };
	return plait_flow_submit_many(flow, descs, LAUNCHES, out, &failure);
}

/* All elements are the same. */
static void check_values(uint64_t k, plait_status status, uint32_t expected)
{
	uint32_t values[N] = { 0 }, wrong = 0;

	if (!OK_THAT(plait_data_read(data, NULL, values, &failure) == PLAIT_OK,
		     "read: %s", failure.text) || status != PLAIT_OK)
		return;
	for (int i = 0; i < N; i++)
		wrong += values[i] != expected;
	OK_THAT(wrong == 0, "allocation %llu: %u wrong values, %u the first",
		(unsigned long long)k, wrong, values[0]);
}

/* The launches, and those that a failed call has left to do. */
static plait_status submit_all(uint64_t k)
{
	plait_task out[LAUNCHES];
	plait_status status;

	set_failing(k);
	status = launch_many(out);
	set_failing(0);
	OK_THAT(status == PLAIT_OK || status == PLAIT_E_NOMEM, "%d %s", status,
		failure.text);
	return status;
}

static void direct(void)
{
	plait_status status = PLAIT_E_NOMEM;
	uint64_t k;
	uint32_t zeros[N] = { 0 };

	for (k = 1; k < MOST && (status != PLAIT_OK || allocations >= k); k++) {
		if (!open_all())
			return;
		OK(plait_data_write(data, NULL, zeros, NULL) == PLAIT_OK);
		status = submit_all(k);
		OK(plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) == PLAIT_OK);
		check_values(k, status, LAUNCHES);
		close_all();
	}
	NOTE("%llu allocations", (unsigned long long)k);
}

/* Run what the graph has: whole launches. */
static void run_graph(uint64_t k, plait_graph *graph, plait_status status)
{
	uint32_t values[N] = { 0 }, wrong = 0;
	plait_plan *plan = NULL;

	if (!OK_THAT(plait_graph_freeze(graph, NULL, &plan, &failure) ==
		     PLAIT_OK, "freeze: %s", failure.text))
		return;
	OK(plait_data_write(data, NULL, values, NULL) == PLAIT_OK);
	OK_THAT(plait_plan_call(plan, NULL, NULL, &failure) == PLAIT_OK,
		"call: %s", failure.text);
	OK(plait_data_read(data, NULL, values, NULL) == PLAIT_OK);
	for (int i = 1; i < N; i++)
		wrong += values[i] != values[0];
	OK_THAT(wrong == 0 && (status != PLAIT_OK || values[0] == LAUNCHES),
		"allocation %llu: %u wrong values, %u the first, end with %d",
		(unsigned long long)k, wrong, values[0], status);
	plait_plan_release(plan);
}

/* The end of the capture tells what is missing. */
static void captured(void)
{
	plait_status status = PLAIT_E_NOMEM, end;
	plait_graph *graph;
	uint64_t k;

	for (k = 1; k < MOST && (status != PLAIT_OK || allocations >= k); k++) {
		if (!open_all() ||
		    !OK(plait_graph_create(context, &graph, NULL) ==
			PLAIT_OK) ||
		    !OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK))
			return;
		status = submit_all(k);
		end = plait_flow_capture(flow, NULL, &failure);
		if (end == PLAIT_OK)
			run_graph(k, graph, status);
		else
			IS_INT(end, PLAIT_E_NOMEM);
		plait_graph_release(graph);
		close_all();
	}
	NOTE("%llu allocations", (unsigned long long)k);
}

static const struct tap_scenario all[] = {
	{ "in a flow", direct },
	{ "in a captured flow", captured },
};

TAP_MAIN(all)
