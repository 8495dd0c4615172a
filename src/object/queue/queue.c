/* SPDX-License-Identifier: MIT */
/* Queues: create, close, reclaim, destroy; see queue.h. */
#include "object/queue/queue.h"

#include "object/context/backend_result.h"
#include "object/queue/idle_section.h"
#include "object/queue/queue_capture.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission_arrays.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

enum { DEFAULT_CAPACITY = 1 << 20 };

/* --- close and destroy */

/* Nothing is in flight. */
static void destroy_raw(plait__queue *queue)
{
	plait__backend *backend = queue->port->backend;

	if (queue->raw != NULL)
		backend->table.queue_destroy(backend->self, queue->raw);
	if (queue->progress != NULL)
		backend->table.signal_destroy(backend->self, queue->progress);
}

static void free_queue(plait__queue *queue)
{
	const plait_allocator *allocator =
		plait__context_allocator(queue->object.context);

	destroy_raw(queue);
	plait__inflight_ring_fini(&queue->inflight, allocator);
	plait__submission_arrays_free(queue);
	plait__free(allocator, queue, sizeof(*queue));
}

static void destroy_queue(plait__object *object)
{
	plait__queue *queue = (plait__queue *)(void *)object;
	plait__context *context = object->context;
	plait__object *left;

	plait__reclaim_unlist(context, &queue->entry);
	/* All work has completed; its holds were not dropped yet. */
	while ((left = plait__inflight_ring_pop(&queue->inflight,
						UINT64_MAX)) != NULL)
		plait__object_drop(left);
	plait__idle_section_drop(queue);
	if (queue->unflushed)
		at_sub_u32(&context->unflushed, 1);
	if (plait__context_races(context) != NULL)
		plait__races_end_queue(plait__context_races(context),
				       &queue->race);
	free_queue(queue);
}

/* Runs after the last thread is out, which may have submitted something. Keep
 * the queue until its work is done, also while the backend does not tell. */
static void close_queue(plait__object *object)
{
	plait__queue *queue = (plait__queue *)(void *)object;
	uint64_t reached;

	plait__queue_capture_abandon(queue);
	plait__mutex_lock(&queue->lock);
	plait__idle_section_abandon(queue);
	if (!plait__queue_poll_ended(queue, &reached)) {
		queue->draining = true;
		plait__object_hold(object);
		plait__queue_list(queue);
		if (queue->unflushed)
			(void)plait__queue_flush(queue, NULL);
	}
	plait__mutex_unlock(&queue->lock);
}

/* --- reclaim */

/* Request a wake-up for the next progress. Returns false if the queue has work
 * in flight, and there will be none. */
static bool watch_progress(plait__queue *queue)
{
	plait_backend_point point = { queue->progress, 0 };
	bool busy;

	plait__mutex_lock(&queue->lock);
	busy = !queue->abandoned &&
	       (queue->inflight.committed != 0 || queue->draining);
	plait__mutex_unlock(&queue->lock);
	if (!busy)
		return true;
	point.sequence = plait__queue_submitted(queue);
	return plait__signal_watch_arm(&queue->watch, queue->port, &point);
}

static void unlist_idle(plait__queue *queue)
{
	plait__mutex_lock(&queue->lock);
	if (queue->abandoned ||
	    (queue->inflight.committed == 0 && !queue->draining &&
	     !queue->unflushed))
		plait__reclaim_unlist(queue->object.context, &queue->entry);
	plait__mutex_unlock(&queue->lock);
}

static bool reclaim_queue(plait__object *object, bool watch)
{
	plait__queue *queue = (plait__queue *)(void *)object;
	bool watched;

	plait__queue_reclaim(queue);
	watched = !watch || watch_progress(queue);
	unlist_idle(queue);
	return watched;
}

static const plait__class queue_class = {
	.type = PLAIT_OBJECT_QUEUE,
	.close = close_queue,
	.destroy = destroy_queue,
	.reclaim = reclaim_queue
};

/* --- create */

/* The backend's queue, and the signal of its progress.  After a failure the
 * caller frees either. */
static plait_status create_raw(plait__queue *queue,
			       const plait_queue_desc *desc,
			       plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	const plait_queue_request request = {
		.size = sizeof(request),
		.flags = queue->measures ? PLAIT_QUEUE_TIMES : 0,
		.capacity = desc->capacity != 0 ? desc->capacity
						: DEFAULT_CAPACITY,
		.priority = desc->priority,
		.native_kind = desc->native_kind,
		.label = desc->label,
		.native = desc->native,
	};
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.queue_create(backend->self,
					     queue->device->index, &request,
					     &queue->raw, &room);
	status = plait__backend_result_check_created(queue->port, status,
						     "queue_create", queue->raw,
						     &room, error);
	if (status != PLAIT_OK) {
		queue->raw = NULL;
		return status;
	}
	status = backend->table.signal_create(backend->self,
					      queue->device->index, 0,
					      &queue->progress, &room);
	status = plait__backend_result_check_created(queue->port, status,
						     "signal_create",
						     queue->progress, &room,
						     error);
	if (status != PLAIT_OK)
		queue->progress = NULL;
	else if (desc->label != NULL)
		backend->table.signal_label(backend->self, queue->progress,
					    desc->label);
	return status;
}

static plait_status create(plait__device *device, const plait_queue_desc *desc,
			   bool is_internal, bool measures,
			   plait__queue **out, plait_error *error)
{
	plait__context *context = device->object.context;
	plait__queue *queue = NULL;
	plait_status status;

	queue = plait__alloc(plait__context_allocator(context),
			     sizeof(*queue));
	if (queue == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a queue of %zu bytes",
				   sizeof(*queue));
	queue->object.context = context;
	queue->object.is_internal = is_internal;
	queue->measures = measures;
	queue->port = device->port;
	queue->device = device;
	queue->entry.object = &queue->object;
	queue->entry.port = device->port;
	queue->cannot_be_lost = (plait__device_facts(device)->capabilities &
				 PLAIT_CAP_LASTS) != 0;
	/* The program may order work in the driver. */
	if (desc->native_kind != 0 && plait__context_races(context) != NULL)
		plait__races_give_up(plait__context_races(context));
	plait__object_set_label(&queue->object, desc->label);
	plait__signal_watch_init(&queue->watch, &queue->object);
	status = create_raw(queue, desc, error);
	if (status == PLAIT_OK)
		status = plait__object_init(&queue->object, &queue_class,
					    context, error);
	if (status != PLAIT_OK) {
		free_queue(queue);
		return status;
	}
	*out = queue;
	return PLAIT_OK;
}

static plait_status read_desc(plait_queue_desc *out,
			      const plait_queue_desc *desc, plait_error *error)
{
	const plait_queue_desc all_defaults = { .size = sizeof(*desc) };
	plait_status status;

	status = PLAIT__STRUCT_READ(plait_queue_desc, out,
				    desc != NULL ? desc : &all_defaults, error);
	if (status != PLAIT_OK)
		return status;
	if (out->native_kind == 0 && out->native != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_queue_desc: native is set, and "
				   "native_kind does not say what it is");
	if (out->flags != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_queue_desc: flags 0x%x are not known",
				   (unsigned)out->flags);
	return PLAIT_OK;
}

plait_status plait__queue_make(plait__device *device, plait__queue **out,
			       plait_error *error)
{
	return plait__queue_make_measuring(device, false, out, error);
}

plait_status plait__queue_make_measuring(plait__device *device, bool measures,
					 plait__queue **out,
					 plait_error *error)
{
	const plait_queue_desc all_defaults = { .size = sizeof(all_defaults) };

	return create(device, &all_defaults, true, measures, out, error);
}

PLAIT_API plait_status plait_queue_create(plait_device *device,
					  const plait_queue_desc *desc,
					  plait_queue **out,
					  plait_error *error)
{
	plait_queue_desc known;
	plait__device *where;
	plait__queue *queue = NULL;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__device_enter(device, &where, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = read_desc(&known, desc, error);
	if (status == PLAIT_OK && known.native_kind != 0)
		status = plait__device_check_can(where, PLAIT_CAP_NATIVE,
						 "take native queues", error);
	if (status == PLAIT_OK)
		status = create(where, &known, false, false, &queue, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&queue->object);
	plait__device_leave(where);
	return status;
}

PLAIT__OBJECT_REFERENCES(queue, PLAIT_OBJECT_QUEUE);
