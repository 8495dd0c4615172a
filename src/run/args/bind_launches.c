/* SPDX-License-Identifier: MIT */
/* Launches whose arguments each run checks: local memory of a size that it
 * binds, samplers and images; see bind_launches.h.  The list of these commands
 * is made once. */
#include "run/args/bind_launches.h"

#include "run/args/bind_images.h"
#include "run/args/payload_util.h"

#include "graph/plan/local_memory.h"

static bool is_checked(const plait__plan_object *plan_object, uint32_t command)
{
	const plait__plan *plan = plan_object->plan;

	return (plait__local_memory_is_used(plan_object, command) ||
		plait__bind_images_are_used(plan_object, command)) &&
	       plait__payload_has_params(plan,
					 plait__payload_of(plan, command));
}

/* Returns the number of launches to check; lists them in `out` unless it is
 * null. */
static uint32_t list_launches(const plait__plan_object *plan_object,
			      uint32_t *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan_object->plan->command_count; i++) {
		if (!is_checked(plan_object, i))
			continue;
		if (out != NULL)
			out[count] = i;
		count++;
	}
	return count;
}

bool plait__bind_launches_find(plait__frame_layout *layout)
{
	if (!layout->has_params)
		return true;
	layout->checked_count = list_launches(layout->plan_object, NULL);
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->checked, layout->checked_count,
				  sizeof(uint32_t)))
		return false;
	(void)list_launches(layout->plan_object, layout->checked);
	return true;
}

void plait__bind_launches_free(plait__frame_layout *layout)
{
	plait__free(plait__payload_allocator(layout), layout->checked,
		    layout->checked_count * sizeof(uint32_t));
}

static plait_status check_launch(const plait__frame *frame, uint32_t command,
				 plait_error *error)
{
	const plait__plan_object *plan_object = frame->layout->plan_object;
	plait_status status = PLAIT_OK;

	if (plait__local_memory_is_used(plan_object, command))
		status = plait__local_memory_check_launch(
			plan_object, command, frame->blob, error);
	if (status == PLAIT_OK &&
	    plait__bind_images_are_used(plan_object, command))
		status = plait__bind_images_check_launch(frame, command,
							 error);
	return status;
}

plait_status plait__bind_launches_check(const plait__frame *frame,
					plait_error *error)
{
	const plait__frame_layout *layout = frame->layout;
	plait_status status = PLAIT_OK;

	/* Most plans: no register is saved. */
	if (layout->checked_count == 0)
		return status;
	for (uint32_t i = 0; status == PLAIT_OK && i < layout->checked_count;
	     i++)
		status = check_launch(frame, layout->checked[i], error);
	return status;
}
