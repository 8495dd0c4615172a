/* SPDX-License-Identifier: MIT */
/* The host's side of the table: what a plugin may call, and on whose behalf. */
#ifndef PLAIT_SRC_PLUGIN_SERVICES_H
#define PLAIT_SRC_PLUGIN_SERVICES_H

#include "plait/plugin.h"

#include "plugin/list.h"
#include "plugin/options.h"
#include "plugin/registry.h"

#include "base/log.h"
#include "sys/atomic.h"

/* One per open instance, interposers too; what it points to lives longer. */
struct plait_host {
	char name[PLAIT__NAME_BYTES];
	const plait_allocator *allocator;
	const plait__log *log;
	plait__options *options;
	plait__pool *pool; /* null: no lanes */
	at_u64 live_bytes; /* relaxed sum, read when all is closed */
	at_u32 starved;    /* 1 once memory ran out; read after open */
};

/* The one table, never changes. */
const plait_host_services *plait__services_get(void);

#endif
