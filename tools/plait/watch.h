/* SPDX-License-Identifier: MIT */
/*
 * Progress report of runs on stderr, by a thread that wakes up twice a second.
 */
#ifndef PLAIT_TOOLS_WATCH_H
#define PLAIT_TOOLS_WATCH_H

#include "plait/plait.h"

struct watch;

/* Start the thread.  Returns null without memory or thread; the other functions
 * then do nothing. */
struct watch *watch_begin(uint64_t times);

/* Set the current run; null: none.  The run is not retained: the caller passes
 * null before the release. */
void watch_run(struct watch *watch, plait_run *run);

/* Count a run that is done, and forget the current run. */
void watch_done(struct watch *watch, uint64_t commands);

/* Print a last line and end the thread; `watch` may be null. */
void watch_end(struct watch *watch);

#endif
