/* SPDX-License-Identifier: MIT */
/* Coroutines without plans: switches keep registers and control words, any
 * thread resumes; exceptions and backtraces end at the base frame. */
#include "coroutine/coroutine_switch.h"

#include "lib/tap.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <unwind.h>

static plait_error error = { .size = sizeof(error) };
static plait__coroutine one;

static int32_t count_to(void *user_data)
{
	uint64_t *count = user_data;

	while (*count < 10) {
		++*count;
		plait__coroutine_suspend(&one);
	}
	return 42;
}

static void begins_and_ends(void)
{
	plait__stack_pool pool = { 0 };
	uint64_t count = 0, resumed = 0;

	plait__stack_pool_init(&pool, 1, 4, 0);
	OK(pool.stack_bytes >= 4096);
	OK(plait__coroutine_init(&one, &pool, count_to, &count, &error) ==
	   PLAIT_OK);
	IS_UINT(count, 0);
	while (!plait__coroutine_resume(&one)) {
		resumed++;
		IS_UINT(count, resumed);
	}
	IS_UINT(resumed, 10);
	IS_INT(one.result, 42);
	plait__stack_pool_fini(&pool);
}

/* ---- registers ---- */

static int32_t keep_registers(void *user_data)
{
	uint64_t a[12], sum = 0;
	double d[12], total = 0;

	(void)user_data;
	for (int i = 0; i < 12; i++) {
		a[i] = (uint64_t)i * 3 + 1;
		d[i] = i + .5;
	}
	fesetround(FE_UPWARD);
	for (int turn = 0; turn < 3; turn++) {
		plait__coroutine_suspend(&one);
		for (int i = 0; i < 12; i++) {
			sum += a[i]++;
			total += d[i];
		}
	}
	return fegetround() == FE_UPWARD && sum == 666 && total == 216 ? 1 : 0;
}

static void control_words(void)
{
	plait__stack_pool pool = { 0 };
	const int before = fegetround();

	plait__stack_pool_init(&pool, 65536, 4, 0);
	OK(plait__coroutine_init(&one, &pool, keep_registers, NULL, &error) ==
	   PLAIT_OK);
	while (!plait__coroutine_resume(&one))
		IS_INT(fegetround(), before);
	IS_INT(one.result, 1);
	IS_INT(fegetround(), before);
	plait__stack_pool_fini(&pool);
}

/* ---- the base frame ---- */

static int raised, cleaned, dropped;

static void drop_raised(_Unwind_Reason_Code reason,
			struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
	dropped++;
}

static void clean_up(int *raising)
{
	cleaned += *raising;
}

static int32_t raise_one(void *user_data)
{
	__attribute__((cleanup(clean_up))) int raising = 1;
	struct _Unwind_Exception *exception = user_data;

	plait__coroutine_suspend(&one);
	raised += raising;
	(void)_Unwind_RaiseException(exception);
	return 0;
}

static void exception(void)
{
	struct _Unwind_Exception thrown = { .exception_class = 7,
					    .exception_cleanup = drop_raised };
	plait__stack_pool pool = { 0 };

	if (!plait__machine_context_catches()) {
		SKIP("an exception ends the process here");
		return;
	}
	plait__stack_pool_init(&pool, 65536, 1, 0);
	for (int i = 1; i <= 10; i++) {
		OK(plait__coroutine_init(&one, &pool, raise_one, &thrown,
					 &error) == PLAIT_OK);
		OK(!plait__coroutine_resume(&one));
		OK(!one.threw);
		OK(plait__coroutine_resume(&one));
		OK(one.threw);
		IS_INT(one.result, -1);
		IS_INT(raised, i);
		IS_INT(cleaned, i);
		IS_INT(dropped, i);
	}
	plait__stack_pool_fini(&pool);
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context,
				       void *count)
{
	(void)context;
	++*(int *)count;
	return *(int *)count > 50 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static int32_t walk_back(void *out)
{
	int frames = 0;

	plait__coroutine_suspend(&one);
	*(_Unwind_Reason_Code *)out = _Unwind_Backtrace(count_frame, &frames);
	return frames;
}

/* A backtrace ends at the base of the stack, and not in what lies above. */
static void backtrace_ends(void)
{
	_Unwind_Reason_Code code = _URC_NO_REASON;
	plait__stack_pool pool = { 0 };

	plait__stack_pool_init(&pool, 65536, 1, 0);
	OK(plait__coroutine_init(&one, &pool, walk_back, &code, &error) ==
	   PLAIT_OK);
	while (!plait__coroutine_resume(&one))
		continue;
	IS_INT(code, _URC_END_OF_STACK);
	OK(one.result >= 2 && one.result <= 6);
	plait__stack_pool_fini(&pool);
}

/* ---- threads ---- */

static bool blocks_usr1(void)
{
	sigset_t mask;

	return pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 &&
	       sigismember(&mask, SIGUSR1) == 1;
}

static int32_t check_mask(void *user_data)
{
	int32_t wrong = blocks_usr1();

	(void)user_data;
	plait__coroutine_suspend(&one);
	return wrong + 2 * !blocks_usr1();
}

/* A function begun under one signal mask continues under that of the thread. */
static void signal_mask(void)
{
	plait__stack_pool pool = { 0 };
	sigset_t usr1, before;

	(void)sigemptyset(&usr1);
	(void)sigaddset(&usr1, SIGUSR1);
	plait__stack_pool_init(&pool, 65536, 1, 0);
	OK(plait__coroutine_init(&one, &pool, check_mask, NULL, &error) ==
	   PLAIT_OK);
	OK(!plait__coroutine_resume(&one));
	OK(pthread_sigmask(SIG_BLOCK, &usr1, &before) == 0);
	OK(plait__coroutine_resume(&one));
	IS_INT(one.result, 0);
	OK(blocks_usr1());
	OK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	plait__stack_pool_fini(&pool);
}

static void *resume_once(void *arg)
{
	*(bool *)arg = plait__coroutine_resume(&one);
	return NULL;
}

static void any_thread(void)
{
	plait__stack_pool pool = { 0 };
	uint64_t count = 0;
	pthread_t thread;
	bool ended = false;

	plait__stack_pool_init(&pool, 65536, 4, 0);
	OK(plait__coroutine_init(&one, &pool, count_to, &count, &error) ==
	   PLAIT_OK);
	for (uint64_t i = 1; !ended; i++) {
		if (!OK(pthread_create(&thread, NULL, resume_once, &ended) ==
			0))
			return;
		pthread_join(thread, NULL);
		IS_UINT(count, i < 10 ? i : 10);
	}
	IS_INT(one.result, 42);
	plait__stack_pool_fini(&pool);
}

static const struct tap_scenario all[] = {
	{ "begin and end", begins_and_ends },
	{ "control words", control_words },
	{ "exception", exception },
	{ "backtrace ends", backtrace_ends },
	{ "signal mask", signal_mask },
	{ "any thread", any_thread },
};
TAP_MAIN(all)
