/* SPDX-License-Identifier: MIT */
/* Coroutines of lanes: the operation of a step as the entry of a coroutine. */
#include "run/host/lane_coroutine.h"

#include "run/external/coroutine_command.h"

/* On the stack of the coroutine. */
static int32_t invoke(void *user_data)
{
	const plait__lane_task *self = user_data;

	return plait__call_op_invoke(self->external->op,
				     self->set->instance->frame.words);
}

bool plait__lane_coroutine_step(plait__lane_task *self, const plait__step *step)
{
	const plait__call_op *op = self->set->ops + step->op_first;
	const struct plait__coroutine_entry entry = {
		op->is_host ? op->host : invoke,
		op->is_host ? op->user_data : self,
	};

	/* Once: the step is repeated when the lane is resumed. */
	if (!plait__coroutine_command_is_begun(&self->external->external)) {
		if (step->link == PLAIT__COROUTINE_BOUND &&
		    !plait__bound_task_bind(&self->external->bound))
			return false;
		plait__lane_set_turn_cells(self, step);
		self->external->op = op;
	}
	if (!plait__coroutine_command_step(&self->external->external,
					   step->command, &entry))
		return false;
	plait__bound_task_release(&self->external->bound);
	return true;
}
