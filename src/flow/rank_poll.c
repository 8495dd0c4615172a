/* SPDX-License-Identifier: MIT */
/* Polling of links by workers; see rank_poll.h. */
#include "flow/rank_poll.h"

#include "flow/rank_mail.h"
#include "flow/rank_move.h"

#include "sys/clock.h"

enum { NAP_NS = 250000 };

/* A plait__flow_lanes.poll. */
static bool poll(void *arg)
{
	plait__flow *flow = arg;
	plait__flow_ranks *ranks = flow->ranks;

	/* Relaxed: the thread of the flow naps, or sleeps on the bell; both end. */
	if (at_load_relaxed_u32(&ranks->is_polled) == 0)
		at_store_relaxed_u32(&ranks->is_polled, 1);
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
	at_store_relaxed_u32(&ranks->is_polled, 0);
	plait__slot_link_ring(&ranks->nap);
}

void plait__rank_poll_init(plait__flow_ranks *ranks)
{
	plait__slot_link *nap = &ranks->nap;

	nap->bell = nap->peer_bell = &ranks->nap_bell;
	nap->sleeping = nap->peer_sleeping = &ranks->nap_sleeping;
	if (!ranks->has_bell)
		return;
	ranks->flow->lanes.poll_end = end;
	ranks->flow->lanes.poll = poll;
}

bool plait__rank_poll_nap(plait__flow_ranks *ranks)
{
	uint32_t state;
	bool naps;

	if (at_load_relaxed_u32(&ranks->is_polled) == 0 ||
	    at_load_acquire_u32(&ranks->ends) != 0)
		return false;
	state = plait__slot_link_announce(&ranks->nap);
	/* The announcement orders it: see end. */
	naps = at_load_relaxed_u32(&ranks->is_polled) != 0 &&
	       at_load_acquire_u32(&ranks->ends) == 0 &&
	       at_load_acquire_u32(&ranks->stops) == 0;
	if (naps) {
		at_store_relaxed_u32(&ranks->is_polled, 0);
		plait__slot_link_sleep(&ranks->nap, state,
				       plait__clock_now_ns() + NAP_NS);
	}
	plait__slot_link_withdraw(&ranks->nap);
	return naps;
}
