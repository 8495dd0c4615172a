/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver behind the commands of a queue, on the stand-in for CUDA's
 * driver: tickets, events and callbacks come when something needs them, and all
 * that waits is told.  A stream is held by a host function, so counts do not
 * depend on time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "segments.h"
#include "plait/native.h"

enum { BURST = 20 };

/* ---- the place ---- */

static plait_kernel *map;
static plait_buffer *x;
static struct gate gate;

static bool open_calls(const char *options)
{
	struct place place = { .backends = "cuda", .workers = 1,
			       .builds = true };

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare("locked=no,waits=0");
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, options);
	if (!open_place(&place))
		return false;
	map = map_kernel();
	x = words_on(rig.device);
	write_words(x, 0);
	return true;
}

static void close_calls(void)
{
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

/* Commands behind this do not begin before rig_release. */
static void hold(plait_queue *queue)
{
	uint64_t stream = 0, context = 0;

	OK(plait_queue_native(queue, PLAIT_NATIVE_CU_STREAM, &stream,
			      &rig.error) == PLAIT_OK);
	OK(plait_device_native(rig.device, PLAIT_NATIVE_CU_CONTEXT, &context,
			       &rig.error) == PLAIT_OK);
	WORKS(cu.cuCtxPushCurrent((CUcontext)(uintptr_t)context));
	rig_hold((CUstream)(uintptr_t)stream, &gate);
	WORKS(cu.cuCtxPopCurrent(NULL));
}

static void launch_on(plait_queue *queue)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[] = {
		buffer_argument(x), buffer_argument(x), value_argument(&one),
		value_argument(&one),
	};

	OK_THAT(plait_queue_launch(queue, map, &launch, arguments, 4,
				   &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
}

static void finish(plait_queue *queue)
{
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
}

/* ---- counts ---- */

static const char *const counted[] = {
	"cuLaunchKernel", "cuStreamWriteValue32", "cuEventRecord",
	"cuStreamWaitEvent", "cuStreamAddCallback", "cuCtxPushCurrent",
};

struct counts {
	uint64_t launches, tickets, records, waits, callbacks, contexts;
};

static struct counts count(void)
{
	uint64_t calls[TAP_COUNT(counted)];
	struct counts counts;

	for (size_t i = 0; i < TAP_COUNT(counted); i++)
		calls[i] = rig_calls(counted[i]);
	memcpy(&counts, calls, sizeof(counts));
	return counts;
}

static struct counts since(struct counts before)
{
	struct counts now = count();

	return (struct counts){ now.launches - before.launches,
				now.tickets - before.tickets,
				now.records - before.records,
				now.waits - before.waits,
				now.callbacks - before.callbacks,
				now.contexts - before.contexts };
}

/* Another may be outstanding, of commands that have ended; it comes first. */
static void await_callback(struct counts before)
{
	uint64_t late = 0;

	while (since(before).callbacks == 0 && !tap_late(&late))
		;
}

/* ---- launches ---- */

static void check_burst(const char *options, uint64_t tickets, uint64_t records)
{
	struct counts before, calls;

	if (!open_calls(options))
		return;
	hold(rig.queue);
	before = count();
	for (int i = 0; i < BURST; i++)
		launch_on(rig.queue);
	calls = since(before);
	IS_UINT(calls.launches, BURST);
	IS_UINT(calls.tickets, tickets);
	IS_UINT(calls.records, records);
	IS_UINT(calls.callbacks, 0);
	IS_UINT(calls.contexts, BURST);
	rig_release(&gate);
	finish(rig.queue);
	IS_UINT(read_words(x), BURST);
	close_calls();
}

/* A ticket behind the first, and behind the sixteenth after it. */
static void bursts(void)
{
	check_burst("", 2, 0);
	check_burst(",marks=each", BURST, BURST);
}

/* A thread that polls sees the end without a callback. */
static void polls(void)
{
	struct counts before;
	uint64_t late = 0;

	if (!open_calls(""))
		return;
	before = count();
	for (int i = 0; i < BURST; i++) {
		launch_on(rig.queue);
		launch_on(rig.queue);
		while (plait_queue_finish(rig.queue, 0, &rig.error) ==
		       PLAIT_E_TIMEOUT && !tap_late(&late))
			;
	}
	IS_UINT(since(before).callbacks, 0);
	IS_UINT(since(before).records, 0);
	close_calls();
}

static unsigned about_to_wait;

/* Release the stream when the other thread is in its wait, or nearly. */
static void *release_soon(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&about_to_wait, __ATOMIC_ACQUIRE) == 0)
		(void)sched_yield();
	for (int i = 0; i < 5; i++)
		(void)sched_yield();
	rig_release(&gate);
	return NULL;
}

/* A thread that waits without a limit polls for a moment, too, before it asks
 * for a callback.  It may be kept from its processor, but not each time. */
static void short_waits(void)
{
	struct counts before;
	pthread_t thread;
	uint32_t without = 0;

	if (!open_calls(""))
		return;
	for (int i = 0; i < 2 * BURST; i++) {
		hold(rig.queue);
		before = count();
		launch_on(rig.queue);
		__atomic_store_n(&about_to_wait, 0, __ATOMIC_RELEASE);
		OK(pthread_create(&thread, NULL, release_soon, NULL) == 0);
		__atomic_store_n(&about_to_wait, 1, __ATOMIC_RELEASE);
		finish(rig.queue);
		without += since(before).callbacks == 0;
		OK(pthread_join(thread, NULL) == 0);
	}
	NOTE("%u of %d waits had no callback", without, 2 * BURST);
	OK(without > 0);
	close_calls();
}

/* With callbacks for each, one is outstanding while commands are in flight. */
static void each_callback(void)
{
	struct counts before;

	if (!open_calls(",callbacks=each"))
		return;
	hold(rig.queue);
	before = count();
	launch_on(rig.queue);
	launch_on(rig.queue);
	await_callback(before);
	IS_UINT(since(before).callbacks, 1);
	rig_release(&gate);
	finish(rig.queue);
	close_calls();
}

/* ---- threads that sleep ---- */

static void *sleep_for(void *signal)
{
	plait_error error = { .size = sizeof(error) };

	OK_THAT(plait_signal_wait(signal, 1, PLAIT_FOREVER, &error) ==
		PLAIT_OK, "%s", error.text);
	return NULL;
}

/* A thread sleeps for the emission behind `launches`, of which `behind` more
 * follow. */
static struct counts wake(int launches, int behind)
{
	plait_signal *signal = NULL;
	struct counts before, calls;
	pthread_t thread;

	OK(plait_signal_create(rig.device, NULL, &signal, &rig.error) ==
	   PLAIT_OK);
	hold(rig.queue);
	before = count();
	for (int i = 0; i < launches; i++)
		launch_on(rig.queue);
	OK(plait_queue_emit(rig.queue, signal, NULL, &rig.error) == PLAIT_OK);
	for (int i = 0; i < behind; i++)
		launch_on(rig.queue);
	IS_UINT(since(before).callbacks, 0);
	OK(pthread_create(&thread, NULL, sleep_for, signal) == 0);
	await_callback(before);
	calls = since(before);
	rig_release(&gate);
	OK(pthread_join(thread, NULL) == 0);
	finish(rig.queue);
	plait_signal_release(signal);
	return calls;
}

static void sleepers(void)
{
	struct counts calls;

	if (!open_calls(""))
		return;
	calls = wake(3, 0);
	IS_UINT(calls.callbacks, 1);
	IS_UINT(calls.records, 1);
	IS_UINT(calls.waits, 1);
	OK(calls.tickets <= 2);
	/* From here on the wait is for the first of two, and not for both. */
	(void)wake(3, 2);
	calls = wake(3, 2);
	IS_UINT(calls.records, 5);
	IS_UINT(calls.tickets, 5);
	close_calls();
}

/* Callbacks in the stream of the commands, for the last batch alone. */
static void direct(void)
{
	struct counts calls;

	if (!open_calls(",callbacks=direct"))
		return;
	calls = wake(3, 0);
	IS_UINT(calls.callbacks, 1);
	IS_UINT(calls.records, 0);
	IS_UINT(calls.waits, 0);
	calls = wake(3, 2);
	IS_UINT(calls.waits, 1);
	close_calls();
}

static void bad_option(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda" };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	char options[1100];

	standin_prepare("");
	(void)snprintf(options, sizeof(options),
		       "cuda:driver=%.400s,callbacks=some", standin_path);
	desc.options = options;
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "callbacks=some: each, direct or usual is wanted");
}

/* ---- other queues ---- */

static void sources(void)
{
	plait_signal *signal = NULL;
	plait_queue *other = NULL;
	struct counts before, calls;

	if (!open_calls(""))
		return;
	OK(plait_signal_create(rig.device, NULL, &signal, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &other, &rig.error) ==
	   PLAIT_OK);
	hold(rig.queue);
	before = count();
	launch_on(rig.queue);
	OK(plait_queue_emit(rig.queue, signal, NULL, &rig.error) == PLAIT_OK);
	IS_UINT(since(before).records, 0);
	OK(plait_queue_wait(other, signal, 1, &rig.error) == PLAIT_OK);
	launch_on(other);
	calls = since(before);
	IS_UINT(calls.records, 1);
	IS_UINT(calls.waits, 1);
	/* Of the only batch of each queue, which may be polled. */
	IS_UINT(calls.tickets, 2);
	rig_release(&gate);
	finish(other);
	IS_UINT(read_words(x), 2);
	/* No wait for a batch that has ended. */
	before = count();
	OK(plait_queue_wait(other, signal, 1, &rig.error) == PLAIT_OK);
	launch_on(other);
	finish(other);
	IS_UINT(read_words(x), 3);
	plait_queue_release(other);
	plait_signal_release(signal);
	close_calls();
}

/* ---- host functions ---- */

static int32_t count_call(void *called)
{
	++*(uint32_t *)called;
	return 0;
}

/* The callback in front of a function comes in the stream of the commands. */
static void functions(void)
{
	uint32_t called = 0;
	struct counts before, calls;

	if (!open_calls(""))
		return;
	hold(rig.queue);
	before = count();
	launch_on(rig.queue);
	OK(plait_queue_call(rig.queue, count_call, &called, &rig.error) ==
	   PLAIT_OK);
	launch_on(rig.queue);
	await_callback(before);
	calls = since(before);
	IS_UINT(calls.launches, 1);
	IS_UINT(calls.callbacks, 1);
	IS_UINT(calls.waits, 0);
	IS_UINT(calls.records, 0);
	IS_UINT(called, 0);
	rig_release(&gate);
	finish(rig.queue);
	IS_UINT(called, 1);
	IS_UINT(read_words(x), 2);
	close_calls();
}

/* A function behind another queue's commands: their end calls back. */
static void other_functions(void)
{
	plait_command commands[] = {
		{ .size = sizeof(commands[0]), .kind = PLAIT_COMMAND_WAIT,
		  .sequence = 1 },
		{ .size = sizeof(commands[0]), .kind = PLAIT_COMMAND_CALL,
		  .flags = PLAIT_CALL_ANY_THREAD, .function = count_call },
	};
	plait_signal *signal = NULL;
	plait_queue *other = NULL;
	uint32_t called = 0;
	struct counts before;

	if (!open_calls(""))
		return;
	OK(plait_signal_create(rig.device, NULL, &signal, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &other, &rig.error) ==
	   PLAIT_OK);
	hold(rig.queue);
	before = count();
	launch_on(rig.queue);
	OK(plait_queue_emit(rig.queue, signal, NULL, &rig.error) == PLAIT_OK);
	IS_UINT(since(before).callbacks, 0);
	commands[0].signal = signal;
	commands[1].user_data = &called;
	OK_THAT(plait_queue_submit(other, commands, 2, NULL, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	await_callback(before);
	IS_UINT(since(before).callbacks, 1);
	rig_release(&gate);
	finish(other);
	IS_UINT(called, 1);
	plait_queue_release(other);
	plait_signal_release(signal);
	close_calls();
}

/* ---- queues of which only others wait ---- */

/* Two queues wait for each other in turn: tickets come behind the first batch of
 * each and the sixteenth after it, of which waits are some. */
static void ping_pong(void)
{
	plait_signal *signals[2] = { NULL, NULL };
	plait_queue *queues[2] = { NULL, NULL };
	struct counts before, calls;

	if (!open_calls(""))
		return;
	queues[0] = rig.queue;
	OK(plait_queue_create(rig.device, NULL, &queues[1], &rig.error) ==
	   PLAIT_OK);
	for (int i = 0; i < 2; i++)
		OK(plait_signal_create(rig.device, NULL, &signals[i],
				       &rig.error) == PLAIT_OK);
	hold(queues[0]);
	before = count();
	for (int i = 0; i < BURST; i++) {
		int k = i % 2;

		if (i > 0)
			OK(plait_queue_wait(queues[k], signals[!k], 0,
					    &rig.error) == PLAIT_OK);
		launch_on(queues[k]);
		OK(plait_queue_emit(queues[k], signals[k], NULL, &rig.error) ==
		   PLAIT_OK);
	}
	calls = since(before);
	IS_UINT(calls.tickets, 4);
	IS_UINT(calls.waits, BURST - 1);
	IS_UINT(calls.records, BURST - 1);
	IS_UINT(calls.callbacks, 0);
	rig_release(&gate);
	OK(plait_signal_wait(signals[1], 0, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	finish(queues[0]);
	IS_UINT(read_words(x), BURST);
	plait_queue_release(queues[1]);
	for (int i = 0; i < 2; i++)
		plait_signal_release(signals[i]);
	close_calls();
}

/* ---- queues that are full ---- */

static void full(void)
{
	const plait_queue_desc desc = { .size = sizeof(desc), .capacity = 4 };
	plait_queue *small = NULL;
	plait_status status = PLAIT_OK;
	uint64_t late = 0;

	if (!open_calls(""))
		return;
	OK(plait_queue_create(rig.device, &desc, &small, &rig.error) ==
	   PLAIT_OK);
	hold(small);
	for (int i = 0; i < 8 && status == PLAIT_OK; i++)
		status = plait_queue_fill(small, x, 0, 4, 1, 4, &rig.error);
	IS_INT(status, PLAIT_E_BUSY);
	rig_release(&gate);
	while (status == PLAIT_E_BUSY && !tap_late(&late))
		status = plait_queue_fill(small, x, 0, 4, 2, 4, &rig.error);
	IS_INT(status, PLAIT_OK);
	finish(small);
	plait_queue_release(small);
	close_calls();
}

static const struct tap_scenario all[] = {
	{ "bursts", bursts },
	{ "polls", polls },
	{ "short waits", short_waits },
	{ "each callback", each_callback },
	{ "sleepers", sleepers },
	{ "direct", direct },
	{ "bad option", bad_option },
	{ "sources", sources },
	{ "functions", functions },
	{ "other functions", other_functions },
	{ "ping-pong", ping_pong },
	{ "full", full },
};
TAP_MAIN(all)
