/* SPDX-License-Identifier: MIT */
/* Images and samplers that a run binds; see bind_images.h.  A launch whose
 * arguments the plan itself names was checked when it was added. */
#include "run/args/bind_images.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"

#include "kernel/argument.h"
#include "object/kernel/kernel.h"

/* The launch that is checked. */
struct launch {
	const plait__frame *frame;
	const plait__signature *signature;
	const plait__plan_arg *args;
	uint32_t command;
	plait_error *error;
};

static const plait__signature *
signature_of(const plait__plan_object *plan_object, uint32_t command)
{
	const plait__plan_payload *payload =
		plait__payload_of(plan_object->plan, command);
	const plait__kernel *kernel;

	if (plan_object->plan->commands[command].kind != PLAIT__CMD_LAUNCH ||
	    payload == NULL || payload->kernel == PLAIT__NONE)
		return NULL;
	kernel = (const plait__kernel *)plan_object->kernels[payload->kernel];
	return kernel != NULL ? kernel->signature : NULL;
}

bool plait__bind_images_are_used(const plait__plan_object *plan_object,
				 uint32_t command)
{
	const plait__signature *signature = signature_of(plan_object, command);

	return signature != NULL && signature->image_count > 0;
}

static const plait__plan *plan_of(const struct launch *launch)
{
	return launch->frame->layout->plan_object->plan;
}

/* Fail with the plan's parameter of an argument. */
static plait_status fail(const struct launch *launch,
			 const plait__plan_arg *arg, const char *what)
{
	const plait__plan *plan = plan_of(launch);
	uint32_t name = plan->params[arg->index].name;
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	return plait__fail(launch->error, PLAIT_E_INVALID,
			   "parameter \"%.60s\": %s: %.60s: %s",
			   name < plan->strings_count ? plan->strings + name :
							"",
			   plait__plan_node_text(
				   plan, plan->commands[launch->command].node,
				   room),
			   launch->signature->name, what);
}

/* ---- samplers ---- */

/* A sampler in memory of the program is read later, when the launch begins. */
static plait_status check_sampler(const struct launch *launch, uint32_t index)
{
	const plait__plan_arg *arg = &launch->args[index];
	const char *fault;

	if (arg->kind != PLAIT__ARG_PARAM ||
	    plait__payload_arg_is_host(plan_of(launch)->params, arg))
		return PLAIT_OK;
	fault = plait__argument_check_value(
		&launch->signature->parameters[index],
		launch->frame->blob + arg->blob, sizeof(plait_sampler_flags),
		NULL);
	return fault == NULL ? PLAIT_OK : fail(launch, arg, fault);
}

/* ---- images ---- */

/* Returns the image of an argument, or null: a rotation has several. */
static const plait__object *image_of(const struct launch *launch,
				     const plait__plan_arg *arg)
{
	if (arg->kind == PLAIT__ARG_MEMORY)
		return launch->frame->layout->plan_object->buffers[arg->index];
	return arg->kind == PLAIT__ARG_PARAM ?
	       &launch->frame->bound[arg->index].buffer->object : NULL;
}

static bool rotates(const struct launch *launch, const plait__plan_arg *arg,
		    const plait__object *image)
{
	const plait__plan_object *plan_object =
		launch->frame->layout->plan_object;
	const plait__plan_rotation *rotation =
		&plan_object->plan->rotations[arg->index];
	const uint32_t *slots =
		&plan_object->plan->rotation_slots[rotation->slot_first];
	bool has = false;

	for (uint32_t i = 0; i < rotation->slot_count; i++)
		has |= plan_object->buffers[slots[i]] == image;
	return has;
}

/* Returns true if an argument is the image, at some iteration of its loop. */
static bool takes(const struct launch *launch, const plait__plan_arg *arg,
		  const plait__object *image)
{
	return arg->kind == PLAIT__ARG_ROTATION ?
	       rotates(launch, arg, image) : image_of(launch, arg) == image;
}

/* Two arguments, of which one is written.  The plan has been checked for two
 * that it names itself. */
static plait_status check_pair(const struct launch *launch, uint32_t one,
			       uint32_t other)
{
	const plait__plan_arg *bound = &launch->args[one];
	const plait__plan_arg *second = &launch->args[other];

	if (bound->kind != PLAIT__ARG_PARAM) {
		bound = second;
		second = &launch->args[one];
	}
	if (bound->kind != PLAIT__ARG_PARAM ||
	    !takes(launch, second, image_of(launch, bound)))
		return PLAIT_OK;
	return fail(launch, bound,
		    "an image that it writes is an argument twice");
}

static plait_status check_image(const struct launch *launch, uint32_t index)
{
	const plait__parameter *all = launch->signature->parameters;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < index; i++)
		if (plait__signature_is_image(&all[i]) &&
		    (all[i].mode == PLAIT__MODE_OUT ||
		     all[index].mode == PLAIT__MODE_OUT))
			status = check_pair(launch, index, i);
	return status;
}

plait_status plait__bind_images_check_launch(const plait__frame *frame,
					     uint32_t command,
					     plait_error *error)
{
	const plait__plan_object *plan_object = frame->layout->plan_object;
	const plait__plan_payload *payload =
		plait__payload_of(plan_object->plan, command);
	const struct launch launch = {
		.frame = frame, .command = command, .error = error,
		.signature = signature_of(plan_object, command),
		.args = &plan_object->plan->args[payload->arg_first],
	};
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < launch.signature->count;
	     i++) {
		const plait__parameter *parameter =
			&launch.signature->parameters[i];

		if (parameter->type == PLAIT__TYPE_SAMPLER)
			status = check_sampler(&launch, i);
		else if (plait__signature_is_image(parameter))
			status = check_image(&launch, i);
	}
	return status;
}
