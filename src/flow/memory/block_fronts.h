/* SPDX-License-Identifier: MIT */
/* Accesses of instructions to the fronts of blocks: predecessors, then the
 * record of the access.  Pure. */
#ifndef PLAIT_SRC_FLOW_MEMORY_BLOCK_FRONTS_H
#define PLAIT_SRC_FLOW_MEMORY_BLOCK_FRONTS_H

#include "flow/memory/memory_state.h"

/* Let the open instruction follow what an access in `mode`, one of
 * PLAIT__ACCESS_..., has to. */
void plait__block_fronts_gather(plait__memory_state *state, uint32_t data,
				uint32_t memory, const plait_box *box,
				uint32_t mode);

/* Let the open instruction follow all that used the box. */
void plait__block_fronts_gather_uses(plait__memory_state *state, uint32_t data,
				     uint32_t memory, const plait_box *box);

/* Note the access of an instruction that is closed; may append a join. */
void plait__block_fronts_record(plait__memory_state *state, uint32_t data,
				uint32_t memory, const plait_box *box,
				uint32_t mode, uint32_t number);

#endif
