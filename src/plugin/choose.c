/* SPDX-License-Identifier: MIT */
/*
 * Choice of backends. With a list of names, each of them must be usable, except
 * for optional ones, and no other backend is used. Without one: every usable
 * backend, by priority.
 */
#include "plugin/choose.h"

#include "plugin/defaults.h"
#include "plugin/instance.h"
#include "plugin/none_chosen.h"
#include "plugin/services.h"
#include "plugin/transport.h"
#include "plugin/transport_alias.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* --- candidates */

/* Add the names that are missing; there is room. */
static void add_names(plait__registry *registry, const plait__list *names)
{
	uint32_t i;

	for (i = 0; i < names->count; i++) {
		plait__candidate *candidate;

		if (plait__candidate_find(registry, names->names[i]) != NULL)
			continue;
		candidate = &registry->candidates[registry->candidate_count++];
		memcpy(candidate->name, names->names[i],
		       sizeof(candidate->name));
		plait__text_init(&candidate->tried, registry->allocator);
	}
}

static bool reserve(plait__registry *registry, uint32_t count)
{
	if (count == 0)
		return true;
	registry->candidates =
		plait__alloc_array(registry->allocator, count,
				   sizeof(*registry->candidates));
	if (registry->candidates == NULL)
		return false;
	registry->candidate_capacity = count;
	registry->backends = plait__alloc_array(registry->allocator, count,
						sizeof(*registry->backends));
	if (registry->backends == NULL)
		return false;
	registry->backend_capacity = count;
	return true;
}

static bool find_candidates(plait__registry *registry)
{
	bool exact = plait__candidate_names_are_given(registry);
	plait__list found, transports;

	plait__transport_alias_expand(&registry->transports, &transports);
	memset(&found, 0, sizeof(found));
	if (!exact)
		plait__search_scan(&registry->search, &found,
				   &registry->places);
	if (!reserve(registry, found.count + registry->wanted.count +
				       registry->wraps.count +
				       transports.count))
		return false;
	if (exact)
		add_names(registry, &registry->wanted);
	add_names(registry, &found);
	add_names(registry, &registry->wraps);
	add_names(registry, &transports);
	return true;
}

static void load_candidate(plait__registry *registry,
			   plait__candidate *candidate)
{
	candidate->verdict = PLAIT__CANDIDATE_NOT_LOADED;
	candidate->loaded =
		plait__search_load(&registry->search, candidate->name,
				   plait__services_get(), &candidate->table,
				   &candidate->tried,
				   &candidate->reason) == PLAIT_OK;
	if (!candidate->loaded)
		plait__log_line(registry->log, PLAIT_LOG_INFO, "%s",
				candidate->reason.text);
}

/* --- choice */

static void record_failure(plait__registry *registry, const plait_error *reason)
{
	if (registry->failure.status == PLAIT_OK)
		registry->failure = *reason;
}

/* Load the interposers; returns false if one of them is unusable. */
static bool load_wraps(plait__registry *registry)
{
	bool usable = true;
	uint32_t i;

	for (i = 0; i < registry->wraps.count; i++) {
		const char *name = registry->wraps.names[i];
		plait__candidate *candidate =
			plait__candidate_find(registry, name);

		load_candidate(registry, candidate);
		if (candidate->loaded &&
		    (candidate->table.flags & PLAIT_PLUGIN_INTERPOSER) == 0) {
			candidate->verdict = PLAIT__CANDIDATE_NOT_USABLE;
			plait__fail(&candidate->reason, PLAIT_E_UNAVAILABLE,
				    "%s: plugin %s is a backend, not an "
				    "interposer",
				    registry->wrap_setting.name, name);
		} else if (candidate->loaded) {
			candidate->verdict = PLAIT__CANDIDATE_WRAPS;
			continue;
		}
		record_failure(registry, &candidate->reason);
		usable = false;
	}
	return usable;
}

/* Returns true if the candidate may be opened; else its verdict has the
 * reason. */
static bool is_eligible(plait__registry *registry,
			plait__candidate *candidate)
{
	bool named = plait__list_has(&registry->wanted, candidate->name);
	bool exact = plait__candidate_names_are_given(registry);

	if (exact && !named)
		return false;
	if (!exact && plait__list_has(&registry->wraps, candidate->name))
		return false;
	if (named && !exact) {
		candidate->verdict = PLAIT__CANDIDATE_EXCLUDED;
		return false;
	}
	load_candidate(registry, candidate);
	if (!candidate->loaded)
		return false;
	if ((candidate->table.flags & PLAIT_PLUGIN_INTERPOSER) != 0) {
		candidate->verdict = PLAIT__CANDIDATE_INTERPOSER;
		plait__fail(&candidate->reason, PLAIT_E_UNAVAILABLE,
			    "plugin %s is an interposer, not a backend; set "
			    "PLAIT_WRAP=%s", candidate->name,
			    candidate->name);
		return false;
	}
	if ((candidate->table.flags & PLAIT_PLUGIN_TRANSPORT) != 0) {
		candidate->verdict = PLAIT__CANDIDATE_TRANSPORT;
		plait__fail(&candidate->reason, PLAIT_E_UNAVAILABLE,
			    "plugin %s is a transport, not a backend; set "
			    "PLAIT_TRANSPORT=%s", candidate->name,
			    candidate->name);
		return false;
	}
	if ((candidate->table.flags & PLAIT_PLUGIN_EXPLICIT) != 0 && !exact) {
		candidate->verdict = PLAIT__CANDIDATE_EXPLICIT;
		return false;
	}
	candidate->verdict = PLAIT__CANDIDATE_NOT_OPENED;
	return true;
}

static int by_priority(const void *a, const void *b)
{
	const plait__candidate *const *x = a, *const *y = b;

	if ((*x)->table.priority != (*y)->table.priority)
		return (*x)->table.priority < (*y)->table.priority ? 1 : -1;
	return strcmp((*x)->name, (*y)->name);
}

static void open_candidate(plait__registry *registry,
			   plait__candidate *candidate)
{
	plait__backend *backend = &registry->backends[registry->backend_count];
	plait_status status;

	status = plait__instance_open(registry, candidate, backend,
				      &candidate->reason);
	if (status != PLAIT_OK) {
		candidate->verdict = PLAIT__CANDIDATE_NOT_USABLE;
		plait__log_line(registry->log, PLAIT_LOG_INFO, "%s",
				candidate->reason.text);
		return;
	}
	candidate->verdict = PLAIT__CANDIDATE_CHOSEN;
	candidate->backend = registry->backend_count++;
	plait__log_line(registry->log, PLAIT_LOG_INFO,
			"backend %s: chosen, %u %s", candidate->name,
			backend->device_count,
			backend->device_count == 1 ? "device" : "devices");
}

/* Open in order, and only if all interposers are usable, because wrapping is
 * part of opening. */
static bool open_eligible(plait__registry *registry, bool wraps_usable)
{
	bool exact = plait__candidate_names_are_given(registry);
	plait__candidate *order[4 * PLAIT__LIST_MAX];
	uint32_t count = 0, i;

	for (i = 0; i < registry->candidate_count; i++) {
		plait__candidate *candidate = &registry->candidates[i];

		if (is_eligible(registry, candidate))
			order[count++] = candidate;
	}
	if (!exact)
		qsort(order, count, sizeof(order[0]), by_priority);
	for (i = 0; wraps_usable && i < count && !registry->no_memory; i++)
		open_candidate(registry, order[i]);
	return !registry->no_memory;
}

/* --- transports */

/* Load those of PLAIT_TRANSPORT that are not candidates for another reason. */
static void load_transports(plait__registry *registry)
{
	plait__list transports;

	plait__transport_alias_expand(&registry->transports, &transports);
	for (uint32_t i = 0; i < transports.count; i++) {
		plait__candidate *candidate = plait__candidate_find(
			registry, transports.names[i]);

		if (candidate->loaded || candidate->reason.status != PLAIT_OK)
			continue;
		load_candidate(registry, candidate);
		if (candidate->loaded)
			candidate->verdict = PLAIT__CANDIDATE_TRANSPORT;
	}
}

/* In a survey: find out whether transports work here. One that is a backend as
 * well has its verdict as such. */
static void probe_transports(plait__registry *registry)
{
	for (uint32_t i = 0; i < registry->candidate_count; i++) {
		plait__candidate *candidate = &registry->candidates[i];

		if (candidate->verdict != PLAIT__CANDIDATE_TRANSPORT)
			continue;
		candidate->probed = true;
		memset(&candidate->reason, 0, sizeof(candidate->reason));
		candidate->reason.size = sizeof(candidate->reason);
		if (!plait__defaults_has_ports(&candidate->table))
			plait__fail(&candidate->reason, PLAIT_E_UNAVAILABLE,
				    "plugin %s is no transport: it has no "
				    "slots of ports", candidate->name);
		else
			(void)plait__transport_probe(registry, candidate,
						     &candidate->reason);
	}
}

/* Returns true if the user can do without the candidate: it is not there, or
 * not usable on this machine.  A wrong option, and an interposer in the place
 * of a backend, are mistakes. */
static bool may_lack(const plait__registry *registry, uint32_t i,
		     const plait__candidate *candidate)
{
	return registry->wanted.optional[i] &&
	       candidate->verdict != PLAIT__CANDIDATE_INTERPOSER &&
	       candidate->verdict != PLAIT__CANDIDATE_TRANSPORT &&
	       candidate->reason.status != PLAIT_E_INVALID;
}

/* Each named backend must be open, unless it is optional; the first that is not
 * becomes the failure. */
static void check_exact(plait__registry *registry)
{
	uint32_t i;

	for (i = 0; i < registry->wanted.count; i++) {
		const plait__candidate *candidate = plait__candidate_find(
			registry, registry->wanted.names[i]);

		if (candidate->verdict != PLAIT__CANDIDATE_CHOSEN &&
		    !may_lack(registry, i, candidate))
			record_failure(registry, &candidate->reason);
	}
}

/* Returns false if a line about a path was lost for lack of memory. */
static bool has_all_texts(const plait__registry *registry)
{
	uint32_t i;

	for (i = 0; i < registry->candidate_count; i++)
		if (registry->candidates[i].tried.failed)
			return false;
	return !registry->places.failed;
}

plait_status plait__choose(plait__registry *registry)
{
	bool usable;

	if (!find_candidates(registry))
		return PLAIT_E_NOMEM;
	usable = load_wraps(registry);
	if (!open_eligible(registry, usable))
		return PLAIT_E_NOMEM;
	load_transports(registry);
	if (!has_all_texts(registry))
		return PLAIT_E_NOMEM;
	if (plait__candidate_names_are_given(registry))
		check_exact(registry);
	if (registry->probes && usable)
		probe_transports(registry);
	if (registry->backend_count == 0 &&
	    registry->failure.status == PLAIT_OK)
		plait__none_chosen_report(registry);
	return PLAIT_OK;
}
