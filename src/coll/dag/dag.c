/* SPDX-License-Identifier: MIT */
/* Graph of instructions; see dag.h. */
#include "coll/dag/dag.h"

void plait__dag_init(plait__dag *dag, const plait_allocator *allocator)
{
	*dag = (plait__dag){ .allocator = allocator };
	plait__vector_init(&dag->nodes, allocator, sizeof(plait__dag_node));
	plait__vector_init(&dag->preds, allocator, sizeof(uint32_t));
	plait__vector_init(&dag->first_pred, allocator, sizeof(uint32_t));
}

void plait__dag_fini(plait__dag *dag)
{
	plait__vector_fini(&dag->nodes);
	plait__vector_fini(&dag->preds);
	plait__vector_fini(&dag->first_pred);
	plait__schedule_free(dag->schedule);
}
