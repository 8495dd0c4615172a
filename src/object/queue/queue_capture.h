/* SPDX-License-Identifier: MIT */
/*
 * Capture of a queue: commands go to a recorder and not to the backend.  The
 * recorder is a layer above; queues know one function of it.
 *
 * A captured queue holds its capture, and the capture holds its queues, until
 * it ends or the user releases the queue.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_QUEUE_CAPTURE_H
#define PLAIT_SRC_OBJECT_QUEUE_QUEUE_CAPTURE_H

#include "object/queue/queue.h"

/* First member of a recorder. */
struct plait__queue_capture {
	plait__object object;	/* without a handle */
	/* Record commands, all or none, as plait_queue_submit.
	 * PLAIT_PENDING: the capture has ended. */
	plait_status (*record)(plait__queue_capture *capture,
			       const plait__queue *queue,
			       const plait_command *commands, uint64_t count,
			       uint64_t *out_sequence, plait_error *error);
};

/* Begin to capture the queue.  PLAIT_E_STATE: another capture has it. */
plait_status plait__queue_capture_begin(plait__queue *queue,
					plait__queue_capture *capture,
					plait_error *error);

/* End the capture of a queue; nothing happens if another one has it. */
void plait__queue_capture_end(plait__queue *queue,
			      const plait__queue_capture *capture);

/* The user has released the queue: end its capture, if it has one. */
void plait__queue_capture_abandon(plait__queue *queue);

/* Returns the capture of a queue with a hold for the caller, or null. */
plait__queue_capture *plait__queue_capture_pin(plait__queue *queue);

/* Record commands of a captured queue.  PLAIT_PENDING: it is not captured any
 * more. */
plait_status plait__queue_capture_record(plait__queue *queue,
					 const plait_command *commands,
					 uint64_t count, uint64_t *out_sequence,
					 plait_error *error);

/* A hint; the functions above decide. */
static inline bool plait__queue_is_captured(const plait__queue *queue)
{
	return at_load_relaxed_ptr(&queue->capture) != NULL;
}

/* Refuse a call that makes no sense on a captured queue. */
plait_status plait__queue_capture_refuse(const plait__queue *queue,
					 const char *what, plait_error *error);

#endif
