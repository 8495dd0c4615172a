/* SPDX-License-Identifier: MIT */
/* End of a flow over ranks: the rank that it waits for, in the log, and for
 * plait_context_close. */
#ifndef PLAIT_SRC_FLOW_RANK_END_H
#define PLAIT_SRC_FLOW_RANK_END_H

#include "flow/rank_state.h"

/* No op comes any more, and the thread goes on: tell which rank it waits for, now and
 * then, and once in the log.  Caller is the thread of the flow. */
void plait__rank_end_look(plait__flow_ranks *ranks);

/* The thread ends, and tells plait_context_close a failure that no call has.  A rank
 * that was lost before it told of all submissions is one, if no call has returned a
 * loss.  The same. */
void plait__rank_end_report(plait__flow_ranks *ranks);

#endif
