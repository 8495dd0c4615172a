/* SPDX-License-Identifier: MIT */
/*
 * Images on the stand-in for CUDA's driver: each call fails once, rows come in
 * chunks and from other devices, plans with them are graphs, kernels of CUDA C
 * take the driver's objects, and what a device has not is refused.
 */
#include <stdlib.h>

#include "segments.h"
#include "plait/native.h"

enum { WIDTH = 31, HEIGHT = 9, PIXELS = WIDTH * HEIGHT };
enum { ROW = 4 * WIDTH, BYTES = ROW * HEIGHT };

static const plait_launch each_pixel = { .size = sizeof(each_pixel),
					 .dimensions = 2,
					 .items = { WIDTH, HEIGHT } };

static plait_status image_on(plait_device *device, uint32_t width,
			     uint32_t height, plait_buffer **out,
			     plait_error *error)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .format = PLAIT_IMAGE_R32F,
					 .width = width, .height = height };

	*out = NULL;
	return plait_buffer_create(device, &desc, out, error);
}

/* ---- a program with images on two devices ---- */

static const char shift_signature[] =
	"shift(from: in image, by: sampler, to: out image)";
static const char shift_text[] = "KERNEL(shift)\n{\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))\n"
	"\t\tIMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, x + 1.5f, "
	"y + 0.5f));\n"
	"}\n";

struct program {
	plait_device *devices[2];
	plait_buffer *from, *to, *far, *rows;
	plait_queue *near_queue, *far_queue;
	plait_kernel *kernel;
	float numbers[PIXELS], got[PIXELS];
};

static plait_status create(struct program *program, plait_error *error)
{
	const plait_buffer_desc rows = { .size = sizeof(rows),
					 .bytes = BYTES };
	plait_device **devices = program->devices;
	plait_status status;

	if ((status = plait_context_device(rig.context, 0, &devices[0],
					   error)) ||
	    (status = plait_context_device(rig.context, 1, &devices[1],
					   error)) ||
	    (status = image_on(devices[0], WIDTH, HEIGHT, &program->from,
			       error)) ||
	    (status = image_on(devices[0], WIDTH, HEIGHT, &program->to,
			       error)) ||
	    (status = image_on(devices[1], WIDTH, HEIGHT, &program->far,
			       error)) ||
	    (status = plait_buffer_create(devices[0], &rows, &program->rows,
					  error)) ||
	    (status = plait_queue_create(devices[0], NULL,
					 &program->near_queue, error)) ||
	    (status = plait_queue_create(devices[1], NULL,
					 &program->far_queue, error)))
		return status;
	return plait_kernel_compile(rig.context, shift_signature, shift_text,
				    &program->kernel, error);
}

static void release(struct program *program)
{
	plait_kernel_release(program->kernel);
	plait_queue_release(program->far_queue);
	plait_queue_release(program->near_queue);
	plait_buffer_release(program->rows);
	plait_buffer_release(program->far);
	plait_buffer_release(program->to);
	plait_buffer_release(program->from);
}

/* Write, shift, copy to the other device and back into rows, read. */
static plait_status use(struct program *program, plait_error *error)
{
	const plait_sampler_flags by = PLAIT_SAMPLER_ZERO;
	plait_queue *near_queue = program->near_queue;
	plait_queue *far_queue = program->far_queue;
	plait_status status;

	if ((status = plait_queue_write(near_queue, program->from, 0,
					program->numbers, BYTES, error)) ||
	    (status = plait_queue_launch(
		     near_queue, program->kernel, &each_pixel,
		     PLAIT_ARGUMENTS(PLAIT_BUFFER(program->from),
				     PLAIT_VALUE(by),
				     PLAIT_BUFFER(program->to)), error)) ||
	    (status = plait_queue_finish(near_queue, PLAIT_FOREVER, error)) ||
	    (status = plait_queue_copy(far_queue, program->far, 0,
				       program->to, 0, BYTES, error)) ||
	    (status = plait_queue_copy(far_queue, program->rows, 0,
				       program->far, 0, BYTES, error)) ||
	    (status = plait_queue_read(far_queue, program->rows, 0,
				       program->got, BYTES, error)) ||
	    (status = plait_queue_finish(far_queue, PLAIT_FOREVER, error)))
		return status;
	return PLAIT_OK;
}

static void is_right(const struct program *program)
{
	int wrong = 0;

	for (int i = 0; i < PIXELS; i++)
		wrong += program->got[i] != (i % WIDTH == WIDTH - 1 ? 0 :
					     program->numbers[i + 1]);
	IS_INT(wrong, 0);
}

static void begin(struct program *program)
{
	memset(program, 0, sizeof(*program));
	for (int i = 0; i < PIXELS; i++)
		program->numbers[i] = (float)i + 0.25f;
}

/* ---- each call fails once ---- */

#define NAME(version, name, symbol, parameters, arguments) #name,
static const char *const names[] = { CUDA_CALLS(NAME) };

/* Returns true for calls whose failure leaves their object behind. */
static bool lets_go(const char *name)
{
	return strstr(name, "Destroy") != NULL || strstr(name, "Free") != NULL;
}

/* Fail call `number` of `name` from the first image on; null: none fails. */
static void try(const char *name, uint64_t number)
{
	struct program program;
	plait_status status;

	begin(&program);
	if (!open_cuda("devices=2", NULL))
		return;
	if (name != NULL)
		rig_fail(name, number, number % 2 != 0 ?
			 CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN);
	status = create(&program, &rig.error);
	if (status == PLAIT_OK)
		status = use(&program, &rig.error);
	if (status == PLAIT_OK)
		is_right(&program);
	else
		OK_THAT(name != NULL && strstr(rig.error.text, name) != NULL,
			"%s %d failed, and it says: %s", name != NULL ? name :
			"nothing", (int)number, rig.error.text);
	release(&program);
	begin(&program);
	OK_THAT(create(&program, &rig.error) == PLAIT_OK &&
		use(&program, &rig.error) == PLAIT_OK, "behind %s: %s", name,
		rig.error.text);
	is_right(&program);
	release(&program);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	IS_UINT(broken, 0);
	OK_THAT((name != NULL && lets_go(name)) || standin_left() == 0,
		"%s %d: %d objects are left", name != NULL ? name : "nothing",
		(int)number, (int)standin_left());
	/* Discard the objects that a failed call left behind. */
	for (int device = 0; device < 2; device++)
		(void)cu.cuDevicePrimaryCtxReset(device);
}

static void every_call(void)
{
	static const char *const parts[] = { "cuArray", "cuTex", "cuSurf",
					     "cuMemcpy3D" };
	uint64_t counts[TAP_COUNT(names)], tried = 0;

	try(NULL, 0);
	for (size_t i = 0; i < TAP_COUNT(names); i++) {
		counts[i] = 0;
		for (size_t k = 0; k < TAP_COUNT(parts); k++)
			if (strncmp(names[i], parts[k], strlen(parts[k])) == 0)
				counts[i] = rig_calls(names[i]);
	}
	for (size_t i = 0; i < TAP_COUNT(names); i++)
		/* The program runs twice. */
		for (uint64_t k = 1; k <= counts[i] / 2; k++, tried++)
			try(names[i], k);
	OK_THAT(tried > 20, "%d calls failed", (int)tried);
}

/* ---- rows ---- */

/* More than two chunks of rows that no chunk is a multiple of; a part of them;
 * and all of a small image. */
static void rows_come_in_chunks(void)
{
	static const struct {
		uint32_t width, height, first, count;
	} sizes[] = { { 3001, 1000, 700, 41 }, { 100, 20, 3, 5 },
		      { 16384, 2, 1, 1 } };

	for (size_t i = 0; i < TAP_COUNT(sizes); i++) {
		const uint64_t row = 4ull * sizes[i].width;
		const uint64_t bytes = row * sizes[i].height;
		char *from = malloc(bytes), *to = calloc(1, bytes);
		plait_buffer *image;

		if (!open_cuda("", NULL))
			return;
		for (uint64_t k = 0; k < bytes; k++)
			from[k] = (char)(k * 7 + k / 4099);
		OK_THAT(image_on(rig.device, sizes[i].width, sizes[i].height,
				 &image, &rig.error) == PLAIT_OK &&
			plait_queue_write(rig.queue, image, 0, from, bytes,
					  &rig.error) == PLAIT_OK &&
			plait_queue_read(rig.queue, image, 0, to, bytes,
					 &rig.error) == PLAIT_OK &&
			plait_queue_finish(rig.queue, PLAIT_FOREVER,
					   &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		OK(memcmp(from, to, bytes) == 0);
		OK(plait_queue_read(rig.queue, image, sizes[i].first * row, to,
				    sizes[i].count * row, &rig.error) ==
			   PLAIT_OK &&
		   plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
			   PLAIT_OK);
		OK(memcmp(from + sizes[i].first * row, to,
			  sizes[i].count * row) == 0);
		plait_buffer_release(image);
		free(from);
		free(to);
		close_place();
	}
}

/* Pinned memory is copied without staging. */
static void wrapped_memory_is_copied(void)
{
	static float numbers[PIXELS], got[PIXELS];
	const plait_wrap_desc desc = { .size = sizeof(desc), .bytes = BYTES,
				       .pointer = numbers };
	plait_buffer *image, *wrapped = NULL;
	uint64_t before;

	if (!open_cuda("", NULL))
		return;
	for (int i = 0; i < PIXELS; i++)
		numbers[i] = (float)i;
	OK(image_on(rig.device, WIDTH, HEIGHT, &image, &rig.error) ==
		   PLAIT_OK &&
	   plait_buffer_wrap(rig.device, &desc, &wrapped, &rig.error) ==
		   PLAIT_OK);
	before = rig_calls("cuLaunchHostFunc");
	OK(plait_queue_copy(rig.queue, image, 0, wrapped, 0, BYTES,
			    &rig.error) == PLAIT_OK &&
	   plait_queue_copy(rig.queue, wrapped, 0, image, ROW, ROW,
			    &rig.error) == PLAIT_OK &&
	   plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
	IS_UINT(rig_calls("cuLaunchHostFunc"), before);
	OK(plait_queue_read(rig.queue, image, 0, got, BYTES, &rig.error) ==
		   PLAIT_OK &&
	   plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
	IS_INT((int)got[PIXELS - 1], PIXELS - 1);
	IS_INT((int)numbers[0], WIDTH);
	plait_buffer_release(wrapped);
	plait_buffer_release(image);
	close_place();
}

/* ---- plans ---- */

static plait_plan *plan_of(const struct program *program,
			   plait_buffer *in, plait_buffer *out)
{
	const plait_sampler_flags by = PLAIT_SAMPLER_ZERO;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node copied, shifted;

	OK_THAT(plait_graph_create(rig.context, &graph, &rig.error) ==
			PLAIT_OK &&
		plait_graph_copy(graph, program->from, 0, in, 0, BYTES, 0,
				 &copied, &rig.error) == PLAIT_OK &&
		plait_graph_launch(graph, program->kernel, &each_pixel,
				   PLAIT_ARGUMENTS(
					   PLAIT_BUFFER(program->from),
					   PLAIT_VALUE(by),
					   PLAIT_BUFFER(program->to)),
				   copied, &shifted, &rig.error) == PLAIT_OK &&
		plait_graph_copy(graph, out, 0, program->to, 0, BYTES, shifted,
				 NULL, &rig.error) == PLAIT_OK &&
		plait_graph_freeze(graph, NULL, &plan, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

/* Copies of images are nodes, but for those from another device. */
static void plans_are_graphs(void)
{
	for (int far = 0; far < 2; far++) {
		struct program program;
		plait_plan *plan;

		begin(&program);
		if (!open_cuda("devices=2", "1"))
			return;
		OK_THAT(create(&program, &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		OK(plait_queue_write(program.near_queue, far ? program.far :
				     program.rows, 0, program.numbers, BYTES,
				     &rig.error) == PLAIT_OK &&
		   plait_queue_finish(program.near_queue, PLAIT_FOREVER,
				      &rig.error) == PLAIT_OK);
		plan = plan_of(&program, far ? program.far : program.rows,
			       program.rows);
		for (int i = 0; i < 2; i++)
			OK_THAT(plait_plan_call(plan, program.near_queue, NULL,
						&rig.error) == PLAIT_OK, "%s",
				rig.error.text);
		/* The rest of the plan is a graph, too. */
		IS_UINT(rig_calls("cuGraphLaunch"), 2);
		IS_UINT(rig_calls("cuMemcpy3DPeerAsync"), far ? 3 : 0);
		OK(plait_queue_read(program.near_queue, program.rows, 0,
				    program.got, BYTES, &rig.error) ==
			   PLAIT_OK &&
		   plait_queue_finish(program.near_queue, PLAIT_FOREVER,
				      &rig.error) == PLAIT_OK);
		if (far)
			is_right(&program);
		plait_plan_release(plan);
		release(&program);
		close_place();
	}
}

/* ---- CUDA C ---- */

static const char objects_text[] =
	"extern \"C\" __global__ void objects(cudaTextureObject_t from,\n"
	"\tunsigned by, cudaSurfaceObject_t to)\n{\n"
	"\tint x = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"\tint y = blockIdx.y * blockDim.y + threadIdx.y;\n"
	"\tsurf2Dwrite(tex2D<float>(from, x + 0.5f, y + 0.5f) + by, to,\n"
	"\t\t    4 * x, y);\n"
	"}\n";

/* The second texture interpolates. */
static const char structs_text[] =
	"struct in { cudaTextureObject_t textures[4];\n"
	"\tunsigned width, height, format; };\n"
	"struct out { cudaSurfaceObject_t surface;\n"
	"\tunsigned width, height, format; };\n"
	"extern \"C\" __global__ void objects(struct in from, unsigned by,\n"
	"\tstruct out to)\n{\n"
	"\tint x = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"\tint y = blockIdx.y * blockDim.y + threadIdx.y;\n"
	"\tif (x < to.width && y < to.height)\n"
	"\t\tsurf2Dwrite(tex2D<float>(from.textures[1], x + 1.0f,\n"
	"\t\t\ty + 0.5f) + by + from.format, to.surface, 4 * x, y);\n"
	"}\n";

static const char wrong_text[] =
	"extern \"C\" __global__ void objects(cudaTextureObject_t from,\n"
	"\tunsigned by, unsigned to) { }\n";

static plait_kernel *cuda_kernel(const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_CUDA_C };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "objects(from: image, by: sampler, to: out image)",
	};
	plait_kernel *kernel = NULL;

	(void)plait_kernel_create(rig.context, &desc, &kernel, &rig.error);
	return kernel;
}

/* Each pixel of the result is its number plus `more`. */
static void cuda_c_gives(const char *text, float more)
{
	const plait_sampler_flags by = PLAIT_SAMPLER_LINEAR;
	plait_kernel *kernel = cuda_kernel(text);
	struct program program;
	int wrong = 0;

	begin(&program);
	OK_THAT(kernel != NULL, "%s", rig.error.text);
	OK(create(&program, &rig.error) == PLAIT_OK);
	OK_THAT(plait_queue_write(program.near_queue, program.from, 0,
				  program.numbers, BYTES, &rig.error) ==
			PLAIT_OK &&
		plait_queue_launch(program.near_queue, kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(program.from),
						   PLAIT_VALUE(by),
						   PLAIT_BUFFER(program.to)),
				   &rig.error) == PLAIT_OK &&
		plait_queue_read(program.near_queue, program.to, 0,
				 program.got, BYTES, &rig.error) == PLAIT_OK &&
		plait_queue_finish(program.near_queue, PLAIT_FOREVER,
				   &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	for (int i = 0; i < PIXELS; i++)
		wrong += i % WIDTH != WIDTH - 1 &&
			 program.got[i] != program.numbers[i] + more;
	IS_INT(wrong, 0);
	plait_kernel_release(kernel);
	release(&program);
}

static void cuda_c_takes_objects(void)
{
	/* Drivers before 12.4 do not tell the sizes of parameters. */
	if (!open_cuda("devices=2,version=12080", NULL))
		return;
	cuda_c_gives(objects_text, 1);
	/* Half a pixel to the right, the sampler and the format. */
	cuda_c_gives(structs_text, 0.5f + 1 + PLAIT_IMAGE_R32F);
	OK(cuda_kernel(wrong_text) == NULL);
	HAS_STR(rig.error.text, "parameter 3 of objects is not that of the "
		"signature");
	close_place();
}

/* ---- what is refused ---- */

static void other_uses_are_refused(void)
{
	const plait_sampler_flags by = 0;
	struct program program;
	plait_buffer *image;
	uint64_t handle = 0;

	begin(&program);
	if (!open_cuda("devices=2", NULL))
		return;
	OK(create(&program, &rig.error) == PLAIT_OK);
	IS_INT(image_on(rig.device, 131073, 1, &image, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "at most 131072 x 65536");
	IS_INT(image_on(rig.device, 1, 65537, &image, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	IS_INT(image_on(rig.device, 131072, 65536, &image, &rig.error),
	       PLAIT_E_NOMEM);
	IS_INT(plait_buffer_native(program.from, PLAIT_NATIVE_CU_POINTER,
				   &handle, NULL, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "for this image");
	IS_INT(plait_queue_launch(program.near_queue, program.kernel,
				  &each_pixel,
				  PLAIT_ARGUMENTS(PLAIT_BUFFER(program.far),
						  PLAIT_VALUE(by),
						  PLAIT_BUFFER(program.to)),
				  &rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "cuda:0 reads and writes no image of cuda:1");
	release(&program);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "every call", every_call },
	{ "rows come in chunks", rows_come_in_chunks },
	{ "wrapped memory is copied", wrapped_memory_is_copied },
	{ "plans are graphs", plans_are_graphs },
	{ "CUDA C takes objects", cuda_c_takes_objects },
	{ "other uses are refused", other_uses_are_refused },
};

TAP_MAIN(all)
