/* SPDX-License-Identifier: MIT */
/*
 * Workers of mode HELPED on the host, with work stealing: only edges order
 * commands.  Each lane has a worker, which runs the lane's commands in their
 * order while they are ready, and steals ready commands of other lanes when its
 * next one is not ready or none is left.  README.md has the protocol.
 */
#ifndef PLAIT_SRC_RUN_HOST_STEAL_WORKER_H
#define PLAIT_SRC_RUN_HOST_STEAL_WORKER_H

#include "run/host/call_op.h"

#include "pool/cacheline.h"
#include "pool/task.h"

/* Lanes at most: one bit of a 32-bit half of `idle` each. */
enum { PLAIT__STEAL_LANES = 32 };

typedef struct plait__steal_set plait__steal_set;
typedef struct plait__steal_worker plait__steal_worker;

/* Bits of `attention`. */
enum {
	PLAIT__STEAL_RECHECKS = 1, /* predecessors in the batch may not be
				    * done */
	PLAIT__STEAL_RECORDS = 2	/* the run is recorded */
};

/* Compiled form, for all instances.  Commands and lanes are the plan's, or
 * those of merged lanes with numbers of their own; an operation has the plan's
 * number. */
typedef struct plait__steal_program {
	const plait__program *program;
	const plait__plan_track *tracks; /* of body 0, one per worker */
	const plait__plan_command *commands; /* only their preds and priorities
					      * are used */
	const uint32_t *preds;
	uint32_t lane_count;
	uint32_t op_count;
	bool has_priorities;		/* a command has one, not 0 */
	plait__call_op *ops;		/* by command */
	/* The first three, of merged lanes; or null. */
	plait__plan_track *merged_tracks;
	plait__plan_command *merged_commands;
	uint32_t *merged_preds;
} plait__steal_program;

/* A worker: the task of one lane.  Touched by the thread that runs it. */
struct plait__steal_worker {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__steal_set *set;
	uint64_t run;		/* the run that the worker has entered */
	uint32_t lane;		/* its own lane */
	uint32_t done;		/* commands, not yet subtracted from
				 * `remaining` */
	uint32_t command;	/* the current one */
	uint32_t from;		/* the lane of the last command found */
	uint32_t next;		/* its batch: from here */
	uint32_t until;
	uint32_t attention;	/* PLAIT__STEAL_...: calls need more than a
				 * call */
	bool batch_claims;		/* this run claims batches; see
					 * steal_claim.h */
	uint64_t paced_ns;	/* last measurement of the pace */
	uint32_t failed_looks;		/* unsuccessful series of looks at
					 * its own lane */
	uint32_t skip_looks;	/* searches that will steal at once */
	uint64_t idle_ns;	/* recorded runs: start of the idle time, or
				 * 0 */
	/* Per lane: the commands before this one are claimed. */
	uint32_t heads[PLAIT__STEAL_LANES];
	/* In runs with batch claims: run << 32 | front of the lane; the
	 * commands before the front are claimed.  All workers write it. */
	PLAIT__CACHELINE_ALIGNED at_u64 front;
};

struct plait__steal_set {
	plait__instance *instance;
	void (*end)(plait__instance *instance); /* all commands are done */
	const plait__steal_program *compiled;
	const plait__call_op *ops;	/* of the program or of a kernel
					 * version; of this run */
	plait__steal_worker *workers;
	/* Per command: 4n - 1 when claimed in run n, 4n when done; see
	 * steal_claim.h. */
	at_u64 *states;
	bool asymmetric_fence;		/* the parker pays for both fences
					 * (membarrier) */
	at_u32 short_commands;		/* commands are short enough for
					 * batch claims */
	at_u32 batch_claims;		/* the current run claims batches */
	at_u32 records;		/* the current run is recorded */
	PLAIT__CACHELINE_ALIGNED at_u64 run; /* number of the current run */
	PLAIT__CACHELINE_ALIGNED at_u64 idle; /* workers that are parked, or
					       * about to park */
	at_u64 woken_ns;	/* time of the last wake-up */
	/* Commands that are not subtracted as done, and 1 while the run
	 * starts. */
	PLAIT__CACHELINE_ALIGNED at_u32 remaining;
};

/* Run until there is nothing to do.  Returns true if the run is over. */
bool plait__steal_worker_run(plait__task *task);

enum { PLAIT__STEAL_PARKED_SHIFT = 32 };

/* Bits of `idle`, for lane 0. */
#define PLAIT__STEAL_IDLE ((uint64_t)1)
#define PLAIT__STEAL_PARKED (PLAIT__STEAL_IDLE << PLAIT__STEAL_PARKED_SHIFT)

/* Tell an idle worker to look again.  Returns true if it was idle;
 * *was_parked: it was parked, and the caller offers it. */
bool plait__steal_worker_wake(plait__steal_set *set, uint32_t lane,
			      bool *was_parked);

#endif
