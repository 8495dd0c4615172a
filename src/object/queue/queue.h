/* SPDX-License-Identifier: MIT */
/*
 * Queues.  queue.c makes and ends them; queue_api.c has what users submit;
 * validate_command.c checks one command; submission.c turns commands into stretches for the
 * backend; inflight_ring.c keeps what they use; queue_finish.c waits and recovers;
 * host_transfer.c reads and writes memory of the host.
 *
 * Each queue has a signal of its own, `progress`, that every submission ends
 * with: it tells what is done, and what may be given back.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_H

#include "plait/queue.h"

#include "object/context/device.h"
#include "object/queue/inflight_ring.h"
#include "object/signal/signal_watch.h"

/* Arrays in which a submission is put together; they keep their size. */
typedef struct plait__submission_arrays {
	plait_work *work;
	plait_backend_point *points;
	plait_submission *stretches;
	uint64_t commands; /* for how many there is room */
} plait__submission_arrays;

typedef struct plait__queue plait__queue;
typedef struct plait__section plait__section;

/* What was submitted last, if that was a passage: when all before it has
 * happened and its gate was raised, all has happened, though the queue may not
 * have gone past it yet. */
typedef struct plait__queue_tail {
	plait_backend_signal *gate; /* of what the flight holds; or null */
	uint64_t gate_sequence;
	uint64_t before;   /* of `progress`, in front of it */
	uint64_t sequence; /* of `progress`, behind it */
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
	at_u32 upcalls; /* of calls that the backend still owes */
	/* Guards the rest, and the slots that must not run twice. */
	struct plait__mutex lock;
	plait__inflight_ring inflight;
	plait__submission_arrays scratch;
	/* Up to here it is known to be clear, if its device cannot be lost. */
	uint64_t clear;
	bool cannot_be_lost;
	plait__queue_tail tail;
	/* What is in front of all that is submitted from now on, or null; and
	 * then: it failed, and is held; it holds the queue.  See idle_section.c, which
	 * alone reads and writes it. */
	at_ptr idle_section;
	bool idle_section_failed;
	bool idle_section_holds_queue;
	bool draining; /* abandoned with work: has a hold until it is done */
	bool unflushed;
	bool noted; /* `failure` was the first, found by an inbox's owner */
	plait_error failure;
	plait__signal_watch watch;
};

PLAIT__OBJECT_ENTER(queue, PLAIT_OBJECT_QUEUE);

static inline uint64_t plait__queue_submitted(const plait__queue *queue)
{
	/* Acquire: pairs with the store in submission.c. */
	return at_load_acquire_u64(&queue->submitted);
}

/* One with all defaults, and a handle whose reference is the caller's. */
plait_status plait__queue_make(plait__device *device, plait__queue **out,
			       plait_error *error);

#endif
