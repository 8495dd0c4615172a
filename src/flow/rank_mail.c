/* SPDX-License-Identifier: MIT */
/* Mail of the other ranks of a flow; see rank_mail.h. */
#include "flow/rank_mail.h"

#include "flow/rank_horizon.h"
#include "flow/rank_stop.h"

void plait__rank_mail_look(plait__flow_ranks *ranks)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = plait__world_progress(ranks->world, &why);

	plait__rank_stop_look(ranks);
	plait__mutex_lock(&ranks->lock);
	if (status == PLAIT_OK)
		status = plait__rank_horizon_look(ranks, &why);
	plait__mutex_unlock(&ranks->lock);
	if (status != PLAIT_OK)
		plait__rank_stop_all(ranks, &why);
}
