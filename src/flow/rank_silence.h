/* SPDX-License-Identifier: MIT */
/* Ranks of a flow that are silent for the world's silence_ns. */
#ifndef PLAIT_SRC_FLOW_RANK_SILENCE_H
#define PLAIT_SRC_FLOW_RANK_SILENCE_H

#include "flow/rank_state.h"

/* Something has moved: the silence begins anew. */
void plait__rank_silence_end(plait__flow_ranks *ranks);

/* Fail the flow on all ranks if this one has waited long enough for another, and
 * nothing moved meanwhile.  Caller is the thread of the flow. */
void plait__rank_silence_look(plait__flow_ranks *ranks);

#endif
