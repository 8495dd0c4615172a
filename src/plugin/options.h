/* SPDX-License-Identifier: MIT */
/*
 * Settings for backends: "backend:key=value,key=value;backend:...".  Plugins
 * ask for theirs by the `option` service; what nobody asked for is reported.
 */
#ifndef PLAIT_SRC_PLUGIN_OPTIONS_H
#define PLAIT_SRC_PLUGIN_OPTIONS_H

#include "plait/base.h"

#include "plugin/list.h"
#include "sys/atomic.h"
#include "sys/mutex.h"

typedef struct plait__option {
	const char *backend; /* these three point into plait__options.bytes */
	const char *key;
	const char *value;
	at_u32 asked; /* relaxed: a mark for the report, orders nothing */
	/* Of what its backend asked for without finding it, what is most like
	 * `key`, or "".  Guarded by `lock`. */
	char nearest[PLAIT__NAME_BYTES];
	unsigned distance; /* of that; UINT_MAX: there is none */
} plait__option;

typedef struct plait__options {
	const plait_allocator *allocator;
	char *bytes;
	uint64_t bytes_size;
	plait__option *items;
	uint32_t count;
	uint32_t capacity;
	struct plait__mutex lock;
} plait__options;

enum { PLAIT__OPTIONS_MAX_BYTES = 1 << 16 };

/*
 * Null and "" are none.  `setting` is who says so, for the error.
 * PLAIT_E_INVALID (it names the part that is wrong), PLAIT_E_NOMEM.
 */
plait_status plait__options_init(plait__options *options,
				 const plait_allocator *allocator,
				 const char *text, const char *setting,
				 plait_error *error);
void plait__options_fini(plait__options *options);

/* The value, or null; marks it as asked for.  Any thread. */
const char *plait__options_find(plait__options *options, const char *backend,
				const char *key);

/* ", perhaps "KEY"": what nobody asked for was perhaps meant to be; or "". */
enum { PLAIT__OPTION_HINT_BYTES = PLAIT__NAME_BYTES + 16 };
void plait__options_hint(plait__options *options, const plait__option *item,
			 char out[PLAIT__OPTION_HINT_BYTES]);

#endif
