/* SPDX-License-Identifier: MIT */
/* Launches with local memory of a size that each run binds; see
 * bind_locals.h.  The list of these commands is made once. */
#include "run/args/bind_locals.h"

#include "run/args/payload_util.h"

#include "graph/plan/local_memory.h"

/* Returns the number of launches whose local memory a run sizes; lists them in
 * `out` unless it is null. */
static uint32_t list_launches(const plait__plan_object *plan_object,
			      uint32_t *out)
{
	const plait__plan *plan = plan_object->plan;
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (!plait__local_memory_is_used(plan_object, i) ||
		    !plait__payload_has_params(plan,
					       plait__payload_of(plan, i)))
			continue;
		if (out != NULL)
			out[count] = i;
		count++;
	}
	return count;
}

bool plait__bind_locals_find(plait__frame_layout *layout)
{
	if (!layout->has_params)
		return true;
	layout->local_count = list_launches(layout->plan_object, NULL);
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->locals, layout->local_count,
				  sizeof(uint32_t)))
		return false;
	(void)list_launches(layout->plan_object, layout->locals);
	return true;
}

void plait__bind_locals_free(plait__frame_layout *layout)
{
	plait__free(plait__payload_allocator(layout), layout->locals,
		    layout->local_count * sizeof(uint32_t));
}

plait_status plait__bind_locals_check(const plait__frame *frame,
				      plait_error *error)
{
	const plait__frame_layout *layout = frame->layout;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < layout->local_count; i++)
		status = plait__local_memory_check_launch(
			layout->plan_object, layout->locals[i], frame->blob,
			error);
	return status;
}
