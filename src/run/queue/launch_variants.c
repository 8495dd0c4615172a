/* SPDX-License-Identifier: MIT */
/*
 * Cache of bound launches.  A backend launch has fixed arguments and a fixed
 * geometry, so each launch command keeps one or several:
 *
 *     constant arguments		one, bound with the instance
 *     rotating buffers		one per rotation, bound with the instance
 *     parameters, iteration	bound before submission, unless one that is
 *     numbers, series		kept matches
 *
 * A launch that is replaced is not in use: an iteration begins after all of the
 * last one, and a run after the last run of its instance.  Of a repeat that is
 * submitted ahead, two windows may be in flight: a launch with a number of the
 * iteration keeps one variant per iteration modulo their count, which is at
 * least that of two windows, and all iterations if they are few.  The user may release
 * buffers given to a run when it is over, so launches with such memory are
 * unbound then.
 *
 * Commands of segments are also bound with the instance, to the initial
 * contents of its frame (zeros, no memory, one item), so that device graphs can
 * be created; runs only patch them.
 */
#include "run/queue/launch_variants.h"

#include "run/command_text.h"
#include "run/queue/queue_command.h"
#include "run/queue/resolve_arguments.h"
#include "run/queue/scratch_arenas.h"
#include "run/queue/translate_work.h"
#include "run/queue/variant_cells.h"
#include "run/queue/variant_turns.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"

#include "base/error.h"
#include "kernel/argument.h"
#include "kernel/signature.h"
#include "object/kernel/device_code.h"

#include <string.h>

static plait__device *device_of(const plait__queue_program *compiled,
				uint32_t command)
{
	return compiled->lanes[compiled->program->plan->commands[command].lane]
		.device;
}

/* ---- current arguments ---- */

/* Prefix an error with the argument; the caller names the node. */
static plait_status prefix_argument(const plait__kernel *kernel, uint32_t index,
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

/* make_launch has created the arena. */
static plait_status resolve_scratch(const plait__queue_instance *state,
				    uint32_t command,
				    plait__variant_argument *out)
{
	const plait__plan_scratch *at =
		plait__frame_scratch(&state->instance->frame, command);

	if (at == NULL)
		return PLAIT_OK;
	out->memory = state->arenas[at->device];
	out->offset = at->offset;
	return PLAIT_OK;
}

/* Find the backend's memory of an argument; *out stays null memory if there is
 * none.  PLAIT_E_UNSUPPORTED: of another backend; PLAIT_E_INVALID: not
 * aligned. */
static plait_status resolve_memory(const plait__queue_instance *state,
				   uint32_t command, const plait__plan_arg *arg,
				   const plait__parameter *parameter,
				   plait__variant_argument *out,
				   plait_error *error)
{
	const plait__device *device = device_of(state->compiled, command);
	uint64_t offset;
	const plait__buffer *buffer =
		plait__resolve_buffer(state, arg, &offset);
	const char *fault;

	/* Backends have no handle for empty memory. */
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

/* `extra`: cells of a value above 8 bytes. */
static plait_status resolve_argument(
	const plait__queue_instance *state, uint32_t command,
	const plait__plan_arg *arg, const plait__parameter *parameter,
	const void *value, plait__variant_argument *out,
	plait__variant_argument *extra, plait_error *error)
{
	uint64_t number;

	*out = (plait__variant_argument){ .memory = NULL };
	if (parameter->type == PLAIT__TYPE_POINTER &&
	    arg->kind == PLAIT__ARG_SCRATCH)
		return resolve_scratch(state, command, out);
	if (parameter->type == PLAIT__TYPE_POINTER &&
	    arg->kind != PLAIT__ARG_VALUE)
		return resolve_memory(state, command, arg, parameter, out,
				      error);
	if (plait__payload_arg_is_number(arg)) {
		number = plait__resolve_number(state, arg, NULL);
		value = &number;
	}
	memcpy(parameter->bytes <= sizeof(out->value) ?
	       (void *)&out->value : (void *)extra, value, parameter->bytes);
	return PLAIT_OK;
}

/* `out` has the cells that plait__variant_cells_count has counted; the
 * signature has as many parameters as the payload has arguments
 * (launch_arguments.c; verify_commands.c for loaded plans). */
static plait_status resolve_arguments(const plait__queue_instance *state,
				      uint32_t command,
				      const plait__kernel *kernel,
				      plait__variant_argument *out,
				      plait_error *error)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__plan_payload *payload =
		plait__queue_command_launch(state->compiled, command);
	void *const *values = plait__frame_arguments(
		frame, frame->layout->arguments[command]);
	plait__variant_argument *extra = out + payload->arg_count;
	plait_status status = PLAIT_OK;

	/* The padding of values takes part in comparisons. */
	if (state->launches[command].cell_count > payload->arg_count)
		memset(extra, 0, (state->launches[command].cell_count -
				  payload->arg_count) * sizeof(*extra));
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__parameter *parameter =
			&kernel->signature->parameters[i];

		status = resolve_argument(
			state, command,
			&state->compiled->program->plan
				 ->args[payload->arg_first + i],
			parameter, values[i], &out[i], extra, error);
		extra += plait__variant_cells_extra(parameter->bytes);
		if (status != PLAIT_OK)
			return prefix_argument(kernel, i, status, error);
	}
	return PLAIT_OK;
}

/* *out_empty: it has no items in this iteration. */
static plait_status find_geometry(const plait__queue_instance *state,
				  uint32_t command, const plait__kernel *kernel,
				  plait_launch *out, bool *out_empty,
				  plait_error *error)
{
	const plait__frame *frame = &state->instance->frame;
	const plait__frame_layout *layout = frame->layout;
	const plait__plan_payload *payload =
		plait__queue_command_launch(state->compiled, command);
	plait_status status;

	*out = *plait__frame_launch(
		frame,
		layout->launches + payload->geometry * layout->launch_words);
	*out_empty = plait__payload_has_series(state->compiled->program->plan,
					       payload) &&
		     !plait__frame_size(frame, payload->geometry, NULL, out);
	if (*out_empty)
		return plait__resolve_no_items(out, error);
	status = plait__select_source_set_groups(kernel, out, error);
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%.60s: ", kernel->signature->name);
	return status;
}

/* ---- binding ---- */

void plait__launch_variants_mark_stale(plait__queue_instance *state,
				       uint32_t command)
{
	const plait__queue_program *compiled = state->compiled;

	if (plait__queue_program_segment(compiled, command) == NULL)
		return;
	state->graphs[compiled->segment_of[command]].changed = true;
	state->launches[command].stale = true;
}

/* The launch is not in flight. */
static void unbind(plait__queue_instance *state, uint32_t command,
		   plait__launch_variant *variant)
{
	plait__device_code_unbind(device_of(state->compiled, command),
				  variant->raw);
	variant->raw = NULL;
}

static bool matches(const plait__launch_variant *variant,
		    const plait_launch *launch,
		    const plait__variant_argument *arguments, uint32_t count)
{
	return variant->raw != NULL &&
	       memcmp(&variant->launch, launch, sizeof(*launch)) == 0 &&
	       (count == 0 || memcmp(variant->arguments, arguments,
				     count * sizeof(*arguments)) == 0);
}

/* The variant has no launch; its arguments and its geometry are set. */
static plait_status bind_variant(plait__queue_instance *state, uint32_t command,
				 plait__launch_variant *variant, uint32_t count,
				 plait_error *error)
{
	const plait__kernel *kernel = state->launches[command].kernel;
	const plait__variant_argument *extra = variant->arguments + count;

	variant->binding = ++state->bindings;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t cells = plait__variant_cells_extra(
			kernel->signature->parameters[i].bytes);

		state->backend_arguments[i] = (plait_launch_argument){
			.size = sizeof(state->backend_arguments[i]),
			.memory = variant->arguments[i].memory,
			.offset = variant->arguments[i].offset,
			.value = cells > 0 ? (const void *)extra :
				 &variant->arguments[i].value,
		};
		extra += cells;
	}
	return plait__device_code_bind(kernel,
				       device_of(state->compiled, command),
				       &variant->launch,
				       state->backend_arguments, &variant->raw,
				       error);
}

/* Choose or replace a variant.  `state->variant_arguments` begins with the
 * current arguments.  The command has variants, and the one that is replaced is
 * not in flight. */
static plait_status choose_variant(plait__queue_instance *state,
				   uint32_t command, const plait_launch *launch,
				   plait__launch_variant **out,
				   plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	uint32_t count = self->cell_count;
	plait__launch_variant *variant;
	uint32_t first = 0, end = self->variant_count;

	if (self->turns != PLAIT__NONE) {
		variant = plait__variant_turns_at(state, self);
		plait__variant_turns_note(state, self, variant);
		first = (uint32_t)(variant - self->variants);
		self->oldest = first;
		end = first + 1;
	}
	for (uint32_t i = first; i < end; i++) {
		*out = &self->variants[i];
		if (matches(*out, launch, state->variant_arguments, count))
			return PLAIT_OK;
	}
	variant = &self->variants[self->oldest];
	self->oldest = (self->oldest + 1) % self->variant_count;
	unbind(state, command, variant);
	variant->launch = *launch;
	if (count > 0)
		memcpy(variant->arguments, state->variant_arguments,
		       count * sizeof(*variant->arguments));
	*out = variant;
	plait__launch_variants_mark_stale(state, command);
	return bind_variant(state, command, variant,
			    self->kernel->signature->count, error);
}

/* The kernel of a command; null: it has no code for the device, so it is a host
 * callback. */
static plait__kernel *find_kernel(const plait__queue_instance *state,
				  uint32_t command)
{
	plait__kernel *kernel = plait__resolve_kernel(
		state, plait__queue_command_launch(state->compiled, command));

	return plait__device_code_find(kernel, device_of(state->compiled,
							 command)) != NULL ?
		       kernel :
		       NULL;
}

plait_status plait__launch_variants_bind(plait__queue_instance *state,
					 uint32_t command, plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	plait__launch_variant *variant;
	plait_backend_launch *bound;
	plait_launch launch;
	plait_status status;
	bool empty;

	if (self->variant_count == 0 || self->kernel == NULL)
		return PLAIT_OK;
	bound = plait__variant_turns_bound(state, self);
	if (bound != NULL) {
		/* No device graph gets stale: the body has no segments. */
		state->work[self->work].kind = PLAIT_WORK_LAUNCH;
		state->work[self->work].launch = bound;
		return PLAIT_OK;
	}
	status = find_geometry(state, command, self->kernel, &launch, &empty,
			       error);
	state->work[self->work].kind = empty ? PLAIT_WORK_NOP :
					       PLAIT_WORK_LAUNCH;
	if (empty)
		return status;
	if (status == PLAIT_OK)
		status = resolve_arguments(state, command, self->kernel,
					   state->variant_arguments, error);
	if (status == PLAIT_OK)
		status = choose_variant(state, command, &launch, &variant,
					error);
	if (status != PLAIT_OK)
		return status;
	self->binding = variant->binding;
	if (state->work[self->work].launch != variant->raw)
		plait__launch_variants_mark_stale(state, command);
	state->work[self->work].launch = variant->raw;
	return PLAIT_OK;
}

/* Overwrites iteration numbers of the frame: no run is in flight.  The callers
 * of bind_all reset them (reset_iterations). */
static plait_status bind_rotation(plait__queue_instance *state,
				  uint32_t command, uint32_t iteration,
				  plait_error *error)
{
	const plait__plan *plan = state->compiled->program->plan;
	const plait__plan_payload *payload =
		plait__queue_command_launch(state->compiled, command);
	uint64_t *iterations = state->instance->frame.iterations;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		if (arg->kind == PLAIT__ARG_ROTATION)
			iterations[plan->rotations[arg->index].region] =
				iteration;
	}
	return plait__launch_variants_bind(state, command, error);
}

/* Bind what depends on runs, before the first one.  Failures are ignored: the
 * command is bound again before it is submitted. */
static void bind_early(plait__queue_instance *state, uint32_t command)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (plait__queue_program_segment(state->compiled, command) != NULL)
		(void)plait__launch_variants_bind(state, command, &ignored);
}

/* Bind all variants that no run changes, the first rotation last.  The command
 * has variants and holds no kernel. */
static plait_status bind_all(plait__queue_instance *state, uint32_t command,
			     plait_error *error)
{
	plait__queue_launch *self = &state->launches[command];
	plait_status status = PLAIT_OK;

	self->kernel = find_kernel(state, command);
	if (self->kernel == NULL)
		return PLAIT_OK;
	plait__object_hold(&self->kernel->object);
	if ((self->changes & PLAIT__CHANGES_RUN) != 0) {
		bind_early(state, command);
		return PLAIT_OK;
	}
	for (uint32_t i = self->variant_count; status == PLAIT_OK && i-- > 0;)
		status = bind_rotation(state, command, i, error);
	return status;
}

static void unbind_all(plait__queue_instance *state, uint32_t command)
{
	plait__queue_launch *self = &state->launches[command];

	for (uint32_t i = 0; i < self->variant_count; i++)
		unbind(state, command, &self->variants[i]);
	/* Runs may end in notification callbacks, which must not release a
	 * kernel. */
	if (self->kernel != NULL)
		plait__object_drop_deferred(&self->kernel->object);
	self->kernel = NULL;
}

/* ---- instances ---- */

/* Fill what is constant of a command's launches, and bind them; errors name the
 * node.  Does nothing for a command without variants. */
static plait_status make_launch(plait__queue_instance *state, uint32_t command,
				plait_error *error)
{
	const plait__plan_scratch *scratch = plait__frame_scratch(
		&state->instance->frame, command);
	plait__queue_launch *self = &state->launches[command];
	plait_status status = PLAIT_OK;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (self->variant_count == 0)
		return PLAIT_OK;
	self->changes = plait__queue_command_changes(state->compiled, command);
	plait__variant_turns_find(state, command);
	if ((self->changes & PLAIT__CHANGES_BORROWED) != 0) {
		self->next_borrower = state->borrower;
		state->borrower = command;
	}
	if (scratch != NULL)
		status = plait__scratch_arenas_make(state, scratch->device,
						    error);
	if (status == PLAIT_OK)
		status = bind_all(state, command, error);
	if (status != PLAIT_OK)
		plait__error_prefix(
			error, "%s: ",
			plait__command_text(state->compiled->program->plan,
					    command, room));
	return status;
}

static void reset_iterations(const plait__queue_instance *state)
{
	const plait__plan *plan = state->compiled->program->plan;

	for (uint32_t i = 0; i < plan->regions_count; i++)
		state->instance->frame.iterations[i] = 0;
}

plait_status plait__launch_variants_make(plait__queue_instance *state,
					 plait_error *error)
{
	const plait__plan *plan = state->compiled->program->plan;
	plait_status status = PLAIT_OK;

	state->borrower = PLAIT__NONE;
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++)
		status = make_launch(state, i, error);
	reset_iterations(state);
	return status;
}

void plait__launch_variants_free(plait__queue_instance *state)
{
	const plait__plan *plan = state->compiled->program->plan;

	for (uint32_t i = 0; state->launches != NULL && i < plan->command_count;
	     i++)
		unbind_all(state, i);
	if (state->arenas != NULL)
		plait__scratch_arenas_free(state);
}

/* ---- runs ---- */

/* Rebind a launch after its kernel was exchanged.  Returns false if the run has
 * failed; the next one tries again.  Called at the start of a run, when nothing
 * of the instance is in flight. */
static bool rebind_kernel(plait__queue_instance *state, uint32_t command)
{
	plait__queue_launch *self = &state->launches[command];
	plait_error why = { .size = sizeof(why) };

	if (self->variant_count == 0 ||
	    self->kernel == find_kernel(state, command))
		return true;
	unbind_all(state, command);
	state->work[self->work] = (plait_work){ .launch = NULL };
	plait__translate_work(state, command, &state->work[self->work]);
	plait__launch_variants_mark_stale(state, command);
	if (bind_all(state, command, &why) == PLAIT_OK)
		return true;
	unbind_all(state, command);
	plait__error_prefix(&why, "could not be bound: ");
	plait__instance_fail(state->instance, command, &why);
	return false;
}

void plait__launch_variants_renew(plait__queue_instance *state)
{
	const plait__plan *plan = state->compiled->program->plan;
	const plait__kernel_version *version = state->instance->version;
	uint64_t number = version != NULL ? version->number : 0;
	bool all = true;

	if (number == state->version)
		return;
	for (uint32_t i = 0; i < plan->command_count; i++)
		all = rebind_kernel(state, i) && all;
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
