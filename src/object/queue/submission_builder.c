/* SPDX-License-Identifier: MIT */
/* Submission builder: groups of waits, work and emissions. */
#include "object/queue/submission_builder.h"

#include "object/queue/owner_call.h"
#include "object/queue/queue_races.h"
#include "object/signal/signal.h"

#include "base/error.h"

#include <string.h>

enum { WAITS, WORK, EMITS };

/* --- adding to the last group, or to a new one */

void plait__submission_begin_group(struct plait__submission_builder *builder)
{
	plait__submission_arrays *arrays = &builder->queue->arrays;
	plait_submission *group = &arrays->groups[builder->group_count];

	memset(group, 0, sizeof(*group));
	group->size = sizeof(*group);
	group->work = &arrays->work[builder->work_count];
	group->waits = &arrays->points[builder->point_count];
	group->emits = group->waits;
	builder->group = group;
	builder->group_count++;
	builder->phase = WAITS;
}

/* submission_arrays.c has reserved two points per command. */
static void add_point(struct plait__submission_builder *builder,
		      plait_backend_signal *signal, uint64_t sequence)
{
	plait_backend_point *point =
		&builder->queue->arrays.points[builder->point_count++];

	point->signal = signal;
	point->sequence = sequence;
}

void plait__submission_add_wait(struct plait__submission_builder *builder,
				plait_backend_signal *signal, uint64_t sequence)
{
	if (builder->phase != WAITS)
		plait__submission_begin_group(builder);
	builder->group->wait_count++;
	add_point(builder, signal, sequence);
	builder->group->emits =
		&builder->queue->arrays.points[builder->point_count];
}

void plait__submission_add_emit(struct plait__submission_builder *builder,
				plait_backend_signal *signal, uint64_t sequence)
{
	builder->phase = EMITS;
	builder->group->emit_count++;
	add_point(builder, signal, sequence);
}

plait_work *plait__submission_add_work(
	struct plait__submission_builder *builder, const plait_command *command)
{
	plait_work *work;

	if (builder->phase == EMITS)
		plait__submission_begin_group(builder);
	builder->phase = WORK;
	builder->group->work_count++;
	/* Null since submit_locked. */
	work = &builder->queue->arrays.work[builder->work_count++];
	work->size = sizeof(*work);
	work->kind = command->kind;
	work->label = command->label;
	return work;
}

/* --- holds */

plait_status plait__submission_hold(struct plait__submission_builder *builder,
				    plait__object *object, plait_error *error)
{
	plait__queue *queue = builder->queue;
	uint64_t sequence = builder->progress + 1;

	if (plait__inflight_ring_has_last(&queue->inflight, object, sequence))
		return PLAIT_OK;
	plait__object_hold(object);
	if (plait__inflight_ring_push(&queue->inflight,
				      plait__context_allocator(
				       queue->object.context),
				      object, sequence))
		return PLAIT_OK;
	/* The object is entered, so this is not its last hold. */
	plait__object_drop(object);
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the objects in flight");
}

/* --- calls and emissions */

plait_status plait__submission_add_call(
	struct plait__submission_builder *builder, const plait_command *command,
	plait__inbox *inbox, bool asks, plait_error *error)
{
	plait__queue *queue = builder->queue;
	plait__call *call;
	plait_status status;

	status = plait__call_prepare(inbox, queue, command, asks, &call,
				     error);
	if (status != PLAIT_OK)
		return status;
	call->sequence = ++builder->progress;
	/* The hold becomes the queue's, until it has passed the gate. */
	if (!plait__inflight_ring_push(&queue->inflight,
				       plait__context_allocator(
					       queue->object.context),
				       &call->event_record.object,
				       builder->progress + 1)) {
		plait__call_cancel(call);
		plait__object_drop_deferred(&call->event_record.object);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the objects in flight");
	}
	call->next = builder->calls;
	builder->calls = call;
	plait__submission_add_emit(builder, queue->progress, call->sequence);
	plait__submission_add_wait(builder, call->gate, call->gate_sequence);
	return PLAIT_OK;
}

/* Sequences of a signal are assigned in order, whichever queues emit them. */
plait_status plait__submission_add_emission(
	struct plait__submission_builder *builder, plait__signal *signal,
	plait_error *error)
{
	plait__queue *queue = builder->queue;
	uint64_t submitted;
	plait_status status;

	if (!builder->ordered)
		plait__mutex_lock(&queue->port->order);
	builder->ordered = true;
	status = plait__submission_hold(builder, &signal->object, error);
	if (status != PLAIT_OK)
		return status;
	submitted = plait__signal_submitted(signal);
	if (signal->next == submitted) {
		signal->next_emitted = builder->emitted;
		builder->emitted = signal;
		if (submitted != 0 &&
		    signal->last_queue !=
			    plait__handle_get(queue->object.slot))
			plait__submission_add_wait(builder, signal->raw,
						   submitted);
	}
	signal->next++;
	builder->last_emission = signal->next;
	plait__inflight_ring_note_emission(&queue->inflight, &signal->object,
					   builder->progress + 1, signal->next);
	plait__submission_add_emit(builder, signal->raw, signal->next);
	plait__queue_races_emit(queue, signal);
	return PLAIT_OK;
}
