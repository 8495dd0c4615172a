/* SPDX-License-Identifier: MIT */
/*
 * The mode `atomic`: launches that add atomically need no order, on the host,
 * chaos and, if there is one, an OpenCL device; any other mode does.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 6, ITEMS = 1000 };

static const char add_code[] =
	"KERNEL(add) { EACH(i, n) ATOMIC_ADD(&sum[i % 4], 1u); }";
static const char add_text[] = "add(sum: atomic pointer u32, n: u64)";

static plait_context *context;
static plait_device *device;
static plait_buffer *sum;
static plait_error error;

static uint32_t races;

static void hear(void *user_data, int32_t level, const char *text)
{
	(void)user_data;
	(void)level;
	races += strstr(text, "race: ") != NULL;
}

static bool open_on(const char *backend)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = backend, .wrap = "check",
				    .log = hear,
				    .log_level = PLAIT_LOG_ERROR };
	plait_buffer_desc wanted = { .size = sizeof(wanted), .bytes = 16,
				     .label = "sum" };

	error = (plait_error){ .size = sizeof(error) };
	if (plait_context_open(&desc, &context, &error) != PLAIT_OK) {
		NOTE("%s: %s", backend, error.text);
		return false;
	}
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	return IS_INT(plait_buffer_create(device, &wanted, &sum, &error),
		      PLAIT_OK);
}

static void close_all(void)
{
	plait_buffer_release(sum);
	plait_context_release(context);
	IS_UINT(plait_live_count(PLAIT_OBJECT_ANY), 0);
}

static plait_kernel *compile(const char *signature, const char *code)
{
	plait_kernel *kernel = NULL;

	if (!IS_INT(plait_kernel_compile(context, signature, code, &kernel,
					 &error), PLAIT_OK))
		NOTE("%s", error.text);
	return kernel;
}

static plait_node add(plait_graph *graph, plait_kernel *kernel, plait_node after)
{
	uint64_t n = ITEMS;
	plait_node node = 0;

	IS_INT(plait_graph_launch(graph, kernel, PLAIT_ITEMS(n),
				  PLAIT_ARGUMENTS(PLAIT_BUFFER(sum),
						  PLAIT_VALUE(n)),
				  after, &node, &error), PLAIT_OK);
	return node;
}

static plait_status freeze(plait_graph *graph, uint32_t flags, plait_plan **out)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags,
				   .policy = PLAIT_POLICY_WIDEST };

	*out = NULL;
	return plait_graph_freeze(graph, &desc, out, &error);
}

static void read_sums(uint32_t *to)
{
	plait_queue *queue = NULL;

	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_read(queue, sum, 0, to, 16, &error), PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_queue_release(queue);
}

/* A fill, six launches that nothing orders. */
static void submit_six(const char *backend)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_kernel *kernel;
	plait_node clear = 0;
	uint32_t sums[4] = { 0 };

	if (!open_on(backend))
		return;
	kernel = compile(add_text, add_code);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_fill(graph, sum, 0, 16, 0, 1, 0, &clear, &error),
	       PLAIT_OK);
	for (uint32_t i = 0; i < LAUNCHES; i++)
		(void)add(graph, kernel, clear);
	if (!IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &plan), PLAIT_OK))
		NOTE("%s", error.text);
	for (uint32_t i = 0; i < 3 && plan != NULL; i++)
		IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	read_sums(sums);
	for (uint32_t i = 0; i < 4; i++)
		IS_UINT(sums[i], LAUNCHES * ITEMS / 4);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	close_all();
}

static void on_the_host(void) { submit_six("host"); }
static void on_chaos(void) { submit_six("chaos"); }

/* The leak check of a sanitizer can end in the memory of a driver's code. */
static void on_opencl(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		SKIP("drivers are not built with a sanitizer");
	else
		submit_six("opencl");
}

/* Other modes, and another access beside the atomic ones, conflict. */
static void conflicts(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan;
	plait_kernel *atomic, *plain;

	if (!open_on("host"))
		return;
	atomic = compile(add_text, add_code);
	plain = compile("add(sum: inout pointer u32, n: u64)", add_code);
	for (uint32_t i = 0; i < 3; i++) {
		IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
		(void)add(graph, i == 0 ? plain : atomic, 0);
		(void)add(graph, i == 2 ? atomic : plain, 0);
		IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &plan),
		       i == 2 ? PLAIT_OK : PLAIT_E_INVALID);
		plait_plan_release(plan);
		if (i == 2) {
			IS_INT(plait_graph_fill(graph, sum, 0, 4, 0, 1, 0, NULL,
						&error), PLAIT_OK);
			IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &plan),
			       PLAIT_E_INVALID);
			HAS_STR(error.text, "'sum'");
		}
		plait_graph_release(graph);
	}
	plait_kernel_release(plain);
	plait_kernel_release(atomic);
	close_all();
}

/* Program order: fill, six in any order, fill. */
static void program_order(void)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_plan_info info = { .size = sizeof(info) };
	plait_kernel *kernel;

	if (!open_on("host"))
		return;
	kernel = compile(add_text, add_code);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_fill(graph, sum, 0, 16, 0, 1, 0, NULL, &error),
	       PLAIT_OK);
	for (uint32_t i = 0; i < LAUNCHES; i++)
		(void)add(graph, kernel, 0);
	IS_INT(plait_graph_fill(graph, sum, 0, 16, 0, 1, 0, NULL, &error),
	       PLAIT_OK);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK | PLAIT_FREEZE_PROGRAM_ORDER,
		      &plan), PLAIT_OK);
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	IS_UINT(info.lanes, LAUNCHES);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	close_all();
}

/* Returns the races of two launches on two queues. */
static uint32_t launch_twice(plait_kernel *one, plait_kernel *other)
{
	plait_kernel *kernels[] = { one, other };
	plait_queue *queues[2] = { NULL };
	uint64_t n = ITEMS;

	races = 0;
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(plait_queue_create(device, NULL, &queues[i], &error),
		       PLAIT_OK);
		IS_INT(plait_queue_launch(queues[i], kernels[i], PLAIT_ITEMS(n),
					  PLAIT_ARGUMENTS(PLAIT_BUFFER(sum),
							  PLAIT_VALUE(n)),
					  &error), PLAIT_OK);
	}
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(plait_queue_finish(queues[i], PLAIT_FOREVER, &error),
		       PLAIT_OK);
		plait_queue_release(queues[i]);
	}
	return races;
}

static uint32_t run_twice(plait_kernel *one, plait_kernel *other)
{
	plait_kernel *kernels[] = { one, other };
	plait_queue *queues[2] = { NULL };
	plait_plan *plans[2] = { NULL };
	plait_graph *graph;

	races = 0;
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(plait_queue_create(device, NULL, &queues[i], &error),
		       PLAIT_OK);
		IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
		(void)add(graph, kernels[i], 0);
		IS_INT(freeze(graph, 0, &plans[i]), PLAIT_OK);
		plait_graph_release(graph);
	}
	for (uint32_t i = 0; i < 2; i++)
		IS_INT(plait_plan_run(plans[i], queues[i], NULL, NULL, &error),
		       PLAIT_OK);
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(plait_queue_finish(queues[i], PLAIT_FOREVER, &error),
		       PLAIT_OK);
		plait_queue_release(queues[i]);
		plait_plan_release(plans[i]);
	}
	return races;
}

/* Between queues, and between runs of two plans. */
static void the_race_check(void)
{
	static const char *const backends[] = { "host", "chaos" };
	plait_kernel *atomic, *plain;

	for (uint32_t i = 0; i < TAP_COUNT(backends); i++) {
		if (!open_on(backends[i]))
			continue;
		atomic = compile(add_text, add_code);
		plain = compile("add(sum: inout pointer u32, n: u64)", add_code);
		IS_UINT(launch_twice(atomic, atomic), 0);
		OK(launch_twice(atomic, plain) > 0);
		OK(launch_twice(plain, atomic) > 0);
		IS_UINT(run_twice(atomic, atomic), 0);
		OK(run_twice(atomic, plain) > 0);
		plait_kernel_release(plain);
		plait_kernel_release(atomic);
		close_all();
	}
}

static int32_t add_nothing(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* A host function on the memory of another device works on a mapping. */
static void mapped_memory(void)
{
	plait_kernel_desc desc = { .size = sizeof(desc), .signature = add_text,
				   .function = add_nothing };
	static const char *const backends[] = { "host", "chaos" };
	plait_kernel *kernel = NULL;
	plait_graph *graph = NULL;
	plait_plan *plan;

	for (uint32_t i = 0; i < TAP_COUNT(backends); i++) {
		if (!open_on(backends[i]))
			continue;
		IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
		       PLAIT_OK);
		IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
		(void)add(graph, kernel, 0);
		(void)add(graph, kernel, 0);
		IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &plan),
		       i == 0 ? PLAIT_OK : PLAIT_E_INVALID);
		plait_plan_release(plan);
		plait_graph_release(graph);
		plait_kernel_release(kernel);
		close_all();
	}
}

static const struct tap_scenario all[] = {
	{ "six on the host", on_the_host },
	{ "six on chaos", on_chaos },
	{ "six on opencl", on_opencl },
	{ "conflicts", conflicts },
	{ "program order", program_order },
	{ "the race check", the_race_check },
	{ "mapped memory", mapped_memory },
};

TAP_MAIN(all)
