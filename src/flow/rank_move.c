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

/* The first record of a queue, if its op has begun; else null. */
static plait__rank_record *front(plait__flow_ranks *ranks,
				 plait__rank_queue *queue)
{
	plait__rank_record *record;

	plait__mutex_lock(&ranks->lock);
	record = queue->first;
	if (record != NULL && record->state == PLAIT__RANK_WAITING)
		record = NULL;
	plait__mutex_unlock(&ranks->lock);
	return record;
}

static void arrive(plait__rank_record *record)
{
	if (record->state == PLAIT__RANK_SPOILED)
		plait__rank_move_free(record);
	else if (record == record->ranks->begun)
		record->ranks->begun = NULL; /* the worker ends it */
	else
		plait__flow_lanes_arrive(&record->ranks->flow->lanes,
					 &record->arrival);
}

/* The first record of a queue is complete. */
static void complete(plait__flow_ranks *ranks, plait__rank_queue *queue)
{
	plait__rank_record *record;

	plait__mutex_lock(&ranks->lock);
	record = queue->first;
	queue->first = record->next;
	plait__mutex_unlock(&ranks->lock);
	arrive(record);
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
	plait__rank_record *record = front(ranks, &peer->sends);
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
		complete(ranks, &peer->sends);
		record = front(ranks, &peer->sends);
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
	complete(ranks, &peer->receives);
	return true;
}

/* Returns true if something was received. */
static bool receive_some(plait__flow_ranks *ranks, plait__rank_peer *peer)
{
	plait__rank_record *record = front(ranks, &peer->receives);
	plait_error why = { .size = sizeof(why) };
	bool moved = false;

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
		plait__slot_link_pop(&peer->receive);
		moved = true;
		if (status == PLAIT_PENDING)
			continue;
		complete(ranks, &peer->receives);
		record = front(ranks, &peer->receives);
	}
	return moved;
}

/* End the wait for the other ranks, if it is over.  Caller holds `moving`. */
static bool pass_horizon(plait__flow_ranks *ranks)
{
	plait__rank_record *record;

	plait__mutex_lock(&ranks->lock);
	record = ranks->horizon_wait;
	if (record != NULL &&
	    (record->state == PLAIT__RANK_WAITING ||
	     (ranks->broken.status == PLAIT_OK &&
	      !plait__rank_horizon_may_pass(ranks, record->transfer))))
		record = NULL;
	if (record != NULL)
		ranks->horizon_wait = NULL;
	plait__mutex_unlock(&ranks->lock);
	if (record != NULL)
		arrive(record);
	return record != NULL;
}

bool plait__rank_move_peer(plait__flow_ranks *ranks,
			   const plait__rank_record *of)
{
	plait__rank_peer *peer = &ranks->peers[of->peer];

	return of->sends ? send_some(ranks, peer) : receive_some(ranks, peer);
}

bool plait__rank_move_all(plait__flow_ranks *ranks)
{
	bool moved;

	plait__mutex_lock(&ranks->moving);
	moved = pass_horizon(ranks);
	for (uint32_t i = 0; i < ranks->count; i++) {
		if (i == ranks->rank)
			continue;
		moved |= send_some(ranks, &ranks->peers[i]);
		moved |= receive_some(ranks, &ranks->peers[i]);
	}
	plait__mutex_unlock(&ranks->moving);
	return moved;
}
