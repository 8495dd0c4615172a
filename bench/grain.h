/* SPDX-License-Identifier: MIT */
/*
 * Node bodies: empty, or work of a given duration without reading a clock.
 */
#ifndef BENCH_GRAIN_H
#define BENCH_GRAIN_H

#include "shapes.h"

/* Returns at once. */
int32_t grain_empty(void *node);
/* Works for node->turns steps. */
int32_t grain_work(void *node);
/* Works, and checks that all predecessors are done in this run. */
int32_t grain_checked(void *node);

/* Return the maximum number of steps per microsecond. */
double grain_calibrate(void);
/* Measure the current duration of grain_work with `turns` steps, in ns, in a plain
 * loop. */
double grain_measure(uint32_t turns);

/* Set the graph of the checked nodes; return -1 without memory. */
int grain_check_open(const struct graph *graph);
/* Call before each run of checked nodes. */
void grain_check_begin(void);
/* Call after the run; return 0 if every node ran once, after its predecessors. */
int grain_check_end(void);

uint64_t now_ns(void);

#endif
