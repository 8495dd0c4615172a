/* SPDX-License-Identifier: MIT */
/* Mail of the other ranks of a flow: horizons, and failures. */
#ifndef PLAIT_SRC_FLOW_RANK_MAIL_H
#define PLAIT_SRC_FLOW_RANK_MAIL_H

#include "flow/rank_state.h"

/* Take what has come.  By any thread that holds no lock. */
void plait__rank_mail_look(plait__flow_ranks *ranks);

#endif
