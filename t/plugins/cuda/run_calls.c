/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver in one run of a plan, on the stand-in: of one kernel, of a
 * graph of eight, and of one of which a run changes the last kernel.  Counted where
 * nothing disturbs the calling thread: the least of many runs.  And how often the
 * calling thread sleeps in a loop that the host decides.
 */
#include <sys/resource.h>

#include "segments.h"

enum { LENGTH = 8, TIMES = 40, TRIPS = 2000 };

static const char *const names[] = {
#define NAME(version, name, symbol, parameters, arguments) #name,
	CUDA_CALLS(NAME)
};

enum { NAMES = TAP_COUNT(names) };

/* The context is pushed and popped once, and the mode of captures set and reset. */
enum { PUSHES = 1 };

static void count_calls(uint64_t out[NAMES])
{
	for (size_t i = 0; i < NAMES; i++)
		out[i] = rig_calls(names[i]);
}

/* x = 0 + x, then the number is added in each run, or 1. */
struct row {
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;
};

static void add_last(const struct row *s, plait_graph *graph,
		     const plait_node *after, uint64_t count, bool bound)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[] = {
		buffer_argument(s->x), buffer_argument(s->x),
		value_argument(&one), bound ?
		of_kind(PLAIT_ARGUMENT_PARAMETER, "number") :
		value_argument(&one),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->map, .label = "last",
		.launch = &launch, .arguments = arguments,
		.argument_count = 4,
	};

	(void)add_node(graph, desc, after, count);
}

static void make(struct row *s, uint32_t count, bool bound)
{
	plait_graph *graph = new_graph();
	plait_node node = 0;

	builds = true;
	s->map = map_kernel();
	s->x = words_on(rig.device);
	for (uint32_t i = 0; i + 1 < count; i++)
		node = add_map(graph, s->map, s->x, s->x, 1, 0, &node, i > 0);
	add_last(s, graph, &node, count > 1, bound);
	s->plan = freeze_on(graph, 1);
	OK_THAT(plait_plan_prepare(s->plan, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	write_words(s->x, 0);
}

static void unmake(struct row *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->x);
	plait_kernel_release(s->map);
	close_place();
}

static void run_once(const struct row *s, uint32_t number, bool bound)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &number, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = bound };

	OK_THAT(plait_plan_call(s->plan, NULL, &desc, &rig.error) == PLAIT_OK,
		"run: %s", rig.error.text);
}

/* The calls of the run that makes the fewest of each; `step`: between the numbers
 * of two runs. */
static void count_runs(const struct row *s, bool bound, uint32_t step,
		       uint64_t least[NAMES])
{
	uint64_t before[NAMES], after[NAMES];
	uint32_t sum = 0;

	/* The first run after the preparation may change what it left open. */
	run_once(s, 1, bound);
	sum = 1;
	for (size_t k = 0; k < NAMES; k++)
		least[k] = UINT64_MAX;
	for (uint32_t i = 1; i <= TIMES; i++) {
		count_calls(before);
		run_once(s, 1 + i * step, bound);
		count_calls(after);
		sum += 1 + i * step;
		for (size_t k = 0; k < NAMES; k++)
			if (after[k] - before[k] < least[k])
				least[k] = after[k] - before[k];
	}
	IS_UINT(read_words(s->x), sum);
}

static uint64_t most_of(const char *name, const char *launch, bool changes)
{
	uint64_t pushes = PUSHES + changes;

	if (strcmp(name, launch) == 0)
		return 1;
	if (strcmp(name, "cuGraphExecKernelNodeSetParams") == 0)
		return changes;
	if (strcmp(name, "cuCtxPushCurrent") == 0 ||
	    strcmp(name, "cuCtxPopCurrent") == 0)
		return pushes;
	if (strcmp(name, "cuThreadExchangeStreamCaptureMode") == 0)
		return 2 * pushes;
	/* No event and no callback: the caller sees the ticket. */
	return strcmp(name, "cuStreamWriteValue32") == 0;
}

static void check_calls(uint32_t count, bool bound, uint32_t step)
{
	const char *launch = count > 1 ? "cuGraphLaunch" : "cuLaunchKernel";
	uint64_t least[NAMES];
	struct row s;

	if (!open_cuda("", NULL))
		return;
	make(&s, count, bound);
	count_runs(&s, bound, step, least);
	for (size_t i = 0; i < NAMES; i++)
		OK_THAT(least[i] <= most_of(names[i], launch, step > 0),
			"%u kernels: %s: %u calls", (unsigned)count, names[i],
			(unsigned)least[i]);
	unmake(&s);
}

static void one_kernel(void)
{
	check_calls(1, false, 0);
}

static void graph_of_kernels(void)
{
	check_calls(LENGTH, false, 0);
}

/* A number that has changed is one call more; one that has not is none. */
static void changed_kernel(void)
{
	check_calls(LENGTH, true, 1);
	check_calls(LENGTH, true, 0);
}

static int32_t is_left(void *user_data)
{
	uint32_t *left = user_data;

	return (*left)-- > 0;
}

static plait_plan *freeze_loop(plait_kernel *map, plait_buffer *x,
			       uint32_t *left)
{
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = is_left, .user_data = left, .label = "loop",
	};
	plait_graph *graph = new_graph();
	plait_graph *body = body_of(graph, add_node(graph, loop, NULL, 0), 0);

	(void)add_map(body, map, x, x, 1, 1, NULL, 0);
	plait_graph_release(body);
	return freeze_on(graph, 1);
}

static long sleeps(void)
{
	struct rusage usage;

	OK(getrusage(RUSAGE_THREAD, &usage) == 0);
	return usage.ru_nvcsw;
}

/* A poll that finds the end of an iteration lets the caller poll on for the next
 * one, as if it had just begun to wait: it sleeps only after it has asked for a
 * callback. */
static void decided_by_host(void)
{
	uint32_t left = TRIPS;
	struct row s;
	uint64_t callbacks;
	long before;

	if (!open_cuda("", NULL))
		return;
	builds = true;
	s.map = map_kernel();
	s.x = words_on(rig.device);
	s.plan = freeze_loop(s.map, s.x, &left);
	write_words(s.x, 0);
	callbacks = rig_calls("cuStreamAddCallback");
	before = sleeps();
	OK_THAT(plait_plan_call(s.plan, NULL, NULL, &rig.error) == PLAIT_OK,
		"run: %s", rig.error.text);
	before = sleeps() - before;
	callbacks = rig_calls("cuStreamAddCallback") - callbacks;
	OK_THAT(before < TRIPS / 4 + 2 * (long)callbacks,
		"%ld sleeps and %ld callbacks in %d iterations", before,
		(long)callbacks, TRIPS);
	IS_UINT(read_words(s.x), TRIPS);
	unmake(&s);
}

static const struct tap_scenario all[] = {
	{ "one kernel", one_kernel },
	{ "graph of kernels", graph_of_kernels },
	{ "changed kernel", changed_kernel },
	{ "decided by the host", decided_by_host },
};
TAP_MAIN(all)
