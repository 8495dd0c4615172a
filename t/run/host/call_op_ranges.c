/* SPDX-License-Identifier: MIT */
/*
 * Ranges of kernels inside of plans: range functions and portable source, in
 * parallel, one after the other and in loops, with the size of each launch as a
 * parameter, with no and with several workers, and both ways to run.
 */
#include "lib/runs.h"
#include "lib/suite.h"

enum { ITEMS = 6000, TURNS = 3 };

/* The minimum of items in a part of add_range. */
enum { GRAIN = 150 };

/* The number of calls, of items, and of calls for less than the grain. */
struct parts {
	uint64_t calls;
	uint64_t items;
	uint64_t small;
};

/* x[i] += by; each item is done by one part. */
static int32_t add_range(const plait_range *range, void *const *arguments,
			 const plait_launch *launch, void *user_data)
{
	struct parts *parts = user_data;
	int64_t *x = *(int64_t **)arguments[0];
	int64_t by = *(const int64_t *)arguments[1];

	__atomic_add_fetch(&parts->calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&parts->items, range->end[0] - range->begin[0],
			   __ATOMIC_RELAXED);
	if (range->end[0] - range->begin[0] <
	    (launch->items[0] < GRAIN ? launch->items[0] : GRAIN))
		__atomic_add_fetch(&parts->small, 1, __ATOMIC_RELAXED);
	for (uint64_t i = range->begin[0]; i < range->end[0]; i++)
		x[i] += by;
	return 0;
}

/* The part with the item in the middle fails. */
static int32_t fail_range(const plait_range *range, void *const *arguments,
			  const plait_launch *launch, void *user_data)
{
	uint64_t middle = launch->items[0] / 2;

	(void)user_data;
	if (range->begin[0] <= middle && middle < range->end[0])
		return *(const int32_t *)arguments[0];
	return 0;
}

static plait_kernel *make_kernel(const char *signature,
				 plait_range_function range, void *user_data,
				 const char *portable)
{
	const plait_source source = { .size = sizeof(source),
				      .code = portable };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = signature, .range = range,
		.user_data = user_data, .grain = GRAIN, .sources = &source,
		.source_count = portable != NULL,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "%s: %s", signature, rig.error.text);
	return kernel;
}

/* x[i] = 2 x[i] + i, in portable source. */
static plait_kernel *make_portable(void)
{
	return make_kernel("spread(x: inout pointer i64, n: u64)", NULL, NULL,
			   "KERNEL(spread)\n{\n\tEACH(i, n)\n"
			   "\t\tx[i] = 2 * x[i] + (i64)i;\n}\n");
}

static plait_node add_launch(plait_graph *graph, plait_kernel *kernel,
			     const plait_argument *arguments, uint64_t count,
			     const plait_node *after, uint64_t after_count)
{
	const plait_node_desc node = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = count,
		.launch_parameter = "size",
	};

	return add_node(graph, node, after, after_count);
}

#define ARGUMENT_PARAMETER(its_name) \
	{ .size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_PARAMETER, \
	  .name = its_name }
#define ARGUMENT_BUFFER(its_buffer) \
	{ .size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_BUFFER, \
	  .buffer = its_buffer }

static plait_status run_sized(plait_plan *plan, uint32_t flags, uint64_t size,
			      int64_t by)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { size } };
	plait_binding bindings[3];
	uint32_t count = 0, number;
	plait_run_desc desc = { .size = sizeof(desc), .flags = flags,
				.bindings = bindings };

	if (plait_plan_find_parameter(plan, "size", &number, NULL) == PLAIT_OK)
		bindings[count++] = (plait_binding){
			.size = sizeof(bindings[0]), .parameter = number,
			.value = &launch
		};
	if (plait_plan_find_parameter(plan, "n", &number, NULL) == PLAIT_OK)
		bindings[count++] = (plait_binding){
			.size = sizeof(bindings[0]), .parameter = number,
			.value = &size, .bytes = sizeof(size)
		};
	if (plait_plan_find_parameter(plan, "by", &number, NULL) == PLAIT_OK)
		bindings[count++] = (plait_binding){
			.size = sizeof(bindings[0]), .parameter = number,
			.value = &by, .bytes = sizeof(by)
		};
	desc.binding_count = count;
	return plait_plan_call(plan, NULL, &desc, &rig.error);
}

/* ---- a chain, two of them in parallel ---- */

/* add -> spread -> add, on x and on y. */
static void add_chain(plait_graph *graph, plait_kernel *add,
		      plait_kernel *spread, plait_buffer *buffer)
{
	const plait_argument add_arguments[] = {
		ARGUMENT_BUFFER(buffer), ARGUMENT_PARAMETER("by")
	};
	const plait_argument spread_arguments[] = {
		ARGUMENT_BUFFER(buffer), ARGUMENT_PARAMETER("n")
	};
	plait_node node = add_launch(graph, add, add_arguments, 2, NULL, 0);

	node = add_launch(graph, spread, spread_arguments, 2, &node, 1);
	(void)add_launch(graph, add, add_arguments, 2, &node, 1);
}

static void chain(int64_t *x, uint64_t size, int64_t by)
{
	for (uint64_t i = 0; i < size; i++)
		x[i] = 2 * (x[i] + by) + (int64_t)i + by;
}

/* How many parts there are depends on what items cost, so only the limits are
 * known.  Threads call add_range for several parts at once, or for one. */
static void check_parts(const struct parts *parts, uint64_t launches,
			uint64_t size)
{
	uint64_t most = size < GRAIN ? 1 : size / GRAIN;

	IS_UINT(parts->items, launches * size);
	IS_UINT(parts->small, 0);
	if (rig.workers == 0)
		most = 1;
	OK_THAT(parts->calls >= launches && parts->calls <= launches * most,
		"%u launches of %u, %u calls", (unsigned)launches,
		(unsigned)size, (unsigned)parts->calls);
}

static void side_by_side(uint32_t flags)
{
	static const uint64_t sizes[] = { 1, 2, 7, 1023, ITEMS };
	static int64_t got[ITEMS], want[ITEMS];
	struct parts parts = { 0, 0, 0 };
	plait_kernel *add = make_kernel("add(x: inout pointer i64, by: i64)",
					add_range, &parts, NULL);
	plait_kernel *spread = make_portable();
	plait_buffer *buffers[2];
	plait_graph *graph = new_graph();
	plait_plan *plan;

	memset(want, 0, sizeof(want));
	for (int i = 0; i < 2; i++) {
		buffers[i] = make_buffer(&rig, sizeof(want), "x");
		OK(plait_queue_write(rig.queue, buffers[i], 0, want,
				     sizeof(want), &rig.error) == PLAIT_OK);
		add_chain(graph, add, spread, buffers[i]);
	}
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	plan = freeze(graph, 2, 1);
	for (size_t s = 0; s < TAP_COUNT(sizes); s++) {
		memset(&parts, 0, sizeof(parts));
		OK_THAT(run_sized(plan, flags, sizes[s], 3) == PLAIT_OK, "%s",
			rig.error.text);
		chain(want, sizes[s], 3);
		check_parts(&parts, 4, sizes[s]);
	}
	for (int i = 0; i < 2; i++) {
		OK(plait_queue_read(rig.queue, buffers[i], 0, got, sizeof(got),
				    &rig.error) == PLAIT_OK);
		OK(memcmp(got, want, sizeof(got)) == 0);
		plait_buffer_release(buffers[i]);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(add);
	plait_kernel_release(spread);
}

/* ---- in a loop ---- */

static int32_t again(void *user_data)
{
	uint64_t *turn = user_data;

	++*turn;
	return *turn % TURNS != 0;
}

/* x[i] += iteration, then spread; three times a run. */
static plait_plan *plan_loop(plait_kernel *add, plait_kernel *spread,
			     plait_buffer *buffer, uint64_t *turn)
{
	const plait_argument add_arguments[] = {
		ARGUMENT_BUFFER(buffer),
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ITERATION }
	};
	const plait_argument spread_arguments[] = {
		ARGUMENT_BUFFER(buffer), ARGUMENT_PARAMETER("n")
	};
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_DO, .label = "loop",
		.flags = PLAIT_CALL_ANY_THREAD, .function = again,
		.user_data = turn,
	};
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, loop, NULL, 0);
	plait_graph *body = body_of(graph, node, 0);
	plait_plan *plan;

	node = add_launch(body, add, add_arguments, 2, NULL, 0);
	(void)add_launch(body, spread, spread_arguments, 2, &node, 1);
	plan = freeze(graph, 2, 1);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

static void in_a_loop(uint32_t flags)
{
	static int64_t got[ITEMS], want[ITEMS];
	struct parts parts = { 0, 0, 0 };
	uint64_t turn = 0;
	plait_kernel *add = make_kernel("add(x: inout pointer i64, by: i64)",
					add_range, &parts, NULL);
	plait_kernel *spread = make_portable();
	plait_buffer *buffer = make_buffer(&rig, sizeof(want), "x");
	plait_plan *plan = plan_loop(add, spread, buffer, &turn);

	memset(want, 0, sizeof(want));
	OK(plait_queue_write(rig.queue, buffer, 0, want, sizeof(want),
			     &rig.error) == PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	for (uint64_t size = 1; size <= ITEMS; size *= 13) {
		memset(&parts, 0, sizeof(parts));
		OK_THAT(run_sized(plan, flags, size, 0) == PLAIT_OK, "%s",
			rig.error.text);
		for (int64_t k = 0; k < TURNS; k++)
			for (uint64_t i = 0; i < size; i++)
				want[i] = 2 * (want[i] + k) + (int64_t)i;
		check_parts(&parts, TURNS, size);
	}
	OK(plait_queue_read(rig.queue, buffer, 0, got, sizeof(got),
			    &rig.error) == PLAIT_OK);
	OK(memcmp(got, want, sizeof(got)) == 0);
	plait_plan_release(plan);
	plait_buffer_release(buffer);
	plait_kernel_release(add);
	plait_kernel_release(spread);
}

/* ---- a part that fails ---- */

static void a_part_fails(uint32_t flags)
{
	static const int32_t results[] = { 5, -1, 0 };
	plait_kernel *fail = make_kernel("fail(result: i32)", fail_range, NULL,
					 NULL);

	for (size_t i = 0; i < TAP_COUNT(results); i++) {
		const plait_argument argument = {
			.size = sizeof(argument), .value = &results[i],
			.bytes = sizeof(results[i])
		};
		plait_graph *graph = new_graph();
		plait_plan *plan;
		plait_status status;

		(void)add_launch(graph, fail, &argument, 1, NULL, 0);
		plan = freeze(graph, 1, 1);
		status = run_sized(plan, flags, ITEMS, 0);
		if (results[i] == 0) {
			IS_INT(status, PLAIT_OK);
		} else {
			IS_INT(status, PLAIT_E_FAILED);
			IS_INT(rig.error.origin, results[i]);
		}
		plait_plan_release(plan);
		plait_graph_release(graph);
	}
	plait_kernel_release(fail);
}

static void all_of(void (*check)(uint32_t flags))
{
	suite_folder();
	everywhere(check);
}

static void side_by_side_everywhere(void)
{
	all_of(side_by_side);
}

static void in_a_loop_everywhere(void)
{
	all_of(in_a_loop);
}

static void a_part_fails_everywhere(void)
{
	all_of(a_part_fails);
}

static const struct tap_scenario all[] = {
	{ "side by side", side_by_side_everywhere },
	{ "in a loop", in_a_loop_everywhere },
	{ "a part fails", a_part_fails_everywhere },
};

TAP_MAIN(all)
