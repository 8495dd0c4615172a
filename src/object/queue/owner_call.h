/* SPDX-License-Identifier: MIT */
/*
 * Owner call: a command that the owner of an inbox runs. When its queue reaches
 * the command, it raises its own signal (progress), which posts the event; then
 * it waits for the gate of the call, which the answer raises.
 *
 *     queue:         ... emit progress | wait gate ...
 *                            |              ^
 *     notification:      post event         |
 *     owner:               take, run, answer
 *
 * A queue that has failed before does not wait for gates, and the call is not
 * posted.
 *
 * A call is reused, with its gate, when the queue (it has passed the gate), the
 * notification and the inbox (answered) have dropped their holds.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_OWNER_CALL_H
#define PLAIT_SRC_OBJECT_QUEUE_OWNER_CALL_H

#include "plait/plugin.h"

#include "object/inbox/inbox_event.h"

typedef struct plait__call plait__call;
typedef struct plait__backend_port plait__backend_port;
typedef struct plait__queue plait__queue;

struct plait__call {
	plait__inbox_event event_record;
	plait__call *next; /* idle calls; or calls of a submission */
	plait__backend_port *port;
	plait__queue *queue; /* valid until the gate is raised */
	/* The queue of the run that makes the call, and the run's place in it;
	 * null: none.  Valid as `queue`. */
	plait__queue *outer_queue;
	uint64_t outer_sequence;
	plait_backend_signal *gate;
	uint64_t gate_sequence;
	uint64_t sequence;   /* of `progress`, when the queue has reached it */
	bool gate_failed;    /* to be reset before reuse */
	plait__object failure_hold; /* dropped when the queue is reported to
				     * have failed */
	uint32_t index;	     /* in the inbox's table */
	uint32_t generation; /* with the index, the id */
	const char *label;   /* the user's; valid as long as the command */
	bool asks;	     /* the result is an answer, not a failure */
	/* Promised to the owner, to be posted when the run is stopped
	 * (call_stop.h); or null.  Guarded by the inbox's lock until the call is
	 * answered. */
	plait__inbox_event *stop_event;
	/* Of begun_call.c: a thread runs the function; its state around that,
	 * and its guard.  `begun` is guarded by the inbox's lock, the others
	 * are the thread's. */
	bool begun;
	bool guarded;
	plait_inbox *begun_by; /* handle, possibly stale */
	struct plait__thread_guard begun_guard;
	struct plait__callback_run around;
	at_u64 result;	     /* stored before the gate is raised */
};

/* The owner's result, once the queue has passed the gate. */
static inline uint64_t plait__call_result(const plait__call *call)
{
	/* Acquire: pairs with the store in answer. */
	return at_load_acquire_u64(&call->result);
}

/* Get a call for this command, with two holds, one of them for the queue.
 * PLAIT_E_STATE, PLAIT_E_NOMEM, PLAIT_E_BUSY (too many). */
plait_status plait__call_prepare(plait__inbox *inbox, plait__queue *queue,
				 const plait_command *command, bool asks,
				 plait__call **out, plait_error *error);

/* The submission was rolled back; the queue's hold stays the caller's. */
void plait__call_cancel(plait__call *call);

/* The submission was accepted: post the event when the queue reaches the
 * call. */
void plait__call_arm(plait__call *call);

/* Cancel the call, unless its owner has taken it: the queue fails with
 * PLAIT_E_CANCELLED. The caller has a hold. */
void plait__call_retract(plait__call *call);

/* Find a call that was taken, by its id; or null.  Caller holds the inbox's
 * lock. */
plait__call *plait__call_find(plait__inbox *inbox, uint64_t id);

extern const plait__class plait__call_class;

/* The queue of the user's, or of a flow's, that waits for the call, which is not
 * answered. */
static inline plait__queue *plait__call_awaiting_queue(const plait__call *call)
{
	return call->outer_queue != NULL ? call->outer_queue : call->queue;
}

static inline plait__call *plait__call_of(plait__inbox_event *event_record)
{
	return (plait__call *)(void *)event_record;
}

#endif
