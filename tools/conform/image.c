/* SPDX-License-Identifier: MIT */
/* Group I: images, their rows, and the coordinates of kernels. */
#include "conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An odd width: the rows of no device end where the image's do. */
enum { WIDTH = 13, HEIGHT = 7, PIXELS = WIDTH * HEIGHT };
enum { ROW = 4 * WIDTH, BYTES = ROW * HEIGHT };

static plait_buffer *image_of(struct conform *c, plait_image_format format)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .format = format, .width = WIDTH,
					 .height = HEIGHT };
	plait_buffer *image = NULL;
	plait_status status = plait_buffer_create(c->device, &desc, &image,
						  ERR);

	if (status == PLAIT_E_UNSUPPORTED)
		conform_skip(c, "%s", c->error.text);
	NEED(status);
	conform_hold(c, HOLDS_BUFFER, image);
	return image;
}

/* Returns true if `count` rows of `image` from `row` on are those of `want`. */
static bool has_rows(struct conform *c, plait_queue *queue,
		     plait_buffer *image, const unsigned char *want,
		     uint64_t row, uint64_t count)
{
	unsigned char got[BYTES] = { 0 };

	NEED(plait_queue_read(queue, image, row * ROW, got, count * ROW, ERR));
	return memcmp(got, want, count * ROW) == 0;
}

static void keeps_rows(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_buffer *one = image_of(c, PLAIT_IMAGE_RGBA8);
	plait_buffer *other = image_of(c, PLAIT_IMAGE_RGBA8);
	plait_buffer *rows = conform_buffer(c, BYTES);
	unsigned char bytes[BYTES];

	conform_random_bytes(c, bytes, sizeof(bytes));
	NEED(plait_queue_write(queue, one, 0, bytes, BYTES, ERR));
	HOLDS(has_rows(c, queue, one, bytes, 0, HEIGHT));
	HOLDS(has_rows(c, queue, one, bytes + 2 * ROW, 2, 3));
	NEED(plait_queue_fill(queue, rows, 0, BYTES, 0, 1, ERR));
	NEED(plait_queue_copy(queue, rows, ROW, one, 3 * ROW, 2 * ROW, ERR));
	HOLDS(has_rows(c, queue, rows, bytes + 3 * ROW, 1, 2));
	NEED(plait_queue_write(queue, rows, 0, bytes, BYTES, ERR));
	NEED(plait_queue_copy(queue, other, 4 * ROW, rows, ROW, 3 * ROW,
			      ERR));
	HOLDS_THAT(has_rows(c, queue, other, bytes + ROW, 4, 3),
		   "rows of a buffer arrive at their place in an image");
	NEED(plait_queue_copy(queue, other, ROW, one, 5 * ROW, 2 * ROW, ERR));
	HOLDS_THAT(has_rows(c, queue, other, bytes + 5 * ROW, 1, 2),
		   "rows of an image arrive at their place in another");
	HOLDS(has_rows(c, queue, other, bytes + ROW, 4, 3));
}

/* Each pixel becomes its right neighbour, and at the right edge what is outside;
 * the size goes into the first pixel. */
static const char shift_text[] = "KERNEL(shift)\n{\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to)) {\n"
	"\t\tf32x4 pixel = IMAGE_READ(from, x + 1, y);\n"
	"\n"
	"\t\tif (x == 0 && y == 0)\n"
	"\t\t\tpixel.v[0] = 100 * IMAGE_WIDTH(from) + IMAGE_HEIGHT(from);\n"
	"\t\tIMAGE_WRITE(to, x, y, pixel);\n"
	"\t}\n"
	"}\n";

static const plait_launch each_pixel = { .size = sizeof(each_pixel),
					 .dimensions = 2,
					 .items = { WIDTH, HEIGHT } };

static void has_coordinates(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "shift(from: in image, to: out image)", shift_text, NULL);
	plait_buffer *from = image_of(c, PLAIT_IMAGE_R32F);
	plait_buffer *to = image_of(c, PLAIT_IMAGE_R32F);
	const plait_argument arguments[] = { conform_memory(from, 0),
					     conform_memory(to, 0) };
	float numbers[PIXELS], got[PIXELS], want = 0;
	int at = 0;

	for (int i = 0; i < PIXELS; i++)
		numbers[i] = (float)i + 0.25f;
	NEED(plait_queue_write(queue, from, 0, numbers, BYTES, ERR));
	NEED(plait_queue_launch(queue, kernel, &each_pixel, arguments, 2,
				ERR));
	NEED(plait_queue_read(queue, to, 0, got, BYTES, ERR));
	for (; at < PIXELS; at++) {
		want = at == 0 ? 100 * WIDTH + HEIGHT :
		       at % WIDTH == WIDTH - 1 ? 0 : numbers[at + 1];
		if (got[at] != want)
			break;
	}
	HOLDS_THAT(at == PIXELS, "pixel %d is %g, not %g", at,
		   at < PIXELS ? got[at] : 0, want);
}

/* One sample per pixel, half a pixel to the right of its centre and above the
 * image, so that the edge shows. */
static const char look_text[] = "KERNEL(look)\n{\n"
	"\tEACH(i, n) {\n"
	"\t\tline[i] = IMAGE_SAMPLE(from, by, (f32)i + 1.0f, 0.5f).v[0];\n"
	"\t\tabove[i] = IMAGE_SAMPLE(from, by, (f32)i + 0.5f, -1.0f).v[0];\n"
	"\t}\n"
	"}\n";

/* The number of column x, inside of the image or outside. */
static double column(int x, plait_sampler_flags by)
{
	int last = WIDTH - 1;

	if (x > last && (by & PLAIT_SAMPLER_ZERO) != 0)
		return 0;
	return 10.0 * (x > last ? last : x) + 3;
}

static void look(struct conform *c, plait_queue *queue, plait_kernel *kernel,
		 plait_buffer *from, plait_sampler_flags by)
{
	const uint64_t n = WIDTH;
	plait_buffer *line = conform_buffer(c, ROW);
	plait_buffer *above = conform_buffer(c, ROW);
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WIDTH } };
	const plait_argument arguments[] = {
		conform_memory(from, 0), conform_value(&by, sizeof(by)),
		conform_memory(line, 0), conform_memory(above, 0),
		conform_value(&n, sizeof(n))
	};
	float got[2][WIDTH];

	NEED(plait_queue_launch(queue, kernel, &launch, arguments, 5, ERR));
	NEED(plait_queue_read(queue, line, 0, got[0], ROW, ERR));
	NEED(plait_queue_read(queue, above, 0, got[1], ROW, ERR));
	for (int i = 0; i < WIDTH; i++) {
		double want = (by & PLAIT_SAMPLER_LINEAR) == 0 ?
			      column(i + 1, by) :
			      (column(i, by) + column(i + 1, by)) / 2;
		double over = (by & PLAIT_SAMPLER_ZERO) != 0 ? 0 :
			      column(i, by);

		HOLDS_THAT(fabs(got[0][i] - want) < 0.6,
			   "sampler %u, column %d: %g, not %g", by, i,
			   got[0][i], want);
		HOLDS_THAT(fabs(got[1][i] - over) < 0.6,
			   "sampler %u, above column %d: %g, not %g", by, i,
			   got[1][i], over);
	}
}

static void samples(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "look(from: in image, by: sampler, line: out pointer f32, "
		"above: out pointer f32, n: u64)", look_text, NULL);
	plait_buffer *from = image_of(c, PLAIT_IMAGE_R32F);
	float numbers[PIXELS];

	for (int i = 0; i < PIXELS; i++)
		numbers[i] = (float)column(i % WIDTH, 0);
	NEED(plait_queue_write(queue, from, 0, numbers, BYTES, ERR));
	for (plait_sampler_flags by = 0; by < 4; by++)
		look(c, queue, kernel, from, by);
}

/* Bytes are numbers from 0 to 1, and what is written is clamped. */
static const char bright_text[] = "KERNEL(bright)\n{\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to)) {\n"
	"\t\tf32x4 pixel = IMAGE_READ(from, x, y);\n"
	"\n"
	"\t\tpixel.v[0] = 2 * pixel.v[0];\n"
	"\t\tpixel.v[1] = -pixel.v[1];\n"
	"\t\tIMAGE_WRITE(to, x, y, pixel);\n"
	"\t\tIMAGE_WRITE(to, x + IMAGE_WIDTH(to), y, pixel);\n"
	"\t}\n"
	"}\n";

static void converts(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "bright(from: in image, to: out image)", bright_text, NULL);
	plait_buffer *from = image_of(c, PLAIT_IMAGE_RGBA8);
	plait_buffer *to = image_of(c, PLAIT_IMAGE_RGBA8);
	const plait_argument arguments[] = { conform_memory(from, 0),
					     conform_memory(to, 0) };
	unsigned char bytes[BYTES], got[BYTES];
	int at = 0, want = 0;

	conform_random_bytes(c, bytes, sizeof(bytes));
	NEED(plait_queue_write(queue, from, 0, bytes, BYTES, ERR));
	NEED(plait_queue_launch(queue, kernel, &each_pixel, arguments, 2,
				ERR));
	NEED(plait_queue_read(queue, to, 0, got, BYTES, ERR));
	for (; at < BYTES; at++) {
		want = at % 4 == 1 ? 0 : bytes[at] * (at % 4 == 0 ? 2 : 1);
		if (got[at] != (want > 255 ? 255 : want))
			break;
	}
	HOLDS_THAT(at == BYTES, "byte %d is %d, not %d", at,
		   at < BYTES ? got[at] : 0, want);
}

static const struct conform_check checks[] = {
	{ "I1", "rows of images are copied, read and written", NEED_IMAGE,
	  keeps_rows },
	{ "I2", "kernels read and write pixels by coordinates",
	  NEED_IMAGE | NEED_KERNELS, has_coordinates },
	{ "I3", "samplers interpolate, and treat the edges as they say",
	  NEED_IMAGE | NEED_KERNELS, samples },
	{ "I4", "bytes of pixels are numbers from 0 to 1",
	  NEED_IMAGE | NEED_KERNELS, converts },
};

CONFORM_GROUP(conform_images, "images and samplers");
