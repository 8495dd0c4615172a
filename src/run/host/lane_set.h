/* SPDX-License-Identifier: MIT */
/*
 * Lanes of one instance: the state that lane_tasks.c, lane_interpreter.c and
 * lane_park.c share.
 */
#ifndef PLAIT_SRC_RUN_HOST_LANE_SET_H
#define PLAIT_SRC_RUN_HOST_LANE_SET_H

#include "run/external/external_command.h"
#include "run/host/call_op.h"
#include "run/host/lane_program.h"

#include "pool/bound_task.h"
#include "pool/cacheline.h"
#include "sys/mutex.h"

typedef struct plait__lane_set plait__lane_set;
typedef struct plait__lane_task plait__lane_task;

/* State of a lane's external commands. */
typedef struct plait__lane_external {
	plait__external external;
	plait__lane_task *lane_task;
	const plait__call_op *op; /* of the coroutine that was begun */
	plait__bound_task bound; /* while that stays on its first worker */
} plait__lane_external;

/* Wait condition of a parked lane. */
struct plait__lane_wait {
	at_u64 *word;
	uint64_t value;
	bool changes;		/* until *word differs from `value`; else:
				 * reaches it */
	uint32_t lane;		/* that writes the word */
	plait__lane_task *next;
};

/* One lane of one instance; touched by the thread that runs it. */
struct plait__lane_task {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__lane_set *set;
	const plait__step *step;
	uint32_t lane;
	at_ptr command;		/* const uint32_t: the current one, for
				 * failures and time-outs; null between
				 * runs */
	uint64_t iterations;	/* of its regions, in this run; taken over by
				 * the end of the run */
	/* Recorded runs: start of the current wait, or 0; and the step's
	 * wait. */
	uint64_t waiting_ns;
	const plait__step_wait *waiting_for;
	/* The next two are guarded by the set's lock. */
	struct plait__lane_wait parked;
	uint64_t park_count;	/* how often it was parked */

	plait__lane_external *external; /* or null: has no external commands */
};

struct plait__lane_set {
	plait__instance *instance;
	void (*end)(plait__instance *instance); /* all lanes are done */
	const plait__lane_program *compiled;
	const plait__call_op *ops;	/* of the program or of a kernel
					 * version; of this run */
	plait__lane_task *tasks;
	at_u64 *progress;	/* words of lane_program.h; one lane writes
				 * each, but for parked_count */
	uint64_t *local;	/* words that their lane alone touches */
	bool asymmetric_fence;		/* the parker pays for both fences
					 * (membarrier) */
	PLAIT__CACHELINE_ALIGNED at_u32 remaining; /* lanes not done; with one
						    * lane not counted */
	/* Guards the list `parked`, and is held to write a parked_count; it is
	 * the lock of `externals`, too. */
	struct plait__mutex lock;
	plait__lane_task *parked;
	uint64_t *newest;	/* by signal: emissions at the start of the
				 * run */
	plait__external *externals; /* of its lanes; or null */
	at_u32 driven;		/* the lane that a waiting thread ran last; a
				 * hint */
};

static inline void plait__lane_set_command(plait__lane_task *self,
					   const uint32_t *command)
{
	/* Relaxed: another thread reads it only for an error text. */
	at_store_relaxed_ptr(&self->command, (void *)(uintptr_t)command);
}

/* Turn the rotations of a step that begins. */
static inline void plait__lane_set_turn_cells(const plait__lane_task *self,
					      const plait__step *step)
{
	const plait__loop_cell *cells = self->set->compiled->cells.items;

	for (uint32_t i = 0; i < step->cell_count; i++)
		plait__frame_turn_cell(&self->set->instance->frame,
				       &cells[step->cell_first + i]);
}

#endif
