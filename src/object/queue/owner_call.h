/* SPDX-License-Identifier: MIT */
/*
 * A command that the owner of an inbox runs.  Its queue raises its own signal
 * (progress) when it gets there, which posts the event, and then waits for a
 * gate of the call, which the answer raises.
 *
 *     queue:  ... emit progress | wait gate ...
 *                     |              ^
 *     upcall:   post event           |
 *     owner:     take, run, answer --'
 *
 * A queue that failed before it came there does not wait for gates, and the
 * call is not posted.
 *
 * A call is used again, gate and all, when three have done with it: the
 * queue (it went past the gate), the upcall and the inbox (answered).
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_OWNER_CALL_H
#define PLAIT_SRC_OBJECT_QUEUE_OWNER_CALL_H

#include "plait/plugin.h"

#include "object/inbox/inbox_event.h"

typedef struct plait__call plait__call;
typedef struct plait__backend_port plait__backend_port;
typedef struct plait__queue plait__queue;

struct plait__call {
	plait__inbox_event notice;
	plait__call *next; /* idle; or in a stretch */
	plait__backend_port *port;
	plait__queue *queue; /* good until the gate is raised */
	plait_backend_signal *gate;
	uint64_t gate_sequence;
	uint64_t sequence;   /* of `progress`: the queue has come to it */
	bool gate_failed;    /* to be reset before it is used again */
	plait__object failure_hold; /* dropped when the queue is said to have failed */
	uint32_t index;	     /* in the inbox's table */
	uint32_t generation; /* with the index: the id */
	const char *label;   /* the user's, as long as the command lives */
	bool asks;	     /* a result is an answer, no failure */
	at_u64 result;	     /* it; stored before the gate is raised */
};

/* What it answered, once its queue has gone past the gate. */
static inline uint64_t plait__call_result(const plait__call *call)
{
	/* Acquire: pairs with the store in answer. */
	return at_load_acquire_u64(&call->result);
}

/* One for this command: two holds, one for the queue.  PLAIT_E_STATE,
 * PLAIT_E_NOMEM, PLAIT_E_BUSY (too many). */
plait_status plait__call_prepare(plait__inbox *inbox, plait__queue *queue,
				 const plait_command *command, bool asks,
				 plait__call **out, plait_error *error);

/* The stretch was not submitted; the queue's hold stays the caller's. */
void plait__call_cancel(plait__call *call);

/* The stretch was submitted: post it when the queue has come to it. */
void plait__call_arm(plait__call *call);

/* Nobody is to run it any more: unless its owner has taken it, its queue goes
 * on, with PLAIT_E_CANCELLED.  The caller has a hold. */
void plait__call_retract(plait__call *call);

extern const plait__class plait__call_class;

static inline plait__call *plait__call_of(plait__inbox_event *notice)
{
	return (plait__call *)(void *)notice;
}

#endif
