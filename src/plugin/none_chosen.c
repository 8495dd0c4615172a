/* SPDX-License-Identifier: MIT */
/* Why no backend was chosen, and what helps; see none_chosen.h. */
#include "plugin/none_chosen.h"

#include "plugin/candidate.h"

#include "base/error.h"

#include <stdio.h>

enum { NAMES_BYTES = 96 };

static bool is_rejected(const plait__candidate *candidate)
{
	return candidate->verdict == PLAIT__CANDIDATE_NOT_LOADED ||
	       candidate->verdict == PLAIT__CANDIDATE_NOT_USABLE;
}

/* How many were to be used and could not; the last one of them. */
static uint32_t count_rejected(const plait__registry *registry,
			       const plait__candidate **out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < registry->candidate_count; i++)
		if (is_rejected(&registry->candidates[i])) {
			*out = &registry->candidates[i];
			count++;
		}
	return count;
}

/* "a, b"; cut when there are too many. */
static const char *list(const plait__registry *registry,
			enum plait__candidate_verdict verdict, char out[NAMES_BYTES])
{
	size_t length = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < registry->candidate_count &&
	     length < NAMES_BYTES; i++) {
		const plait__candidate *candidate = &registry->candidates[i];

		if (candidate->verdict == verdict)
			length += (size_t)snprintf(out + length,
						   NAMES_BYTES - length,
						   "%s%s", length > 0 ? ", " :
						   "", candidate->name);
	}
	return out;
}

/* There are plugins, and none of them is at fault. */
static void tell_unnamed(plait__registry *registry)
{
	char left[NAMES_BYTES], shy[NAMES_BYTES];

	(void)list(registry, PLAIT__CANDIDATE_EXCLUDED, left);
	(void)list(registry, PLAIT__CANDIDATE_EXPLICIT, shy);
	if (left[0] != '\0')
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "%s: without %s there is no backend that is used "
			    "unless it is named%s%s",
			    registry->backends_setting.name, left,
			    shy[0] != '\0' ? "; name one of these: " : "",
			    shy);
	else if (shy[0] != '\0')
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "there is no backend that is used unless it is "
			    "named; set PLAIT_BACKEND to one of these: %s",
			    shy);
	else
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "no backend among %u %s, only interposers; plait "
			    "info tells which", registry->candidate_count,
			    registry->candidate_count == 1 ? "plugin" :
							     "plugins");
}

static void tell_empty(plait__registry *registry)
{
	char places[PLAIT__SEARCH_PLACES_BYTES];
	const char *setting = registry->path_setting.text != NULL ?
				      registry->path_setting.name : NULL;

	plait__search_describe(&registry->search, places);
	if (setting != NULL)
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "%s: no plugin in %s; it takes folders that have "
			    "plait_host.so, or such files", setting, places);
	else
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "no plugin in %s; set PLAIT_PLUGIN_PATH to the "
			    "folder that has plait_host.so", places);
}

void plait__none_chosen_report(plait__registry *registry)
{
	const plait__candidate *last = NULL;
	uint32_t rejected = count_rejected(registry, &last);

	if (rejected == 1)
		plait__fail_origin(&registry->failure, last->reason.status,
				   last->reason.origin,
				   "no usable backend: %s",
				   last->reason.text);
	else if (rejected > 1)
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "no usable backend among %u plugins, %u were "
			    "rejected; plait info tells each reason",
			    registry->candidate_count, rejected);
	else if (registry->candidate_count == 0)
		tell_empty(registry);
	else
		tell_unnamed(registry);
}
