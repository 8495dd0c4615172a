/* SPDX-License-Identifier: MIT */
/*
 * Channels of transfers.
 *
 * A *chain* is a transfer, and the transfers that its receivers forward in the
 * same step; all of it uses one channel, because a lane has one.  On each rank
 * and channel a receiving connection is tied to at most one sending connection
 * and the reverse.  First fit: the lowest channel whose ties and directives
 * allow the chain, first for chains with directives.  Where no channel is left
 * the longest part that fits is placed, and the chain is cut behind it.
 */
#include "coll/place/placement.h"

#include "base/alloc.h"
#include "base/error.h"

/* ---- connections ---- */

/* Change of a connection by a chain that may not fit. */
typedef struct plait__channels_change {
	uint32_t connection;
	uint32_t next, prev, send_lane, recv_lane, way, uses;
} plait__channels_change;

typedef struct plait__channels {
	plait__placement *place;
	plait__vector changes;	/* plait__channels_change */
	plait__vector lanes;	/* connections by directive: pairs */
	plait__vector chain;	/* sends */
} plait__channels;

/* Connections of a lane that the program numbered. */
typedef struct plait__channels_lane {
	uint32_t channel, send, recv;
} plait__channels_lane;

static uint64_t connection_key(const plait__placement *place, uint32_t source,
			       uint32_t target, uint32_t channel)
{
	uint64_t ranks = place->dag->schedule->rank_count;

	return (source * ranks + target) << 31 | channel;
}

/* Find or make the connection; NONE without memory. */
static uint32_t open_connection(plait__placement *place, uint32_t source,
				uint32_t target, uint32_t channel)
{
	uint64_t key = connection_key(place, source, target, channel);
	uint32_t found = plait__number_map_find(&place->connection_of, key);
	plait__placement_connection connection = {
		.source = source, .target = target, .channel = channel,
		.next = PLAIT__COLL_NONE, .prev = PLAIT__COLL_NONE,
		.send_lane = PLAIT__COLL_NONE, .recv_lane = PLAIT__COLL_NONE,
		.source_lane = PLAIT__COLL_NONE,
		.target_lane = PLAIT__COLL_NONE,
		.first_message = PLAIT__COLL_NONE,
		.waiting = PLAIT__COLL_NONE,
		.entering = PLAIT__COLL_NONE,
		.first_send = PLAIT__COLL_NONE,
		.last_send = PLAIT__COLL_NONE,
	};

	if (found != PLAIT__COLL_NONE)
		return found;
	found = place->connections.count;
	if (PLAIT__VECTOR_ADD(&place->connections, &connection) == NULL ||
	    plait__number_map_add(&place->connection_of, key, found) != 0)
		return PLAIT__COLL_NONE;
	return found;
}

static int keep_change(plait__channels *channels, uint32_t number)
{
	const plait__placement_connection *at =
		plait__placement_connection_at(channels->place, number);
	plait__channels_change change = {
		.connection = number, .next = at->next, .prev = at->prev,
		.send_lane = at->send_lane, .recv_lane = at->recv_lane,
		.way = at->way, .uses = at->uses,
	};

	return PLAIT__VECTOR_ADD(&channels->changes, &change) != NULL ? 0 : -1;
}

static void undo_changes(plait__channels *channels)
{
	while (channels->changes.count > 0) {
		const plait__channels_change *change = plait__vector_at(
			&channels->changes, channels->changes.count - 1);
		plait__placement_connection *at = plait__placement_connection_at(
			channels->place, change->connection);

		at->next = change->next;
		at->prev = change->prev;
		at->send_lane = change->send_lane;
		at->recv_lane = change->recv_lane;
		at->way = change->way;
		at->uses = change->uses;
		plait__vector_truncate(&channels->changes,
				       channels->changes.count - 1);
	}
}

/* ---- does a transfer fit on a channel ---- */

static plait__channels_lane *named_lane(const plait__channels *channels,
					uint32_t rank, uint32_t directive)
{
	uint32_t found = plait__number_map_find(
		&channels->place->lane_of, (uint64_t)rank << 32 | directive);

	return found == PLAIT__COLL_NONE ? NULL :
	       plait__vector_at(&channels->lanes, found);
}

/* Returns true if one lane may receive from `from` and send to `to`. */
static bool can_tie(const plait__placement *place, uint32_t from, uint32_t to)
{
	const plait__placement_connection *in, *out;

	if (from == PLAIT__COLL_NONE || to == PLAIT__COLL_NONE)
		return true;
	in = plait__placement_connection_at(place, from);
	out = plait__placement_connection_at(place, to);
	if (in->next != PLAIT__COLL_NONE || out->prev != PLAIT__COLL_NONE)
		return in->next == to && out->prev == from;
	return in->recv_lane == PLAIT__COLL_NONE ||
	       out->send_lane == PLAIT__COLL_NONE ||
	       in->recv_lane == out->send_lane;
}

/* Returns true if the lane that the node asks for may use the connection. */
static bool fits_lane(const plait__channels *channels,
		      const plait__dag_node *node, uint32_t number, bool sends)
{
	const plait__placement_connection *at =
		plait__placement_connection_at(channels->place, number);
	uint32_t present = sends ? at->send_lane : at->recv_lane;
	const plait__channels_lane *lane;

	if (!(node->flags & PLAIT__DAG_HAS_LANE))
		return true;
	if (present != PLAIT__COLL_NONE && present != node->lane)
		return false;
	lane = named_lane(channels, node->rank, node->lane);
	if (lane == NULL)
		return true;
	if (lane->channel != at->channel)
		return false;
	if (sends)
		return (lane->send == PLAIT__COLL_NONE ||
			lane->send == number) &&
		       can_tie(channels->place, lane->recv, number);
	return (lane->recv == PLAIT__COLL_NONE || lane->recv == number) &&
	       can_tie(channels->place, number, lane->send);
}

/* Returns true if the send at `number`, which forwards from connection `from`
 * or begins the chain (NONE), may use connection `to`. */
static bool fits(const plait__channels *channels, uint32_t number,
		 uint32_t from, uint32_t to)
{
	const plait__placement *place = channels->place;
	const plait__dag_node *send = plait__dag_at(place->dag, number);
	const plait__dag_node *receive = plait__dag_at(place->dag, send->match);
	const plait__placement_connection *at = plait__placement_connection_at(place,
								       to);

	return (at->uses == 0 || at->way == send->way) &&
	       fits_lane(channels, send, to, true) &&
	       fits_lane(channels, receive, to, false) &&
	       can_tie(place, from, to);
}

/* Record the connection of the lane that the node asks for. */
static plait_status name_lane(plait__channels *channels,
			      const plait__dag_node *node, uint32_t channel,
			      uint32_t connection, bool sends,
			      plait_error *error)
{
	plait__channels_lane *lane, fresh = { channel, PLAIT__COLL_NONE,
					      PLAIT__COLL_NONE };

	if (!(node->flags & PLAIT__DAG_HAS_LANE))
		return PLAIT_OK;
	lane = named_lane(channels, node->rank, node->lane);
	if (lane == NULL) {
		if (plait__number_map_add(&channels->place->lane_of,
					  (uint64_t)node->rank << 32 |
						  node->lane,
					  channels->lanes.count) != 0)
			return PLAIT_E_NOMEM;
		lane = PLAIT__VECTOR_ADD(&channels->lanes, &fresh);
		if (lane == NULL)
			return PLAIT_E_NOMEM;
	}
	if (!fits_lane(channels, node, connection, sends))
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u lane %u: a lane has one channel, "
				   "one peer to send to and one to receive "
				   "from; use another lane", node->rank,
				   node->lane);
	*(sends ? &lane->send : &lane->recv) = connection;
	if (lane->send == PLAIT__COLL_NONE || lane->recv == PLAIT__COLL_NONE)
		return PLAIT_OK;
	plait__placement_connection_at(channels->place, lane->recv)->next =
		lane->send;
	plait__placement_connection_at(channels->place, lane->send)->prev =
		lane->recv;
	return PLAIT_OK;
}

/* Let a send use connection `to`, behind connection `from` of one lane, or
 * none.  Both are kept for undo_changes first. */
static plait_status use(plait__channels *channels, uint32_t number,
			uint32_t from, uint32_t to)
{
	plait__placement *place = channels->place;
	const plait__dag_node *send = plait__dag_at(place->dag, number);
	const plait__dag_node *receive = plait__dag_at(place->dag, send->match);
	plait__placement_connection *at = plait__placement_connection_at(place, to);

	if ((from != PLAIT__COLL_NONE && keep_change(channels, from) != 0) ||
	    keep_change(channels, to) != 0)
		return PLAIT_E_NOMEM;
	at->uses++;
	at->way = send->way;
	if (from != PLAIT__COLL_NONE) {
		at->prev = from;
		plait__placement_connection_at(place, from)->next = to;
	}
	if (send->flags & PLAIT__DAG_HAS_LANE)
		at->send_lane = send->lane;
	if (receive->flags & PLAIT__DAG_HAS_LANE)
		at->recv_lane = receive->lane;
	return PLAIT_OK;
}

/* ---- chains ---- */

/* Collect the sends of the chain that begins with `number`. */
static plait_status collect_chain(plait__channels *channels, uint32_t number)
{
	const plait__dag *dag = channels->place->dag;

	plait__vector_truncate(&channels->chain, 0);
	while (number != PLAIT__COLL_NONE) {
		if (PLAIT__VECTOR_ADD(&channels->chain, &number) == NULL)
			return PLAIT_E_NOMEM;
		number = plait__dag_at(dag, plait__dag_at(dag, number)->match)
				 ->send;
	}
	return PLAIT_OK;
}

static uint32_t chain_at(const plait__channels *channels, uint32_t i)
{
	const uint32_t *sends = channels->chain.items;

	return sends[i];
}

/* Lay the chain on a channel as far as it fits: *out is the number of transfers
 * that do.  The changes stay until undo_changes(). */
static plait_status try_channel(plait__channels *channels, uint32_t channel,
				uint32_t *out)
{
	plait__placement *place = channels->place;
	uint32_t from = PLAIT__COLL_NONE;

	for (*out = 0; *out < channels->chain.count; ++*out) {
		uint32_t number = chain_at(channels, *out);
		const plait__dag_node *send = plait__dag_at(place->dag, number);
		uint32_t to = open_connection(
			place, send->rank,
			plait__dag_at(place->dag, send->match)->rank, channel);

		if (to == PLAIT__COLL_NONE)
			return PLAIT_E_NOMEM;
		if (!fits(channels, number, from, to))
			return PLAIT_OK;
		if (use(channels, number, from, to) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		from = to;
	}
	return PLAIT_OK;
}

/* Keep the first `length` transfers of the chain on a channel; cut the rest. */
static plait_status commit(plait__channels *channels, uint32_t channel,
			   uint32_t length, plait_error *error)
{
	plait__placement *place = channels->place;
	plait__dag *dag = place->dag;
	plait_status status = PLAIT_OK;

	if (channel >= place->channel_count)
		place->channel_count = channel + 1;
	for (uint32_t i = 0; status == PLAIT_OK && i < length; i++) {
		uint32_t number = chain_at(channels, i);
		const plait__dag_node *send = plait__dag_at(dag, number);
		const plait__dag_node *receive = plait__dag_at(dag,
							       send->match);
		uint32_t at = open_connection(place, send->rank, receive->rank,
					      channel);

		place->connection[number] = at;
		place->connection[send->match] = at;
		status = name_lane(channels, send, channel, at, true, error);
		if (status == PLAIT_OK)
			status = name_lane(channels, receive, channel, at,
					   false, error);
	}
	if (length < channels->chain.count)
		plait__fuse_undo(dag, plait__dag_at(
			dag, chain_at(channels, length - 1))->match);
	plait__vector_truncate(&channels->changes, 0);
	return status;
}

static plait_status fail_channel(const plait__channels *channels, uint32_t most,
				 plait_error *error)
{
	const plait__dag *dag = channels->place->dag;
	const plait__dag_node *send = plait__dag_at(dag, chain_at(channels, 0));
	uint32_t target = plait__dag_at(dag, send->match)->rank;

	if (send->flags & PLAIT__DAG_HAS_CHANNEL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u to rank %u: channel %u is taken by "
				   "another lane or way; give another channel",
				   send->rank, target, send->channel);
	return plait__fail(error, PLAIT_E_INVALID,
			   "rank %u to rank %u: %u channels are not enough; use "
			   "fewer ways or instances, or allow more channels",
			   send->rank, target, most);
}

/* Place the chain, or its longest part for which there is a channel. */
static plait_status place_chain(plait__channels *channels, plait_error *error)
{
	const plait__placement *place = channels->place;
	const plait__dag_node *send = plait__dag_at(place->dag,
						    chain_at(channels, 0));
	bool is_fixed = send->flags & PLAIT__DAG_HAS_CHANNEL;
	uint32_t first = is_fixed ? send->channel : 0;
	uint32_t last = is_fixed ? send->channel : place->channel_count;
	uint32_t best = first, most = 0, fit = 0;

	for (uint32_t channel = first; channel <= last &&
	     channel < place->limits->channels; channel++) {
		if (try_channel(channels, channel, &fit) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		if (fit == channels->chain.count)
			return commit(channels, channel, fit, error);
		undo_changes(channels);
		if (fit > most) {
			most = fit;
			best = channel;
		}
	}
	if (most == 0)
		return fail_channel(channels, place->limits->channels, error);
	if (try_channel(channels, best, &fit) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	return commit(channels, best, fit, error);
}

static bool has_directives(const plait__dag *dag, const plait__dag_node *send)
{
	uint32_t flags = send->flags | plait__dag_at(dag, send->match)->flags;

	return flags & (PLAIT__DAG_HAS_CHANNEL | PLAIT__DAG_HAS_LANE);
}

/* Place the chains that begin with a send, with directives or without. */
static plait_status place_chains(plait__channels *channels, bool directives,
				 plait_error *error)
{
	const plait__dag *dag = channels->place->dag;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < dag->nodes.count; i++) {
		const plait__dag_node *node = plait__dag_at(dag, i);

		/* A chain that is cut leaves a send that begins another, with
		 * a higher number. */
		if (node->kind != PLAIT__STEP_SEND || node->unit != i ||
		    channels->place->connection[i] != PLAIT__COLL_NONE ||
		    has_directives(dag, node) != directives)
			continue;
		status = collect_chain(channels, i);
		if (status == PLAIT_OK)
			status = place_chain(channels, error);
	}
	return status;
}

plait_status plait__channels_assign(plait__placement *place, plait_error *error)
{
	plait__channels channels = { .place = place };
	const plait_allocator *allocator = place->dag->allocator;
	uint32_t nodes = place->dag->nodes.count;
	plait_status status = PLAIT_E_NOMEM;

	plait__vector_init(&channels.changes, allocator,
			   sizeof(plait__channels_change));
	plait__vector_init(&channels.lanes, allocator,
			   sizeof(plait__channels_lane));
	plait__vector_init(&channels.chain, allocator, sizeof(uint32_t));
	place->connection = plait__alloc_array(allocator, nodes,
					       sizeof(*place->connection));
	if (nodes == 0 || place->connection != NULL) {
		for (uint32_t i = 0; i < nodes; i++)
			place->connection[i] = PLAIT__COLL_NONE;
		status = place_chains(&channels, true, error);
	}
	if (status == PLAIT_OK)
		status = place_chains(&channels, false, error);
	plait__vector_fini(&channels.changes);
	plait__vector_fini(&channels.lanes);
	plait__vector_fini(&channels.chain);
	return status == PLAIT_E_NOMEM ?
	       plait__fail(error, status, "no memory for channels") : status;
}
