/* SPDX-License-Identifier: MIT */
/* Checks of commands against kernels and memory.  Reading the plan has checked
 * that indices are within their tables. */
#include "graph/plan/verify_commands.h"

#include "graph/plan/temporary_places.h"
#include "graph/plan/verify_rows.h"

#include "base/error.h"
#include "base/text.h"
#include "kernel/argument.h"
#include "kernel/type.h"
#include "object/kernel/kernel.h"
#include "plan/access.h"
#include "plan/plan.h"
#include "plan/rotation.h"

#include <string.h>

enum { WORD_BYTES = 4, SCRATCH_ALIGNMENT = 4096 };

static bool is_inside(uint64_t first, uint64_t bytes, uint64_t size)
{
	return first <= size && bytes <= size - first;
}

/* ---- memory ---- */

static bool memory_fits(const plait__plan *plan, const plait__plan_arg *arg,
			uint64_t bytes)
{
	return arg->kind == PLAIT__ARG_MEMORY &&
	       is_inside(arg->offset, bytes, plan->slots[arg->index].bytes);
}

/* Check a memory parameter: a pointer, and for copies and fills an offset. */
static bool param_fits(const plait__plan *plan, const plait__plan_arg *arg,
		       uint32_t bytes)
{
	return plait__payload_param_is_memory(&plan->params[arg->index]) &&
	       arg->bytes == bytes && arg->blob % sizeof(uint64_t) == 0 &&
	       is_inside(arg->blob, bytes, plan->blob_count);
}

static bool rotation_fits(const plait__plan *plan, const plait__plan_arg *arg,
			  uint64_t bytes)
{
	uint64_t offset = plait__payload_rotation_offset(arg);

	for (uint32_t i = 0; i < plait__rotation_arg_period(plan, arg); i++)
		if (!is_inside(offset, bytes,
			       plan->slots[plait__rotation_arg_slot(
				       plan, arg, i)].bytes))
			return false;
	return true;
}

/* Check one side of a copy or fill; a bound buffer's size is the run's to
 * check. */
static bool side_fits(const plait__plan *plan, const plait__plan_arg *arg,
		      uint64_t bytes)
{
	if (arg->kind == PLAIT__ARG_ROTATION)
		return rotation_fits(plan, arg, bytes);
	if (arg->kind != PLAIT__ARG_PARAM)
		return memory_fits(plan, arg, bytes);
	return param_fits(plan, arg, PLAIT__PARAM_WITH_OFFSET) &&
	       is_inside(plait__payload_param_offset(plan->blob, arg), bytes,
			 UINT64_MAX);
}

static bool pointer_fits(const plait__plan *plan, const plait__plan_arg *arg,
			 const plait__parameter *parameter)
{
	switch (arg->kind) {
	case PLAIT__ARG_MEMORY:
		return memory_fits(plan, arg, 0) &&
		       plait__argument_check_memory(parameter, arg->offset) ==
		       NULL;
	case PLAIT__ARG_ROTATION:
		return plait__payload_rotation_offset(arg) == 0;
	case PLAIT__ARG_PARAM:
		return !plait__payload_arg_is_host(plan->params, arg) &&
		       param_fits(plan, arg, sizeof(uint64_t));
	default:
		return arg->kind == PLAIT__ARG_SCRATCH;
	}
}

/* ---- values ---- */

/* Returns true if `bytes` at `blob` are inside and aligned. */
static bool blob_fits(const plait__plan *plan, uint32_t blob, uint32_t bytes)
{
	return bytes > 0 &&
	       blob % plait__payload_value_alignment(bytes) == 0 &&
	       is_inside(blob, bytes, plan->blob_count);
}

/* value_fits has checked that the blob has the bytes. */
static bool local_fits(const plait__plan *plan, const plait__plan_arg *arg,
		       const plait__parameter *parameter)
{
	uint64_t bytes;

	memcpy(&bytes, plan->blob + arg->blob, sizeof(bytes));
	return plait__argument_check_local(parameter, bytes, NULL) == NULL;
}

/* Returns true if an argument that is no pointer fits its parameter: kind, size
 * and place. */
static bool value_fits(const plait__plan *plan, const plait__plan_arg *arg,
		       const plait__parameter *parameter)
{
	uint32_t bytes = parameter->bytes;

	if (plait__payload_arg_is_host(plan->params, arg))
		return parameter->type != PLAIT__TYPE_LOCAL &&
		       plait__payload_param_offset(plan->blob, arg) %
				       plait__payload_value_alignment(bytes) ==
			       0 &&
		       side_fits(plan, arg, bytes);
	if (arg->bytes != bytes || !blob_fits(plan, arg->blob, bytes))
		return false;
	switch (arg->kind) {
	case PLAIT__ARG_PARAM:
		return plan->params[arg->index].kind == PLAIT__PARAM_VALUE &&
		       plan->params[arg->index].bytes == bytes;
	case PLAIT__ARG_INDEX:
	case PLAIT__ARG_SERIES:
		return plait__type_is_integer(parameter->type) &&
		       (bytes == sizeof(uint32_t) ||
			bytes == sizeof(uint64_t));
	default:
		if (parameter->type == PLAIT__TYPE_LOCAL)
			return arg->kind == PLAIT__ARG_VALUE &&
			       local_fits(plan, arg, parameter);
		return arg->kind == PLAIT__ARG_VALUE &&
		       plait__argument_check_value(
			       parameter, plan->blob + arg->blob, bytes,
			       NULL) == NULL;
	}
}

/* ---- commands ---- */

/* Return the arguments, null for none. */
static const plait__plan_arg *args_of(const plait__plan *plan,
				      const plait__plan_payload *payload)
{
	return payload->arg_count > 0 ? &plan->args[payload->arg_first] :
	       NULL;
}

/* All kernels are bound. */
static bool launch_fits(const plait__plan_object *plan_object,
			const plait__plan_payload *payload)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_arg *args = args_of(plan, payload);
	const plait__signature *signature;

	if (payload->kernel == PLAIT__NONE || payload->geometry == PLAIT__NONE)
		return false;
	signature =
		((const plait__kernel *)plan_object->kernels[payload->kernel])
			->signature;
	if (signature->count != payload->arg_count)
		return false;
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		if (parameter->type == PLAIT__TYPE_POINTER ?
		    !pointer_fits(plan, &args[i], parameter) :
		    !value_fits(plan, &args[i], parameter))
			return false;
	}
	return true;
}

static bool fill_fits(const plait__plan *plan,
		      const plait__plan_payload *payload)
{
	uint32_t bytes = payload->small;

	return payload->arg_count == 1 &&
	       !plait__payload_arg_is_host(plan->params,
					   args_of(plan, payload)) &&
	       (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
	       side_fits(plan, args_of(plan, payload), payload->bytes);
}

static bool copy_fits(const plait__plan *plan,
		      const plait__plan_payload *payload)
{
	const plait__plan_arg *args = args_of(plan, payload);
	uint64_t target = payload->bytes, source = payload->bytes;

	if (payload->arg_count == 3 &&
	    !plait__verify_rows(plan, payload, &target, &source))
		return false;
	return (payload->arg_count == 2 || payload->arg_count == 3) &&
	       !(plait__payload_arg_is_host(plan->params, &args[0]) &&
		 plait__payload_arg_is_host(plan->params, &args[1])) &&
	       side_fits(plan, &args[0], target) &&
	       side_fits(plan, &args[1], source) &&
	       !plait__verify_rows_overlap(plan, payload, target, source);
}

/* A function gets memory that runs bind, or the data it was added with. */
static bool user_data_fits(const plait__plan *plan,
			   const plait__plan_payload *payload)
{
	const plait__plan_arg *arg = args_of(plan, payload);

	return arg == NULL ||
	       (payload->arg_count == 1 &&
		plait__payload_arg_is_host(plan->params, arg) &&
		param_fits(plan, arg, PLAIT__PARAM_WITH_OFFSET));
}

/* The command kind and the function's flags must agree on the thread. */
static bool function_fits(const plait__plan *plan,
			  const plait__plan_payload *payload, uint8_t kind)
{
	bool any = (plan->functions[payload->object].flags &
		    PLAIT__FUNCTION_ANY_THREAD) != 0;

	return user_data_fits(plan, payload) &&
	       any == (kind == PLAIT__CMD_HOST);
}

/* Returns true if a command has the fields of its kind. */
static bool command_fits(const plait__plan_object *plan_object, uint32_t number)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_command *command = &plan->commands[number];
	const plait__plan_payload *payload;

	/* The text form makes launches without a payload. */
	if (command->link == PLAIT__NONE ||
	    command->kind == PLAIT__CMD_BARRIER_STUB ||
	    command->kind == PLAIT__CMD_REGION ||
	    command->kind == PLAIT__CMD_ENTER)
		return command->kind <= PLAIT__CMD_LAUNCH ||
		       command->kind == PLAIT__CMD_JOIN ||
		       command->kind >= PLAIT__CMD_MARK;
	payload = &plan->payloads[command->link];
	switch (command->kind) {
	case PLAIT__CMD_LAUNCH:
		return launch_fits(plan_object, payload);
	case PLAIT__CMD_HOST:
	case PLAIT__CMD_CALLBACK:
		return function_fits(plan, payload, command->kind);
	case PLAIT__CMD_COPY:
		return copy_fits(plan, payload);
	case PLAIT__CMD_FILL:
		return fill_fits(plan, payload);
	default:
		return payload->arg_count == 0;
	}
}

/* ---- accesses ---- */

/* Returns the object of the access that an argument of memory makes, or none
 * for other arguments. */
static uint32_t object_of(const plait__plan *plan, const plait__plan_arg *arg)
{
	const plait__plan_rotation *rotation;

	switch (arg->kind) {
	case PLAIT__ARG_MEMORY:
		return arg->index;
	case PLAIT__ARG_PARAM:
		return plait__payload_param_is_memory(
			       &plan->params[arg->index]) ?
		       plait__access_param(arg->index) : PLAIT__NONE;
	case PLAIT__ARG_ROTATION:
		rotation = &plan->rotations[arg->index];
		return plait__access_rotation(arg->index, plait__access_phase(
			plait__payload_rotation_ahead(arg),
			rotation->slot_count - rotation->prologue,
			rotation->prologue));
	default:
		return PLAIT__NONE;
	}
}

/* Returns true if an access of the mode states what the use does. */
static bool states(uint32_t mode, uint32_t use)
{
	switch (mode) {
	case PLAIT__ACCESS_READ: return use == PLAIT__ACCESS_READ;
	case PLAIT__ACCESS_ATOMIC: return use == PLAIT__ACCESS_ATOMIC;
	default: return true;
	}
}

static bool has_access(const plait__plan *plan, uint32_t node, uint32_t object,
		       uint32_t use)
{
	const plait__plan_node *at = &plan->nodes[node];

	for (uint32_t i = at[0].access_first; i < at[1].access_first; i++)
		if (plan->accesses[i].object == object &&
		    states(plan->accesses[i].mode, use))
			return true;
	return false;
}

/* Returns true if atomic accesses of the command to the object commute; see
 * graph/build/atomic_accesses.h. */
static bool commutes(const plait__plan_object *plan_object,
		     const plait__plan_command *command,
		     const plait__kernel *kernel, uint32_t object)
{
	const plait__plan *plan = plan_object->plan;
	uint32_t at = plan->lanes[command->lane].device;
	const plait__device *device = plan_object->devices[at];

	if (device == NULL || !plait__kernel_commutes(kernel, device))
		return false;
	if (plait__access_is_param(object))
		return plan_object->object.context->device_count == 1;
	if (plait__access_is_rotation(object))
		object = plan->rotation_slots[plan->rotations[
			plait__access_number(object)].slot_first];
	return plan->slots[object].device == at;
}

/* Returns the mode in which argument i of the command uses the object. */
static uint32_t use_of(const plait__plan_object *plan_object,
		       const plait__plan_command *command, uint32_t i,
		       uint32_t object)
{
	const plait__plan_payload *payload =
		&plan_object->plan->payloads[command->link];
	const plait__kernel *kernel;

	if (command->kind != PLAIT__CMD_LAUNCH)
		return i == 0 ? PLAIT__ACCESS_WRITE : PLAIT__ACCESS_READ;
	kernel = (const plait__kernel *)plan_object->kernels[payload->kernel];
	switch (kernel->signature->parameters[i].mode) {
	case PLAIT__MODE_VALUE:
	case PLAIT__MODE_IN: return PLAIT__ACCESS_READ;
	case PLAIT__MODE_ATOMIC:
		return commutes(plan_object, command, kernel, object) ?
		       PLAIT__ACCESS_ATOMIC : PLAIT__ACCESS_READ_WRITE;
	default: return PLAIT__ACCESS_READ_WRITE;
	}
}

/* Check that the plan states each use of memory: the proof of order and the
 * protection of read-only buffers rely on that.  The command fits. */
static bool accesses_are_stated(const plait__plan_object *plan_object,
				uint32_t number)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_command *command = &plan->commands[number];
	const plait__plan_payload *payload;

	if ((command->kind != PLAIT__CMD_LAUNCH &&
	     command->kind != PLAIT__CMD_COPY &&
	     command->kind != PLAIT__CMD_FILL) || command->link == PLAIT__NONE)
		return true;
	payload = &plan->payloads[command->link];
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		uint32_t object = object_of(
			plan, &plan->args[payload->arg_first + i]);

		if (object != PLAIT__NONE &&
		    !has_access(plan, command->node, object,
				use_of(plan_object, command, i, object)))
			return false;
	}
	return true;
}

/* ---- predicates, patches, parameters ---- */

static bool predicate_fits(const plait__plan *plan,
			   const plait__plan_payload *payload)
{
	const plait__plan_arg *arg = args_of(plan, payload);

	if (payload->object != PLAIT__NONE)
		return user_data_fits(plan, payload);
	return payload->arg_count == 1 && arg->offset % WORD_BYTES == 0 &&
	       memory_fits(plan, arg, WORD_BYTES);
}

/* Check that a count is a constant, an integer that runs bind, or a word. */
static bool count_fits(const plait__plan *plan,
		       const plait__plan_payload *payload)
{
	const plait__plan_arg *arg = args_of(plan, payload);

	if (payload->object != PLAIT__NONE || payload->value == 0 ||
	    payload->arg_count > 1)
		return false;
	if (payload->arg_count == 0)
		return true;
	if (arg->kind != PLAIT__ARG_PARAM)
		return arg->offset % WORD_BYTES == 0 &&
		       memory_fits(plan, arg, WORD_BYTES);
	return plan->params[arg->index].kind == PLAIT__PARAM_VALUE &&
	       plait__type_is_count(plan->params[arg->index].type);
}

/* Check that a patch's target is its argument's place. */
static bool patch_fits(const plait__plan *plan, const plait__plan_patch *patch)
{
	const plait__plan_arg *arg;

	if (patch->bytes != plan->params[patch->param].bytes ||
	    !blob_fits(plan, patch->blob, patch->bytes) ||
	    patch->arg == PLAIT__NONE)
		return false;
	arg = &plan->args[patch->arg];
	return arg->kind == PLAIT__ARG_PARAM && arg->index == patch->param &&
	       arg->blob == patch->blob;
}

/* Check that each patch has room for its parameter. */
static bool parameters_fit(const plait__plan *plan)
{
	bool good = true;

	for (uint32_t i = 0; i < plan->patches_count; i++)
		good &= patch_fits(plan, &plan->patches[i]);
	for (uint32_t i = 0; i < plan->geometries_count; i++)
		good &= plan->geometries[i].param == PLAIT__NONE ||
			plan->params[plan->geometries[i].param].kind ==
			PLAIT__PARAM_GEOMETRY;
	return good;
}

/* Refuse scratch that lies where the device cannot use it. */
static plait_status check_alignment(const plait__plan_object *plan_object,
				    const plait__plan_scratch *scratch,
				    uint64_t alignment, plait_error *error)
{
	if (scratch->offset % alignment == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "the plan has scratch at byte %llu of device "
			   "\"%.*s\", which needs multiples of %llu here: "
			   "freeze the graph with this device",
			   (unsigned long long)scratch->offset,
			   PLAIT__TEXT_FIT(plait__plan_object_device_name(
				   plan_object, scratch->device), 40),
			   (unsigned long long)alignment);
}

/* Check that a device's arena is not larger than the scratch of its commands,
 * each rounded up: a run allocates what the plan states. */
static plait_status check_arena(const plait__plan_object *plan_object,
				uint32_t device, plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	uint64_t stated = plan->devices[device].scratch_bytes, sum = 0;
	uint64_t alignment = plait__temporary_places_alignment(
		plan_object->devices[device]);
	uint64_t step = alignment > SCRATCH_ALIGNMENT ? alignment :
							SCRATCH_ALIGNMENT;
	uint64_t rounded;

	for (uint32_t i = 0; i < plan->scratch_count; i++)
		if (plan->scratch[i].device == device &&
		    check_alignment(plan_object, &plan->scratch[i], alignment,
				    error) != PLAIT_OK)
			return PLAIT_E_UNSUPPORTED;
	for (uint32_t i = 0; i < plan->scratch_count; i++)
		if (plan->scratch[i].device == device &&
		    (__builtin_add_overflow(plan->scratch[i].bytes, step - 1,
					    &rounded) ||
		     __builtin_add_overflow(rounded, sum, &sum)))
			return PLAIT_OK;
	if (stated <= sum)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan states %llu bytes of scratch for device "
			   "%u, more than its commands have",
			   (unsigned long long)stated, device);
}

static plait_status check_arenas(const plait__plan_object *plan_object,
				 plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < plan->devices_count;
	     i++)
		if (plan->devices[i].scratch_bytes > 0)
			status = check_arena(plan_object, i, error);
	return status;
}

static plait_status fail(const plait__plan *plan, uint32_t command,
			 plait_status status, const char *what,
			 plait_error *error)
{
	const char *name = plait__plan_node_name(
		plan, plan->commands[command].node);
	const char *quote = *name != '\0' ? "\"" : "";

	return plait__fail(error, status, "the plan's command %u %s%.*s%s%s%s",
			   command, quote, PLAIT__TEXT_FIT(name, 80), quote,
			   *quote != '\0' ? " " : "", what);
}

/* Check the predicates and counts of all regions. */
static plait_status check_regions(const plait__plan *plan, plait_error *error)
{
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		const plait__plan_region *region = &plan->regions[i];

		if (region->kind == PLAIT__REGION_REPEAT) {
			if (region->predicate != PLAIT__NONE &&
			    !count_fits(plan,
					&plan->payloads[region->predicate]))
				return fail(plan, region->command,
					    PLAIT_E_INVALID,
					    "has a count that is neither a "
					    "number nor a word of a buffer",
					    error);
			continue;
		}
		if (region->predicate == PLAIT__NONE)
			return fail(plan, region->command,
				    PLAIT_E_UNSUPPORTED,
				    "has no predicate: loops and cases of a "
				    "text can be planned, not run", error);
		if (!predicate_fits(plan, &plan->payloads[region->predicate]))
			return fail(plan, region->command, PLAIT_E_INVALID,
				    "has a predicate that is neither a word "
				    "of a buffer nor a function", error);
	}
	return PLAIT_OK;
}

plait_status plait__verify_commands(const plait__plan_object *plan_object,
				    plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (!command_fits(plan_object, i))
			return fail(plan, i, PLAIT_E_INVALID, "does not fit "
				    "its kernel, function or memory", error);
		if (!accesses_are_stated(plan_object, i))
			return fail(plan, i, PLAIT_E_INVALID, "uses memory "
				    "that its node does not state as an "
				    "access", error);
	}
	if (!parameters_fit(plan))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan's parameters do not fit where "
				   "they go");
	status = check_arenas(plan_object, error);
	return status == PLAIT_OK ? check_regions(plan, error) : status;
}
