/* SPDX-License-Identifier: MIT */
/* Plans of repetitions by tasks and lanes: which of them one thread may call, and which
 * the waiting thread does. */
#include "flow/flow.h"
#include "flow/repetitions.h"

#include "flows.h"

#include "plait/repeat.h"

#include <pthread.h>

/* Tasks that one thread runs at most. */
enum { MOST = 4096 };

static void repeat(plait_task *out)
{
	OK_THAT(plait_flow_repeat(flow, out != NULL ? 1 : 0, out,
				  &flow_rig.error) == PLAIT_OK,
		"repeat: %s", flow_rig.error.text);
}

/* Make a repetition of so many tasks, one of them with a signal or not. */
static void make(uint32_t count, bool has_signal)
{
	const plait_task_desc emit = { .size = sizeof(emit),
				       .kind = PLAIT_TASK_EMIT,
				       .signal = flow_rig.signal };
	const plait_task_desc call = { .size = sizeof(call),
				       .kind = PLAIT_TASK_CALL,
				       .function = return_it };
	plait_status status = PLAIT_OK;
	plait_task task;

	repeat(&task);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++)
		status = plait_flow_submit(flow,
					   has_signal && i == 0 ? &emit : &call,
					   NULL, &flow_rig.error);
	OK_THAT(status == PLAIT_OK, "submit: %s", flow_rig.error.text);
	repeat(NULL);
	IS_INT(wait_task(0), PLAIT_OK);
}

/* A plan of one lane is called, or none is. */
static void check(uint32_t lanes, uint32_t count, bool has_signal,
		  bool must_share)
{
	const struct flow_setting setting = { 0, lanes };
	const plait__repetition *again;
	plait__flow *self;

	if (!open_flow(&setting, 64))
		return;
	make(count, has_signal);
	OK(plait__flow_enter(flow, &self, &flow_rig.error) == PLAIT_OK);
	plait__flow_lock(self);
	again = plait__repetitions_find(self, 1);
	OK_THAT(again != NULL && again->times.must_share == must_share,
		"%u tasks, %u lanes: shared", count, lanes);
	OK_THAT(again != NULL &&
		(again->alone != NULL) == (lanes > 1 && !must_share),
		"%u tasks, %u lanes: a plan of one lane", count, lanes);
	plait__flow_unlock(self);
	plait__object_leave(&self->object);
	close_flow();
}

static void short_ones(void)
{
	check(1, 3, false, false);
	check(2, 3, false, false);
}

static void long_ones(void)
{
	check(1, MOST + 1, false, false);
	check(2, MOST, false, false);
	check(2, MOST + 1, false, true);
}

static void signals(void)
{
	check(1, 3, true, true);
	check(2, 3, true, true);
}

/* ---- runs that the submitter awaits at once ---- */

/* First ones by one thread; runs before one is reserved. */
enum { FIRST = 2, EXPECTED = 4, RUNS = 10, EACH = EXPECTED + 2 };

static uint32_t ran; /* atomic */

static int32_t count(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
	return 0;
}

static uint32_t count_runs(void)
{
	return __atomic_load_n(&ran, __ATOMIC_ACQUIRE);
}

/* Submit a run of one function. */
static plait_task submit_run(int32_t (*function)(void *user_data))
{
	plait_task task;

	repeat(&task);
	if (task != 0)
		return task;
	call_task("count", function, NULL, NULL, 0);
	OK(plait_flow_repeat(flow, 0, &task, NULL) == PLAIT_OK);
	return task;
}

static void await_runs(uint32_t runs)
{
	for (uint32_t i = 0; i < runs; i++)
		IS_INT(wait_task(submit_run(count)), PLAIT_OK);
}

static plait__flow *flow_object(void)
{
	return plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
}

static plait__repetition *find_it(void)
{
	plait__repetition *again;

	plait__flow_lock(flow_object());
	again = plait__repetitions_find(flow_object(), 1);
	plait__flow_unlock(flow_object());
	return again;
}

static bool open_counting(uint32_t workers)
{
	const struct flow_setting setting = { workers, 2 };

	ran = 0;
	return open_flow(&setting, 64);
}

/* The waiting thread has no rival. */
static void called_ones(void)
{
	if (!open_counting(0))
		return;
	await_runs(RUNS);
	IS_UINT(count_runs(), RUNS);
	IS_UINT(find_it()->times.alone.count, FIRST);
	IS_UINT(find_it()->times.called.count, RUNS - FIRST);
	close_flow();
}

/* A wait with a time limit, or in a row with other tasks, calls none. */
static void uncalled_ones(void)
{
	if (!open_counting(0))
		return;
	for (uint32_t i = 0; i < RUNS; i++) {
		(void)submit_run(count);
		IS_INT(plait_flow_wait(flow, 0, UINT64_C(20000000000), NULL),
		       PLAIT_OK);
	}
	for (uint32_t i = 0; i < RUNS; i++) {
		(void)submit_run(count);
		call_task("other", return_it, NULL, NULL, 0);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	IS_UINT(count_runs(), 2 * RUNS);
	IS_UINT(find_it()->times.called.count, 0);
	IS_UINT(find_it()->awaited, 0);
	close_flow();
}

/* No thread waits for a run that is reserved: a worker runs it. */
static void unawaited_one(void)
{
	uint64_t since = 0, reserved;

	if (!open_counting(1))
		return;
	for (uint32_t i = 1; i <= RUNS; i++) {
		await_runs(EXPECTED);
		reserved = submit_run(count);
		IS_UINT(at_load_relaxed_u64(&flow_object()->lanes.reserved),
			reserved);
		while (count_runs() < i * EACH - 1 && !tap_late(&since))
			pause_a_little();
		IS_UINT(count_runs(), i * EACH - 1);
		(void)submit_run(count);
		IS_UINT(find_it()->awaited, 0);
		IS_INT(wait_task(0), PLAIT_OK);
	}
	close_flow();
}

static int32_t leave_at_last(void *user_data)
{
	(void)user_data;
	if (__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE) == RUNS)
		pthread_exit(NULL);
	return 0;
}

/* Returns null only if a function ends it: a worker may have been faster. */
static void *await_until_left(void *arg)
{
	while (count_runs() < RUNS)
		(void)wait_task(submit_run(leave_at_last));
	return arg;
}

/* A function ends the thread that waits: the run fails, and the flow goes on. */
static void leave_thread(uint32_t workers)
{
	void *returned;
	pthread_t thread;

	if (!open_counting(workers))
		return;
	IS_INT(pthread_create(&thread, NULL, await_until_left, &ran), 0);
	IS_INT(pthread_join(thread, &returned), 0);
	IS_UINT(count_runs(), RUNS);
	if (returned == NULL) {
		IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER,
				       &flow_rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "pthread_exit");
	}
	IS_INT(wait_task(submit_run(leave_at_last)), PLAIT_OK);
	close_flow();
}

static void left_thread(void)
{
	leave_thread(0);
	leave_thread(1);
}

/* ---- a function of a shared call ends the thread ---- */

enum { TRIES = 200, PAUSES = 250 };

static pthread_t leaver;
static uint32_t leaves, others_in, others_out; /* atomic */

static int32_t hold_or_leave(void *user_data)
{
	(void)user_data;
	if (!__atomic_load_n(&leaves, __ATOMIC_ACQUIRE))
		return 0;
	if (pthread_equal(pthread_self(), leaver)) {
		for (int i = 0; i < PAUSES; i++, pause_a_little())
			if (__atomic_load_n(&others_in, __ATOMIC_ACQUIRE) != 0)
				pthread_exit(NULL);
		return 0;
	}
	__atomic_add_fetch(&others_in, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < PAUSES; i++)
		pause_a_little();
	__atomic_add_fetch(&others_out, 1, __ATOMIC_RELEASE);
	return 0;
}

static plait_task submit_two(void)
{
	plait_task task;

	repeat(&task);
	if (task != 0)
		return task;
	call_task("one", hold_or_leave, NULL, NULL, 0);
	call_task("other", hold_or_leave, NULL, NULL, 0);
	OK(plait_flow_repeat(flow, 0, &task, NULL) == PLAIT_OK);
	return task;
}

/* Returns null only if a function ends it while another thread is in the other one. */
static void *await_until_shared(void *arg)
{
	leaver = pthread_self();
	for (uint32_t i = 0; i < FIRST + EXPECTED; i++)
		(void)wait_task(submit_two());
	find_it()->run.flags |= PLAIT_RUN_PARALLEL;
	__atomic_store_n(&leaves, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < TRIES; i++) {
		__atomic_store_n(&others_in, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&others_out, 0, __ATOMIC_RELEASE);
		(void)wait_task(submit_two());
	}
	return arg;
}

/* The run fails, but not before the function that another thread executes is over. */
static void left_shared(void)
{
	void *returned;
	pthread_t thread;

	leaves = 0;
	if (!open_counting(1))
		return;
	IS_INT(pthread_create(&thread, NULL, await_until_shared, &ran), 0);
	IS_INT(pthread_join(thread, &returned), 0);
	OK_THAT(returned == NULL, "two threads share a call");
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_E_FAILED);
	IS_UINT(__atomic_load_n(&others_out, __ATOMIC_ACQUIRE),
		__atomic_load_n(&others_in, __ATOMIC_ACQUIRE));
	HAS_STR(flow_rig.error.text, "pthread_exit");
	__atomic_store_n(&leaves, 0, __ATOMIC_RELEASE);
	IS_INT(wait_task(submit_two()), PLAIT_OK);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "short repetitions", short_ones },
	{ "long repetitions", long_ones },
	{ "repetitions with signals", signals },
	{ "runs that the waiting thread calls", called_ones },
	{ "runs that it does not call", uncalled_ones },
	{ "a reserved run without a wait", unawaited_one },
	{ "a thread that ends in a run", left_thread },
	{ "a thread that ends in a run of two threads", left_shared },
};

TAP_MAIN(all)
