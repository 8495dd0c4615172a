/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a merge for ranks on the host.  The operations of a component read
 * what others of it have just written; where its memory is larger than the cache
 * of a processor, operations on whole chunks find it in the next cache or in
 * none.  With pieces each component fits; one chain per worker keeps as many
 * components in work as there are processors.
 */
#include "coll/use/collective_pieces.h"

#include "base/error.h"

enum {
	COMPONENT_BYTES = 512 << 10,
	MOST_OPERATIONS = 1 << 14
};

/* Returns the bytes of the inputs and outputs of all ranks. */
static uint64_t total_bytes(const plait__collective_memory *memory)
{
	const plait__schedule *schedule = memory->schedule;
	uint64_t elements = 0;

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		uint64_t in = plait__merge_elements(schedule, i,
						    PLAIT__COLL_INPUT,
						    memory->desc->count);
		uint64_t out = plait__merge_elements(schedule, i,
						     PLAIT__COLL_OUTPUT,
						     memory->desc->count);

		if (schedule->flags & PLAIT__COLL_IN_PLACE)
			elements += in > out ? in : out;
		else
			elements += in + out;
	}
	return elements * memory->element_bytes;
}

static bool is_one_memory(const plait__collective_memory *memory)
{
	for (uint32_t i = 1; i < memory->schedule->rank_count; i++)
		if (memory->memories[i] != memory->memories[0])
			return false;
	return true;
}

/* Returns how many pieces make components of about COMPONENT_BYTES; 0: the whole
 * collective is hardly larger. */
static uint64_t count_pieces(uint64_t bytes, uint32_t components,
			     uint32_t operations)
{
	uint64_t pieces = bytes / components / COMPONENT_BYTES;
	uint64_t most = MOST_OPERATIONS / operations;

	if (bytes < 2 * COMPONENT_BYTES)
		return 0;
	pieces = pieces < most ? pieces : most;
	return pieces > 0 ? pieces : 1;
}

plait_status
plait__collective_pieces_choose(const plait__collective_memory *memory,
				const plait__merge *merge,
				plait__merge_request *request)
{
	plait_device_info info = { .size = sizeof(info) };
	uint32_t components;
	plait_status status;

	if (request->detached || merge->ops.count == 0 ||
	    merge->ops.count > MOST_OPERATIONS || !is_one_memory(memory))
		return PLAIT_OK;
	status = plait_device_query(memory->devices[0], &info, memory->error);
	if (status != PLAIT_OK || !(info.capabilities & PLAIT_DEVICE_HOST))
		return status;
	if (plait__merge_chains_count(merge, &components) != 0)
		return plait__fail(memory->error, PLAIT_E_NOMEM,
				   "no memory for %u operations",
				   merge->ops.count);
	request->pieces = (uint32_t)count_pieces(total_bytes(memory), components,
						 merge->ops.count);
	request->chains = info.parallel;
	return PLAIT_OK;
}
