/* SPDX-License-Identifier: MIT */
/* Construction of argument frames, and what changes with iterations; see
 * frame.h. */
#include "run/args/frame.h"

#include "run/args/bind_parameters.h"
#include "run/args/payload_util.h"
#include "run/args/temporaries.h"

#include "pool/cacheline.h"

#include <string.h>

/* One item until a run binds the launch. */
static void set_one_item(plait_launch *launch)
{
	launch->dimensions = 3;
	for (int i = 0; i < 3; i++)
		launch->items[i] = 1;
}

static void fill_launches(plait__frame *frame)
{
	const plait__frame_layout *layout = frame->layout;
	const plait__plan *plan = layout->plan_object->plan;

	for (uint32_t i = 0; i < plan->geometries_count; i++) {
		const plait__plan_geometry *geometry = &plan->geometries[i];
		plait_launch *launch = (plait_launch *)(void *)
			(frame->words + layout->launches +
			 i * layout->launch_words);

		launch->size = sizeof(*launch);
		if (geometry->param != PLAIT__NONE) {
			set_one_item(launch);
			continue;
		}
		launch->dimensions = geometry->dimensions;
		memcpy(launch->items, geometry->items, sizeof(launch->items));
		memcpy(launch->group, geometry->group, sizeof(launch->group));
	}
}

const plait__plan_scratch *plait__frame_scratch(const plait__frame *frame,
						uint32_t command)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	uint32_t low = 0, high = plan->scratch_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->scratch[middle].command < command)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->scratch_count &&
			       plan->scratch[low].command == command ?
	       &plan->scratch[low] : NULL;
}

/* The host address of a command's scratch in its arena. */
static void *find_scratch(const plait__frame *frame, uint32_t command)
{
	const plait__plan_scratch *at = plait__frame_scratch(frame, command);

	if (at == NULL || frame->arenas[at->device] == NULL)
		return NULL;
	return (char *)frame->arenas[at->device] + at->offset;
}

/* A range without bytes has no address. */
static void *memory_of(const plait__frame *frame, uint32_t slot,
		       uint64_t offset)
{
	const plait__plan *plan = frame->layout->plan_object->plan;

	if (slot >= plan->slots_count || offset >= plan->slots[slot].bytes ||
	    frame->slots[slot] == NULL)
		return NULL;
	return (char *)frame->slots[slot] + offset;
}

/* `at` is where frame_layout.c has placed the payload. */
static void fill_payload(plait__frame *frame,
			 const plait__plan_payload *payload, uint32_t at,
			 uint32_t command)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	void **pointers = frame->words + at;
	void **cell = pointers + payload->arg_count;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg = &plan->args[payload->arg_first +
							 i];

		if (plait__payload_arg_has_cell(arg))
			pointers[i] = cell++;
		else
			pointers[i] = frame->blob + arg->blob;
		/* A little-endian machine may read the low 32 bits as well,
		 * also of a number of a series. */
		if (arg->kind == PLAIT__ARG_INDEX)
			pointers[i] = &frame->iterations[arg->index];
		else if (arg->kind == PLAIT__ARG_MEMORY)
			cell[-1] = memory_of(frame, arg->index, arg->offset);
		else if (arg->kind == PLAIT__ARG_SCRATCH)
			cell[-1] = find_scratch(frame, command);
	}
}

static void fill(plait__frame *frame)
{
	const plait__frame_layout *layout = frame->layout;
	const plait__plan *plan = layout->plan_object->plan;
	const plait__plan_payload *payload;

	fill_launches(frame);
	for (uint32_t i = 0; i < plan->command_count; i++) {
		payload = plait__payload_of(plan, i);
		if (payload != NULL)
			fill_payload(frame, payload, layout->arguments[i], i);
		if (payload != NULL && layout->own_launches != NULL &&
		    layout->own_launches[i] != 0)
			memcpy(frame->words + layout->own_launches[i],
			       frame->words + layout->launches +
				       payload->geometry * layout->launch_words,
			       sizeof(plait_launch));
	}
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		payload = plait__payload_at(plan, plan->regions[i].predicate);
		if (payload != NULL)
			fill_payload(frame, payload, layout->predicates[i],
				     PLAIT__NONE);
	}
}

/* Temporaries of plans on queues are in memory of their device. */
static uint64_t arena_bytes(const plait__frame *frame, uint32_t device)
{
	const plait__frame_layout *layout = frame->layout;

	return layout->maps ?
		       layout->arena_bytes[device] :
		       layout->plan_object->plan->devices[device].scratch_bytes;
}

/* Addresses of the slots in this instance. */
static bool make_slots(plait__frame *frame)
{
	const plait__frame_layout *layout = frame->layout;
	const plait__plan *plan = layout->plan_object->plan;

	frame->slots = layout->slots;
	if (layout->temporaries == NULL)
		return true;
	if (!plait__payload_alloc(plait__payload_allocator(layout),
				  &frame->slots, plan->slots_count,
				  sizeof(void *)))
		return false;
	for (uint32_t i = 0; i < plan->slots_count; i++) {
		char *arena = frame->arenas[plan->slots[i].device];

		frame->slots[i] = layout->slots[i];
		if (layout->maps && arena != NULL &&
		    plait__temporaries_is_placed(layout, i))
			frame->slots[i] = arena + layout->temporaries[i];
	}
	return true;
}

/* Returns the alignment of the arena of a device. */
static uint64_t arena_alignment(const plait__frame *frame, uint32_t device)
{
	return plait__temporary_places_alignment(
		frame->layout->plan_object->devices[device]);
}

/* Returns the bytes to allocate: more than the arena has, to move it from the
 * alignment of lines to its own; 0 if they are too many. */
static uint64_t block_bytes(const plait__frame *frame, uint32_t device)
{
	uint64_t bytes, slack = arena_alignment(frame, device) -
				PLAIT__CACHELINE_BYTES;

	return __builtin_add_overflow(arena_bytes(frame, device), slack,
				      &bytes) ? 0 : bytes;
}

/* Allocate the zeroed memory of an arena; returns null without memory.  In
 * front of it lies the pointer that plait__cacheline_free needs.  The alignment
 * is a power of two, and no less than that of lines. */
static void *alloc_arena(const plait__frame *frame, uint32_t device)
{
	uint64_t alignment = arena_alignment(frame, device), over;
	uint64_t bytes = block_bytes(frame, device);
	char *line, *arena;

	if (bytes == 0)
		return NULL;
	line = plait__cacheline_alloc(plait__payload_allocator(frame->layout),
				      bytes);
	if (line == NULL)
		return NULL;
	over = (uintptr_t)line & (alignment - 1);
	arena = over == 0 ? line : line + (alignment - over);
	((char **)(void *)arena)[-1] = ((char **)(void *)line)[-1];
	return arena;
}

/* Make an arena for each device that needs one; a rehearsal has none. */
static plait_status make_arenas(plait__frame *frame, plait_error *error)
{
	const plait_allocator *allocator =
		plait__payload_allocator(frame->layout);
	const plait__plan *plan = frame->layout->plan_object->plan;

	if (!plait__payload_alloc(allocator, &frame->arenas,
				  plan->devices_count, sizeof(void *)))
		return plait__payload_no_memory(error);
	for (uint32_t i = 0; i < plan->devices_count; i++) {
		if (arena_bytes(frame, i) == 0 || frame->layout->plan_object->rehearses)
			continue;
		frame->arenas[i] = alloc_arena(frame, i);
		if (frame->arenas[i] == NULL)
			return plait__temporaries_no_memory(frame->layout, i,
							    error);
	}
	return PLAIT_OK;
}

plait_status plait__frame_make(plait__frame *frame,
			       const plait__frame_layout *layout,
			       plait_error *error)
{
	const plait_allocator *allocator = plait__payload_allocator(layout);
	const plait__plan *plan = layout->plan_object->plan;
	plait_status status;

	frame->layout = layout;
	if (!plait__payload_alloc(allocator, &frame->words, layout->words,
				  sizeof(void *)) ||
	    !plait__payload_alloc(allocator, &frame->blob, plan->blob_count,
				  1) ||
	    !plait__payload_alloc(allocator, &frame->iterations,
				  plan->regions_count, sizeof(uint64_t)) ||
	    !plait__payload_alloc(allocator, &frame->counts,
				  plan->regions_count, sizeof(uint64_t)) ||
	    !plait__payload_alloc(allocator, &frame->bound, plan->params_count,
				  sizeof(*frame->bound)))
		return plait__payload_no_memory(error);
	status = make_arenas(frame, error);
	if (status != PLAIT_OK)
		return status;
	if (!make_slots(frame))
		return plait__payload_no_memory(error);
	if (plan->blob_count > 0)
		memcpy(frame->blob, plan->blob, plan->blob_count);
	fill(frame);
	return PLAIT_OK;
}

void plait__frame_free(plait__frame *frame)
{
	const plait_allocator *allocator;
	const plait__plan *plan;

	if (frame->layout == NULL)
		return;
	allocator = plait__payload_allocator(frame->layout);
	plan = frame->layout->plan_object->plan;
	for (uint32_t i = 0; frame->arenas != NULL && i < plan->devices_count;
	     i++)
		plait__cacheline_free(allocator, frame->arenas[i],
				      block_bytes(frame, i));
	if (frame->slots != frame->layout->slots)
		plait__free(allocator, frame->slots,
			    plan->slots_count * sizeof(void *));
	plait__free(allocator, frame->arenas,
		    plan->devices_count * sizeof(void *));
	plait__free(allocator, frame->words,
		    frame->layout->words * sizeof(void *));
	plait__free(allocator, frame->blob, plan->blob_count);
	plait__free(allocator, frame->iterations,
		    plan->regions_count * sizeof(uint64_t));
	plait__free(allocator, frame->counts,
		    plan->regions_count * sizeof(uint64_t));
	plait__free(allocator, frame->bound,
		    plan->params_count * sizeof(*frame->bound));
	memset(frame, 0, sizeof(*frame));
}

/* ---- iterations ---- */

static uint64_t iteration_of(const plait__frame *frame, uint32_t region,
			     const plait__frame_turn *turn)
{
	return turn != NULL && turn->region == region ?
		       turn->iteration : frame->iterations[region];
}

uint32_t plait__frame_slot(const plait__frame *frame, uint32_t rotation,
			   uint64_t ahead, const plait__frame_turn *turn)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const plait__plan_rotation *at = &plan->rotations[rotation];
	uint64_t i = iteration_of(frame, at->region, turn) + ahead;

	if (at->prologue == 0)
		i %= at->slot_count;
	else if (i > 0)
		i = 1 + (i - 1) % (at->slot_count - 1);
	return plan->rotation_slots[at->slot_first + i];
}

int64_t plait__frame_number(const plait__frame *frame, uint32_t series,
			    const plait__frame_turn *turn)
{
	const plait__plan_series *at =
		&frame->layout->plan_object->plan->series[series];

	return plait__payload_series_at(at, iteration_of(frame, at->region, turn),
				frame->counts[at->region]);
}

bool plait__frame_size(const plait__frame *frame, uint32_t geometry,
		       const plait__frame_turn *turn, plait_launch *launch)
{
	const plait__plan_geometry *at =
		&frame->layout->plan_object->plan->geometries[geometry];
	uint64_t total = 1;

	for (uint32_t i = 0; i < 3; i++) {
		int64_t items;

		if (at->series[i] == 0)
			continue;
		items = plait__frame_number(frame, at->series[i] - 1, turn);
		launch->items[i] = items > 0 ? (uint64_t)items : 0;
	}
	for (uint32_t i = 0; i < at->dimensions; i++)
		if (__builtin_mul_overflow(total, launch->items[i], &total))
			return false;
	return total > 0;
}

void plait__frame_turn_cell(const plait__frame *frame,
			    const plait__loop_cell *cell)
{
	void **word = &frame->words[cell->word];
	int64_t number;

	switch (cell->kind) {
	case PLAIT__CELL_BUFFER:
		*word = memory_of(frame, plait__frame_slot(frame, cell->link,
							   cell->ahead, NULL),
				  cell->offset);
		break;
	case PLAIT__CELL_NUMBER:
		number = plait__frame_number(frame, cell->link, NULL);
		memcpy(word, &number, sizeof(number));
		break;
	default:
		(void)plait__frame_size(frame, cell->link, NULL,
					(plait_launch *)(void *)word);
		break;
	}
}
