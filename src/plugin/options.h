/* SPDX-License-Identifier: MIT */
/*
 * Options of backends: "backend:key=value,key=value;backend:...". Plugins query
 * theirs by the `option` service; options that no plugin queried are reported.
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
	at_u32 queried; /* relaxed: a mark for the report */
	/* The key most similar to `key` among those that the backend queried
	 * and that are not set, or "". Guarded by `lock`. */
	char nearest[PLAIT__NAME_BYTES];
	unsigned distance; /* of `nearest`; UINT_MAX: none */
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

/* Parse options; null and "" are none. `setting` names the source in errors.
 * PLAIT_E_INVALID (the text names the wrong part), PLAIT_E_NOMEM. */
plait_status plait__options_init(plait__options *options,
				 const plait_allocator *allocator,
				 const char *text, const char *setting,
				 plait_error *error);
void plait__options_fini(plait__options *options);

/* Returns the value or null, and marks the option as queried. Any thread. */
const char *plait__options_find(plait__options *options, const char *backend,
				const char *key);

/* Write ", perhaps "KEY"", the likely meaning of an option that was not
 * queried; or "". */
enum { PLAIT__OPTION_HINT_BYTES = PLAIT__NAME_BYTES + 16 };
void plait__options_hint(plait__options *options, const plait__option *item,
			 char out[PLAIT__OPTION_HINT_BYTES]);

#endif
