/* SPDX-License-Identifier: MIT */
/*
 * Kernels that decide their own loop, on the stand-in for CUDA's driver.  No
 * extra node reads the word then, and the results equal those with such a node
 * and those of the host.  A kernel decides only if no other command writes the
 * word.  Such loops can be cancelled, and their kernels exchanged.
 */
#include "lib/queued.h"

enum { RUNS = 3 };

#define SIGNATURE "tell(left: inout pointer u32, sum: inout pointer u32, step: u32)"
#define DECIDING \
	"KERNEL(tell) { EACH(i, 16) {" \
	"	sum[i] += step;" \
	"	if (i > 0) left[i] -= 1; else DECIDE(left, *left - 1);" \
	"} }"
#define STORING \
	"/* not DECIDE */ KERNEL(tell) { (void)sizeof(\"DECIDE\"); EACH(i, 16) {" \
	"	sum[i] += step; left[i] -= 1;" \
	"} }"
#define ENDLESS \
	"KERNEL(tell) { EACH(i, 16) {" \
	"	sum[i] += step; DECIDE(left + i, 1);" \
	"} }"

/* plait_decides: 1, the kernel may set the condition; 2, it sets it each
 * time. */
#define CUDA_C(decides, more, body) \
	"extern \"C\" __device__ void cudaGraphSetConditional(" \
	"	unsigned long long handle, unsigned value);\n" \
	"extern \"C\" { __device__ __constant__ unsigned plait_decides = " \
	decides "; }\n" \
	"extern \"C\" __global__ void tell(unsigned *left, unsigned *sum," \
	"	unsigned step, unsigned long long condition," \
	"	const unsigned *word, const volatile unsigned *stop" more ") {" \
	"	unsigned i = threadIdx.x;" \
	"	sum[i] += step;" \
	body "}"
#define SETS \
	"	left[i] -= 1;" \
	"	if (left + i == word) cudaGraphSetConditional(condition," \
	"		*stop != 0 ? 0 : left[i]);"
#define MAY_SET CUDA_C("1", "", SETS)
#define ALWAYS_SETS CUDA_C("2", ", unsigned long long *arrived", SETS)
/* Sets the condition only when the loop ends. */
#define SETS_LAST \
	CUDA_C("1", "", \
	"	left[i] -= 1;" \
	"	if (left + i == word && left[i] == 0)" \
	"		cudaGraphSetConditional(condition, 0);")
#define NEVER_SETS CUDA_C("1", "", "")
#define WIDE_SETS \
	"extern \"C\" { __device__ __constant__ unsigned plait_decides[2] = " \
	"{ 2, 0 }; }\n" \
	"extern \"C\" __global__ void tell(unsigned *left, unsigned *sum," \
	"	unsigned step) { left[0] = sum[0] + step; }"
#define KNOWS_NOT CUDA_C("3", ", unsigned long long *arrived", SETS)

/* loop over n { n -= 1, sum += step; x = 2 x + 1 }, at least once */
struct loop {
	plait_kernel *tell, *map;
	plait_buffer *n, *sum, *x;
	plait_plan *plan;
};

static bool open_cuda(const char *options)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = 1, .builds = true };

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare(options);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s", standin_path);
	return open_place(&place);
}

static plait_node add_loop(plait_graph *graph, uint32_t kind,
			   plait_buffer *word, const plait_node *after,
			   uint64_t count)
{
	const plait_node_desc desc = { .kind = kind, .label = "loop",
				       .predicate = word };

	return add_node(graph, desc, after, count);
}

/* `told`: the step is a parameter of the runs. */
static plait_node add_tell(const struct loop *s, plait_graph *body, bool told)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[3] = {
		buffer_argument(s->n), buffer_argument(s->sum),
		told ? of_kind(PLAIT_ARGUMENT_PARAMETER, "step") :
		       value_argument(&one),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->tell,
		.launch = &launch, .arguments = arguments,
		.argument_count = 3, .label = "tell",
	};

	return add_node(body, desc, NULL, 0);
}

static plait_kernel *tell_kernel(const char *text)
{
	const plait_source source = {
		.size = sizeof(source), .code = text,
		.form = strstr(text, "KERNEL(") != NULL ?
				PLAIT_SOURCE_PORTABLE : PLAIT_SOURCE_CUDA_C,
	};
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = SIGNATURE,
		.sources = &source, .source_count = 1,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return kernel;
}

static void begin(struct loop *s, const char *text)
{
	builds = true;
	s->tell = tell_kernel(text);
	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->sum = words_on(rig.device);
	s->x = words_on(rig.device);
}

static void make(struct loop *s, const char *text, uint32_t kind, bool told)
{
	plait_graph *graph, *body;
	plait_node node;

	begin(s, text);
	graph = new_graph();
	node = add_loop(graph, kind, s->n, NULL, 0);
	body = body_of(graph, node, 0);
	(void)add_tell(s, body, told);
	(void)add_map(body, s->map, s->x, s->x, 2, 1, NULL, 0);
	plait_graph_release(body);
	s->plan = freeze_on(graph, 2);
}

static void unmake(struct loop *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->sum);
	plait_buffer_release(s->x);
	plait_kernel_release(s->tell);
	plait_kernel_release(s->map);
}

/* `step`: passed to the run; 0: the graph's step. */
static void check_run(const struct loop *s, uint32_t times, uint32_t step)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &step, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = step > 0 };

	write_words(s->n, times);
	write_words(s->sum, 0);
	write_words(s->x, 0);
	OK_THAT(plait_plan_call(s->plan, NULL, &desc, &rig.error) == PLAIT_OK,
		"run: %s", rig.error.text);
	IS_UINT(read_words(s->n), 0);
	IS_UINT(read_words(s->sum), times * (step > 0 ? step : 1));
	IS_UINT(read_words(s->x), (1u << times) - 1);
}

/* `nodes`: the kernel nodes of each of the plan's graphs, whose runs are one
 * launch each; 0: the host decides. */
static void check_loop(const char *options, const char *text, uint32_t kind,
		       uint64_t nodes)
{
	struct loop s;
	uint64_t added, launched;

	if (!open_cuda(options))
		return;
	make(&s, text, kind, false);
	added = rig_calls("cuGraphAddKernelNode");
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	added = rig_calls("cuGraphAddKernelNode") - added;
	if (nodes > 0)
		OK_THAT(added % nodes == 0 && added / nodes <= 2,
			"%u nodes", (unsigned)added);
	launched = rig_calls("cuGraphLaunch");
	for (uint32_t i = 1; i <= RUNS; i++)
		check_run(&s, i * 2, 0);
	if (nodes > 0)
		IS_UINT(rig_calls("cuGraphLaunch") - launched, RUNS);
	unmake(&s);
	close_place();
}

/* The node counts: one decides in front of the loop; another one at the body's
 * end, or in front of a kernel that may decide, exists unless the kernel always
 * decides. */
static void loops(void)
{
	check_loop("", DECIDING, PLAIT_NODE_WHILE, 3);
	check_loop("", DECIDING, PLAIT_NODE_DO, 3);
	check_loop("", ALWAYS_SETS, PLAIT_NODE_WHILE, 3);
	check_loop("", ALWAYS_SETS, PLAIT_NODE_DO, 3);
	check_loop("", MAY_SET, PLAIT_NODE_WHILE, 4);
	check_loop("", MAY_SET, PLAIT_NODE_DO, 4);
	check_loop("", SETS_LAST, PLAIT_NODE_WHILE, 4);
	check_loop("", SETS_LAST, PLAIT_NODE_DO, 4);
	check_loop("", STORING, PLAIT_NODE_WHILE, 4);
	check_loop("", STORING, PLAIT_NODE_DO, 4);
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check_loop("", DECIDING, PLAIT_NODE_WHILE, 0);
	check_loop("", DECIDING, PLAIT_NODE_DO, 0);
	check_loop("", MAY_SET, PLAIT_NODE_WHILE, 0);
	(void)unsetenv("PLAIT_REGIONS");
}

/* A kernel node that was changed in place still decides. */
static void told(void)
{
	struct loop s;
	uint64_t created;

	if (!open_cuda(""))
		return;
	make(&s, DECIDING, PLAIT_NODE_WHILE, true);
	OK(plait_plan_prepare(s.plan, &rig.error) == PLAIT_OK);
	created = rig_calls("cuGraphCreate");
	for (uint32_t i = 1; i <= RUNS; i++)
		check_run(&s, 3, i);
	IS_UINT(rig_calls("cuGraphCreate"), created);
	unmake(&s);
	close_place();
}

/* Exchange for a kernel that never decides, or not always, and back. */
static void check_exchange(const char *text)
{
	plait_kernel *other;
	struct loop s;

	if (!open_cuda(""))
		return;
	make(&s, DECIDING, PLAIT_NODE_DO, false);
	other = tell_kernel(text);
	check_run(&s, 3, 0);
	OK_THAT(plait_plan_exchange(s.plan, s.tell, other, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	check_run(&s, 4, 0);
	OK_THAT(plait_plan_exchange(s.plan, other, s.tell, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	check_run(&s, 5, 0);
	plait_kernel_release(other);
	unmake(&s);
	close_place();
}

static void exchanged(void)
{
	check_exchange(STORING);
	check_exchange(SETS_LAST);
}

/* DECIDE stores in a launch outside loops, and where the word is another
 * loop's. */
static void outside(void)
{
	struct loop s;
	plait_graph *graph, *body;
	plait_buffer *m;
	plait_node node;

	if (!open_cuda(""))
		return;
	begin(&s, DECIDING);
	m = words_on(rig.device);
	graph = new_graph();
	node = add_tell(&s, graph, false);
	node = add_loop(graph, PLAIT_NODE_WHILE, m, &node, 1);
	body = body_of(graph, node, 0);
	(void)add_tell(&s, body, false);
	(void)add_map(body, s.map, m, m, 1, UINT32_MAX, NULL, 0);
	plait_graph_release(body);
	s.plan = freeze_on(graph, 2);
	for (uint32_t i = 0; i < RUNS; i++) {
		write_words(s.n, 5);
		write_words(s.sum, 0);
		write_words(m, 4);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(s.n), 0);
		IS_UINT(read_words(s.sum), 5);
		IS_UINT(read_words(m), 0);
	}
	plait_buffer_release(m);
	unmake(&s);
	close_place();
}

/* Two kernels write the word, or one in an inner loop. */
static void check_writers(bool inside)
{
	struct loop s;
	plait_graph *graph, *body, *inner;
	plait_node node;
	uint32_t turns = inside ? 4 : 2;

	if (!open_cuda(""))
		return;
	begin(&s, DECIDING);
	graph = new_graph();
	node = add_loop(graph, PLAIT_NODE_WHILE, s.n, NULL, 0);
	body = inner = body_of(graph, node, 0);
	if (inside) {
		node = add_loop(body, PLAIT_NODE_DO, s.n, NULL, 0);
		inner = body_of(body, node, 0);
	}
	node = add_tell(&s, inner, false);
	if (inside)
		plait_graph_release(inner);
	else
		(void)add_map(body, s.map, s.n, s.n, 1, UINT32_MAX, &node, 1);
	plait_graph_release(body);
	s.plan = freeze_on(graph, 1);
	for (uint32_t i = 0; i < RUNS; i++) {
		write_words(s.n, 4);
		write_words(s.sum, 0);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(s.n), 0);
		IS_UINT(read_words(s.sum), turns);
	}
	unmake(&s);
	close_place();
}

static void writers(void)
{
	check_writers(false);
	check_writers(true);
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check_writers(false);
	check_writers(true);
	(void)unsetenv("PLAIT_REGIONS");
}

static void check_cancelled(const char *text)
{
	plait_run *run = NULL;
	struct loop s;

	if (!open_cuda("workers=3"))
		return;
	make(&s, text, PLAIT_NODE_WHILE, false);
	for (uint32_t i = 0; i < RUNS; i++) {
		write_words(s.n, 1);
		IS_INT(plait_plan_run(s.plan, rig.queue, NULL, &run,
				      &rig.error), PLAIT_OK);
		IS_INT(plait_run_cancel(run, &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_CANCELLED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		write_words(s.n, 0);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
	}
	unmake(&s);
	close_place();
}

static void cancelled(void)
{
	check_cancelled(ENDLESS);
	check_cancelled(NEVER_SETS);
}

static void check_refused(const char *options, const char *text,
			  plait_status status, const char *why)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_CUDA_C };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = SIGNATURE,
		.sources = &source, .source_count = 1,
	};
	plait_kernel *kernel = NULL;

	if (!open_cuda(options))
		return;
	IS_INT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error),
	       status);
	OK_THAT(strstr(rig.error.text, why) != NULL, "%s", rig.error.text);
	plait_kernel_release(kernel);
	close_place();
}

/* An unknown value of plait_decides. */
static void unknown(void)
{
	check_refused("", KNOWS_NOT, PLAIT_E_UNSUPPORTED, "plait_decides is to be 1 or 2");
}

/* Before 12.3 no kernel decides: DECIDE stores, and the error for code that
 * cannot be loaded names the driver it needs. */
static void older(void)
{
	static const char *const versions[] = { "version=12000",
						"version=12020" };

	for (size_t i = 0; i < TAP_COUNT(versions); i++) {
		check_refused(versions[i], MAY_SET, PLAIT_E_UNSUPPORTED,
			      "needs the driver of CUDA 12.3");
		check_refused(versions[i], ALWAYS_SETS, PLAIT_E_UNSUPPORTED,
			      "needs the driver of CUDA 12.3");
		check_loop(versions[i], DECIDING, PLAIT_NODE_WHILE, 0);
		check_loop(versions[i], DECIDING, PLAIT_NODE_DO, 0);
	}
	check_loop("version=12030", DECIDING, PLAIT_NODE_WHILE, 3);
	check_loop("version=12030", MAY_SET, PLAIT_NODE_WHILE, 4);
}

/* Compilers before 12.3 do not know the function either. */
static void older_compiler(void)
{
	if (getenv("STANDIN_REAL_NVRTC") != NULL) {
		SKIP("a real NVRTC has the version that it has");
		return;
	}
	(void)setenv("STANDIN_NVRTC_VERSION", "12020", 1);
	check_loop("", DECIDING, PLAIT_NODE_WHILE, 4);
	check_loop("", DECIDING, PLAIT_NODE_DO, 4);
	check_refused("", MAY_SET, PLAIT_E_INVALID, "NVRTC refuses it");
	(void)setenv("STANDIN_NVRTC_VERSION", "12030", 1);
	check_loop("", DECIDING, PLAIT_NODE_WHILE, 3);
	(void)unsetenv("STANDIN_NVRTC_VERSION");
}

/* A kernel's illegal access loses the device. */
static void failed(void)
{
	struct loop s;

	if (!open_cuda(""))
		return;
	make(&s, DECIDING, PLAIT_NODE_WHILE, false);
	check_run(&s, 2, 0);
	write_words(s.n, 5);
	rig_fault(3, CUDA_ERROR_ILLEGAL_ADDRESS);
	IS_INT(call_with(s.plan, 0), PLAIT_E_LOST);
	unmake(&s);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* The compiler makes variables local to their module.  If the driver does not
 * find them, portable code must not run in groups of any size, and code that
 * needs its loop's condition must not run without it. */
static void check_unseen(const char *text, uint32_t form, uint64_t call,
			 const char *name)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = form };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = SIGNATURE,
		.sources = &source, .source_count = 1,
	};
	plait_kernel *kernel = NULL;

	if (!open_cuda(""))
		return;
	rig_fail("cuModuleGetGlobal", call, CUDA_ERROR_NOT_FOUND);
	IS_INT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, name);
	plait_kernel_release(kernel);
	close_place();
}

static void unseen(void)
{
	check_unseen(STORING, PLAIT_SOURCE_PORTABLE, 2, "plait_group");
	check_unseen(DECIDING, PLAIT_SOURCE_PORTABLE, 1, "plait_decides");
	check_unseen(MAY_SET, PLAIT_SOURCE_CUDA_C, 1, "plait_decides");
	/* A variable of another size is not accepted. */
	check_unseen(WIDE_SETS, PLAIT_SOURCE_CUDA_C, 9, "plait_decides");
}

static const struct tap_scenario all[] = {
	{ "unseen", unseen },
	{ "loops", loops },
	{ "told", told },
	{ "exchanged", exchanged },
	{ "outside", outside },
	{ "writers", writers },
	{ "cancelled", cancelled },
	{ "unknown", unknown },
	{ "older", older },
	{ "older compiler", older_compiler },
	{ "failed", failed },
};
TAP_MAIN(all)
