/* SPDX-License-Identifier: MIT */
/*
 * Timer heap: timers ordered by the time when they are due.  A pairing heap
 * whose links lie in the timers, so that adding one needs no memory.  Adding
 * takes constant time, removing a logarithm on average.  The caller serializes
 * all calls.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_TIMER_HEAP_H
#define PLAIT_SRC_OBJECT_PROGRESS_TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct plait__timer plait__timer;

/* Zeroed memory is a timer that is in no heap. */
struct plait__timer {
	uint64_t due_ns;
	/* Links of the heap. */
	plait__timer *child;	/* first of the timers below; none is due
				 * earlier */
	plait__timer *next;	/* sibling */
	plait__timer *previous;	/* sibling; the parent of a first child */
	/* Guarded by the lock of plait__timers. */
	bool armed;
	/* Called once, on the timer thread; the timer may be armed again, or be
	 * gone, when this returns. */
	void (*expired)(plait__timer *timer);
};

/* Add a timer that is in no heap. `root`: the earliest timer, or null. */
void plait__timer_heap_add(plait__timer **root, plait__timer *timer);
/* Remove a timer of this heap. */
void plait__timer_heap_remove(plait__timer **root, plait__timer *timer);

#endif
