/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait without a limit of time wait in the driver, whose threads
 * they may be: the kernel here ends only when a thread has come.  Those with a
 * limit do not: their kernel ends when the wait has.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "standin/opencl/standin.h"

static plait_error error;
static plait_context *context;
static plait_device *device;
static plait_queue *queue;
static plait_kernel *kernel;
static plait_buffer *buffer;
static atomic_bool go;
static atomic_uint came;
static atomic_bool held, released, ended; /* of a command of another queue */
static uint64_t before; /* calls of clWaitForEvents when a step began */
static pthread_t main_thread;
static atomic_uint main_yields, yields_before; /* it came */

/* Replaces that of the C library: count the calls of the thread that waits. */
__attribute__((visibility("default"))) int sched_yield(void)
{
	if (pthread_equal(pthread_self(), main_thread))
		atomic_fetch_add(&main_yields, 1);
	return (int)syscall(SYS_sched_yield);
}

/* Ends when a thread waits in the driver, or when the test says so. */
static int32_t until_waited(void *const *arguments, const plait_launch *launch,
			    void *data)
{
	(void)arguments, (void)launch, (void)data;
	while (!atomic_load(&go) && standin()->count_waits() == before)
		sched_yield();
	atomic_store(&yields_before, atomic_load(&main_yields));
	atomic_store(&came, standin()->count_waits() > before);
	return 0;
}

/* Ends when the test says so, or, for a test that waits for it by mistake,
 * after some seconds. */
static int32_t until_released(void *const *arguments,
			      const plait_launch *launch, void *data)
{
	const time_t end = time(NULL) + 10;

	(void)arguments, (void)launch, (void)data;
	atomic_store(&held, true);
	while (!atomic_load(&released) && time(NULL) < end)
		sched_yield();
	atomic_store(&ended, true);
	return 0;
}

static void open_it(const char *more, const char *wrap)
{
	static const struct fakecl_setup setup = { .devices = 1,
						   .mode = FAKECL_THREADS };
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options, .wrap = wrap };
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_OPENCL_C,
		.code = "__kernel void wait(__global uint *x) { }\n",
	};
	const plait_kernel_desc wanted = {
		.size = sizeof(wanted), .sources = &source, .source_count = 1,
		.signature = "wait(x: inout pointer u32)",
	};
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	error = (plait_error){ .size = sizeof(error) };
	main_thread = pthread_self();
	standin()->reset(&setup);
	standin()->teach("wait", NULL, until_waited);
	standin()->teach("hold", NULL, until_released);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s%s",
		       standin_path, more);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &buffer, &error), PLAIT_OK);
	OK_THAT(plait_kernel_create(context, &wanted, &kernel, &error) ==
		PLAIT_OK, "%s", error.text);
}

static void close_it(void)
{
	plait_kernel_release(kernel);
	plait_buffer_release(buffer);
	plait_queue_release(queue);
	plait_context_release(context);
	standin_is_clean();
	/* Ends the driver's thread. */
	standin()->reset(&(struct fakecl_setup){ .devices = 1 });
}

static const plait_launch one_item = { .size = sizeof(one_item) };

static void submit_to(plait_queue *to, plait_kernel *which)
{
	const plait_argument argument = { .size = sizeof(argument),
					  .kind = PLAIT_ARGUMENT_BUFFER,
					  .buffer = buffer };

	IS_INT(plait_queue_launch(to, which, &one_item, &argument, 1,
				  &error), PLAIT_OK);
}

static void submit(void)
{
	submit_to(queue, kernel);
}

static void begin(bool at_once)
{
	before = standin()->count_waits();
	atomic_store(&came, false);
	atomic_store(&go, at_once);
}

/* Add a launch behind all others. */
static void add_launch(plait_graph *graph, plait_node *last)
{
	const plait_argument argument = { .size = sizeof(argument),
					  .kind = PLAIT_ARGUMENT_BUFFER,
					  .buffer = buffer };
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_LAUNCH,
				       .kernel = kernel, .launch = &one_item,
				       .arguments = &argument,
				       .argument_count = 1, .device = device };

	IS_INT(plait_graph_add(graph, &desc, last, *last != 0, last, &error),
	       PLAIT_OK);
}

static plait_plan *freeze(plait_graph *graph)
{
	plait_plan *plan;

	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static plait_plan *make_plan(void)
{
	plait_graph *graph;
	plait_node last = 0;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	add_launch(graph, &last);
	add_launch(graph, &last);
	return freeze(graph);
}

static void wait_for_queue(plait_plan *plan)
{
	(void)plan;
	submit();
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
}

static void wait_for_signal(plait_plan *plan)
{
	plait_signal *signal;
	uint64_t sequence;

	(void)plan;
	IS_INT(plait_signal_create(device, NULL, &signal, &error), PLAIT_OK);
	submit();
	IS_INT(plait_queue_emit(queue, signal, &sequence, &error),
	       PLAIT_OK);
	IS_INT(plait_signal_wait(signal, sequence, PLAIT_FOREVER,
				 &error), PLAIT_OK);
	plait_signal_release(signal);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
}

static void wait_for_run(plait_plan *plan)
{
	plait_run *run;

	IS_INT(plait_plan_run(plan, queue, NULL, &run, &error), PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_run_release(run);
}

static void wait_for_call(plait_plan *plan)
{
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
}

static void wait_for_queue_of_runs(plait_plan *plan)
{
	for (int i = 0; i < 2; i++)
		IS_INT(plait_plan_run(plan, queue, NULL, NULL, &error),
		       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
}

static const struct {
	const char *name;
	void (*wait)(plait_plan *plan);
} ways[] = {
	{ "queue", wait_for_queue },
	{ "signal", wait_for_signal },
	{ "run", wait_for_run },
	{ "call", wait_for_call },
	{ "queue of runs", wait_for_queue_of_runs },
};

/* Two windows of a repeat are in flight: the thread waits for the end of the second
 * one, not for each. */
static void once_for_all(void)
{
	plait_graph *graph, *body;
	plait_node last = 0;
	plait_plan *plan;

	open_it("", NULL);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_repeat(graph, 700, 0, &body, NULL, &error),
	       PLAIT_OK);
	add_launch(body, &last);
	plait_graph_release(body);
	plan = freeze(graph);
	begin(false);
	wait_for_call(plan);
	IS_UINT(standin()->count_waits() - before, 1);
	plait_plan_release(plan);
	close_it();
}

/* A thread that calls a run enters the driver as soon as it has submitted all of
 * it: commands that need the thread would not end while it spins. */
static void at_once(void)
{
	plait_plan *plan;

	open_it("", NULL);
	plan = make_plan();
	begin(false);
	atomic_store(&main_yields, 0);
	wait_for_call(plan);
	IS_UINT(atomic_load(&yields_before), 0);
	plait_plan_release(plan);
	close_it();
}

/* The command ends only when the wait has entered the driver. */
static void wait_each_way(plait_plan *plan)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		begin(false);
		ways[i].wait(plan);
		OK_THAT(atomic_load(&came), "%s", ways[i].name);
	}
}

static void try_all(const char *wrap)
{
	plait_plan *plan;

	open_it("", wrap);
	plan = make_plan();
	wait_each_way(plan);
	plait_plan_release(plan);
	close_it();
}

static void without_limit(void)
{
	try_all(NULL);
}

static void inside_interposers(void)
{
	try_all("check,fault,trace");
}

static void with_limit(void)
{
	plait_plan *plan;
	plait_run *run = NULL;

	open_it("", NULL);
	begin(false);
	submit();
	IS_INT(plait_queue_finish(queue, 1000000, &error), PLAIT_E_TIMEOUT);
	atomic_store(&go, true);
	IS_INT(plait_queue_finish(queue, 60000000000, &error), PLAIT_OK);
	OK(!atomic_load(&came));
	plan = make_plan();
	begin(false);
	IS_INT(plait_plan_run(plan, queue, NULL, &run, &error), PLAIT_OK);
	IS_INT(plait_run_wait(run, 1000000, &error), PLAIT_E_TIMEOUT);
	atomic_store(&go, true);
	IS_INT(plait_run_wait(run, 60000000000, &error), PLAIT_OK);
	OK(!atomic_load(&came));
	plait_run_release(run);
	plait_plan_release(plan);
	close_it();
}

static void never(void)
{
	open_it(",wait=host", NULL);
	begin(true);
	submit();
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	IS_UINT(standin()->count_waits(), 0);
	close_it();
}

/* A thread enters the driver for what it waits for, not for the command of
 * another queue, which is not over when the wait is. */
static void beside_another_queue(void)
{
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_OPENCL_C,
		.code = "__kernel void hold(__global uint *x) { }\n",
	};
	const plait_kernel_desc wanted = {
		.size = sizeof(wanted), .sources = &source, .source_count = 1,
		.signature = "hold(x: inout pointer u32)",
	};
	plait_kernel *hold;
	plait_queue *other;
	plait_plan *plan;

	open_it("", NULL);
	atomic_store(&held, false);
	atomic_store(&released, false);
	atomic_store(&ended, false);
	plan = make_plan();
	IS_INT(plait_kernel_create(context, &wanted, &hold, &error), PLAIT_OK);
	IS_INT(plait_queue_create(device, NULL, &other, &error), PLAIT_OK);
	submit_to(other, hold);
	while (!atomic_load(&held))
		sched_yield();
	wait_each_way(plan);
	OK(!atomic_load(&ended));
	atomic_store(&released, true);
	IS_INT(plait_queue_finish(other, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_queue_release(other);
	plait_kernel_release(hold);
	plait_plan_release(plan);
	close_it();
}

static const struct tap_scenario all[] = {
	{ "a wait without a limit", without_limit },
	{ "a wait inside interposers", inside_interposers },
	{ "a call", at_once },
	{ "two windows of a repeat", once_for_all },
	{ "beside another queue", beside_another_queue },
	{ "a wait with a limit", with_limit },
	{ "wait=host", never },
};

TAP_MAIN(all)
