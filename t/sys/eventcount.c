/* SPDX-License-Identifier: MIT */
/* The eventcount with real threads and time; its proof is
 * t/model/mutex_eventcount.c. */
#include "lib/tap.h"

#include <errno.h>
#include <pthread.h>

#include "sys/clock.h"
#include "sys/eventcount.h"

enum { HOPS = 3000, DEDICATED_HOPS = 100 };

struct side {
	struct plait__eventcount event;
	at_u32 count;
	uint32_t want;
};

static struct side sides[2];
static enum plait__backoff_policy policy;
static uint32_t hops;

static bool reached(void *arg)
{
	struct side *side = arg;

	return at_load_acquire_u32(&side->count) >= side->want;
}

/* Wait for my side to be raised, raise the other one. */
static void play(uint32_t me)
{
	struct side *mine = &sides[me];
	struct side *other = &sides[1 - me];
	uint32_t hop;

	for (hop = 1; hop <= hops; hop++) {
		if (me == 0) {
			at_store_release_u32(&other->count, hop);
			plait__eventcount_notify(&other->event);
		}
		mine->want = hop;
		if (plait__eventcount_await(&mine->event, reached, mine,
					    UINT64_MAX, policy) != 0)
			return;
		if (me == 1) {
			at_store_release_u32(&other->count, hop);
			plait__eventcount_notify(&other->event);
		}
	}
}

static void *play_second(void *arg)
{
	(void)arg;
	play(1);
	return NULL;
}

static void ping_pong(uint32_t flags, enum plait__backoff_policy how)
{
	pthread_t thread;
	uint64_t start;
	int i;

	policy = how;
	/* On a busy machine a hop may cost the other one's whole slice. */
	hops = how == PLAIT__BACKOFF_DEDICATED ? DEDICATED_HOPS : HOPS;
	for (i = 0; i < 2; i++) {
		plait__eventcount_init(&sides[i].event, flags);
		at_init_u32(&sides[i].count, 0);
	}
	start = plait__clock_now_ns();
	pthread_create(&thread, NULL, play_second, NULL);
	play(0);
	pthread_join(thread, NULL);
	IS_UINT(at_load_acquire_u32(&sides[0].count), hops);
	IS_UINT(at_load_acquire_u32(&sides[1].count), hops);
	IS_UINT(at_load_acquire_u32(&sides[0].event.sleepers), 0);
	NOTE("%d ns a hop", (int)((plait__clock_now_ns() - start) / hops / 2));
}

static void ladder(void)
{
	ping_pong(0, PLAIT__BACKOFF_SHARED);
	ping_pong(PLAIT__EVENTCOUNT_ASYMMETRIC, PLAIT__BACKOFF_SHARED);
}

static void sleeping(void)
{
	ping_pong(0, PLAIT__BACKOFF_SLEEP);
	ping_pong(PLAIT__EVENTCOUNT_ASYMMETRIC, PLAIT__BACKOFF_SLEEP);
}

static void dedicated(void)
{
	ping_pong(0, PLAIT__BACKOFF_DEDICATED);
}

static bool never(void *arg)
{
	++*(uint32_t *)arg;
	return false;
}

static void deadlines(void)
{
	struct plait__eventcount event = { 0 };
	uint64_t deadline = plait__clock_deadline(3000000);
	uint32_t asked = 0;
	uint32_t key;

	IS_INT(plait__eventcount_await(&event, never, &asked, deadline,
				       PLAIT__BACKOFF_SHARED), -ETIMEDOUT);
	OK(plait__clock_now_ns() >= deadline);
	IS_INT(plait__eventcount_await(&event, never, &asked, 0,
				       PLAIT__BACKOFF_SLEEP), -ETIMEDOUT);
	OK(asked >= 2);
	key = plait__eventcount_prepare(&event);
	IS_INT(plait__eventcount_wait(&event, key, 0), -ETIMEDOUT);
	IS_UINT(at_load_acquire_u32(&event.sleepers), 0);
}

/* A wake-up between prepare and wait is not lost. */
static void keys(void)
{
	struct plait__eventcount event = { 0 };
	uint32_t key = plait__eventcount_prepare(&event);

	plait__eventcount_notify(&event);
	IS_INT(plait__eventcount_wait(&event, key, UINT64_MAX), 0);
	key = plait__eventcount_prepare(&event);
	plait__eventcount_cancel(&event);
	plait__eventcount_notify(&event); /* no sleeper: the epoch stays */
	IS_UINT(at_load_acquire_u32(&event.epoch), key);
	IS_UINT(at_load_acquire_u32(&event.sleepers), 0);
}

static void rungs(void)
{
	struct plait__backoff wait;
	uint32_t steps = 0;

	plait__backoff_init(&wait, PLAIT__BACKOFF_SLEEP);
	OK(!plait__backoff_step(&wait));
	plait__backoff_init(&wait, PLAIT__BACKOFF_SHARED);
	while (plait__backoff_step(&wait))
		steps++;
	/* Fewer yields where other threads want the processor. */
	OK(steps > 20 && steps < 1000);
	OK(!plait__backoff_step(&wait));
	plait__backoff_init(&wait, PLAIT__BACKOFF_SHARED);
	wait.yields_until_ns = 1;
	for (steps = 0; plait__backoff_step(&wait); steps++)
		continue;
	IS_UINT(steps, 20);
}

static const struct tap_scenario all[] = {
	{ "ladder", ladder },
	{ "sleeping at once", sleeping },
	{ "dedicated", dedicated },
	{ "deadlines", deadlines },
	{ "keys", keys },
	{ "rungs", rungs },
};

TAP_MAIN(all)
