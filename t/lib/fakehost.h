/* SPDX-License-Identifier: MIT */
/*
 * Fake host services for plugins, without the library: counted memory that can
 * fail, options, and a log that is kept.  Tests use them to call a plugin's
 * table directly.
 */
#ifndef FAKEHOST_H
#define FAKEHOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

typedef struct fakehost {
	pthread_mutex_t lock; /* guards the fields below */
	/* "seed=7 log=1": the text that the option service answers with */
	char options[1024];
	char value[512];
	/* Lines, each with a newline; lines that do not fit are dropped. */
	char log[1 << 16];
	size_t log_bytes;
	uint32_t errors; /* lines of level PLAIT_LOG_ERROR */
	uint64_t live_blocks;
	uint64_t live_bytes;
	uint64_t allocations;
	uint64_t fail_at; /* this allocation fails, counted from 1 */
	struct fakehost_block *blocks; /* live blocks */
} fakehost;

/* `options` is copied, so static storage is fine. */
void fakehost_init(fakehost *host, const char *options);
/* Also frees leaked blocks: a test that provokes a leak has counted it. */
void fakehost_fini(fakehost *host);
const plait_host_services *fakehost_services(void);

/* Returns the entry of plugins/plait_NAME.so of this build; null on failure. */
plait_plugin_entry_function fakehost_entry(const char *name);
/* Opens plugins/plait_NAME.so of this build; returns false on failure. */
bool fakehost_load(const char *name, plait_backend_table *table);
/* Opens a backend from a table that is loaded already. */
plait_status fakehost_open(fakehost *host, const plait_backend_table *table,
			   plait_backend **out, plait_error *error);

#endif
