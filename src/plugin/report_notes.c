/* SPDX-License-Identifier: MIT */
/* Notes and hints at the end of a registry's report; see report_notes.h. */
#include "plugin/report_notes.h"

#include "base/log.h"
#include "base/spelling_hint.h"
#include "sys/env.h"

#include <stdio.h>
#include <string.h>

static bool is_used(const plait__registry *registry, const char *name)
{
	const plait__candidate *candidate =
		plait__candidate_find(registry, name);

	return candidate != NULL &&
	       (candidate->verdict == PLAIT__CANDIDATE_CHOSEN ||
		candidate->verdict == PLAIT__CANDIDATE_WRAPS);
}

static void note_option(const plait__registry *registry,
			const plait__option *option, const char *why,
			const char *hint, plait__text *out)
{
	plait__text_add(out, "note: option %s:%s has no effect, %s %s%s\n",
			option->backend, option->key, option->backend, why,
			hint);
	plait__log_line(registry->log, PLAIT_LOG_WARNING,
			"option %s:%s has no effect, %s %s%s", option->backend,
			option->key, option->backend, why, hint);
}

static void note_unused_backend(const plait__registry *registry,
			const plait__option *option, plait__text *out)
{
	plait__spelling_hint hint;
	uint32_t i;

	plait__spelling_hint_init(&hint, option->backend);
	for (i = 0; i < registry->candidate_count; i++)
		plait__spelling_hint_add(&hint, registry->candidates[i].name);
	note_option(registry, option, "is not used",
		    plait__candidate_find(registry, option->backend) == NULL ?
			    plait__spelling_hint_text(&hint) : "", out);
}

/* Returns true for a plugin that was rejected while opening. One of these
 * options may be the reason, or the plugin failed before it read them. */
static bool was_refused(const plait__registry *registry, const char *name)
{
	const plait__candidate *candidate =
		plait__candidate_find(registry, name);

	return candidate != NULL &&
	       (candidate->verdict == PLAIT__CANDIDATE_NOT_OPENED ||
		candidate->verdict == PLAIT__CANDIDATE_NOT_USABLE);
}

/* Returns true for a transport: it reads its options when a world opens. */
static bool is_transport(const plait__registry *registry, const char *name)
{
	static const char *const own[] = { "loopback", "mpich", "openmpi",
					   "shm" };
	const plait__candidate *candidate =
		plait__candidate_find(registry, name);

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(own[i], name) == 0)
			return true;
	return plait__list_has(&registry->transports, name) ||
	       (candidate != NULL &&
		candidate->verdict == PLAIT__CANDIDATE_TRANSPORT);
}

/* Options that no plugin read: misspelt, or for a backend that is not used. */
static void write_option_notes(plait__registry *registry, plait__text *out)
{
	char hint[PLAIT__OPTION_HINT_BYTES];
	uint32_t i;

	for (i = 0; i < registry->options.count; i++) {
		const plait__option *option = &registry->options.items[i];

		if (was_refused(registry, option->backend) ||
		    is_transport(registry, option->backend))
			continue;
		if (!is_used(registry, option->backend))
			note_unused_backend(registry, option, out);
		if (!is_used(registry, option->backend) ||
		    at_load_relaxed_u32(&option->queried) != 0)
			continue;
		plait__options_hint(&registry->options, option, hint);
		note_option(registry, option, "did not read it", hint, out);
	}
}

/* --- names of no plugin */

/* The backends of plait: a build or a package may leave one out, so a program
 * that names it with a mark has made no mistake. */
static const char *const own_backends[] = { "chaos", "cuda", "host",
					    "opencl" };

enum { OWN_BACKENDS = sizeof(own_backends) / sizeof(own_backends[0]) };

static void find_names(const plait__registry *registry, plait__list *found)
{
	plait__text ignored;

	memset(found, 0, sizeof(*found));
	plait__text_init(&ignored, registry->allocator);
	plait__search_scan(&registry->search, found, &ignored);
	plait__text_fini(&ignored);
}

/* Returns false for a name that has neither a file nor a backend of plait. */
static bool is_name_known(const plait__list *found, const char *name)
{
	uint32_t i;

	for (i = 0; i < OWN_BACKENDS; i++)
		if (strcmp(own_backends[i], name) == 0)
			return true;
	/* A full list has dropped names. */
	return found->count == PLAIT__LIST_MAX || plait__list_has(found, name);
}

static void note_name(const plait__registry *registry, const char *name,
		      const plait__list *found, plait__text *out)
{
	const plait__list *wanted = &registry->wanted;
	plait__spelling_hint hint;
	char text[160];
	uint32_t i;

	plait__spelling_hint_init(&hint, name);
	for (i = 0; i < found->count; i++)
		plait__spelling_hint_add(&hint, found->names[i]);
	for (i = 0; i < OWN_BACKENDS; i++)
		plait__spelling_hint_add(&hint, own_backends[i]);
	(void)snprintf(text, sizeof(text), "%s: %s%s%s has no effect, there is "
		       "no plugin of this name%s",
		       registry->backends_setting.name,
		       wanted->excludes ? "^" : "", name,
		       wanted->excludes ? "" : "?",
		       plait__spelling_hint_text(&hint));
	plait__text_add(out, "note: %s\n", text);
	plait__log_line(registry->log, PLAIT_LOG_WARNING, "%s", text);
}

/* Names with a mark, ^ or ?, that are no error, but probably misspelt. */
static void write_name_notes(const plait__registry *registry, plait__text *out)
{
	const plait__list *wanted = &registry->wanted;
	const plait__candidate *candidate;
	plait__list found;
	uint32_t i;

	found.count = 0;
	for (i = 0; i < wanted->count; i++) {
		if (!wanted->excludes && !wanted->optional[i])
			continue;
		candidate = plait__candidate_find(registry, wanted->names[i]);
		if (candidate != NULL && candidate->loaded)
			continue;
		if (found.count == 0)
			find_names(registry, &found);
		if (!is_name_known(&found, wanted->names[i]))
			note_name(registry, wanted->names[i], &found, out);
	}
}

/* Plugins that could be named instead. */
static void write_alternatives(const plait__registry *registry,
			       plait__text *out)
{
	plait__list found;
	uint32_t i, count = 0;

	find_names(registry, &found);
	for (i = 0; i < found.count; i++)
		if (plait__candidate_find(registry, found.names[i]) == NULL)
			plait__text_add(out, "%s %s",
					count++ == 0 ? "hint: plugins that "
						       "are there too:"
						     : "",
					found.names[i]);
	if (count > 0)
		plait__text_add(out, "\n");
	else if (found.count == 0)
		plait__text_add(out, "hint: no plugins there; set "
				"PLAIT_PLUGIN_PATH to the folder that has "
				"plait_host.so\n");
}

static void note_variable(const plait__registry *registry, const char *text,
			  plait__text *out)
{
	plait__text_add(out, "note: %s\n", text);
	plait__log_line(registry->log, PLAIT_LOG_WARNING, "%s", text);
}

/* Variables with invalid values that are ignored, by the registry or by
 * other parts of the context; and variables with unknown names. */
static void write_variable_notes(const plait__registry *registry,
				 plait__text *out)
{
	char text[256];
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < PLAIT__ENV_NUMBERS; i++) {
		if (plait__env_is_strict(i) ||
		    !plait__env_describe_error(i, text, sizeof(text)))
			continue;
		note_variable(registry, text, out);
	}
	while (plait__env_describe_unknown(&at, text, sizeof(text)))
		note_variable(registry, text, out);
}

void plait__report_write_notes(plait__registry *registry, plait__text *out)
{
	uint64_t length;

	plait__text_add(out, "\n");
	length = out->length;
	write_variable_notes(registry, out);
	write_option_notes(registry, out);
	write_name_notes(registry, out);
	if (registry->failure.status != PLAIT_OK) {
		plait__text_add(out, "cannot be opened: %s\n",
				registry->failure.text);
		write_alternatives(registry, out);
	}
	if (out->length == length && length > 0)
		plait__text_cut(out, length - 1);
}
