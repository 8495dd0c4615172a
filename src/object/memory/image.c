/* SPDX-License-Identifier: MIT */
/* Images: descriptors, and the rules of their use; see image.h. */
#include "object/memory/image.h"

#include "object/context/device.h"

#include "base/error.h"

/* Returns 0 for a format that is not known. */
static uint64_t pixel_bytes(plait_image_format format)
{
	switch (format) {
	case PLAIT_IMAGE_R32F:
	case PLAIT_IMAGE_RGBA8:
		return 4;
	case PLAIT_IMAGE_RGBA32F:
		return 16;
	default:
		return 0;
	}
}

static uint64_t row_bytes(const plait__buffer *image)
{
	return image->width * pixel_bytes(image->format);
}

/* ---- descriptors ---- */

plait_status plait__image_check_desc(const plait__device *device,
				     plait_buffer_desc *desc,
				     plait_error *error)
{
	uint64_t pixel = pixel_bytes(desc->format);

	if (pixel == 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_buffer_desc: format %u is not known",
				   (unsigned)desc->format);
	if (desc->width == 0 || desc->height == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_buffer_desc: an image of %u x %u "
				   "pixels", (unsigned)desc->width,
				   (unsigned)desc->height);
	if (desc->bytes != 0 || desc->alignment_bytes != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_buffer_desc: an image has width and "
				   "height; set bytes and alignment_bytes to 0");
	if ((desc->flags & PLAIT_BUFFER_TEMPORARY) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_buffer_desc: an image cannot be a "
				   "temporary");
	if (__builtin_mul_overflow((uint64_t)desc->width * desc->height,
				   pixel, &desc->bytes) ||
	    desc->bytes > INT64_MAX)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "an image of %u x %u pixels is larger than "
				   "any memory", (unsigned)desc->width,
				   (unsigned)desc->height);
	return plait__device_check_can(device, PLAIT_CAP_IMAGE, "make images",
				       error);
}

/* ---- commands ---- */

plait_status plait__image_refuse(const plait__buffer *buffer, const char *what,
				 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (!plait__image_is(buffer))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s is an image and cannot %s",
			   plait__object_name(&buffer->object, room), what);
}

bool plait__image_has_address(const plait__buffer *buffer)
{
	return !plait__image_is(buffer) || plait__device_is_host(buffer->device);
}

plait_status plait__image_check_address(const plait__buffer *buffer,
					plait_error *error)
{
	if (plait__image_has_address(buffer))
		return PLAIT_OK;
	return plait__image_refuse(buffer, "be used by the host; copy it to a "
				   "buffer of its own backend", error);
}

plait_status plait__image_check_rows(const plait__buffer *buffer,
				     uint64_t offset, uint64_t bytes,
				     plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (!plait__image_is(buffer) || (offset % row_bytes(buffer) == 0 &&
					 bytes % row_bytes(buffer) == 0))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%llu bytes at %llu are not whole rows of %s, an "
			   "image with rows of %llu bytes",
			   (unsigned long long)bytes,
			   (unsigned long long)offset,
			   plait__object_name(&buffer->object, room),
			   (unsigned long long)row_bytes(buffer));
}

/* Check two images; other pairs have no layout to agree in. */
static plait_status check_pair(const plait__buffer *target,
			       const plait__buffer *source, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (target == NULL || source == NULL)
		return PLAIT_OK;
	if (target->device->port != source->device->port) {
		plait_status status = plait__image_check_address(target, error);

		return status == PLAIT_OK ?
		       plait__image_check_address(source, error) : status;
	}
	if (!plait__image_is(target) || !plait__image_is(source) ||
	    (target->format == source->format &&
	     target->width == source->width))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is an image of another width or format than "
			   "the source",
			   plait__object_name(&target->object, room));
}

static plait_status check_side(const plait__buffer *side, uint64_t offset,
			       uint64_t bytes, bool strided,
			       plait_error *error)
{
	if (side == NULL || !plait__image_is(side))
		return PLAIT_OK;
	if (strided)
		return plait__image_refuse(side, "be copied with rows",
					   error);
	return plait__image_check_rows(side, offset, bytes, error);
}

plait_status plait__image_check_copy(const plait__buffer *target,
				     uint64_t target_offset,
				     const plait__buffer *source,
				     uint64_t source_offset, uint64_t bytes,
				     bool strided, plait_error *error)
{
	plait_status status = check_side(target, target_offset, bytes, strided,
					 error);

	if (status == PLAIT_OK)
		status = check_side(source, source_offset, bytes, strided,
				    error);
	return status == PLAIT_OK ? check_pair(target, source, error) : status;
}

/* ---- arguments ---- */

const char *plait__image_argument_fault(const plait__parameter *parameter,
					const plait__buffer *buffer,
					uint64_t offset)
{
	bool is_image = buffer != NULL && plait__image_is(buffer);

	if (plait__signature_is_image(parameter) == is_image)
		return !is_image || offset == 0 ? NULL :
		       "an image is used as a whole; set offset_bytes to 0";
	return is_image ? "an image needs a parameter of type image" :
			  "the parameter needs an image: a buffer with a "
			  "format";
}
