/* SPDX-License-Identifier: MIT */
/*
 * plait/image.h - images and samplers.
 *
 * An image is a buffer with a format: pixels in two dimensions, which the
 * device arranges as suits it.  Kernels read and write them by coordinates,
 * and read between them through a sampler.
 *
 * Example: halve image a into b, by averages of four pixels.
 *
 *     static const char code[] = "KERNEL(shrink) { EACH2(x, 320, y, 240) "
 *             "IMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, 2 * x + 1.0f, "
 *             "2 * y + 1.0f)); }";
 *     plait_buffer_desc desc = { .size = sizeof(desc), .width = 640,
 *                                .height = 480, .format = PLAIT_IMAGE_R32F };
 *     plait_sampler_flags by = PLAIT_SAMPLER_LINEAR;
 *     static float pixels[480 * 640];
 *
 *     plait_buffer_create(device, &desc, &a, &error);
 *     plait_queue_write(queue, a, 0, pixels, sizeof(pixels), &error);
 *     plait_kernel_compile(context, "shrink(from: in image, by: sampler, "
 *                          "to: out image)", code, &kernel, &error);
 *     plait_queue_launch(queue, kernel, PLAIT_ITEMS(320, 240),
 *                        PLAIT_ARGUMENTS(PLAIT_BUFFER(a), PLAIT_VALUE(by),
 *                                        PLAIT_BUFFER(b)), &error);
 *
 * Where a buffer is expected, an image is accepted, with these rules:
 *
 * - Copies, reads and writes treat it as its rows, one after the other without
 *   gaps: row y begins at byte y * width * (bytes of a pixel).  They move whole
 *   rows.  Two images are copied if width and format are equal.
 * - Kernels take it as a parameter `in image` (`image` is short for it) or
 *   `out image`, and no image as a pointer.  A launch does not read and write
 *   one image.
 * - PLAIT_E_UNSUPPORTED: mappings, views, temporaries, fills, copies of strided
 *   rows, flows, and on devices other than the host copies to another backend
 *   and kernels that are functions of the program.
 *
 * A sampler is a value of 4 bytes, plait_sampler_flags, and the parameter's
 * type is `sampler`.  In portable source, with an f32x4 as the pixel:
 *
 *     IMAGE_READ(image, x, y)              the pixel at integers
 *     IMAGE_SAMPLE(image, sampler, x, y)   the value at real coordinates
 *     IMAGE_WRITE(image, x, y, pixel)      outside: nothing
 *     IMAGE_WIDTH(image) IMAGE_HEIGHT(image)
 *     IMAGE_IN IMAGE_OUT SAMPLER           the types, for functions
 *
 * The centre of pixel (x, y) is at (x + 0.5, y + 0.5).  Outside of the image
 * IMAGE_READ finds zeros.  Devices interpolate with limited precision: at
 * least 1/256 of the difference of two pixels.  On the host a function of the
 * program gets the address of the first pixel.
 */
#ifndef PLAIT_IMAGE_H
#define PLAIT_IMAGE_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Format of the pixels of an image; a pixel is read as four numbers. */
typedef uint32_t plait_image_format;
enum {
	/* No image. */
	PLAIT_IMAGE_NONE = 0,
	/* One float, 4 bytes: (r, 0, 0, 1). */
	PLAIT_IMAGE_R32F = 1,
	/* Four floats, 16 bytes. */
	PLAIT_IMAGE_RGBA32F = 2,
	/* Four bytes, each read as its value / 255.  Written numbers are
	 * clamped to 0 to 1 and rounded. */
	PLAIT_IMAGE_RGBA8 = 3
};

/* Sampler; 0: the nearest pixel, and the nearest edge outside of the image. */
typedef uint32_t plait_sampler_flags;
enum {
	/* Interpolate between the four nearest pixels. */
	PLAIT_SAMPLER_LINEAR = 1 << 0,
	/* Outside of the image are zeros. */
	PLAIT_SAMPLER_ZERO = 1 << 1
};

#ifdef __cplusplus
}
#endif

#endif
