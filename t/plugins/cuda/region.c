/* SPDX-License-Identifier: MIT */
/*
 * Loops and branches of plans as conditional nodes of the stand-in for CUDA's
 * driver.  The host decides where the driver has no such nodes or refuses them
 * later.  Every call that concerns them fails once.
 */
#include "segments.h"

/* n = 4; while n { n -= 1; x = 2 x + 1; case n { y += 1 } { y += 10 } } */
struct loops {
	plait_kernel *map;
	plait_buffer *n, *x, *y;
	plait_plan *plan;
};

static plait_node add_region(plait_graph *graph, uint32_t kind,
			     plait_buffer *word, const plait_node *after,
			     uint64_t count)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "loop", .predicate = word,
		.branch_count = kind == PLAIT_NODE_CASE ? 2 : 0,
	};

	return add_node(graph, desc, after, count);
}

static void make_loops(struct loops *s, bool branches)
{
	plait_graph *graph = new_graph(), *body, *branch;
	plait_node node;

	builds = true;
	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	node = add_fill(graph, s->n, 4, NULL, 0);
	node = add_region(graph, PLAIT_NODE_WHILE, s->n, &node, 1);
	body = body_of(graph, node, 0);
	node = add_map(body, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	(void)add_map(body, s->map, s->x, s->x, 2, 1, NULL, 0);
	if (branches)
		node = add_region(body, PLAIT_NODE_CASE, s->n, &node, 1);
	for (uint32_t i = 0; branches && i < 2; i++) {
		branch = body_of(body, node, i);
		(void)add_map(branch, s->map, s->y, s->y, 1, i ? 10 : 1,
			      NULL, 0);
		plait_graph_release(branch);
	}
	plait_graph_release(body);
	s->plan = freeze_on(graph, 2);
}

static void unmake_loops(struct loops *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->x);
	plait_buffer_release(s->y);
	plait_kernel_release(s->map);
}

static void check_loops(const struct loops *s, bool branches)
{
	write_words(s->x, 0);
	write_words(s->y, 0);
	OK_THAT(call_with(s->plan, 0) == PLAIT_OK, "run: %s", rig.error.text);
	IS_UINT(read_words(s->x), 15);
	IS_UINT(read_words(s->y), branches ? 11 : 0);
}

/* Where the device decides, each run is one launch of a graph. */
static void check_decided(const char *options, bool branches, bool decided)
{
	struct loops s;
	uint64_t launched, alone;

	if (!open_cuda(options, "1"))
		return;
	make_loops(&s, branches);
	/* The first run learns which nodes the driver refuses. */
	check_loops(&s, branches);
	launched = rig_calls("cuGraphLaunch");
	alone = rig_calls("cuLaunchKernel");
	for (uint32_t i = 0; i < RUNS; i++)
		check_loops(&s, branches);
	launched = rig_calls("cuGraphLaunch") - launched;
	if (decided)
		IS_UINT(launched, RUNS);
	else
		OK(launched + rig_calls("cuLaunchKernel") - alone > RUNS);
	IS_UINT(rig_overlaps(), 0);
	unmake_loops(&s);
	close_place();
}

static void loops(void)
{
	check_decided("", true, true);
	check_decided("", false, true);
	/* Drivers without SWITCH nodes, and without any conditional node. */
	check_decided("version=12040", true, true);
	check_decided("version=12040", false, true);
	check_decided("version=12030", true, true);
	check_decided("version=12020", true, false);
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check_decided("", true, false);
	(void)unsetenv("PLAIT_REGIONS");
}

/* Preparation where the device decides, and where the driver refused. */
static void check_prepared(const char *options, bool decided)
{
	uint64_t before[TAP_COUNT(calls_that_make)];
	struct loops s;

	if (!open_cuda(options, "1"))
		return;
	make_loops(&s, true);
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	write_words(s.x, 0);
	write_words(s.y, 0);
	count_making(before);
	OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s", rig.error.text);
	made_nothing(before, !decided);
	check_loops(&s, true);
	unmake_loops(&s);
	close_place();
}

static void prepared_loops(void)
{
	check_prepared("", true);
	check_prepared("version=12040", true);
	check_prepared("version=12020", false);
}

/* The words of a segment come from pooled memory. */
static void pooled_words(void)
{
	struct loops s;
	uint64_t asked;

	if (!open_cuda("", "1"))
		return;
	make_loops(&s, true);
	check_loops(&s, true);
	unmake_loops(&s);
	asked = rig_calls("cuMemAlloc");
	for (uint32_t i = 0; i < RUNS; i++) {
		make_loops(&s, true);
		check_loops(&s, true);
		unmake_loops(&s);
	}
	IS_UINT(rig_calls("cuMemAlloc"), asked);
	close_place();
}

static const char *const calls_of_loops[] = {
	"cuGraphCreate", "cuGraphConditionalHandleCreate", "cuGraphAddNode",
	"cuGraphAddKernelNode", "cuModuleLoadDataEx", "cuModuleGetFunction",
	"cuMemAlloc", "cuMemsetD32Async", "cuGraphInstantiateWithParams",
	"cuGraphUpload", "cuGraphLaunch",
};

/* At most one run fails: none where the host can decide instead. */
static void try_loops(const char *name, uint64_t number, CUresult code)
{
	struct loops s;
	uint32_t failed = 0;

	if (!open_cuda("", "1"))
		return;
	make_loops(&s, true);
	write_words(s.x, 0);
	rig_fail(name, number, (int)code);
	for (uint32_t i = 0; i < RUNS; i++) {
		if (call_with(s.plan, 0) == PLAIT_OK)
			continue;
		failed++;
		HAS_STR(rig.error.text, name);
	}
	OK_THAT(failed <= 1, "%s %u: %u runs", name, (unsigned)number,
		(unsigned)failed);
	check_loops(&s, true);
	unmake_loops(&s);
	close_place();
}

static void every_call_of_loops(void)
{
	for (size_t i = 0; i < TAP_COUNT(calls_of_loops); i++)
		for (uint64_t k = 1; k <= 3; k++) {
			try_loops(calls_of_loops[i], k,
				  CUDA_ERROR_OUT_OF_MEMORY);
			try_loops(calls_of_loops[i], k,
				  CUDA_ERROR_INVALID_VALUE);
		}
}

static int32_t is_left(void *user_data)
{
	uint32_t *left = user_data;

	return (*left)-- > 0;
}

/* thrice { y += the number of this iteration; n = 2; while n { n -= 1; x += 1 } } */
static void make_walked(struct loops *s, uint32_t *left)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const plait_node_desc outer = {
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = is_left, .user_data = left, .label = "outer",
	};
	const uint32_t one = 1;
	plait_argument arguments[4];
	plait_graph *graph, *body, *inner;
	plait_node node;

	builds = true;
	graph = new_graph();
	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	arguments[0] = arguments[1] = buffer_argument(s->y);
	arguments[2] = value_argument(&one);
	arguments[3] = of_kind(PLAIT_ARGUMENT_ITERATION, NULL);
	node = add_node(graph, outer, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->map, .label = "told",
		.launch = &launch, .arguments = arguments,
		.argument_count = 4 }, NULL, 0);
	node = add_fill(body, s->n, 2, NULL, 0);
	node = add_region(body, PLAIT_NODE_WHILE, s->n, &node, 1);
	inner = body_of(body, node, 0);
	(void)add_map(inner, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	(void)add_map(inner, s->map, s->x, s->x, 1, 1, NULL, 0);
	plait_graph_release(inner);
	plait_graph_release(body);
	s->plan = freeze_on(graph, 2);
}

/* While the host's outer loop runs, the driver refuses to change a node and to
 * instantiate another graph: the host decides from there on. */
static void walked(void)
{
	uint64_t launched;
	uint32_t left;
	struct loops s;

	if (!open_cuda("", "1"))
		return;
	make_walked(&s, &left);
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	rig_fail("cuGraphExecKernelNodeSetParams", 1,
		 CUDA_ERROR_INVALID_VALUE);
	rig_fail("cuGraphInstantiateWithParams", 1, CUDA_ERROR_NOT_SUPPORTED);
	launched = rig_calls("cuGraphLaunch");
	for (uint32_t i = 0; i < RUNS; i++) {
		left = 3;
		write_words(s.x, 0);
		write_words(s.y, 0);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(s.x), 6);
		IS_UINT(read_words(s.y), 3);
		/* The first iteration of the first run. */
		if (i == 0)
			IS_UINT(rig_calls("cuGraphLaunch") - launched, 1);
	}
	unmake_loops(&s);
	close_place();
}

/* Cancellation ends an endless loop; later runs of the plan work. */
static void check_cancelled(const char *options)
{
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_graph *graph, *body;
	plait_run *run = NULL;
	plait_node node;
	plait_plan *plan;

	if (!open_cuda(options, "1"))
		return;
	map = map_kernel();
	n = words_on(rig.device);
	x = words_on(rig.device);
	graph = new_graph();
	node = add_region(graph, PLAIT_NODE_DO, n, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_map(body, map, x, x, 1, 1, NULL, 0);
	plait_graph_release(body);
	plan = freeze_on(graph, 1);
	for (uint32_t i = 0; i < RUNS; i++) {
		write_words(x, 0);
		write_words(n, 1);
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &run,
				      &rig.error), PLAIT_OK);
		IS_INT(plait_run_cancel(run, &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		write_words(x, 0);
		write_words(n, 0);
		OK_THAT(call_with(plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(x), 1);
	}
	/* The write of the stop word ends before its memory is reused. */
	write_words(n, 1);
	IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_run_cancel(run, &rig.error), PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_CANCELLED);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void cancelled(void)
{
	check_cancelled("workers=3");
	/* With one hardware connection the stop must not queue behind the loop. */
	check_cancelled("workers=3,connections=1");
}

static uint32_t told_why;

static void listen(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	told_why += level == PLAIT_LOG_WARNING &&
		    strstr(line, "the stand-in for tests loads only") != NULL;
}

/* A device refuses the kernel that sets conditions: the host decides, and the
 * log has the message of the driver's compiler. */
static void refused(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda",
				    .workers = 1, .log = listen,
				    .log_level = PLAIT_LOG_WARNING };
	char options[1100];
	plait_graph *graph, *body;
	plait_buffer *n;
	plait_plan *plan;
	plait_node node;

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare("arch=40");
	(void)snprintf(options, sizeof(options), "cuda:driver=%s",
		       standin_path);
	desc.options = options;
	OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	OK(plait_context_device(rig.context, 0, &rig.device, NULL) == 0);
	OK(plait_queue_create(rig.device, NULL, &rig.queue, NULL) == 0);
	n = words_on(rig.device);
	graph = new_graph();
	node = add_region(graph, PLAIT_NODE_WHILE, n, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_fill(body, n, 0, NULL, 0);
	plait_graph_release(body);
	plan = freeze_on(graph, 1);
	write_words(n, 1);
	OK_THAT(call_with(plan, 0) == PLAIT_OK, "run: %s", rig.error.text);
	IS_UINT(read_words(n), 0);
	OK(told_why > 0);
	plait_plan_release(plan);
	plait_buffer_release(n);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "refused", refused },
	{ "loops", loops },
	{ "prepared loops", prepared_loops },
	{ "pooled words", pooled_words },
	{ "every call of loops", every_call_of_loops },
	{ "walked", walked },
	{ "cancelled", cancelled },
};
TAP_MAIN(all)
