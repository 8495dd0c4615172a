/* SPDX-License-Identifier: MIT */
/*
 * Computation of steps: elements between buffers and messages, for one tile.  In
 * a message the chunks follow each other without gaps.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_COMPUTE_H
#define PLAIT_SRC_COLL_PROJECT_RANK_COMPUTE_H

#include "coll/project/rank_machine.h"

/* Find tiles, and place and size of each chunk, for the call. */
void plait__rank_compute_lay(plait__rank_machine *machine);

/* Bytes of the step's message. */
uint64_t plait__rank_compute_bytes(const plait__rank_machine *machine,
				   const plait__rank_step *step, uint64_t tile);

/* Execute a step with a received message.  `out` (nullable for kinds that store
 * what they send) receives the message that the step sends. */
void plait__rank_compute_received(const plait__rank_machine *machine,
				  const plait__rank_step *step, uint64_t tile,
				  const unsigned char *in, unsigned char *out);

/* Write the message of a step whose receipt was computed before, without a
 * slot. */
void plait__rank_compute_later(const plait__rank_machine *machine,
			       const plait__rank_step *step, uint64_t tile,
			       const unsigned char *staging,
			       unsigned char *out);

/* Find the least range that has the source or target of a step.  Returns true if
 * its chunks follow each other. */
bool plait__rank_compute_range(const plait__rank_machine *machine,
			       const plait__rank_step *step, bool target,
			       uint64_t tile, unsigned char *out[2]);

/* Write the source of a step as a message. */
void plait__rank_compute_gather(const plait__rank_machine *machine,
				const plait__rank_step *step, uint64_t tile,
				unsigned char *out);

/* Execute a copy, a reduction or a wait. */
void plait__rank_compute_local(const plait__rank_machine *machine,
			       const plait__rank_step *step, uint64_t tile);

#endif
