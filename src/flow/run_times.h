/* SPDX-License-Identifier: MIT */
/*
 * Times of the runs of a repetition, by one thread and by several, and which of
 * both the next run is for.  Pure.
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
	/* Runs of a kind before it is judged: the first ones wake workers, and
	 * try the modes of the plan. */
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

typedef struct plait__run_times {
	plait__run_time alone;
	plait__run_time shared;
	uint32_t runs;	  /* since both were judged */
	bool tries_alone; /* kind of the runs at the end of the period */
	bool must_share;  /* the tasks wait for each other */
	bool is_fixed;	  /* measured times decide nothing */
	uint64_t begin_ns; /* of the run that is shared */
} plait__run_times;

void plait__run_time_add(plait__run_time *time, uint64_t ns);

/* Returns true if the next run is for one thread.  Counts the runs. */
bool plait__run_times_choose_alone(plait__run_times *times);

#endif
