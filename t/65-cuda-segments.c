/* SPDX-License-Identifier: MIT */
/*
 * Stretches of plans as graphs of the stand-in for CUDA's driver: they are
 * launched, and nothing else; the same comes out as without them; no executable
 * is ever launched while it runs; every call that has to do with graphs fails
 * once, and what comes behind it works.  Loops and branches are conditional
 * nodes, or the host's where the driver has none.
 */
#include "queued.h"

enum { CHAIN = 5, RUNS = 4 };

/* x = pattern; x = x + b; y = x; then x = 2 x + 1, some times; z = y */
struct stretch {
	plait_kernel *map;
	plait_buffer *x, *y, *z;
	plait_plan *plan;
};

static plait_node add_told(const struct stretch *s, plait_graph *graph,
			   plait_node after)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(s->x), buffer_argument(s->x),
		value_argument(&one), of_kind(PLAIT_ARGUMENT_PARAMETER, "b"),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "told",
	};

	return add_node(graph, desc, &after, 1);
}

static plait_status make(struct stretch *s, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = lanes,
					 .flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph = new_graph();
	plait_node x, y, both[2];
	plait_status status;

	builds = true;
	s->map = map_kernel();
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	s->z = words_on(rig.device);
	x = add_fill(graph, s->x, 3, NULL, 0);
	x = add_told(s, graph, x);
	y = add_copy(graph, s->y, s->x, &x, 1);
	both[0] = x;
	both[1] = y;
	for (uint32_t i = 0; i < CHAIN; i++) {
		x = add_map(graph, s->map, s->x, s->x, 2, 1, both, 2);
		both[0] = both[1] = x;
		if (i + 1 < CHAIN)
			both[1] = y;
	}
	(void)add_copy(graph, s->z, s->y, &y, 1);
	status = plait_graph_freeze(graph, &desc, &s->plan, &rig.error);
	plait_graph_release(graph);
	return status;
}

static void unmake(struct stretch *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->x);
	plait_buffer_release(s->y);
	plait_buffer_release(s->z);
	plait_kernel_release(s->map);
}

static plait_status run(const struct stretch *s, uint32_t b)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &b, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(s->plan, NULL, &desc, &rig.error);
}

static void check_run(const struct stretch *s, uint32_t b)
{
	uint32_t x = 3 + b;

	OK_THAT(run(s, b) == PLAIT_OK, "run: %s", rig.error.text);
	IS_UINT(read_words(s->y), x);
	IS_UINT(read_words(s->z), x);
	for (uint32_t i = 0; i < CHAIN; i++)
		x = 2 * x + 1;
	IS_UINT(read_words(s->x), x);
}

static bool open_cuda(const char *options, const char *fewest)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = 1, .builds = true };

	if (fewest != NULL)
		(void)setenv("PLAIT_SEGMENTS", fewest, 1);
	else
		(void)unsetenv("PLAIT_SEGMENTS");
	standin_prepare(options);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s", standin_path);
	return open_place(&place);
}

/* How often commands of kinds were asked for, each on its own. */
static uint64_t count_alone(void)
{
	return rig_calls("cuLaunchKernel") + rig_calls("cuMemcpyDtoDAsync") +
	       rig_calls("cuMemsetD32Async");
}

static void check_kinds(const char *fewest, bool frozen)
{
	struct stretch s = { .plan = NULL };
	uint64_t alone, launched;

	if (!open_cuda("", fewest))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	alone = count_alone();
	launched = rig_calls("cuGraphLaunch");
	for (uint32_t i = 0; i < RUNS; i++)
		check_run(&s, i / 2 * 10);
	IS_UINT(rig_calls("cuGraphLaunch") - launched, frozen ? RUNS : 0);
	IS_UINT(count_alone() - alone, frozen ? 0 : RUNS * (CHAIN + 4));
	/* What was told anew is changed in place. */
	OK(rig_calls("cuGraphExecKernelNodeSetParams") <= RUNS);
	OK(rig_calls("cuGraphCreate") <= 2);
	IS_UINT(rig_overlaps(), 0);
	unmake(&s);
	close_place();
}

static void kinds(void)
{
	check_kinds("1", true);
	check_kinds("0", false);
	/* Nobody says how many: four are enough. */
	check_kinds(NULL, true);
	check_kinds("many", true);
}

/* ---- what the first run still has to do ---- */

static const char *const calls_that_make[] = {
	"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddMemcpyNode",
	"cuGraphAddMemsetNode", "cuGraphAddNode", "cuGraphInstantiateWithParams",
	"cuGraphUpload", "cuGraphConditionalHandleCreate",
	"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemAlloc",
	"cuStreamCreateWithPriority", "cuStreamSynchronize",
	/* Also for who reads a word of a device. */
	"cuMemHostAlloc",
};

static void count_making(uint64_t out[TAP_COUNT(calls_that_make)])
{
	for (size_t i = 0; i < TAP_COUNT(calls_that_make); i++)
		out[i] = rig_calls(calls_that_make[i]);
}

/* Nothing was made since; `reads`: but room for what is read. */
static void made_nothing(const uint64_t before[TAP_COUNT(calls_that_make)],
			 bool reads)
{
	uint64_t now[TAP_COUNT(calls_that_make)];

	count_making(now);
	for (size_t i = 0; i < TAP_COUNT(calls_that_make) - reads; i++)
		OK_THAT(now[i] == before[i], "%s: %llu times",
			calls_that_make[i],
			(unsigned long long)(now[i] - before[i]));
}

/* Also where runs have to tell something: then it is changed in place. */
static void prepared(void)
{
	uint64_t before[TAP_COUNT(calls_that_make)];
	struct stretch s = { .plan = NULL };
	uint64_t launched, changed;

	if (!open_cuda("", "1"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	launched = rig_calls("cuGraphLaunch");
	changed = rig_calls("cuGraphExecKernelNodeSetParams");
	count_making(before);
	OK_THAT(run(&s, 5) == PLAIT_OK, "run: %s", rig.error.text);
	made_nothing(before, false);
	IS_UINT(rig_calls("cuGraphLaunch") - launched, 1);
	IS_UINT(rig_calls("cuGraphExecKernelNodeSetParams") - changed, 1);
	check_run(&s, 5);
	check_run(&s, 0);
	unmake(&s);
	close_place();
}

static const char *const calls_of_graphs[] = {
	"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddMemcpyNode",
	"cuGraphAddMemsetNode", "cuGraphInstantiateWithParams",
	"cuGraphUpload", "cuStreamSynchronize", "cuGraphLaunch",
	"cuGraphExecKernelNodeSetParams",
};

/* The first run or a later one fails, and says by what; or nobody noticed. */
static void try(const char *name, uint64_t number, CUresult code)
{
	struct stretch s = { .plan = NULL };
	uint32_t failed = 0;

	if (!open_cuda("", "1"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	rig_fail(name, rig_calls(name) + number, (int)code);
	for (uint32_t i = 0; i < RUNS; i++) {
		/* Each is told something else, so all but one patch. */
		plait_status status = run(&s, i);

		if (status == PLAIT_OK)
			continue;
		failed++;
		HAS_STR(rig.error.text, name);
	}
	OK_THAT(failed <= 1, "%s %u: %u runs", name, (unsigned)number,
		(unsigned)failed);
	/* What cannot be as one comes one by one. */
	if (code == CUDA_ERROR_NOT_SUPPORTED)
		IS_UINT(failed, 0);
	check_run(&s, 7);
	unmake(&s);
	close_place();
}

static void every_call(void)
{
	for (size_t i = 0; i < TAP_COUNT(calls_of_graphs); i++)
		for (uint64_t k = 1; k <= 3; k++)
			try(calls_of_graphs[i], k, CUDA_ERROR_OUT_OF_MEMORY);
	try("cuGraphInstantiateWithParams", 1, CUDA_ERROR_NOT_SUPPORTED);
	try("cuGraphAddMemcpyNode", 2, CUDA_ERROR_NOT_SUPPORTED);
}

/* A kernel inside takes the device with it: the segment is named. */
static void lost(void)
{
	struct stretch s = { .plan = NULL };

	if (!open_cuda("", "1"))
		return;
	OK_THAT(make(&s, 1) == PLAIT_OK, "%s", rig.error.text);
	check_run(&s, 1);
	rig_fault(1, CUDA_ERROR_ILLEGAL_ADDRESS);
	IS_INT(run(&s, 1), PLAIT_E_LOST);
	HAS_STR(rig.error.text, "CUDA_ERROR_ILLEGAL_ADDRESS");
	HAS_STR(rig.error.text, "lost");
	/* It may be another call that notices it first. */
	if (strstr(rig.error.text, "a command gave ") != NULL)
		HAS_STR(rig.error.text, " for segment of ");
	unmake(&s);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* ---- loops and branches ---- */

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

/* Nothing but the graph is launched, where the device decides. */
static void check_decided(const char *options, bool branches, bool decided)
{
	struct loops s;
	uint64_t launched, alone;

	if (!open_cuda(options, "1"))
		return;
	make_loops(&s, branches);
	/* What is refused is known then. */
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
	/* Drivers that have no branches, or nothing of it. */
	check_decided("version=12040", true, false);
	check_decided("version=12040", false, true);
	check_decided("version=12020", true, false);
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check_decided("", true, false);
	(void)unsetenv("PLAIT_REGIONS");
}

/* Where the device decides, and where it has refused to. */
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
	check_prepared("version=12040", false);
}

/* The words of a segment are memory that was used before. */
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

/* One run fails, or none, where the host can decide instead. */
static void try_loops(const char *name, uint64_t number, CUresult code)
{
	struct loops s;
	uint32_t failed = 0;

	if (!open_cuda("", "1"))
		return;
	make_loops(&s, true);
	write_words(s.x, 0);
	rig_fail(name, rig_calls(name) + number, (int)code);
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

/* A loop without end ends when its run is cancelled, and is as good as new. */
static void cancelled(void)
{
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_graph *graph, *body;
	plait_run *run = NULL;
	plait_node node;
	plait_plan *plan;

	if (!open_cuda("workers=3", "1"))
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
	/* What tells it to stop is through before its memory is another's. */
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

static const struct tap_scenario all[] = {
	{ "kinds", kinds },
	{ "prepared", prepared },
	{ "every call", every_call },
	{ "lost", lost },
	{ "loops", loops },
	{ "prepared loops", prepared_loops },
	{ "pooled words", pooled_words },
	{ "every call of loops", every_call_of_loops },
	{ "cancelled", cancelled },
};
TAP_MAIN(all)
