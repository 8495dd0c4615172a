/* SPDX-License-Identifier: MIT */
/* The nine collectives; see collective.h. */
#include "coll/chunk/collective.h"

#include <string.h>

bool plait__collective_sizes(uint32_t kind, uint64_t ranks, uint64_t share,
			     uint64_t *input, uint64_t *output)
{
	*input = *output = share;
	switch (kind) {
	case PLAIT__COLL_CUSTOM:
		return false;
	case PLAIT__COLL_ALLGATHER:
	case PLAIT__COLL_GATHER:
		*output = ranks * share;
		return true;
	case PLAIT__COLL_REDUCE_SCATTER:
	case PLAIT__COLL_SCATTER:
		*input = ranks * share;
		return true;
	case PLAIT__COLL_ALLTOALL:
		*input = *output = ranks * share;
		return true;
	default:
		return true;
	}
}

bool plait__collective_has_input(const plait__schedule *shape, uint32_t rank)
{
	switch (shape->kind) {
	case PLAIT__COLL_BROADCAST:
	case PLAIT__COLL_SCATTER:
		return rank == shape->root;
	default:
		return true;
	}
}

static bool is_promised(const plait__schedule *shape, uint32_t rank,
			uint32_t index)
{
	uint64_t low = 0, high = shape->promise_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const plait__coll_promise *at = &shape->promises[middle];

		if (at->rank == rank && at->index == index)
			return true;
		if (at->rank < rank || (at->rank == rank && at->index < index))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool plait__collective_wants(const plait__schedule *shape, uint32_t rank,
			     uint32_t index)
{
	switch (shape->kind) {
	case PLAIT__COLL_CUSTOM:
		return is_promised(shape, rank, index);
	case PLAIT__COLL_REDUCE:
	case PLAIT__COLL_GATHER:
		return rank == shape->root;
	case PLAIT__COLL_ALLTONEXT:
		return rank > 0;
	default:
		return true;
	}
}

static const char *const names[] = {
	"custom", "allreduce", "allgather", "reduce_scatter", "alltoall",
	"broadcast", "reduce", "gather", "scatter", "alltonext",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

const char *plait__collective_name(uint32_t kind)
{
	return kind < NAMES ? names[kind] : NULL;
}

int plait__collective_kind(const char *name, size_t length)
{
	for (int i = 0; i < NAMES; i++)
		if (strlen(names[i]) == length &&
		    memcmp(names[i], name, length) == 0)
			return i;
	return -1;
}
