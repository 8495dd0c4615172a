/* SPDX-License-Identifier: MIT */
/*
 * Values of test collectives: element i of a rank's input is a random number, a
 * sum of them is exact.
 */
#ifndef T_COLL_PROMISED_H
#define T_COLL_PROMISED_H

#include "coll/interpret.h"

static inline uint64_t promised_element(uint32_t rank, uint64_t at)
{
	return interpret_mix(1 + rank + at * 64);
}

static inline uint64_t promised_sum(const plait__schedule *schedule,
				    uint64_t index)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < schedule->rank_count; i++)
		total += promised_element(i, index);
	return total;
}

/* Get output element `index` of a rank, for shares of n elements.  Returns false
 * where nothing is promised.  Custom: two ranks exchange their inputs. */
static inline bool promised_value(const plait__schedule *schedule, uint64_t n,
				  uint32_t rank, uint64_t index, uint64_t *out)
{
	bool is_root = rank == schedule->root;

	switch (schedule->kind) {
	case PLAIT__COLL_ALLREDUCE:
	case PLAIT__COLL_REDUCE:
		*out = promised_sum(schedule, index);
		return schedule->kind == PLAIT__COLL_ALLREDUCE || is_root;
	case PLAIT__COLL_ALLGATHER:
	case PLAIT__COLL_GATHER:
		*out = promised_element((uint32_t)(index / n), index % n);
		return schedule->kind == PLAIT__COLL_ALLGATHER || is_root;
	case PLAIT__COLL_REDUCE_SCATTER:
		*out = promised_sum(schedule, rank * n + index);
		return true;
	case PLAIT__COLL_ALLTOALL:
		*out = promised_element((uint32_t)(index / n),
					rank * n + index % n);
		return true;
	case PLAIT__COLL_BROADCAST:
		*out = promised_element(schedule->root, index);
		return true;
	case PLAIT__COLL_SCATTER:
		*out = promised_element(schedule->root, rank * n + index);
		return true;
	case PLAIT__COLL_CUSTOM:
		*out = promised_element(1 - rank, index);
		return true;
	default:
		*out = rank == 0 ? 0 : promised_element(rank - 1, index);
		return rank > 0;
	}
}

/* First element of a rank's input or output in its memory: in place the smaller
 * buffer is the rank's own part of the larger one. */
static inline uint64_t promised_part(const plait__schedule *schedule, uint64_t n,
				     uint32_t rank, bool output)
{
	uint32_t kind = schedule->kind;
	bool cut = output ? kind == PLAIT__COLL_REDUCE_SCATTER ||
				    kind == PLAIT__COLL_SCATTER :
			    kind == PLAIT__COLL_ALLGATHER ||
				    kind == PLAIT__COLL_GATHER;
	const plait__coll_rank *own = &schedule->ranks[rank];
	bool both = own->input_chunks > 0 && own->output_chunks > 0;

	return (schedule->flags & PLAIT__COLL_IN_PLACE) && cut && both ?
		       rank * n : 0;
}

#endif
