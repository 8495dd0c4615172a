/* SPDX-License-Identifier: MIT */
/*
 * Guard of group kernels, for drivers that compile at the first run: a test in
 * front of the body, so that a run can do nothing.  A macro cannot place it,
 * because LOCAL_MEMORY is declared in the body.
 */
#ifndef PLAIT_SRC_SOURCE_GROUP_GUARD_H
#define PLAIT_SRC_SOURCE_GROUP_GUARD_H

#include "source/compose.h"

/* Returns true if each GROUP_KERNEL(name, ...)  of the text can get a guard. */
bool plait__guard_fits(const plait_source *source, const char *name);

/* Add the text with PLAIT_GUARD at the start of those bodies; lines stay. */
void plait__guard_add(plait__text *out, const plait_source *source,
		      const char *name);

#endif
