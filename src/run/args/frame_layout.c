/* SPDX-License-Identifier: MIT */
/* Layout of a plan's arguments in its frames; see frame.h. */
#include "run/args/frame_layout.h"

#include "run/args/bind_copies.h"
#include "run/args/bind_host_values.h"
#include "run/args/bind_launches.h"
#include "run/args/idle_params.h"

#include "run/args/payload_util.h"
#include "run/args/temporaries.h"

#include "object/memory/buffer.h"
#include "object/context/device.h"
#include "object/context/backend_result.h"

#include <string.h>

/* Note a cell that changes with the iteration; without `cells` only count. */
static void note_cell(plait__loop_cell *cells, uint32_t *cell_count,
		      plait__loop_cell cell)
{
	if (cells != NULL)
		cells[*cell_count] = cell;
	(*cell_count)++;
}

/* Place the pointers and cells of one payload.  64-bit words, so that one check
 * of the total suffices. */
static uint64_t place(const plait__plan *plan,
		      const plait__plan_payload *payload, uint64_t at,
		      plait__loop_cell *cells, uint32_t *cell_count)
{
	uint64_t word = at + payload->arg_count;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg = &plan->args[payload->arg_first +
							 i];
		plait__loop_cell cell = { .word = (uint32_t)word,
					  .link = arg->index };

		if (!plait__payload_arg_has_cell(arg))
			continue;
		cell.kind = PLAIT__CELL_NUMBER;
		if (arg->kind == PLAIT__ARG_ROTATION) {
			cell.kind = PLAIT__CELL_BUFFER;
			cell.ahead = (uint32_t)
				plait__payload_rotation_ahead(arg);
			cell.offset = plait__payload_rotation_offset(arg);
		}
		if (arg->kind == PLAIT__ARG_ROTATION ||
		    arg->kind == PLAIT__ARG_SERIES)
			note_cell(cells, cell_count, cell);
		word++;
	}
	return word;
}

/* Place a launch of the command's own, if its items follow series. */
static uint64_t place_launch(plait__frame_layout *layout, uint32_t command,
			     const plait__plan_payload *payload, uint64_t at,
			     plait__loop_cell *cells)
{
	const plait__plan *plan = layout->plan_object->plan;

	if (layout->own_launches == NULL ||
	    plan->commands[command].kind != PLAIT__CMD_LAUNCH ||
	    !plait__payload_has_series(plan, payload))
		return at;
	layout->own_launches[command] = (uint32_t)at;
	note_cell(cells, &layout->cell_count,
		  (plait__loop_cell){ .word = (uint32_t)at,
				      .kind = PLAIT__CELL_LAUNCH,
				      .link = payload->geometry });
	return at + layout->launch_words;
}

/* Place all payloads; returns the number of words.  With `keep` the array has
 * room for the cells that a first call has counted. */
static uint64_t place_all(plait__frame_layout *layout, bool keep)
{
	const plait__plan *plan = layout->plan_object->plan;
	plait__loop_cell *cells = keep ? layout->cells : NULL;
	uint64_t at = layout->launches +
		      (uint64_t)plan->geometries_count * layout->launch_words;
	const plait__plan_payload *payload;

	layout->cell_count = 0;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		payload = plait__payload_of(plan, i);
		layout->cell_first[i] = layout->cell_count;
		layout->arguments[i] = (uint32_t)at;
		if (payload == NULL)
			continue;
		at = place(plan, payload, at, cells, &layout->cell_count);
		at = place_launch(layout, i, payload, at, cells);
	}
	layout->cell_first[plan->command_count] = layout->cell_count;
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		payload = plait__payload_at(plan, plan->regions[i].predicate);
		layout->predicate_cells[i] = layout->cell_count;
		layout->predicates[i] = (uint32_t)at;
		if (payload != NULL)
			at = place(plan, payload, at, cells,
				   &layout->cell_count);
	}
	layout->predicate_cells[plan->regions_count] = layout->cell_count;
	return at;
}

/* Map a buffer of the plan for all runs; unmap_slots undoes that.  *out stays
 * null for a buffer without bytes. */
static plait_status map_slot(const plait__buffer *buffer, void **out,
			     plait_error *error)
{
	plait__backend_port *port = buffer->device->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (buffer->bytes == 0)
		return PLAIT_OK;
	status = plait__device_check_can(buffer->device, PLAIT_CAP_MAP,
					 "memory of a plan on the host",
					 error);
	if (status != PLAIT_OK)
		return status;
	status = port->backend->table.memory_map(
		port->backend->self, buffer->root->raw, buffer->offset,
		buffer->bytes, PLAIT_MAP_READ | PLAIT_MAP_WRITE, out, &room);
	status = plait__backend_result_check_created(port, status, "memory_map",
						     *out, &room, error);
	if (status != PLAIT_OK)
		*out = NULL;
	return status;
}

static plait_status map_slots(plait__frame_layout *layout, plait_error *error)
{
	const plait__plan_object *plan_object = layout->plan_object;
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && !plan_object->rehearses &&
	     i < plan->slots_count; i++) {
		const plait__buffer *buffer =
			(const plait__buffer *)plan_object->buffers[i];

		/* No command uses the buffer: a sealed plan has all others. */
		if (buffer == NULL || plait__temporaries_has(layout, i))
			continue;
		status = map_slot(buffer, &layout->slots[i], error);
	}
	return status;
}

static void unmap_slots(plait__frame_layout *layout)
{
	const plait__plan_object *plan_object = layout->plan_object;

	for (uint32_t i = 0; i < plan_object->plan->slots_count; i++) {
		const plait__buffer *buffer =
			(const plait__buffer *)plan_object->buffers[i];
		plait_error ignored = { .size = sizeof(ignored) };
		plait__backend *backend;

		if (layout->slots[i] == NULL)
			continue;
		backend = buffer->device->port->backend;
		(void)backend->table.memory_unmap(backend->self,
						  buffer->root->raw,
						  layout->slots[i], &ignored);
	}
}

static bool make_tables(plait__frame_layout *layout)
{
	const plait_allocator *allocator = plait__payload_allocator(layout);
	const plait__plan *plan = layout->plan_object->plan;

	return plait__payload_alloc(allocator, &layout->arguments,
				    plan->command_count, sizeof(uint32_t)) &&
	       plait__payload_alloc(allocator, &layout->predicates,
				    plan->regions_count, sizeof(uint32_t)) &&
	       plait__payload_alloc(allocator, &layout->cell_first,
				    (uint64_t)plan->command_count + 1,
				    sizeof(uint32_t)) &&
	       plait__payload_alloc(allocator, &layout->predicate_cells,
				    (uint64_t)plan->regions_count + 1,
				    sizeof(uint32_t)) &&
	       (plan->series_count == 0 ||
		plait__payload_alloc(allocator, &layout->own_launches,
				     plan->command_count, sizeof(uint32_t))) &&
	       plait__payload_alloc(allocator, &layout->slots,
				    plan->slots_count, sizeof(void *)) &&
	       plait__payload_alloc(allocator, &layout->takers,
				    plan->params_count, sizeof(void *));
}

/* Note which backend launches with each parameter's memory. */
static void note_takers(plait__frame_layout *layout)
{
	const plait__plan_object *plan_object = layout->plan_object;
	const plait__plan *plan = plan_object->plan;

	for (uint32_t i = 0; layout->has_params && i < plan->command_count;
	     i++) {
		const plait__plan_payload *payload = plait__payload_of(plan, i);
		const plait__device *device = plan_object->devices[
			plan->lanes[plan->commands[i].lane].device];

		if (plan->commands[i].kind != PLAIT__CMD_LAUNCH ||
		    payload == NULL || device == NULL)
			continue;
		for (uint32_t k = 0; k < payload->arg_count; k++) {
			const plait__plan_arg *arg =
				&plan->args[payload->arg_first + k];

			if (arg->kind == PLAIT__ARG_PARAM)
				layout->takers[arg->index] = device->port;
		}
	}
}

plait_status plait__frame_layout_make(plait__frame_layout *layout,
				      const plait__plan_object *plan_object,
				      bool maps, plait_error *error)
{
	plait_status status;
	uint64_t words;

	layout->plan_object = plan_object;
	layout->maps = maps;
	layout->has_params = plan_object->plan->params_count > 0;
	layout->launches = 1;
	layout->launch_words = (sizeof(plait_launch) + sizeof(void *) - 1) /
			       sizeof(void *);
	if (!make_tables(layout) || !plait__bind_copies_find(layout) ||
	    !plait__idle_params_find(layout) ||
	    !plait__bind_host_values_find(layout))
		return plait__payload_no_memory(error);
	if (!plan_object->rehearses) {
		note_takers(layout);
		if (!plait__bind_launches_find(layout))
			return plait__payload_no_memory(error);
	}
	words = place_all(layout, false);
	if (words >= UINT32_MAX)
		return plait__payload_no_memory(error);
	layout->words = (uint32_t)words;
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &layout->cells, layout->cell_count,
				  sizeof(plait__loop_cell)))
		return plait__payload_no_memory(error);
	(void)place_all(layout, true);
	status = plait__temporaries_place(layout, error);
	if (status != PLAIT_OK)
		return status;
	return maps ? map_slots(layout, error) : PLAIT_OK;
}

void plait__frame_layout_free(plait__frame_layout *layout)
{
	const plait__plan *plan;
	const plait_allocator *allocator;

	if (layout->plan_object == NULL)
		return;
	plan = layout->plan_object->plan;
	allocator = plait__payload_allocator(layout);
	if (layout->slots != NULL)
		unmap_slots(layout);
	plait__free(allocator, layout->arguments,
		    plan->command_count * sizeof(uint32_t));
	plait__free(allocator, layout->predicates,
		    plan->regions_count * sizeof(uint32_t));
	plait__free(allocator, layout->cell_first,
		    ((uint64_t)plan->command_count + 1) * sizeof(uint32_t));
	plait__free(allocator, layout->predicate_cells,
		    ((uint64_t)plan->regions_count + 1) * sizeof(uint32_t));
	if (layout->own_launches != NULL)
		plait__free(allocator, layout->own_launches,
			    plan->command_count * sizeof(uint32_t));
	plait__free(allocator, layout->slots,
		    plan->slots_count * sizeof(void *));
	plait__free(allocator, layout->takers,
		    plan->params_count * sizeof(void *));
	plait__bind_copies_free(layout);
	plait__bind_host_values_free(layout);
	plait__bind_launches_free(layout);
	plait__idle_params_free(layout);
	plait__temporaries_free(layout);
	if (layout->cells != NULL)
		plait__free(allocator, layout->cells,
			    layout->cell_count *
				    sizeof(plait__loop_cell));
	memset(layout, 0, sizeof(*layout));
}
