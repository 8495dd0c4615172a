/* SPDX-License-Identifier: MIT */
/* Sides of bench-cuda, and their results. */
#ifndef BENCH_CUDA_SIDES_H
#define BENCH_CUDA_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

enum { MOST_ROUNDS = 1001 };

enum {
	CHAIN_LAUNCHES, CHAIN_GRAPH, CHAIN_PLAIT,
	DIAMONDS_STREAMS, DIAMONDS_GRAPH, DIAMONDS_QUEUES, DIAMONDS_PLAIT,
	WHILE_HOST, WHILE_NODE, WHILE_LAST, WHILE_PLAIT, WHILE_OWN,
	WHILE_PINNED, WHILE_DEVICE, WHILE_TIMER,
	SUBMIT_HAND, SUBMIT_PLAIT,
	CG_HOST, CG_GRAPH, CG_PLAIT,
	FILL_WORDS, FILL_COLUMNS, FILL_PLAIT,
	TRIP_HAND, TRIP_QUEUE, TRIP_PLAIT,
	FUNCTION_HAND, FUNCTION_PLAIT,
	STAGED_HAND, STAGED_PLAIT,
	INSTANTIATE_HAND, INSTANTIATE_PLAIT, INSTANTIATE_USUAL,
	PATCH_HAND, PATCH_PLAIT,
	CANCEL_HAND, CANCEL_PLAIT,
	ALLOCATE_HAND, ALLOCATE_PLAIT,
	LARGE_HAND, LARGE_PLAIT,
	SIDES
};

extern struct side {
	const char *name;
	void (*open)(void); /* creates its objects; or null */
	void (*run)(void);
	void (*take)(void); /* not timed */
	uint32_t *per;	    /* divisor of its time, or null */
	bool skipped;
	bool failed;	    /* a message was printed */
	uint64_t result;
	double device[MOST_ROUNDS], whole[MOST_ROUNDS];
} sides[SIDES];

/* --- told.c */

void print_all(int rounds);
/* Compare the results; return non-zero if they differ or a side failed. */
int compare_results(void);

#endif
