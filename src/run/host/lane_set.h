/* SPDX-License-Identifier: MIT */
/* Lanes of one instance: the state that lane_tasks.c, lane_interpreter.c and
 * lane_park.c share. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_SET_H
#define PLAIT_SRC_RUN_HOST_LANE_SET_H

#include "run/external/external_command.h"
#include "run/host/call_op.h"
#include "run/host/lane_program.h"

#include "pool/cacheline.h"
#include "pool/task.h"
#include "sys/mutex.h"

typedef struct plait__lane_set plait__lane_set;
typedef struct plait__lane_task plait__lane_task;

/* What a lane has that needs somebody else. */
typedef struct plait__lane_external {
	plait__external external;
	plait__lane_task *lane_task;
} plait__lane_external;

/* What a parked lane waits for. */
struct plait__lane_wait {
	at_u64 *word;
	uint64_t value;
	bool changes;		/* until it is not `value`; else: reaches it */
	uint32_t lane;		/* who writes it */
	plait__lane_task *next;
};

/* One lane of one instance; touched by who runs it. */
struct plait__lane_task {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__lane_set *set;
	const plait__step *step;
	uint32_t lane;
	const uint32_t *command; /* that it is at, for failures */
	uint64_t iterations;	/* of its regions, in this run */
	/* Recorded: since when it waits, or 0; for which of a step's waits. */
	uint64_t waiting_ns;
	const plait__step_wait *waiting_for;
	struct plait__lane_wait parked; /* under the crew's lock, as is: */
	uint64_t park_count;	/* how often it was parked, ever */
	plait__lane_external *external; /* or null: needs nobody else */
};

struct plait__lane_set {
	plait__instance *instance;
	const plait__lane_program *compiled;
	const plait__call_op *ops;	/* the flat's, or newer ones; of the run */
	plait__lane_task *tasks;
	at_u64 *progress;
	uint64_t *local;
	bool records;		/* its runs are recorded */
	bool asymmetric_fence;		/* parking pays for both fences */
	PLAIT__CACHELINE_ALIGNED at_u32 remaining; /* lanes not done */
	struct plait__mutex lock; /* guards the list of parked lanes */
	plait__lane_task *parked;
	uint64_t *newest;	/* emissions when the run began, by signal */
	plait__external *externals; /* of its lanes; or null */
};

#endif
