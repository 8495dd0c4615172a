/* SPDX-License-Identifier: MIT */
/*
 * Host services without a core, so that tests can drive a plugin's table
 * directly: memory that is counted and can fail, options, a log that is kept.
 */
#ifndef FAKEHOST_H
#define FAKEHOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

typedef struct fakehost {
	pthread_mutex_t lock; /* guards all below */
	/* "seed=7 log=1": what the option service answers. */
	char options[1024];
	char value[512];
	/* Lines, each with a newline; what does not fit is dropped. */
	char log[1 << 16];
	size_t log_bytes;
	uint32_t errors; /* lines of level PLAIT_LOG_ERROR */
	uint64_t live_blocks;
	uint64_t live_bytes;
	uint64_t allocations;
	uint64_t fail_at; /* this allocation fails, counted from 1 */
	struct fakehost_block *blocks; /* live ones */
} fakehost;

/* Static storage is fine: `options` is copied. */
void fakehost_init(fakehost *host, const char *options);
/* Also frees what leaked: a test that provokes a leak has counted it. */
void fakehost_fini(fakehost *host);
const plait_host_services *fakehost_services(void);

/* The entry of plugins/plait_NAME.so of this build; null when that fails. */
plait_plugin_entry_function fakehost_entry(const char *name);
/* Open plugins/plait_NAME.so of this build; false when that fails. */
bool fakehost_load(const char *name, plait_backend_table *table);
/* The same, from an open table. */
plait_status fakehost_open(fakehost *host, const plait_backend_table *table,
			   plait_backend **out, plait_error *error);

#endif
