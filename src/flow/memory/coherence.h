/* SPDX-License-Identifier: MIT */
/*
 * Coherence of one data: for each element, the memories that have its newest
 * value, and the task that wrote it.  Disjoint boxes, each with one such state;
 * boxes with equal states are joined again when there are twice as many as
 * after the last time.  Pure.
 *
 * A change without memory leaves the state incomplete, and says so in `failed`;
 * it needs none if `versions` has room for what it cuts.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_COHERENCE_H
#define PLAIT_SRC_FLOW_MEMORY_COHERENCE_H

#include "flow/memory/box_list.h"

typedef struct plait__version {
	plait_box box;
	uint64_t valid;	 /* bit per memory; none: nothing wrote it */
	uint32_t writer; /* index of the task + 1; 0: none */
	uint32_t memory; /* where the value was written */
} plait__version;

typedef struct plait__coherence {
	plait__vector versions;
	uint32_t join_at;
	bool failed;
} plait__coherence;

/* Begin with values in the memories of `valid`, for all elements. */
void plait__coherence_init(plait__coherence *coherence,
			   const plait_allocator *allocator,
			   const plait_box *whole, uint64_t valid);
void plait__coherence_fini(plait__coherence *coherence);

/* The box gets new values in one memory; no other has them. */
void plait__coherence_write(plait__coherence *coherence, const plait_box *box,
			    uint32_t writer, uint32_t memory);

/* The box gets the values of `version`, in the memories of its `valid`. */
void plait__coherence_set(plait__coherence *coherence,
			  const plait__version *version);

/* A memory gets the newest values of a box. */
void plait__coherence_add(plait__coherence *coherence, const plait_box *box,
			  uint32_t memory);

/* A memory loses the values of a box. */
void plait__coherence_drop(plait__coherence *coherence, const plait_box *box,
			   uint32_t memory);

/* The same where other memories have the values; else they stay. */
void plait__coherence_lose(plait__coherence *coherence, const plait_box *box,
			   uint32_t memory);

/* The same without memory: of all elements of each version that the box meets. */
void plait__coherence_drop_around(plait__coherence *coherence,
				  const plait_box *box, uint32_t memory);

/* Append the parts of a box that are valid in `memory`, or those that are not;
 * `out` has plait__version, joined.  Returns false if `out` could not grow: it
 * lacks parts then, and the state is as it was. */
bool plait__coherence_find(const plait__coherence *coherence,
			   const plait_box *box, uint32_t memory, bool valid,
			   plait__vector *out);

/* Make neighbours in a list of plait__version with equal states one. */
void plait__coherence_join(plait__vector *versions);

/* Returns the number of elements of a box that have a value, but not in
 * `memory`. */
uint64_t plait__coherence_missing(const plait__coherence *coherence,
				  const plait_box *box, uint32_t memory);

#endif
