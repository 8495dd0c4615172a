/* SPDX-License-Identifier: MIT */
/*
 * Plans in mode HELPED on the host: only edges order commands.  Each lane has
 * a member of the band, which runs the lane's commands in their order while
 * they are ready, and takes others that are when its next one is not, or when
 * there are none left.  README.md has the protocol.
 */
#ifndef PLAIT_SRC_RUN_HOST_STEAL_WORKER_H
#define PLAIT_SRC_RUN_HOST_STEAL_WORKER_H

#include "run/host/call_op.h"

#include "pool/cacheline.h"
#include "pool/task.h"

/* Bits of a word say which members are idle. */
enum { PLAIT__STEAL_LANES = 32 };

typedef struct plait__steal_set plait__steal_set;
typedef struct plait__steal_worker plait__steal_worker;

/*
 * What all instances share.  Commands and lanes are the plan's, or those of a
 * fold: then they have other numbers, by which all here goes, and an operation
 * knows the plan's.
 */
typedef struct plait__steal_program {
	const plait__program *program;
	const plait__plan_track *tracks; /* of body 0, one per lane that works */
	const plait__plan_command *commands; /* of which only preds count */
	const uint32_t *preds;
	uint32_t lane_count;
	uint32_t op_count;
	plait__call_op *ops;		/* by command */
	/* What the first three are of a fold, or null. */
	plait__plan_track *merged_tracks;
	plait__plan_command *merged_commands;
	uint32_t *merged_preds;
} plait__steal_program;

/* One lane's member; touched by who runs it. */
struct plait__steal_worker {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__steal_set *set;
	uint64_t run;		/* which one it works for */
	uint32_t lane;		/* whose commands come first */
	uint32_t done;		/* commands, since it told the band */
	uint32_t command;	/* that it is at */
	uint32_t from;		/* the lane whose command it found last */
	uint32_t next;		/* what it took together: from here */
	uint32_t until;
	bool recheck;		/* some of that may not be ready */
	bool batch_claims;		/* in this run several are; see steal_claim.h */
	uint64_t paced_ns;	/* when `done` was looked at last */
	uint32_t failed_looks;		/* waits for its own lane, in a row */
	uint32_t skip_looks;	/* times that it will not wait for it */
	uint64_t idle_ns;	/* recorded: since when it found nothing, or 0 */
	/* Per lane: what lies before this command was taken. */
	uint32_t heads[PLAIT__STEAL_LANES];
	/* Its lane's, in runs that are ranged: run << 32 | what lies before
	 * this command was taken.  All members write it. */
	PLAIT__CACHELINE_ALIGNED at_u64 front;
};

struct plait__steal_set {
	plait__instance *instance;
	const plait__steal_program *compiled;
	const plait__call_op *ops;	/* those, or newer ones; of the run */
	plait__steal_worker *workers;
	bool records;		/* its runs are recorded */
	/* Per command: 4n - 1 when it was taken in run n, 4n when done; more
	 * in steal_claim.h. */
	at_u64 *states;
	bool asymmetric_fence;		/* who rests pays for both fences */
	at_u32 short_commands;		/* commands are so small that a range is worth it */
	at_u32 batch_claims;		/* that is what is done in this run */
	PLAIT__CACHELINE_ALIGNED at_u64 run; /* the number of this one */
	PLAIT__CACHELINE_ALIGNED at_u64 idle; /* members that rest, or are about to */
	at_u64 woken_ns;	/* when one that rests was woken last */
	/* Commands not told as done, and 1 while the run is being started. */
	PLAIT__CACHELINE_ALIGNED at_u32 remaining;
};

/* Until there is nothing more to do; true: the run is over. */
bool plait__steal_worker_run(plait__task *task);
/* The same, and writes down what it does. */
bool plait__steal_worker_run_recorded(plait__task *task);

enum { PLAIT__STEAL_PARKED_SHIFT = 32 };

/* Bits of `idle`, for lane 0. */
#define PLAIT__STEAL_IDLE ((uint64_t)1)
#define PLAIT__STEAL_PARKED (PLAIT__STEAL_IDLE << PLAIT__STEAL_PARKED_SHIFT)

/* Tell an idle member to look again.  True: it was idle; `rested`: it
 * is the caller's to offer. */
bool plait__steal_worker_wake(plait__steal_set *set, uint32_t lane, bool *rested);

#endif
