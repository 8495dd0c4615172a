/* SPDX-License-Identifier: MIT */
/*
 * Segments of plans as graphs of the stand-in for CUDA's driver: a run launches
 * the graphs and no single command; the results equal those without graphs; no
 * executable is launched while it runs; every call that concerns graphs fails
 * once, and later runs work.
 */
#include "plait/native.h"

#include "segments.h"

enum { CHAIN = 5 };

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

/* Returns how many commands were submitted singly, outside graphs. */
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
	/* A changed parameter is patched in place. */
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
	/* PLAIT_SEGMENTS unset or invalid: the default minimum, four. */
	check_kinds(NULL, true);
	check_kinds("many", true);
}

/* ---- rows ---- */

/* Copy columns of x to columns of y, whose other words stay 7.  RUNS runs
 * launch `graphs` graphs and `alone` single copies of rows. */
static void rows_of(const char *options, uint64_t slices, const char *fewest,
		    uint64_t graphs, uint64_t alone)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .slices = slices, .target_row = 8,
				  .source_row = 4, .target_slice = 24,
				  .source_slice = 12 };
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 1,
					 .flags = PLAIT_FREEZE_CHECK };
	uint32_t words[WORDS], at;
	struct stretch s = { .plan = NULL };
	plait_graph *graph;
	plait_node node[2];
	uint64_t launched;

	if (!open_cuda(options, fewest))
		return;
	graph = new_graph();
	s.x = words_on(rig.device);
	s.y = words_on(rig.device);
	node[0] = add_fill(graph, s.x, 3, NULL, 0);
	node[1] = add_fill(graph, s.y, 7, NULL, 0);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .target = s.y, .source = s.x,
		.target_offset = 4, .bytes = 4, .rows = &rows,
		.label = "rows" }, node, 2);
	OK(plait_graph_freeze(graph, &desc, &s.plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	launched = rig_calls("cuGraphLaunch");
	OK_THAT(plait_plan_call(s.plan, NULL, NULL, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	IS_UINT(rig_calls("cuGraphLaunch") - launched, graphs);
	IS_UINT(rig_calls("cuMemcpy3DAsync"), alone);
	IS_INT(plait_queue_read(rig.queue, s.y, 0, words, sizeof(words),
				&rig.error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	for (at = 0; at < WORDS; at++) {
		bool copied = at < 6 * slices &&
			      (at % 6 == 1 || at % 6 == 3);

		if (words[at] != (copied ? 3 : 7))
			break;
	}
	IS_UINT(at, WORDS);
	plait_plan_release(s.plan);
	plait_buffer_release(s.x);
	plait_buffer_release(s.y);
	close_place();
}

static void rows(void)
{
	rows_of("", 1, "1", 1, 0);
	rows_of("", 2, "1", 1, 0);
	rows_of("", 2, "0", 0, 1);
	rows_of("pitch=8", 2, "1", 1, 0);
	/* A pitch above the device's limit. */
	rows_of("pitch=7", 2, "1", 0, 0);
	rows_of("pitch=7", 2, "0", 0, 0);
}

/* A contiguous copy of any length has no pitch that a device could refuse. */
static void long_lines(void)
{
	struct stretch s = { .plan = NULL };
	uint64_t launched;

	if (!open_cuda("pitch=16", "1"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	launched = rig_calls("cuGraphLaunch");
	check_run(&s, 5);
	OK(rig_calls("cuGraphLaunch") > launched);
	OK(rig_misused() == NULL);
	unmake(&s);
	close_place();
}

/* ---- preparation before the first run ---- */

/* A prepared plan makes no object in its runs; parameters are patched in
 * place. */
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

/* At most one run fails, with an error that names the call; or the failure has
 * no effect. */
static void try(const char *name, uint64_t number, CUresult code)
{
	struct stretch s = { .plan = NULL };
	uint32_t failed = 0;

	if (!open_cuda("", "1"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	rig_fail(name, number, (int)code);
	for (uint32_t i = 0; i < RUNS; i++) {
		/* Each run has another value, so all but the first patch. */
		plait_status status = run(&s, i);

		if (status == PLAIT_OK)
			continue;
		failed++;
		HAS_STR(rig.error.text, name);
	}
	OK_THAT(failed <= 1, "%s %u: %u runs", name, (unsigned)number,
		(unsigned)failed);
	/* A refused graph is replaced by single commands. */
	if (code != CUDA_ERROR_OUT_OF_MEMORY)
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
	try("cuGraphInstantiateWithParams", 1, CUDA_ERROR_INVALID_VALUE);
	try("cuGraphAddMemcpyNode", 2, CUDA_ERROR_NOT_SUPPORTED);
	try("cuGraphUpload", 1, CUDA_ERROR_UNKNOWN);
}

/* A graph that the driver refuses to patch is instantiated anew; if the driver
 * refuses that as well, the commands are submitted one by one: no run fails. */
static void check_refused(CUresult code, bool anew)
{
	struct stretch s = { .plan = NULL };
	uint64_t launched, made;

	if (!open_cuda("", "1"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	check_run(&s, 1);
	rig_fail("cuGraphExecKernelNodeSetParams", 1, (int)code);
	if (!anew)
		rig_fail("cuGraphInstantiateWithParams", 1,
			 CUDA_ERROR_NOT_SUPPORTED);
	launched = rig_calls("cuGraphLaunch");
	made = rig_calls("cuGraphCreate");
	check_run(&s, 2);
	IS_STR(rig_failed(), anew ? "cuGraphExecKernelNodeSetParams" :
				    "cuGraphInstantiateWithParams");
	check_run(&s, 3);
	IS_UINT(rig_calls("cuGraphCreate") - made, 1);
	IS_UINT(rig_calls("cuGraphLaunch") - launched, anew ? 2 : 0);
	unmake(&s);
	close_place();
}

static void refused(void)
{
	check_refused(CUDA_ERROR_INVALID_VALUE, true);
	check_refused(CUDA_ERROR_NOT_SUPPORTED, true);
	check_refused(CUDA_ERROR_INVALID_VALUE, false);
}

/* A kernel in a segment loses the device; the error names the segment. */
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
	/* Another call may notice the loss first. */
	if (strstr(rig.error.text, "a command failed with ") != NULL)
		HAS_STR(rig.error.text, " for segment of ");
	unmake(&s);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* --- counts and strictness */

static char counts[200];

static void listen(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_INFO && strstr(line, "graphs: ") != NULL)
		(void)snprintf(counts, sizeof(counts), "%s", line);
}

static bool open_logged(const char *standin, const char *more)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda",
				    .workers = 1, .log = listen,
				    .log_level = PLAIT_LOG_INFO };
	char options[1100];

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare(standin);
	(void)snprintf(options, sizeof(options), "cuda:driver=%s%s",
		       standin_path, more);
	desc.options = options;
	counts[0] = '\0';
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "%s", rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device, NULL) ==
		  0) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue, NULL) == 0);
}

/* The log tells the graphs when the context closes. */
static void check_counts(const char *refused_call, const char *told)
{
	struct stretch s = { .plan = NULL };

	if (!open_logged(refused_call, ""))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	check_run(&s, 1);
	check_run(&s, 2);
	check_run(&s, 3);
	unmake(&s);
	close_place();
	HAS_STR(counts, told);
	OK_THAT((strstr(counts, " 0 refused") != NULL) ==
		(refused_call[0] == '\0'), "%s", counts);
}

static void counted(void)
{
	check_counts("", " made, 3 patched, 0 to make anew, ");
	check_counts("refuse=cuGraphInstantiateWithParams",
		     "cuda:0: graphs: 0 made, 0 patched, 0 to make anew, ");
	check_counts("refuse=cuGraphExecKernelNodeSetParams",
		     " made, 0 patched, 3 to make anew, 3 refused, 0 left to "
		     "the host");
}

/* With graphs=strict a refused graph fails the run, with the driver's code. */
static void check_strict(const char *name)
{
	struct stretch s = { .plan = NULL };
	char refuse[80];
	plait_status status;

	(void)snprintf(refuse, sizeof(refuse), "refuse=%s", name);
	if (!open_logged(refuse, ",graphs=strict"))
		return;
	status = make(&s, 2);
	if (status == PLAIT_OK)
		status = run(&s, 1);
	if (status == PLAIT_OK)
		status = run(&s, 2);
	IS_INT(status, PLAIT_E_FAILED);
	HAS_STR(rig.error.text, name);
	HAS_STR(rig.error.text, "CUDA_ERROR_NOT_SUPPORTED");
	unmake(&s);
	close_place();
}

static void strict(void)
{
	struct stretch s = { .plan = NULL };

	check_strict("cuGraphInstantiateWithParams");
	check_strict("cuGraphAddKernelNode");
	check_strict("cuGraphExecKernelNodeSetParams");
	if (!open_logged("", ",graphs=strict"))
		return;
	OK_THAT(make(&s, 2) == PLAIT_OK, "%s", rig.error.text);
	check_run(&s, 1);
	check_run(&s, 2);
	unmake(&s);
	close_place();
}

/* --- streams that are none */

/* 1 and 2 are names of default streams. */
static void special_streams(void)
{
	plait_queue_desc desc = { .size = sizeof(desc),
				  .native_kind = PLAIT_NATIVE_CU_STREAM };
	plait_queue *queue = NULL;

	if (!open_cuda("", "0"))
		return;
	for (desc.native = 1; desc.native <= 2; desc.native++) {
		IS_INT(plait_queue_create(rig.device, &desc, &queue,
					  &rig.error), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, "special handle");
	}
	close_place();
}

static const struct tap_scenario all[] = {
	{ "kinds", kinds },
	{ "rows", rows },
	{ "long lines", long_lines },
	{ "prepared", prepared },
	{ "every call", every_call },
	{ "refused", refused },
	{ "lost", lost },
	{ "counted", counted },
	{ "strict", strict },
	{ "special streams", special_streams },
};
TAP_MAIN(all)
