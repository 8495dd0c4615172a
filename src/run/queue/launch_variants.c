/* SPDX-License-Identifier: MIT */
/*
 * Kernels that devices run themselves.  A launch of a backend has its
 * arguments and its geometry for good, so a command keeps some:
 *
 *     nothing changes		one, bound with the instance
 *     buffers take turns	one per turn, bound with the instance
 *     parameters, or the	bound before it is submitted, unless one of
 *     number of the iteration	those that are kept has the same
 *
 * What is replaced is not in use: an iteration begins behind all of the last
 * one, a run behind the last run of its instance.  Buffers that a run was told
 * are the user's to release when it is over, so launches that have them end
 * with it.
 *
 * A command of a segment is bound with the instance in any case, to what its
 * frame has before anybody said more (zeros, no memory, one item), so that the
 * segment can be made and then only has to be patched.
 */
#include "run/queue/queue_engine.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"

#include "base/error.h"
#include "kernel/argument.h"
#include "object/context/backend_result.h"

#include <string.h>

/* More turns than that are bound as they come. */
enum { MOST_VARIANTS = 8 };

/* `changes` of a launch. */
enum {
	TURNS = 1 << 0,
	TOLD = 1 << 1,		/* parameters, the number of an iteration */
	BORROWS = 1 << 2	/* memory among them */
};

/* ---- what may change ---- */

static const plait__plan_payload *payload_of(const plait__queue_program *queued,
					     uint32_t command)
{
	const plait__plan *plan = queued->program->plan;

	return plan->commands[command].kind == PLAIT__CMD_LAUNCH ?
	       plait__payload_of(plan, command) : NULL;
}

static plait__device *device_of(const plait__queue_program *queued, uint32_t command)
{
	return queued->lanes[queued->program->plan->commands[command].lane]
		       .device;
}

static uint32_t change_of(const plait__plan *plan, const plait__plan_arg *arg)
{
	switch (arg->kind) {
	case PLAIT__ARG_ROTATION:
		return TURNS;
	case PLAIT__ARG_INDEX:
		return TOLD;
	case PLAIT__ARG_PARAM:
		return plan->params[arg->index].kind == PLAIT__PARAM_MEMORY ?
		       TOLD | BORROWS : TOLD;
	default:
		return 0;
	}
}

static uint32_t find_changes(const plait__queue_program *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	const plait__plan_payload *payload = payload_of(queued, command);
	uint32_t changes = 0;

	if (payload == NULL)
		return 0;
	if (plan->geometries[payload->geometry].param != PLAIT__NONE)
		changes = TOLD;
	for (uint32_t i = 0; i < payload->arg_count; i++)
		changes |= change_of(plan,
				     &plan->args[payload->arg_first + i]);
	return changes;
}

bool plait__launch_variants_may_change(const plait__queue_program *queued, uint32_t command)
{
	return plait__payload_is_param_copy(queued->program->plan, command) ||
	       find_changes(queued, command) != 0;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y != 0) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* How many iterations it takes until the same buffers come again. */
static uint32_t count_turns(const plait__plan *plan,
			    const plait__plan_payload *payload)
{
	uint32_t turns = 1, prologue = 0;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];
		const plait__plan_rotation *rotation;

		if (arg->kind != PLAIT__ARG_ROTATION)
			continue;
		rotation = &plan->rotations[arg->index];
		prologue |= rotation->prologue != 0;
		turns = common_multiple(turns, rotation->slot_count -
					(rotation->prologue != 0));
		if (turns >= MOST_VARIANTS)
			return MOST_VARIANTS;
	}
	return turns + prologue;
}

uint32_t plait__launch_variants_count(const plait__queue_program *queued, uint32_t command)
{
	const plait__plan_payload *payload = payload_of(queued, command);

	if (payload == NULL ||
	    plait__device_forms(device_of(queued, command)) == 0)
		return 0;
	return count_turns(queued->program->plan, payload);
}

/* ---- what it is given now ---- */

/* What is wrong with an argument, in the words of those who name the node. */
static plait_status wrong(const plait__kernel *kernel, uint32_t index,
			  plait_status status, plait_error *error)
{
	char room[PLAIT__ARGUMENT_TYPE_ROOM];

	plait__error_prefix(error, "%.60s: argument %u \"%.40s\" (%s): ",
			    kernel->signature->name, index,
			    kernel->signature->parameters[index].name,
			    plait__argument_type(
				    &kernel->signature->parameters[index],
				    room));
	return status;
}

static plait_status give_scratch(const plait__queue_instance *state,
				 uint32_t command, plait__variant_argument *out)
{
	const plait__plan_scratch *at =
		plait__frame_scratch(&state->instance->frame, command);

	if (at == NULL)
		return PLAIT_OK;
	out->memory = state->arenas[at->device];
	out->offset = at->offset;
	return PLAIT_OK;
}

static plait_status give_memory(const plait__queue_instance *state,
				uint32_t command, const plait__plan_arg *arg,
				const plait__parameter *parameter,
				plait__variant_argument *out, plait_error *error)
{
	const plait__device *device = device_of(state->queued, command);
	uint64_t offset;
	const plait__buffer *buffer = plait__resolve_buffer(state, arg, &offset);
	const char *fault;

	/* Memory without bytes is no memory to backends. */
	if (buffer == NULL || buffer->root->raw == NULL)
		return PLAIT_OK;
	if (buffer->device->port != device->port)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "it is memory of device \"%.60s\", which "
				   "is of another backend",
				   buffer->device->object.label);
	fault = plait__argument_check_memory(parameter, offset);
	if (fault != NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s", fault);
	out->memory = buffer->root->raw;
	out->offset = buffer->offset + offset;
	return PLAIT_OK;
}

static plait_status give(const plait__queue_instance *state, uint32_t command,
			 const plait__plan_arg *arg,
			 const plait__parameter *parameter, const void *value,
			 plait__variant_argument *out, plait_error *error)
{
	*out = (plait__variant_argument){ .memory = NULL };
	if (parameter->type == PLAIT__TYPE_POINTER &&
	    arg->kind == PLAIT__ARG_SCRATCH)
		return give_scratch(state, command, out);
	if (parameter->type == PLAIT__TYPE_POINTER &&
	    arg->kind != PLAIT__ARG_VALUE)
		return give_memory(state, command, arg, parameter, out, error);
	memcpy(&out->value, value, plait__type_bytes(parameter->type));
	return PLAIT_OK;
}

static plait_status find_given(const plait__queue_instance *state,
			       uint32_t command, const plait__kernel *kernel,
			       plait__variant_argument *out, plait_error *error)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__plan_payload *payload = payload_of(state->queued,
							command);
	void *const *values = plait__frame_arguments(
		frame, frame->layout->arguments[command]);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		status = give(state, command,
			      &state->queued->program->plan
				       ->args[payload->arg_first + i],
			      &kernel->signature->parameters[i], values[i],
			      &out[i], error);
		if (status != PLAIT_OK)
			return wrong(kernel, i, status, error);
	}
	return PLAIT_OK;
}

static plait_status find_geometry(const plait__queue_instance *state,
				  uint32_t command,
				  const plait__kernel *kernel,
				  plait_launch *out, plait_error *error)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__frame_layout *layout = frame->layout;
	plait_status status;

	*out = *plait__frame_launch(
		frame, layout->launches +
		       payload_of(state->queued, command)->geometry *
			       layout->launch_words);
	status = plait__select_source_set_groups(kernel, out, error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%.60s: ", kernel->signature->name);
	return status;
}

/* ---- binding ---- */

static void unbind(plait__queue_instance *state, uint32_t command,
		   plait__launch_variant *variant)
{
	plait__device_code_unbind(device_of(state->queued, command), variant->raw);
	variant->raw = NULL;
}

static bool has(const plait__launch_variant *variant,
		const plait_launch *launch, const plait__variant_argument *given,
		uint32_t count)
{
	return variant->raw != NULL &&
	       memcmp(&variant->launch, launch, sizeof(*launch)) == 0 &&
	       (count == 0 ||
		memcmp(variant->given, given, count * sizeof(*given)) == 0);
}

static plait_status bind_to(plait__queue_instance *state, uint32_t command,
			    plait__launch_variant *variant, uint32_t count,
			    plait_error *error)
{
	for (uint32_t i = 0; i < count; i++)
		state->binding[i] = (plait_launch_argument){
			.size = sizeof(state->binding[i]),
			.memory = variant->given[i].memory,
			.offset = variant->given[i].offset,
			.value = &variant->given[i].value,
		};
	return plait__device_code_bind(state->launches[command].kernel,
				       device_of(state->queued, command),
				       &variant->launch, state->binding,
				       &variant->raw, error);
}

/* `state->given` begins with what it is given now. */
static plait_status choose(plait__queue_instance *state, uint32_t command,
			   const plait_launch *launch,
			   plait__launch_variant **out, plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	uint32_t count = self->kernel->signature->count;
	plait__launch_variant *variant;

	for (uint32_t i = 0; i < self->variant_count; i++) {
		*out = &self->variants[i];
		if (has(*out, launch, state->given, count))
			return PLAIT_OK;
	}
	variant = &self->variants[self->oldest];
	self->oldest = (self->oldest + 1) % self->variant_count;
	unbind(state, command, variant);
	variant->launch = *launch;
	if (count > 0)
		memcpy(variant->given, state->given,
		       count * sizeof(*variant->given));
	*out = variant;
	plait__device_graphs_launch_changed(state, command);
	return bind_to(state, command, variant, count, error);
}

/* Null: what it launches now is a function of the host. */
static plait__kernel *find_kernel(const plait__queue_instance *state,
				  uint32_t command)
{
	plait__kernel *kernel = plait__resolve_kernel(
		state, payload_of(state->queued, command));

	return plait__device_code_find(kernel, device_of(state->queued, command)) !=
			       NULL ? kernel : NULL;
}

static plait_status bind_now(plait__queue_instance *state, uint32_t command,
			     plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	plait__launch_variant *variant;
	plait_launch launch;
	plait_status status;

	if (self->variant_count == 0 || self->kernel == NULL)
		return PLAIT_OK;
	status = find_geometry(state, command, self->kernel, &launch, error);
	if (status == PLAIT_OK)
		status = find_given(state, command, self->kernel, state->given,
				    error);
	if (status == PLAIT_OK)
		status = choose(state, command, &launch, &variant, error);
	if (status != PLAIT_OK)
		return status;
	if (state->work[self->work].launch != variant->raw)
		plait__device_graphs_launch_changed(state, command);
	state->work[self->work].launch = variant->raw;
	return PLAIT_OK;
}

static plait_status bind_turn(plait__queue_instance *state, uint32_t command,
			      uint32_t turn, plait_error *error)
{
	const plait__plan *plan = state->queued->program->plan;
	const plait__plan_payload *payload = payload_of(state->queued,
							command);
	uint64_t *iterations = state->instance->frame.iterations;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		if (arg->kind == PLAIT__ARG_ROTATION)
			iterations[plan->rotations[arg->index].region] = turn;
	}
	return bind_now(state, command, error);
}

/* What runs have to tell, before one has: what cannot be bound so is bound when
 * it is told. */
static void bind_ahead(plait__queue_instance *state, uint32_t command)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (plait__queue_program_segment(state->queued, command) != NULL)
		(void)bind_now(state, command, &ignored);
}

/* What no run has to tell: with all turns, the first at last. */
static plait_status bind_all(plait__queue_instance *state, uint32_t command,
			     plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	plait_status status = PLAIT_OK;

	self->kernel = find_kernel(state, command);
	if (self->kernel == NULL)
		return PLAIT_OK;
	plait__object_hold(&self->kernel->object);
	if ((self->changes & TOLD) != 0) {
		bind_ahead(state, command);
		return PLAIT_OK;
	}
	for (uint32_t i = self->variant_count; status == PLAIT_OK && i-- > 0;)
		status = bind_turn(state, command, i, error);
	return status;
}

static void unbind_all(plait__queue_instance *state, uint32_t command)
{
	plait__queue_launch *self = &state->launches[command];

	for (uint32_t i = 0; i < self->variant_count; i++)
		unbind(state, command, &self->variants[i]);
	/* Runs end in upcalls too. */
	if (self->kernel != NULL)
		plait__object_drop_deferred(&self->kernel->object);
	self->kernel = NULL;
}

/* ---- instances ---- */

static plait_status make(plait__queue_instance *state, uint32_t command,
			 plait_error *error)
{
	const plait__plan_scratch *scratch = plait__frame_scratch(
		&state->instance->frame, command);
	plait__queue_launch *self = &state->launches[command];
	plait_status status = PLAIT_OK;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (self->variant_count == 0)
		return PLAIT_OK;
	self->changes = find_changes(state->queued, command);
	if ((self->changes & BORROWS) != 0) {
		self->next_borrower = state->borrower;
		state->borrower = command;
	}
	if (scratch != NULL)
		status = plait__scratch_arenas_make(state, scratch->device,
						    error);
	if (status == PLAIT_OK)
		status = bind_all(state, command, error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%s: ",
				    plait__command_text(
					    state->queued->program->plan,
					    command, room));
	return status;
}

static void reset_iterations(const plait__queue_instance *state)
{
	const plait__plan *plan = state->queued->program->plan;

	for (uint32_t i = 0; i < plan->regions_count; i++)
		state->instance->frame.iterations[i] = 0;
}

plait_status plait__launch_variants_make(plait__queue_instance *state,
					 plait_error *error)
{
	const plait__plan *plan = state->queued->program->plan;
	plait_status status = PLAIT_OK;

	state->borrower = PLAIT__NONE;
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++)
		status = make(state, i, error);
	reset_iterations(state);
	return status;
}

void plait__launch_variants_free(plait__queue_instance *state)
{
	const plait__plan *plan = state->queued->program->plan;

	for (uint32_t i = 0; state->launches != NULL && i < plan->command_count;
	     i++)
		unbind_all(state, i);
	if (state->arenas != NULL)
		plait__scratch_arenas_free(state);
}

/* ---- runs ---- */

/* False: the run has failed, and the next one tries again. */
static bool renew(plait__queue_instance *state, uint32_t command)
{
	plait__queue_launch *self = &state->launches[command];
	plait_error why = { .size = sizeof(why) };

	if (self->variant_count == 0 ||
	    self->kernel == find_kernel(state, command))
		return true;
	unbind_all(state, command);
	state->work[self->work] = (plait_work){ .launch = NULL };
	plait__translate_work(state, command, &state->work[self->work]);
	plait__device_graphs_launch_changed(state, command);
	if (bind_all(state, command, &why) == PLAIT_OK)
		return true;
	unbind_all(state, command);
	plait__error_prefix(&why, "could not be bound: ");
	plait__instance_fail(state->instance, command, &why);
	return false;
}

void plait__launch_variants_renew(plait__queue_instance *state)
{
	const plait__plan *plan = state->queued->program->plan;
	const plait__kernel_version *version = state->instance->version;
	uint64_t number = version != NULL ? version->number : 0;
	bool all = true;

	if (number == state->version)
		return;
	for (uint32_t i = 0; i < plan->command_count; i++)
		all = renew(state, i) && all;
	reset_iterations(state);
	if (all)
		state->version = number;
}

void plait__launch_variants_release(plait__queue_instance *state)
{
	uint32_t command = state->borrower;

	for (; command != PLAIT__NONE;
	     command = state->launches[command].next_borrower)
		for (uint32_t i = 0;
		     i < state->launches[command].variant_count; i++)
			unbind(state, command,
			       &state->launches[command].variants[i]);
}

/* ---- batches ---- */

static void bind_command(plait__queue_instance *state, uint32_t command)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK;

	if (state->launches[command].changes != 0)
		status = bind_now(state, command, &why);
	else if (plait__payload_is_param_copy(state->queued->program->plan,
					      command))
		status = plait__translate_work_bound(state, command, &why);
	if (status == PLAIT_OK)
		return;
	plait__error_prefix(&why, "could not be bound: ");
	plait__instance_fail(state->instance, command, &why);
}

void plait__launch_variants_bind_submission(plait__queue_instance *state,
					    const plait__queue_submission *submission)
{
	const plait__queue_program *queued = state->queued;

	for (uint32_t i = 0; i < submission->work_count; i++) {
		uint32_t what = plait__queue_program_at(&queued->work,
							submission->work_first + i);

		if (what < queued->program->plan->command_count)
			bind_command(state, what);
	}
}

void plait__launch_variants_bind(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_batch *batch =
		(const plait__queue_batch *)queued->batches.items + number;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)queued->submissions.items +
		batch->submission_first;
	const plait__queue_submission *end = submission + batch->submission_count;

	for (; batch->binds && submission < end; submission++)
		plait__launch_variants_bind_submission(state, submission);
}
