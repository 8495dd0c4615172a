/* SPDX-License-Identifier: MIT */
/* Scratch memory of an instance: one arena per device, in which the planner has
 * assigned offsets to commands. */
#include "run/queue/scratch_arenas.h"

#include "base/error.h"
#include "object/context/backend_result.h"

plait_status plait__scratch_arenas_make(plait__queue_instance *state,
					uint32_t number, plait_error *error)
{
	const plait__program *program = state->compiled->program;
	plait__device *device = program->plan_object->devices[number];
	const plait_memory_request request = {
		.size = sizeof(request),
		.bytes = program->plan->devices[number].scratch_bytes,
	};
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (state->arenas[number] != NULL)
		return PLAIT_OK;
	status = plait__device_reserve_bytes(device, request.bytes, error);
	if (status != PLAIT_OK)
		return status;
	status = device->port->backend->table.memory_create(
		device->port->backend->self, device->index, &request,
		&state->arenas[number], &room);
	status = plait__backend_result_check_created(device->port, status,
						     "memory_create",
						     state->arenas[number],
						     &room, error);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	state->arenas[number] = NULL;
	plait__device_unreserve_bytes(device, request.bytes);
	return status;
}

void plait__scratch_arenas_free(plait__queue_instance *state)
{
	const plait__program *program = state->compiled->program;

	for (uint32_t i = 0; i < program->plan->devices_count; i++) {
		plait__device *device = program->plan_object->devices[i];

		if (state->arenas[i] == NULL)
			continue;
		device->port->backend->table.memory_destroy(
			device->port->backend->self, state->arenas[i]);
		plait__device_unreserve_bytes(
			device, program->plan->devices[i].scratch_bytes);
	}
}
