/* SPDX-License-Identifier: MIT */
/* Movement of slots between ranks; see rank_move.h. */
#include "flow/rank_move.h"

#include "flow/rank_horizon.h"
#include "flow/rank_slots.h"
#include "flow/rank_stop.h"

#include "base/error.h"

enum { SLOTS_AT_ONCE = 8 }; /* of one link, before the others' turn */

void plait__rank_move_free(plait__rank_record *record)
{
	plait__flow_ranks *ranks = record->ranks;

	plait__mutex_lock(&ranks->lock);
	plait__rank_keep(ranks, record);
	plait__mutex_unlock(&ranks->lock);
}

/* ---- ends of records ---- */

static plait__rank_queue *queue_of(plait__rank_peer *peer, bool sends)
{
	return sends ? &peer->sends : &peer->receives;
}

/* The first record of a peer, if its op has begun; else null.  Caller holds the
 * lock. */
static plait__rank_record *find_front(plait__flow_ranks *ranks,
				      plait__rank_peer *peer, bool sends)
{
	uint64_t bit = UINT64_C(1) << (peer - ranks->peers);
	at_u64 *ready = sends ? &ranks->ready_sends : &ranks->ready_receives;
	plait__rank_record *record = queue_of(peer, sends)->first;

	if (record != NULL && record->state == PLAIT__RANK_WAITING)
		record = NULL;
	/* Relaxed: a hint, which a begin with the lock renews. */
	if (record == NULL)
		at_store_relaxed_u64(ready, at_load_relaxed_u64(ready) & ~bit);
	return record;
}

static plait__rank_record *front(plait__flow_ranks *ranks,
				 plait__rank_peer *peer, bool sends)
{
	plait__rank_record *record;

	plait__mutex_lock(&ranks->lock);
	record = find_front(ranks, peer, sends);
	plait__mutex_unlock(&ranks->lock);
	return record;
}

static void keep_finished(plait__rank_record *record)
{
	record->arrival.next = record->ranks->finished;
	record->ranks->finished = &record->arrival;
}

static void arrive(plait__rank_record *record)
{
	if (record->state == PLAIT__RANK_SPOILED)
		plait__rank_move_free(record);
	else if (record == record->ranks->begun)
		record->ranks->begun = NULL; /* the worker ends it */
	else if (record->ranks->is_worker)
		keep_finished(record);
	else
		plait__flow_lanes_arrive(&record->ranks->flow->lanes,
					 &record->arrival);
}

/* Caller holds both locks. */
static void keep_used(plait__flow_ranks *ranks)
{
	plait__rank_record *record;

	while ((record = ranks->used) != NULL) {
		ranks->used = record->next;
		plait__rank_keep(ranks, record);
	}
}

/* The first record of a peer is complete.  Returns the next one as front does. */
static plait__rank_record *complete(plait__flow_ranks *ranks,
				    plait__rank_peer *peer, bool sends)
{
	plait__rank_queue *queue = queue_of(peer, sends);
	plait__rank_record *record, *next;

	plait__mutex_lock(&ranks->lock);
	keep_used(ranks);
	record = queue->first;
	queue->first = record->next;
	next = find_front(ranks, peer, sends);
	plait__mutex_unlock(&ranks->lock);
	arrive(record);
	return next;
}

static void fail(plait__rank_record *record, const plait_error *why)
{
	plait__fail_origin(&record->why, why->status, why->origin,
			   "failed: %s", why->text);
}

/* ---- links ---- */

/* Returns true if something was sent. */
static bool send_some(plait__flow_ranks *ranks, plait__rank_peer *peer)
{
	plait__rank_record *record = front(ranks, peer, true);
	bool is_dropped = plait__rank_stop_is_set(ranks) || peer->is_lost;
	bool moved = false, is_last;

	for (int i = 0; record != NULL && i < SLOTS_AT_ONCE; i++) {
		if (!is_dropped && !plait__slot_link_can_send(&peer->send))
			return moved;
		is_last = is_dropped ||
			  plait__rank_slots_fill(record, &peer->send,
						 ranks->slot_bytes);
		if (!is_dropped)
			plait__slot_link_push(&peer->send);
		moved = true;
		if (!is_last)
			continue;
		record = complete(ranks, peer, true);
	}
	return moved;
}

/* Returns true if the rank has ended its flow, and all that it sent was read. */
static bool has_ended(plait__flow_ranks *ranks, const plait__rank_peer *peer,
		      uint32_t rank, plait_error *why)
{
	bool is_over;

	plait__mutex_lock(&ranks->lock);
	is_over = peer->is_over && peer->slots == peer->receive.own;
	plait__mutex_unlock(&ranks->lock);
	if (is_over)
		plait__fail(why, PLAIT_E_INVALID,
			    "rank %u has ended its flow without what rank %u "
			    "waits for; all ranks submit the same tasks",
			    rank, ranks->rank);
	return is_over;
}

/* The link has no slot for a receive that is ready: it fails if none will come.
 * Returns true if it does. */
static bool give_up(plait__flow_ranks *ranks, plait__rank_peer *peer,
		    plait__rank_record *record)
{
	plait_error why = { .size = sizeof(why) };

	if (has_ended(ranks, peer, record->peer, &why))
		plait__rank_stop_all(ranks, &why);
	if (plait__rank_stop_tell(ranks, &why) == PLAIT_OK && !peer->is_lost)
		return false;
	fail(record, why.status != PLAIT_OK ? &why : &peer->why);
	(void)complete(ranks, peer, false);
	return true;
}

/* Returns true if something was received. */
static bool receive_some(plait__flow_ranks *ranks, plait__rank_peer *peer)
{
	plait__rank_record *record;
	bool moved = false;
	plait_error why;

	/* The thread of the flow gives up. */
	if (ranks->is_worker && !plait__rank_stop_is_set(ranks) &&
	    !plait__slot_link_can_receive(&peer->receive))
		return false;
	plait__error_clear(&why);
	record = front(ranks, peer, false);
	for (int i = 0; record != NULL && i < SLOTS_AT_ONCE; i++) {
		plait_status status = PLAIT_OK;

		if (plait__rank_stop_is_set(ranks) ||
		    !plait__slot_link_can_receive(&peer->receive))
			return give_up(ranks, peer, record) || moved;
		status = plait__rank_slots_read(record, &peer->receive,
						ranks->slot_bytes, &why);
		if (status < 0 && status != PLAIT_PENDING) {
			plait__rank_stop_all(ranks, &why);
			return true;
		}
		plait__slot_link_pop_full(&peer->receive);
		moved = true;
		if (status == PLAIT_PENDING)
			continue;
		record = complete(ranks, peer, false);
	}
	return moved;
}

/* End the wait for the other ranks, if it is over.  Caller holds `moving`. */
static bool pass_horizon(plait__flow_ranks *ranks)
{
	plait__rank_record *record;

	/* Relaxed: a hint; the thread that begins the wait rings. */
	if (at_load_relaxed_u32(&ranks->has_horizon_wait) == 0)
		return false;
	plait__mutex_lock(&ranks->lock);
	record = ranks->horizon_wait;
	if (record != NULL &&
	    (record->state == PLAIT__RANK_WAITING ||
	     (ranks->broken.status == PLAIT_OK &&
	      !plait__rank_horizon_may_pass(ranks, record->transfer))))
		record = NULL;
	if (record != NULL) {
		ranks->horizon_wait = NULL;
		at_store_relaxed_u32(&ranks->has_horizon_wait, 0);
	}
	plait__mutex_unlock(&ranks->lock);
	if (record != NULL)
		arrive(record);
	return record != NULL;
}

/* Note that slots were moved; returns `moved`.  Caller holds `moving`. */
static bool count_moved(plait__flow_ranks *ranks, bool moved)
{
	/* Relaxed: a count to be compared. */
	if (moved)
		at_store_relaxed_u32(&ranks->moves,
				     at_load_relaxed_u32(&ranks->moves) + 1);
	return moved;
}

bool plait__rank_move_peer(plait__flow_ranks *ranks,
			   const plait__rank_record *of)
{
	plait__rank_peer *peer = &ranks->peers[of->peer];

	return count_moved(ranks, of->sends ? send_some(ranks, peer) :
					      receive_some(ranks, peer));
}

/* Of each link whose first transfer may be ready.  Caller holds `moving`. */
static bool move_ready(plait__flow_ranks *ranks)
{
	/* Relaxed: hints; the thread that sets a bit moves, or rings. */
	uint64_t sends = at_load_relaxed_u64(&ranks->ready_sends);
	uint64_t receives = at_load_relaxed_u64(&ranks->ready_receives);
	bool moved = pass_horizon(ranks);

	for (; sends != 0; sends &= sends - 1)
		moved |= send_some(ranks,
				   &ranks->peers[__builtin_ctzll(sends)]);
	for (; receives != 0; receives &= receives - 1)
		moved |= receive_some(ranks,
				      &ranks->peers[__builtin_ctzll(receives)]);
	return count_moved(ranks, moved);
}

bool plait__rank_move_all(plait__flow_ranks *ranks)
{
	bool moved;

	plait__mutex_lock(&ranks->moving);
	moved = move_ready(ranks);
	plait__mutex_unlock(&ranks->moving);
	return moved;
}

bool plait__rank_move_enter(plait__flow_ranks *ranks)
{
	if (!plait__mutex_trylock(&ranks->moving))
		return false;
	ranks->is_worker = true;
	return true;
}

void plait__rank_move_leave(plait__flow_ranks *ranks)
{
	plait__flow_arrival *finished = ranks->finished, *next;

	ranks->finished = NULL;
	ranks->is_worker = false;
	plait__mutex_unlock(&ranks->moving);
	for (; finished != NULL; finished = next) {
		next = finished->next;
		finished->collect(finished);
	}
}

bool plait__rank_move_as_worker(plait__flow_ranks *ranks)
{
	bool moved;

	plait__mutex_lock(&ranks->moving);
	ranks->is_worker = true;
	moved = move_ready(ranks);
	plait__rank_move_leave(ranks);
	return moved;
}

bool plait__rank_move_by_worker(plait__flow_ranks *ranks)
{
	bool moved;

	if (!plait__rank_move_enter(ranks))
		return false;
	moved = move_ready(ranks);
	plait__rank_move_leave(ranks);
	return moved;
}
