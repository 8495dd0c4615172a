/* SPDX-License-Identifier: MIT */
/*
 * Horizons: every so many tasks a rank mails the hash of its program to all
 * others, and compares it with theirs; so does a rank that has submitted nothing for
 * 20 ms, and one that ends its flow.  A difference is a failure of the flow that
 * names the rank, the horizon and the task.  Callers hold ranks->lock, but
 * where it is said.
 */
#ifndef PLAIT_SRC_FLOW_RANK_HORIZON_H
#define PLAIT_SRC_FLOW_RANK_HORIZON_H

#include "flow/rank_state.h"

/* Mail a horizon to all ranks.  Caller holds no lock, and is the flow's thread for
 * the last one.  All ranks are tried.  As plait__world_send. */
plait_status plait__rank_horizon_send(plait__flow_ranks *ranks,
				      const plait__horizon *horizon,
				      plait_error *error);

/* Compare a horizon that is over with what the ranks told of it; PLAIT_E_INVALID:
 * one of them differs. */
plait_status plait__rank_horizon_check(plait__flow_ranks *ranks,
				       uint64_t number, plait_error *error);

/* Compare the newest task with what the ranks told of its horizon, which is not
 * over.  The same. */
plait_status plait__rank_horizon_check_newest(plait__flow_ranks *ranks,
					      plait_error *error);

/* Mail the part of the horizon that is not over, if nothing was submitted for a
 * while and the ranks were not told of it.  Caller is the flow's thread, which is
 * idle, and holds no lock. */
void plait__rank_horizon_tell(plait__flow_ranks *ranks);

/* The process ends: mail the part of the horizon that is not over to all ranks that
 * were not told.  Returns false if one takes no mail now.  Caller as before. */
bool plait__rank_horizon_leave(plait__flow_ranks *ranks);

/* Take the horizons that came, and compare them as far as this rank is. */
plait_status plait__rank_horizon_look(plait__flow_ranks *ranks,
				      plait_error *error);

/* Returns true if each rank that lives has told of as many submissions as this one,
 * or submits no more.  Caller holds `moving`, too. */
bool plait__rank_horizon_are_equal(const plait__flow_ranks *ranks);

/* Returns true if no rank that submits more is more than PLAIT__HORIZON_AHEAD
 * behind. */
bool plait__rank_horizon_may_pass(const plait__flow_ranks *ranks,
				  uint64_t number);

#endif
