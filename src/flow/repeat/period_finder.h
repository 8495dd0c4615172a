/* SPDX-License-Identifier: MIT */
/*
 * Period finder: a ring of the newest tokens of a program, and an index of their
 * grams, the words of eight tokens.  A period is found when the newest tokens
 * repeat three times.  Linear time, fixed memory.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_PERIOD_FINDER_H
#define PLAIT_SRC_FLOW_REPEAT_PERIOD_FINDER_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAIT__PERIOD_TOKENS = 4096, /* a power of two */
	PLAIT__PERIOD_GRAM = 8,	     /* tokens */
	PLAIT__PERIOD_LEAST = 16,
	PLAIT__PERIOD_MOST = 1024,
	PLAIT__PERIOD_TIMES = 3
};

/* The token of a call that is no task, and ends a stretch of tasks. */
#define PLAIT__PERIOD_GAP UINT64_C(0)

/* Begins as zeroed memory. */
typedef struct plait__period_finder {
	uint64_t tokens[PLAIT__PERIOD_TOKENS];
	/* 1 + the newest position of a gram, by the high bits of its word. */
	uint64_t index[PLAIT__PERIOD_TOKENS];
	uint64_t count; /* tokens ever */
	uint64_t word;	/* of the newest gram */
	uint64_t period; /* that is tried; 0: none */
	uint64_t equal;	/* newest tokens that equal those a period before */
} plait__period_finder;

/* Add a token.  Returns the period of the newest tokens, at least
 * PLAIT__PERIOD_LEAST, or 0: none is found. */
uint32_t plait__period_finder_add(plait__period_finder *finder, uint64_t token);

/* Tokens since the newest gap: `count` if there was none, or none that is kept. */
uint64_t plait__period_finder_since_gap(const plait__period_finder *finder);

#endif
