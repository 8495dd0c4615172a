/* SPDX-License-Identifier: MIT */
/*
 * The mutex and the eventcount under every interleaving, and their mutants.  A
 * lost wake-up shows as a deadlock: no thread may sleep for ever.
 */
#include "lib/tap.h"

#include <errno.h>
#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"

static struct plait__mutex mutex;
static struct plait__eventcount event;
static at_u32 flag;
static at_u32 epoch;
static uint32_t payload;
static uint32_t timeouts;
static bool light;

/* --- mutex --------------------------------------------------------------- */

static void mutex_begin(void)
{
	memset(&mutex, 0, sizeof(mutex));
	plait__mutex_init(&mutex);
	AT_PLAIN_WRITE(payload) = 0;
}

static void mutex_count(uint32_t self)
{
	(void)self;
	plait__mutex_lock(&mutex);
	AT_PLAIN_WRITE(payload) = AT_PLAIN_READ(payload) + 1;
	plait__mutex_unlock(&mutex);
}

static void mutex_count_twice(uint32_t self)
{
	mutex_count(self);
	mutex_count(self);
}

static void mutex_try(uint32_t self)
{
	if (self == 0) {
		mutex_count(self);
	} else if (plait__mutex_trylock(&mutex)) {
		AT_PLAIN_WRITE(payload) = AT_PLAIN_READ(payload) + 1;
		plait__mutex_unlock(&mutex);
	} else {
		mutex_count(self);
	}
}

static void mutex_end_2(void)
{
	MC_CHECK(AT_PLAIN_READ(payload) == 2);
	MC_CHECK(plait__mutex_trylock(&mutex));
}

static void mutex_end_3(void)
{
	MC_CHECK(AT_PLAIN_READ(payload) == 3);
	MC_CHECK(plait__mutex_trylock(&mutex));
}

static void mutex_end_4(void)
{
	MC_CHECK(AT_PLAIN_READ(payload) == 4);
}

static const struct mc_scenario mutex_2 = {
	"mutex, 2 threads", mutex_begin, mutex_count, mutex_end_2, 2, 6, 2, 2, 0
};
static const struct mc_scenario mutex_2_twice = {
	"mutex, 2 threads twice", mutex_begin, mutex_count_twice, mutex_end_4,
	2, 3, 1, 0, 200000
};
static const struct mc_scenario mutex_3 = {
	"mutex, 3 threads", mutex_begin, mutex_count, mutex_end_3, 3, 2, 1, 0,
	200000
};
static const struct mc_scenario mutex_tried = {
	"mutex, trylock", mutex_begin, mutex_try, mutex_end_2, 2, 4, 2, 1, 0
};

static void explore_mutex(void)
{
	mc_proves(&mutex_2);
	mc_proves(&mutex_2_twice);
	mc_proves(&mutex_3);
	mc_proves(&mutex_tried);
}

/* --- event --------------------------------------------------------------- */

static void event_begin(void)
{
	plait__eventcount_init(&event, light ? PLAIT__EVENTCOUNT_ASYMMETRIC : 0);
	at_init_u32(&flag, 0);
	at_init_u32(&epoch, 0);
	AT_PLAIN_WRITE(payload) = 0;
	timeouts = 0;
}

static void heavy_begin(void)
{
	light = false;
	event_begin();
}

static void light_begin(void)
{
	light = true;
	event_begin();
}

static void event_end(void)
{
	MC_CHECK(at_load_relaxed_u32(&event.sleepers) == 0);
}

static void publish(uint32_t value)
{
	AT_PLAIN_WRITE(payload) = value;
	at_store_release_u32(&flag, value);
	plait__eventcount_notify(&event);
}

static void sleep_until(uint32_t value)
{
	uint32_t key;

	while (at_load_acquire_u32(&flag) < value) {
		key = plait__eventcount_prepare(&event);
		if (at_load_acquire_u32(&flag) >= value)
			plait__eventcount_cancel(&event);
		else
			plait__eventcount_wait(&event, key, UINT64_MAX);
	}
}

static void event_once(uint32_t self)
{
	if (self == 0) {
		publish(1);
	} else {
		sleep_until(1);
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
	}
}

/* Two in a row: a stale sleeper count or key would show. */
static void event_rounds(uint32_t self)
{
	if (self == 0) {
		at_store_release_u32(&flag, 1);
		plait__eventcount_notify(&event);
		at_store_release_u32(&flag, 2);
		plait__eventcount_notify(&event);
	} else {
		sleep_until(1);
		sleep_until(2);
	}
}

/* Sleepers that wait for different conditions. */
static void event_different(uint32_t self)
{
	if (self == 0) {
		at_store_release_u32(&flag, 1);
		plait__eventcount_notify(&event);
		at_store_release_u32(&flag, 2);
		plait__eventcount_notify(&event);
	} else {
		sleep_until(self);
	}
}

static void event_two_publishers(uint32_t self)
{
	if (self < 2) {
		at_add_u32(&flag, 1);
		plait__eventcount_notify(&event);
	} else {
		sleep_until(2);
	}
}

static bool flag_is_set(void *arg)
{
	return at_load_acquire_u32(arg) != 0;
}

static uint64_t last_look_ns;

static bool flag_is_set_now(void *arg)
{
	last_look_ns = mc_clock_now_ns();
	return flag_is_set(arg);
}

static void event_ladder(uint32_t self)
{
	if (self == 0) {
		publish(1);
		return;
	}
	MC_CHECK(plait__eventcount_await(&event, flag_is_set, &flag, UINT64_MAX,
					 PLAIT__BACKOFF_SHARED) == 0);
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
}

/* Perhaps nothing is published in time: the wait ends, the count is right. */
static void event_deadline(uint32_t self)
{
	int result;

	if (self == 0) {
		if (mc_choose(2))
			publish(1);
		return;
	}
	result = plait__eventcount_await(&event, flag_is_set_now, &flag, 5000,
					 PLAIT__BACKOFF_SLEEP);
	if (result == 0)
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
	else
		MC_CHECK(result == -ETIMEDOUT && last_look_ns >= 5000);
}

#define EVENT_SCENARIO(id, text, begin, run, threads, pre, stale, spur, max)  \
	static const struct mc_scenario id = {                                \
		text, begin, run, event_end, threads, pre, stale, spur, max   \
	}

EVENT_SCENARIO(heavy_once, "event", heavy_begin, event_once, 2, 8, 3, 1, 0);
EVENT_SCENARIO(light_once, "light event", light_begin, event_once, 2, 8, 3, 1,
	       0);
EVENT_SCENARIO(heavy_rounds, "event, rounds", heavy_begin, event_rounds, 2, 4,
	       2, 0, 200000);
EVENT_SCENARIO(light_rounds, "light event, rounds", light_begin, event_rounds,
	       2, 4, 2, 0, 200000);
EVENT_SCENARIO(heavy_different, "event, different sleepers", heavy_begin,
	       event_different, 3, 2, 1, 0, 200000);
EVENT_SCENARIO(light_different, "light event, different sleepers",
	       light_begin, event_different, 3, 2, 1, 0, 200000);
EVENT_SCENARIO(heavy_publishers, "event, two publishers", heavy_begin,
	       event_two_publishers, 3, 2, 1, 0, 200000);
EVENT_SCENARIO(heavy_ladder, "event, ladder", heavy_begin, event_ladder, 2, 5,
	       2, 0, 200000);
EVENT_SCENARIO(light_ladder, "light event, ladder", light_begin, event_ladder,
	       2, 5, 2, 0, 200000);
EVENT_SCENARIO(heavy_deadline, "event, deadline", heavy_begin, event_deadline,
	       2, 5, 2, 2, 200000);
EVENT_SCENARIO(light_deadline, "light event, deadline", light_begin,
	       event_deadline, 2, 5, 2, 2, 200000);

static const struct mc_scenario *const scenarios[] = {
	&mutex_2,	  &mutex_tried,	    &mutex_3,	     &mutex_2_twice,
	&heavy_once,	  &light_once,	    &heavy_rounds,   &light_rounds,
	&heavy_different, &light_different, &heavy_publishers, &heavy_ladder,
	&light_ladder,	  &heavy_deadline,  &light_deadline,
};

static void explore_event(void)
{
	size_t i;

	for (i = 4; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

/* --- wrong on purpose ----------------------------------------------------- */

enum { CHECK_FIRST, COUNTER_AS_FUTEX, WAKE_BEFORE_STORE, KEY_AFTER_CHECK };

/* Announces itself after the look that was to be protected. */
static void wait_check_first(void)
{
	uint32_t key;

	if (at_load_acquire_u32(&flag) != 0)
		return;
	key = plait__eventcount_prepare(&event);
	plait__eventcount_wait(&event, key, UINT64_MAX);
}

/* Takes the key after the look: a wake in between is already in it. */
static void wait_key_after_check(void)
{
	uint32_t key;

	plait__eventcount_prepare(&event);
	if (at_load_acquire_u32(&flag) != 0) {
		plait__eventcount_cancel(&event);
		return;
	}
	key = at_load_acquire_u32(&event.epoch);
	plait__eventcount_wait(&event, key, UINT64_MAX);
}

/* The low bits of a counter are the futex word, and come round. */
static void run_counter_as_futex(uint32_t self)
{
	uint32_t i;

	if (self == 1) {
		if (at_load_acquire_u32(&flag) == 0)
			at_futex_wait(&epoch, 0, UINT64_MAX);
		return;
	}
	for (i = 1; i <= 4; i++) {
		at_store_release_u32(&flag, i);
		at_store_release_u32(&epoch, i % 4);
		at_futex_wake_all(&epoch);
	}
}

static void run_wrong(uint32_t self)
{
	if (mc_variant == COUNTER_AS_FUTEX) {
		run_counter_as_futex(self);
	} else if (self == 1 && mc_variant == CHECK_FIRST) {
		wait_check_first();
	} else if (self == 1 && mc_variant == KEY_AFTER_CHECK) {
		wait_key_after_check();
	} else if (self == 1) {
		sleep_until(1);
	} else if (mc_variant == WAKE_BEFORE_STORE) {
		plait__eventcount_notify(&event);
		at_store_release_u32(&flag, 1);
	} else {
		at_store_release_u32(&flag, 1);
		plait__eventcount_notify(&event);
	}
}

static void find_wrong(void)
{
	static const struct mc_scenario wrong[] = {
		{ "look before prepare", heavy_begin, run_wrong, NULL, 2, 4, 2,
		  0, 0 },
		{ "counter as futex word", heavy_begin, run_wrong, NULL, 2, 4,
		  2, 0, 0 },
		{ "notify before store", heavy_begin, run_wrong, NULL, 2, 4, 2,
		  0, 0 },
		{ "key after the look", heavy_begin, run_wrong, NULL, 2, 4, 2,
		  0, 0 },
	};

	for (mc_variant = 0; mc_variant < TAP_COUNT(wrong); mc_variant++)
		mc_finds(&wrong[mc_variant], "deadlock");
}

static void mutants(void)
{
	static const char *const files[] = { "sys/mutex.c", "sys/eventcount.c",
					     "sys/eventcount.h",
					     "sys/backoff.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "mutex", explore_mutex },
	{ "event", explore_event },
	{ "wrong on purpose", find_wrong },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
