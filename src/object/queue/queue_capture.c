/* SPDX-License-Identifier: MIT */
/* Capture of a queue; see queue_capture.h. */
#include "object/queue/queue_capture.h"

#include "base/error.h"

plait_status plait__queue_capture_begin(plait__queue *queue,
					plait__queue_capture *capture,
					plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	bool was_free;

	plait__mutex_lock(&queue->lock);
	was_free = !plait__queue_is_captured(queue);
	if (was_free) {
		plait__object_hold(&capture->object);
		at_store_relaxed_ptr(&queue->capture, capture);
	}
	plait__mutex_unlock(&queue->lock);
	if (was_free)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_STATE,
			   "capture: %s is captured already",
			   plait__object_name(&queue->object, room));
}

/* Returns true if the queue had the capture, or with null any; the caller drops
 * its hold. */
static plait__queue_capture *take(plait__queue *queue,
				  const plait__queue_capture *capture)
{
	plait__queue_capture *taken;

	plait__mutex_lock(&queue->lock);
	taken = at_load_relaxed_ptr(&queue->capture);
	if (capture != NULL && taken != capture)
		taken = NULL;
	if (taken != NULL)
		at_store_relaxed_ptr(&queue->capture, NULL);
	plait__mutex_unlock(&queue->lock);
	return taken;
}

void plait__queue_capture_end(plait__queue *queue,
			      const plait__queue_capture *capture)
{
	plait__queue_capture *taken = take(queue, capture);

	if (taken != NULL)
		plait__object_drop(&taken->object);
}

void plait__queue_capture_abandon(plait__queue *queue)
{
	plait__queue_capture_end(queue, NULL);
}

plait__queue_capture *plait__queue_capture_pin(plait__queue *queue)
{
	plait__queue_capture *capture;

	plait__mutex_lock(&queue->lock);
	capture = at_load_relaxed_ptr(&queue->capture);
	if (capture != NULL)
		plait__object_hold(&capture->object);
	plait__mutex_unlock(&queue->lock);
	return capture;
}

plait_status plait__queue_capture_record(plait__queue *queue,
					 const plait_command *commands,
					 uint64_t count, uint64_t *out_sequence,
					 plait_error *error)
{
	plait__queue_capture *capture = plait__queue_capture_pin(queue);
	plait_status status;

	if (capture == NULL)
		return PLAIT_PENDING;
	status = capture->record(capture, queue, commands, count, out_sequence,
				 error);
	plait__object_drop(&capture->object);
	return status;
}

plait_status plait__queue_capture_refuse(const plait__queue *queue,
					 const char *what, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_STATE,
			   "%s is captured, so that its commands become nodes "
			   "and do not run: %s",
			   plait__object_name(&queue->object, room), what);
}
