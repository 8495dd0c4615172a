/* SPDX-License-Identifier: MIT */
/*
 * Placer of tasks: the device and the lane of each task of a record, chosen by
 * the policies of `../policy`, with times that are predicted.  A piece of a split
 * launch has its device; all that is no launch is the host's.  Pure.
 *
 * Predicted times are in nanoseconds from the start of the first task.  A task
 * starts when its lane is free, its predecessors are seen and its copies have
 * ended.  What comes before a barrier, or before an access of the host, is known
 * to be done behind it.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_TASK_PLACER_H
#define PLAIT_SRC_FLOW_MEMORY_TASK_PLACER_H

#include "flow/memory/placement_request.h"
#include "flow/policy/placer.h"

typedef struct plait__task_placer {
	const plait__record *record;
	const plait__memory_system *system;
	plait__instructions *list; /* gets the lanes */
	plait__placer placer;
	plait__vector placed; /* plait__placed_task */
	plait__vector owners; /* per lane: its instructions' lane, newest task */
	plait__vector finished; /* tasks whose predecessors are to be marked */
	plait__placement_request request;
	plait__text reasons; /* each with a NUL */
	bool failed;	     /* without memory */
} plait__task_placer;

/* Begin; fini is valid also after a failure, which `failed` tells. */
void plait__task_placer_init(plait__task_placer *placer,
			     const plait__record *record,
			     const plait__memory_system *system,
			     plait__instructions *list,
			     const plait__placer_options *options);
void plait__task_placer_fini(plait__task_placer *placer);

/* Place the next task of the record: where `state` has its data. */
void plait__task_placer_place(plait__task_placer *placer,
			      const plait__memory_state *state);

static inline const plait__placed_task *
plait__task_placer_at(const plait__task_placer *placer, uint32_t task)
{
	return plait__vector_at(&placer->placed, task);
}

/* Returns why a launch is on its device and lane, or null. */
static inline const char *
plait__task_placer_why(const plait__task_placer *placer, uint32_t task)
{
	uint32_t why = plait__task_placer_at(placer, task)->why;

	return why == PLAIT__INSTRUCTION_NONE ? NULL :
						placer->reasons.bytes + why;
}

#endif
