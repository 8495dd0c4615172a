/* SPDX-License-Identifier: MIT */
/* Horizons; see rank_horizon.h. */
#include "flow/rank_horizon.h"

#include "base/error.h"
#include "sys/clock.h"

enum {
	MASK = PLAIT__HORIZON_KEPT - 1,
	TELL_NS = 20000000 /* from the newest submission */
};

_Static_assert(sizeof(plait__mail_horizon) == sizeof(plait__horizon) &&
		       offsetof(plait__horizon, slots) == 2 * sizeof(uint64_t),
	       "mail has a horizon");

static plait__world_mail make_mail(const plait__flow_ranks *ranks,
				   const plait__horizon *horizon)
{
	plait__world_mail mail;

	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_HORIZON;
	mail.number = ranks->number;
	memcpy(&mail.of.horizon, horizon, sizeof(*horizon));
	return mail;
}

plait_status plait__rank_horizon_send(plait__flow_ranks *ranks,
				      const plait__horizon *horizon,
				      plait_error *error)
{
	uint64_t deadline = plait__clock_deadline(ranks->world->open_ns);
	plait__world_mail mail = make_mail(ranks, horizon);
	plait_status result = PLAIT_OK, status;

	for (uint32_t i = 0; i < ranks->count; i++) {
		plait__rank_peer *peer = &ranks->peers[i];

		if (i == ranks->rank)
			continue;
		if (horizon->end == PLAIT__HORIZON_LAST)
			mail.of.horizon.words[2] = peer->send.own;
		status = plait__world_send(ranks->world, i, &mail, deadline,
					   result == PLAIT_OK ? error : NULL);
		/* The thread of the flow tells of ranks that have ended. */
		if (status == PLAIT_E_LOST)
			status = PLAIT_OK;
		if (horizon->end == PLAIT__HORIZON_LAST)
			peer->knows_end = status == PLAIT_OK;
		if (result == PLAIT_OK)
			result = status;
	}
	return result;
}

/* Returns true if there is a horizon to tell of.  Caller holds the lock. */
static bool has_news(plait__flow_ranks *ranks, uint64_t now,
		     plait__horizon *out)
{
	const uint64_t tasks = ranks->program.tasks;

	if (tasks != ranks->tasks_seen) {
		ranks->tasks_seen = tasks;
		ranks->tasks_seen_ns = now;
	}
	if (tasks == ranks->tasks_told || now - ranks->tasks_seen_ns < TELL_NS)
		return false;
	*out = plait__program_hash_end(&ranks->program, 0);
	ranks->tasks_told = tasks;
	/* The submitter tells of one that is over. */
	return out->count > 0;
}

void plait__rank_horizon_tell(plait__flow_ranks *ranks)
{
	const uint64_t now = plait__clock_now_ns();
	plait__world_mail mail;
	plait__horizon horizon;
	bool has;

	plait__mutex_lock(&ranks->lock);
	has = ranks->broken.status == PLAIT_OK && has_news(ranks, now, &horizon);
	plait__mutex_unlock(&ranks->lock);
	if (!has)
		return;
	mail = make_mail(ranks, &horizon);
	/* The thread does not wait for a rank that takes no mail: it tells it
	 * again. */
	for (uint32_t i = 0; i < ranks->count; i++)
		if (i != ranks->rank &&
		    plait__world_send(ranks->world, i, &mail, now, NULL) ==
			    PLAIT_E_BUSY) {
			ranks->tasks_told = 0;
			ranks->tasks_seen_ns = now;
		}
}

bool plait__rank_horizon_leave(plait__flow_ranks *ranks)
{
	const uint64_t now = plait__clock_now_ns();
	plait__world_mail mail;
	plait__horizon last;
	bool is_told = true;

	plait__mutex_lock(&ranks->lock);
	last = plait__program_hash_end(&ranks->program, PLAIT__HORIZON_LEFT);
	plait__mutex_unlock(&ranks->lock);
	mail = make_mail(ranks, &last);
	for (uint32_t i = 0; i < ranks->count; i++) {
		plait__rank_peer *peer = &ranks->peers[i];

		if (i != ranks->rank && !peer->knows_end)
			peer->knows_end =
				plait__world_send(ranks->world, i, &mail, now,
						  NULL) != PLAIT_E_BUSY;
		is_told &= i == ranks->rank || peer->knows_end;
	}
	return is_told;
}

/* ---- comparison ---- */

static plait_status fail(const plait__flow_ranks *ranks, uint32_t peer,
			 const plait__horizon *own, const plait__horizon *told,
			 uint32_t index, plait_error *error)
{
	uint64_t task = (own->number - 1) * ranks->program.period + index + 1;
	const char *label = plait__program_hash_label(&ranks->program,
						      own->number, index);
	/* Else only all bits of the hash differ, of which each has a part. */
	bool is_this = own->each[index] != told->each[index];

	if (index >= told->count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u has ended its flow before submission "
				   "%llu, \"%s\" on rank %u (horizon %llu); all "
				   "ranks submit the same tasks", peer,
				   (unsigned long long)task, label, ranks->rank,
				   (unsigned long long)own->number);
	return plait__fail(error, PLAIT_E_INVALID,
			   "submission %llu, \"%s\" on rank %u (horizon %llu), "
			   "%sis another one on rank %u; all ranks submit the same "
			   "tasks", (unsigned long long)task, label, ranks->rank,
			   (unsigned long long)own->number,
			   is_this ? "" : "or one before it ", peer);
}

static plait_status check_peer(const plait__flow_ranks *ranks, uint32_t peer,
			       const plait__horizon *own, plait_error *error)
{
	const plait__horizon *told = &ranks->peers[peer].told[own->number &
							      MASK];
	uint32_t index;

	if (told->number != own->number)
		return PLAIT_OK;
	index = plait__program_hash_differ(&ranks->program, own, told);
	return index == PLAIT__HORIZON_TASKS ? PLAIT_OK :
	       fail(ranks, peer, own, told, index, error);
}

plait_status plait__rank_horizon_check(plait__flow_ranks *ranks,
				       uint64_t number, plait_error *error)
{
	const plait__horizon *own = plait__program_hash_find(&ranks->program,
							     number);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; own != NULL && status == PLAIT_OK &&
	     i < ranks->count; i++)
		if (i != ranks->rank)
			status = check_peer(ranks, i, own, error);
	return status;
}

plait_status plait__rank_horizon_check_newest(plait__flow_ranks *ranks,
					      plait_error *error)
{
	const uint64_t number = ranks->program.tasks / ranks->program.period + 1;
	const plait__horizon *own = plait__program_hash_kept(&ranks->program,
							     number);

	if (ranks->told_newest < number || own == NULL || own->count == 0)
		return PLAIT_OK;
	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__horizon *told = &ranks->peers[i].told[number &
								   MASK];

		if (i != ranks->rank && told->number == number &&
		    plait__program_hash_newest_differs(&ranks->program, own,
						       told))
			return fail(ranks, i, own, told, own->count - 1, error);
	}
	return PLAIT_OK;
}

/* ---- mail ---- */

static plait_status take(plait__flow_ranks *ranks, uint32_t rank,
			 const plait__horizon *horizon, plait_error *error)
{
	plait__rank_peer *peer = &ranks->peers[rank];
	plait__horizon *told = &peer->told[horizon->number & MASK];
	const plait__horizon *own;

	if (horizon->count > PLAIT__HORIZON_TASKS || horizon->number == 0)
		return PLAIT_OK;
	peer->has_left |= horizon->end == PLAIT__HORIZON_LEFT;
	/* One that is over may come before a part of it; the last one stays. */
	if (told->number > horizon->number ||
	    (told->number == horizon->number &&
	     (told->count > horizon->count ||
	      told->end == PLAIT__HORIZON_LAST)))
		return PLAIT_OK;
	*told = *horizon;
	if (horizon->number > ranks->told_newest)
		ranks->told_newest = horizon->number;
	peer->tasks = (horizon->number - 1) * ranks->program.period +
		      horizon->count;
	if (horizon->end == PLAIT__HORIZON_LAST) {
		peer->is_over = true;
		peer->slots = horizon->slots;
	}
	if (horizon->count == ranks->program.period &&
	    horizon->number > peer->horizon)
		peer->horizon = horizon->number;
	own = plait__program_hash_kept(&ranks->program, horizon->number);
	return own == NULL ? PLAIT_OK : check_peer(ranks, rank, own, error);
}

plait_status plait__rank_horizon_look(plait__flow_ranks *ranks,
				      plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__horizon horizon;
	plait__kept_mail kept;

	while (status == PLAIT_OK &&
	       plait__world_mail_take(&ranks->world->mailbox,
				      PLAIT__MAIL_HORIZON, ranks->number, 0,
				      &kept)) {
		memcpy(&horizon, &kept.mail.of.horizon, sizeof(horizon));
		if (kept.peer < ranks->count && kept.peer != ranks->rank)
			status = take(ranks, kept.peer, &horizon, error);
	}
	return status;
}

bool plait__rank_horizon_are_equal(const plait__flow_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__rank_peer *peer = &ranks->peers[i];

		if (i != ranks->rank && !peer->is_over && !peer->has_left &&
		    !peer->is_lost && peer->tasks < ranks->program.tasks)
			return false;
	}
	return true;
}

bool plait__rank_horizon_may_pass(const plait__flow_ranks *ranks,
				  uint64_t number)
{
	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__rank_peer *peer = &ranks->peers[i];

		if (i != ranks->rank && !peer->is_over && !peer->has_left &&
		    !peer->is_lost && peer->horizon + PLAIT__HORIZON_AHEAD <
			    number)
			return false;
	}
	return true;
}
