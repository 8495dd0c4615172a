/* SPDX-License-Identifier: MIT */
/*
 * Reductions of launches (PLAIT_ACCESS_REDUCE).  Each piece of a launch has a
 * partial result of its own, a row of the data's partials: a fill makes the rows
 * the identity, the pieces update them, and a combination adds them to the target
 * in the order of the chunks.  All of these are ops with accesses, so order,
 * poison and copies to devices are those of any task.  A launch of one piece
 * updates the target.
 *
 * Callers hold the lock, but where a function says otherwise.
 */
#ifndef PLAIT_SRC_FLOW_REDUCTION_H
#define PLAIT_SRC_FLOW_REDUCTION_H

#include "flow/flow_object.h"

enum { PLAIT__REDUCTIONS_MOST = 8 }; /* of a launch */

/* One reduction of the launch in preparation, in flow->reductions. */
typedef struct plait__reduction {
	plait__data *target;
	plait__partials *partials; /* null: one piece */
	uint64_t first; /* row */
	uint64_t rows;
	uint64_t elements;
	uint64_t identity;
	plait_kernel *combine;
	uint32_t argument;
	uint32_t access; /* of the piece */
	bool accumulates; /* what was there counts */
} plait__reduction;

/* Addition of rows to a target, in cells of its op. */
typedef struct plait__combination {
	plait_kernel_function function;
	void *user_data;
	plait_kernel *kernel;
	char *into;
	const char *from;
	uint64_t row_bytes;
	uint64_t rows;
	uint64_t elements;
	uint64_t identity;
	uint32_t element_bytes;
	bool fills; /* the target becomes the identity before */
	plait_launch launch;
} plait__combination;

/*
 * Append the access of an argument, and store the address for the piece in
 * *cell.  The task's kernel may move.  `out`: the data that has the address.
 * PLAIT_PENDING: the data lacks partials, task->wants is set.  PLAIT_E_INVALID,
 * PLAIT_E_HANDLE, PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM.
 */
plait_status plait__reduction_take(plait__flow_task *task,
				   const plait__parameter *parameter,
				   const plait_access *given, uint64_t *cell,
				   plait__data **out, plait_error *error);

/* Refuse other accesses to what is reduced.  PLAIT_E_INVALID. */
plait_status plait__reduction_check(const plait__flow_task *task,
				    plait_error *error);

/* Make the partials that a task wants.  Caller does not hold the lock. */
plait_status plait__reduction_supply(plait__flow_task *task,
				     plait_error *error);

/* Prepare the op that makes rows, or the target of one piece, the identity.
 * PLAIT_PENDING: no room. */
plait_status plait__reduction_fill(plait__flow_task *task,
				   const plait__reduction *reduction,
				   plait_error *error);

/* Prepare the op that adds the rows to the target.  PLAIT_PENDING: no room. */
plait_status plait__reduction_combine(plait__flow_task *task,
				      const plait__reduction *reduction,
				      plait_error *error);

/* The first step of a device's split launch was committed, which another thread
 * may interrupt: no other launch gets its rows until it is over. */
void plait__reduction_begin(plait__flow *flow, const void *owner);

/* The launch was committed: the next one gets other rows. */
void plait__reduction_advance(plait__flow *flow);

/* A launch of the owner was given up. */
void plait__reduction_abandon(plait__flow *flow, const void *owner);

static inline plait__reduction *plait__reduction_at(const plait__flow *flow,
						    uint32_t i)
{
	return plait__vector_at(&flow->reductions, i);
}

/* Returns true if an op before the launch writes what it reduces. */
static inline bool plait__reduction_needs_fill(const plait__reduction *at)
{
	return at->partials != NULL || !at->accumulates;
}

/* Returns true if that is so of this access of the launch in preparation. */
bool plait__reduction_fills(const plait__flow *flow, uint32_t access);

/* Returns the reduction of an argument of the launch in preparation, or null. */
const plait__reduction *plait__reduction_find(const plait__flow_task *task,
					      uint32_t argument);

#endif
