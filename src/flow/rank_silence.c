/* SPDX-License-Identifier: MIT */
/* Time limit of a flow for silent ranks; see rank_silence.h. */
#include "flow/rank_silence.h"

#include "flow/rank_horizon.h"
#include "flow/rank_stop.h"

#include "base/error.h"
#include "sys/clock.h"

/* Caller holds the lock. */
static bool is_ready(const plait__rank_record *record)
{
	return record != NULL && record->state != PLAIT__RANK_WAITING;
}

/* How this rank waits for a peer; null: it does not.  Caller holds the lock. */
static const char *find_wait(const plait__flow_ranks *ranks,
			     const plait__rank_peer *peer)
{
	const plait__rank_record *horizon = ranks->horizon_wait;

	if (peer->is_lost)
		return NULL;
	if (is_ready(peer->receives.first))
		return "sent nothing";
	/* Acquire: pairs with the release in plait__slot_link_pop. */
	if (is_ready(peer->sends.first) ||
	    (at_load_relaxed_u32(&ranks->ends) != 0 && !peer->is_over &&
	     at_load_acquire_u64(peer->send.taken) != peer->send.own))
		return "took nothing";
	if (peer->is_over || peer->has_left)
		return NULL;
	/* The end of the flow compares the programs. */
	if ((is_ready(horizon) &&
	     peer->horizon + PLAIT__HORIZON_AHEAD < horizon->transfer) ||
	    (at_load_relaxed_u32(&ranks->ends) != 0 &&
	     peer->tasks < ranks->program.tasks))
		return "submitted nothing";
	return NULL;
}

/* Name the rank that this one waits for.  Returns false if there is none. */
static bool find(plait__flow_ranks *ranks, uint32_t *out_rank,
		 const char **out_wait)
{
	*out_wait = NULL;
	plait__mutex_lock(&ranks->moving);
	plait__mutex_lock(&ranks->lock);
	for (uint32_t i = 0; i < ranks->count && *out_wait == NULL; i++) {
		if (i == ranks->rank)
			continue;
		*out_wait = find_wait(ranks, &ranks->peers[i]);
		*out_rank = i;
	}
	plait__mutex_unlock(&ranks->lock);
	plait__mutex_unlock(&ranks->moving);
	return *out_wait != NULL;
}

void plait__rank_silence_end(plait__flow_ranks *ranks)
{
	ranks->silent_from_ns = 0;
}

void plait__rank_silence_look(plait__flow_ranks *ranks)
{
	const uint64_t limit = ranks->world->silence_ns;
	plait_error why = { .size = sizeof(why) };
	const char *wait;
	uint64_t now;
	uint32_t rank;

	if (limit == 0 || plait__rank_stop_is_set(ranks))
		return;
	now = plait__clock_now_ns();
	if (!find(ranks, &rank, &wait))
		ranks->silent_from_ns = 0;
	else if (ranks->silent_from_ns == 0)
		ranks->silent_from_ns = now;
	if (ranks->silent_from_ns == 0 || now - ranks->silent_from_ns < limit)
		return;
	plait__fail(&why, PLAIT_E_TIMEOUT,
		    "rank %u is silent: it %s for %llu ms, which rank %u waits "
		    "for (silence_ns)", rank, wait,
		    (unsigned long long)(now - ranks->silent_from_ns) / 1000000,
		    ranks->rank);
	plait__rank_stop_all(ranks, &why);
}
