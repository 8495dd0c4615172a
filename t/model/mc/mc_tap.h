/* SPDX-License-Identifier: MIT */
/* Checks of explorer tests for TAP. */
#ifndef PLAIT_T_MC_TAP_H
#define PLAIT_T_MC_TAP_H

#include "mc.h"

/*
 * No execution within the scenario's bounds fails, and some random ones
 * beyond them do not either.  A failure is printed step by step.
 */
bool mc_proves(const struct mc_scenario *scenario);

/* The scenario is broken on purpose: the search must find `reason`. */
bool mc_finds(const struct mc_scenario *scenario, const char *reason);

/*
 * Weaken each operation of the files (ends with null) and compare the
 * undetected ones with t/model/mc/survivors.txt.
 */
bool mc_notices(const struct mc_scenario *const *scenarios, uint32_t count,
		const char *const *files);

#endif
