/* SPDX-License-Identifier: MIT */
/*
 * Locks of the driver and the CUDA backend, on the stand-in, which runs
 * callbacks and frees memory with a lock that its other calls need: a loop is
 * cancelled while memory is freed, a kernel faults while memory is wrapped.  A
 * driver that does not call back after an error, streams that take few
 * commands, and the number of callbacks.
 */
#include <pthread.h>
#include <stdlib.h>

#include "segments.h"

enum { LAUNCHES = 1000, FEW_CALLBACKS = 200, MIB = 1 << 20, TURNS = 8 };

/* With more settings of the backend; the driver's file names the compiler. */
static bool open_with(const char *standin, const char *more)
{
	struct place place = { .backends = "cuda", .workers = 1,
			       .builds = true };

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare(standin);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, more);
	return open_place(&place);
}

/* ---- a loop without end, and memory that is freed ---- */

static void *release(void *buffer)
{
	plait_buffer_release(buffer);
	return NULL;
}

/* do { x += 1 } while n; n stays 1. */
static plait_plan *endless(plait_kernel *map, plait_buffer *n, plait_buffer *x)
{
	plait_node_desc loop = { .kind = PLAIT_NODE_DO, .label = "loop",
				 .predicate = n };
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, loop, NULL, 0);

	body = body_of(graph, node, 0);
	(void)add_map(body, map, x, x, 1, 1, NULL, 0);
	plait_graph_release(body);
	return freeze_on(graph, 1);
}

static void await_iterations(void)
{
	uint64_t since = 0;

	while (rig_calls("cuGraphLaunch") == 0 && !tap_late(&since))
		;
}

static void cancel_while_freeing(const char *standin)
{
	plait_buffer_desc large = { .size = sizeof(large), .bytes = MIB };
	plait_buffer *n, *x, *block = NULL;
	plait_run *run = NULL;
	plait_kernel *map;
	plait_plan *plan;
	pthread_t thread;

	/* The block is larger than what the pool keeps. */
	if (!open_with(standin, ",pool=64K"))
		return;
	map = map_kernel();
	n = words_on(rig.device);
	x = words_on(rig.device);
	OK(plait_buffer_create(rig.device, &large, &block, &rig.error) ==
	   PLAIT_OK);
	plan = endless(map, n, x);
	write_words(n, 1);
	write_words(x, 0);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	await_iterations();
	OK(pthread_create(&thread, NULL, release, block) == 0);
	/* The release does not wait for the loop. */
	OK(pthread_join(thread, NULL) == 0);
	IS_UINT(rig_calls("cuMemFree"), 0);
	OK(plait_run_cancel(run, &rig.error) == PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_CANCELLED);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void frees(void)
{
	cancel_while_freeing("");
	cancel_while_freeing("workers=1");
	cancel_while_freeing("connections=1");
}

/* ---- a fault in a callback, and memory that is wrapped ---- */

static plait_status launch_map(plait_queue *queue, plait_kernel *map,
			       plait_buffer *x)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[] = {
		buffer_argument(x), buffer_argument(x), value_argument(&one),
		value_argument(&one),
	};

	return plait_queue_launch(queue, map, &launch, arguments, 4,
				  &rig.error);
}

static void *wrap(void *memory)
{
	plait_error error = { .size = sizeof(error) };
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = memory, .bytes = 4096 };
	plait_buffer *buffer = NULL;

	for (int i = 0; i < TURNS; i++)
		if (plait_buffer_wrap(rig.device, &desc, &buffer, &error) ==
		    PLAIT_OK)
			plait_buffer_release(buffer);
	return NULL;
}

static void fault_while(const char *standin)
{
	static char memory[8192] __attribute__((aligned(4096)));
	plait_kernel *map;
	plait_buffer *x;
	pthread_t thread;

	if (!open_with(standin, ""))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	write_words(x, 0);
	(void)wrap(memory);
	rig_fault(1, CUDA_ERROR_ILLEGAL_ADDRESS);
	OK(pthread_create(&thread, NULL, wrap, memory) == 0);
	(void)launch_map(rig.queue, map, x);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_LOST);
	HAS_STR(rig.error.text, "CUDA_ERROR_ILLEGAL_ADDRESS");
	OK(pthread_join(thread, NULL) == 0);
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
}

/* The recorder of locks finds the inversion whether it ends well or not. */
static void faults(void)
{
	for (int i = 0; i < TURNS; i++)
		fault_while("");
}

/* The driver never calls back: a kernel of a loop faults when the callback has been
 * asked for.  Late callbacks find nothing. */
static void never_told(const char *standin)
{
	uint64_t since = 0, before;
	plait_buffer *n, *x;
	plait_run *run = NULL;
	plait_kernel *map;
	plait_plan *plan;

	if (!open_with(standin, ""))
		return;
	map = map_kernel();
	n = words_on(rig.device);
	x = words_on(rig.device);
	plan = endless(map, n, x);
	write_words(n, 1);
	write_words(x, 0);
	before = rig_calls("cuStreamAddCallback");
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	await_iterations();
	while (rig_calls("cuStreamAddCallback") == before && !tap_late(&since))
		;
	rig_fault(1, CUDA_ERROR_ILLEGAL_ADDRESS);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_E_LOST);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK_THAT(rig_speak() > 0, "%s: callbacks came late", standin);
	/* The device keeps the fault as long as its context. */
	OK(all_gone());
}

static void mute(void)
{
	never_told("mute=1");
	never_told("mute=1,writes=0");
}

static const CUresult sticky[] = {
	CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED,
	CUDA_ERROR_TENSOR_MEMORY_LEAK, CUDA_ERROR_MPS_CLIENT_TERMINATED,
	CUDA_ERROR_EXTERNAL_DEVICE,
};

static void codes(void)
{
	for (size_t i = 0; i < TAP_COUNT(sticky); i++) {
		plait_kernel *map;
		plait_buffer *x;

		if (!open_with("", ""))
			return;
		map = map_kernel();
		x = words_on(rig.device);
		rig_fault(1, (int)sticky[i]);
		(void)launch_map(rig.queue, map, x);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_E_LOST);
		plait_buffer_release(x);
		plait_kernel_release(map);
		plait_queue_release(rig.queue);
		plait_context_release(rig.context);
	}
}

/* ---- callbacks ---- */

static uint64_t callbacks(void)
{
	return rig_calls("cuStreamAddCallback");
}

static void count_callbacks(const char *standin)
{
	plait_signal_desc desc = { .size = sizeof(desc),
				   .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_kernel *map;
	plait_buffer *x;
	uint64_t before;

	if (!open_with(standin, ""))
		return;
	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	map = map_kernel();
	x = words_on(rig.device);
	write_words(x, 0);
	/* One launch alone is told by a callback of its own. */
	for (int i = 0; i < TURNS; i++) {
		before = callbacks();
		OK(launch_map(rig.queue, map, x) == PLAIT_OK);
		OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
		OK(callbacks() - before <= 1);
	}
	before = callbacks();
	OK(plait_queue_wait(rig.queue, gate, 1, &rig.error) == PLAIT_OK);
	for (int i = 0; i < LAUNCHES; i++)
		if (launch_map(rig.queue, map, x) != PLAIT_OK)
			OK_THAT(false, "%s", rig.error.text);
	OK(plait_signal_raise(gate, 1, &rig.error) == PLAIT_OK);
	OK_THAT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	OK_THAT(callbacks() - before < FEW_CALLBACKS, "%s: %d callbacks",
		standin, (int)(callbacks() - before));
	OK(read_words(x) != 0);
	plait_signal_release(gate);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void few_callbacks(void)
{
	count_callbacks("");
	count_callbacks("writes=0");
	count_callbacks("refuse=cuStreamWriteValue32");
	count_callbacks("workers=1,connections=1");
	count_callbacks("depth=8");
	count_callbacks("depth=8,locked=no,seed=3");
}

/* A refused call that is needed is named. */
static void refused(void)
{
	plait_kernel *map;
	plait_buffer *x;

	if (!open_with("refuse=cuStreamAddCallback", ",callbacks=each"))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	(void)launch_map(rig.queue, map, x);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) !=
	   PLAIT_OK);
	HAS_STR(rig.error.text, "cuStreamAddCallback");
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	standin_is_clean();
}

static const struct tap_scenario all[] = {
	{ "frees", frees },
	{ "faults", faults },
	{ "mute", mute },
	{ "codes", codes },
	{ "few callbacks", few_callbacks },
	{ "refused", refused },
};
TAP_MAIN(all)
