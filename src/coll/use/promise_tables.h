/* SPDX-License-Identifier: MIT */
/* Promises of the caller, copied into the form of schedule.h. */
#ifndef PLAIT_SRC_COLL_USE_PROMISE_TABLES_H
#define PLAIT_SRC_COLL_USE_PROMISE_TABLES_H

#include "plait/schedule.h"

#include "coll/schedule/schedule.h"

typedef struct plait__promise_tables {
	const plait_allocator *allocator;
	plait__coll_promise *promises;
	plait__coll_source *sources;
	uint64_t promise_count, source_count;
} plait__promise_tables;

/* Read the caller's array, of elements of the first one's `size`; `allocator` is
 * set, the rest zero.  PLAIT_E_INVALID, PLAIT_E_NOMEM.  Free the tables also after a
 * failure. */
plait_status plait__promise_tables_read(plait__promise_tables *tables,
					const plait_coll_promise *promises,
					uint64_t count, plait_error *error);
void plait__promise_tables_free(plait__promise_tables *tables);

#endif
