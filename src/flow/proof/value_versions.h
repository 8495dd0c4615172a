/* SPDX-License-Identifier: MIT */
/*
 * Versions of the values of one data: the newest, and those that each memory has.
 * A version is the number of the op that made the values; memory 0 begins with
 * version 0, the others with none.  Independent of what the flow knows of valid
 * values: it follows from the ops alone, in their order.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_PROOF_VALUE_VERSIONS_H
#define PLAIT_SRC_FLOW_PROOF_VALUE_VERSIONS_H

#include "flow/region/front_map.h"

/* No value. */
#define PLAIT__VALUE_VERSIONS_NONE UINT64_MAX

typedef struct plait__value_versions {
	uint32_t memories;
	plait__front_map maps[]; /* of the newest, then per memory: writers */
} plait__value_versions;

/* Elements whose version in a memory is not the newest. */
typedef struct plait__stale_values {
	plait_box box;
	uint64_t version;
	uint64_t newest;
} plait__stale_values;

/* Null without memory. */
plait__value_versions *
plait__value_versions_make(const plait_allocator *allocator,
			   const plait_box *whole, uint32_t memories);
/* Null is fine. */
void plait__value_versions_free(plait__value_versions *versions,
				const plait_allocator *allocator);

/* Returns true if the memory has the newest values of the box; else *out is some
 * elements for which it has not. */
bool plait__value_versions_are_newest(plait__value_versions *versions,
				      const plait_box *box, uint32_t memory,
				      plait__stale_values *out);

/* A new version is in one memory.  Returns false without memory, as the next
 * ones. */
bool plait__value_versions_write(plait__value_versions *versions,
				 const plait_box *box, uint32_t memory,
				 uint64_t version);

/* A memory loses its versions. */
bool plait__value_versions_drop(plait__value_versions *versions,
				const plait_box *box, uint32_t memory);

/* A memory gets the versions of another one. */
bool plait__value_versions_copy(plait__value_versions *versions,
				const plait_box *box, uint32_t from,
				uint32_t to);

#endif
