/* SPDX-License-Identifier: MIT */
/*
 * Submission of commands as groups for the backend: waits, work, emissions. All
 * or nothing: sequences and holds are rolled back if any command is wrong or
 * the backend refuses. Nothing is allocated once the queue's arrays have grown.
 */
#include "object/queue/submission.h"

#include "object/context/backend_result.h"
#include "object/queue/copy_work.h"
#include "object/queue/idle_section.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission_arrays.h"
#include "object/queue/validate_command.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"

enum { COMMANDS_MAX = INT32_MAX / 4 };

/* --- commands by kind */

/* A launch is submitted as a NOP command with builder->launch. */
static plait_status add_nop(struct plait__submission_builder *batch,
			    const plait_command *command,
			    plait_error *error)
{
	plait_work *work;

	if (batch->held != NULL &&
	    plait__submission_hold(batch, batch->held, error) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	work = plait__submission_add_work(batch, command);
	work->launch = batch->launch;
	if (batch->launch != NULL)
		work->kind = PLAIT_WORK_LAUNCH;
	return PLAIT_OK;
}

static plait_status add_call(struct plait__submission_builder *batch,
			     const plait_command *command,
			     const plait__command_operands *operands,
			     plait_error *error)
{
	plait_work *work;

	if (operands->inbox != NULL)
		return plait__submission_add_call(batch, command, operands->inbox,
						  false, error);
	if (batch->held != NULL &&
	    plait__submission_hold(batch, batch->held, error) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	work = plait__submission_add_work(batch, command);
	work->function = command->function;
	work->user_data = command->user_data;
	return PLAIT_OK;
}

static plait_status add_signal_wait(struct plait__submission_builder *batch,
				    const plait_command *command,
				    plait__signal *signal, plait_error *error)
{
	uint64_t sequence = command->sequence;
	plait_status status;

	/* An emission of this submission is in front of the wait. */
	if (batch->ordered && !signal->is_gate &&
	    signal->next > plait__signal_submitted(signal) &&
	    (sequence == 0 || (sequence <= signal->next &&
			       sequence > plait__signal_submitted(signal))))
		return PLAIT_OK;
	status = plait__signal_resolve(signal, &sequence, error);
	if (status != PLAIT_OK || sequence == 0)
		return status;
	status = plait__submission_hold(batch, &signal->object, error);
	if (status == PLAIT_OK)
		plait__submission_add_wait(batch, signal->raw, sequence);
	return status;
}

static plait_status add_command(struct plait__submission_builder *batch,
				const plait_command *command,
				plait_error *error)
{
	plait__command_operands operands;
	plait_status status;

	status = plait__validate_command(&operands, command, batch->queue,
					 &batch->late, error);
	if (status != PLAIT_OK)
		return status;
	switch (command->kind) {
	case PLAIT_COMMAND_NOP:
		status = add_nop(batch, command, error);
		break;
	case PLAIT_COMMAND_CALL:
		status = add_call(batch, command, &operands, error);
		break;
	case PLAIT_COMMAND_WAIT:
		status = add_signal_wait(batch, command, operands.signal,
					 error);
		break;
	case PLAIT_COMMAND_EMIT:
		status = plait__submission_add_emission(batch, operands.signal,
							error);
		break;
	default:
		status = plait__copy_work_add(batch, command, &operands,
					      error);
		break;
	}
	plait__validate_command_leave(&operands, &batch->late);
	return status;
}

/* --- the user's array */

/* Put the command's number and label in front of the text; no number if the
 * library made the command. */
static plait_status name_command(bool own, uint64_t number,
				 const plait_command *command,
				 const plait_error *why, plait_error *error)
{
	plait_status status;

	if (own && command->label == NULL)
		status = plait__fail_origin(error, why->status, why->origin,
					    "%s", why->text);
	else if (own)
		status = plait__fail_origin(error, why->status, why->origin,
					    "\"%.*s\": %s",
					    PLAIT__TEXT_FIT(command->label, 60),
					    why->text);
	else if (command->label != NULL)
		status = plait__fail_origin(error, why->status, why->origin,
					    "command %llu \"%.*s\": %s",
					    (unsigned long long)number,
					    PLAIT__TEXT_FIT(command->label, 60),
					    why->text);
	else
		status = plait__fail_origin(error, why->status, why->origin,
					    "command %llu: %s",
					    (unsigned long long)number,
					    why->text);
	return status;
}

/* The caller's array. */
struct commands {
	const plait_command *commands;
	uint64_t count;
	bool own; /* made by the library, for one call of the user */
};

static plait_status add_all(struct plait__submission_builder *batch, const void *arg,
			    plait_error *error)
{
	const struct commands *all = arg;
	const char *at = (const char *)all->commands;
	uint32_t stride = all->commands->size;
	plait_error why = { .size = sizeof(why) };
	const plait_command *command;
	plait_command known;
	plait_status status;
	uint64_t i;

	for (i = 0; i < all->count; i++, at += stride) {
		command = (const plait_command *)(const void *)at;
		status = PLAIT_OK;
		if (stride != sizeof(known)) {
			/* Only the first command's size field applies. */
			status = plait__command_read(&known, at, stride, &why);
			command = &known;
		}
		if (status == PLAIT_OK)
			status = add_command(batch, command, &why);
		if (status != PLAIT_OK)
			return name_command(all->own, i, command, &why, error);
	}
	return PLAIT_OK;
}

/* --- submit */

static void roll_back(struct plait__submission_builder *batch)
{
	plait__queue *queue = batch->queue;
	plait__signal *signal;
	plait__object *object;
	plait__call *call;

	queue->tail.gate = NULL;
	for (signal = batch->emitted; signal != NULL; signal = signal->in_batch)
		signal->next = plait__signal_submitted(signal);
	for (call = batch->calls; call != NULL; call = call->next)
		plait__call_cancel(call);
	/* The queue's lock is held, so nothing is destroyed here. */
	while ((object = plait__inflight_ring_cancel(&queue->inflight)) != NULL)
		plait__object_drop_deferred(object);
}

static void commit(struct plait__submission_builder *batch)
{
	plait__queue *queue = batch->queue;
	plait__signal *signal;
	plait__call *next;

	for (signal = batch->emitted; signal != NULL;
	     signal = signal->in_batch) {
		signal->last_queue = plait__handle_get(queue->object.slot);
		/* Release: pairs with the load in plait__signal_submitted. */
		at_store_release_u64(&signal->submitted, signal->next);
		plait__submit_listener_notify(signal);
	}
	at_store_release_u64(&queue->submitted, batch->progress);
	if (plait__idle_section_exists(queue))
		plait__idle_section_submitted(queue);
	plait__inflight_ring_commit(&queue->inflight);
	if (queue->inflight.committed != 0)
		plait__queue_list(queue);
	for (; batch->calls != NULL; batch->calls = next) {
		next = batch->calls->next;
		plait__call_arm(batch->calls);
	}
}

static plait_status submit_stretches(struct plait__submission_builder *batch,
				     plait_error *error)
{
	plait__queue *queue = batch->queue;
	plait__backend *backend = queue->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	batch->progress++;
	plait__submission_add_emit(batch, queue->progress, batch->progress);
	status = backend->table.queue_submit(backend->self, queue->raw,
					     queue->scratch.stretches,
					     batch->stretch_count, &room);
	return plait__backend_result_check(queue->port, status, "queue_submit", &room,
					   error);
}

/* Add a wait for the idle section's gate, in front of the commands. */
static plait_status add_idle_section(struct plait__submission_builder *batch,
				     plait__section *idle, plait_error *error)
{
	plait_status status;

	status = plait__submission_hold(batch, &idle->object, error);
	if (status == PLAIT_OK)
		plait__submission_add_wait(batch, idle->gate,
					   idle->gate_sequence);
	return status;
}

/* Submit what `add` adds, `count` commands at most; with 0 only the wait for an
 * idle section. */
static plait_status run_with(struct plait__submission_builder *batch, uint64_t count,
			     plait__submission_fill add, const void *arg,
			     plait_error *error)
{
	plait__queue *queue = batch->queue;
	plait__section *idle = plait__idle_section_exists(queue) ?
				       plait__idle_section_pin(queue) : NULL;
	plait_status status;

	/* The idle section was left meanwhile. */
	if (count == 0 && idle == NULL)
		return PLAIT_OK;
	status = plait__submission_arrays_reserve(queue, count + (idle != NULL),
						  error);
	if (status != PLAIT_OK)
		return status;
	batch->progress = plait__queue_submitted(queue);
	plait__submission_begin_stretch(batch);
	if (idle != NULL)
		status = add_idle_section(batch, idle, error);
	if (status == PLAIT_OK)
		status = add(batch, arg, error);
	if (status == PLAIT_OK)
		status = submit_stretches(batch, error);
	if (status == PLAIT_OK)
		commit(batch);
	else
		roll_back(batch);
	if (batch->ordered)
		plait__mutex_unlock(&queue->port->order);
	if (status == PLAIT_OK)
		(void)plait__queue_flush(queue, NULL);
	return status;
}

static plait_status check_array(const plait_command *commands, uint64_t count,
				plait_error *error)
{
	plait_command first;

	if (commands == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "commands is null, count is %llu",
				   (unsigned long long)count);
	if (count > COMMANDS_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu commands at once are too many",
				   (unsigned long long)count);
	return PLAIT__STRUCT_READ(plait_command, &first, commands, error);
}

plait_status plait__submission_submit(struct plait__submission_builder *batch, uint64_t count,
				      plait__submission_fill add, const void *arg,
				      plait_error *error)
{
	plait__queue *queue = batch->queue;
	plait_status status;

	plait__queue_lock_and_collect(queue);
	status = run_with(batch, count, add, arg, error);
	plait__mutex_unlock(&queue->lock);
	plait__object_close_deferred(batch->late);
	plait__reclaim_pending(queue->object.context);
	/* A thread that waits for something else may have to pump now. */
	if (status == PLAIT_OK &&
	    (queue->port->any & PLAIT_CAP_NEEDS_PUMP) != 0)
		plait__context_notify_waiters(queue->object.context);
	return status;
}

/* Upper bound of the number of work items. */
static uint64_t count_works(const struct plait__submission_builder *batch,
			    const struct commands *all)
{
	const char *at = (const char *)all->commands;
	uint32_t stride = all->commands->size;
	uint64_t count = all->count;
	uint64_t more;
	uint64_t i;

	if (plait__copy_work_supports_rows(batch->queue))
		return count;
	for (i = 0; i < all->count; i++, at += stride) {
		more = plait__strided_copy_count_rows((const plait_command *)
						 (const void *)at) - 1;
		if (__builtin_add_overflow(count, more, &count))
			return UINT64_MAX;
	}
	return count;
}

static plait_status submit_all(struct plait__submission_builder *batch,
			       const struct commands *all,
			       uint64_t *out_sequence, plait_error *error)
{
	plait_status status;
	uint64_t count;

	*out_sequence = 0;
	if (all->count == 0)
		return PLAIT_OK;
	status = check_array(all->commands, all->count, error);
	if (status != PLAIT_OK)
		return status;
	count = count_works(batch, all);
	if (count > COMMANDS_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu rows at once are too many",
				   (unsigned long long)count);
	status = plait__submission_submit(batch, count, add_all, all, error);
	if (status == PLAIT_OK)
		*out_sequence = batch->last_emission;
	return status;
}

plait_status plait__submission_submit_array(plait__queue *queue,
					    const plait_command *commands,
					    uint64_t count, bool own,
					    uint64_t *out_sequence,
					    plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };
	const struct commands all = { commands, count, own };

	return submit_all(&batch, &all, out_sequence, error);
}

plait_status plait__submission_submit_holding(plait__queue *queue,
					      const plait_command *commands,
					      uint64_t count, plait__object *held,
					      plait_backend_launch *launch,
					      plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue, .held = held,
				      .launch = launch };
	const struct commands all = { commands, count, true };
	uint64_t sequence;

	return submit_all(&batch, &all, &sequence, error);
}

static plait_status add_nothing(struct plait__submission_builder *batch,
				const void *arg, plait_error *error)
{
	(void)batch;
	(void)arg;
	(void)error;
	return PLAIT_OK;
}

plait_status plait__submission_submit_idle_section(plait__queue *queue,
						   plait_error *error)
{
	struct plait__submission_builder batch = { .queue = queue };

	return plait__submission_submit(&batch, 0, add_nothing, NULL, error);
}
