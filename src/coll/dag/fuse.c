/* SPDX-License-Identifier: MIT */
/*
 * Fusion of nodes into one step.
 *
 *   receive, send           -> RECV_SEND
 *   receive-reduce, send    -> RECV_REDUCE_BOTH, or RECV_REDUCE_SEND if every
 *                              sub-chunk is dead: no other node reads it, and
 *                              it is no result
 *   receive, local reduce   -> RECV_REDUCE, if what was received is dead
 *   copy, receive-reduce    -> RECV_REDUCE that reads the copied chunks where
 *                              they were, if nothing else reads the copy
 *
 * A send joins the receive that wrote exactly its range; it depends on nothing
 * else, so no circle can come about.  A local reduction joins only if all that
 * it depends on precedes the receive in the program; a copy if nothing between
 * the two depends on it.
 */
#include "coll/dag/dag.h"

/* Both or none have a directive, and the same one. */
static bool same_directives(const plait__dag_node *one,
			    const plait__dag_node *other)
{
	uint32_t both = PLAIT__DAG_HAS_CHANNEL | PLAIT__DAG_HAS_LANE;

	return one->way == other->way &&
	       (one->flags & both) == (other->flags & both) &&
	       one->channel == other->channel && one->lane == other->lane;
}

static bool is_received_range(const plait__dag_node *receive,
			      const plait__dag_node *reader)
{
	return receive->target_buffer == reader->source_buffer &&
	       receive->target == reader->source &&
	       receive->count == reader->count;
}

/* ---- receive and local reduce ---- */

static bool precede(const plait__dag *dag, uint32_t node, uint32_t receive)
{
	uint32_t count;
	const uint32_t *preds = plait__dag_preds(dag, node, &count);

	for (uint32_t i = 0; i < count; i++)
		if (preds[i] != receive &&
		    plait__dag_at(dag, preds[i])->unit > receive)
			return false;
	return true;
}

/* Returns the receive that a reduction can join, or NONE. */
static uint32_t find_receive(const plait__dag *dag, uint32_t number)
{
	const plait__dag_node *node = plait__dag_at(dag, number);
	uint32_t count;
	const uint32_t *preds = plait__dag_preds(dag, number, &count);

	for (uint32_t i = 0; i < count; i++) {
		const plait__dag_node *at = plait__dag_at(dag, preds[i]);

		if (at->kind == PLAIT__STEP_RECV && at->reader == number &&
		    !(at->flags & PLAIT__DAG_KEPT) &&
		    at->local == PLAIT__COLL_NONE &&
		    is_received_range(at, node) && at->way == node->way &&
		    !((at->flags | node->flags) & PLAIT__DAG_HAS_LANE) &&
		    precede(dag, number, preds[i]))
			return preds[i];
	}
	return PLAIT__COLL_NONE;
}

/* The receive takes the place, the readers and the fate of the reduction. */
static void join_reduction(plait__dag *dag, uint32_t receive, uint32_t number)
{
	plait__dag_node *at = plait__dag_at(dag, receive);
	plait__dag_node *node = plait__dag_at(dag, number);

	at->kind = PLAIT__STEP_RECV_REDUCE;
	at->source_buffer = at->target_buffer = node->target_buffer;
	at->source = at->target = node->target;
	at->local = number;
	at->reader = node->reader;
	at->flags |= node->flags & PLAIT__DAG_KEPT;
	node->unit = receive;
}

static void fuse_reductions(plait__dag *dag)
{
	for (uint32_t i = 0; i < dag->nodes.count; i++) {
		uint32_t receive;

		if (plait__dag_at(dag, i)->kind != PLAIT__STEP_REDUCE)
			continue;
		receive = find_receive(dag, i);
		if (receive != PLAIT__COLL_NONE)
			join_reduction(dag, receive, i);
	}
}

/* ---- copy and receive-reduce ---- */

/* Returns the copy that a receive-reduce can read instead, or NONE. */
static uint32_t find_copy(const plait__dag *dag, uint32_t number)
{
	const plait__dag_node *node = plait__dag_at(dag, number);
	uint32_t count;
	const uint32_t *preds = plait__dag_preds(dag, number, &count);

	for (uint32_t i = 0; i < count; i++) {
		const plait__dag_node *at = plait__dag_at(dag, preds[i]);

		if (at->kind == PLAIT__STEP_COPY && at->reader == number &&
		    !(at->flags & PLAIT__DAG_KEPT) &&
		    at->first_next == number && at->way == node->way &&
		    is_received_range(at, node) &&
		    !((at->flags | node->flags) & PLAIT__DAG_HAS_LANE))
			return preds[i];
	}
	return PLAIT__COLL_NONE;
}

static void fuse_copies(plait__dag *dag)
{
	for (uint32_t i = 0; i < dag->nodes.count; i++) {
		plait__dag_node *node = plait__dag_at(dag, i);
		plait__dag_node *copy;
		uint32_t found;

		if (node->kind != PLAIT__STEP_RECV_REDUCE ||
		    node->local != PLAIT__COLL_NONE)
			continue;
		found = find_copy(dag, i);
		if (found == PLAIT__COLL_NONE)
			continue;
		copy = plait__dag_at(dag, found);
		node->source_buffer = copy->source_buffer;
		node->source = copy->source;
		node->local = found;
		copy->unit = i;
	}
}

/* ---- receive and send ---- */

static bool can_forward(const plait__dag_node *receive,
			const plait__dag_node *send)
{
	return (receive->kind == PLAIT__STEP_RECV ||
		receive->kind == PLAIT__STEP_RECV_REDUCE) &&
	       is_received_range(receive, send) &&
	       same_directives(receive, send);
}

/* Let each receive choose the send with the longest path to a sink. */
static void choose_sends(plait__dag *dag)
{
	for (uint32_t i = 0; i < dag->nodes.count; i++) {
		const plait__dag_node *node = plait__dag_at(dag, i);
		plait__dag_node *unit;
		uint32_t count;
		const uint32_t *preds = plait__dag_preds(dag, i, &count);

		if (node->kind != PLAIT__STEP_SEND || count != 1)
			continue;
		unit = plait__dag_at(dag,
				     plait__dag_at(dag, preds[0])->unit);
		if (can_forward(unit, node) &&
		    (unit->send == PLAIT__COLL_NONE ||
		     plait__dag_at(dag, unit->send)->height < node->height))
			unit->send = i;
	}
}

static void join_send(plait__dag *dag, uint32_t number)
{
	plait__dag_node *unit = plait__dag_at(dag, number);
	bool is_dead = unit->reader == unit->send &&
		       !(unit->flags & PLAIT__DAG_KEPT);

	plait__dag_at(dag, unit->send)->unit = number;
	if (unit->kind == PLAIT__STEP_RECV)
		unit->kind = PLAIT__STEP_RECV_SEND;
	else
		unit->kind = is_dead ? PLAIT__STEP_RECV_REDUCE_SEND :
				       PLAIT__STEP_RECV_REDUCE_BOTH;
}

void plait__fuse_nodes(plait__dag *dag)
{
	fuse_copies(dag);
	fuse_reductions(dag);
	choose_sends(dag);
	for (uint32_t i = 0; i < dag->nodes.count; i++)
		if (plait__dag_at(dag, i)->send != PLAIT__COLL_NONE)
			join_send(dag, i);
}

void plait__fuse_undo(plait__dag *dag, uint32_t number)
{
	plait__dag_node *unit = plait__dag_at(dag, number);

	plait__dag_at(dag, unit->send)->unit = unit->send;
	unit->send = PLAIT__COLL_NONE;
	unit->kind = unit->kind == PLAIT__STEP_RECV_SEND ?
			     PLAIT__STEP_RECV : PLAIT__STEP_RECV_REDUCE;
}
