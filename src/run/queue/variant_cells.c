/* SPDX-License-Identifier: MIT */
/* Room for the arguments of a bound launch; see variant_cells.h. */
#include "run/queue/variant_cells.h"

#include "run/queue/queue_command.h"

uint32_t plait__variant_cells_extra(uint32_t bytes)
{
	const uint32_t cell = sizeof(plait__variant_argument);

	return bytes <= sizeof(uint64_t) ? 0 : (bytes + cell - 1) / cell;
}

static bool is_value(const plait__plan_arg *arg)
{
	return arg->kind == PLAIT__ARG_VALUE || arg->kind == PLAIT__ARG_PARAM;
}

uint32_t plait__variant_cells_count(const plait__queue_program *compiled,
				      uint32_t command)
{
	const plait__plan_payload *payload =
		plait__queue_command_launch(compiled, command);
	uint32_t cells = payload != NULL ? payload->arg_count : 0;

	for (uint32_t i = 0; payload != NULL && i < payload->arg_count; i++) {
		const plait__plan_arg *arg = &compiled->program->plan
			->args[payload->arg_first + i];

		cells += is_value(arg) ? plait__variant_cells_extra(arg->bytes) : 0;
	}
	return cells;
}
