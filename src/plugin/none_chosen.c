/* SPDX-License-Identifier: MIT */
/* The error when no backend was chosen, with a hint; see none_chosen.h. */
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

/* Returns the number of rejected candidates; *out is the last one. */
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

/* Write "a, b", truncated to the buffer. */
static const char *list_names(const plait__registry *registry,
			      enum plait__candidate_verdict verdict,
			      char out[NAMES_BYTES])
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

/* There are plugins, and none was rejected. */
static void fail_unnamed(plait__registry *registry)
{
	char excluded[NAMES_BYTES], explicit_names[NAMES_BYTES];

	(void)list_names(registry, PLAIT__CANDIDATE_EXCLUDED, excluded);
	(void)list_names(registry, PLAIT__CANDIDATE_EXPLICIT, explicit_names);
	if (excluded[0] != '\0')
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "%s: without %s there is no backend that is used "
			    "unless it is named%s%s",
			    registry->backends_setting.name, excluded,
			    explicit_names[0] != '\0' ?
				    "; name one of these: " :
				    "",
			    explicit_names);
	else if (explicit_names[0] != '\0')
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "there is no backend that is used unless it is "
			    "named; set PLAIT_BACKEND to one of these: %s",
			    explicit_names);
	else
		plait__fail(&registry->failure, PLAIT_E_UNAVAILABLE,
			    "no backend among %u %s, only interposers; plait "
			    "info names them", registry->candidate_count,
			    registry->candidate_count == 1 ? "plugin" :
							     "plugins");
}

static void fail_empty(plait__registry *registry)
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
			    "rejected; plait info lists the reasons",
			    registry->candidate_count, rejected);
	else if (registry->candidate_count == 0)
		fail_empty(registry);
	else
		fail_unnamed(registry);
}
