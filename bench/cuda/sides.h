/* SPDX-License-Identifier: MIT */
/* Who takes turns in bench-cuda, and what came out. */
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
	SUBMIT_HAND, SUBMIT_PLAIT,
	CG_HOST, CG_GRAPH, CG_PLAIT,
	FILL_WORDS, FILL_COLUMNS, FILL_PLAIT,
	SIDES
};

extern struct side {
	const char *name;
	void (*open)(void); /* makes what it runs; or null */
	void (*run)(void);
	void (*take)(void); /* not timed */
	uint32_t *per;	    /* by what its time is divided, or null */
	bool skipped;
	bool failed;	    /* it has said why */
	uint64_t result;
	double device[MOST_ROUNDS], whole[MOST_ROUNDS];
} sides[SIDES];

/* --- told.c */

void print_all(int rounds);
/* Not 0 when not, or when one of them failed. */
int compare_results(void);

#endif
