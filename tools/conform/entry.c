/* SPDX-License-Identifier: MIT */
/*
 * L1: the plugin's entry, called as older and newer cores would call it.  The
 * only check that loads the plugin's file itself.
 */
#include "conform.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plugin.h"

enum { CANARY = 0x5a, BEHIND = 256 };

void conform_negotiate(struct conform *c);

/* A table with space and canaries after it. */
struct room {
	plait_backend_table table;
	unsigned char behind[BEHIND];
};

static atomic_int service_calls;

static plait_status fail(plait_error *error, plait_status status,
			 int64_t origin, const char *text)
{
	error->status = status;
	error->origin = origin;
	snprintf(error->text, sizeof(error->text), "%s", text ? text : "");
	return status;
}

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)host;
	(void)old_bytes;
	atomic_fetch_add(&service_calls, 1);
	if (new_bytes > 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static void log_line(plait_host *host, int32_t level, const char *line)
{
	(void)host;
	(void)level;
	(void)line;
}

static uint64_t clock_ns(plait_host *host)
{
	(void)host;
	return conform_now_ns();
}

static const char *option(plait_host *host, const char *key)
{
	(void)host;
	(void)key;
	atomic_fetch_add(&service_calls, 1);
	return NULL;
}

/* Call the entry with a table of `bytes`, as a core of ABI `low` to `high`. */
static plait_status enter(struct conform *c, plait_plugin_entry_function entry,
			  struct room *room, uint32_t bytes, uint32_t low,
			  uint32_t high)
{
	plait_host_services services = {
		.size = sizeof(services), .abi_min = low, .abi_max = high,
		.resize = resize, .log = log_line, .fail = fail,
		.clock_ns = clock_ns, .option = option,
	};
	const unsigned char *raw = (const unsigned char *)room;
	plait_status status;
	bool whole = true;

	memset(room, 0, sizeof(*room));
	memset((unsigned char *)room + bytes, CANARY, sizeof(*room) - bytes);
	room->table.size = bytes;
	status = entry(&services, &room->table, ERR);
	for (size_t i = bytes; i < sizeof(*room); i++)
		whole = whole && raw[i] == CANARY;
	HOLDS_THAT(whole, "a table of %u bytes is not written behind", bytes);
	return status;
}

static void check_identity(struct conform *c, const plait_backend_table *t)
{
	HOLDS(t->abi >= 1 && t->abi <= PLAIT_PLUGIN_ABI);
	HOLDS(t->abi_min <= t->abi && t->abi <= t->abi_max);
	HOLDS(t->pointer_bytes == sizeof(void *));
	HOLDS(memchr(t->name, 0, sizeof(t->name)) != NULL);
	HOLDS(memchr(t->vendor, 0, sizeof(t->vendor)) != NULL);
	HOLDS(memchr(t->version, 0, sizeof(t->version)) != NULL);
	HOLDS(strcmp(t->name, c->backend) == 0);
	HOLDS(t->version[0] != 0);
}

static void check_slots(struct conform *c, const plait_backend_table *t)
{
	HOLDS(t->size >= offsetof(plait_backend_table, wrap));
	HOLDS(t->open && t->close && t->device_count && t->device_query);
	HOLDS(t->memory_create && t->memory_destroy);
	HOLDS(t->queue_create && t->queue_destroy && t->queue_submit);
	HOLDS(t->queue_recover != NULL);
	HOLDS(t->signal_create && t->signal_destroy && t->signal_poll);
	HOLDS(t->signal_wait && t->signal_reset);
	HOLDS(!(t->flags & PLAIT_PLUGIN_INTERPOSER));
}

static void negotiate(struct conform *c, plait_plugin_entry_function entry)
{
	const uint32_t own = sizeof(plait_backend_table);
	const uint32_t shorter = offsetof(plait_backend_table, pump);
	struct room room;
	plait_status status;

	GIVES(enter(c, entry, &room, own, 1, PLAIT_PLUGIN_ABI), PLAIT_OK);
	check_identity(c, &room.table);
	check_slots(c, &room.table);
	HOLDS(room.table.size <= own);
	/* A newer core: longer tables, more interfaces. */
	GIVES(enter(c, entry, &room, own + 64, 1, 1000), PLAIT_OK);
	check_identity(c, &room.table);
	HOLDS(room.table.size <= own + 64);
	/* An older core: a shorter table. */
	status = enter(c, entry, &room, shorter, 1, PLAIT_PLUGIN_ABI);
	if (status != PLAIT_E_UNSUPPORTED)
		GIVES(status, PLAIT_OK);
	if (status == PLAIT_OK)
		HOLDS(room.table.size <= shorter);
	/* Cores without a common ABI. */
	GIVES(enter(c, entry, &room, own, 100000, 100001),
	      PLAIT_E_UNSUPPORTED);
	GIVES(enter(c, entry, &room, own, 0, 0), PLAIT_E_UNSUPPORTED);
}

void conform_negotiate(struct conform *c)
{
	struct conform_process start, before, after;
	plait_plugin_entry_function entry = NULL;
	char path[CONFORM_PATH];
	void *object, *symbol;

	/* Open once before, since drivers keep some threads forever. */
	if (!conform_find_file(c, path))
		conform_skip(c, "the backend has no file of its own");
	conform_look(&start);
	HOLDS(conform_find_file(c, path));
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!HOLDS_THAT(object != NULL, "dlopen works: %s", dlerror()))
		return;
	symbol = dlsym(object, PLAIT_PLUGIN_ENTRY_NAME);
	if (HOLDS(symbol != NULL)) {
		memcpy(&entry, &symbol, sizeof(entry));
		/* A joined thread may be visible a moment longer; a thread of
		 * a sanitizer stays. */
		if (conform_sanitized())
			conform_look(&before);
		else
			conform_settle(&start, &before);
		negotiate(c, entry);
		conform_look(&after);
		HOLDS_THAT(after.threads <= before.threads &&
			   after.descriptors <= before.descriptors &&
			   atomic_load(&service_calls) == 0,
			   "the entry only describes: no threads, files, "
			   "memory, settings");
	}
	dlclose(object);
}
