/* SPDX-License-Identifier: MIT */
/*
 * Commands that a backend executes by calling a function of the host: kernels
 * of the host, functions of the user, and copies between memories of which no
 * backend knows both.  Callbacks run on any thread of the backend.
 */
#include "run/queue/host_callbacks.h"

#include "run/queue/queue_command.h"
#include "run/queue/resolve_arguments.h"

#include "run/predicate_call.h"
#include "run/args/payload_util.h"

#include "base/error.h"
#include "object/queue/strided_copy.h"
#include "pool/callback_scope.h"
#include "pool/command.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <string.h>

/* Result of a callback that does nothing, so that its queue fails and nothing
 * behind it runs. */
enum { NOT_CALLED = -1 };

/* ---- arguments ---- */

/* A kernel may write a part of the buffer, and the rest keeps its values. */
static uint32_t map_flags(const plait__parameter *parameter)
{
	return parameter->mode == PLAIT__MODE_IN ?
		       PLAIT_MAP_READ : PLAIT_MAP_READ | PLAIT_MAP_WRITE;
}

/* Map the memory from the argument's offset to its end. */
static plait_status find_pointer(plait__host_callback *call,
				 const plait__plan_arg *arg,
				 const plait__frame_turn *turn,
				 const plait__parameter *parameter,
				 plait__queue_pointer *pointer,
				 plait_error *error)
{
	plait__buffer *buffer;
	uint64_t offset;

	pointer->value = NULL;
	buffer = plait__resolve_buffer_at(call->state, arg, turn, &offset);
	if (buffer == NULL || offset >= buffer->bytes)
		return PLAIT_OK;
	return plait__resolve_map(pointer, buffer, offset,
				  buffer->bytes - offset, map_flags(parameter),
				  error);
}

static bool is_memory(const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_MEMORY ||
	       arg->kind == PLAIT__ARG_PARAM ||
	       arg->kind == PLAIT__ARG_ROTATION;
}

/* The number has a word of its own, as the frame's may be that of a later
 * iteration. */
static void find_number(const plait__host_callback *call,
			const plait__plan_arg *arg,
			const plait__frame_turn *turn,
			plait__queue_pointer *pointer)
{
	uint64_t number = plait__resolve_number(call->state, arg, turn);

	pointer->mapped = NULL;
	memcpy(&pointer->value, &number, sizeof(number));
}

/* Takes no more pointers than plait__queue_command_counts has reserved: one per
 * pointer or number. */
static plait_status find_arguments(plait__host_callback *call,
				   const plait__frame_turn *turn,
				   plait_error *error)
{
	const plait__plan *plan = call->state->compiled->program->plan;
	const plait__frame *frame = &call->state->instance->frame;
	const plait__parameter *parameters =
		plait__resolve_kernel(call->state, call->payload)
			->signature->parameters;
	void *const *values = plait__frame_arguments(
		frame, frame->layout->arguments[call->command]);
	plait__queue_pointer *pointer = call->pointers;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < call->count; i++) {
		const plait__plan_arg *arg =
			&plan->args[call->payload->arg_first + i];

		/* Values, among them addresses; and scratch, which the host's
		 * code gets from the instance. */
		call->arguments[i] = values[i];
		if (plait__payload_arg_is_number(arg)) {
			call->arguments[i] = &pointer->value;
			find_number(call, arg, turn, pointer++);
		}
		if (parameters[i].type != PLAIT__TYPE_POINTER ||
		    !is_memory(arg))
			continue;
		call->arguments[i] = &pointer->value;
		status = find_pointer(call, arg, turn, &parameters[i],
				      pointer++, error);
	}
	return status;
}

/* Unmap all; the first failure counts.  Pointers that were not mapped have a
 * null `mapped`. */
static plait_status unmap_arguments(plait__host_callback *call,
				    plait_error *error)
{
	uint32_t arguments, pointers;
	plait_status status = PLAIT_OK;

	plait__queue_command_counts(call->state->compiled, call->command,
				    &arguments, &pointers);
	for (uint32_t i = 0; i < pointers; i++) {
		plait_status unmapped = plait__resolve_unmap(
			&call->pointers[i], status == PLAIT_OK ? error : NULL);

		if (status == PLAIT_OK)
			status = unmapped;
	}
	return status;
}

/* ---- calls ---- */

static plait_status result_status(int32_t result, plait_error *why)
{
	if (result == 0)
		return PLAIT_OK;
	return plait__fail_origin(why, PLAIT_E_FAILED, result,
				  "failed with %d", (int)result);
}

/* The first failure counts: that of the function. */
static plait_status end_call(plait__host_callback *call, plait_status status,
			     plait_error *why)
{
	plait_error later = { .size = sizeof(later) };
	plait_status unmapped = unmap_arguments(call, &later);

	return status != PLAIT_OK || unmapped == PLAIT_OK ?
		       status :
		       plait__error_copy(why, &later);
}

plait_status plait__host_callback_kernel(plait__host_callback *call,
					 plait_error *why)
{
	const plait__kernel *kernel =
		plait__resolve_kernel(call->state, call->payload);
	const plait__plan *plan = call->state->compiled->program->plan;
	const plait__frame_layout *layout = call->state->instance->frame.layout;
	/* Calls of a command are in order, so their number is the iteration. */
	const plait__frame_turn turn = { call->ahead, call->turn++ };
	plait_launch launch = *plait__frame_launch(
		&call->state->instance->frame,
		layout->launches + call->payload->geometry *
					   layout->launch_words);
	plait_status status;

	if (plait__payload_has_series(plan, call->payload) &&
	    !plait__frame_size(&call->state->instance->frame,
			       call->payload->geometry, &turn, &launch))
		return plait__resolve_no_items(&launch, why);
	status = find_arguments(call, &turn, why);
	if (status == PLAIT_OK)
		status = result_status(
			kernel->function((void *const *)call->arguments,
					 &launch, kernel->user_data),
			why);
	return end_call(call, status, why);
}

plait_status plait__host_callback_function(plait__host_callback *call,
					   plait_error *why)
{
	void *user_data = plait__payload_user_data(
		&call->state->instance->frame, call->payload);

	return result_status(call->host->function(user_data), why);
}

/* ---- bytes ---- */

/* The argument has memory: the plan is sealed, and the run has bound its
 * parameters.  `turn`: or null, the current iteration. */
static plait_status map_bytes(plait__queue_instance *state,
			      const plait__plan_arg *arg,
			      const plait__frame_turn *turn, uint64_t bytes,
			      uint32_t flags, plait__queue_pointer *pointer,
			      plait_error *error)
{
	const plait__plan *plan = state->compiled->program->plan;
	plait__buffer *buffer;
	uint64_t offset;

	if (plait__payload_arg_is_host(plan->params, arg)) {
		pointer->value = plait__resolve_host(state, arg);
		pointer->mapped = NULL;
		return PLAIT_OK;
	}
	buffer = plait__resolve_buffer_at(state, arg, turn, &offset);
	return plait__resolve_map(pointer, buffer, offset, bytes, flags, error);
}

/* Copy or fill between mapped pointers; payloads without bytes have no work
 * (queue_command.c). */
static void run_copy(const plait__host_callback *call,
		     const plait_work_rows *rows)
{
	const plait__plan_payload *payload = call->payload;
	struct plait__command command = {
		.kind = PLAIT_WORK_FILL,
		.pattern_bytes = payload->small & 0xff,
		.bytes = payload->bytes & PLAIT__COMMAND_MAX_BYTES,
		.pattern = payload->value,
	};

	command.target = call->pointers[0].value;
	if (payload->arg_count > 1) {
		command.kind = PLAIT_WORK_COPY;
		command.pattern_bytes = rows != NULL;
		command.source = call->pointers[1].value;
		if (rows != NULL)
			command.rows = rows;
	}
	plait__command_move(&command);
}

plait_status plait__host_callback_copy(plait__host_callback *call,
				       plait_error *why)
{
	const plait__plan_payload *payload = call->payload;
	const plait__plan *plan = call->state->compiled->program->plan;
	const plait__plan_arg *args = &plan->args[payload->arg_first];
	const plait_work_rows *rows = plait__payload_rows(plan, payload);
	const plait__frame_turn turn = { call->ahead, call->turn++ };
	uint64_t bytes[2] = { payload->bytes, payload->bytes };
	plait_status status = PLAIT_OK;

	if (rows != NULL)
		(void)plait__strided_copy_extent(rows, payload->bytes,
						 &bytes[0], &bytes[1]);
	for (uint32_t i = 0; status == PLAIT_OK && i < payload->arg_count &&
			     i < 2; i++)
		status = map_bytes(call->state, &args[i], &turn, bytes[i],
				   i == 0 ? PLAIT_MAP_WRITE : PLAIT_MAP_READ,
				   &call->pointers[i], why);
	if (status == PLAIT_OK)
		run_copy(call, rows);
	else
		plait__error_prefix(why, "could not be done by the host: ");
	return end_call(call, status, why);
}

/* Read a predicate word in memory that the lane's backend does not know.  The
 * driver reads predicate->word after the completion of the callback. */
static plait_status read_word(plait__queue_predicate *predicate,
			      plait_error *why)
{
	const plait__plan *plan = predicate->state->compiled->program->plan;
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[predicate->region].predicate];
	plait__queue_pointer pointer = { .mapped = NULL };
	plait_status status = map_bytes(predicate->state,
					&plan->args[payload->arg_first], NULL,
					sizeof(predicate->word),
					PLAIT_MAP_READ, &pointer, why);

	if (status == PLAIT_OK) {
		memcpy(&predicate->word, pointer.value,
		       sizeof(predicate->word));
		status = plait__resolve_unmap(&pointer, why);
	}
	return status;
}

/*
 * The function has ended its thread; the backend recovers its queue.  This is a
 * thread scope and not a guard: a backend that noticed sooner would end the run
 * before this failure was recorded.
 */
static void call_lost(void *arg)
{
	plait__host_callback *call = arg;
	plait_error ignored = { .size = sizeof(ignored) };

	(void)unmap_arguments(call, &ignored);
	plait__instance_fail(call->state->instance, call->command,
			     &plait__instance_exited);
}

static void predicate_lost(void *arg)
{
	plait__queue_predicate *predicate = arg;
	const plait__plan *plan = predicate->state->compiled->program->plan;

	plait__instance_fail(predicate->state->instance,
			     plan->regions[predicate->region].command,
			     &plait__instance_exited);
}

static void end_times(plait__callback_times *times, uint64_t start_ns)
{
	times->start_ns = start_ns;
	times->end_ns = plait__clock_now_ns();
	times->thread = plait__thread_token();
}

/*
 * Entry point of a callback.  After a failure or a cancellation nothing begins
 * any more: the callback fails its queue, as nothing behind it must run either.
 */
int32_t plait__host_callback_run(void *user_data)
{
	plait__host_callback *call = user_data;
	plait__instance *instance = call->state->instance;
	plait_error why = { .size = sizeof(why) };
	struct plait__callback_scope inside;
	plait_status status;
	uint64_t start_ns;

	/* Relaxed: a stop need not take effect at once. */
	if (at_load_relaxed_u32(&instance->stop) != 0)
		return NOT_CALLED;
	PLAIT__THREAD_SCOPE scope = { call_lost, call };
	plait__callback_scope_enter(&inside,
					 instance->program->context->pool);
	plait__run_instance_enter(instance);
	start_ns = call->times != NULL ? plait__clock_now_ns() : 0;
	status = call->perform(call, &why);
	if (call->times != NULL)
		end_times(call->times, start_ns);
	plait__callback_scope_leave(&inside);
	plait__thread_scope_end(&scope);
	if (status == PLAIT_OK)
		return 0;
	plait__instance_fail(instance, call->command, &why);
	return why.origin != 0 && (int32_t)why.origin == why.origin ?
		       (int32_t)why.origin :
		       NOT_CALLED;
}

int32_t plait__host_callback_ask_predicate(void *user_data)
{
	plait__queue_predicate *predicate = user_data;
	plait__queue_instance *state = predicate->state;
	struct plait__callback_scope inside;
	bool decided;

	if (at_load_relaxed_u32(&state->instance->stop) != 0)
		return NOT_CALLED;
	PLAIT__THREAD_SCOPE scope = { predicate_lost, predicate };
	plait__callback_scope_enter(
		&inside, state->instance->program->context->pool);
	plait__run_instance_enter(state->instance);
	decided = plait__predicate_call(state->instance, predicate->region,
					&predicate->word);
	plait__callback_scope_leave(&inside);
	plait__thread_scope_end(&scope);
	/* A predicate that has failed fails its queue, too. */
	return decided ? 0 : NOT_CALLED;
}

int32_t plait__host_callback_read_predicate(void *user_data)
{
	plait__queue_predicate *predicate = user_data;
	plait__queue_instance *state = predicate->state;
	const plait__plan *plan = state->compiled->program->plan;
	plait_error why = { .size = sizeof(why) };

	if (at_load_relaxed_u32(&state->instance->stop) != 0)
		return NOT_CALLED;
	if (read_word(predicate, &why) == PLAIT_OK)
		return 0;
	plait__error_prefix(&why, "could not read its word: ");
	plait__instance_fail(state->instance,
			     plan->regions[predicate->region].command, &why);
	return NOT_CALLED;
}
