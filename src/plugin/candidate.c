/* SPDX-License-Identifier: MIT */
/* Look-up of a candidate by name. */
#include "plugin/candidate.h"

#include <string.h>

plait__candidate *plait__candidate_find(const plait__registry *registry,
					 const char *name)
{
	uint32_t i;

	for (i = 0; i < registry->candidate_count; i++)
		if (strcmp(registry->candidates[i].name, name) == 0)
			return &registry->candidates[i];
	return NULL;
}
