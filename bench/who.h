/* SPDX-License-Identifier: MIT */
/*
 * Who runs graphs.  Each program bench/who_NAME brings a list of these;
 * bench/measure.c asks it for one by name and times it.
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
	 * Build whatever can be built once, for so many threads.  The graph
	 * stays as it is until `finish`, but for node->turns between runs.
	 * Returns 0, or -1 after who_refuse.
	 */
	int (*prepare)(const struct graph *graph, unsigned threads);
	/* Run every node once; return when all are done. */
	void (*run)(void);
	void (*finish)(void);
	/* Null, or: call `loop`, which calls `run` many times, from where
	 * that is cheapest, as inside a parallel region. */
	void (*enter)(void (*loop)(void *argument), void *argument);
	/* Null, or: threads may run from now on, until `rest`. */
	void (*wake)(void);
	void (*rest)(void);
};

/* Ended by an entry without a name. */
extern const struct who whos[];

/* Why `prepare` returns -1: one line. */
void who_refuse(const char *why);
/* Is anybody told where to run? */
int who_pins(void);
/* The calling thread stays on the n-th processor that this process has. */
void who_pin(unsigned n);
unsigned who_processors(void);
/* With times that change, the n-th drawing of them; no run is on its way. */
void who_draw(unsigned n);

#ifdef __cplusplus
}
#endif

#endif
