/* SPDX-License-Identifier: MIT */
/*
 * Rehearsal of a plan: a run that calls none of the plan's functions.  Each
 * command keeps its lane busy for its planned cost, loops run the expected
 * number of times, and a case takes its expected branch.
 */
#ifndef PLAIT_SRC_RUN_REHEARSE_H
#define PLAIT_SRC_RUN_REHEARSE_H

#include "run/program.h"

typedef struct plait__rehearsal plait__rehearsal;

/* Measure the speed of the spin loop on the calling thread, and make the work of
 * each command.  *out is null if the plan is not to be rehearsed, and after a
 * failure: PLAIT_E_NOMEM. */
plait_status plait__rehearse_make(const plait__program *program,
				  plait__rehearsal **out, plait_error *error);
void plait__rehearse_free(const plait__program *program,
			  plait__rehearsal *rehearsal);

/* Do the work of one command; `spins` is a result of
 * plait__rehearse_spins. */
int32_t plait__rehearse_work(void *spins);
void *plait__rehearse_spins(plait__rehearsal *rehearsal, uint32_t command);

/* Returns the word of a region's predicate after `done` iterations of this
 * visit: a case's branch; or 1 to go on, 0 to leave. */
uint32_t plait__rehearse_choose(const plait__plan *plan, uint32_t region,
				uint64_t done);

#endif
