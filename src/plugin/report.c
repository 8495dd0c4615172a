/* SPDX-License-Identifier: MIT */
/*
 * The report of a registry. Its format is for people and may change; see
 * plait(1).
 */
#include "plugin/report.h"

#include "plugin/report_notes.h"
#include "plugin/transport_alias.h"

#include "sys/env.h"

#include <string.h>

static const char *or_none(const plait__list *list)
{
	return list->count == 0 ? " none" : "";
}

static void add_list(plait__text *out, const plait__list *list)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		plait__text_add(out, "%s%s%s%s", i == 0 ? " " : ",",
				list->excludes ? "^" : "", list->names[i],
				list->optional[i] ? "?" : "");
}

static void add_source(plait__text *out, const plait__setting *setting)
{
	if (setting->text != NULL)
		plait__text_add(out, " (%s)", setting->name);
	plait__text_add(out, "\n");
}

/* Returns the place of a name that is in the list, from 1. */
static uint32_t number_in(const plait__list *list, const char *name)
{
	uint32_t i = 0;

	while (strcmp(list->names[i], name) != 0)
		i++;
	return i + 1;
}

/* The settings, one line each. */
static void write_settings(const plait__registry *registry, plait__text *out)
{
	uint32_t i;

	plait__text_add(out, "backends:");
	add_list(out, &registry->wanted);
	if (registry->wanted.count == 0)
		plait__text_add(out, " all usable ones that need not be named, best first");
	add_source(out, &registry->backends_setting);
	plait__text_add(out, "wrapped in:%s", or_none(&registry->wraps));
	add_list(out, &registry->wraps);
	add_source(out, &registry->wrap_setting);
	plait__text_add(out, "transports:%s", or_none(&registry->transports));
	add_list(out, &registry->transports);
	add_source(out, &registry->transport_setting);
	plait__text_add(out, "options: %s",
			registry->options_setting.text != NULL ?
				registry->options_setting.text :
				"none");
	add_source(out, &registry->options_setting);
	plait__text_add(out, "plugins from:");
	for (i = 0; i < registry->search.count; i++)
		plait__text_add(out, " %s", registry->search.places[i].path);
	add_source(out, &registry->path_setting);
	if (plait__env_privileged())
		plait__text_add(out, "the environment is ignored: this process "
				"has more privileges than its user\n");
}

/* "left out" for a backend that the user can do without. */
static const char *rejected(const plait__registry *registry, const char *name)
{
	for (uint32_t i = 0; i < registry->wanted.count; i++)
		if (registry->wanted.optional[i] &&
		    strcmp(registry->wanted.names[i], name) == 0)
			return "left out, optional";
	return "rejected";
}

/* A survey has opened it; a context opens it with the first world. */
static void write_transport(const plait__registry *registry,
			    const plait__candidate *candidate,
			    plait__text *out)
{
	const char *name = candidate->name;
	const char *entry = plait__transport_alias_find(&registry->transports,
							name);

	if (candidate->probed && candidate->reason.status != PLAIT_OK)
		plait__text_add(out, "%s: a transport that cannot be used: "
				"%s\n", name, candidate->reason.text);
	else if (entry != NULL)
		plait__text_add(out, "%s: transport of worlds, number %u\n",
				name, number_in(&registry->transports, entry));
	else
		plait__text_add(out, "%s: a transport, used when named: "
				"PLAIT_TRANSPORT=%s\n", name, name);
}

static void write_verdict(const plait__registry *registry,
			  const plait__candidate *candidate, plait__text *out)
{
	const char *name = candidate->name;

	switch (candidate->verdict) {
	case PLAIT__CANDIDATE_NOT_LOADED:
		plait__text_add(out, "%s: %s: could not be loaded\n", name,
				rejected(registry, name));
		break;
	case PLAIT__CANDIDATE_EXCLUDED:
		plait__text_add(out, "%s: left out by %s\n", name,
				registry->backends_setting.name);
		break;
	case PLAIT__CANDIDATE_INTERPOSER:
		plait__text_add(out, "%s: no backend but an interposer; "
				"PLAIT_WRAP=%s puts it around each\n", name,
				name);
		break;
	case PLAIT__CANDIDATE_EXPLICIT:
		plait__text_add(out, "%s: not chosen: it is used only when "
				"named, PLAIT_BACKEND=%s\n", name, name);
		break;
	case PLAIT__CANDIDATE_TRANSPORT:
		write_transport(registry, candidate, out);
		break;
	case PLAIT__CANDIDATE_WRAPS:
		plait__text_add(out, "%s: interposer\n", name);
		break;
	case PLAIT__CANDIDATE_NOT_OPENED:
		plait__text_add(out, "%s: not opened: an interposer of "
				"PLAIT_WRAP cannot be used\n", name);
		break;
	case PLAIT__CANDIDATE_NOT_USABLE:
		plait__text_add(out, "%s: %s: %s\n", name,
				rejected(registry, name),
				candidate->reason.text);
		break;
	case PLAIT__CANDIDATE_CHOSEN:
		plait__text_add(out, "%s: chosen, number %u\n", name,
				candidate->backend + 1);
		break;
	}
}

static void write_capabilities(uint32_t capabilities, plait__text *out)
{
	static const struct {
		uint32_t bit;
		const char *word;
	} words[] = {
		{ PLAIT_CAP_MAP, "map" },
		{ PLAIT_CAP_WRAP, "wrap" },
		{ PLAIT_CAP_HOST_CALL, "host-call" },
		{ PLAIT_CAP_GATE, "gate" },
		{ PLAIT_CAP_NOTIFY, "notify" },
		{ PLAIT_CAP_NEEDS_PUMP, "needs-pump" },
		{ PLAIT_CAP_VIRTUAL_TIME, "virtual-time" },
		{ PLAIT_CAP_NATIVE, "native" },
		{ PLAIT_CAP_SEGMENT, "segment" },
		{ PLAIT_CAP_ROWS, "rows" },
		{ PLAIT_CAP_REGION, "region" },
		{ PLAIT_CAP_LASTS, "lasts" },
		{ PLAIT_CAP_HOST, "host" },
		{ PLAIT_CAP_POLLS, "polls" },
		{ PLAIT_CAP_IMAGE, "image" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((capabilities & words[i].bit) != 0)
			plait__text_add(out, " %s", words[i].word);
}

static void write_devices(const plait__backend *backend, plait__text *out)
{
	uint32_t i;

	for (i = 0; i < backend->device_count; i++) {
		const plait_backend_device *device = &backend->devices[i];

		plait__text_add(
			out, "  %s:%u: %s; %u at a time", backend->name, i,
			device->description[0] != '\0' ? device->description :
							 "no description",
			device->parallel);
		if (device->memory_bytes != 0)
			plait__text_add(out, "; %llu MiB",
					(unsigned long long)(
						device->memory_bytes >> 20));
		if (device->capabilities != 0)
			plait__text_add(out, ";");
		write_capabilities(device->capabilities, out);
		plait__text_add(out, "\n");
	}
}

static void write_candidate(const plait__registry *registry,
			    const plait__candidate *candidate,
			    plait__text *out)
{
	const plait_backend_table *table = &candidate->table;

	plait__text_add(out, "\n");
	write_verdict(registry, candidate, out);
	plait__text_add(out, "%s", plait__text_get(&candidate->tried));
	if (candidate->loaded)
		plait__text_add(out, "  version %s by %s, plugin ABI %u, "
				"priority %d\n",
				table->version[0] != '\0' ? table->version
							  : "?",
				table->vendor[0] != '\0' ? table->vendor : "?",
				table->abi, table->priority);
	if (candidate->verdict == PLAIT__CANDIDATE_CHOSEN)
		write_devices(&registry->backends[candidate->backend], out);
}

/* Candidates in use come first, in their order. */
void plait__report_write(plait__registry *registry, plait__text *out)
{
	uint32_t i;

	write_settings(registry, out);
	plait__text_add(out, "%s", plait__text_get(&registry->places));
	for (i = 0; i < registry->backend_count; i++)
		write_candidate(registry,
				plait__candidate_find(
					registry, registry->backends[i].name),
				out);
	for (i = 0; i < registry->candidate_count; i++)
		if (registry->candidates[i].verdict != PLAIT__CANDIDATE_CHOSEN)
			write_candidate(registry, &registry->candidates[i],
					out);
	plait__report_write_notes(registry, out);
}
