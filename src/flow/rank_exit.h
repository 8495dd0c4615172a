/* SPDX-License-Identifier: MIT */
/*
 * End of a process with flows over worlds: an exit handler waits until their tasks
 * have ended and the other ranks took what is sent to them.  Transports end
 * behind it: handlers run in the reverse order of their registration.
 */
#ifndef PLAIT_SRC_FLOW_RANK_EXIT_H
#define PLAIT_SRC_FLOW_RANK_EXIT_H

#include "flow/rank_state.h"

/* Let the end of the process wait for a flow whose thread holds it; end that before
 * the thread drops it. */
void plait__rank_exit_add(plait__flow_ranks *ranks);
void plait__rank_exit_remove(plait__flow_ranks *ranks);

#endif
