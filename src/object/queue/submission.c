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
#include "object/queue/launch_record.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue_races.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission_arrays.h"
#include "object/queue/validate_command.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* --- commands by kind */

/* Caller holds the queue's lock, as for all functions that add. */
static plait_status add_nop(struct plait__submission_builder *builder,
			    const plait_command *command,
			    plait_error *error)
{
	if (builder->held != NULL &&
	    plait__submission_hold(builder, builder->held, error) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	(void)plait__submission_add_work(builder, command);
	return PLAIT_OK;
}

static plait_status add_call(struct plait__submission_builder *builder,
			     const plait_command *command,
			     const plait__command_operands *operands,
			     plait_error *error)
{
	plait_work *work;

	if (operands->inbox != NULL)
		return plait__submission_add_call(builder, command,
						  operands->inbox, false,
						  error);
	if (builder->held != NULL &&
	    plait__submission_hold(builder, builder->held, error) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	work = plait__submission_add_work(builder, command);
	work->function = command->function;
	work->user_data = command->user_data;
	return PLAIT_OK;
}

/* The commands in front are checked now, so a launch that could not be prepared
 * is the first mistake. */
static plait_status add_launch(struct plait__submission_builder *builder,
			       const plait_command *command,
			       plait_error *error)
{
	plait__launch_record *record = builder->launches;

	if (record == NULL)
		return plait__error_copy(error, builder->launch_error);
	builder->launches = record->next;
	return plait__launch_record_add(record, builder, command, error);
}

/* With builder->ordered, port->order is held, which guards signal->next. */
static plait_status resolve_wait(struct plait__submission_builder *builder,
				 plait__signal *signal, uint64_t sequence,
				 plait_error *error)
{
	plait_status status;

	/* An emission of this submission is in front of the wait. */
	if (builder->ordered && !signal->is_gate &&
	    signal->next > plait__signal_submitted(signal) &&
	    (sequence == 0 || (sequence <= signal->next &&
			       sequence > plait__signal_submitted(signal))))
		return PLAIT_OK;
	status = plait__signal_resolve(signal, &sequence, error);
	if (status != PLAIT_OK || sequence == 0)
		return status;
	status = plait__submission_hold(builder, &signal->object, error);
	if (status == PLAIT_OK)
		plait__submission_add_wait(builder, signal->raw, sequence);
	return status;
}

plait_status
plait__submission_add_signal_wait(struct plait__submission_builder *builder,
				  plait__signal *signal, uint64_t sequence,
				  plait_error *error)
{
	plait_status status = resolve_wait(builder, signal, sequence, error);

	if (status == PLAIT_OK)
		plait__queue_races_wait(builder->queue, signal, sequence);
	return status;
}

plait_status
plait__submission_add_command(struct plait__submission_builder *builder,
			      const plait_command *command, plait_error *error)
{
	plait__command_operands operands;
	plait_status status;

	status = plait__validate_command(&operands, command, builder->queue,
					 &builder->late, error);
	if (status != PLAIT_OK)
		return status;
	switch (command->kind) {
	case PLAIT_COMMAND_NOP:
		status = add_nop(builder, command, error);
		break;
	case PLAIT_COMMAND_CALL:
		status = add_call(builder, command, &operands, error);
		break;
	case PLAIT_COMMAND_WAIT:
		status = plait__submission_add_signal_wait(
			builder, operands.signal, command->sequence, error);
		break;
	case PLAIT_COMMAND_EMIT:
		status = plait__submission_add_emission(builder,
							operands.signal, error);
		break;
	case PLAIT_COMMAND_LAUNCH:
		status = add_launch(builder, command, error);
		break;
	default:
		status = plait__copy_work_add(builder, command, &operands,
					      error);
		break;
	}
	if (status == PLAIT_OK)
		plait__queue_races_add(builder, command, &operands);
	plait__validate_command_leave(&operands, &builder->late);
	return status;
}

/* --- the user's array */

/* Put the command's number and label in front of the text; no number if the
 * library made the command. */
static plait_status prefix_error(bool internal, uint64_t number,
				 const plait_command *command,
				 const plait_error *why, plait_error *error)
{
	plait_status status = plait__error_copy(error, why);

	if (internal && command->label != NULL)
		plait__error_prefix(error, "\"%.*s\": ",
				    PLAIT__TEXT_FIT(command->label, 60));
	else if (!internal && command->label != NULL)
		plait__error_prefix(error, "command %llu \"%.*s\": ",
				    (unsigned long long)number,
				    PLAIT__TEXT_FIT(command->label, 60));
	else if (!internal)
		plait__error_prefix(error, "command %llu: ",
				    (unsigned long long)number);
	return status;
}

/* The caller's array. */
struct commands {
	const plait_command *commands;
	uint64_t count;
	bool internal; /* made by the library, for one call of the user */
};

/* Returns in `out` the command at `at`, or a copy in `room` if the caller's
 * struct has another size. Only the first command's size field applies. */
static inline plait_status view_command(const plait_command **out,
					plait_command *room, const char *at,
					uint32_t stride, plait_error *error)
{
	*out = (const plait_command *)(const void *)at;
	if (stride == sizeof(*room))
		return PLAIT_OK;
	*out = room;
	return plait__command_read(room, at, stride, error);
}

/* check_array has checked the size of the first command, which is the
 * stride. */
static plait_status add_all(struct plait__submission_builder *builder,
			    const void *arg, plait_error *error)
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
		status = view_command(&command, &known, at, stride, &why);
		if (status == PLAIT_OK)
			status = plait__submission_add_command(builder,
							       command, &why);
		if (status != PLAIT_OK)
			return prefix_error(all->internal, i, command, &why,
					    error);
	}
	return PLAIT_OK;
}

/* --- submit */

static void roll_back(struct plait__submission_builder *builder)
{
	plait__queue *queue = builder->queue;
	plait__signal *signal;
	plait__object *object;
	plait__call *call;

	queue->tail.gate = NULL;
	plait__queue_races_undo(queue, builder->races_mark);
	for (signal = builder->emitted; signal != NULL;
	     signal = signal->next_emitted)
		signal->next = plait__signal_submitted(signal);
	for (call = builder->calls; call != NULL; call = call->next)
		plait__call_cancel(call);
	/* The queue's lock is held, so nothing is destroyed here. */
	while ((object = plait__inflight_ring_cancel(&queue->inflight)) != NULL)
		plait__object_drop_deferred(object);
}

/* Caller holds the queue's lock, and port->order if signals are emitted. */
static void commit(struct plait__submission_builder *builder)
{
	plait__queue *queue = builder->queue;
	plait__signal *signal;
	plait__call *next;

	for (signal = builder->emitted; signal != NULL;
	     signal = signal->next_emitted) {
		signal->last_queue = plait__handle_get(queue->object.slot);
		/* Release: pairs with the load in plait__signal_submitted. */
		at_store_release_u64(&signal->submitted, signal->next);
		plait__submit_listener_notify(signal);
	}
	at_store_release_u64(&queue->submitted, builder->progress);
	if (plait__idle_section_exists(queue))
		plait__idle_section_submitted(queue);
	plait__inflight_ring_commit(&queue->inflight);
	if (queue->inflight.committed != 0)
		plait__queue_list(queue);
	for (; builder->calls != NULL; builder->calls = next) {
		next = builder->calls->next;
		plait__call_arm(builder->calls);
	}
}

/* End the last group with an emission of the queue's own signal, and submit
 * all. */
static plait_status submit_groups(struct plait__submission_builder *builder,
				  plait_error *error)
{
	plait__queue *queue = builder->queue;
	plait__backend *backend = queue->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	builder->progress++;
	plait__submission_add_emit(builder, queue->progress, builder->progress);
	status = backend->table.queue_submit(backend->self, queue->raw,
					     queue->arrays.groups,
					     builder->group_count, &room);
	return plait__backend_result_check(queue->port, status, "queue_submit",
					   &room, error);
}

/* Add a wait for the idle section's gate, in front of the commands. */
static plait_status add_idle_section(struct plait__submission_builder *builder,
				     plait__section *idle, plait_error *error)
{
	plait_status status;

	status = plait__submission_hold(builder, &idle->object, error);
	if (status == PLAIT_OK)
		plait__submission_add_wait(builder, idle->gate,
					   idle->gate_sequence);
	return status;
}

/* Submit the commands that `fill` adds, `count` at most; with 0 only the wait
 * for an idle section.  Caller holds queue->lock. */
static plait_status submit_locked(struct plait__submission_builder *builder,
				  uint64_t count, plait__submission_fill fill,
				  const void *arg, plait_error *error)
{
	plait__queue *queue = builder->queue;
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
	/* All at once: to clear work by work cost 10 ns each. */
	memset(queue->arrays.work, 0, count * sizeof(*queue->arrays.work));
	builder->progress = plait__queue_submitted(queue);
	plait__submission_begin_group(builder);
	if (idle != NULL)
		status = add_idle_section(builder, idle, error);
	if (status == PLAIT_OK)
		status = fill(builder, arg, error);
	if (status == PLAIT_OK)
		status = submit_groups(builder, error);
	if (status == PLAIT_OK)
		commit(builder);
	else
		roll_back(builder);
	if (builder->ordered)
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
	if (count > PLAIT__SUBMISSION_MOST)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu commands at once are too many",
				   (unsigned long long)count);
	return PLAIT__STRUCT_READ(plait_command, &first, commands, error);
}

plait_status plait__submission_submit(struct plait__submission_builder *builder,
				      uint64_t count,
				      plait__submission_fill fill,
				      const void *arg, plait_error *error)
{
	plait__queue *queue = builder->queue;
	plait__races *races = plait__queue_races(queue);
	plait_status status;

	if (races != NULL && builder->races_mark == 0)
		builder->races_mark = plait__races_mark(races);
	plait__queue_lock_and_collect(queue);
	status = submit_locked(builder, count, fill, arg, error);
	plait__mutex_unlock(&queue->lock);
	if (races != NULL)
		plait__races_report(races);
	plait__object_close_deferred(builder->late);
	plait__context_reclaim(queue->object.context);
	/* A thread that waits for something else may have to pump now. */
	if (status == PLAIT_OK &&
	    (queue->port->any & PLAIT_CAP_NEEDS_PUMP) != 0)
		plait__context_notify_waiters(queue->object.context);
	return status;
}

/* Upper bound of the number of work items.  check_array has checked the
 * array. */
static uint64_t count_works(const struct plait__submission_builder *builder,
			    const struct commands *all)
{
	const char *at = (const char *)all->commands;
	uint32_t stride = all->commands->size;
	uint64_t count = all->count;
	uint64_t more;
	uint64_t i;

	if (plait__copy_work_supports_rows(builder->queue))
		return count;
	for (i = 0; i < all->count; i++, at += stride) {
		more = plait__strided_copy_count_rows((const plait_command *)
						 (const void *)at) - 1;
		if (__builtin_add_overflow(count, more, &count))
			return UINT64_MAX;
	}
	return count;
}

/* --- launches: prepared without the queue's lock, in a list */

static bool has_launches(const struct commands *all)
{
	const char *at = (const char *)all->commands;
	uint32_t stride = all->commands->size;

	for (uint64_t i = 0; i < all->count; i++, at += stride)
		if (((const plait_command *)(const void *)at)->kind ==
		    PLAIT_COMMAND_LAUNCH)
			return true;
	return false;
}

/* Returns the records of all launches, or of those in front of the first one
 * that is wrong, with its error in `why`. */
static plait__launch_record *prepare_launches(plait__queue *queue,
					      const struct commands *all,
					      plait_error *why)
{
	const char *at = (const char *)all->commands;
	uint32_t stride = all->commands->size;
	plait__launch_record *first = NULL, **next = &first;
	const plait_command *command;
	plait_status status = PLAIT_OK;
	plait_command known;

	for (uint64_t i = 0; status == PLAIT_OK && i < all->count;
	     i++, at += stride) {
		status = view_command(&command, &known, at, stride, why);
		if (status != PLAIT_OK || command->kind != PLAIT_COMMAND_LAUNCH)
			continue;
		status = plait__launch_record_create(queue, command, next,
						     why);
		if (status == PLAIT_OK)
			next = &(*next)->next;
	}
	return first;
}

static plait_status submit_launches(struct plait__submission_builder *builder,
				    uint64_t count, const struct commands *all,
				    plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait__launch_record *first = prepare_launches(builder->queue, all,
						       &why);
	plait_status status;

	builder->launches = first;
	builder->launch_error = &why;
	status = plait__submission_submit(builder, count, add_all, all, error);
	plait__launch_record_end_all(first, status == PLAIT_OK);
	return status;
}

static plait_status submit_all(struct plait__submission_builder *builder,
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
	count = count_works(builder, all);
	if (count > PLAIT__SUBMISSION_MOST)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu rows at once are too many",
				   (unsigned long long)count);
	if (has_launches(all))
		status = submit_launches(builder, count, all, error);
	else
		status = plait__submission_submit(builder, count, add_all, all,
						  error);
	if (status == PLAIT_OK)
		*out_sequence = builder->last_emission;
	return status;
}

plait_status plait__submission_submit_array(plait__queue *queue,
					    const plait_command *commands,
					    uint64_t count, bool internal,
					    uint64_t *out_sequence,
					    plait_error *error)
{
	struct plait__submission_builder builder = { .queue = queue };
	const struct commands all = { commands, count, internal };

	return submit_all(&builder, &all, out_sequence, error);
}

plait_status plait__submission_submit_holding(
	plait__queue *queue, const plait_command *commands, uint64_t count,
	plait__object *held, plait_error *error)
{
	struct plait__submission_builder builder = { .queue = queue,
						     .held = held };
	const struct commands all = { commands, count, true };
	uint64_t sequence;

	return submit_all(&builder, &all, &sequence, error);
}

static plait_status add_nothing(struct plait__submission_builder *builder,
				const void *arg, plait_error *error)
{
	(void)builder;
	(void)arg;
	(void)error;
	return PLAIT_OK;
}

plait_status plait__submission_submit_idle_section(plait__queue *queue,
						   plait_error *error)
{
	struct plait__submission_builder builder = { .queue = queue };

	return plait__submission_submit(&builder, 0, add_nothing, NULL, error);
}
