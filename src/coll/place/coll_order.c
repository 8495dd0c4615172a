/* SPDX-License-Identifier: MIT */
/*
 * Order of the steps: list scheduling on a model of the FIFOs.
 *
 * All lanes advance in rounds; in a round each lane executes at most one unit.
 * A unit can execute when all that it depends on has executed, its message is
 * the first of the connection, and it has a credit of the connection to which
 * it sends; a unit that receives and sends needs both at once.  Each edge of
 * the schedule, those of credits included, thus leads forward in the sequence
 * of execution, so the depth of the model suffices for any timing.
 *
 * Connections whose ties form a circle keep one credit free: a unit that only
 * sends takes the last one only if nothing else can execute.
 *
 * If nothing can execute, a unit that has its message and no credit stores it
 * and sends later.  If there is none, the messages of a connection came in the
 * wrong order: the second attempt sends in program order.  The third one does
 * so without fused sends and cannot fail: the first node of the program that
 * has not executed can execute, because each receive is the node after its
 * send, and so all connections are empty.
 */
#include "coll/place/placement.h"

#include "coll/place/unit_heap.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct plait__order {
	plait__placement *place;
	plait__dag *dag;
	plait__unit_heap heap;
	uint32_t *missing;	/* by unit: conditions that do not hold */
	uint32_t *next_message;	/* by send: the message behind, or send */
	uint32_t *next_send;	/* by send: the next one in program order */
	/* Successors of node i within its rank: from first_next[i] on. */
	uint32_t *first_next, *nexts;
	plait__vector fresh;	/* units whose conditions hold since a moment */
	plait__vector freed;	/* connections with a new credit */
	plait__vector lanes, next_lanes; /* active ones, of this round, the next */
	bool in_program_order;
} plait__order;

/* ---- conditions ---- */

static void meet_condition(plait__order *order, uint32_t unit)
{
	if (--order->missing[unit] == 0)
		PLAIT__VECTOR_ADD(&order->fresh, &unit);
}

static void meet_next(plait__order *order, uint32_t node, uint32_t unit)
{
	for (uint32_t i = order->first_next[node];
	     i < order->first_next[node + 1]; i++) {
		uint32_t next = plait__dag_at(order->dag, order->nexts[i])->unit;

		if (next != unit)
			meet_condition(order, next);
	}
}

static plait__placement_connection *connection_of(const plait__order *order,
					      uint32_t node)
{
	return plait__placement_connection_at(order->place,
					  order->place->connection[node]);
}

/* ---- lanes ---- */

static void activate(plait__order *order, uint32_t lane, uint32_t unit)
{
	plait__placement_lane *at = plait__placement_lane_at(order->place, lane);

	order->place->lane[unit] = lane;
	plait__unit_heap_push(&order->heap, &at->ready, unit);
	at->ready_count++;
	if (!at->is_active) {
		at->is_active = 1;
		PLAIT__VECTOR_ADD(&order->next_lanes, &lane);
	}
}

/* Returns the lane of the dependence that executed last, or NONE. */
static uint32_t lane_before(const plait__order *order, uint32_t unit)
{
	uint32_t count, lane = PLAIT__COLL_NONE;
	const uint32_t *preds = plait__dag_preds(order->dag, unit, &count);

	for (uint32_t i = 0; i < count; i++)
		lane = order->place->lane[plait__dag_at(order->dag,
							preds[i])->unit];
	return lane;
}

/* Returns true if lane `a` is better than lane `b` for an operation whose last
 * dependence is in lane `preferred`, NONE if it has none. */
static bool suits(const plait__order *order, uint32_t a, uint32_t b,
		  uint32_t preferred)
{
	const plait__placement_lane *at =
		plait__placement_lane_at(order->place, a);
	const plait__placement_lane *than =
		plait__placement_lane_at(order->place, b);
	/* Both NONE, and no number of the program's. */
	bool is_local = at->send == at->recv &&
			at->directive == PLAIT__COLL_NONE;
	bool was_local = than->send == than->recv &&
			 than->directive == PLAIT__COLL_NONE;

	if (at->ready_count != than->ready_count)
		return at->ready_count < than->ready_count;
	if (preferred == PLAIT__COLL_NONE && is_local != was_local)
		return is_local;
	return b != preferred &&
	       (a == preferred || at->step_count < than->step_count);
}

/* Choose the lane of a local operation: the least busy, then that of its last
 * dependence, or a lane without connections if it has none, then the
 * shortest. */
static uint32_t choose_lane(const plait__order *order, uint32_t unit)
{
	const plait__placement *place = order->place;
	const plait__dag_node *node = plait__dag_at(order->dag, unit);
	uint32_t best = place->first_lane[node->rank];
	uint32_t preferred = lane_before(order, unit);

	for (uint32_t i = best; i < place->first_lane[node->rank + 1]; i++) {
		if (node->flags & PLAIT__DAG_HAS_LANE) {
			if (plait__placement_lane_at(place, i)->directive ==
			    node->lane)
				return i;
		} else if (suits(order, i, best, preferred)) {
			best = i;
		}
	}
	return best;
}

static uint32_t lane_of(const plait__order *order, uint32_t unit)
{
	const plait__dag_node *node = plait__dag_at(order->dag, unit);

	if (node->match == PLAIT__COLL_NONE)
		return choose_lane(order, unit);
	if (node->kind == PLAIT__STEP_SEND)
		return connection_of(order, unit)->source_lane;
	return connection_of(order, unit)->target_lane;
}

/* ---- credits ---- */

/* Returns true if the first unit of a heap may have a credit, with `spare`
 * others left. */
static bool can_send(const plait__order *order,
		     const plait__placement_connection *at, uint32_t heap,
		     uint32_t spare)
{
	if (heap == PLAIT__COLL_NONE ||
	    at->outstanding + spare >= order->place->limits->depth)
		return false;
	return !order->in_program_order ||
	       at->first_send == plait__placement_send_of(order->place, heap);
}

/* Returns the heap whose first unit gets the next credit, or null. */
static uint32_t *next_heap(const plait__order *order,
			   plait__placement_connection *at)
{
	bool may_enter = can_send(order, at, at->entering, 1);

	if (!can_send(order, at, at->waiting, 0))
		return may_enter ? &at->entering : NULL;
	return may_enter && plait__unit_heap_before(&order->heap, at->entering,
						    at->waiting) ?
		       &at->entering : &at->waiting;
}

/* Reserve a credit; the unit executes for certain. */
static void grant(plait__order *order, uint32_t unit)
{
	uint32_t send = plait__placement_send_of(order->place, unit);
	plait__placement_connection *at = connection_of(order, send);

	at->outstanding++;
	if (order->in_program_order)
		at->first_send = order->next_send[send];
	activate(order, lane_of(order, unit), unit);
}

static void grant_waiting(plait__order *order, uint32_t connection)
{
	plait__placement_connection *at =
		plait__placement_connection_at(order->place, connection);

	uint32_t *heap;

	while ((heap = next_heap(order, at)) != NULL)
		grant(order, plait__unit_heap_pop(&order->heap, heap));
}

static void make_ready(plait__order *order, uint32_t unit)
{
	uint32_t send = plait__placement_send_of(order->place, unit);
	plait__placement_connection *at;
	bool enters;

	if (send == PLAIT__COLL_NONE) {
		activate(order, lane_of(order, unit), unit);
		return;
	}
	at = connection_of(order, send);
	enters = unit == send && at->is_circular && !order->in_program_order;
	plait__unit_heap_push(&order->heap,
			      enters ? &at->entering : &at->waiting, unit);
	grant_waiting(order, order->place->connection[send]);
}

/* ---- execution ---- */

/* Take the first message; the one behind it becomes the first. */
static void receive(plait__order *order, uint32_t unit)
{
	uint32_t number = order->place->connection[unit];
	plait__placement_connection *at = plait__placement_connection_at(order->place,
								 number);

	at->outstanding--;
	at->first_message = order->next_message[at->first_message];
	if (at->first_message != PLAIT__COLL_NONE)
		meet_condition(order, plait__dag_at(order->dag,
						    at->first_message)->match);
	PLAIT__VECTOR_ADD(&order->freed, &number);
}

static void send(plait__order *order, uint32_t node)
{
	plait__placement_connection *at = connection_of(order, node);

	order->next_message[node] = PLAIT__COLL_NONE;
	if (at->first_message == PLAIT__COLL_NONE) {
		at->first_message = node;
		meet_condition(order, plait__dag_at(order->dag, node)->match);
	} else {
		order->next_message[at->last_message] = node;
	}
	at->last_message = node;
	if (order->in_program_order)
		PLAIT__VECTOR_ADD(&order->freed,
				  &order->place->connection[node]);
}

static void execute(plait__order *order, uint32_t lane, uint32_t unit)
{
	plait__placement *place = order->place;
	const plait__dag_node *node = plait__dag_at(order->dag, unit);
	uint32_t sent = plait__placement_send_of(place, unit);

	place->step[unit] = plait__placement_lane_at(place, lane)->step_count++;
	place->sequence[place->unit_count++] = unit;
	if (plait__placement_receives(place, unit))
		receive(order, unit);
	if (sent != PLAIT__COLL_NONE)
		send(order, sent);
	meet_next(order, unit, unit);
	if (node->local != PLAIT__COLL_NONE)
		meet_next(order, node->local, unit);
	if (sent != PLAIT__COLL_NONE && sent != unit)
		meet_next(order, sent, unit);
}

static uint32_t number_at(const plait__vector *numbers, uint32_t i)
{
	const uint32_t *items = numbers->items;

	return items[i];
}

/* Let each active lane execute its first unit, then look at the effects. */
static void run_round(plait__order *order)
{
	plait__vector lanes = order->lanes;

	order->lanes = order->next_lanes;
	order->next_lanes = lanes;
	plait__vector_truncate(&order->next_lanes, 0);
	for (uint32_t i = 0; i < order->lanes.count; i++) {
		uint32_t lane = number_at(&order->lanes, i);
		plait__placement_lane *at = plait__placement_lane_at(order->place,
							     lane);
		uint32_t unit = plait__unit_heap_pop(&order->heap, &at->ready);

		at->is_active = --at->ready_count > 0;
		if (at->is_active)
			PLAIT__VECTOR_ADD(&order->next_lanes, &lane);
		execute(order, lane, unit);
	}
	for (uint32_t i = 0; i < order->fresh.count; i++)
		make_ready(order, number_at(&order->fresh, i));
	for (uint32_t i = 0; i < order->freed.count; i++)
		grant_waiting(order, number_at(&order->freed, i));
	plait__vector_truncate(&order->fresh, 0);
	plait__vector_truncate(&order->freed, 0);
}

/* ---- when nothing can execute ---- */

/* Returns the first unit of a connection that could go on: by the last credit
 * of a circle, or by sending later; NONE if there is none. */
static uint32_t stuck_unit(const plait__order *order,
			   const plait__placement_connection *at, bool enters)
{
	if (enters)
		return can_send(order, at, at->entering, 0) ? at->entering :
							      PLAIT__COLL_NONE;
	if (at->waiting == PLAIT__COLL_NONE ||
	    plait__placement_send_of(order->place, at->waiting) == at->waiting)
		return PLAIT__COLL_NONE;
	return at->waiting;
}

/* Returns the connection whose unit comes first, or null. */
static plait__placement_connection *find_stuck(const plait__order *order,
					       bool enters)
{
	plait__placement_connection *best = NULL;
	uint32_t first = PLAIT__COLL_NONE;

	for (uint32_t i = 0; i < order->place->connections.count; i++) {
		plait__placement_connection *at =
			plait__placement_connection_at(order->place, i);
		uint32_t unit = stuck_unit(order, at, enters);

		if (unit == PLAIT__COLL_NONE ||
		    (best != NULL &&
		     !plait__unit_heap_before(&order->heap, unit, first)))
			continue;
		best = at;
		first = unit;
	}
	return best;
}

/* Store the message now, and send later. */
static void split_unit(plait__order *order, uint32_t unit)
{
	uint32_t sent = plait__dag_at(order->dag, unit)->send;

	plait__fuse_undo(order->dag, unit);
	order->missing[sent] = 1;
	activate(order, lane_of(order, unit), unit);
}

/* Returns false if no unit can go on. */
static bool resolve_stuck(plait__order *order)
{
	plait__placement_connection *at = find_stuck(order, true);

	if (at != NULL) {
		grant(order, plait__unit_heap_pop(&order->heap, &at->entering));
		return true;
	}
	at = find_stuck(order, false);
	if (at == NULL)
		return false;
	split_unit(order, plait__unit_heap_pop(&order->heap, &at->waiting));
	return true;
}

/* ---- set-up ---- */

static uint32_t *make_numbers(const plait__order *order, uint64_t count)
{
	return plait__alloc_array(order->dag->allocator, count,
				  sizeof(uint32_t));
}

static void find_nexts(plait__order *order)
{
	uint32_t nodes = order->dag->nodes.count;
	const uint32_t *preds = order->dag->preds.items;
	uint32_t *first = order->first_next;

	for (uint32_t i = 0; i < order->dag->preds.count; i++)
		first[preds[i] + 1]++;
	for (uint32_t i = 0; i < nodes; i++)
		first[i + 1] += first[i];
	/* Fill from the end, so that each list ends up in program order and
	 * first[i + 1] at the start of list i; then shift. */
	for (uint32_t i = nodes; i-- > 0;) {
		uint32_t count;
		const uint32_t *of = plait__dag_preds(order->dag, i, &count);

		for (uint32_t k = 0; k < count; k++)
			order->nexts[--first[of[k] + 1]] = i;
	}
	for (uint32_t i = 0; i < nodes; i++)
		first[i] = first[i + 1];
	first[nodes] = order->dag->preds.count;
}

/* Mark the connections from which ties lead back. */
static void find_circles(const plait__placement *place)
{
	for (uint32_t i = 0; i < place->connections.count; i++) {
		uint32_t at = i, length = 0;

		if (plait__placement_connection_at(place, i)->is_circular)
			continue;
		do {
			at = plait__placement_connection_at(place, at)->next;
		} while (at != i && at != PLAIT__COLL_NONE &&
			 ++length < place->connections.count);
		if (at != i)
			continue;
		do {
			plait__placement_connection_at(place, at)->is_circular = 1;
			at = plait__placement_connection_at(place, at)->next;
		} while (at != i);
	}
}

static void reset_connections(plait__order *order)
{
	plait__placement *place = order->place;

	for (uint32_t i = 0; i < place->connections.count; i++) {
		plait__placement_connection *at = plait__placement_connection_at(place,
									 i);

		at->outstanding = 0;
		at->first_message = PLAIT__COLL_NONE;
		at->waiting = at->entering = PLAIT__COLL_NONE;
		at->first_send = at->last_send = PLAIT__COLL_NONE;
	}
	for (uint32_t i = 0; i < order->dag->nodes.count; i++) {
		plait__placement_connection *at;

		if (plait__dag_at(order->dag, i)->kind != PLAIT__STEP_SEND)
			continue;
		at = connection_of(order, i);
		order->next_send[i] = PLAIT__COLL_NONE;
		if (at->first_send == PLAIT__COLL_NONE)
			at->first_send = i;
		else
			order->next_send[at->last_send] = i;
		at->last_send = i;
	}
	for (uint32_t i = 0; i < place->lanes.count; i++) {
		plait__placement_lane *lane = plait__placement_lane_at(place, i);

		lane->ready = PLAIT__COLL_NONE;
		lane->ready_count = lane->step_count = lane->is_active = 0;
	}
	place->unit_count = 0;
}

/* Count the conditions of each unit: dependences, and its message. */
static void count_conditions(plait__order *order)
{
	for (uint32_t i = 0; i < order->dag->nodes.count; i++)
		order->missing[i] = plait__placement_receives(order->place, i);
	for (uint32_t i = 0; i < order->dag->nodes.count; i++) {
		uint32_t unit = plait__dag_at(order->dag, i)->unit, count;
		const uint32_t *preds = plait__dag_preds(order->dag, i, &count);

		order->heap.child[i] = order->heap.sibling[i] =
			PLAIT__COLL_NONE;
		for (uint32_t k = 0; k < count; k++)
			order->missing[unit] +=
				plait__dag_at(order->dag, preds[k])->unit !=
				unit;
	}
	for (uint32_t i = 0; i < order->dag->nodes.count; i++)
		if (plait__dag_at(order->dag, i)->unit == i &&
		    order->missing[i] == 0)
			PLAIT__VECTOR_ADD(&order->fresh, &i);
}

static uint32_t count_units(const plait__dag *dag)
{
	uint32_t units = 0;

	for (uint32_t i = 0; i < dag->nodes.count; i++)
		units += plait__dag_at(dag, i)->unit == i;
	return units;
}

/* Returns false if the messages of a connection are in the wrong order. */
static bool attempt(plait__order *order, bool in_program_order)
{
	order->in_program_order = order->heap.by_number = in_program_order;
	plait__vector_truncate(&order->fresh, 0);
	plait__vector_truncate(&order->freed, 0);
	plait__vector_truncate(&order->next_lanes, 0);
	reset_connections(order);
	count_conditions(order);
	do {
		run_round(order);
	} while (order->next_lanes.count > 0 || resolve_stuck(order));
	return order->place->unit_count == count_units(order->dag);
}

/* All vectors have room for what they can hold, so that adding cannot fail. */
static int make_arrays(plait__order *order)
{
	plait__placement *place = order->place;
	uint64_t nodes = order->dag->nodes.count;

	place->lane = make_numbers(order, nodes);
	place->step = make_numbers(order, nodes);
	place->sequence = make_numbers(order, nodes);
	order->missing = make_numbers(order, nodes);
	order->next_message = make_numbers(order, nodes);
	order->next_send = make_numbers(order, nodes);
	order->first_next = make_numbers(order, nodes + 1);
	order->nexts = make_numbers(order, order->dag->preds.count);
	if (place->lane == NULL || place->step == NULL ||
	    place->sequence == NULL || order->missing == NULL ||
	    order->next_message == NULL || order->next_send == NULL ||
	    order->first_next == NULL ||
	    (order->nexts == NULL && order->dag->preds.count > 0))
		return -1;
	return plait__vector_reserve(&order->fresh, (uint32_t)nodes) != 0 ||
	       plait__vector_reserve(&order->freed,
				     2 * place->lanes.count + 1) != 0 ||
	       plait__vector_reserve(&order->lanes, place->lanes.count) != 0 ||
	       plait__vector_reserve(&order->next_lanes,
				     place->lanes.count) != 0 ?
		       -1 : 0;
}

static void free_numbers(const plait__order *order, uint32_t *numbers,
			 uint64_t count)
{
	plait__free(order->dag->allocator, numbers, count * sizeof(*numbers));
}

static void fini(plait__order *order)
{
	uint64_t nodes = order->dag->nodes.count;

	plait__vector_fini(&order->fresh);
	plait__vector_fini(&order->freed);
	plait__vector_fini(&order->lanes);
	plait__vector_fini(&order->next_lanes);
	free_numbers(order, order->missing, nodes);
	free_numbers(order, order->next_message, nodes);
	free_numbers(order, order->next_send, nodes);
	free_numbers(order, order->first_next, nodes + 1);
	free_numbers(order, order->nexts, order->dag->preds.count);
	plait__unit_heap_fini(&order->heap);
}

static void undo_fusions(plait__dag *dag)
{
	for (uint32_t i = 0; i < dag->nodes.count; i++)
		if (plait__dag_at(dag, i)->send != PLAIT__COLL_NONE)
			plait__fuse_undo(dag, i);
}

static plait_status order_all(plait__order *order, plait_error *error)
{
	find_nexts(order);
	find_circles(order->place);
	if (attempt(order, false) || attempt(order, true))
		return PLAIT_OK;
	undo_fusions(order->dag);
	if (attempt(order, true))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_STATE,
			   "no order of the steps was found; this is a mistake "
			   "of the compiler");
}

plait_status plait__order_steps(plait__placement *place, plait_error *error)
{
	plait__order order = { .place = place, .dag = place->dag };
	const plait_allocator *allocator = place->dag->allocator;
	plait_status status = PLAIT_OK;

	if (place->dag->nodes.count == 0)
		return PLAIT_OK;
	plait__vector_init(&order.fresh, allocator, sizeof(uint32_t));
	plait__vector_init(&order.freed, allocator, sizeof(uint32_t));
	plait__vector_init(&order.lanes, allocator, sizeof(uint32_t));
	plait__vector_init(&order.next_lanes, allocator, sizeof(uint32_t));
	if (plait__unit_heap_init(&order.heap, place->dag) != 0 ||
	    make_arrays(&order) != 0)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to order %u instructions",
				     place->dag->nodes.count);
	if (status == PLAIT_OK)
		status = order_all(&order, error);
	fini(&order);
	return status;
}
