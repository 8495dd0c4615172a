/* SPDX-License-Identifier: MIT */
/*
 * Rehearsals: a plan is run without what it names.  Each command keeps its
 * lane busy as long as its cost says, loops run as often as was expected, and
 * cases take the branch that was.
 */
#ifndef PLAIT_SRC_RUN_REHEARSE_H
#define PLAIT_SRC_RUN_REHEARSE_H

#include "run/program.h"

typedef struct plait__rehearsal plait__rehearsal;

/* *out stays null when the plan is not to be rehearsed. */
plait_status plait__rehearse_make(const plait__program *program,
				  plait__rehearsal **out, plait_error *error);
void plait__rehearse_free(const plait__program *program,
			  plait__rehearsal *rehearsal);

/* Does the work of a command; `spins` is what _turns returns. */
int32_t plait__rehearse_work(void *spins);
void *plait__rehearse_spins(plait__rehearsal *rehearsal, uint32_t command);

/* What a region decides when `done` iterations were done since it began. */
uint32_t plait__rehearse_choose(const plait__plan *plan, uint32_t region,
				uint64_t done);

#endif
