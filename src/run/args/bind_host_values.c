/* SPDX-License-Identifier: MIT */
/* Values that launches take from memory of the program; see
 * bind_host_values.h.  The list of these arguments is made once. */
#include "run/args/bind_host_values.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"

#include "kernel/signature.h"
#include "object/kernel/kernel.h"

/* Returns the number of arguments that are values of the program's memory;
 * lists them in `out` unless it is null. */
static uint32_t list_values(const plait__frame_layout *layout,
			    plait__host_value *out)
{
	const plait__plan *plan = layout->plan_object->plan;
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_payload *payload = plait__payload_of(plan, i);

		if (!plait__payload_has_host_value(plan, i))
			continue;
		for (uint32_t k = 0; k < payload->arg_count; k++) {
			if (!plait__payload_arg_is_host(
				    plan->params,
				    &plan->args[payload->arg_first + k]))
				continue;
			if (out != NULL)
				out[count] = (plait__host_value){ i, k };
			count++;
		}
	}
	return count;
}

bool plait__bind_host_values_find(plait__frame_layout *layout)
{
	/* A rehearsal has no kernels, whose signatures have the sizes. */
	if (!layout->has_params || layout->plan_object->rehearses)
		return true;
	layout->host_value_count = list_values(layout, NULL);
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->host_values,
				  layout->host_value_count,
				  sizeof(*layout->host_values)))
		return false;
	(void)list_values(layout, layout->host_values);
	return true;
}

void plait__bind_host_values_free(plait__frame_layout *layout)
{
	plait__free(plait__payload_allocator(layout), layout->host_values,
		    layout->host_value_count * sizeof(*layout->host_values));
}

static plait_status fail(const plait__plan *plan, const plait__host_value *at,
			 const plait__plan_param *param, const char *what,
			 plait_error *error)
{
	char room[PLAIT__PLAN_NODE_TEXT_BYTES];

	return plait__fail(error, PLAIT_E_INVALID,
			   "parameter \"%.60s\": argument %u of %s %s",
			   param->name < plan->strings_count ?
				   plan->strings + param->name : "",
			   at->argument,
			   plait__plan_node_text(
				   plan, plan->commands[at->command].node, room),
			   what);
}

/* Point an argument of the frame into the memory that the run has bound. */
static plait_status set_value(plait__frame *frame, const plait__host_value *at,
			      plait_error *error)
{
	const plait__frame_layout *layout = frame->layout;
	const plait__plan_object *plan_object = layout->plan_object;
	const plait__plan *plan = plan_object->plan;
	const plait__plan_payload *payload = plait__payload_of(plan,
							       at->command);
	const plait__plan_arg *arg =
		&plan->args[payload->arg_first + at->argument];
	const struct plait__bound_buffer *bound = &frame->bound[arg->index];
	uint64_t offset = plait__payload_param_offset(plan->blob, arg);
	uint32_t bytes = ((const plait__kernel *)plan_object
				  ->kernels[payload->kernel])
				 ->signature->parameters[at->argument].bytes;
	char *address = bound->mapped;

	if (offset > bound->host_bytes || bound->host_bytes - offset < bytes)
		return fail(plan, at, &plan->params[arg->index],
			    "is a value behind the end of the bound memory",
			    error);
	address += offset;
	if ((uintptr_t)address % plait__payload_value_alignment(bytes) != 0)
		return fail(plan, at, &plan->params[arg->index],
			    "is a value that the bound memory does not align",
			    error);
	frame->words[layout->arguments[at->command] + at->argument] = address;
	return PLAIT_OK;
}

plait_status plait__bind_host_values_set(plait__frame *frame,
					 plait_error *error)
{
	const plait__frame_layout *layout = frame->layout;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < layout->host_value_count;
	     i++)
		status = set_value(frame, &layout->host_values[i], error);
	return status;
}
