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

typedef struct plait__call plait__call;
typedef struct plait__inbox plait__inbox;
typedef struct plait__section plait__section;
typedef struct plait__signal plait__signal;

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
	/* Of the context's list, under its lock; `listed` under both. */
	plait__queue *next;
	plait__queue *previous;
	bool listed;
	uint64_t sweep; /* likewise */
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

plait_status plait__queue_enter(plait_queue *handle, plait__queue **out,
				plait_error *error);

static inline uint64_t plait__queue_submitted(const plait__queue *queue)
{
	/* Acquire: pairs with the store in submission.c. */
	return at_load_acquire_u64(&queue->submitted);
}

/* One with all defaults, and a handle whose reference is the caller's. */
plait_status plait__queue_make(plait__device *device, plait__queue **out,
			       plait_error *error);

/* Where `progress` is.  PLAIT_OK, PLAIT_PENDING or the queue's failure. */
plait_status plait__queue_poll(plait__queue *queue, uint64_t sequence,
			       uint64_t *out_reached, plait_error *error);

/* external_section.c.  Has all that was submitted happened, and well?  The lock is
 * held. */
bool plait__section_queue_is_clear(plait__queue *queue);

/* Start what was submitted; the lock is held. */
plait_status plait__queue_flush(plait__queue *queue, plait_error *error);

enum {
	PLAIT__QUEUE_COLLECT = 32,
	/* How much may be in flight before a submission looks what is done. */
	PLAIT__QUEUE_COLLECT_FROM = 64
};

/* Take some of what is not used any more; to be dropped without the lock,
 * which is held.  How many. */
uint32_t plait__queue_collect(plait__queue *queue,
			      plait__object *out[PLAIT__QUEUE_COLLECT]);

/* Give back what is not used any more. */
void plait__queue_reclaim(plait__queue *queue);

/* For the thread that tidies up: be told when it gets on.  False: it is not
 * done, and will not tell. */
bool plait__queue_watch(plait__queue *queue);

/* Something is pending, so sweeps are to look at it; the lock is held. */
void plait__queue_list(plait__queue *queue);
/* Not any more, if nothing is. */
void plait__queue_unlist(plait__queue *queue);

/* To the end of the context's list, whose lock is held. */
void plait__queue_relink(plait__context *context, plait__queue *queue);

/* queue_api.c.  PLAIT_SYNC: a submission waits, where it may. */
bool plait__queue_wants_finish(const plait__queue *queue);

/* A call of this queue failed; nothing failed before it. */
void plait__queue_note_failure(plait__queue *queue,
			       const plait_error *failure);

/* submission_arrays.c: room for so many commands.  PLAIT_E_NOMEM; the lock is held. */
plait_status plait__submission_arrays_reserve(plait__queue *queue, uint64_t count,
					      plait_error *error);
void plait__submission_arrays_free(plait__queue *queue);

/* submission.c */
/* Errors say which command it was, unless they are the library's `own`, made of
 * one call of the user. */
plait_status plait__submission_submit_array(plait__queue *queue,
					    const plait_command *commands,
					    uint64_t count, bool own,
					    uint64_t *out_sequence,
					    plait_error *error);

/* Own ones.  `held`, null or entered, stays held until they are done; one that
 * is a NOP becomes `launch`, if that is not null. */
plait_status plait__submission_submit_holding(plait__queue *queue,
					      const plait_command *commands,
					      uint64_t count, plait__object *held,
					      plait_backend_launch *launch,
					      plait_error *error);

/* What is lone is submitted, as if something came behind it. */
plait_status plait__internal_submit_idle_section(plait__queue *queue,
						 plait_error *error);

/* idle_section.c: is anything lone there?  Without the lock it may go at any time; when
 * it has gone, all that it did is seen. */
bool plait__idle_section_exists(plait__queue *queue);
/* With the lock held: what is lone, which stays until the lock is given
 * back; or null. */
plait__section *plait__idle_section_pin(plait__queue *queue);
/* The same: a wait for it was submitted; the queue has no
 * user any more; and without, at the end. */
void plait__idle_section_submitted(plait__queue *queue);
void plait__idle_section_abandon(plait__queue *queue);
void plait__idle_section_drop(plait__queue *queue);

/* Another emission of the signal, whose hold the caller has. */
plait_status plait__internal_submit_emission(plait__queue *queue,
					     plait__signal *signal,
					     plait_error *error);
/* A function for the owner of an inbox. */
typedef struct plait__owner_call {
	plait__inbox *inbox;
	plait_host_function function;
	void *user_data;
	bool asks;		/* its result is an answer: see owner_call.h */
	struct plait__mutex *lock;	/* of *out */
	const at_u32 *stop;	/* not 0: nobody wants it any more */
} plait__owner_call;

/* *out with the caller's hold, before anybody can see the event: who looks
 * there, with the lock, can retract it, and who set the stop before and found
 * nothing need not.  Null after a failure.  PLAIT_E_STATE: the inbox is closed;
 * PLAIT_E_CANCELLED: the stop. */
plait_status plait__internal_submit_call(plait__queue *queue,
					 const plait__owner_call *wanted,
					 plait__call **out, plait_error *error);

/* queue_finish.c.  Take the lock, and first give back what much of the flight has
 * done with: a user who never finishes the queue shall not fill the memory. */
void plait__queue_lock_and_collect(plait__queue *queue);
plait_status plait__queue_finish(plait__queue *queue, uint64_t timeout_ns,
				 plait_error *error);

#endif
