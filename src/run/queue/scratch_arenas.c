/* SPDX-License-Identifier: MIT */
/*
 * Memory of an instance: one arena per device, in which the planner has assigned
 * offsets to the scratch of commands, and temporary_places.c those to temporaries.
 * A temporary is a buffer here, so that commands use it like any other.
 */
#include "run/queue/scratch_arenas.h"

#include "run/args/temporaries.h"

#include "base/error.h"
#include "object/memory/buffer.h"
#include "object/context/backend_result.h"

static plait_status create_memory(const plait__device *device,
				  const plait_memory_request *request,
				  plait_backend_memory **out, plait_error *room)
{
	plait__backend *backend = device->port->backend;

	return backend->table.memory_create(backend->self, device->index,
					    request, out, room);
}

plait_status plait__scratch_arenas_make(plait__queue_instance *state,
					uint32_t number, plait_error *error)
{
	const plait__program *program = state->compiled->program;
	plait__device *device = program->plan_object->devices[number];
	plait_memory_request request = {
		.size = sizeof(request),
		.bytes = program->layout.arena_bytes[number],
		.alignment_bytes = plait__temporary_places_alignment(device),
	};
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (state->arenas[number] != NULL)
		return PLAIT_OK;
	status = plait__device_reserve_bytes(device, request.bytes, error);
	if (status != PLAIT_OK)
		return status;
	status = create_memory(device, &request, &state->arenas[number], &room);
	/* A driver that promises less has no kernels that need more. */
	if (status == PLAIT_E_UNSUPPORTED) {
		request.alignment_bytes = 0;
		status = create_memory(device, &request, &state->arenas[number],
				       &room);
	}
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

/* One root per device, behind the buffers of the slots.  The arena of its
 * device exists. */
static void set_temporary(plait__queue_instance *state, uint32_t slot)
{
	const plait__program *program = state->compiled->program;
	const plait__plan_slot *from = &program->plan->slots[slot];
	plait__device *device = program->plan_object->devices[from->device];
	plait__buffer *root = &state->temporaries[program->plan->slots_count +
						  from->device];

	root->device = device;
	root->root = root;
	root->raw = state->arenas[from->device];
	root->bytes = program->layout.arena_bytes[from->device];
	state->temporaries[slot].device = device;
	state->temporaries[slot].root = root;
	state->temporaries[slot].offset = program->layout.temporaries[slot];
	state->temporaries[slot].bytes = from->bytes;
}

plait_status plait__scratch_arenas_make_temporaries(
	plait__queue_instance *state, plait_error *error)
{
	const plait__program *program = state->compiled->program;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->plan->slots_count; i++) {
		if (!plait__temporaries_is_placed(&program->layout, i) ||
		    program->plan->slots[i].bytes == 0)
			continue;
		status = plait__scratch_arenas_make(
			state, program->plan->slots[i].device, error);
		if (status == PLAIT_OK)
			set_temporary(state, i);
		else
			plait__temporaries_explain(
				&program->layout,
				program->plan->slots[i].device, error);
	}
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
			device, program->layout.arena_bytes[i]);
	}
}
