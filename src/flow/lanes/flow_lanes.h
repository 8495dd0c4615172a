/* SPDX-License-Identifier: MIT */
/*
 * Lanes of a flow: rings of op numbers.  Only preds order ops; a lane says
 * which thread looks at which ops first.  Each of the first `count` lanes has a
 * worker, a task of the pool, which takes ready ops from all lanes.
 *
 *     count       urgent ops, which all workers take first
 *     count + 1   held ops: those behind an op that another thread finishes
 *
 * Invariant: a pred of an op in one of the first count + 1 lanes is in one of
 * them too, or done.  So the oldest op there that is not taken is ready, and
 * the first of its lane: looking at a few ops behind each front finds it.  Held
 * ops are looked at to the last one, when nothing else is found, before a worker
 * parks and in some looks between.
 */
#ifndef PLAIT_SRC_FLOW_LANES_FLOW_LANES_H
#define PLAIT_SRC_FLOW_LANES_FLOW_LANES_H

#include "flow/lanes/brief_ops.h"
#include "flow/lanes/op_ring.h"
#include "flow/lanes/outcomes.h"

#include "object/progress/progress_driver.h"
#include "pool/task.h"

enum { PLAIT__FLOW_LANES = 30, PLAIT__FLOW_LANES_ALL = PLAIT__FLOW_LANES + 2 };

typedef struct plait__flow_lanes plait__flow_lanes;
typedef struct plait__held_ops plait__held_ops;

typedef struct plait__flow_lane {
	PLAIT__CACHELINE_ALIGNED at_u64 tail; /* ops that were ever in it */
} plait__flow_lane;

/* Of a late op, or of several, that ended elsewhere: the first field of its
 * record. */
typedef struct plait__flow_arrival {
	struct plait__flow_arrival *next;
	/* Called by the worker that collects it, without locks. */
	void (*collect)(struct plait__flow_arrival *arrival);
} plait__flow_arrival;

/* Touched by the thread that runs the task, but for `awaited` and `looks`. */
typedef struct plait__flow_worker {
	PLAIT__CACHELINE_ALIGNED plait__task task;
	plait__flow_lanes *lanes;
	uint32_t index;
	uint32_t from;	  /* the lane of the last op found */
	uint64_t next;	  /* the position behind that op in the lane */
	uint64_t place;	  /* of the last op that a scan of any lane found */
	uint32_t near_looks; /* at held ops, before one at all of them */
	uint32_t follows; /* ops that may be taken at `next` before one at a front */
	bool near_end;	  /* the last op found in a scan was one of the lane's last */
	bool spins;	  /* counted in `spinning` */
	bool has_found;	  /* an op, since it last slept where it polls */
	bool is_stirred;  /* there is a reserved op that it had not seen */
	uint32_t reserved_looks; /* at that op, before it takes it; 0: never */
	uint64_t reserved; /* the last reserved op that it has seen */
	at_u32 looks;	  /* runs no op, and will look for one: a hint */
	uint64_t number;  /* of the op that runs */
	/* 0, or the op for whose end the thread runs ops: from the thread that
	 * claims the task to plait__flow_worker_run. */
	uint64_t awaited;
	/* Per lane: the ops before this position are taken. */
	uint64_t heads[PLAIT__FLOW_LANES_ALL];
	/* Per lane: its tail, when it was loaded last. */
	uint64_t tails[PLAIT__FLOW_LANES_ALL];
} plait__flow_worker;

struct plait__flow_lanes {
	plait__op_ring ring;
	plait__outcomes outcomes;
	plait__context *context;
	/* Null, or counts the ops in flight, for waits on simulated clocks. */
	plait__progress_driver *driver;
	const plait_allocator *allocator;
	uint32_t count;
	bool asymmetric_fence;
	struct plait__mutex *lock; /* of the flow: publishers hold it */
	plait__flow_lane *lanes; /* count + 2 */
	/* Per lane: the low halves of its last W numbers.  Any op that is
	 * published and not taken may be claimed, in whatever lane it is
	 * found.  Not beside the tails, whose lines the submitter writes. */
	at_u32 *numbers;
	plait__flow_worker *workers; /* count */
	/* Null, or the held ops, which are in no lane then; see held_ops.h. */
	plait__held_ops *held;
	/* Finish what arrived: called by a worker while `arrived` is not 0.
	 * The function takes the arrivals. */
	void (*collect)(void *arg);
	/* Null, or called at the end of an op that is awaited; by any thread,
	 * notification callbacks included. */
	void (*ended)(void *arg);
	/* Null, or told of each op that a worker has run, before the op is
	 * done. */
	void (*span)(void *arg, uint32_t lane, const char *label,
		     uint64_t start_ns, uint64_t end_ns);
	/* Null, or called by a worker that finds no op: returns true if it has
	 * ended one.  At most one worker looks for ops then, the others park; the
	 * last one calls poll_end before. */
	bool (*poll)(void *arg);
	void (*poll_end)(void *arg);
	/* With poll: the worker sleeps until poll may succeed or poll_wake is called,
	 * unless has_op(worker) or poll finds something behind the announcement.
	 * Returns false if the worker is to park.  poll_yields: yields before. */
	bool (*poll_sleep)(void *arg, bool (*has_op)(plait__flow_worker *worker),
			   plait__flow_worker *worker);
	void (*poll_wake)(void *arg);
	uint32_t poll_yields;
	void *arg;
	/* Ops up to this one that are not taken are cancelled. */
	at_u64 cancelled;
	at_u64 cancel_cause; /* number of the cancellation; stored before */
	/* Workers that are parked, or about to park; bits as in idle. */
	PLAIT__CACHELINE_ALIGNED at_u64 idle;
	at_u32 spinning; /* workers that look for an op */
	at_u32 sleeping; /* one of them sleeps where it polls */
	at_u32 arrived; /* there may be arrivals; see collect */
	at_ptr arrivals; /* plait__flow_arrival, the newest first */
	/* Ops up to this one are done: a hint. */
	PLAIT__CACHELINE_ALIGNED at_u64 prefix;
	/* The newest reserved op.  Beside nothing: workers that spin read it. */
	PLAIT__CACHELINE_ALIGNED at_u64 reserved;
	PLAIT__CACHELINE_ALIGNED plait__brief_ops brief; /* with poll */
	/* The newest brief op that a worker runs and for which it woke no other one, or
	 * 0. */
	PLAIT__CACHELINE_ALIGNED at_u64 unshared;
	/* Of the thread that calls plait__flow_lanes_share_late: the op at its last call; the
	 * time of the second call that saw it, or 0; the last op beside which it woke a
	 * worker. */
	uint64_t unshared_seen, unshared_since, unshared_woken;
};

/* The number at a position of a lane. */
static inline at_u32 *plait__flow_lane_number(const plait__flow_lanes *lanes,
					      uint32_t lane, uint64_t position)
{
	uint64_t mask = lanes->ring.mask;

	return &lanes->numbers[lane * (mask + 1) + (position & mask)];
}

/* Bits of `idle`, for worker 0. */
#define PLAIT__FLOW_IDLE ((uint64_t)1)
#define PLAIT__FLOW_PARKED (PLAIT__FLOW_IDLE << 32)

/* Zeroed memory; the ring is made.  Returns false without memory. */
bool plait__flow_lanes_init(plait__flow_lanes *lanes, plait__pool *pool,
			    uint32_t count);
/* All ops are done.  Waits for workers that still look for some. */
void plait__flow_lanes_fini(plait__flow_lanes *lanes);

/* Publish op `number`, which is filled, in a lane.  Caller holds the lock of the
 * flow. */
void plait__flow_lanes_publish(plait__flow_lanes *lanes, uint32_t lane,
			       uint64_t number);

/* Publish op `number`, which is ready, for a thread that is expected to wait for it
 * at once: workers take it only after some looks.  Ops that are behind it are
 * held.  Returns false, with nothing done, if another such op is not taken.  Caller
 * holds the lock of the flow. */
bool plait__flow_lanes_reserve(plait__flow_lanes *lanes, uint64_t number);

/* The op is done: mark it, and wake those that wait for it.  By any thread,
 * notification callbacks included. */
void plait__flow_lanes_finish(plait__flow_lanes *lanes, uint64_t number);

/* The same, for an op that was published. */
static inline void plait__flow_lanes_complete(plait__flow_lanes *lanes,
					      uint64_t number)
{
	plait__progress_driver *driver = lanes->driver;

	plait__flow_lanes_finish(lanes, number);
	if (driver != NULL)
		plait__progress_end_pool_run(driver);
}

/* There is work that a worker may have looked for before: wake one that is idle
 * if none spins.  By any thread, notification callbacks included. */
void plait__flow_lanes_stir(plait__flow_lanes *lanes);

/* Wake a worker if calls have found an op that was to be brief for PLAIT__BRIEF_NS, since
 * others may be ready: once beside each op.  The thread of a flow with poll calls it again and
 * again. */
void plait__flow_lanes_share_late(plait__flow_lanes *lanes);

/* A late op has ended: a worker collects it.  By any thread, notification
 * callbacks included; the lanes live until it is collected. */
void plait__flow_lanes_arrive(plait__flow_lanes *lanes,
			      plait__flow_arrival *arrival);
/* Take all arrivals; null: none. */
plait__flow_arrival *plait__flow_lanes_take_arrivals(plait__flow_lanes *lanes);

/* Cancel the ops up to `newest` that are not taken; their failure is that of the
 * cancellation `cause` (outcomes.h).  Calls of one thread at a time. */
void plait__flow_lanes_cancel(plait__flow_lanes *lanes, uint64_t newest,
			      uint64_t cause);

/* Run ops on the calling thread, which waits for op `awaited`.  Returns false
 * if no worker is free to be run. */
bool plait__flow_lanes_help(plait__flow_lanes *lanes, uint64_t awaited);

/* The same with a parked worker, if an op from `first` to `awaited` is ready and
 * not taken.  `first`: ops before are done. */
bool plait__flow_lanes_help_parked(plait__flow_lanes *lanes, uint64_t first,
				   uint64_t awaited);

/* Returns true if op `number` is done; if not, its end wakes the waiters of the
 * context.  *announced is false for the first look of a thread at an op. */
bool plait__flow_lanes_await(plait__flow_lanes *lanes, uint64_t number,
			     bool *announced);

/* Clear the bits of worker `index`.  Returns true if it was idle; *was_parked:
 * the caller offers it. */
bool plait__flow_lanes_wake(plait__flow_lanes *lanes, uint32_t index,
			    bool *was_parked);

#endif
