/* SPDX-License-Identifier: MIT */
/* Coroutines without plans: switches keep registers and control words, any
 * thread resumes. */
#include "coroutine/coroutine.h"

#include "lib/tap.h"

#include <fenv.h>
#include <pthread.h>

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

/* ---- threads ---- */

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
	{ "any thread", any_thread },
};
TAP_MAIN(all)
