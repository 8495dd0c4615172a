/* SPDX-License-Identifier: MIT */
/*
 * Queues: an ordered sequence of commands for one device. queue.c creates and
 * ends them, queue_state.c has their progress; queue_api.c and host_transfer.c are
 * the user's entry points; validate_command.c checks a command, launch_record.c
 * prepares a launch; submission.c turns commands into groups for the backend, which
 * submission_builder.c builds; inflight_ring.c holds the objects in use;
 * queue_finish.c waits and recovers.
 *
 * Each submission ends with an emission of the queue's own signal, `progress`,
 * which tells which commands are done, and which holds may be dropped.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_H

#include "plait/queue.h"

#include "object/context/device.h"
#include "object/context/refusals.h"
#include "object/queue/inflight_ring.h"
#include "object/signal/signal_watch.h"

/* Arrays in which a submission is built; they never shrink. */
typedef struct plait__submission_arrays {
	plait_work *work;
	plait_backend_point *points;
	plait_submission *groups;
	uint64_t commands; /* capacity, in commands */
} plait__submission_arrays;

typedef struct plait__queue plait__queue;
typedef struct plait__section plait__section;
typedef struct plait__queue_capture plait__queue_capture;

/* The last submission, if it was an external section, and nothing was submitted
 * since: once all before it has
 * completed and its gate was raised, all has completed, though the queue may
 * not have passed the gate yet. */
typedef struct plait__queue_tail {
	plait_backend_signal *gate; /* held by the in-flight ring; or null */
	uint64_t gate_sequence;
	/* of `progress`, before the section; the next one is behind it */
	uint64_t before;
} plait__queue_tail;

struct plait__queue {
	plait__object object;
	plait__backend_port *port;
	plait__device *device;
	plait_backend_queue *raw;
	plait_backend_signal *progress;
	plait__reclaim_entry entry;
	/* The newest emission of `progress`; stored under the lock. */
	at_u64 submitted;
	/* Notifications of calls and sections that the backend owes. */
	at_u32 owed_notifications;
	/* The plait__queue_capture that has the queue, or null; stored under
	 * the lock. */
	at_ptr capture;
	/* Guards the fields below, and slots that must not run concurrently. */
	struct plait__mutex lock;
	plait__inflight_ring inflight;
	plait__submission_arrays arrays;
	/* Sequence up to which the last successful poll found all complete.
	 * Stands for a new poll of success only if the device cannot be lost. */
	uint64_t clear;
	bool cannot_be_lost;
	plait__queue_tail tail;
	/* The idle section, in front of all later submissions, or null; whether
	 * it failed and so is held; whether it holds the queue. Used by
	 * idle_section.c only. */
	at_ptr idle_section;
	bool idle_section_failed;
	bool idle_section_holds_queue;
	/* Sections that the queue waits for, in order; guarded by `lock`. */
	plait__section *sections;
	bool draining; /* closed with work in flight: held until that is done */
	bool abandoned; /* it was not done: held for ever */
	plait__refusals refusals; /* of its polls, while it drains */
	bool measures; /* launches get their times (plait_work.times) */
	bool unflushed; /* the last flush failed: waiting threads try again */
	/* `failure` is the first one that an inbox's owner or a run reported. */
	bool noted;
	plait_error failure;
	plait__signal_watch watch;
	plait__race_queue *race; /* the race check's, or null */
	void *user; /* of an internal queue: its plait__late, or null */
};

PLAIT__OBJECT_ENTER(queue, PLAIT_OBJECT_QUEUE);

static inline uint64_t plait__queue_submitted(const plait__queue *queue)
{
	/* Acquire: pairs with the store in commit, submission.c. */
	return at_load_acquire_u64(&queue->submitted);
}

/* Create an internal queue with all defaults; the caller gets the
 * reference. */
plait_status plait__queue_make(plait__device *device, plait__queue **out,
			       plait_error *error);
/* The same; with `measures` launches get their times, where the backend can. */
plait_status plait__queue_make_measuring(plait__device *device, bool measures,
					 plait__queue **out,
					 plait_error *error);

#endif
