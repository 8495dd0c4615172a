/* SPDX-License-Identifier: MIT */
/* End of a flow over ranks; see rank_end.h. */
#include "flow/rank_end.h"

#include "flow/rank_stop.h"

#include "base/error.h"
#include "base/log.h"
#include "object/context/context_close.h"
#include "sys/clock.h"

#include <stdio.h>

#define LOOK_NS UINT64_C(50000000)
#define WARN_NS UINT64_C(5000000000)

/* How the end waits for a peer.  Returns false if it does not.  Caller holds both
 * locks. */
static bool describe(const plait__flow_ranks *ranks, uint32_t rank, char *text,
		     size_t bytes)
{
	const plait__rank_peer *peer = &ranks->peers[rank];
	/* Acquire: pairs with the release in plait__slot_link_pop. */
	uint64_t taken = at_load_acquire_u64(peer->send.taken);

	if (peer->is_lost || peer->is_over)
		return false;
	if (!peer->has_left && peer->tasks < ranks->program.tasks)
		(void)snprintf(text, bytes,
			       "waits for rank %u, which told %llu of %llu "
			       "submissions", rank,
			       (unsigned long long)peer->tasks,
			       (unsigned long long)ranks->program.tasks);
	else if (taken != peer->send.own)
		(void)snprintf(text, bytes,
			       "waits for rank %u, which took %llu of %llu "
			       "messages", rank, (unsigned long long)taken,
			       (unsigned long long)peer->send.own);
	else
		return false;
	return true;
}

static bool find(plait__flow_ranks *ranks, char *text, size_t bytes)
{
	bool found = false;

	plait__mutex_lock(&ranks->moving);
	plait__mutex_lock(&ranks->lock);
	for (uint32_t i = 0; i < ranks->count && !found; i++)
		found = i != ranks->rank && describe(ranks, i, text, bytes);
	plait__mutex_unlock(&ranks->lock);
	plait__mutex_unlock(&ranks->moving);
	return found;
}

void plait__rank_end_look(plait__flow_ranks *ranks)
{
	plait__context *context = ranks->world->object.context;
	const uint64_t now = plait__clock_now_ns();
	char name[PLAIT__OBJECT_NAME_BYTES], wait[96], text[192];

	if (ranks->ends_from_ns == 0)
		ranks->ends_from_ns = now;
	if (now < ranks->end_look_ns)
		return;
	ranks->end_look_ns = now + LOOK_NS;
	if (!find(ranks, wait, sizeof(wait)))
		return;
	(void)snprintf(text, sizeof(text), "the end of %s %s",
		       plait__object_name(&ranks->flow->object, name), wait);
	plait__context_close_wait_for(context, ranks, text);
	if (!ranks->has_warned && now - ranks->ends_from_ns >= WARN_NS) {
		ranks->has_warned = true;
		plait__log_line(&context->settings.log, PLAIT_LOG_WARNING, "%s", text);
	}
}

/* Returns true if a rank was lost that told less than this one submitted, whose
 * programs are not compared. */
static bool find_lost(plait__flow_ranks *ranks, plait_error *why)
{
	plait__mutex_lock(&ranks->moving);
	plait__mutex_lock(&ranks->lock);
	for (uint32_t i = 0; i < ranks->count && why->status == PLAIT_OK; i++) {
		const plait__rank_peer *peer = &ranks->peers[i];

		if (i != ranks->rank && peer->is_lost && !peer->is_over &&
		    !peer->has_left && peer->tasks < ranks->program.tasks)
			plait__fail(why, PLAIT_E_LOST,
				    "rank %u told %llu of %llu submissions: %s",
				    i, (unsigned long long)peer->tasks,
				    (unsigned long long)ranks->program.tasks,
				    peer->why.text);
	}
	if (ranks->is_loss_told)
		why->status = PLAIT_OK;
	plait__mutex_unlock(&ranks->lock);
	plait__mutex_unlock(&ranks->moving);
	return why->status != PLAIT_OK;
}

void plait__rank_end_report(plait__flow_ranks *ranks)
{
	plait__context *context = ranks->world->object.context;
	plait_error why = { .size = sizeof(why) };

	plait__rank_stop_report(ranks);
	if (!plait__rank_stop_is_set(ranks) && find_lost(ranks, &why))
		plait__context_close_tell(context, &why);
	plait__context_close_wait_for(context, ranks, NULL);
}
