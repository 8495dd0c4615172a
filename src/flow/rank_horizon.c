/* SPDX-License-Identifier: MIT */
/* Horizons; see rank_horizon.h. */
#include "flow/rank_horizon.h"

#include "base/error.h"
#include "sys/clock.h"

enum { MASK = PLAIT__HORIZON_KEPT - 1 };

_Static_assert(sizeof(plait__mail_horizon) == sizeof(plait__horizon) &&
		       offsetof(plait__horizon, slots) == 2 * sizeof(uint64_t),
	       "mail has a horizon");

plait_status plait__rank_horizon_send(plait__flow_ranks *ranks,
				      const plait__horizon *horizon,
				      plait_error *error)
{
	uint64_t deadline = plait__clock_deadline(ranks->world->open_ns);
	plait_status status = PLAIT_OK;
	plait__world_mail mail;

	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_HORIZON;
	mail.number = ranks->number;
	memcpy(&mail.of.horizon, horizon, sizeof(*horizon));
	for (uint32_t i = 0; i < ranks->count; i++) {
		if (i == ranks->rank)
			continue;
		if (horizon->is_last != 0)
			mail.of.horizon.words[2] = ranks->peers[i].send.own;
		status = plait__world_send(ranks->world, i, &mail, deadline,
					   error);
		/* The thread of the flow tells of ranks that have ended. */
		if (status != PLAIT_OK && status != PLAIT_E_LOST)
			return status;
	}
	return PLAIT_OK;
}

/* ---- comparison ---- */

static plait_status fail(const plait__flow_ranks *ranks, uint32_t peer,
			 const plait__horizon *own, const plait__horizon *told,
			 uint32_t index, plait_error *error)
{
	uint64_t task = (own->number - 1) * ranks->program.period + index + 1;
	const char *label = plait__program_hash_label(&ranks->program,
						      own->number, index);

	if (index >= told->count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u has ended its flow before submission "
				   "%llu, \"%s\" on rank %u (horizon %llu); all "
				   "ranks submit the same tasks", peer,
				   (unsigned long long)task, label, ranks->rank,
				   (unsigned long long)own->number);
	return plait__fail(error, PLAIT_E_INVALID,
			   "submission %llu, \"%s\" on rank %u (horizon %llu), "
			   "is another one on rank %u; all ranks submit the same "
			   "tasks", (unsigned long long)task, label,
			   ranks->rank, (unsigned long long)own->number, peer);
}

static plait_status check_peer(const plait__flow_ranks *ranks, uint32_t peer,
			       const plait__horizon *own, plait_error *error)
{
	const plait__horizon *told = &ranks->peers[peer].told[own->number &
							      MASK];
	uint32_t index;

	if (told->number != own->number)
		return PLAIT_OK;
	index = plait__program_hash_differ(own, told);
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

/* ---- mail ---- */

static plait_status take(plait__flow_ranks *ranks, uint32_t rank,
			 const plait__horizon *horizon, plait_error *error)
{
	plait__rank_peer *peer = &ranks->peers[rank];
	const plait__horizon *own;

	if (horizon->count > PLAIT__HORIZON_TASKS || horizon->number == 0)
		return PLAIT_OK;
	peer->told[horizon->number & MASK] = *horizon;
	if (horizon->is_last != 0) {
		peer->is_over = true;
		peer->slots = horizon->slots;
	}
	if (horizon->is_last == 0 && horizon->number > peer->horizon)
		peer->horizon = horizon->number;
	own = plait__program_hash_find(&ranks->program, horizon->number);
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

bool plait__rank_horizon_may_pass(const plait__flow_ranks *ranks,
				  uint64_t number)
{
	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__rank_peer *peer = &ranks->peers[i];

		if (i != ranks->rank && !peer->is_over && !peer->is_lost &&
		    peer->horizon + PLAIT__HORIZON_AHEAD < number)
			return false;
	}
	return true;
}
