/* SPDX-License-Identifier: MIT */
/*
 * A guard in kernels with groups, for drivers that compile in the first run: in
 * front of all that its body does, so that it can be run without doing it.  A
 * macro cannot put it there, because LOCAL memory is declared in the body.
 */
#ifndef PLAIT_SRC_SOURCE_GROUP_GUARD_H
#define PLAIT_SRC_SOURCE_GROUP_GUARD_H

#include "source/compose.h"

/* Can one be put into each GROUP_KERNEL(name, ...) that the text has? */
bool plait__guard_fits(const plait_source *source, const char *name);

/* The text, with PLAIT_GUARD where those bodies begin; lines stay. */
void plait__guard_add(plait__text *out, const plait_source *source,
		      const char *name);

#endif
