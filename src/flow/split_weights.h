/* SPDX-License-Identifier: MIT */
/*
 * Shares of devices in a launch with one piece for each of them, by the measured
 * times of the flow's history (policy/weights.h).  The last split of a kernel and
 * geometry is kept in the flow, not in the file.  Callers hold the lock.
 */
#ifndef PLAIT_SRC_FLOW_SPLIT_WEIGHTS_H
#define PLAIT_SRC_FLOW_SPLIT_WEIGHTS_H

#include "flow/flow_object.h"
#include "flow/memory/memory_system.h"
#include "flow/policy/weights.h"

#include "base/hash.h"

enum { PLAIT__SPLIT_UNDECIDED, PLAIT__SPLIT_EQUAL, PLAIT__SPLIT_WEIGHTED };

/* The shares of one submission: once decided, they stay for all of its pieces. */
struct plait__split_weights {
	uint32_t state; /* PLAIT__SPLIT_... */
	bool is_first;	/* no split before it is known */
	plait__split_choice choice;
	/* Groups of the outermost dimension before each piece. */
	uint64_t borders[PLAIT__MEMORY_DEVICES + 1];
};

typedef struct plait__last_split {
	unsigned char code[PLAIT__HASH_BYTES];
	plait_launch launch;
	uint32_t count; /* of pieces */
	uint64_t borders[PLAIT__MEMORY_DEVICES + 1];
} plait__last_split;

/* Decide the shares of a launch, unless that was done.  `task`: its first piece,
 * prepared, with flow->accesses. */
void plait__split_weights_choose(plait__split_weights *weights,
				 const plait__flow_task *task,
				 const plait_task_desc *desc);

#endif
