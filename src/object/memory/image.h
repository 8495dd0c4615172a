/* SPDX-License-Identifier: MIT */
/*
 * Images: buffers with a format.  Their bytes are their rows, one after the
 * other, wherever a range of bytes is meant; the device has its own layout.
 * An image is its own root: there are no views of images.
 */
#ifndef PLAIT_SRC_OBJECT_MEMORY_IMAGE_H
#define PLAIT_SRC_OBJECT_MEMORY_IMAGE_H

#include "kernel/signature.h"
#include "object/memory/buffer.h"

static inline bool plait__image_is(const plait__buffer *buffer)
{
	return buffer->format != PLAIT_IMAGE_NONE;
}

/* Check a descriptor with a format, and set its `bytes`.  PLAIT_E_INVALID,
 * PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM. */
plait_status plait__image_check_desc(const plait__device *device,
				     plait_buffer_desc *desc,
				     plait_error *error);

/* PLAIT_E_UNSUPPORTED if the buffer is an image; `what` is an infinitive that
 * follows "cannot": "be mapped". */
plait_status plait__image_refuse(const plait__buffer *buffer, const char *what,
				 plait_error *error);

/* Returns false for an image that the host cannot address: one of another
 * device than the host. */
bool plait__image_has_address(const plait__buffer *buffer);

/* PLAIT_E_UNSUPPORTED for such an image. */
plait_status plait__image_check_address(const plait__buffer *buffer,
					plait_error *error);

/* Check that a range of an image is whole rows; of other buffers any is. */
plait_status plait__image_check_rows(const plait__buffer *buffer,
				     uint64_t offset, uint64_t bytes,
				     plait_error *error);

/* Check both sides of a copy, with the ranges of `bytes`; a null side is memory
 * of the program, or unknown yet.  `strided`: there are gaps between rows. */
plait_status plait__image_check_copy(const plait__buffer *target,
				     uint64_t target_offset,
				     const plait__buffer *source,
				     uint64_t source_offset, uint64_t bytes,
				     bool strided, plait_error *error);

/* Return the error of a buffer as an argument, from an offset on, or null:
 * parameters for images take whole images, the others buffers.  A null buffer is
 * memory without an object. */
const char *plait__image_argument_fault(const plait__parameter *parameter,
					const plait__buffer *buffer,
					uint64_t offset);

#endif
