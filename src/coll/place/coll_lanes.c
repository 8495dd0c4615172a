/* SPDX-License-Identifier: MIT */
/*
 * Lanes of ranks: connections that are tied have one lane, others a lane each.
 * If a rank has more lanes than it may, a lane that receives and one that sends
 * on the same channel become one, first those of the same peer.  If it may have
 * more, operations that need nothing have lanes of their own.
 */
#include "coll/place/placement.h"

#include "base/alloc.h"
#include "base/error.h"

static int add_lane(plait__placement *place, uint32_t rank, uint32_t recv,
		    uint32_t send)
{
	plait__placement_lane lane = {
		.rank = rank, .send = send, .recv = recv,
		.directive = PLAIT__COLL_NONE, .ready = PLAIT__COLL_NONE,
	};
	const plait__placement_connection *at;

	if (recv != PLAIT__COLL_NONE) {
		at = plait__placement_connection_at(place, recv);
		lane.channel = at->channel;
		lane.directive = at->recv_lane;
	}
	if (send != PLAIT__COLL_NONE) {
		at = plait__placement_connection_at(place, send);
		lane.channel = at->channel;
		if (at->send_lane != PLAIT__COLL_NONE)
			lane.directive = at->send_lane;
	}
	return PLAIT__VECTOR_ADD(&place->lanes, &lane) != NULL ? 0 : -1;
}

/* Make a lane for the end of each connection; tied ends share one. */
static int add_ends(plait__placement *place, uint32_t number)
{
	const plait__placement_connection *at =
		plait__placement_connection_at(place, number);

	if (at->uses == 0)
		return 0;
	if (at->prev == PLAIT__COLL_NONE &&
	    add_lane(place, at->source, PLAIT__COLL_NONE, number) != 0)
		return -1;
	return add_lane(place, at->target, number, at->next);
}

/* ---- lanes of directives without a connection: local operations ---- */

static uint64_t directive_key(uint32_t rank, uint32_t directive)
{
	return (uint64_t)rank << 32 | directive;
}

static int add_local_lane(plait__placement *place, plait__number_map *known,
			  const plait__dag_node *node)
{
	uint64_t key = directive_key(node->rank, node->lane);
	plait__placement_lane *lane;

	if (plait__number_map_find(known, key) != PLAIT__COLL_NONE)
		return 0;
	if (add_lane(place, node->rank, PLAIT__COLL_NONE,
		     PLAIT__COLL_NONE) != 0)
		return -1;
	lane = plait__placement_lane_at(place, place->lanes.count - 1);
	lane->directive = node->lane;
	return plait__number_map_add(known, key, 0);
}

/* Make lanes for directives of local nodes that no connection has named.
 * Returns 0, or -1 without memory. */
static int add_local_lanes(plait__placement *place)
{
	const plait__dag *dag = place->dag;
	plait__number_map known;
	int result = 0;

	plait__number_map_init(&known, dag->allocator);
	for (uint32_t i = 0; result == 0 && i < place->lanes.count; i++) {
		const plait__placement_lane *lane = plait__placement_lane_at(place, i);

		if (lane->directive != PLAIT__COLL_NONE)
			result = plait__number_map_add(
				&known, directive_key(lane->rank,
						      lane->directive), 0);
	}
	for (uint32_t i = 0; result == 0 && i < dag->nodes.count; i++) {
		const plait__dag_node *node = plait__dag_at(dag, i);

		if (node->match == PLAIT__COLL_NONE &&
		    node->flags & PLAIT__DAG_HAS_LANE)
			result = add_local_lane(place, &known, node);
	}
	plait__number_map_fini(&known);
	return result;
}

/* Ranks whose operations are all local need a lane, too. */
static int add_idle_lanes(plait__placement *place)
{
	const plait__dag *dag = place->dag;
	uint32_t ranks = dag->schedule->rank_count;
	unsigned char *has = plait__alloc(dag->allocator, ranks);
	int result = has != NULL ? 0 : -1;

	for (uint32_t i = 0; has != NULL && i < place->lanes.count; i++)
		has[plait__placement_lane_at(place, i)->rank] = 1;
	for (uint32_t i = 0; result == 0 && i < dag->nodes.count; i++) {
		uint32_t rank = plait__dag_at(dag, i)->rank;

		if (!has[rank])
			result = add_lane(place, rank, PLAIT__COLL_NONE,
					  PLAIT__COLL_NONE);
		has[rank] = 1;
	}
	plait__free(dag->allocator, has, ranks);
	return result;
}

/* ---- order, and fewer lanes ---- */

static uint32_t key_of(const plait__placement_lane *lane)
{
	return lane->recv < lane->send ? lane->recv : lane->send;
}

/* By rank, number of the program, channel, first connection. */
static int compare_lanes(const void *left, const void *right)
{
	const plait__placement_lane *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->directive != b->directive)
		return a->directive < b->directive ? -1 : 1;
	if (a->channel != b->channel)
		return a->channel < b->channel ? -1 : 1;
	if (key_of(a) != key_of(b))
		return key_of(a) < key_of(b) ? -1 : 1;
	/* A connection between two lanes of one rank does not exist. */
	return (a->recv > b->recv) - (a->recv < b->recv);
}

static uint32_t peer_of(const plait__placement *place, const plait__placement_lane *lane)
{
	if (lane->send != PLAIT__COLL_NONE)
		return plait__placement_connection_at(place, lane->send)->target;
	return plait__placement_connection_at(place, lane->recv)->source;
}

static bool can_pair(const plait__placement *place, const plait__placement_lane *recv,
		     const plait__placement_lane *send, bool same_peer)
{
	return send->recv == PLAIT__COLL_NONE &&
	       send->send != PLAIT__COLL_NONE &&
	       send->channel == recv->channel &&
	       send->directive == recv->directive &&
	       (!same_peer || peer_of(place, send) == peer_of(place, recv));
}

/* Join receiving lanes with sending ones among lanes `first` to `end` until
 * `excess` is 0; lanes that are empty then have no channel: NONE. */
static uint32_t pair_lanes(plait__placement *place, uint32_t first, uint32_t end,
			   uint32_t excess, bool same_peer)
{
	for (uint32_t i = first; excess > 0 && i < end; i++) {
		plait__placement_lane *recv = plait__placement_lane_at(place, i);

		if (recv->recv == PLAIT__COLL_NONE ||
		    recv->send != PLAIT__COLL_NONE)
			continue;
		for (uint32_t k = first; k < end; k++) {
			plait__placement_lane *send = plait__placement_lane_at(place,
								       k);

			if (!can_pair(place, recv, send, same_peer))
				continue;
			recv->send = send->send;
			send->send = PLAIT__COLL_NONE;
			send->channel = PLAIT__COLL_NONE;
			excess--;
			break;
		}
	}
	return excess;
}

static void remove_empty(plait__placement *place)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < place->lanes.count; i++) {
		const plait__placement_lane *lane = plait__placement_lane_at(place, i);

		if (lane->channel != PLAIT__COLL_NONE)
			*plait__placement_lane_at(place, kept++) = *lane;
	}
	plait__vector_truncate(&place->lanes, kept);
}

/* `free_units`: by rank, lanes to make room for where lanes are joined. */
static void reduce_lanes(plait__placement *place, const uint32_t *free_units)
{
	uint32_t first = 0, most = place->limits->few_lanes;

	if (place->limits->flags & PLAIT__PLACEMENT_SEPARATE_LANES)
		return;
	while (first < place->lanes.count) {
		uint32_t end = first, excess;

		while (end < place->lanes.count &&
		       plait__placement_lane_at(place, end)->rank ==
			       plait__placement_lane_at(place, first)->rank)
			end++;
		if (end - first > most) {
			excess = end - first - most +
				 free_units[plait__placement_lane_at(
					 place, first)->rank];
			excess = pair_lanes(place, first, end, excess, true);
			(void)pair_lanes(place, first, end, excess, false);
		}
		first = end;
	}
	remove_empty(place);
}

/* ---- lanes of operations that need nothing ---- */

/* Count the local operations of each rank that have no lane and depend on
 * nothing. */
static void count_free(const plait__placement *place, uint32_t *free_units)
{
	const plait__dag *dag = place->dag;

	if (!(place->limits->flags & PLAIT__PLACEMENT_FILL_LANES))
		return;
	for (uint32_t i = 0; i < dag->nodes.count; i++) {
		const plait__dag_node *node = plait__dag_at(dag, i);
		uint32_t count;

		(void)plait__dag_preds(dag, i, &count);
		free_units[node->rank] += node->match == PLAIT__COLL_NONE &&
					  node->unit == i && count == 0 &&
					  !(node->flags & PLAIT__DAG_HAS_LANE);
	}
}

/* Add lanes for free units up to the number that the rank may have. */
static int add_free_lanes(plait__placement *place, uint32_t *free_units)
{
	uint32_t most = place->limits->few_lanes, count = place->lanes.count;
	uint32_t rank = 0, used = 0;

	for (uint32_t i = 0; i < count; i++) {
		const plait__placement_lane *lane =
			plait__placement_lane_at(place, i);

		used = i > 0 && lane->rank == rank ? used + 1 : 1;
		rank = lane->rank;
		if (i + 1 < count &&
		    plait__placement_lane_at(place, i + 1)->rank == rank)
			continue;
		for (; used < most && free_units[rank] > 0; used++) {
			free_units[rank]--;
			if (add_lane(place, rank, PLAIT__COLL_NONE,
				     PLAIT__COLL_NONE) != 0)
				return -1;
		}
	}
	plait__vector_sort(&place->lanes, compare_lanes);
	return 0;
}

/* Bring each rank to the number of lanes that it may have, if it can. */
static int fit_lanes(plait__placement *place)
{
	uint32_t ranks = place->dag->schedule->rank_count;
	uint32_t *free_units = plait__alloc_array(place->dag->allocator, ranks,
						  sizeof(*free_units));
	int result = -1;

	if (free_units != NULL) {
		count_free(place, free_units);
		reduce_lanes(place, free_units);
		result = add_free_lanes(place, free_units);
	}
	plait__free(place->dag->allocator, free_units,
		    ranks * sizeof(*free_units));
	return result;
}

/* Tell ranks and connections their lanes. */
static void link_lanes(plait__placement *place)
{
	uint32_t ranks = place->dag->schedule->rank_count, rank = 0;

	for (uint32_t i = 0; i < place->lanes.count; i++) {
		const plait__placement_lane *lane = plait__placement_lane_at(place, i);

		while (rank <= lane->rank)
			place->first_lane[rank++] = i;
		if (lane->send != PLAIT__COLL_NONE)
			plait__placement_connection_at(place, lane->send)
				->source_lane = i;
		if (lane->recv != PLAIT__COLL_NONE)
			plait__placement_connection_at(place, lane->recv)
				->target_lane = i;
	}
	while (rank <= ranks)
		place->first_lane[rank++] = place->lanes.count;
}

plait_status plait__lanes_make(plait__placement *place, plait_error *error)
{
	int result = 0;

	place->first_lane = plait__alloc_array(
		place->dag->allocator,
		(uint64_t)place->dag->schedule->rank_count + 1,
		sizeof(*place->first_lane));
	if (place->first_lane == NULL)
		result = -1;
	for (uint32_t i = 0; result == 0 && i < place->connections.count; i++)
		result = add_ends(place, i);
	if (result == 0)
		result = add_local_lanes(place);
	if (result == 0)
		result = add_idle_lanes(place);
	plait__vector_sort(&place->lanes, compare_lanes);
	if (result == 0)
		result = fit_lanes(place);
	if (result != 0)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for lanes");
	link_lanes(place);
	return PLAIT_OK;
}
