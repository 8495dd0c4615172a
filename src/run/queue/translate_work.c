/* SPDX-License-Identifier: MIT */
/*
 * How a command of a plan becomes work of a backend: the one place that knows
 * both.  Copies and fills are what backends do themselves, and kernels that
 * they have code for; all else is a call of the host.
 */
#include "run/queue/queue_engine.h"

#include "run/args/payload_util.h"

#include "base/error.h"
#include "object/memory/buffer.h"
#include "object/kernel/device_code.h"

/* ---- what devices cannot do ---- */

static bool can_call(const plait__queue_program *queued, uint32_t lane)
{
	return (plait__device_facts(queued->lanes[lane].device)->capabilities &
		PLAIT_CAP_HOST_CALL) != 0;
}

/* What the host has to do instead, called by the lane. */
static const char *lacks_of_foreign(const plait__queue_program *queued,
				    uint32_t command, const char *what)
{
	return can_call(queued,
			queued->program->plan->commands[command].lane) ||
		       !plait__resolve_is_foreign(queued, command) ?
	       NULL : what;
}

static const char *lacks_of_region(const plait__queue_program *queued,
				   uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	uint32_t region = plan->commands[command].link;
	const plait__store_function *function =
		plait__program_predicate(queued->program, region);

	queued->regions[region].function = function;
	if (function == NULL)
		return lacks_of_foreign(queued, command, "is decided by a "
				"word of another backend's memory, which that "
				"device cannot read");
	if (function->inbox != NULL)
		return NULL;
	return can_call(queued, plan->commands[command].lane) ? NULL :
	       "is decided by a host function, which that device cannot call";
}

const char *plait__translate_lacks(const plait__queue_program *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	const plait__plan_command *at = &plan->commands[command];

	switch (at->kind) {
	case PLAIT__CMD_HOST:
		return can_call(queued, at->lane) ? NULL :
		       "is a host function, which that device cannot call";
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
		return lacks_of_foreign(queued, command,
					"has rows or another backend's "
					"memory, which that device cannot "
					"reach");
	case PLAIT__CMD_LAUNCH:
	case PLAIT__CMD_EMPTY:
	case PLAIT__CMD_MARK:
	case PLAIT__CMD_ENTER:
	case PLAIT__CMD_JOIN:
	case PLAIT__CMD_EMIT:
	case PLAIT__CMD_WAIT:
	case PLAIT__CMD_CALLBACK:
		return NULL;
	case PLAIT__CMD_REGION:
		return lacks_of_region(queued, command);
	default:
		return "is of a kind that plans on queues cannot run yet";
	}
}

bool plait__translate_has_work(const plait__plan *plan, uint32_t command)
{
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);

	if (payload == NULL)
		return false;
	if (at->kind == PLAIT__CMD_COPY || at->kind == PLAIT__CMD_FILL)
		return payload->bytes > 0;
	return at->kind == PLAIT__CMD_LAUNCH || at->kind == PLAIT__CMD_HOST;
}

/* ---- work ---- */

static void set_target(const plait__queue_instance *state,
		       const plait__plan_arg *arg, plait_work *out)
{
	uint64_t offset;
	const plait__buffer *buffer = plait__resolve_buffer(state, arg, &offset);

	out->target = buffer->root->raw;
	out->target_offset = buffer->offset + offset;
}

static void set_source(const plait__queue_instance *state,
		       const plait__plan_arg *arg, plait_work *out)
{
	uint64_t offset;
	const plait__buffer *buffer = plait__resolve_buffer(state, arg, &offset);

	out->source = buffer->root->raw;
	out->source_offset = buffer->offset + offset;
}

static void make_call(plait__queue_instance *state, uint32_t command,
		      plait_status (*carry)(plait__host_callback *call,
					    plait_error *why),
		      plait_work *out)
{
	const plait__plan_object *frozen = state->queued->program->frozen;
	plait__host_callback *call = &state->calls[command];
	const plait__plan_payload *payload =
		plait__payload_of(frozen->plan, command);

	call->state = state;
	call->command = command;
	call->payload = payload;
	call->count = payload->arg_count;
	call->carry = carry;
	if (payload->object < frozen->plan->functions_count)
		call->host = &frozen->functions[payload->object];
	out->kind = PLAIT_WORK_CALL;
	out->function = plait__host_callback_run;
	out->user_data = call;
}

static void make_question(plait__queue_instance *state, uint32_t region,
			  plait_work *out)
{
	const plait__program *program = state->queued->program;
	const plait__plan *plan = program->plan;
	plait__queue_predicate *predicate = &state->predicates[region];
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[region].predicate];
	bool is_function = state->queued->regions[region].function != NULL;

	predicate->state = state;
	predicate->region = region;
	if (is_function ||
	    plait__resolve_is_foreign(state->queued,
				      plan->regions[region].command)) {
		out->kind = PLAIT_WORK_CALL;
		out->function = is_function ? plait__host_callback_ask_predicate :
				plait__host_callback_read_predicate;
		out->user_data = predicate;
		return;
	}
	out->kind = PLAIT_WORK_READ;
	out->bytes = sizeof(predicate->word);
	out->host = &predicate->word;
	set_source(state, &plan->args[payload->arg_first], out);
}

/* A call of the host's code, or a launch of the device's, which is put there
 * when it is bound. */
static void make_launch(plait__queue_instance *state, uint32_t command,
			plait_work *out)
{
	const plait__plan *plan = state->queued->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);
	const plait__kernel *kernel = plait__resolve_kernel(state, payload);

	state->launches[command].work = (uint32_t)(out - state->work);
	make_call(state, command, plait__host_callback_kernel, out);
	if (plait__device_code_find(kernel, state->queued->lanes[
			plan->commands[command].lane].device) != NULL)
		out->kind = PLAIT_WORK_LAUNCH;
}

static void make_move(const plait__queue_instance *state, uint32_t command,
		      plait_work *out)
{
	const plait__plan *plan = state->queued->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);
	const plait__plan_arg *args = &plan->args[payload->arg_first];

	out->bytes = payload->bytes;
	set_target(state, &args[0], out);
	if (plan->commands[command].kind == PLAIT__CMD_COPY) {
		out->kind = PLAIT_WORK_COPY;
		out->rows = plait__payload_rows(plan, payload);
		set_source(state, &args[1], out);
		return;
	}
	out->kind = PLAIT_WORK_FILL;
	out->pattern = payload->value;
	out->pattern_bytes = payload->small & 0xff;
}

/* One that the device decides. */
static void make_region(plait__queue_instance *state, uint32_t region,
			plait_work *out)
{
	const plait__plan_object *frozen = state->queued->program->frozen;
	const plait__plan *plan = frozen->plan;
	const plait__plan_payload *payload =
		&plan->payloads[plan->regions[region].predicate];

	out->kind = PLAIT_WORK_REGION;
	out->bytes = sizeof(uint32_t);
	out->region = &state->queued->regions[region].shape;
	set_source(state, &plan->args[payload->arg_first], out);
}

/* Is what this run has brought of another backend?  Nothing yet is, too. */
static bool is_away(const plait__queue_instance *state, uint32_t command)
{
	const plait__queue_program *queued = state->queued;
	const plait__plan *plan = queued->program->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       command);
	const plait__backend_port *port = plait__queue_program_port(
		queued, plan->commands[command].lane);

	if (!plait__payload_is_param_copy(plan, command))
		return false;
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg = &plan->args[payload->arg_first +
							 i];
		const plait__buffer *buffer;
		uint64_t offset;

		if (arg->kind != PLAIT__ARG_PARAM)
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
	const plait__plan_object *frozen = state->queued->program->frozen;
	const plait__plan *plan = frozen->plan;
	uint32_t command = what < plan->command_count ? what :
			   plan->regions[what - plan->command_count].command;
	const char *label = plait__plan_node_label(
		plan, plan->commands[command].node);
	uint8_t kind = plan->commands[command].kind;

	if (what < plan->command_count &&
	    plait__payload_is_param_copy(plan, command))
		state->launches[command].work = (uint32_t)(out - state->work);
	out->size = sizeof(*out);
	out->label = label[0] != '\0' ? label : NULL;
	if (what >= plan->command_count)
		make_question(state, what - plan->command_count, out);
	else if (kind == PLAIT__CMD_REGION)
		make_region(state, plan->commands[command].link, out);
	else if (kind == PLAIT__CMD_LAUNCH)
		make_launch(state, command, out);
	else if (kind == PLAIT__CMD_EMPTY)
		out->kind = PLAIT_WORK_NOP;
	else if (kind == PLAIT__CMD_HOST)
		make_call(state, command, plait__host_callback_function, out);
	else if (plait__resolve_is_foreign(state->queued, command) ||
		 is_away(state, command))
		make_call(state, command, plait__host_callback_copy, out);
	else
		make_move(state, command, out);
}

plait_status plait__translate_work_bound(plait__queue_instance *state,
					 uint32_t command, plait_error *error)
{
	const plait__plan *plan = state->queued->program->plan;
	plait_work *work = &state->work[state->launches[command].work];

	*work = (plait_work){ .kind = PLAIT_WORK_NOP };
	plait__translate_work(state, command, work);
	if (work->kind != PLAIT_WORK_CALL ||
	    can_call(state->queued, plan->commands[command].lane))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "what the run brought is another backend's memory, "
			   "which that device cannot reach");
}
