/* SPDX-License-Identifier: MIT */
/* Names of flags; see flow_flags.h. */
#include "flow/flow_flags.h"

#include <stdio.h>

/* In the order of the bits. */
static const char *const names[] = { "RECORD", "STRICT", "CHECK", "FIXED",
				     "REPEATS" };

enum { NAMES = sizeof(names) / sizeof(names[0]) };

const plait_flow_flags plait__flow_flags_known = (1 << NAMES) - 1;

_Static_assert(PLAIT_FLOW_REPEATS == 1 << (NAMES - 1), "a name for each flag");

const char *plait__flow_flags_text(plait_flow_flags flags, char *room)
{
	const char *before = "PLAIT_FLOW_";
	size_t used = 0;

	room[0] = '\0';
	flags &= plait__flow_flags_known;
	for (unsigned i = 0; i < NAMES; i++) {
		plait_flow_flags rest = flags >> i;

		if ((rest & 1) == 0)
			continue;
		used += (size_t)snprintf(room + used,
					 PLAIT__FLOW_FLAGS_TEXT_BYTES - used,
					 "%s%s", before, names[i]);
		/* The next one is the last one. */
		before = (rest >> 1 & ((rest >> 1) - 1)) == 0 ? " and _" :
								", _";
	}
	return room;
}
