/* SPDX-License-Identifier: MIT */
/*
 * Telling on stderr how long runs are getting on: a thread of its own, which
 * sleeps in between.
 */
#ifndef PLAIT_TOOLS_WATCH_H
#define PLAIT_TOOLS_WATCH_H

#include "plait/plait.h"

struct watch;

/* Null when there is no memory or no thread: then nothing is told. */
struct watch *watch_begin(uint64_t times);

/* The run that is to be watched now; null: none.  Not retained: call with null
 * before it is released. */
void watch_run(struct watch *watch, plait_run *run);

/* One more is done. */
void watch_done(struct watch *watch, uint64_t commands);

/* A last line, and the thread's end; null is fine. */
void watch_end(struct watch *watch);

#endif
