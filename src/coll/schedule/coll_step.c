/* SPDX-License-Identifier: MIT */
/* Kinds of steps; see schedule.h. */
#include "coll/schedule/schedule.h"

int plait__step_sends(uint32_t kind)
{
	return kind == PLAIT__STEP_SEND || kind == PLAIT__STEP_RECV_SEND ||
	       kind == PLAIT__STEP_RECV_REDUCE_SEND ||
	       kind == PLAIT__STEP_RECV_REDUCE_BOTH;
}

int plait__step_receives(uint32_t kind)
{
	return kind >= PLAIT__STEP_RECV && kind <= PLAIT__STEP_RECV_REDUCE_BOTH;
}
