/* SPDX-License-Identifier: MIT */
/*
 * Repeat choice: whether tasks that repeat are submitted as runs of a repetition or
 * one by one, by the measured times of both.  A time is that of an interval of
 * the program, by task.  A trial has intervals of both kinds in turn, and is made
 * again after a while: twice as late if it has the same result.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_REPEAT_CHOICE_H
#define PLAIT_SRC_FLOW_REPEAT_REPEAT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Intervals of each kind in a trial. */
	PLAIT__REPEAT_TRIALS = 8,
	/* Intervals between trials. */
	PLAIT__REPEAT_LEAST = 64,
	PLAIT__REPEAT_MOST = 4096
};

/* Begins as zeroed memory: with a trial. */
typedef struct plait__repeat_choice {
	/* Times by kind, plain tasks last, in 1/64 ns. */
	uint64_t times[2][PLAIT__REPEAT_TRIALS];
	uint32_t counts[2];
	uint32_t begun; /* intervals of the trial */
	uint32_t left;	/* intervals before the next trial */
	uint32_t rest;	/* the same when the trial has ended; 0: no trial has */
	bool is_plain;	/* the faster kind */
} plait__repeat_choice;

/* Returns true if the tasks of the next interval are plain ones.  Counts it. */
bool plait__repeat_choice_is_plain(plait__repeat_choice *choice);

/* An interval of a kind has ended: it had so many tasks, which is not 0. */
void plait__repeat_choice_add(plait__repeat_choice *choice, bool is_plain,
			      uint64_t ns, uint64_t tasks);

#endif
