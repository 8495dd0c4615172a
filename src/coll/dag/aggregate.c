/* SPDX-License-Identifier: MIT */
/*
 * Aggregation: transfers of neighbouring chunks between two ranks become one.
 *
 * The time of an operation is the cost of the longest path to it: a transfer
 * costs LATENCY, a local operation 1.  Transfers join if their times differ by
 * less than LATENCY, so that none waits for another one longer than the message
 * takes that it saves.  No circle can come about: a path from a transfer to
 * another one takes at least LATENCY, a join goes back by less.  For the same
 * reason each operation precedes those that depend on it if all are sorted by
 * the latest time of what they join.
 */
#include "coll/dag/dag.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { LATENCY = 16, CLASS_WORDS = 9 };

/* A transfer, or several after joining; also a local operation. */
typedef struct plait__aggregate_item {
	uint64_t time;
	/* Equal for transfers that may join: ranks, way, kind, buffers, shift
	 * between the chunks, directives. */
	uint32_t class[CLASS_WORDS];
	uint32_t window;	/* transfers of a class at about one time */
	uint32_t source, count;	/* sub-chunks */
	uint32_t node;
} plait__aggregate_item;

typedef struct plait__aggregate {
	plait__dag *dag;
	uint32_t max_count;	/* sub-chunks of a transfer; 0: no limit */
	uint64_t *times;	/* by node */
	plait__vector items;	/* plait__aggregate_item: transfers */
	plait__vector joined;	/* the same after joining; local operations */
} plait__aggregate;

static plait__aggregate_item *item_at(const plait__vector *items, uint32_t i)
{
	return plait__vector_at(items, i);
}

/* ---- times ---- */

/* Returns the time at which all has ended that the node depends on. */
static uint64_t time_after_preds(const plait__aggregate *state, uint32_t node)
{
	uint32_t count;
	const uint32_t *preds = plait__dag_preds(state->dag, node, &count);
	uint64_t time = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool is_local = plait__dag_at(state->dag, preds[i])->match ==
				PLAIT__COLL_NONE;
		uint64_t end = state->times[preds[i]] +
			       (is_local ? 1 : LATENCY);

		time = end > time ? end : time;
	}
	return time;
}

static plait__aggregate_item describe(const plait__dag *dag, uint32_t number)
{
	const plait__dag_node *send = plait__dag_at(dag, number);
	const plait__dag_node *receive = plait__dag_at(dag, number + 1);

	return (plait__aggregate_item){
		.class = { send->rank, receive->rank, send->way,
			   (uint32_t)receive->kind << 16 |
				   (uint32_t)send->source_buffer << 8 |
				   receive->target_buffer,
			   receive->target - send->source,
			   (uint32_t)send->flags << 8 | receive->flags,
			   send->channel, send->lane, receive->lane },
		.source = send->source, .count = send->count, .node = number,
	};
}

static plait_status add_transfer(plait__aggregate *state, uint32_t number)
{
	plait__aggregate_item item;
	uint64_t own = time_after_preds(state, number);
	uint64_t other = time_after_preds(state, number + 1);

	item = describe(state->dag, number);
	item.time = own > other ? own : other;
	state->times[number] = state->times[number + 1] = item.time;
	return PLAIT__VECTOR_ADD(&state->items, &item) != NULL ?
		       PLAIT_OK : PLAIT_E_NOMEM;
}

static plait_status add_local(plait__aggregate *state, uint32_t number)
{
	plait__aggregate_item item = { .node = number };

	item.time = time_after_preds(state, number);
	state->times[number] = item.time;
	return PLAIT__VECTOR_ADD(&state->joined, &item) != NULL ?
		       PLAIT_OK : PLAIT_E_NOMEM;
}

/* Forget what the first pass over the program found at its end. */
static void reset_node(plait__dag_node *node)
{
	node->flags &= (uint8_t)~PLAIT__DAG_KEPT;
	node->reader = node->first_next = PLAIT__COLL_NONE;
	node->height = 0;
}

static plait_status list_items(plait__aggregate *state)
{
	plait__dag *dag = state->dag;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < dag->nodes.count; i++)
		reset_node(plait__dag_at(dag, i));
	for (uint32_t i = 0; status == PLAIT_OK && i < dag->nodes.count; i++)
		if (plait__dag_at(dag, i)->match == PLAIT__COLL_NONE)
			status = add_local(state, i);
		else if (plait__dag_at(dag, i)->kind == PLAIT__STEP_SEND)
			status = add_transfer(state, i);
	return status;
}

/* ---- joining ---- */

static int compare_times(const void *left, const void *right)
{
	const plait__aggregate_item *a = left, *b = right;
	int order = memcmp(a->class, b->class, sizeof(a->class));

	if (order != 0)
		return order;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_sources(const void *left, const void *right)
{
	const plait__aggregate_item *a = left, *b = right;

	if (a->window != b->window)
		return a->window < b->window ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_joined(const void *left, const void *right)
{
	const plait__aggregate_item *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Number the windows: transfers of a class less than LATENCY after the first
 * one. */
static void open_windows(plait__aggregate *state)
{
	const plait__aggregate_item *first = NULL;
	uint32_t window = 0;

	plait__vector_sort(&state->items, compare_times);
	for (uint32_t i = 0; i < state->items.count; i++) {
		plait__aggregate_item *item = item_at(&state->items, i);

		if (first == NULL || item->time - first->time >= LATENCY ||
		    memcmp(item->class, first->class, sizeof(item->class))) {
			first = item;
			window++;
		}
		item->window = window;
	}
}

static bool can_join(const plait__aggregate *state,
		     const plait__aggregate_item *whole,
		     const plait__aggregate_item *item)
{
	return item->window == whole->window &&
	       item->source == whole->source + whole->count &&
	       (state->max_count == 0 ||
		whole->count + item->count <= state->max_count);
}

/* Join neighbouring items of state->items into state->joined. */
static plait_status join_items(plait__aggregate *state)
{
	uint32_t i = 0;

	open_windows(state);
	plait__vector_sort(&state->items, compare_sources);
	while (i < state->items.count) {
		plait__aggregate_item whole = *item_at(&state->items, i++);

		while (i < state->items.count &&
		       can_join(state, &whole, item_at(&state->items, i))) {
			const plait__aggregate_item *item =
				item_at(&state->items, i++);

			whole.count += item->count;
			if (item->time > whole.time)
				whole.time = item->time;
		}
		if (PLAIT__VECTOR_ADD(&state->joined, &whole) == NULL)
			return PLAIT_E_NOMEM;
	}
	plait__vector_sort(&state->joined, compare_joined);
	return PLAIT_OK;
}

/* ---- nodes ---- */

static plait_status add_node(plait__vector *nodes, plait__dag_node node,
			     const plait__aggregate_item *whole)
{
	node.unit = nodes->count;
	if (node.match != PLAIT__COLL_NONE) {
		node.count = whole->count;
		node.match = node.kind == PLAIT__STEP_SEND ?
				     nodes->count + 1 : nodes->count - 1;
	}
	return PLAIT__VECTOR_ADD(nodes, &node) != NULL ? PLAIT_OK :
							 PLAIT_E_NOMEM;
}

/* Put one transfer in the place of those that are joined. */
static plait_status replace_nodes(plait__aggregate *state)
{
	plait__dag *dag = state->dag;
	plait__vector nodes;
	plait_status status = PLAIT_OK;

	plait__vector_init(&nodes, dag->allocator, sizeof(plait__dag_node));
	for (uint32_t i = 0; i < state->joined.count && !status; i++) {
		const plait__aggregate_item *whole =
			item_at(&state->joined, i);
		const plait__dag_node *node = plait__dag_at(dag, whole->node);

		status = add_node(&nodes, node[0], whole);
		if (status == PLAIT_OK && node->match != PLAIT__COLL_NONE)
			status = add_node(&nodes, node[1], whole);
	}
	plait__vector_fini(&dag->nodes);
	dag->nodes = nodes;
	plait__vector_truncate(&dag->preds, 0);
	plait__vector_truncate(&dag->first_pred, 0);
	return status;
}

plait_status plait__aggregate_transfers(plait__dag *dag, uint32_t max_count,
					plait_error *error)
{
	plait__aggregate state = { .dag = dag, .max_count = max_count };
	const plait_allocator *allocator = dag->allocator;
	uint64_t nodes = dag->nodes.count;
	plait_status status = PLAIT_E_NOMEM;

	if (nodes == 0)
		return PLAIT_OK;
	plait__vector_init(&state.items, allocator,
			   sizeof(plait__aggregate_item));
	plait__vector_init(&state.joined, allocator,
			   sizeof(plait__aggregate_item));
	state.times = plait__alloc_array(allocator, nodes,
					 sizeof(*state.times));
	if (state.times != NULL)
		status = list_items(&state);
	if (status == PLAIT_OK)
		status = join_items(&state);
	if (status == PLAIT_OK)
		status = replace_nodes(&state);
	plait__vector_fini(&state.items);
	plait__vector_fini(&state.joined);
	plait__free(allocator, state.times, nodes * sizeof(*state.times));
	if (status != PLAIT_OK)
		return plait__fail(error, status,
				   "no memory to join %llu transfers",
				   (unsigned long long)nodes);
	return plait__deps_trace(dag, error);
}
