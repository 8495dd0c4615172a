/* SPDX-License-Identifier: MIT */
/*
 * Contestants of bench/replay.  Each program bench/who_NAME has a table of these;
 * bench/measure.c selects one by name and times it.
 */
#ifndef BENCH_WHO_H
#define BENCH_WHO_H

#include "shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct who {
	const char *name;
	/*
	 * Build the reusable part, for `threads` threads.  The graph does not
	 * change until `finish`, except node->turns between runs.  Returns 0,
	 * or -1 after who_refuse.
	 */
	int (*prepare)(const struct graph *graph, unsigned threads);
	/* Run every node once; return when all are done. */
	void (*run)(void);
	void (*finish)(void);
	/* Call `loop`, which calls `run` many times, from the cheapest
	 * context, such as inside a parallel region.  May be null. */
	void (*enter)(void (*loop)(void *argument), void *argument);
	/* Let threads run until `rest`.  May be null. */
	void (*wake)(void);
	void (*rest)(void);
};

/* Terminated by an entry without a name. */
extern const struct who whos[];

/* Set the reason why `prepare` returns -1: one line. */
void who_refuse(const char *why);
/* Return true if threads are pinned. */
int who_pins(void);
/* Pin the calling thread to the n-th processor of this process. */
void who_pin(unsigned n);
unsigned who_processors(void);
/* Set the n-th draw of varying durations; no run is in flight. */
void who_draw(unsigned n);

#ifdef __cplusplus
}
#endif

#endif
