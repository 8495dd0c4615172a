/* SPDX-License-Identifier: MIT */
/*
 * Choice between serial and parallel execution by measured time.  A *series* times
 * some serial runs, some parallel ones, and serial ones again, so that a machine that
 * becomes faster or slower meanwhile favours no mode; later runs take the mode whose
 * lower quartile was shorter.  Of parallel runs the last ones count: a least time of
 * many would be luck.  Series are repeated, more and more rarely.  Runs become serial
 * again only after two series in a row that parallel runs do not win, of which the last
 * one loses 1/8; or after six, where parallel runs take as long.
 *
 * All words are relaxed: overlapping runs may lose a measurement.
 */
#ifndef PLAIT_SRC_RUN_HOST_MODE_TIMER_H
#define PLAIT_SRC_RUN_HOST_MODE_TIMER_H

#include "sys/atomic.h"

#include <stdbool.h>

enum {
	/* Timed runs of one mode in a row. */
	PLAIT__MODE_TIMER_RUNS = 4,
	/* A series: serial runs, parallel ones, of which the last is repeated
	 * until the wake-up of a worker had time to take effect, and serial ones. */
	PLAIT__MODE_TIMER_SERIES = 3 * PLAIT__MODE_TIMER_RUNS,
	/* Times of each mode that count. */
	PLAIT__MODE_TIMER_TIMES = 2 * PLAIT__MODE_TIMER_RUNS,
	/* The least saving that pays for waking another thread, in ns. */
	PLAIT__MODE_TIMER_WORTH_NS = 1000
};

/* Shared by all instances of a plan. */
typedef struct plait__mode_timer {
	uint64_t worth_ns;	/* the least saving for which runs are
				 * parallel */
	uint32_t threads;	/* lanes that run at once */
	at_u32 timed;		/* runs of the current series */
	at_u32 parallel;	/* the choice */
	at_u32 doubted;		/* last series in a row that did not agree */
	at_u32 series;		/* ended so far, up to a limit */
	at_u32 period;		/* an instance's runs between two series */
	at_u64 serial_ns[PLAIT__MODE_TIMER_TIMES]; /* of the series */
	at_u64 parallel_ns[PLAIT__MODE_TIMER_TIMES]; /* its last ones, as a ring */
	at_u64 spent_ns;	/* the series' parallel runs, together */
	at_u32 tried;		/* and their number */
} plait__mode_timer;

/* The mode of one run. */
typedef struct plait__timed_run {
	bool parallel;
	bool is_timed;		/* report it to plait__mode_timer_end */
	uint32_t untimed_runs;	/* of the instance, since a series */
} plait__timed_run;

/* `threads`: lanes that run at once, 1 or more. */
void plait__mode_timer_init(plait__mode_timer *timer, uint32_t threads,
			    uint64_t worth_ns);

/* Forget the choice: the next run begins a series. */
void plait__mode_timer_restart(plait__mode_timer *timer);

/* Store the time of a run, which is timed, in its series. */
void plait__mode_timer_end(plait__mode_timer *timer,
			   const plait__timed_run *run, uint64_t ns);

/* The choice so far, for a run that is not timed. */
static inline bool
plait__mode_timer_is_parallel(const plait__mode_timer *timer)
{
	return at_load_relaxed_u32(&timer->parallel) != 0;
}

/* Choose the mode of the instance's next run. */
static inline void plait__mode_timer_begin(plait__mode_timer *timer,
					   plait__timed_run *run)
{
	uint32_t timed = at_load_relaxed_u32(&timer->timed);

	if (timed >= PLAIT__MODE_TIMER_SERIES &&
	    ++run->untimed_runs > at_load_relaxed_u32(&timer->period)) {
		at_store_relaxed_u32(&timer->timed, 0);
		timed = 0;
	}
	run->is_timed = timed < PLAIT__MODE_TIMER_SERIES;
	run->parallel = run->is_timed ?
				timed / PLAIT__MODE_TIMER_RUNS == 1 :
				plait__mode_timer_is_parallel(timer);
	if (run->is_timed)
		run->untimed_runs = 0;
}

#endif
