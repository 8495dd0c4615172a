/* SPDX-License-Identifier: MIT */
/* Failure of a flow over a world as a whole; see rank_stop.h. */
#include "flow/rank_stop.h"

#include "base/error.h"
#include "base/text.h"
#include "object/context/context_close.h"
#include "sys/clock.h"

enum { SEND_NS = 200000000 };

void plait__rank_stop_ring(plait__flow_ranks *ranks)
{
	plait__slot_link_ring(&ranks->bell);
	plait__slot_link_ring(&ranks->nap);
}

plait_status plait__rank_stop_tell(plait__flow_ranks *ranks,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!plait__rank_stop_is_set(ranks))
		return PLAIT_OK;
	plait__mutex_lock(&ranks->lock);
	status = plait__error_copy(error, &ranks->broken);
	plait__mutex_unlock(&ranks->lock);
	return status;
}

plait_status plait__rank_stop_tell_once(plait__flow_ranks *ranks,
					plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!plait__rank_stop_is_set(ranks))
		return PLAIT_OK;
	plait__mutex_lock(&ranks->lock);
	if (!ranks->has_told)
		status = plait__error_copy(error, &ranks->broken);
	ranks->has_told = ranks->is_reported = true;
	plait__mutex_unlock(&ranks->lock);
	return status;
}

void plait__rank_stop_note(plait__flow_ranks *ranks, plait_status status)
{
	bool is_set = plait__rank_stop_is_set(ranks);

	if (status >= 0 || (!is_set && status != PLAIT_E_LOST))
		return;
	plait__mutex_lock(&ranks->lock);
	ranks->is_reported |= is_set;
	ranks->is_loss_told |= status == PLAIT_E_LOST;
	plait__mutex_unlock(&ranks->lock);
}

void plait__rank_stop_report(plait__flow_ranks *ranks)
{
	plait_error why = { .size = sizeof(why) };

	plait__mutex_lock(&ranks->lock);
	if (!ranks->is_reported)
		(void)plait__error_copy(&why, &ranks->broken);
	plait__mutex_unlock(&ranks->lock);
	if (why.status != PLAIT_OK)
		plait__context_close_tell(ranks->world->object.context, &why);
}

/* Returns true for the first failure. */
static bool set(plait__flow_ranks *ranks, const plait_error *why)
{
	bool is_first;

	plait__mutex_lock(&ranks->lock);
	is_first = ranks->broken.status == PLAIT_OK;
	if (is_first) {
		(void)plait__error_copy(&ranks->broken, why);
		/* Release: pairs with plait__rank_stop_is_set. */
		at_store_release_u32(&ranks->is_broken, 1);
	}
	plait__mutex_unlock(&ranks->lock);
	plait__rank_stop_ring(ranks);
	return is_first;
}

void plait__rank_stop_all(plait__flow_ranks *ranks, const plait_error *why)
{
	uint64_t deadline = plait__clock_now_ns() + SEND_NS;
	plait__world_mail mail;

	if (!set(ranks, why))
		return;
	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_FLOW_STOP;
	mail.number = ranks->number;
	mail.of.stop.status = why->status;
	plait__text_copy(why->text, mail.of.stop.text,
			 sizeof(mail.of.stop.text), NULL);
	for (uint32_t i = 0; i < ranks->count; i++)
		if (i != ranks->rank)
			(void)plait__world_send(ranks->world, i, &mail,
						deadline, NULL);
}

void plait__rank_stop_look(plait__flow_ranks *ranks)
{
	plait_error why = { .size = sizeof(why) };
	plait__kept_mail kept;

	while (plait__world_mail_take(&ranks->world->mailbox,
				      PLAIT__MAIL_FLOW_STOP, ranks->number, 0,
				      &kept)) {
		plait__mail_stop *stop = &kept.mail.of.stop;

		stop->text[sizeof(stop->text) - 1] = '\0';
		plait__fail(&why, stop->status < 0 ? stop->status :
						     PLAIT_E_INTERNAL,
			    "the flow has failed on rank %u: %s", kept.peer,
			    stop->text);
		(void)set(ranks, &why);
	}
}
