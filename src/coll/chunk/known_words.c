/* SPDX-License-Identifier: MIT */
/* Words in which the known algorithms are written; see known.h. */
#include "coll/chunk/known.h"

#include "base/error.h"

void plait__known_refuse(plait__known *known, const char *reason)
{
	if (known->status == PLAIT_OK)
		known->status = plait__fail(known->error, PLAIT_E_INVALID, "%s",
					    reason);
}

uint64_t plait__known_at(plait__known *known, uint32_t rank, uint32_t buffer,
			 uint32_t index, uint32_t count)
{
	plait__chunk_range range = { rank, buffer, index, count };
	uint64_t chunk = 0;

	if (known->status == PLAIT_OK)
		known->status = plait__chunk_get(known->program, &range,
						 &chunk, known->error);
	return chunk;
}

uint64_t plait__known_copy(plait__known *known, uint64_t chunk, uint32_t rank,
			   uint32_t buffer, uint32_t index)
{
	plait__chunk_place place = {
		.flags = PLAIT__CHUNK_HAS_BUFFER, .rank = rank,
		.buffer = buffer, .index = index,
	};
	uint64_t copy = 0;

	if (known->status == PLAIT_OK)
		known->status = plait__chunk_copy(known->program, chunk, &place,
						  &copy, known->error);
	return copy;
}

uint64_t plait__known_reduce(plait__known *known, uint64_t target,
			     uint64_t source)
{
	plait__chunk_place place = { .flags = 0 };
	uint64_t sum = 0;

	if (known->status == PLAIT_OK)
		known->status = plait__chunk_reduce(known->program, target,
						    source, &place, &sum,
						    known->error);
	return sum;
}

uint32_t plait__known_work(const plait__known *known, uint32_t buffer)
{
	return known->in_place ? PLAIT__COLL_INPUT : buffer;
}

uint64_t plait__known_own(plait__known *known, uint32_t rank, uint32_t index,
			  uint32_t count, uint32_t buffer)
{
	uint64_t chunk = plait__known_at(known, rank, PLAIT__COLL_INPUT, index,
					 count);

	return known->in_place ? chunk :
	       plait__known_copy(known, chunk, rank, buffer, index);
}
