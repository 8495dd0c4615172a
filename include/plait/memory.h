/* SPDX-License-Identifier: MIT */
/*
 * plait/memory.h - memory and images in the interface of backends; included by
 * plait/plugin.h, which has the rules.
 *
 * Example: the bytes that a backend on the host allocates.
 *
 *     static uint64_t block_bytes(const plait_memory_request *request)
 *     {
 *             uint64_t head = 0;
 *
 *             if (request->flags & PLAIT_MEMORY_IMAGE)
 *                     head = sizeof(plait_image_head);
 *             return head + request->bytes;
 *     }
 */
#ifndef PLAIT_MEMORY_H
#define PLAIT_MEMORY_H

#include "plait/image.h"
#include "plait/native.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of plait_memory_request. */
typedef uint32_t plait_memory_flags;
enum {
	/* `pointer` is application memory: use it, do not allocate. */
	PLAIT_MEMORY_WRAP = 1 << 0,
	/* PLAIT_CAP_NATIVE: the same for `native`, which lives longer. */
	PLAIT_MEMORY_NATIVE = 1 << 1,
	/* PLAIT_CAP_IMAGE: an image; neither of the above. */
	PLAIT_MEMORY_IMAGE = 1 << 2
};

typedef struct plait_memory_request {
	uint32_t size;
	plait_memory_flags flags;
	uint64_t bytes; /* IMAGE: of all rows, without gaps */
	uint64_t alignment_bytes;
	void *pointer;
	plait_native_kind native_kind;
	/* IMAGE; PLAIT_E_UNSUPPORTED if the device lacks the format or the
	 * size.  Else 0. */
	plait_image_format format;
	uint64_t native;
	uint32_t width;
	uint32_t height;
} plait_memory_request;

/*
 * Head of an image in memory of the host, directly before the first pixel: C
 * that the core translates from portable source finds it there.
 */
typedef struct plait_image_head {
	uint32_t size;
	plait_image_format format;
	uint32_t width;
	uint32_t height;
} plait_image_head;

#ifdef __cplusplus
}
#endif

#endif
