/* SPDX-License-Identifier: MIT */
/* Commands that the library submits for itself. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_INTERNAL_COMMANDS_H
#define PLAIT_SRC_OBJECT_QUEUE_INTERNAL_COMMANDS_H

#include "object/inbox/inbox.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"

/* Submit another emission of the signal, which the caller holds.
 * *out_emission: its sequence, after PLAIT_OK. */
plait_status plait__internal_submit_emission(plait__queue *queue,
					     plait__signal *signal,
					     uint64_t *out_emission,
					     plait_error *error);

/* Request for a call of a function by the owner of an inbox. */
typedef struct plait__call_request {
	plait__inbox *inbox;
	plait_host_function function;
	void *user_data;
	bool asks;		/* its result is an answer: see owner_call.h */
	struct plait__mutex *lock;	/* guards *out; inside queue->lock */
	const at_u32 *stop;	/* not 0: cancelled */
	void *run;		/* of plait__callback_run */
	/* Null; or the queue that waits for the run, the place of the run in
	 * it, and the object that keeps the run. */
	plait__queue *outer_queue;
	uint64_t outer_sequence;
	plait__object *run_owner;
} plait__call_request;

/* Submit the call, and store it in *out, with a hold of the caller's, before
 * the event can be taken: a thread that cancels sets `stop`, then retracts the
 * call if it finds one in *out. Null after a failure. PLAIT_E_STATE: the inbox
 * is closed; PLAIT_E_CANCELLED: `stop` was set. */
plait_status plait__internal_submit_call(plait__queue *queue,
					 const plait__call_request *wanted,
					 plait__call **out, plait_error *error);

#endif
