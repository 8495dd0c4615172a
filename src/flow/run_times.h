/* SPDX-License-Identifier: MIT */
/*
 * Times of the runs of a repetition, by the way in which they were run, and the way of
 * the next run.  Pure.
 *
 *     ALONE   by one thread, from a plan of one lane
 *     SHARED  by several threads, from a queue
 *     CALLED  by the thread that waits for it, which calls the plan: that one chooses
 *             by its own times between one thread and several, as for any call; that of a
 *             stretch is told to take several if ALONE is long, until 16 calls tell
 */
#ifndef PLAIT_SRC_FLOW_RUN_TIMES_H
#define PLAIT_SRC_FLOW_RUN_TIMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* A run that takes one thread less is not worth a queue, which costs
	 * some microseconds; one that takes more, twice, is for several
	 * threads until their time is known, and is tried once per period
	 * then. */
	PLAIT__RUN_SHORT_NS = 20000,
	PLAIT__RUN_LONG_NS = 1000000,
	/* Runs of a kind before it is judged: the first ones wake workers. */
	PLAIT__RUN_TRIALS = 16,
	/* The last ones of so many runs, as many as trials, are of the slower
	 * kind, which may have changed. */
	PLAIT__RUN_PERIOD = 1024
};

/* Estimates: they follow a faster run at once, and slower ones slowly, by an
 * eighth at most: one run whose thread was preempted does not count. */
typedef struct plait__run_time {
	uint64_t ns;
	uint32_t count; /* of runs, at most PLAIT__RUN_TRIALS */
} plait__run_time;

typedef enum plait__run_way {
	PLAIT__RUN_ALONE,
	PLAIT__RUN_SHARED,
	PLAIT__RUN_CALLED
} plait__run_way;

typedef struct plait__run_times {
	plait__run_time alone;
	plait__run_time shared;
	plait__run_time called;
	uint32_t runs;	  /* since alone and shared ones were judged */
	uint32_t refused; /* that could have been called, if they were not long */
	uint32_t untimed; /* that were called, once these are judged */
	bool tries_alone; /* kind of the runs at the end of the period */
	bool has_lost;	  /* calls by several threads took as long as one thread */
	bool must_share;  /* the tasks wait for each other */
	bool is_fixed;	  /* measured times decide nothing */
	uint64_t begin_ns; /* of the run that is shared */
} plait__run_times;

/* Returns true if the time of the next run, which goes that way, is to be added: reading
 * the clock twice is a part of a run of a few microseconds. */
bool plait__run_times_is_due(plait__run_times *times, plait__run_way way);

/* Returns true if calls are to be run by several threads: one thread takes long, and
 * calls have not lost.  They lose for good if PLAIT__RUN_TRIALS of them took less than an
 * eighth less: the plan's own times decide then. */
bool plait__run_times_are_for_several(plait__run_times *times);

void plait__run_time_add(plait__run_time *time, uint64_t ns);

/* The way of the next run, which is counted.  `by_waiter`: the thread that begins it
 * waits for it, and executes no function. */
plait__run_way plait__run_times_choose(plait__run_times *times, bool by_waiter);

#endif
