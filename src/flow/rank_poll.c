/* SPDX-License-Identifier: MIT */
/* Polling of links by workers; see rank_poll.h. */
#include "flow/rank_poll.h"

#include "flow/lanes/held_ops.h"
#include "flow/rank_mail.h"
#include "flow/rank_move.h"

#include "sys/clock.h"

/* States of is_polled. */
enum { UNPOLLED, POLLED, ASLEEP };

enum {
	NAP_NS = 250000,
	LONG_NAP_NS = 1000000, /* while a worker sleeps, and moves what comes */
	SLEEP_NS = 500000, /* of a worker; other work may want its thread */
	VAIN_NS = 1500000, /* of sleeps, before it parks */
	YIELDS = 24 /* of a worker before; each lets another process run */
};

/* A plait__flow_lanes.poll. */
static bool poll(void *arg)
{
	plait__flow *flow = arg;
	plait__flow_ranks *ranks = flow->ranks;

	/* Relaxed: the thread of the flow naps, or sleeps on the bell; both end. */
	if (at_load_relaxed_u32(&ranks->is_polled) == 0)
		at_store_relaxed_u32(&ranks->is_polled, POLLED);
	if (plait__rank_move_by_worker(ranks))
		return true;
	if (at_load_relaxed_u32(&ranks->has_horizon_wait) != 0)
		plait__rank_mail_look(ranks);
	return false;
}

/* A plait__flow_lanes.poll_end. */
static void end(void *arg)
{
	plait__flow *flow = arg;
	plait__flow_ranks *ranks = flow->ranks;

	/* The ring orders it before the look at the thread's announcement. */
	at_store_relaxed_u32(&ranks->is_polled, UNPOLLED);
	plait__slot_link_ring(&ranks->nap);
}

/* A plait__flow_lanes.poll_wake. */
static void wake(void *arg)
{
	plait__flow *flow = arg;

	plait__slot_link_ring(&flow->ranks->bell);
}

/* Returns true if no op comes, or nothing was moved or found for some time.  Others
 * ring the bell, too: it is that of all flows and collectives of the process. */
static bool is_in_vain(plait__flow_ranks *ranks, bool found)
{
	/* Relaxed: a count to be compared. */
	uint32_t moves = at_load_relaxed_u32(&ranks->moves);
	uint64_t now = plait__clock_now_ns();

	if (found || moves != ranks->moves_slept || ranks->vain_from_ns == 0)
		ranks->vain_from_ns = now;
	ranks->moves_slept = moves;
	return now - ranks->vain_from_ns >= VAIN_NS;
}

/* Acquire: pairs with the releases of the thread that ends the flow. */
static bool has_ended(const plait__flow_ranks *ranks)
{
	return at_load_acquire_u32(&ranks->ends) != 0 ||
	       at_load_acquire_u32(&ranks->stops) != 0;
}

/* A plait__flow_lanes.poll_sleep. */
static bool sleep_here(void *arg, bool (*has_op)(plait__flow_worker *worker),
		       plait__flow_worker *worker)
{
	plait__flow *flow = arg;
	plait__flow_ranks *ranks = flow->ranks;
	bool found, parks;
	uint32_t state;

	if (has_ended(ranks))
		return false;
	state = plait__slot_link_announce(&ranks->bell);
	found = plait__rank_move_as_worker(ranks) || has_op(worker);
	parks = is_in_vain(ranks, found || worker->has_found);
	worker->has_found = false;
	if (!found && !parks) {
		/* Relaxed: as in poll. */
		at_store_relaxed_u32(&ranks->is_polled, ASLEEP);
		plait__slot_link_sleep(&ranks->bell, state,
				       plait__clock_now_ns() + SLEEP_NS);
	}
	plait__slot_link_withdraw(&ranks->bell);
	/* Relaxed: as in poll. */
	at_store_relaxed_u32(&ranks->is_polled, POLLED);
	if (parks)
		ranks->vain_from_ns = 0;
	return !parks;
}

void plait__rank_poll_init(plait__flow_ranks *ranks)
{
	plait__slot_link *nap = &ranks->nap;

	nap->bell = nap->peer_bell = &ranks->nap_bell;
	nap->sleeping = nap->peer_sleeping = &ranks->nap_sleeping;
	if (!ranks->has_bell)
		return;
	ranks->flow->lanes.poll_end = end;
	ranks->flow->lanes.poll_sleep = sleep_here;
	ranks->flow->lanes.poll_wake = wake;
	ranks->flow->lanes.poll_yields = YIELDS;
	ranks->flow->lanes.poll = poll;
	/* Else queues of devices may take held ops. */
	if (ranks->flow->devices == NULL)
		plait__held_ops_begin(&ranks->flow->lanes);
}

bool plait__rank_poll_nap(plait__flow_ranks *ranks)
{
	uint32_t state, polled;
	bool naps;

	if (at_load_relaxed_u32(&ranks->is_polled) == 0 ||
	    at_load_acquire_u32(&ranks->ends) != 0)
		return false;
	state = plait__slot_link_announce(&ranks->nap);
	/* The announcement orders it: see end. */
	polled = at_load_relaxed_u32(&ranks->is_polled);
	naps = polled != UNPOLLED &&
	       at_load_acquire_u32(&ranks->ends) == 0 &&
	       at_load_acquire_u32(&ranks->stops) == 0;
	if (naps) {
		if (polled == POLLED)
			at_store_relaxed_u32(&ranks->is_polled, UNPOLLED);
		plait__slot_link_sleep(&ranks->nap, state,
				       plait__clock_now_ns() +
				       (polled == POLLED ? NAP_NS :
							   LONG_NAP_NS));
	}
	plait__slot_link_withdraw(&ranks->nap);
	return naps;
}
