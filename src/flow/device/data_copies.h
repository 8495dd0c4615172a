/* SPDX-License-Identifier: MIT */
/*
 * Copies of one data in the memories of devices: per element, the memories that
 * have its newest value; per memory, the fronts, and a block with what tasks there
 * need, from the first use there on.  Memory 0 is that of the program, whose fronts
 * are the data's own.  Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DATA_COPIES_H
#define PLAIT_SRC_FLOW_DEVICE_DATA_COPIES_H

#include "flow/device/device_block.h"
#include "flow/memory/coherence.h"
#include "flow/memory/reuse.h"
#include "flow/region/front_map.h"

typedef struct plait__data_copy {
	plait__front_map map;
	plait__device_block block; /* has what is valid in the memory */
	/* Null; or a larger block, which nothing uses yet. */
	plait__block_growth *growth;
	uint32_t growths; /* blocks that replaced smaller ones */
	/* Of `request`: the box that its task needs, and the block to be made,
	 * or one of no bytes. */
	plait_box need;
	plait__device_block plan;
	plait__reuse reuse;    /* by launches in the memory */
	uint64_t request;      /* of room: the newest one that uses it, */
	uint64_t skipped;      /* or that does not wait for its tasks */
	uint64_t mapped; /* the newest op whose host code maps the buffer */
	uint32_t pins; /* captures and repetitions with nodes that use it */
	uint64_t saved_bytes;  /* copied to the program's since the last eviction */
	/* That nodes of the open capture name in place of the block's; or null. */
	plait_buffer *captured;
	uint64_t advised; /* clock of the newest prefetch that was asked for */
} plait__data_copy;

typedef struct plait__data_copies {
	/* The writer is the low half of the number of an op, 0: one that has
	 * succeeded.  A copy has the values of one writer: it fails with it. */
	plait__coherence coherence;
	uint32_t forget_at; /* versions */
	uint32_t count;
	bool is_line; /* of one dimension */
	bool is_plain; /* a kernel on a device got a pointer to it alone */
	bool is_kept; /* records of launches that are kept may have had a buffer */
	bool is_sized; /* `bound` is what a task needs, while its bytes are counted */
	plait_box bound;
	plait__data_copy items[]; /* per memory but the program's */
} plait__data_copies;

/* The program has the values of all elements.  Null without memory. */
plait__data_copies *plait__data_copies_make(const plait_allocator *allocator,
					    const plait_box *whole,
					    uint32_t count);
/* Null is fine.  Caller holds no lock: buffers end. */
void plait__data_copies_free(plait__data_copies *copies,
			     const plait_allocator *allocator);

/* Make room for that many changes of valid elements, which cannot fail then.
 * Returns false without memory, or if there was none before: the valid elements
 * are not known any more. */
bool plait__data_copies_reserve(plait__data_copies *copies, uint32_t changes);

/* If there are many versions, forget the writers that have succeeded. */
void plait__data_copies_forget(plait__data_copies *copies,
			       bool (*has_succeeded)(void *arg,
						     uint32_t writer),
			       void *arg);

/* A memory lacks what op `number` was to copy there; `map` has its fronts.  Values that
 * no other memory has stay, as poison: those of others were dropped meanwhile. */
void plait__data_copies_lose(plait__data_copies *copies, plait__front_map *map,
			     const plait_box *box, uint32_t memory,
			     uint64_t number);

/* Call `visit` for the fronts in all memories but the program's; null is fine. */
void plait__data_copies_visit(plait__data_copies *copies,
			      plait__front_visit visit, void *arg);

/* Copy of memory 1 and above. */
static inline plait__data_copy *
plait__data_copies_at(plait__data_copies *copies, uint32_t memory)
{
	return &copies->items[memory - 1];
}

#endif
