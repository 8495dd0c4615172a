/* SPDX-License-Identifier: MIT */
/*
 * Buffers: memory of a device, memory of the user (wrap), or a byte range of
 * another buffer (view). The `root` owns the memory and all state; a view has
 * its offset and size only. Mappings are in buffer_map.c, overlap tests in
 * buffer_overlap.c.
 */
#ifndef PLAIT_SRC_OBJECT_MEMORY_BUFFER_H
#define PLAIT_SRC_OBJECT_MEMORY_BUFFER_H

#include "object/context/context.h"
#include "object/inbox/inbox_event.h"

typedef struct plait__buffer plait__buffer;

/* Least alignment of a temporary in its arena, and of arenas. */
enum { PLAIT__TEMPORARY_ALIGNMENT = 256 };

struct plait__mapping {
	struct plait__mapping *next;
	plait__buffer *buffer; /* the buffer it was made through */
	char *pointer;
	uint64_t offset; /* of the first byte, in the root */
	uint64_t bytes;
};

struct plait__buffer {
	plait__object object;
	plait__device *device;
	plait__buffer *root; /* the buffer itself; or held by the view */
	uint64_t offset;     /* in the root */
	uint64_t bytes;

	/* Root only. */
	plait_backend_memory *raw; /* null: no bytes */
	uint64_t taken_bytes;	   /* charged to the device's budget */
	char *wrapped;		   /* the user's memory, or null */
	uint64_t native;	   /* the wrapped native handle, or 0 */
	plait_image_format format; /* of an image, or NONE; see image.h */
	uint32_t width, height;	   /* of an image, in pixels */
	bool read_only;
	bool is_temporary;	   /* memory of plans: never any here */
	/* RELEASED event, posted when the root is destroyed, if the user gave an
	 * inbox; else null, and `released` is null or called at that time by the
	 * reclaim thread. */
	plait__inbox_event *released_event;
	plait_host_function released;
	void *user_data;
	/* Null, or called with its argument by the thread that drops the last hold,
	 * when nothing uses the memory any more. */
	void (*ended)(void *arg);
	void *ended_arg;
	plait__context_task task;
	struct plait__thread_guard guard; /* while `released` runs */
	struct plait__mutex map_lock; /* guards `mappings`; no lock inside */
	struct plait__mapping *mappings;
};

/* Also temporaries, which have no memory outside plans. */
static inline plait_status plait__buffer_enter_any(plait_buffer *handle,
						   plait__buffer **out,
						   plait_error *error)
{
	void *object;
	plait_status status = plait__handle_enter(handle, PLAIT_OBJECT_BUFFER,
						  &object, error);

	*out = object;
	return status;
}

/* Let a root that was just made end so. */
void plait__buffer_on_end(plait_buffer *handle, void (*ended)(void *arg),
			  void *arg);

/* Leave a temporary, which was entered for its memory: PLAIT_E_INVALID, and
 * null. */
plait_status plait__buffer_refuse_temporary(plait__buffer **buffer,
					    plait_error *error);

static inline plait_status plait__buffer_enter(plait_buffer *handle,
					       plait__buffer **out,
					       plait_error *error)
{
	plait_status status = plait__buffer_enter_any(handle, out, error);

	return status == PLAIT_OK && (*out)->root->is_temporary ?
		       plait__buffer_refuse_temporary(out, error) : status;
}

/* Create an internal buffer of a device; the caller gets the reference. May run
 * a reclaim, so the caller holds no lock that a destruction takes. */
plait_status plait__buffer_make(plait__device *device, uint64_t bytes,
				const char *label, plait__buffer **out,
				plait_error *error);

/* Returns true if two byte ranges, each inside its buffer, share memory. */
bool plait__buffer_overlap(const plait__buffer *one, uint64_t one_offset,
			   uint64_t one_bytes, const plait__buffer *other,
			   uint64_t other_offset, uint64_t other_bytes);

/* Returns true if these bytes of the host are in the range of the buffer, which
 * was wrapped or is mapped. */
bool plait__buffer_overlaps_host(const plait__buffer *buffer, uint64_t offset,
				 uint64_t bytes, const void *host,
				 uint64_t host_bytes);

/* As plait_buffer_map and plait_buffer_unmap, of a buffer that the caller
 * holds. */
plait_status plait__buffer_map_held(plait__buffer *buffer,
				    uint64_t offset_bytes, uint64_t bytes,
				    uint32_t flags, void **out_pointer,
				    plait_error *error);
plait_status plait__buffer_unmap_held(plait__buffer *buffer, void *pointer,
				      plait_error *error);

/* End the mappings that are left; the root is being destroyed. */
void plait__buffer_unmap_all(plait__buffer *root);

#endif
