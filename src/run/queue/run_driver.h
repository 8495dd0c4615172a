/* SPDX-License-Identifier: MIT */
/*
 * Driver of a run on queues: the state machine that submits work and reacts
 * to completions.  One thread at a time advances it, in the role that
 * object/progress/progress_driver.h defines; fields without another remark are
 * that thread's.  Notifications of backends post a note and touch
 * nothing else.
 *
 * A body runs as a set of stages (queue_program.h): a stage begins when all its
 * predecessors are over.  A region is a coroutine without a stack: its state
 * says which completion it awaits, and the driver resumes it then.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_RUN_DRIVER_H
#define PLAIT_SRC_RUN_QUEUE_RUN_DRIVER_H

#include "run/external/external_command.h"
#include "run/queue/queue_instance.h"
#include "run/queue/retry.h"

#include "object/context/refusals.h"
#include "object/progress/progress_driver.h"

typedef struct plait__run_driver plait__run_driver;

/* Listener for the emission of a mark, or for an external event of a lane. */
typedef struct plait__queue_listener {
	plait__progress_note note;
	uint32_t mark;		/* PLAIT__NONE: the note of a stop; unused
				 * with an external event */
	uint32_t lane;		/* that emits it */
	uint32_t link;		/* a region, a stage, a port, an external or a
				 * command, by the listener's place */
	uint64_t sequence;	/* awaited; set by the subscription */
	bool polled;		/* not armed: not yet, or the backend refused */
	bool awaited;		/* from subscription to completion */
	uint64_t completed_ns;	/* in recorded runs: set before the note is
				 * posted, or by the poll */
} plait__queue_listener;

/* Start and end of a command, in a recorded run. */
typedef struct plait__command_times {
	uint64_t start_ns;	/* submitted, or begun by the host */
	uint64_t end_ns;	/* completion seen; 0: not complete */
	uint64_t successor_start_ns; /* earliest start of a successor */
	uint64_t predecessors_end_ns; /* latest end of a predecessor */
	plait__callback_times call; /* written by the callback's thread */
} plait__command_times;

/* External commands of a lane, one at a time: the lane does nothing else
 * meanwhile. */
typedef struct plait__queue_external {
	plait__external external;
	plait__run_driver *driver;
	uint32_t listener;
	uint32_t stage;		/* that has begun; or none: */
	uint32_t region;	/* that waits for its predicate */
} plait__queue_external;

/* Progress of a lane's queue. */
typedef struct plait__lane_progress {
	uint64_t emitted;	/* newest sequence of its signal that was
				 * submitted; taken back if the backend refuses,
				 * 0 when the queue is replaced */
	bool unflushed;
	bool accepted;		/* a submission, in this run */
	bool refused;		/* its port accepted nothing in this run, so
				 * the lane needs no final submission */
	bool lost;		/* its device is, for good */
	plait__refusals retries[PLAIT__RETRY_KINDS];
} plait__lane_progress;

/* A body that runs. */
typedef struct plait__running_body {
	uint32_t stages_left;	/* not over; and completions to record */
	uint32_t ready_first;	/* of those ready, in driver->ready */
	uint32_t ready_last;
} plait__running_body;

/* A repeat that is submitted ahead; repeat_ahead.c. */
typedef struct plait__queue_repeat {
	uint64_t left;		/* iterations to submit */
	uint64_t older;		/* mark of the older window in flight */
	uint64_t newer;		/* and of the newer one */
	uint32_t windows;	/* in flight */
	bool has_begun;		/* its count is known */
} plait__queue_repeat;

/* Fallback: a segment that is submitted command by command;
 * segment_fallback.c. */
typedef struct plait__segment_walk {
	bool waits_submitted;	/* those of the whole segment */
	bool waiting;		/* for the predicate of a region */
	bool failed;		/* the last submission */
	uint32_t body;		/* of the plan, that the walk is in */
	uint32_t position;	/* the next member */
	uint32_t boundary;	/* the next region, or the end of the body */
	uint32_t stage;		/* chunk that has the segment */
	uint32_t batch;		/* likewise */
} plait__segment_walk;

struct plait__run_driver {
	plait__pollable pollable; /* first: the progress driver knows only it */
	plait__queue_instance state;
	plait__instance *instance; /* as in `state` */
	const plait__queue_program *compiled; /* likewise */

	plait__lane_progress *lanes; /* per lane */
	uint64_t *marks;	/* per mark: its sequence in this run */
	plait__queue_listener *listeners;
	plait__queue_external *externals;
	uint64_t *newest;	/* per signal: emissions when the run began */
	struct plait__mutex lock; /* of all `externals`; see plait__external */
	plait__command_times *times; /* per command; or null */

	/* Stages and regions. */
	plait__running_body *running; /* per body */
	uint32_t *current_body;	/* per region: the one that runs, or none */
	plait__queue_repeat *repeats; /* per region */
	uint32_t *pending;	/* per stage: predecessors that are not over */
	uint32_t *ready;	/* per body a list as long as its stages */
	plait__segment_walk *walks; /* per segment */

	uint32_t phase;		/* STARTING, RUNNING, DRAINING: run_driver.c */
	uint32_t polled_count;	/* listeners that have to be polled */
	uint32_t polls_left;	/* passes until they are armed; 0: refused */
	uint32_t drains_left;	/* ports with work in flight */
	uint32_t final_next;	/* progress of drain_queues.c */
	bool retrying;		/* a backend refused a call in this pass */
	plait_error loss;	/* of a device, if any is lost: fails all later
				 * runs */

	/* Regions that devices decide. */
	plait__queue_listener stop_listener; /* note: the run was stopped */
	at_u32 stop_posted;	/* that note is on its way */
	bool loops_stopped;	/* backends were told */
	at_ptr fallback;	/* plait__run_driver that decides all regions on
				 * the host, or null; host_fallback.c */
	bool uses_fallback;	/* `fallback` carries out this run */
	plait__pollable *note_target; /* own pollable, or that of the driver
				 * that this one stands in for */
	at_u32 entered;		/* threads that use its signals: awaited_queue.c */
};

static inline bool plait__run_driver_is_stopped(const plait__run_driver *driver)
{
	/* Relaxed: the flag is never cleared during a run. */
	return at_load_relaxed_u32(&driver->instance->stop) != 0;
}

/* Returns true if a thread that waits for a run has no duty but to drive it. */
static inline bool plait__run_driver_is_caller_free(
	const plait__context *context)
{
	/* Relaxed: an inbox of the calling thread is its own store. */
	return context->settings.workers > 0 &&
	       at_load_relaxed_u32(&context->inbox_count) == 0;
}

/* Begin a run, on any thread: no other one has the driver.  Submits nothing;
 * `advance` is due until it returns PLAIT__PROGRESS_DONE. */
void plait__run_driver_begin(plait__run_driver *driver);
/* plait__pollable.advance; not of a fallback driver, which its main driver
 * advances. */
uint32_t plait__run_driver_advance(plait__pollable *pollable);

#endif
