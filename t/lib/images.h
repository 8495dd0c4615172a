/* SPDX-License-Identifier: MIT */
/* Helpers for tests of images: images, buffers and kernels of a rig. */
#ifndef T_IMAGES_H
#define T_IMAGES_H

#include "kernels.h"

enum { WIDTH = 37, HEIGHT = 11, PIXELS = WIDTH * HEIGHT, ROW = 4 * WIDTH,
       BYTES = ROW * HEIGHT };

__attribute__((unused))
static const plait_launch each_pixel = { .size = sizeof(each_pixel),
					 .dimensions = 2,
					 .items = { WIDTH, HEIGHT } };

static inline plait_buffer *image_of(struct rig *rig, plait_image_format format,
			      uint32_t width, uint32_t height,
			      const char *label)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .label = label,
					 .format = format, .width = width,
					 .height = height };
	plait_buffer *image = NULL;

	OK_THAT(plait_buffer_create(rig->device, &desc, &image,
				    &rig->error) == PLAIT_OK, "%s",
		rig->error.text);
	return image;
}

static inline plait_buffer *plain_image(struct rig *rig, const char *label)
{
	return image_of(rig, PLAIT_IMAGE_R32F, WIDTH, HEIGHT, label);
}

static inline plait_buffer *buffer_of(struct rig *rig, uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = bytes };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(rig->device, &desc, &buffer, &rig->error),
	       PLAIT_OK);
	return buffer;
}

static inline plait_kernel *kernel_of(struct rig *rig, const char *signature,
			       const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .flags = PLAIT_SOURCE_STRICT };

	return make_kernel(rig, (plait_kernel_desc){
					.signature = signature,
					.sources = &source,
					.source_count = 1 });
}

#endif
