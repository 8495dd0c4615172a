/* SPDX-License-Identifier: MIT */
/*
 * Generator of instructions: from the tasks of a record to what devices with
 * memories do.  Launches run on devices: piece i of n on the device at i/n of
 * them, and a whole launch where it lacks the fewest bytes, then where fewer
 * launches are.  All other tasks run on the host, in memory 0.  The result
 * depends on the record and the system alone.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_GENERATOR_H
#define PLAIT_SRC_FLOW_MEMORY_GENERATOR_H

#include "flow/memory/memory_state.h"

/* Make all instructions of a complete record.  With `lookahead` blocks are made
 * once, as large as any task needs them.  `out` is made even without memory. */
typedef struct plait__generated {
	plait__memory_system system;
	plait__instructions list;
	uint64_t peak[PLAIT__MEMORY_DEVICES + 1]; /* bytes, per memory */
	bool failed; /* without memory */
} plait__generated;

void plait__generator_run(const plait__record *record,
			  const plait__memory_system *system, bool lookahead,
			  plait__generated *out);
void plait__generator_free(plait__generated *generated);

#endif
