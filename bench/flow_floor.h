/* SPDX-License-Identifier: MIT */
/*
 * Lower bound of a dynamic scheduler: the graphs of bench/flow_grain, submitted task
 * by task with inferred predecessors, and run by two threads, without anything that
 * these graphs do not need.
 */
#ifndef BENCH_FLOW_FLOOR_H
#define BENCH_FLOW_FLOOR_H

#include "grain.h"

#include <stdbool.h>

enum { FLOOR_CHOLESKY, FLOOR_WAVEFRONT, FLOOR_LAYERS };

/* Start the second thread, asleep.  Returns false without one. */
bool floor_open(void);
/* Submit the tasks, run them on two threads, and wait for them. */
void floor_run(int shape, node_body body, void *node);
/* Submit the tasks, then run them on this thread alone.  Returns the ns of a
 * submission. */
double floor_submission_ns(int shape, node_body body, void *node);
void floor_close(void);

#endif
