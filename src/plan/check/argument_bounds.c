/* SPDX-License-Identifier: MIT */
/*
 * Bounds of arguments and patches.  A kernel reads the bytes of an argument
 * from the blob, and for a parameter of memory these bytes are an address.  So
 * exactly one patch supplies each parameter's bytes, and no other argument
 * shares them: else the file, or a value of the run, would choose the address.
 */
#include "plan/check/phases.h"

enum {
	/* Upper limit of a value: a scalar, or the rows of a copy. */
	MAX_VALUE_BYTES = 256
};

/* Use of a byte of the blob. */
enum { UNUSED = 0, SHARED = 1, OWNED = 2 };

static bool is_inside(const plait__plan *plan, const plait__plan_arg *arg)
{
	uint32_t end;

	return !__builtin_add_overflow(arg->blob, arg->bytes, &end) &&
	       end <= plan->blob_count;
}

/* ---- arguments by kind: null, or the fault ---- */

static const char *param_fault(const plait__plan *plan,
			       const plait__plan_arg *arg)
{
	const plait__plan_param *param;
	bool fits;

	if (arg->index >= plan->params_count)
		return "its parameter does not exist";
	param = &plan->params[arg->index];
	if (plait__payload_param_is_memory(param))
		fits = arg->bytes == sizeof(uint64_t) ||
		       arg->bytes == PLAIT__PARAM_WITH_OFFSET;
	else
		fits = param->kind == PLAIT__PARAM_VALUE &&
		       arg->bytes == param->bytes;
	if (!fits)
		return "its size is not that of its parameter";
	if (!is_inside(plan, arg) ||
	    arg->blob % plait__payload_value_alignment(param->bytes) != 0)
		return "its bytes are outside of the blob, or not aligned";
	return NULL;
}

static const char *memory_fault(const plait__plan *plan,
				const plait__plan_arg *arg)
{
	if (arg->index >= plan->slots_count)
		return "its slot does not exist";
	return arg->offset > plan->slots[arg->index].bytes ?
	       "its offset is beyond its slot" : NULL;
}

static const char *rotation_fault(const plait__plan *plan,
				  const plait__plan_arg *arg)
{
	const uint64_t offset = plait__payload_rotation_offset(arg);
	const plait__plan_rotation *rotation;

	if (arg->index >= plan->rotations_count)
		return "its rotation does not exist";
	rotation = &plan->rotations[arg->index];
	for (uint32_t i = 0; i < rotation->slot_count; i++)
		if (offset > plan->slots[plan->rotation_slots[
				     rotation->slot_first + i]].bytes)
			return "its offset is beyond a buffer of its rotation";
	return NULL;
}

static const char *index_fault(const plait__plan *plan,
			       const plait__plan_arg *arg)
{
	/* None: the loop is not part of a partial plan. */
	if (arg->index != PLAIT__NONE && arg->index >= plan->regions_count)
		return "its loop does not exist";
	if (arg->bytes != sizeof(uint32_t) && arg->bytes != sizeof(uint64_t))
		return "the number of an iteration has 4 or 8 bytes";
	return is_inside(plan, arg) ? NULL : "its bytes are outside of the blob";
}

static const char *series_fault(const plait__plan *plan,
				const plait__plan_arg *arg)
{
	if (arg->index >= plan->series_count)
		return "its series does not exist";
	/* The frame computes the number in a word. */
	if (arg->bytes != sizeof(uint32_t) && arg->bytes != sizeof(uint64_t))
		return "a number of a series has 4 or 8 bytes";
	return is_inside(plan, arg) ? NULL : "its bytes are outside of the blob";
}

static const char *find_fault(const plait__plan *plan,
			      const plait__plan_arg *arg)
{
	switch (arg->kind) {
	case PLAIT__ARG_VALUE:
		if (arg->bytes > MAX_VALUE_BYTES)
			return "its value is too large";
		return is_inside(plan, arg) ? NULL :
		       "its bytes are outside of the blob";
	case PLAIT__ARG_PARAM:
		return param_fault(plan, arg);
	case PLAIT__ARG_MEMORY:
		return memory_fault(plan, arg);
	case PLAIT__ARG_ROTATION:
		return rotation_fault(plan, arg);
	case PLAIT__ARG_INDEX:
		return index_fault(plan, arg);
	case PLAIT__ARG_SERIES:
		return series_fault(plan, arg);
	default:
		return arg->kind == PLAIT__ARG_SCRATCH ? NULL : "unknown kind";
	}
}

/* ---- bytes of the blob ---- */

/* Enter an argument's bytes; false if they are another argument's, too.  Only
 * values may share bytes.  find_fault has accepted the argument: its bytes are
 * in the blob. */
static bool claim(uint8_t *uses, const plait__plan_arg *arg)
{
	bool is_value = arg->kind == PLAIT__ARG_VALUE, good = true;

	if (!is_value && arg->kind != PLAIT__ARG_PARAM &&
	    arg->kind != PLAIT__ARG_INDEX && arg->kind != PLAIT__ARG_SERIES)
		return true;
	for (uint32_t i = arg->blob; i < arg->blob + arg->bytes; i++) {
		good &= uses[i] == UNUSED || (is_value && uses[i] == SHARED);
		uses[i] = is_value ? SHARED : OWNED;
	}
	return good;
}

static plait_status check_args(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint8_t *uses = plait__check_alloc(check, plan->blob_count, 1);

	if (uses == NULL)
		return plait__check_no_memory(check);
	for (uint32_t i = 0; i < plan->args_count; i++) {
		const char *fault = find_fault(plan, &plan->args[i]);

		if (fault == NULL && !claim(uses, &plan->args[i]))
			fault = "it shares its bytes with another argument";
		if (fault != NULL)
			return plait__check_fail_part(check, "argument", i,
						      fault);
	}
	return PLAIT_OK;
}

/* ---- patches ---- */

/* Runs find a parameter's patches by bisection. */
static const char *patch_fault(const plait__plan *plan,
			       const plait__plan_patch *patch)
{
	const plait__plan_arg *arg;

	if (patch->param >= plan->params_count)
		return "its parameter does not exist";
	if (patch != plan->patches && patch->param < patch[-1].param)
		return "it is not sorted by parameter";
	if (patch->arg >= plan->args_count)
		return "its argument does not exist";
	arg = &plan->args[patch->arg];
	if (arg->kind != PLAIT__ARG_PARAM || arg->index != patch->param)
		return "its argument is not of its parameter";
	if (patch->blob != arg->blob ||
	    patch->bytes != plan->params[patch->param].bytes)
		return "its bytes are not those of its argument";
	return NULL;
}

static plait_status check_patches(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint8_t *patched = plait__check_alloc(check, plan->args_count, 1);

	if (patched == NULL)
		return plait__check_no_memory(check);
	for (uint32_t i = 0; i < plan->patches_count; i++) {
		const char *fault = patch_fault(plan, &plan->patches[i]);

		if (fault == NULL && patched[plan->patches[i].arg]++ > 0)
			fault = "another patch supplies its argument";
		if (fault != NULL)
			return plait__check_fail_part(check, "patch", i,
						      fault);
	}
	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_PARAM && patched[i] == 0)
			return plait__check_fail_part(check, "argument", i,
				"no patch supplies its parameter");
	return PLAIT_OK;
}

plait_status plait__argument_bounds_check(plait__check *check)
{
	plait_status status = check_args(check);

	return status == PLAIT_OK ? check_patches(check) : status;
}
