/* SPDX-License-Identifier: MIT */
/* Making and ending queues, and giving back what they kept; see queue.h. */
#include "object/queue/queue.h"

#include "object/context/backend_result.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

enum { DEFAULT_CAPACITY = 1 << 20 };

/* --- the context's list */

static void unlink_queue(plait__context *context, plait__queue *queue)
{
	if (queue->previous != NULL)
		queue->previous->next = queue->next;
	else
		context->queues = queue->next;
	if (queue->next != NULL)
		queue->next->previous = queue->previous;
	else
		context->queues_last = queue->previous;
}

static void link_queue(plait__context *context, plait__queue *queue)
{
	queue->next = NULL;
	queue->previous = context->queues_last;
	if (queue->previous != NULL)
		queue->previous->next = queue;
	else
		context->queues = queue;
	context->queues_last = queue;
}

void plait__queue_relink(plait__context *context, plait__queue *queue)
{
	unlink_queue(context, queue);
	link_queue(context, queue);
}

void plait__queue_list(plait__queue *queue)
{
	plait__context *context = queue->object.context;

	if (queue->listed)
		return;
	plait__mutex_lock(&context->lock);
	link_queue(context, queue);
	queue->listed = true;
	plait__mutex_unlock(&context->lock);
}

void plait__queue_unlist(plait__queue *queue)
{
	plait__context *context = queue->object.context;

	plait__mutex_lock(&queue->lock);
	if (queue->listed && queue->inflight.committed == 0 &&
	    !queue->draining && !queue->unflushed) {
		plait__mutex_lock(&context->lock);
		unlink_queue(context, queue);
		queue->listed = false;
		plait__mutex_unlock(&context->lock);
	}
	plait__mutex_unlock(&queue->lock);
}

/* --- ending */

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

	plait__mutex_lock(&context->lock);
	if (queue->listed)
		unlink_queue(context, queue);
	plait__mutex_unlock(&context->lock);
	/* All has happened; somebody only has not given it back yet. */
	while ((left = plait__inflight_ring_pop(&queue->inflight, UINT64_MAX)) != NULL)
		plait__object_drop(left);
	plait__idle_section_drop(queue);
	if (queue->unflushed)
		at_sub_u32(&context->unflushed, 1);
	free_queue(queue);
}

/* What was submitted still runs: keep the queue until it is done.  Not before
 * the last thread is out, which may have submitted something yet. */
static void close_queue(plait__object *object)
{
	plait__queue *queue = (plait__queue *)(void *)object;

	plait__mutex_lock(&queue->lock);
	plait__idle_section_abandon(queue);
	if (plait__queue_poll(queue, plait__queue_submitted(queue), NULL,
			      NULL) == PLAIT_PENDING) {
		queue->draining = true;
		plait__object_hold(object);
		plait__queue_list(queue);
		if (queue->unflushed)
			(void)plait__queue_flush(queue, NULL);
	}
	plait__mutex_unlock(&queue->lock);
}

static const plait__class queue_class = {
	.type = PLAIT_OBJECT_QUEUE,
	.close = close_queue,
	.destroy = destroy_queue
};

/* --- making */

static plait_status create_raw(plait__queue *queue,
			       const plait_queue_desc *desc,
			       plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	const plait_queue_request request = {
		.size = sizeof(request),
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
	status = plait__backend_result_check_created(queue->port, status, "queue_create",
						     queue->raw, &room, error);
	if (status != PLAIT_OK) {
		queue->raw = NULL;
		return status;
	}
	status = backend->table.signal_create(backend->self,
					      queue->device->index, 0,
					      &queue->progress, &room);
	status = plait__backend_result_check_created(queue->port, status, "signal_create",
						     queue->progress, &room, error);
	if (status != PLAIT_OK)
		queue->progress = NULL;
	return status;
}

static plait_status create(plait__device *device, const plait_queue_desc *desc,
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
	queue->port = device->port;
	queue->device = device;
	queue->cannot_be_lost = (plait__device_facts(device)->capabilities &
				 PLAIT_CAP_LASTS) != 0;
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
	const plait_queue_desc all_defaults = { .size = sizeof(all_defaults) };

	return create(device, &all_defaults, out, error);
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
		status = create(where, &known, &queue, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&queue->object);
	plait__device_leave(where);
	return status;
}

PLAIT_API void plait_queue_retain(plait_queue *queue)
{
	plait__handle_retain(queue, PLAIT_OBJECT_QUEUE);
}

PLAIT_API void plait_queue_release(plait_queue *queue)
{
	plait__object_release(queue, PLAIT_OBJECT_QUEUE);
}

plait_status plait__queue_enter(plait_queue *handle, plait__queue **out,
				plait_error *error)
{
	plait__object *object;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_QUEUE,
						  &object, error);

	*out = (plait__queue *)(void *)object;
	return status;
}

/* --- giving back */

plait_status plait__queue_poll(plait__queue *queue, uint64_t sequence,
			       uint64_t *out_reached, plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	const plait_backend_point point = { queue->progress, sequence };
	plait_error room = { .size = sizeof(room) };
	uint64_t reached = 0;
	plait_status status;

	status = backend->table.signal_poll(backend->self, &point, &reached,
					    &room);
	if (out_reached != NULL)
		*out_reached = reached;
	return plait__backend_result_check_poll(queue->port, status, &room, error);
}

/* Who waits looks at the context's count, and tries once more. */
static void set_unflushed(plait__queue *queue, bool unflushed)
{
	at_u32 *count = &queue->object.context->unflushed;

	if (unflushed && !queue->unflushed)
		at_add_u32(count, 1);
	else if (!unflushed && queue->unflushed)
		at_sub_u32(count, 1);
	queue->unflushed = unflushed;
}

plait_status plait__queue_flush(plait__queue *queue, plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.queue_flush(backend->self, queue->raw, &room);
	set_unflushed(queue, status != PLAIT_OK);
	if (queue->unflushed)
		plait__queue_list(queue);
	return plait__backend_result_check(queue->port, status, "queue_flush", &room,
					   error);
}

uint32_t plait__queue_collect(plait__queue *queue,
			      plait__object *out[PLAIT__QUEUE_COLLECT])
{
	uint32_t count = 0;
	uint64_t reached;

	if (queue->inflight.committed == 0 && !queue->draining)
		return 0;
	(void)plait__queue_poll(queue, plait__queue_submitted(queue), &reached,
				NULL);
	while (count < PLAIT__QUEUE_COLLECT) {
		out[count] = plait__inflight_ring_pop(&queue->inflight, reached);
		if (out[count] == NULL)
			break;
		count++;
	}
	if (count < PLAIT__QUEUE_COLLECT && queue->draining &&
	    reached >= plait__queue_submitted(queue)) {
		queue->draining = false;
		out[count++] = &queue->object;
	}
	return count;
}

void plait__queue_reclaim(plait__queue *queue)
{
	plait__object *done[PLAIT__QUEUE_COLLECT];
	uint32_t count;
	uint32_t i;

	plait__object_hold(&queue->object);
	do {
		plait__mutex_lock(&queue->lock);
		if (queue->unflushed)
			(void)plait__queue_flush(queue, NULL);
		count = plait__queue_collect(queue, done);
		plait__mutex_unlock(&queue->lock);
		for (i = 0; i < count; i++)
			plait__object_drop(done[i]);
	} while (count == PLAIT__QUEUE_COLLECT);
	plait__object_drop(&queue->object);
}

bool plait__queue_watch(plait__queue *queue)
{
	plait_backend_point point = { queue->progress, 0 };
	bool busy;

	plait__mutex_lock(&queue->lock);
	busy = queue->inflight.committed != 0 || queue->draining;
	plait__mutex_unlock(&queue->lock);
	if (!busy)
		return true;
	point.sequence = plait__queue_submitted(queue);
	return plait__signal_watch_arm(&queue->watch, queue->port, &point);
}

void plait__queue_note_failure(plait__queue *queue, const plait_error *failure)
{
	plait__mutex_lock(&queue->lock);
	if (!queue->noted)
		queue->failure = *failure;
	queue->noted = true;
	plait__mutex_unlock(&queue->lock);
}
