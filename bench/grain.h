/* SPDX-License-Identifier: MIT */
/*
 * What nodes do: nothing, or a given time, without a look at a clock.
 */
#ifndef BENCH_GRAIN_H
#define BENCH_GRAIN_H

#include "shapes.h"

/* Returns at once. */
int32_t grain_empty(void *node);
/* Works as long as node->turns says. */
int32_t grain_work(void *node);
/* Works, and sees whether all that come before it are done in this run. */
int32_t grain_checked(void *node);

/* How many turns take a microsecond here, at best. */
double grain_calibrate(void);
/* What a call of grain_work with so many turns takes at this moment, in ns,
 * in a plain loop. */
double grain_measure(uint32_t turns);

/* Checked nodes are those of this graph from now on; -1: no memory. */
int grain_check_open(const struct graph *graph);
/* Before each run of checked nodes. */
void grain_check_begin(void);
/* After it: 0 if every node ran once and after those before it. */
int grain_check_end(void);

uint64_t now_ns(void);

#endif
