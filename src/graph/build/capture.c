/* SPDX-License-Identifier: MIT */
/* Captures: begin, end, life; see capture.h. */
#include "graph/build/capture.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- life ---- */

/* The last hold is gone: no queue has the capture.  The graph is null if the
 * caller took it at the end. */
static void destroy_capture(plait__object *object)
{
	plait__capture *capture = (plait__capture *)(void *)object;
	const plait_allocator *allocator =
		plait__context_allocator(object->context);

	for (uint32_t i = 0; i < capture->lanes.count; i++) {
		plait__capture_lane *lane =
			plait__vector_at(&capture->lanes, i);

		plait__object_drop(&lane->queue->object);
	}
	if (capture->graph != NULL)
		plait_graph_release(
			plait__object_handle(&capture->graph->object));
	plait__vector_fini(&capture->lanes);
	plait__vector_fini(&capture->emissions);
	plait__vector_fini(&capture->signals);
	plait__vector_fini(&capture->hosts);
	plait__index_clear(&capture->index, allocator);
	plait__free(allocator, capture, sizeof(*capture));
}

static const plait__class capture_class = { .destroy = destroy_capture };

static plait_status create(plait__context *context, plait_capture_flags flags,
			   plait__capture **out, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__capture *capture = plait__alloc(allocator, sizeof(*capture));
	plait_status status;

	if (capture == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a capture");
	capture->flags = flags;
	capture->base.record = plait__capture_record;
	plait__vector_init(&capture->lanes, allocator,
			   sizeof(plait__capture_lane));
	plait__vector_init(&capture->emissions, allocator,
			   sizeof(plait__capture_emission));
	plait__vector_init(&capture->signals, allocator,
			   sizeof(plait__capture_signal));
	plait__vector_init(&capture->hosts, allocator, sizeof(void *));
	/* Without a handle this cannot fail. */
	(void)plait__object_init(&capture->base.object, &capture_class,
				 context, NULL);
	status = plait__graph_make(context, &capture->graph, error);
	if (status != PLAIT_OK) {
		plait__object_drop(&capture->base.object);
		return status;
	}
	*out = capture;
	return PLAIT_OK;
}

/* ---- begin ---- */

/* Caller holds the lock. */
static plait_status push_lane(plait__capture *capture, plait__queue *queue,
			      plait_error *error)
{
	const plait__capture_lane lane = { .queue = queue };

	/* By a queue that was added before. */
	if (capture->has_ended)
		return plait__fail(error, PLAIT_E_STATE,
				   "another thread has ended the capture");
	if (plait__vector_push(&capture->lanes, &lane, 1) == NULL)
		goto no_memory;
	if (plait__capture_index_add(capture, PLAIT__CAPTURE_QUEUES, queue,
			       capture->lanes.count - 1) != 0)
		goto drop_lane;
	plait__object_hold(&queue->object);
	return plait__queue_capture_begin(queue, &capture->base, error);
drop_lane:
	plait__vector_truncate(&capture->lanes, capture->lanes.count - 1);
no_memory:
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a capture");
}

/* Commands of the queue are recorded from the return on.  `first`: a queue of the
 * capture's context, with a handle for errors, which the capture lacks. */
static plait_status add_lane(plait__capture *capture, const plait__queue *first,
			     plait__queue *queue, plait_error *error)
{
	plait_status status = plait__context_check_same(
		&first->object, &queue->object, error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&capture->lock);
	status = push_lane(capture, queue, error);
	plait__mutex_unlock(&capture->lock);
	return status;
}

/* Let go of all queues.  The list of lanes grows no more. */
static void end(plait__capture *capture)
{
	plait__mutex_lock(&capture->lock);
	capture->has_ended = true;
	plait__mutex_unlock(&capture->lock);
	for (uint32_t i = 0; i < capture->lanes.count; i++) {
		plait__capture_lane *lane =
			plait__vector_at(&capture->lanes, i);

		plait__queue_capture_end(lane->queue, &capture->base);
	}
}

static plait_status add_lanes(plait__capture *capture,
			      const plait__queue *first,
			      plait_queue *const *queues, uint64_t count,
			      plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__queue *queue;

	for (uint64_t i = 0; i < count && status == PLAIT_OK; i++) {
		status = plait__queue_enter(queues[i], &queue, error);
		if (status == PLAIT_OK) {
			status = add_lane(capture, first, queue, error);
			plait__object_leave(&queue->object);
		}
		if (status != PLAIT_OK)
			plait__error_prefix(error, "queues[%llu]: ",
					    (unsigned long long)i);
	}
	return status;
}

static plait_status check(plait_queue *const *queues, uint64_t count,
			  plait_capture_flags flags, plait_error *error)
{
	if (queues == NULL || count == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   queues == NULL ? "capture: queues is null" :
				   "capture: there is no queue");
	if ((flags & ~(uint32_t)(PLAIT_CAPTURE_LOCAL_SIGNALS |
				 PLAIT_CAPTURE_NO_CALLS)) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "capture: flags 0x%x are not known", flags);
	return PLAIT_OK;
}

plait_status plait_queue_capture(plait_queue *const *queues, uint64_t count,
				 plait_capture_flags flags, plait_error *error)
{
	plait__capture *capture = NULL;
	plait__queue *first;
	plait_status status = check(queues, count, flags, error);

	if (status == PLAIT_OK)
		status = plait__queue_enter(queues[0], &first, error);
	if (status != PLAIT_OK)
		return status;
	status = create(first->object.context, flags, &capture, error);
	if (status == PLAIT_OK) {
		status = add_lanes(capture, first, queues, count, error);
		if (status != PLAIT_OK)
			end(capture);
		plait__object_drop(&capture->base.object);
	}
	plait__object_leave(&first->object);
	return status;
}

/* ---- end ---- */

/* Take the graph out of a capture; null: another thread has done so. */
static plait__graph *take_graph(plait__capture *capture)
{
	plait__graph *graph;

	plait__mutex_lock(&capture->lock);
	graph = capture->graph;
	capture->graph = NULL;
	plait__mutex_unlock(&capture->lock);
	return graph;
}

/* End the capture of a queue; the caller gets the reference to the graph.
 * PLAIT_E_STATE: the queue is not captured, or another thread ended the
 * capture. */
static plait_status end_of(plait__queue *queue, plait_graph **out,
			   plait_error *error)
{
	plait__capture *capture =
		(plait__capture *)(void *)plait__queue_capture_pin(queue);
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__graph *graph = NULL;

	if (capture != NULL) {
		end(capture);
		graph = take_graph(capture);
		plait__object_drop(&capture->base.object);
	}
	if (graph == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "end of a capture: %s is not captured",
				   plait__object_name(&queue->object, room));
	*out = plait__object_handle(&graph->object);
	return PLAIT_OK;
}

plait_status plait_queue_end_capture(plait_queue *queue, plait_graph **out,
				     plait_error *error)
{
	plait__queue *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__queue_enter(queue, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = end_of(entered, out, error);
	plait__object_leave(&entered->object);
	return status;
}
