/* SPDX-License-Identifier: MIT */
/* Single commands of the library's own. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_INTERNAL_COMMANDS_H
#define PLAIT_SRC_OBJECT_QUEUE_INTERNAL_COMMANDS_H

#include "object/inbox/inbox.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"

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

#endif
