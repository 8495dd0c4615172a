/* SPDX-License-Identifier: MIT */
/* Memory of a collective: buffers of the caller, temporaries, devices. */
#ifndef PLAIT_SRC_COLL_USE_COLLECTIVE_MEMORY_H
#define PLAIT_SRC_COLL_USE_COLLECTIVE_MEMORY_H

#include "plait/collective.h"

#include "coll/merge/merge.h"

/* The caller sets all before `devices`; the rest is zero. */
typedef struct plait__collective_memory {
	const plait__schedule *schedule;
	const plait_collective_desc *desc;
	plait_context *context;
	const plait_allocator *allocator;
	plait_error *error;
	uint32_t element_bytes;
	plait_device **devices;	/* by rank, borrowed */
	uint32_t *memories;	/* by rank: the first rank of that device */
	plait_buffer **temporaries; /* one reference each */
	uint32_t temporary_count;
} plait__collective_memory;

/* Check the buffers and find the devices: those of the descriptor, else of the
 * buffers, else the context's first.  PLAIT_E_INVALID, PLAIT_E_HANDLE,
 * PLAIT_E_NOMEM.  Close also after a failure. */
plait_status plait__collective_memory_open(plait__collective_memory *memory);

/* Create the temporaries of a merge. */
plait_status
plait__collective_memory_allocate(plait__collective_memory *memory,
				  const plait__merge *merge);

/* Release the temporaries, and free the tables. */
void plait__collective_memory_close(plait__collective_memory *memory);

/* Find the buffer of a place, borrowed; null, without an error, where a run binds
 * it.  PLAIT_E_INVALID: the caller gave none. */
plait_status plait__collective_memory_find(plait__collective_memory *memory,
					   const plait__merge_place *place,
					   plait_buffer **out);

/* Write the name of the parameter for a place. */
void plait__collective_memory_name(const plait__collective_memory *memory,
				   const plait__merge_place *place,
				   char room[16]);

#endif
