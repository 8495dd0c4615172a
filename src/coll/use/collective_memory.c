/* SPDX-License-Identifier: MIT */
/* Buffers, temporaries and devices of a collective. */
#include "coll/use/collective_memory.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/device.h"
#include "object/memory/buffer.h"

#include <stdio.h>

static bool is_in_place(const plait__collective_memory *memory)
{
	return memory->schedule->flags & PLAIT__COLL_IN_PLACE;
}

/* ---- buffers of the caller ---- */

static plait_buffer *buffer_of(const plait__collective_memory *memory,
			       uint32_t rank, uint32_t object)
{
	plait_buffer *const *list =
		object == PLAIT__MERGE_INPUT && !is_in_place(memory) ?
			memory->desc->inputs : memory->desc->outputs;

	return list == NULL ? NULL : list[rank];
}

static uint64_t bytes_of(const plait__collective_memory *memory, uint32_t rank,
			 uint32_t object)
{
	uint64_t count = memory->desc->count, bytes;
	uint64_t elements = plait__merge_elements(memory->schedule, rank,
						  object, count);
	uint64_t other = plait__merge_elements(memory->schedule, rank,
					       PLAIT__COLL_INPUT, count);

	if (is_in_place(memory) && other > elements)
		elements = other;
	return __builtin_mul_overflow(elements, memory->element_bytes,
				      &bytes) ? UINT64_MAX : bytes;
}

static plait_status check_buffer(const plait__collective_memory *memory,
				 uint32_t rank, uint32_t object)
{
	plait_buffer *buffer = buffer_of(memory, rank, object);
	uint64_t needed = bytes_of(memory, rank, object), bytes;
	plait_status status;

	if (needed == UINT64_MAX)
		return plait__fail(memory->error, PLAIT_E_INVALID,
				   "count %llu is too large",
				   (unsigned long long)memory->desc->count);
	if (buffer == NULL)
		return PLAIT_OK;
	status = plait_buffer_bytes(buffer, &bytes, memory->error);
	if (status == PLAIT_OK && bytes < needed)
		return plait__fail(memory->error, PLAIT_E_INVALID,
				   "the %s of rank %u has %llu bytes, but needs "
				   "%llu", object == PLAIT__MERGE_INPUT ?
				   "input" : "output", rank,
				   (unsigned long long)bytes,
				   (unsigned long long)needed);
	return status;
}

static plait_status check_buffers(const plait__collective_memory *memory)
{
	plait_status status = PLAIT_OK;

	if (is_in_place(memory) && memory->desc->inputs != NULL)
		return plait__fail(memory->error, PLAIT_E_INVALID,
				   "the schedule is in place: `inputs` is to be "
				   "null");
	if (!is_in_place(memory) &&
	    (memory->desc->inputs == NULL) != (memory->desc->outputs == NULL))
		return plait__fail(memory->error, PLAIT_E_INVALID,
				   "%s is null; the schedule is not in place",
				   memory->desc->inputs == NULL ? "inputs" :
								  "outputs");
	for (uint32_t i = 0; i < memory->schedule->rank_count && !status; i++) {
		status = check_buffer(memory, i, PLAIT__MERGE_INPUT);
		if (status == PLAIT_OK)
			status = check_buffer(memory, i, PLAIT__MERGE_OUTPUT);
	}
	return status;
}

plait_status plait__collective_memory_find(plait__collective_memory *memory,
					   const plait__merge_place *place,
					   plait_buffer **out)
{
	if (place->object == PLAIT__MERGE_TEMPORARY) {
		*out = memory->temporaries[place->number];
		return PLAIT_OK;
	}
	*out = buffer_of(memory, place->number, place->object);
	if (*out == NULL && memory->desc->outputs != NULL)
		return plait__fail(memory->error, PLAIT_E_INVALID,
				   "the %s of rank %u is null",
				   place->object == PLAIT__MERGE_INPUT &&
					   !is_in_place(memory) ?
				   "input" : "output", place->number);
	return PLAIT_OK;
}

void plait__collective_memory_name(const plait__collective_memory *memory,
				   const plait__merge_place *place,
				   char room[16])
{
	(void)snprintf(room, 16, "%s%u",
		       place->object == PLAIT__MERGE_INPUT &&
		       !is_in_place(memory) ? "in" : "out", place->number);
}

/* ---- devices ---- */

static plait_status device_of_buffer(const plait__collective_memory *memory,
				     plait_buffer *buffer, plait_device **out)
{
	plait__buffer *entered;
	plait_status status = plait__buffer_enter_any(buffer, &entered,
						      memory->error);

	if (status != PLAIT_OK)
		return status;
	*out = plait__object_handle(&entered->device->object);
	plait__object_leave(&entered->object);
	return PLAIT_OK;
}

static plait_status find_device(plait__collective_memory *memory, uint32_t rank)
{
	plait_buffer *output = buffer_of(memory, rank, PLAIT__MERGE_OUTPUT);
	plait_buffer *input = buffer_of(memory, rank, PLAIT__MERGE_INPUT);

	if (memory->desc->devices != NULL) {
		memory->devices[rank] = memory->desc->devices[rank];
		return PLAIT_OK;
	}
	if (output != NULL || input != NULL)
		return device_of_buffer(memory, output != NULL ? output : input,
					&memory->devices[rank]);
	return plait_context_device(memory->context, 0, &memory->devices[rank],
				    memory->error);
}

static void find_memory(plait__collective_memory *memory, uint32_t rank)
{
	uint32_t first = 0;

	while (memory->devices[first] != memory->devices[rank])
		first++;
	memory->memories[rank] = first;
}

/* ---- all ---- */

plait_status plait__collective_memory_open(plait__collective_memory *memory)
{
	uint32_t ranks = memory->schedule->rank_count;
	plait_status status = check_buffers(memory);

	if (status != PLAIT_OK)
		return status;
	memory->devices = plait__alloc_array(memory->allocator, ranks,
					     sizeof(*memory->devices));
	memory->memories = plait__alloc_array(memory->allocator, ranks,
					      sizeof(*memory->memories));
	if (memory->devices == NULL || memory->memories == NULL)
		return plait__fail(memory->error, PLAIT_E_NOMEM,
				   "no memory for a collective of %u ranks",
				   ranks);
	for (uint32_t i = 0; i < ranks && status == PLAIT_OK; i++) {
		status = find_device(memory, i);
		if (status == PLAIT_OK)
			find_memory(memory, i);
	}
	return status;
}

plait_status
plait__collective_memory_allocate(plait__collective_memory *memory,
				  const plait__merge *merge)
{
	uint32_t count = merge->temporaries.count;
	plait_status status = PLAIT_OK;

	memory->temporaries = plait__alloc_array(memory->allocator, count,
						 sizeof(*memory->temporaries));
	if (count > 0 && memory->temporaries == NULL)
		return plait__fail(memory->error, PLAIT_E_NOMEM,
				   "no memory for %u temporaries", count);
	memory->temporary_count = count;
	for (uint32_t i = 0; i < count && status == PLAIT_OK; i++) {
		const plait__merge_temporary *at =
			plait__vector_at(&merge->temporaries, i);
		const plait_buffer_desc desc = {
			.size = sizeof(desc), .flags = PLAIT_BUFFER_TEMPORARY,
			.bytes = at->elements * memory->element_bytes,
		};

		status = plait_buffer_create(memory->devices[at->rank], &desc,
					     &memory->temporaries[i],
					     memory->error);
	}
	return status;
}

void plait__collective_memory_close(plait__collective_memory *memory)
{
	uint32_t ranks = memory->schedule->rank_count;

	for (uint32_t i = 0; i < memory->temporary_count; i++)
		plait_buffer_release(memory->temporaries[i]);
	plait__free(memory->allocator, memory->temporaries,
		    memory->temporary_count * sizeof(*memory->temporaries));
	plait__free(memory->allocator, memory->devices,
		    ranks * sizeof(*memory->devices));
	plait__free(memory->allocator, memory->memories,
		    ranks * sizeof(*memory->memories));
}
