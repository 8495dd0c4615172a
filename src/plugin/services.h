/* SPDX-License-Identifier: MIT */
/*
 * The table of host services that plugins call, and the record of the calling
 * plugin.
 */
#ifndef PLAIT_SRC_PLUGIN_SERVICES_H
#define PLAIT_SRC_PLUGIN_SERVICES_H

#include "plait/plugin.h"

#include "plugin/list.h"
#include "plugin/options.h"
#include "plugin/registry.h"

#include "base/log.h"
#include "sys/atomic.h"

/* One per open instance, including interposers; its pointers outlive it. */
struct plait_host {
	char name[PLAIT__NAME_BYTES];
	const plait_allocator *allocator;
	const plait__log *log;
	plait__options *options;
	plait__pool *pool; /* null: no lanes */
	at_u64 live_bytes; /* relaxed sum, read after the close */
	at_u32 out_of_memory; /* 1 after a failed allocation; read after open */
};

/* Returns the table, which is constant. */
const plait_host_services *plait__services_get(void);

#endif
