/* SPDX-License-Identifier: MIT */
/*
 * Translation of a plan command to the work of a backend; the only unit that
 * knows both.  Backends execute copies, fills and kernels that they have code
 * for; everything else is a host callback.
 */
#include "run/queue/translate_work.h"

#include "run/queue/host_callbacks.h"
#include "run/queue/queue_command.h"
#include "run/queue/resolve_arguments.h"

#include "run/args/payload_util.h"

#include "base/error.h"
#include "object/memory/buffer.h"
#include "object/kernel/device_code.h"

/* The argument has memory: that of the plan, or is_foreign_this_run has seen
 * what the run has bound. */
static void set_target(const plait__queue_instance *state,
		       const plait__plan_arg *arg, plait_work *out)
{
	uint64_t offset;
	const plait__buffer *buffer =
		plait__resolve_buffer(state, arg, &offset);

	out->target = buffer->root->raw;
	out->target_offset = buffer->offset + offset;
}

/* As for set_target. */
static void set_source(const plait__queue_instance *state,
		       const plait__plan_arg *arg, plait_work *out)
{
	uint64_t offset;
	const plait__buffer *buffer =
		plait__resolve_buffer(state, arg, &offset);

	out->source = buffer->root->raw;
	out->source_offset = buffer->offset + offset;
}

/* The command has a payload. */
static void make_call(plait__queue_instance *state, uint32_t command,
		      plait_status (*perform)(plait__host_callback *call,
					      plait_error *why),
		      plait_work *out)
{
	const plait__plan_object *plan_object =
		state->compiled->program->plan_object;
	plait__host_callback *call = &state->callbacks[command];
	const plait__plan_payload *payload =
		plait__payload_of(plan_object->plan, command);

	call->state = state;
	call->command = command;
	call->payload = payload;
	call->count = payload->arg_count;
	call->perform = perform;
	call->ahead = plait__queue_program_ahead(state->compiled, command);
	if (payload->object < plan_object->plan->functions_count)
		call->host = &plan_object->functions[payload->object];
	out->kind = PLAIT_WORK_CALL;
	out->function = plait__host_callback_run;
	out->user_data = call;
}

/* A read of the region's word into the predicate; or a host callback, if a
 * function decides or the lane's backend does not know the word's memory. */
static void make_predicate(plait__queue_instance *state, uint32_t region,
			   plait_work *out)
{
	const plait__program *program = state->compiled->program;
	const plait__plan *plan = program->plan;
	plait__queue_predicate *predicate = &state->predicates[region];
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[region].predicate];
	bool is_function = state->compiled->regions[region].function != NULL;

	predicate->state = state;
	predicate->region = region;
	if (is_function ||
	    plait__queue_command_is_foreign(state->compiled,
					    plan->regions[region].command)) {
		out->kind = PLAIT_WORK_CALL;
		out->function = is_function ?
					plait__host_callback_ask_predicate :
					plait__host_callback_read_predicate;
		out->user_data = predicate;
		return;
	}
	out->kind = PLAIT_WORK_READ;
	out->bytes = sizeof(predicate->word);
	out->host = &predicate->word;
	set_source(state, &plan->args[payload->arg_first], out);
}

/* A launch of device code, with a handle that is set when it is bound, or else
 * a host callback.  `out` is an element of state->work. */
static void make_launch(plait__queue_instance *state, uint32_t command,
			plait_work *out)
{
	const plait__plan *plan = state->compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	const plait__kernel *kernel = plait__resolve_kernel(state, payload);

	state->launches[command].work = (uint32_t)(out - state->work);
	make_call(state, command, plait__host_callback_kernel, out);
	if (plait__device_code_find(
		    kernel, state->compiled->lanes[plan->commands[command].lane]
				    .device) != NULL)
		out->kind = PLAIT_WORK_LAUNCH;
}

/* A copy with memory of the program, at the address that the run brought. */
static bool make_transfer(const plait__queue_instance *state,
			  const plait__plan_arg *args, plait_work *out)
{
	const plait__plan *plan = state->compiled->program->plan;

	if (plait__payload_arg_is_host(plan->params, &args[0])) {
		out->kind = PLAIT_WORK_READ;
		out->host = plait__resolve_host(state, &args[0]);
		set_source(state, &args[1], out);
	} else if (plait__payload_arg_is_host(plan->params, &args[1])) {
		out->kind = PLAIT_WORK_WRITE;
		out->host = plait__resolve_host(state, &args[1]);
		set_target(state, &args[0], out);
	} else {
		return false;
	}
	return true;
}

/* A copy or a fill by the backend, of memory that it knows. */
static void make_copy(const plait__queue_instance *state, uint32_t command,
		      plait_work *out)
{
	const plait__plan *plan = state->compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	const plait__plan_arg *args = &plan->args[payload->arg_first];

	out->bytes = payload->bytes;
	if (plan->commands[command].kind == PLAIT__CMD_COPY) {
		out->rows = plait__payload_rows(plan, payload);
		if (make_transfer(state, args, out))
			return;
		out->kind = PLAIT_WORK_COPY;
		set_target(state, &args[0], out);
		set_source(state, &args[1], out);
		return;
	}
	out->kind = PLAIT_WORK_FILL;
	set_target(state, &args[0], out);
	out->pattern = payload->value;
	out->pattern_bytes = payload->small & 0xff;
}

/* A region on a device.  compile_device_loops.c has checked that the predicate
 * is a word. */
static void make_region(plait__queue_instance *state, uint32_t region,
			plait_work *out)
{
	const plait__plan_object *plan_object =
		state->compiled->program->plan_object;
	const plait__plan *plan = plan_object->plan;
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[region].predicate];

	out->kind = PLAIT_WORK_REGION;
	out->bytes = sizeof(uint32_t);
	out->region = &state->compiled->regions[region].shape;
	set_source(state, &plan->args[payload->arg_first], out);
}

/* Returns true if memory that this run was given is of another backend.  Memory
 * not given yet counts as such. */
static bool is_foreign_this_run(const plait__queue_instance *state,
				uint32_t command)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	const plait__backend_port *port = plait__queue_program_port(
		compiled, plan->commands[command].lane);

	if (!plait__payload_is_param_copy(plan, command))
		return false;
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg = &plan->args[payload->arg_first +
							 i];
		const plait__buffer *buffer;
		uint64_t offset;

		if (arg->kind != PLAIT__ARG_PARAM ||
		    plait__payload_arg_is_host(plan->params, arg))
			continue;
		buffer = plait__resolve_buffer(state, arg, &offset);
		if (buffer == NULL || buffer->device->port != port)
			return true;
	}
	return false;
}

void plait__translate_work(plait__queue_instance *state, uint32_t what,
			   plait_work *out)
{
	const plait__plan_object *plan_object =
		state->compiled->program->plan_object;
	const plait__plan *plan = plan_object->plan;
	uint32_t command = what < plan->command_count ? what :
			   plan->regions[what - plan->command_count].command;
	const char *label = plait__plan_node_name(
		plan, plan->commands[command].node);
	uint8_t kind = plan->commands[command].kind;

	if (what < plan->command_count &&
	    plait__payload_is_changing_copy(plan, command))
		state->launches[command].work = (uint32_t)(out - state->work);
	out->size = sizeof(*out);
	out->label = label[0] != '\0' ? label : NULL;
	if (what >= plan->command_count)
		make_predicate(state, what - plan->command_count, out);
	else if (kind == PLAIT__CMD_REGION)
		make_region(state, plan->commands[command].link, out);
	else if (kind == PLAIT__CMD_LAUNCH)
		make_launch(state, command, out);
	else if (kind == PLAIT__CMD_JOIN)
		out->kind = PLAIT_WORK_NOP;
	else if (kind == PLAIT__CMD_HOST)
		make_call(state, command, plait__host_callback_function, out);
	else if (plait__queue_command_is_foreign(state->compiled, command) ||
		 is_foreign_this_run(state, command))
		make_call(state, command, plait__host_callback_copy, out);
	else
		make_copy(state, command, out);
}

plait_status plait__translate_work_bound(plait__queue_instance *state,
					 uint32_t command, plait_error *error)
{
	plait_work *work = &state->work[state->launches[command].work];

	*work = (plait_work){ .kind = PLAIT_WORK_NOP };
	plait__translate_work(state, command, work);
	if (work->kind != PLAIT_WORK_CALL ||
	    plait__queue_command_can_call(state->compiled, command))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "what the run brought is another backend's memory, "
			   "which that device cannot reach");
}
