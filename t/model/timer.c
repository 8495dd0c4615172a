/* SPDX-License-Identifier: MIT */
/*
 * Timers under every interleaving: each expires once or is disarmed; the thread
 * sleeps no longer than until the earliest, also if that was armed meanwhile;
 * it ends.  timer.c and timer_heap.c as they are.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "object/progress/timer.h"
#include "sys/clock.h"

#include <string.h>

enum { LATE_NS = 1000 };

/* A timer and what became of it. */
struct alarm {
	plait__timer timer;
	uint32_t payload;	/* written before it is armed */
	uint32_t count;		/* of its calls */
	uint32_t disarmed;
	at_u32 expired;
};

static plait__timers timers;
static struct alarm soon, late;
static void (*thread_run)(void *arg);
static at_u32 returned;		/* the thread */

/* --- the other functions that the source is linked with */

int plait__thread_start(struct plait__thread *thread, const char *name,
			void (*run)(void *arg), void *arg,
			void (*lost)(void *arg))
{
	(void)thread;
	(void)name;
	(void)lost;
	MC_CHECK(arg == &timers);
	thread_run = run;
	return 0;
}

void plait__thread_join(struct plait__thread *thread)
{
	(void)thread;
	while (at_load_acquire_u32(&returned) == 0)
		at_spin_pause();
}

uint64_t plait__clock_now_ns(void)
{
	return mc_clock_now_ns();
}

/* --- threads: 0 is that of the timers, 1 the program's */

static void on_expired(plait__timer *timer)
{
	struct alarm *alarm = (struct alarm *)(void *)timer;

	MC_CHECK(AT_PLAIN_READ(alarm->payload) == 1);
	MC_CHECK(mc_clock_now_ns() >= timer->due_ns);
	AT_PLAIN_WRITE(alarm->count) = AT_PLAIN_READ(alarm->count) + 1;
	at_store_release_u32(&alarm->expired, 1);
	at_futex_wake_all(&alarm->expired);
}

/* Disarm it, if `tries`, or wait until it has expired. */
static void end_alarm(struct alarm *alarm, bool tries)
{
	if (tries && plait__timer_disarm(&timers, &alarm->timer)) {
		AT_PLAIN_WRITE(alarm->disarmed) = 1;
		return;
	}
	while (at_load_acquire_u32(&alarm->expired) == 0)
		at_futex_wait(&alarm->expired, 0, UINT64_MAX);
	MC_CHECK(!plait__timer_disarm(&timers, &alarm->timer));
}

static void run(uint32_t self)
{
	if (self == 0) {
		thread_run(&timers);
		at_store_release_u32(&returned, 1);
		return;
	}
	AT_PLAIN_WRITE(soon.payload) = 1;
	MC_CHECK(plait__timer_arm(&timers, &soon.timer, NULL) == PLAIT_OK);
	end_alarm(&soon, mc_choose(2) != 0);
	end_alarm(&late, late.timer.due_ns == PLAIT__CLOCK_NEVER ||
				 mc_choose(2) != 0);
	plait__timer_stop(&timers);
}

/* --- scenarios */

static void reset(struct alarm *alarm, uint64_t due_ns)
{
	memset(&alarm->timer, 0, sizeof(alarm->timer));
	alarm->timer.due_ns = due_ns;
	alarm->timer.expired = on_expired;
	AT_PLAIN_WRITE(alarm->payload) = 0;
	AT_PLAIN_WRITE(alarm->count) = 0;
	AT_PLAIN_WRITE(alarm->disarmed) = 0;
	at_init_u32(&alarm->expired, 0);
}

/* The thread runs for a timer that is due late. */
static void begin_at(uint64_t due_ns)
{
	memset(&timers, 0, sizeof(timers));
	plait__eventcount_init(&timers.event, 0);
	at_init_u32(&returned, 0);
	reset(&soon, 0);
	reset(&late, due_ns);
	AT_PLAIN_WRITE(late.payload) = 1;
	MC_CHECK(plait__timer_arm(&timers, &late.timer, NULL) == PLAIT_OK);
}

static void begin(void)
{
	begin_at(mc_clock_now_ns() + LATE_NS);
}

/* Time wakes no thread. */
static void begin_never(void)
{
	begin_at(PLAIT__CLOCK_NEVER);
}

static void end(void)
{
	MC_CHECK(AT_PLAIN_READ(soon.count) + AT_PLAIN_READ(soon.disarmed) == 1);
	MC_CHECK(AT_PLAIN_READ(late.count) + AT_PLAIN_READ(late.disarmed) == 1);
	MC_CHECK(timers.first == NULL);
}

static const struct mc_scenario earlier = {
	"an earlier timer is armed", begin, run, end, 2, 4, 2, 0, 3000
};

static const struct mc_scenario woken = {
	"a thread that sleeps for ever is woken", begin_never, run, end, 2, 4,
	2, 0, 3000
};

static const struct mc_scenario *const scenarios[] = { &earlier, &woken };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "object/progress/timer.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "timers", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
