/* SPDX-License-Identifier: MIT */
/*
 * Dependences of nodes, by one pass over the sub-chunks that they touch: a
 * reader follows the last writer, a writer follows the readers since, or the
 * last writer if there are none.
 */
#include "coll/dag/dag.h"

#include "base/alloc.h"
#include "base/error.h"

/* Readers of a sub-chunk since its last write: a list in `pool`. */
typedef struct plait__deps_reader {
	uint32_t node, next;
} plait__deps_reader;

typedef struct plait__deps {
	plait__dag *dag;
	uint64_t *first_of_rank; /* of the sub-chunks of a rank, in the two */
	uint32_t *writers, *readers;
	uint64_t slot_count;
	uint32_t *mark;		/* last node that named a node */
	plait__vector pool;	/* plait__deps_reader */
} plait__deps;

static plait_status add_pred(plait__deps *deps, uint32_t node, uint32_t pred)
{
	if (pred == node || deps->mark[pred] == node)
		return PLAIT_OK;
	deps->mark[pred] = node;
	if (plait__dag_at(deps->dag, pred)->first_next == PLAIT__COLL_NONE)
		plait__dag_at(deps->dag, pred)->first_next = node;
	return PLAIT__VECTOR_ADD(&deps->dag->preds, &pred) != NULL ?
		       PLAIT_OK : PLAIT_E_NOMEM;
}

static uint64_t slot_of(const plait__deps *deps, uint32_t rank, uint32_t buffer,
			uint32_t index)
{
	return deps->first_of_rank[rank] +
	       plait__schedule_memory_index(deps->dag->schedule, rank, buffer,
					    index);
}

/* `node` reads a sub-chunk: it comes behind the writer, and is one of the
 * readers that the next writer comes behind. */
static plait_status read_slot(plait__deps *deps, uint32_t node, uint64_t slot)
{
	plait__deps_reader reader = { node, deps->readers[slot] };
	uint32_t writer = deps->writers[slot];
	const plait__deps_reader *last;

	if (writer != PLAIT__COLL_NONE) {
		plait__dag_node *at = plait__dag_at(deps->dag, writer);

		if (at->reader == PLAIT__COLL_NONE)
			at->reader = node;
		else if (at->reader != node)
			at->reader = PLAIT__DAG_MANY;
		if (add_pred(deps, node, writer) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	}
	if (reader.next != PLAIT__COLL_NONE) {
		last = plait__vector_at(&deps->pool, reader.next);
		if (last->node == node)
			return PLAIT_OK;
	}
	if (PLAIT__VECTOR_ADD(&deps->pool, &reader) == NULL)
		return PLAIT_E_NOMEM;
	deps->readers[slot] = deps->pool.count - 1;
	return PLAIT_OK;
}

static plait_status write_slot(plait__deps *deps, uint32_t node, uint64_t slot)
{
	uint32_t at = deps->readers[slot];

	if (at == PLAIT__COLL_NONE && deps->writers[slot] != PLAIT__COLL_NONE &&
	    add_pred(deps, node, deps->writers[slot]) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	while (at != PLAIT__COLL_NONE) {
		const plait__deps_reader *reader =
			plait__vector_at(&deps->pool, at);

		if (add_pred(deps, node, reader->node) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		at = reader->next;
	}
	deps->writers[slot] = node;
	deps->readers[slot] = PLAIT__COLL_NONE;
	return PLAIT_OK;
}

/* Trace the accesses of a node; nodes come in program order. */
static plait_status trace_node(plait__deps *deps, uint32_t number)
{
	const plait__dag_node *node = plait__dag_at(deps->dag, number);
	bool reads_target = node->kind == PLAIT__STEP_REDUCE ||
			    node->kind == PLAIT__STEP_RECV_REDUCE;
	bool reads_source = node->kind == PLAIT__STEP_SEND ||
			    node->kind == PLAIT__STEP_COPY ||
			    node->kind == PLAIT__STEP_REDUCE;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; reads_source && status == PLAIT_OK &&
			     i < node->count; i++)
		status = read_slot(deps, number,
				   slot_of(deps, node->rank,
					   node->source_buffer,
					   node->source + i));
	if (node->kind == PLAIT__STEP_SEND)
		return status;
	for (uint32_t i = 0; status == PLAIT_OK && i < node->count; i++) {
		uint64_t slot = slot_of(deps, node->rank, node->target_buffer,
					node->target + i);

		if (reads_target)
			status = read_slot(deps, number, slot);
		if (status == PLAIT_OK)
			status = write_slot(deps, number, slot);
	}
	return status;
}

/* Longest paths to a sink, transfers included. */
static void find_heights(plait__dag *dag)
{
	for (uint32_t i = dag->nodes.count; i-- > 0;) {
		plait__dag_node *node = plait__dag_at(dag, i);
		uint32_t count;
		const uint32_t *preds = plait__dag_preds(dag, i, &count);

		node->height++;
		for (uint32_t k = 0; k < count; k++) {
			plait__dag_node *pred = plait__dag_at(dag, preds[k]);

			if (pred->height < node->height)
				pred->height = node->height;
		}
		if (node->match != PLAIT__COLL_NONE && node->match < i) {
			plait__dag_node *send = plait__dag_at(dag, node->match);

			if (send->height < node->height)
				send->height = node->height;
		}
	}
}

static plait_status trace_all(plait__deps *deps)
{
	plait__dag *dag = deps->dag;

	for (uint32_t i = 0; i < dag->nodes.count; i++)
		if (PLAIT__VECTOR_ADD(&dag->first_pred, &dag->preds.count) ==
			    NULL ||
		    trace_node(deps, i) != PLAIT_OK)
			return PLAIT_E_NOMEM;
	if (PLAIT__VECTOR_ADD(&dag->first_pred, &dag->preds.count) == NULL)
		return PLAIT_E_NOMEM;
	plait__live_mark(dag, deps->writers, deps->first_of_rank);
	find_heights(dag);
	return PLAIT_OK;
}

/* Allocate the tables by sub-chunk; the caller frees them after a failure,
 * too. */
static plait_status make_slots(plait__deps *deps)
{
	const plait__schedule *schedule = deps->dag->schedule;
	const plait_allocator *allocator = deps->dag->allocator;
	uint32_t nodes = deps->dag->nodes.count;

	deps->first_of_rank = plait__alloc_array(allocator,
						 schedule->rank_count,
						 sizeof(uint64_t));
	if (deps->first_of_rank == NULL)
		return PLAIT_E_NOMEM;
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *rank = &schedule->ranks[i];

		deps->first_of_rank[i] = deps->slot_count;
		deps->slot_count += (uint64_t)rank->input_chunks +
				    rank->output_chunks + rank->scratch_chunks;
	}
	deps->writers = plait__alloc_array(allocator, deps->slot_count,
					   sizeof(uint32_t));
	deps->readers = plait__alloc_array(allocator, deps->slot_count,
					   sizeof(uint32_t));
	deps->mark = plait__alloc_array(allocator, (uint64_t)nodes + 1,
					sizeof(uint32_t));
	if (deps->writers == NULL || deps->readers == NULL ||
	    deps->mark == NULL)
		return PLAIT_E_NOMEM;
	for (uint64_t i = 0; i < deps->slot_count; i++)
		deps->writers[i] = deps->readers[i] = PLAIT__COLL_NONE;
	for (uint32_t i = 0; i < nodes; i++)
		deps->mark[i] = PLAIT__COLL_NONE;
	return PLAIT_OK;
}

plait_status plait__deps_trace(plait__dag *dag, plait_error *error)
{
	plait__deps deps = { .dag = dag };
	const plait_allocator *allocator = dag->allocator;
	uint64_t nodes = (uint64_t)dag->nodes.count + 1;
	plait_status status;

	plait__vector_init(&deps.pool, allocator, sizeof(plait__deps_reader));
	status = make_slots(&deps);
	if (status == PLAIT_OK)
		status = trace_all(&deps);
	plait__vector_fini(&deps.pool);
	plait__free(allocator, deps.mark, nodes * sizeof(uint32_t));
	plait__free(allocator, deps.writers,
		    deps.slot_count * sizeof(uint32_t));
	plait__free(allocator, deps.readers,
		    deps.slot_count * sizeof(uint32_t));
	plait__free(allocator, deps.first_of_rank,
		    dag->schedule->rank_count * sizeof(uint64_t));
	return status == PLAIT_OK ? status :
	       plait__fail(error, status, "no memory for the dependences of %u "
			   "instructions", dag->nodes.count);
}
