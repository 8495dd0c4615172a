/* SPDX-License-Identifier: MIT */
/*
 * Images and samplers: a resampling gives what a plain loop gives, with each
 * format and sampler; and what images do not do is refused, with the reason.
 */
#include <math.h>

#include "lib/images.h"

/* ---- a resampling, by a sampler ---- */

enum { WIDE = 50, HIGH = 20 };

static const char scale_signature[] =
	"scale(from: image, by: sampler, to: out image)";
static const char scale_text[] =
	"FUNCTION f32x4 look(IMAGE_IN image, SAMPLER by, f32 x, f32 y)\n{\n"
	"\treturn IMAGE_SAMPLE(image, by, x, y);\n"
	"}\n"
	"KERNEL(scale)\n{\n"
	"\tf32 wide = (f32)IMAGE_WIDTH(from) / (f32)IMAGE_WIDTH(to);\n"
	"\tf32 high = (f32)IMAGE_HEIGHT(from) / (f32)IMAGE_HEIGHT(to);\n"
	"\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))\n"
	"\t\tIMAGE_WRITE(to, x, y, look(from, by, ((f32)x + 0.5f) * wide,\n"
	"\t\t\t\t\t  ((f32)y + 0.5f) * high));\n"
	"}\n";

static const plait_image_format formats[] = { PLAIT_IMAGE_R32F,
					      PLAIT_IMAGE_RGBA32F,
					      PLAIT_IMAGE_RGBA8 };

static uint32_t channels_of(plait_image_format format)
{
	return format == PLAIT_IMAGE_R32F ? 1 : 4;
}

static bool is_bytes(plait_image_format format)
{
	return format == PLAIT_IMAGE_RGBA8;
}

static uint64_t bytes_of(plait_image_format format, uint64_t pixels)
{
	return pixels * channels_of(format) *
	       (is_bytes(format) ? 1 : sizeof(float));
}

/* A pixel of the source, between 0 and 1: in bytes exactly. */
static double source_at(int x, int y, uint32_t channel,
			plait_sampler_flags by)
{
	bool inside = x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;

	if (!inside && (by & PLAIT_SAMPLER_ZERO) != 0)
		return 0;
	x = x < 0 ? 0 : x < WIDTH ? x : WIDTH - 1;
	y = y < 0 ? 0 : y < HEIGHT ? y : HEIGHT - 1;
	return (x * 37 + y * 101 + (int)channel * 59) % 256 / 255.0;
}

static double sample(double x, double y, uint32_t channel,
		     plait_sampler_flags by)
{
	bool linear = (by & PLAIT_SAMPLER_LINEAR) != 0;
	double u = linear ? x - 0.5 : x, v = linear ? y - 0.5 : y;
	int i = (int)floor(u), j = (int)floor(v);
	double a = u - i, b = v - j;

	if (!linear)
		return source_at(i, j, channel, by);
	return (1 - b) * ((1 - a) * source_at(i, j, channel, by) +
			  a * source_at(i + 1, j, channel, by)) +
	       b * ((1 - a) * source_at(i, j + 1, channel, by) +
		    a * source_at(i + 1, j + 1, channel, by));
}

static void write_source(struct rig *rig, plait_buffer *image,
			 plait_image_format format)
{
	uint32_t channels = channels_of(format);
	unsigned char bytes[PIXELS * 4];
	float numbers[PIXELS * 4];

	for (uint32_t i = 0; i < PIXELS * channels; i++) {
		int pixel = (int)(i / channels);

		numbers[i] = (float)source_at(pixel % WIDTH, pixel / WIDTH,
					      i % channels, 0);
		bytes[i] = (unsigned char)lrintf(numbers[i] * 255);
	}
	IS_INT(plait_queue_write(rig->queue, image, 0, is_bytes(format) ?
				 (void *)bytes : (void *)numbers,
				 bytes_of(format, PIXELS), &rig->error),
	       PLAIT_OK);
}

/* Numbers of an image of WIDE x HIGH pixels. */
static void read_target(struct rig *rig, plait_buffer *image,
			plait_image_format format, float *out)
{
	unsigned char bytes[WIDE * HIGH * 4] = { 0 };

	IS_INT(plait_queue_read(rig->queue, image, 0, is_bytes(format) ?
				(void *)bytes : (void *)out,
				bytes_of(format, WIDE * HIGH), &rig->error),
	       PLAIT_OK);
	for (int i = 0; i < WIDE * HIGH * 4 && is_bytes(format); i++)
		out[i] = bytes[i] / 255.0f;
}

static void scale(struct rig *rig, plait_kernel *kernel,
		  plait_image_format format, plait_sampler_flags by)
{
	plait_buffer *from = image_of(rig, format, WIDTH, HEIGHT, "from");
	plait_buffer *to = image_of(rig, format, WIDE, HIGH, "to");
	uint32_t channels = channels_of(format), at = 0;
	float got[WIDE * HIGH * 4] = { 0 };
	double want = 0;

	write_source(rig, from, format);
	OK_THAT(plait_queue_launch(rig->queue, kernel,
				   PLAIT_ITEMS(WIDE, HIGH),
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(from),
						   PLAIT_VALUE(by),
						   PLAIT_BUFFER(to)),
				   &rig->error) == PLAIT_OK, "%s",
		rig->error.text);
	read_target(rig, to, format, got);
	for (; at < WIDE * HIGH * channels; at++) {
		uint32_t pixel = at / channels;

		want = sample((pixel % WIDE + 0.5) * WIDTH / WIDE,
			      (pixel / WIDE + 0.5) * HEIGHT / HIGH,
			      at % channels, by);
		if (fabs(got[at] - want) > 1.0 / 128)
			break;
	}
	OK_THAT(at == WIDE * HIGH * channels,
		"format %u, sampler %u: number %u is %g, not %g", format, by,
		at, at < WIDE * HIGH * channels ? got[at] : 0, want);
	plait_buffer_release(from);
	plait_buffer_release(to);
}

static void a_sampler_resamples(void)
{
	EACH(rig) {
		plait_kernel *kernel = kernel_of(rig, scale_signature,
						 scale_text);

		if (OK_THAT(kernel != NULL, "%s", rig->error.text))
			for (size_t i = 0; i < TAP_COUNT(formats); i++)
				for (uint32_t by = 0; by < 4; by++)
					scale(rig, kernel, formats[i], by);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

/* ---- mistakes ---- */

static void create_is(struct rig *rig, plait_buffer_desc desc,
		      plait_status want, const char *part)
{
	plait_buffer *image = NULL;

	desc.size = sizeof(desc);
	REFUSED(plait_buffer_create(rig->device, &desc, &image, &rig->error),
		want, part);
	OK(image == NULL);
}

static void bad_descriptors_are_refused(void)
{
	EACH(rig) {
		create_is(rig, (plait_buffer_desc){ .format = 99, .width = 1,
						    .height = 1 },
			  PLAIT_E_UNSUPPORTED, "format 99 is not known");
		create_is(rig, (plait_buffer_desc){ .format = 1, .width = 5 },
			  PLAIT_E_INVALID, "5 x 0 pixels");
		create_is(rig, (plait_buffer_desc){ .format = 1, .width = 5,
						    .height = 1, .bytes = 20 },
			  PLAIT_E_INVALID, "set bytes and alignment_bytes");
		create_is(rig, (plait_buffer_desc){ .bytes = 20, .width = 5 },
			  PLAIT_E_INVALID, "set a format");
		create_is(rig, (plait_buffer_desc){
				       .format = 1, .width = 5, .height = 1,
				       .flags = PLAIT_BUFFER_TEMPORARY },
			  PLAIT_E_UNSUPPORTED, "temporary");
		create_is(rig, (plait_buffer_desc){ .format = 2,
						    .width = UINT32_MAX,
						    .height = UINT32_MAX },
			  PLAIT_E_NOMEM, "larger than any memory");
		close_rig(rig);
	}
}

static void commands_are_refused(struct rig *rig, plait_buffer *image,
				 plait_buffer *buffer)
{
	plait_buffer *other = image_of(rig, PLAIT_IMAGE_RGBA8, WIDTH, HEIGHT,
				       "other");
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .source_row = 2 * ROW };

	REFUSED(plait_queue_copy(rig->queue, image, 0, buffer, 0, ROW - 4,
				 &rig->error), PLAIT_E_INVALID,
		"are not whole rows");
	REFUSED(plait_queue_copy(rig->queue, image, 4, buffer, 0, ROW,
				 &rig->error), PLAIT_E_INVALID,
		"are not whole rows");
	REFUSED(plait_queue_copy(rig->queue, image, 0, other, 0, ROW,
				 &rig->error), PLAIT_E_INVALID,
		"another width or format");
	REFUSED(plait_queue_copy_rows(rig->queue, image, 0, buffer, 0, ROW,
				      &rows, &rig->error),
		PLAIT_E_UNSUPPORTED, "be copied with rows");
	REFUSED(plait_queue_fill(rig->queue, image, 0, ROW, 0, 4,
				 &rig->error), PLAIT_E_UNSUPPORTED,
		"be filled");
	plait_buffer_release(other);
}

static void nodes_are_refused(struct rig *rig, plait_buffer *image,
			      plait_buffer *buffer)
{
	plait_graph *graph = NULL, *body = NULL;

	IS_INT(plait_graph_create(rig->context, &graph, &rig->error),
	       PLAIT_OK);
	REFUSED(plait_graph_copy(graph, image, 0, buffer, 0, ROW - 4, 0, NULL,
				 &rig->error), PLAIT_E_INVALID,
		"are not whole rows");
	REFUSED(plait_graph_copy(graph, buffer, 0, image, 4, ROW, 0, NULL,
				 &rig->error), PLAIT_E_INVALID,
		"are not whole rows");
	REFUSED(plait_graph_fill(graph, image, 0, ROW, 0, 4, 0, NULL,
				 &rig->error), PLAIT_E_UNSUPPORTED,
		"be filled");
	REFUSED(plait_graph_while(graph, image, 0, 1, 0, &body, NULL,
				  &rig->error), PLAIT_E_UNSUPPORTED,
		"decide a region");
	plait_graph_release(graph);
}

static void uses_are_refused(void)
{
	EACH(rig) {
		plait_buffer *image = plain_image(rig, "image");
		plait_buffer *buffer = buffer_of(rig, 2 * BYTES);
		plait_buffer *view = NULL;
		void *pointer = NULL;

		commands_are_refused(rig, image, buffer);
		nodes_are_refused(rig, image, buffer);
		REFUSED(plait_buffer_view(image, 0, ROW, &view, &rig->error),
			PLAIT_E_UNSUPPORTED, "have views");
		REFUSED(plait_buffer_map(image, 0, ROW, PLAIT_MAP_READ,
					 &pointer, &rig->error),
			PLAIT_E_UNSUPPORTED, "be mapped");
		plait_buffer_release(image);
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

static void launch_is(struct rig *rig, plait_kernel *kernel,
		      const plait_argument arguments[3], const char *part)
{
	plait_graph *graph = NULL;

	REFUSED(plait_queue_launch(rig->queue, kernel, &each_pixel, arguments,
				   3, &rig->error), PLAIT_E_INVALID, part);
	IS_INT(plait_graph_create(rig->context, &graph, &rig->error),
	       PLAIT_OK);
	REFUSED(plait_graph_launch(graph, kernel, &each_pixel, arguments, 3, 0,
				   NULL, &rig->error), PLAIT_E_INVALID, part);
	plait_graph_release(graph);
}

static void arguments_are_refused(void)
{
	const uint32_t wrong = 8;

	EACH(rig) {
		plait_kernel *kernel = kernel_of(rig, scale_signature,
						 scale_text);
		plait_kernel *other = kernel_of(
			rig, "set(x: out pointer f32, n: u32, y: f32)",
			"KERNEL(set) { EACH(i, n) x[i] = y; }");
		plait_buffer *image = plain_image(rig, "image");
		plait_buffer *buffer = buffer_of(rig, BYTES);
		plait_sampler_flags by = 0;
		plait_argument given[] = { PLAIT_BUFFER(image),
					   PLAIT_VALUE(by),
					   PLAIT_BUFFER(buffer) };

		launch_is(rig, kernel, given, "argument 2 \"to\" (image): the "
			  "parameter needs an image");
		given[2] = memory_of(image, ROW);
		launch_is(rig, kernel, given, "set offset_bytes to 0");
		given[2] = memory_of(image, 0);
		given[1] = VALUE(wrong);
		launch_is(rig, kernel, given, "PLAIT_SAMPLER_");
		given[1] = VALUE(by);
		given[0] = value_of(&image, sizeof(image));
		launch_is(rig, kernel, given, "an image takes no value");
		given[0] = memory_of(image, 0);
		launch_is(rig, kernel, given, "an image that it writes is an "
			  "argument twice");
		given[2] = VALUE(by);
		launch_is(rig, other, given, "an image needs a parameter");
		plait_buffer_release(image);
		plait_buffer_release(buffer);
		plait_kernel_release(kernel);
		plait_kernel_release(other);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "a sampler resamples", a_sampler_resamples },
	{ "bad descriptors are refused", bad_descriptors_are_refused },
	{ "uses are refused", uses_are_refused },
	{ "arguments are refused", arguments_are_refused },
};

TAP_MAIN(all)
