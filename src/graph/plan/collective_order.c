/* SPDX-License-Identifier: MIT */
/*
 * Order of COLLECTIVE nodes: one walk in topological order for each world, which
 * numbers its collectives.  Each node takes the highest number from its
 * predecessors; a collective whose number before it is not the last one is not
 * ordered with that.
 */
#include "graph/plan/collective_order.h"

#include "graph/build/collective_nodes.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* Arrays by node, but for `next`. */
typedef struct order_walk {
	const plait__store *store;
	const plait__input *input;
	uint32_t *first;	/* edges, plus one: index in next */
	uint32_t *next;		/* successors */
	uint32_t *missing;	/* predecessors that the walk has not met */
	uint32_t *newest;	/* collectives of the world up to here */
	uint32_t *ready;	/* nodes in topological order */
	plait_error *error;
} order_walk;

static bool is_collective(const plait__input *input, uint32_t node)
{
	const plait__input_node *at = &input->nodes[node];
	uint32_t function;

	if (at->kind != PLAIT__CMD_HOST || at->is_removed ||
	    at->link >= input->tables.payloads_count)
		return false;
	function = input->tables.payloads[at->link].object;
	return function < input->tables.functions_count &&
	       (input->tables.functions[function].flags &
		PLAIT__FUNCTION_COLLECTIVE) != 0;
}

bool plait__collective_order_matters(const plait__input *input)
{
	bool has = false;

	for (uint32_t i = 0; i < input->tables.functions_count; i++)
		has |= (input->tables.functions[i].flags &
			PLAIT__FUNCTION_COLLECTIVE) != 0;
	return has;
}

/* Null for a node that is no collective, or whose run supplies its call. */
static const void *world_of(const order_walk *walk, uint32_t node)
{
	const plait__collective_record *record;
	const plait__store_function *function;

	if (!is_collective(walk->input, node))
		return NULL;
	function = plait__vector_at(
		&walk->store->objects[PLAIT__STORE_FUNCTIONS],
		walk->input->tables.payloads[walk->input->nodes[node].link]
			.object);
	record = function->inbox;
	return record != NULL ? record->world : NULL;
}

/* ---- bodies ---- */

static plait_status check_bodies(const order_walk *walk)
{
	const plait__input *input = walk->input;
	uint32_t count = input->scopes != NULL ? input->scopes[0].node_count :
						 input->node_count;
	char room[PLAIT__NODE_TEXT_BYTES];

	for (uint32_t i = count; i < input->node_count; i++)
		if (is_collective(input, i))
			return plait__fail(walk->error, PLAIT_E_INVALID,
					   "%s is a collective in the body of a "
					   "loop or branch, which ranks may "
					   "decide differently; run the plan "
					   "once for each iteration",
					   plait__input_node_text(input, i,
								  room));
	return PLAIT_OK;
}

/* ---- the walk ---- */

static void list_successors(order_walk *walk)
{
	const plait__input *input = walk->input;

	for (uint32_t i = 0; i < input->edge_count; i++)
		walk->first[input->edges[i].before + 1]++;
	for (uint32_t i = 0; i < input->node_count; i++)
		walk->first[i + 1] += walk->first[i];
	for (uint32_t i = 0; i < input->edge_count; i++)
		walk->next[walk->first[input->edges[i].before] +
			   walk->missing[input->edges[i].before]++] =
			input->edges[i].after;
}

static void count_predecessors(order_walk *walk)
{
	const plait__input *input = walk->input;

	memset(walk->missing, 0, input->node_count * sizeof(*walk->missing));
	memset(walk->newest, 0, input->node_count * sizeof(*walk->newest));
	for (uint32_t i = 0; i < input->edge_count; i++)
		walk->missing[input->edges[i].after]++;
}

static plait_status fail_pair(const order_walk *walk, uint32_t one,
			      uint32_t other)
{
	char rooms[2][PLAIT__NODE_TEXT_BYTES];

	return plait__fail(walk->error, PLAIT_E_INVALID,
			   "no path orders %s and %s, which are collectives of "
			   "one world: all ranks have to execute them in one "
			   "order; add an edge",
			   plait__input_node_text(walk->input, one, rooms[0]),
			   plait__input_node_text(walk->input, other,
						  rooms[1]));
}

/* Tell the successors of the collectives before them; returns the new end of the
 * ready nodes. */
static uint32_t pass_on(order_walk *walk, uint32_t node, uint32_t ready)
{
	for (uint32_t i = walk->first[node]; i < walk->first[node + 1]; i++) {
		uint32_t after = walk->next[i];

		if (walk->newest[after] < walk->newest[node])
			walk->newest[after] = walk->newest[node];
		if (--walk->missing[after] == 0)
			walk->ready[ready++] = after;
	}
	return ready;
}

/* A graph with a circle is left to the planner, which names it. */
static plait_status walk_world(order_walk *walk, const void *world)
{
	uint32_t ready = 0, met = 0, last = 0;

	count_predecessors(walk);
	for (uint32_t i = 0; i < walk->input->node_count; i++)
		if (walk->missing[i] == 0)
			walk->ready[ready++] = i;
	for (uint32_t i = 0; i < ready; i++) {
		uint32_t node = walk->ready[i];

		if (world_of(walk, node) == world) {
			if (walk->newest[node] != met)
				return fail_pair(walk, last, node);
			walk->newest[node] = ++met;
			last = node;
		}
		ready = pass_on(walk, node, ready);
	}
	return PLAIT_OK;
}

/* Walk once for each world, at the first node of it. */
static plait_status walk_worlds(order_walk *walk)
{
	const uint32_t count = walk->input->node_count;
	plait_status status = PLAIT_OK;

	list_successors(walk);
	for (uint32_t i = 0; i < count && status == PLAIT_OK; i++) {
		const void *world = world_of(walk, i);
		bool is_first = world != NULL;

		for (uint32_t k = 0; k < i && is_first; k++)
			is_first = world_of(walk, k) != world;
		if (is_first)
			status = walk_world(walk, world);
	}
	return status;
}

plait_status plait__collective_order_check(const plait__store *store,
					   const plait__input *input,
					   plait_error *error)
{
	const plait_allocator *allocator = &store->allocator;
	uint64_t count = (uint64_t)input->node_count + 1;
	uint64_t words = 4 * count + input->edge_count + 1;
	uint32_t *memory = plait__alloc_array(allocator, words,
					      sizeof(*memory));
	order_walk walk = { .store = store, .input = input, .error = error };
	plait_status status;

	if (memory == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to order the collectives of %u "
				   "nodes", input->node_count);
	walk.first = memory;
	walk.missing = memory + count;
	walk.newest = memory + 2 * count;
	walk.ready = memory + 3 * count;
	walk.next = memory + 4 * count;
	status = check_bodies(&walk);
	if (status == PLAIT_OK)
		status = walk_worlds(&walk);
	plait__free(allocator, memory, words * sizeof(*memory));
	return status;
}
