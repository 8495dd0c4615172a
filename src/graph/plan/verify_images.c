/* SPDX-License-Identifier: MIT */
/* Checks of images in a loaded plan; see verify_images.h. */
#include "graph/plan/verify_images.h"

#include "base/error.h"
#include "object/kernel/kernel.h"
#include "object/memory/image.h"
#include "plan/rotation.h"

/* Returns the buffer of an argument that the plan itself names; null for all
 * others, and for temporaries, which are no images. */
static const plait__buffer *buffer_of(const plait__plan_object *plan_object,
				      const plait__plan_arg *arg)
{
	return arg->kind != PLAIT__ARG_MEMORY ? NULL :
	       (const plait__buffer *)plan_object->buffers[arg->index];
}

/* ---- launches ---- */

static const char *rotation_fault(const plait__plan_object *plan_object,
				  const plait__plan_rotation *rotation,
				  const plait__parameter *parameter)
{
	const uint32_t *slots =
		&plan_object->plan->rotation_slots[rotation->slot_first];
	const char *fault = NULL;

	for (uint32_t i = 0; fault == NULL && i < rotation->slot_count; i++)
		fault = plait__image_argument_fault(
			parameter,
			(const plait__buffer *)plan_object->buffers[slots[i]],
			0);
	return fault;
}

/* Runs check what they bind against the type of the plan's parameter. */
static const char *argument_fault(const plait__plan_object *plan_object,
				  const plait__plan_arg *arg,
				  const plait__parameter *parameter)
{
	const plait__plan *plan = plan_object->plan;
	bool image = plait__signature_is_image(parameter);

	switch (arg->kind) {
	case PLAIT__ARG_ROTATION:
		return rotation_fault(plan_object,
				      &plan->rotations[arg->index], parameter);
	case PLAIT__ARG_PARAM:
		return (plan->params[arg->index].type == PLAIT__TYPE_IMAGE) ==
				       image ? NULL :
		       "the plan's parameter and the kernel's are not both "
		       "images";
	default:
		return plait__image_argument_fault(
			parameter, buffer_of(plan_object, arg),
			arg->kind == PLAIT__ARG_MEMORY ? arg->offset : 0);
	}
}

static const char *launch_fault(const plait__plan_object *plan_object,
				const plait__plan_payload *payload)
{
	const plait__signature *signature =
		((const plait__kernel *)plan_object->kernels[payload->kernel])
			->signature;
	const plait__plan_arg *args =
		plan_object->plan->args + payload->arg_first;
	const char *fault = NULL;

	for (uint32_t i = 0; fault == NULL && i < signature->count; i++)
		if (signature->parameters[i].type == PLAIT__TYPE_POINTER)
			fault = argument_fault(plan_object, &args[i],
					       &signature->parameters[i]);
	return fault;
}

/* ---- copies, fills and predicates ---- */

/* The buffer of a side in an iteration, likewise. */
static const plait__buffer *side_of(const plait__plan_object *plan_object,
				    const plait__plan_arg *arg, uint32_t i)
{
	if (arg->kind == PLAIT__ARG_ROTATION)
		return (const plait__buffer *)plan_object->buffers[
			plait__rotation_arg_slot(plan_object->plan, arg, i)];
	return buffer_of(plan_object, arg);
}

/* A PARAM is no image, so its offset does not count. */
static plait_status check_copy(const plait__plan_object *plan_object,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_arg *args = plan->args + payload->arg_first;
	const uint32_t period = plait__rotation_arg_period(plan, &args[0]) *
				plait__rotation_arg_period(plan, &args[1]);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < period; i++)
		status = plait__image_check_copy(
			side_of(plan_object, &args[0], i),
			plait__rotation_arg_offset(&args[0]),
			side_of(plan_object, &args[1], i),
			plait__rotation_arg_offset(&args[1]), payload->bytes,
			payload->arg_count > 2, error);
	return status;
}

static plait_status refuse(const plait__plan_object *plan_object,
			   const plait__plan_payload *payload,
			   const char *what, plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const plait__plan_arg *arg = plan->args + payload->arg_first;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && payload->arg_count > 0 &&
	     i < plait__rotation_arg_period(plan, arg); i++) {
		const plait__buffer *buffer = side_of(plan_object, arg, i);

		if (buffer != NULL)
			status = plait__image_refuse(buffer, what, error);
	}
	return status;
}

static plait_status check_command(const plait__plan_object *plan_object,
				  const plait__plan_command *command,
				  plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const char *fault;

	if (command->kind > PLAIT__CMD_FILL || command->link == PLAIT__NONE)
		return PLAIT_OK;
	switch (command->kind) {
	case PLAIT__CMD_LAUNCH:
		fault = launch_fault(plan_object,
				     &plan->payloads[command->link]);
		return fault == NULL ? PLAIT_OK :
		       plait__fail(error, PLAIT_E_INVALID, "%s", fault);
	case PLAIT__CMD_COPY:
		return check_copy(plan_object, &plan->payloads[command->link],
				  error);
	case PLAIT__CMD_FILL:
		return refuse(plan_object, &plan->payloads[command->link],
			      "be filled", error);
	default:
		return PLAIT_OK;
	}
}

/* Parameters of the plan that copies and fills use are no images: a parameter
 * of that type belongs to kernels. */
static bool copies_image(const plait__plan *plan,
			 const plait__plan_command *command)
{
	const plait__plan_payload *payload;

	if ((command->kind != PLAIT__CMD_COPY &&
	     command->kind != PLAIT__CMD_FILL) || command->link == PLAIT__NONE)
		return false;
	payload = &plan->payloads[command->link];
	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		if (arg->kind == PLAIT__ARG_PARAM &&
		    plan->params[arg->index].type == PLAIT__TYPE_IMAGE)
			return true;
	}
	return false;
}

plait_status plait__verify_images(const plait__plan_object *plan_object,
				  plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *command = &plan->commands[i];

		status = copies_image(plan, command) ?
			 plait__fail(error, PLAIT_E_INVALID,
				     "copies an image that runs bind") :
			 check_command(plan_object, command, error);
		if (status == PLAIT_OK)
			continue;
		plait__error_prefix(error, "the plan's %s: ",
				    plait__plan_node_text(plan, command->node,
							  room));
		return status;
	}
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->regions_count;
	     i++)
		if (plan->regions[i].predicate != PLAIT__NONE)
			status = refuse(
				plan_object,
				&plan->payloads[plan->regions[i].predicate],
				"decide a region", error);
	return status;
}
