/* SPDX-License-Identifier: MIT */
/*
 * Buffers: memory of a device, memory of the user (wrap), or a part of
 * another buffer (view).  Everything is kept by the whole, the `root`; a view
 * only knows where it starts.  Mapping is in buffer_map.c.
 */
#ifndef PLAIT_SRC_OBJECT_MEMORY_BUFFER_H
#define PLAIT_SRC_OBJECT_MEMORY_BUFFER_H

#include "object/context/context.h"
#include "object/inbox/inbox_event.h"

typedef struct plait__buffer plait__buffer;

struct plait__mapping {
	struct plait__mapping *next;
	plait__buffer *buffer; /* through which it was made */
	char *pointer;
	uint64_t offset; /* in the root, of the first byte */
	uint64_t bytes;
};

struct plait__buffer {
	plait__object object;
	plait__device *device;
	plait__buffer *root; /* itself, or held by the view */
	uint64_t offset;     /* in the root */
	uint64_t bytes;

	/* Of the root alone. */
	plait_backend_memory *raw; /* null when there are no bytes */
	uint64_t taken_bytes;	   /* of the device's budget */
	char *wrapped;		   /* the user's memory, or null */
	bool read_only;
	plait__inbox_event *notice;	   /* announces that it is not used any more */
	plait_host_function released; /* the same by a call */
	void *user_data;
	plait__context_task task;
	struct plait__thread_guard guard; /* while `released` runs */
	struct plait__mutex map_lock; /* guards `mappings`; a leaf */
	struct plait__mapping *mappings;
};

PLAIT__OBJECT_ENTER(buffer, PLAIT_OBJECT_BUFFER);

/* Do two ranges, both inside, share memory? */
bool plait__buffer_overlap(const plait__buffer *one, uint64_t one_offset,
			   uint64_t one_bytes, const plait__buffer *other,
			   uint64_t other_offset, uint64_t other_bytes);

/* Are these bytes of the host among those of the buffer, by wrapping or by a
 * map? */
bool plait__buffer_overlaps_host(const plait__buffer *buffer, uint64_t offset,
				 uint64_t bytes, const void *host,
				 uint64_t host_bytes);

/* The root ends: end all mappings that are left. */
void plait__buffer_unmap_all(plait__buffer *root);

#endif
