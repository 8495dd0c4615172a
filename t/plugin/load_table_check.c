/* SPDX-License-Identifier: MIT */
/*
 * Plugins that lie: each of t/plugin/bad commits one sin, and opening it must
 * fail with an error that names the plugin and the sin, and close again
 * cleanly.
 */
#include "lib/tap.h"

#include "lib/plugin_rig.h"
#include "lib/unwrapped.h"

#include "base/alloc.h"
#include "plugin/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plugins of t/plugin/bad, and a part of the text about each. */
static const struct {
	const char *name, *sin;
} cases[] = {
	{ "noentry", "does not export plait_plugin_entry" },
	{ "unresolved", "unresolved: undefined symbol: "
			"plait_symbol_of_nobody" },
	{ "positive", "its entry returned 12345" },
	{ "unknown", "its entry returned -4711" },
	{ "silent", "its entry failed (PLAIT_E_FAILED) without "
		    "saying why" },
	{ "endless", "xxxxxxxx" },
	{ "behind", "its entry wrote past the" },
	{ "toolong", "says it filled" },
	{ "tooshort", "its table has 40 bytes" },
	{ "toonew", "too new; supports interface 7 to 9" },
	{ "tooold", "too old; supports interface 0 to 0" },
	{ "outside", "chose interface 3" },
	{ "othername", "says its name is 'good'" },
	{ "noname", "its name has no NUL" },
	{ "bell", "its vendor has a control character" },
	{ "sanitizer", "sanitizer, this process with" },
	{ "pointers", "built for pointers of" },
	{ "flags", "flags 0x100000 are not known" },
	{ "noslot", "slot queue_submit is mandatory and null" },
	{ "frozen", "slot signal_wait is mandatory and null" },
	{ "wildslot", "slot signal_poll points to 0x1111" },
	{ "halfmap", "memory_map and memory_unmap go together" },
	{ "wrapslot", "has slot wrap, but not the flag" },
	{ "nowrap", "slot wrap is mandatory for an interposer" },
	{ "halfport", "has slot port_close, but not peer_query" },
	{ "noport", "slot port_open is mandatory for a transport" },
	{ "both", "the flags of an interposer and of a transport" },
	{ "nothing", "open succeeded without returning an instance" },
	{ "maybe", "open returned 1, which is not a valid status" },
	{ "absent", "libabsent.so.1: no such file" },
	{ "wordy", "open wrote past the 256 bytes of the error" },
	{ "nodevice", "says it has 0 devices" },
	{ "crowd", "says it has 4294967295 devices" },
	{ "idle", "device 0 runs 0 commands at a time" },
	{ "crooked", "device 0 aligns to 48 bytes" },
	{ "speech", "description of device 0 has no NUL" },
	{ "notify", "slot signal_notify is null" },
	{ "homely", "says that it is the host, but has capabilities" },
	{ "overrun", "device_query wrote past the" },
};

static void sins_are_told(void)
{
	char prefix[64];
	size_t i;

	for (i = 0; i < TAP_COUNT(cases); i++) {
		const char *name = cases[i].name;

		IS_INT(rig_try(rig_bad_folder(), name), PLAIT_E_UNAVAILABLE);
		HAS_STR(rig_error.text, cases[i].sin);
		snprintf(prefix, sizeof(prefix), "plugin %s: ", name);
		if (strcmp(name, "absent") == 0)
			strcpy(prefix, "absent: ");
		OK_THAT(strncmp(rig_error.text, prefix, strlen(prefix)) == 0,
			"%s names itself: %s", name, rig_error.text);
		HAS_STR(rig_detail, cases[i].sin);
		HAS_STR(rig_detail, rig_file(rig_bad_folder(), name));
	}
}

static void others_are_fine(void)
{
	static const char *const names[] = { "good", "good2", "shy", "older",
					     "newer", "fussy", "hungry" };
	plait__registry *registry;
	plait__backend *backend;
	size_t i;

	for (i = 0; i < TAP_COUNT(names); i++) {
		registry = rig_open(rig_bad_folder(), names[i], NULL, NULL);
		OK_THAT(registry != NULL, "%s opens: %s", names[i],
			rig_error.text);
		if (registry == NULL)
			continue;
		IS_UINT(plait__registry_count(registry), 1);
		backend = plait__registry_backend(registry, 0);
		IS_STR(backend->name, names[i]);
		IS_UINT(backend->device_count, 1);
		IS_STR(backend->devices[0].description, "does nothing");
		IS_UINT(backend->table.size, sizeof(plait_backend_table));
		plait__registry_close(registry);
	}
}

/* Slots that a plugin left out answer, and say which they are. */
static void missing_slots_answer(void)
{
	plait__registry *registry =
		rig_open(rig_bad_folder(), "older", NULL, NULL);
	plait_error error = { .size = sizeof(error) };
	const plait_backend_table *table;
	plait_backend *self;
	void *pointer = &error;

	if (!OK(registry != NULL))
		return;
	table = &plait__registry_backend(registry, 0)->table;
	self = plait__registry_backend(registry, 0)->self;
	IS_INT(table->memory_map(self, NULL, 0, 1, 0, &pointer, &error),
	       PLAIT_E_UNSUPPORTED);
	IS_PTR(pointer, NULL);
	HAS_STR(error.text, "memory_map");
	IS_INT(table->memory_unmap(self, NULL, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "memory_unmap");
	IS_INT(table->queue_flush(self, NULL, &error), PLAIT_OK);
	IS_INT(table->signal_notify(self, NULL, NULL, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "signal_notify");
	IS_INT(table->signal_raise(self, NULL, NULL, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "signal_raise");
	IS_INT(table->pump(self, &error), PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "pump");
	IS_INT(table->wrap(NULL, NULL, NULL, NULL, (plait_backend **)&pointer,
			   &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "wrap");
	plait__registry_close(registry);
}

/* Only a sum of all shows this: one bad neighbour spoils nothing. */
static void liars_do_not_hurt_others(void)
{
	plait__registry *registry = rig_open(rig_bad_folder(), NULL, NULL, NULL);
	const char *report;

	if (!OK(registry != NULL))
		return;
	/* good, good2, older, newer, empty, fussy, hungry; best first, then
	 * by name */
	IS_UINT(plait__registry_count(registry), 7);
	IS_STR(plait__registry_backend(registry, 0)->name, "good2");
	IS_STR(plait__registry_backend(registry, 1)->name, "empty");
	report = plait__registry_report(registry);
	HAS_STR(report, "shy: not chosen: it is used only when named");
	HAS_STR(report, "inner: no backend but an interposer");
	HAS_STR(report, "crowd: rejected: plugin crowd: says it has");
	HAS_STR(report, "good2: chosen, number 1");
	HAS_STR(report, "good2:0: does nothing; 1 at a time");
	HAS_STR(report, "version 1.0 by tests, plugin ABI 1, priority 7");
	plait__registry_close(registry);
}

static void kept_memory_is_told(void)
{
	(void)rig_logged();
	rig_try(rig_bad_folder(), "hungry");
	IS_INT(rig_error.status, PLAIT_OK);
	HAS_STR(rig_logged(), "warning: plugin hungry: closed, but 100 bytes");
}

static bool run(const char *command)
{
	int status = system(command);

	if (status != 0)
		NOTE("%s: %d", command, status);
	return status == 0;
}

/* An entry of another library does not count. */
static void entry_must_be_its_own(void)
{
	const char *folder = rig_folder();
	const char *cc = getenv("CC");
	char command[4096];

	if (cc == NULL || strcmp(getenv("PLAIT_SANITIZER") != NULL
				 ? getenv("PLAIT_SANITIZER") : "no", "no") != 0) {
		SKIP("no plain compiler");
		return;
	}
	snprintf(command, sizeof(command),
		 "cd %s && echo 'int other;' > other.c && umask 022 && "
		 "%s -shared -fPIC -o plait_borrowed.so other.c "
		 "-Wl,--no-as-needed -Wl,-rpath,%.1000s %.1000s/plait_good.so",
		 folder, cc, rig_bad_folder(), rig_bad_folder());
	if (!run(command)) {
		SKIP("nothing could be compiled");
		return;
	}
	IS_INT(rig_try(folder, "borrowed"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text,
		"plugin borrowed: its plait_plugin_entry comes from another");
}

/* The runtime of a sanitizer would end this process: refused unmapped. */
static void foreign_sanitizer_is_refused(void)
{
	const char *kind = getenv("PLAIT_SANITIZER");
	const char *folder = rig_folder();
	char command[4096];

	if (kind != NULL && strcmp(kind, "no") != 0) {
		SKIP("this process has a sanitizer");
		return;
	}
	snprintf(command, sizeof(command),
		 "cd %s && umask 022 && echo 'int nothing;' > a.c && "
		 "gcc -shared -fPIC -fsanitize=address -o plait_asan.so a.c "
		 "2>/dev/null && gcc -shared -fPIC -fsanitize=thread "
		 "-o plait_tsan.so a.c 2>/dev/null", folder);
	if (!run(command)) {
		SKIP("no gcc with sanitizers");
		return;
	}
	IS_INT(rig_try(folder, "asan"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin asan: built with the address sanitizer");
	IS_INT(rig_try(folder, "tsan"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin tsan: built with the thread sanitizer");
}

/* Results of slots, checked to be a status; random results never pass. */
static void garbage_is_judged(void)
{
	plait_error error;
	uint64_t seed = tap_seed();
	int i, wrong = 0;

	for (i = 0; i < 10000; i++) {
		plait_status answer, judged;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		answer = (plait_status)(seed >> 32);
		memset(&error, (int)(seed >> 56), sizeof(error));
		judged = plait__load_check_status(answer, "x", "open", &error);
		if (judged != PLAIT_OK && judged != answer &&
		    judged != PLAIT_E_INTERNAL)
			wrong++;
		if (judged == PLAIT_OK && answer != PLAIT_OK)
			wrong++;
		if (memchr(error.text, '\0', sizeof(error.text)) == NULL)
			wrong++;
		if (judged != PLAIT_OK && error.status != judged &&
		    error.size == sizeof(error))
			wrong++;
	}
	IS_INT(wrong, 0);
}

static const struct tap_scenario all[] = {
	{ "sins_are_told", sins_are_told },
	{ "others_are_fine", others_are_fine },
	{ "missing_slots_answer", missing_slots_answer },
	{ "liars_do_not_hurt_others", liars_do_not_hurt_others },
	{ "kept_memory_is_told", kept_memory_is_told },
	{ "entry_must_be_its_own", entry_must_be_its_own },
	{ "foreign_sanitizer_is_refused", foreign_sanitizer_is_refused },
	{ "garbage_is_judged", garbage_is_judged },
};

TAP_MAIN(all)
