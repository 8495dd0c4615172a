/* SPDX-License-Identifier: MIT */
/* Liveness at the end: a write is kept if a promised output has its value. */
#include "coll/dag/dag.h"

#include "coll/chunk/collective.h"

void plait__live_mark(plait__dag *dag, const uint32_t *writers,
		      const uint64_t *first_of_rank)
{
	const plait__schedule *schedule = dag->schedule;

	for (uint32_t rank = 0; rank < schedule->rank_count; rank++)
		for (uint32_t i = 0; i < schedule->ranks[rank].output_chunks;
		     i++) {
			uint64_t slot = first_of_rank[rank] +
					plait__schedule_memory_index(
						schedule, rank,
						PLAIT__COLL_OUTPUT, i);

			if (writers[slot] != PLAIT__COLL_NONE &&
			    plait__collective_wants(schedule, rank, i))
				plait__dag_at(dag, writers[slot])->flags |=
					PLAIT__DAG_KEPT;
		}
}
