/* SPDX-License-Identifier: MIT */
/* Progress of a queue, and its work in flight; see queue_state.h. */
#include "object/queue/queue_state.h"

#include "object/context/backend_result.h"

#include "base/error.h"

void plait__queue_list(plait__queue *queue)
{
	plait__reclaim_list(queue->object.context, &queue->entry);
}

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
	return plait__backend_result_check_poll(queue->port, status, &room,
						error);
}

/* Whether work of a queue is in flight. */
enum poll { IN_FLIGHT, ENDED, REFUSED };

static enum poll poll_end(plait__queue *queue, uint64_t *out_reached,
			  plait_error *error)
{
	uint64_t submitted = plait__queue_submitted(queue);
	plait_status status;

	*out_reached = submitted;
	if (queue->clear == submitted)
		return ENDED;
	status = plait__queue_poll(queue, submitted, out_reached, error);
	if (status == PLAIT_OK)
		queue->clear = submitted;
	if (status == PLAIT_PENDING)
		return IN_FLIGHT;
	return plait__queue_is_refusal(status, *out_reached, submitted) ?
		       REFUSED : ENDED;
}

bool plait__queue_poll_ended(plait__queue *queue, uint64_t *out_reached)
{
	return poll_end(queue, out_reached, NULL) == ENDED;
}

/* Waiting threads check the context's count, and flush again.  Caller holds
 * queue->lock. */
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
	return plait__backend_result_check(queue->port, status, "queue_flush",
					   &room, error);
}

/* The backend does not tell whether the work of a released queue is done: its
 * objects stay, and the end of the context does not wait for them. */
static void abandon(plait__queue *queue, const plait_error *answer)
{
	plait__context *context = queue->object.context;
	const bool polled = answer->text[0] != '\0';
	plait_error why = { .size = sizeof(why) };
	char room[PLAIT__OBJECT_NAME_BYTES];

	queue->draining = false;
	queue->abandoned = true;
	set_unflushed(queue, false);
	plait__fail_origin(&why, PLAIT_E_LOST, answer->status,
			   "%s was released and is abandoned: plugin %s has "
			   "work of it and refuses to %s it; its memory and "
			   "buffers stay allocated%s%s",
			   plait__object_name(&queue->object, room),
			   queue->port->backend->name,
			   polled ? "poll" : "flush", polled ? ": " : "",
			   answer->text);
	plait__log_line(&context->settings.log, PLAIT_LOG_ERROR, "%s",
			why.text);
	plait__context_abandon(context, &why);
}

/* Poll a queue that may drain.  Returns true if none of its work is in
 * flight. */
static bool poll_draining(plait__queue *queue, uint64_t *out_reached)
{
	plait_error why = { .size = sizeof(why) };
	enum poll answer = poll_end(queue, out_reached, &why);
	bool refused = answer == REFUSED ||
		       (answer == IN_FLIGHT && queue->unflushed);

	if (!refused || !queue->draining)
		plait__refusals_reset(&queue->refusals);
	else if (!plait__refusals_may_retry(&queue->refusals, queue->port))
		abandon(queue, &why);
	return answer == ENDED;
}

uint32_t plait__queue_collect(plait__queue *queue,
			      plait__object *out[PLAIT__QUEUE_COLLECT])
{
	uint32_t count = 0;
	uint64_t reached;
	bool ended;

	if (queue->abandoned ||
	    (queue->inflight.committed == 0 && !queue->draining))
		return 0;
	ended = poll_draining(queue, &reached);
	while (count < PLAIT__QUEUE_COLLECT) {
		out[count] = plait__inflight_ring_pop(&queue->inflight,
						      reached);
		if (out[count] == NULL)
			break;
		count++;
	}
	if (count < PLAIT__QUEUE_COLLECT && queue->draining && ended) {
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

void plait__queue_collect_all(plait__queue *queue)
{
	plait__object *done[PLAIT__QUEUE_COLLECT];
	uint32_t count;
	uint32_t i;

	while (queue->inflight.committed >= PLAIT__QUEUE_COLLECT_FROM) {
		count = plait__queue_collect(queue, done);
		if (count == 0)
			break;
		plait__mutex_unlock(&queue->lock);
		for (i = 0; i < count; i++)
			plait__object_drop(done[i]);
		plait__mutex_lock(&queue->lock);
	}
}

void plait__queue_note_failure(plait__queue *queue, const plait_error *failure)
{
	plait__mutex_lock(&queue->lock);
	if (!queue->noted)
		queue->failure = *failure;
	queue->noted = true;
	plait__mutex_unlock(&queue->lock);
}

/* Returns true if the tail's gate has been raised. Its holds are dropped under
 * the lock, after `progress` has advanced further.  Caller holds queue->lock,
 * and the queue has a tail. */
static bool has_left_tail(plait__queue *queue)
{
	plait__backend *backend = queue->port->backend;
	const plait_backend_point point = { queue->tail.gate,
					    queue->tail.gate_sequence };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	return plait__queue_poll(queue, queue->tail.before, NULL, NULL) ==
		       PLAIT_OK &&
	       backend->table.signal_poll(backend->self, &point, &reached,
					  &ignored) == PLAIT_OK;
}

bool plait__queue_poll_clear(plait__queue *queue)
{
	uint64_t submitted = plait__queue_submitted(queue);

	if (plait__queue_poll(queue, submitted, NULL, NULL) == PLAIT_OK) {
		queue->clear = submitted;
		return true;
	}
	/* Poll `progress` at times, or the in-flight ring would fill. */
	return queue->tail.gate != NULL &&
	       queue->tail.before + 1 == submitted &&
	       queue->inflight.committed < PLAIT__QUEUE_COLLECT_FROM &&
	       has_left_tail(queue);
}
