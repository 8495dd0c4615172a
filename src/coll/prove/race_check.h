/* SPDX-License-Identifier: MIT */
/*
 * Conflicting accesses that the lanes and waits of their rank do not order, so
 * that only messages through other ranks can.
 *
 * A node is a step in a tile: tile * step_count + step.
 */
#ifndef PLAIT_SRC_COLL_PROVE_RACE_CHECK_H
#define PLAIT_SRC_COLL_PROVE_RACE_CHECK_H

#include "base/vector.h"
#include "coll/prove/proof_state.h"

typedef struct plait__race_obligation {
	uint32_t lane;		/* of `before` */
	uint32_t before, after;	/* nodes */
	uint32_t cell;		/* of the memory of the rank */
} plait__race_obligation;

/* Refuse the first obligation that happens-before does not fulfil. */
plait_status plait__race_sweep(plait__proof_state *state, uint32_t tiles,
			       plait__vector *obligations);

#endif
