/* SPDX-License-Identifier: MIT */
/* Submission builder: groups of waits, work and emissions. */
#include "object/queue/submission_builder.h"

#include "object/queue/owner_call.h"
#include "object/signal/signal.h"

#include "base/error.h"

#include <string.h>

enum { WAITS, WORK, EMITS };

/* --- adding to the last group, or to a new one */

void plait__submission_begin_stretch(struct plait__submission_builder *batch)
{
	plait__submission_arrays *scratch = &batch->queue->scratch;
	plait_submission *stretch = &scratch->stretches[batch->stretch_count];

	memset(stretch, 0, sizeof(*stretch));
	stretch->size = sizeof(*stretch);
	stretch->work = &scratch->work[batch->work_count];
	stretch->waits = &scratch->points[batch->point_count];
	stretch->emits = stretch->waits;
	batch->stretch = stretch;
	batch->stretch_count++;
	batch->phase = WAITS;
}

static void add_point(struct plait__submission_builder *batch, plait_backend_signal *signal,
		      uint64_t sequence)
{
	plait_backend_point *point =
		&batch->queue->scratch.points[batch->point_count++];

	point->signal = signal;
	point->sequence = sequence;
}

void plait__submission_add_wait(struct plait__submission_builder *batch,
				plait_backend_signal *signal, uint64_t sequence)
{
	if (batch->phase != WAITS)
		plait__submission_begin_stretch(batch);
	batch->stretch->wait_count++;
	add_point(batch, signal, sequence);
	batch->stretch->emits =
		&batch->queue->scratch.points[batch->point_count];
}

void plait__submission_add_emit(struct plait__submission_builder *batch,
				plait_backend_signal *signal, uint64_t sequence)
{
	batch->phase = EMITS;
	batch->stretch->emit_count++;
	add_point(batch, signal, sequence);
}

plait_work *plait__submission_add_work(struct plait__submission_builder *batch,
				       const plait_command *command)
{
	plait_work *work;

	if (batch->phase == EMITS)
		plait__submission_begin_stretch(batch);
	batch->phase = WORK;
	batch->stretch->work_count++;
	work = &batch->queue->scratch.work[batch->work_count++];
	memset(work, 0, sizeof(*work));
	work->size = sizeof(*work);
	work->kind = command->kind;
	work->label = command->label;
	return work;
}

/* --- holds */

plait_status plait__submission_hold(struct plait__submission_builder *batch,
				    plait__object *object, plait_error *error)
{
	plait__queue *queue = batch->queue;
	uint64_t sequence = batch->progress + 1;

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
			   "no memory for what is in flight");
}

/* --- calls and emissions */

plait_status plait__submission_add_call(struct plait__submission_builder *batch,
					const plait_command *command,
					plait__inbox *inbox, bool asks,
					plait_error *error)
{
	plait__queue *queue = batch->queue;
	plait__call *call;
	plait_status status;

	status = plait__call_prepare(inbox, queue, command, asks, &call,
				     error);
	if (status != PLAIT_OK)
		return status;
	call->sequence = ++batch->progress;
	/* The hold becomes the queue's, until it has passed the gate. */
	if (!plait__inflight_ring_push(&queue->inflight,
				       plait__context_allocator(
					queue->object.context),
				       &call->notice.object, batch->progress + 1)) {
		plait__call_cancel(call);
		plait__object_drop_deferred(&call->notice.object);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for what is in flight");
	}
	call->next = batch->calls;
	batch->calls = call;
	plait__submission_add_emit(batch, queue->progress, call->sequence);
	plait__submission_add_wait(batch, call->gate, call->gate_sequence);
	return PLAIT_OK;
}

/* Sequences of a signal are assigned in order, whichever queues emit them. */
plait_status plait__submission_add_emission(struct plait__submission_builder *batch,
					    plait__signal *signal,
					    plait_error *error)
{
	plait__queue *queue = batch->queue;
	uint64_t submitted;
	plait_status status;

	if (!batch->ordered)
		plait__mutex_lock(&queue->port->order);
	batch->ordered = true;
	status = plait__submission_hold(batch, &signal->object, error);
	if (status != PLAIT_OK)
		return status;
	submitted = plait__signal_submitted(signal);
	if (signal->next == submitted) {
		signal->in_batch = batch->emitted;
		batch->emitted = signal;
		if (submitted != 0 &&
		    signal->last_queue !=
			    plait__handle_get(queue->object.slot))
			plait__submission_add_wait(batch, signal->raw, submitted);
	}
	signal->next++;
	batch->last_emission = signal->next;
	plait__submission_add_emit(batch, signal->raw, signal->next);
	return PLAIT_OK;
}
