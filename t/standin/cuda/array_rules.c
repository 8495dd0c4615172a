/* SPDX-License-Identifier: MIT */
/* Rules of arrays, textures and surfaces in the stand-in for CUDA's driver: each
 * rule has a check here which fails when it is broken. */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

enum { WIDTH = 5, HEIGHT = 3, PIXELS = WIDTH * HEIGHT, ROW = 4 * WIDTH };

static CUarray new_array(unsigned flags)
{
	const CUDA_ARRAY3D_DESCRIPTOR_v2 desc = {
		.Width = WIDTH, .Height = HEIGHT, .Format = CU_AD_FORMAT_FLOAT,
		.NumChannels = 1, .Flags = flags
	};
	CUarray array = NULL;

	WORKS(cu.cuArray3DCreate(&array, &desc));
	return array;
}

static CUDA_RESOURCE_DESC_v1 resource_of(CUarray array)
{
	return (CUDA_RESOURCE_DESC_v1){ .resType = CU_RESOURCE_TYPE_ARRAY,
					.res.array = array };
}

static CUDA_TEXTURE_DESC_v1 look_of(CUaddress_mode mode, CUfilter_mode filter)
{
	return (CUDA_TEXTURE_DESC_v1){ .addressMode = { mode, mode, mode },
				       .filterMode = filter };
}

/* ---- objects ---- */

static void is_no_array(CUDA_ARRAY3D_DESCRIPTOR_v2 desc)
{
	CUarray array = NULL;

	GIVES(cu.cuArray3DCreate(&array, &desc), CUDA_ERROR_INVALID_VALUE);
}

static void arrays(void)
{
	CUDA_ARRAY3D_DESCRIPTOR_v2 good = {
		.Width = 8, .Height = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT8,
		.NumChannels = 4
	};
	CUDA_ARRAY3D_DESCRIPTOR_v2 bad = good;
	CUarray array;

	if (!rig_open("memory=100000"))
		return;
	WORKS(cu.cuArray3DCreate(&array, &good));
	WORKS(cu.cuArrayDestroy(array));
	GIVES(cu.cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
	bad.NumChannels = 3;
	is_no_array(bad);
	bad = good;
	bad.Height = 65537;
	is_no_array(bad);
	bad = good;
	bad.Width = 0;
	is_no_array(bad);
	good.Width = 1000;
	good.Height = 1000;
	GIVES(cu.cuArray3DCreate(&array, &good), CUDA_ERROR_OUT_OF_MEMORY);
	rig_close();
}

static void views(void)
{
	CUDA_TEXTURE_DESC_v1 look = look_of(CU_TR_ADDRESS_MODE_WRAP,
					    CU_TR_FILTER_MODE_POINT);
	CUDA_RESOURCE_DESC_v1 resource;
	CUtexObject texture = 0;
	CUsurfObject surface = 0;
	CUarray array;

	if (!rig_open(""))
		return;
	array = new_array(0);
	resource = resource_of(array);
	/* The array is for textures alone; coordinates in pixels end at the
	 * edges. */
	GIVES(cu.cuSurfObjectCreate(&surface, &resource),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuTexObjectCreate(&texture, &resource, &look, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	look = look_of(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT);
	WORKS(cu.cuTexObjectCreate(&texture, &resource, &look, NULL));
	GIVES(cu.cuSurfObjectDestroy(texture), CUDA_ERROR_INVALID_HANDLE);
	WORKS(cu.cuTexObjectDestroy(texture));
	GIVES(cu.cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_HANDLE);
	WORKS(cu.cuArrayDestroy(array));
	GIVES(cu.cuTexObjectCreate(&texture, &resource, &look, NULL),
	      CUDA_ERROR_INVALID_HANDLE);
	IS_UINT(rig_live(STANDIN_TEXTURE) + rig_live(STANDIN_SURFACE) +
		rig_live(STANDIN_ARRAY), 0);
	rig_close();
}

/* Objects that a context leaves behind are counted. */
static void leaks(void)
{
	CUDA_RESOURCE_DESC_v1 resource;
	CUsurfObject surface;

	if (!rig_open(""))
		return;
	resource = resource_of(new_array(CUDA_ARRAY3D_SURFACE_LDST));
	WORKS(cu.cuSurfObjectCreate(&surface, &resource));
	rig_abandon();
	IS_UINT(rig_leaked(STANDIN_ARRAY), 1);
	IS_UINT(rig_leaked(STANDIN_SURFACE), 1);
}

/* ---- copies ---- */

static CUDA_MEMCPY3D_v2 rows_to(CUarray array, CUdeviceptr from, size_t y,
				size_t rows)
{
	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from,
		.srcPitch = ROW, .srcHeight = rows,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array,
		.dstY = y, .WidthInBytes = ROW, .Height = rows, .Depth = 1
	};
}

static CUDA_MEMCPY3D_v2 rows_from(CUarray array, CUdeviceptr to, size_t y,
				  size_t rows)
{
	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array,
		.srcY = y,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = to,
		.dstPitch = ROW, .dstHeight = rows,
		.WidthInBytes = ROW, .Height = rows, .Depth = 1
	};
}

static void write_numbers(CUarray array, CUdeviceptr memory, CUstream stream)
{
	CUDA_MEMCPY3D_v2 rows = rows_to(array, memory, 0, HEIGHT);
	float numbers[PIXELS];

	for (int i = 0; i < PIXELS; i++)
		numbers[i] = (float)(i + 1);
	rig_write(memory, numbers, sizeof(numbers));
	WORKS(cu.cuMemcpy3DAsync(&rows, stream));
	WORKS(cu.cuStreamSynchronize(stream));
}

static void copies(void)
{
	float got[PIXELS] = { 0 };
	CUDA_MEMCPY3D_v2 rows;
	CUdeviceptr memory;
	CUstream stream;
	CUarray array;

	if (!rig_open(""))
		return;
	array = new_array(0);
	memory = rig_memory(sizeof(got));
	stream = rig_stream();
	write_numbers(array, memory, stream);
	rows = rows_from(array, memory, 1, 2);
	WORKS(cu.cuMemcpy3DAsync(&rows, stream));
	WORKS(cu.cuStreamSynchronize(stream));
	rig_read(got, memory, sizeof(got));
	IS_INT((int)got[0], WIDTH + 1);
	IS_INT((int)got[2 * WIDTH - 1], PIXELS);
	rows = rows_from(array, memory, 2, 2);
	GIVES(cu.cuMemcpy3DAsync(&rows, stream), CUDA_ERROR_INVALID_VALUE);
	rows = rows_to(array, memory, 0, 1);
	rows.dstXInBytes = 4;
	GIVES(cu.cuMemcpy3DAsync(&rows, stream), CUDA_ERROR_INVALID_VALUE);
	rows = rows_to(array, memory, 0, HEIGHT);
	rows.srcPitch = ROW - 4;
	GIVES(cu.cuMemcpy3DAsync(&rows, stream), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuArrayDestroy(array));
	rows = rows_to(array, memory, 0, 1);
	GIVES(cu.cuMemcpy3DAsync(&rows, stream), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuMemFree(memory));
	WORKS(cu.cuStreamDestroy(stream));
	rig_close();
}

static void peers(void)
{
	CUDA_MEMCPY3D_PEER_v1 far;
	CUDA_MEMCPY3D_v2 rows;
	CUcontext other, gone;
	CUdeviceptr memory;
	CUstream stream;
	CUarray array;

	if (!rig_open("devices=2"))
		return;
	WORKS(cu.cuDevicePrimaryCtxRetain(&other, 1));
	WORKS(cu.cuCtxPushCurrent(other));
	array = new_array(0);
	WORKS(cu.cuCtxPopCurrent(&gone));
	memory = rig_memory(ROW);
	stream = rig_stream();
	rows = rows_to(array, memory, 0, 1);
	GIVES(cu.cuMemcpy3DAsync(&rows, stream), CUDA_ERROR_INVALID_VALUE);
	memcpy(&far, &rows, sizeof(far));
	GIVES(cu.cuMemcpy3DPeerAsync(&far, stream),
	      CUDA_ERROR_INVALID_CONTEXT);
	far.srcContext = rig_context;
	far.dstContext = other;
	WORKS(cu.cuMemcpy3DPeerAsync(&far, stream));
	WORKS(cu.cuStreamSynchronize(stream));
	WORKS(cu.cuMemFree(memory));
	WORKS(cu.cuStreamDestroy(stream));
	WORKS(cu.cuCtxPushCurrent(other));
	WORKS(cu.cuArrayDestroy(array));
	WORKS(cu.cuCtxPopCurrent(&gone));
	WORKS(cu.cuDevicePrimaryCtxRelease(1));
	rig_close();
}

/* ---- kernels ---- */

static const char text[] =
	"extern \"C\" __global__ void look(cudaTextureObject_t from, float x,\n"
	"\tfloat y, float4 *to)\n{\n\t*to = tex2D<float4>(from, x, y);\n}\n"
	"extern \"C\" __global__ void put(cudaSurfaceObject_t to, int x,\n"
	"\tint y, float number)\n{\n\tsurf2Dwrite(number, to, x, y);\n}\n";

static CUmodule load(void)
{
	char *image = rig_compile(text, "sm_90", false);
	CUmodule module = NULL;

	WORKS(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	free(image);
	return module;
}

static void start(CUmodule module, const char *name, CUstream stream,
		  void **arguments)
{
	CUfunction function = NULL;

	WORKS(cu.cuModuleGetFunction(&function, module, name));
	WORKS(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream,
				arguments, NULL));
}

struct looks {
	CUmodule module;
	CUstream stream;
	CUdeviceptr memory;
	CUarray array;
};

/* The first number at a place; the array has no others. */
static void look_is(struct looks *looks, CUaddress_mode mode,
		    CUfilter_mode filter, float x, float y, float want)
{
	const CUDA_TEXTURE_DESC_v1 look = look_of(mode, filter);
	const CUDA_RESOURCE_DESC_v1 resource = resource_of(looks->array);
	CUtexObject texture = 0;
	void *arguments[] = { &texture, &x, &y, &looks->memory };
	float got[4] = { 0 };

	WORKS(cu.cuTexObjectCreate(&texture, &resource, &look, NULL));
	start(looks->module, "look", looks->stream, arguments);
	WORKS(cu.cuStreamSynchronize(looks->stream));
	rig_read(got, looks->memory, sizeof(got));
	OK_THAT(got[0] == want, "(%g, %g) is %g, not %g", x, y, got[0], want);
	OK(got[1] != 0 && got[2] != 0 && got[3] != 1);
	WORKS(cu.cuTexObjectDestroy(texture));
}

static void textures(void)
{
	const CUaddress_mode edge = CU_TR_ADDRESS_MODE_CLAMP;
	const CUaddress_mode zero = CU_TR_ADDRESS_MODE_BORDER;
	const CUfilter_mode point = CU_TR_FILTER_MODE_POINT;
	const CUfilter_mode linear = CU_TR_FILTER_MODE_LINEAR;
	struct looks looks;

	if (!rig_open(""))
		return;
	looks.module = load();
	looks.stream = rig_stream();
	looks.memory = rig_memory(PIXELS * sizeof(float));
	looks.array = new_array(0);
	write_numbers(looks.array, looks.memory, looks.stream);
	look_is(&looks, edge, point, 1.9f, 1.1f, WIDTH + 2);
	look_is(&looks, edge, point, -3, 9, PIXELS - WIDTH + 1);
	look_is(&looks, zero, point, -0.1f, 1, 0);
	look_is(&looks, zero, point, 4.9f, 2.9f, PIXELS);
	look_is(&looks, edge, linear, 1.5f, 0.5f, 2);
	look_is(&looks, edge, linear, 1.75f, 1, 2.25f + WIDTH / 2.0f);
	look_is(&looks, zero, linear, 0, 0.5f, 0.5f);
	/* A fraction has 8 bits. */
	look_is(&looks, edge, linear, 1.501f, 0.5f, 2);
	WORKS(cu.cuArrayDestroy(looks.array));
	WORKS(cu.cuMemFree(looks.memory));
	WORKS(cu.cuStreamDestroy(looks.stream));
	WORKS(cu.cuModuleUnload(looks.module));
	rig_close();
}

/* A kernel that stores there fails its context. */
static void put_gives(int x, int y, bool destroyed, CUresult want)
{
	CUDA_RESOURCE_DESC_v1 resource;
	CUsurfObject surface = 0;
	float number = 7;
	void *arguments[] = { &surface, &x, &y, &number };
	CUmodule module;
	CUstream stream;
	CUarray array;

	if (!rig_open(""))
		return;
	array = new_array(CUDA_ARRAY3D_SURFACE_LDST);
	resource = resource_of(array);
	WORKS(cu.cuSurfObjectCreate(&surface, &resource));
	if (destroyed)
		WORKS(cu.cuSurfObjectDestroy(surface));
	module = load();
	stream = rig_stream();
	start(module, "put", stream, arguments);
	GIVES(cu.cuStreamSynchronize(stream), want);
	rig_abandon();
}

static void surfaces(void)
{
	put_gives(ROW - 4, HEIGHT - 1, false, CUDA_SUCCESS);
	put_gives(ROW, 0, false, CUDA_ERROR_ILLEGAL_ADDRESS);
	put_gives(0, HEIGHT, false, CUDA_ERROR_ILLEGAL_ADDRESS);
	put_gives(2, 0, false, CUDA_ERROR_MISALIGNED_ADDRESS);
	put_gives(0, 0, true, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static const struct tap_scenario all[] = {
	{ "arrays", arrays },
	{ "views", views },
	{ "leaks", leaks },
	{ "copies", copies },
	{ "peers", peers },
	{ "textures", textures },
	{ "surfaces", surfaces },
};

TAP_MAIN(all)
