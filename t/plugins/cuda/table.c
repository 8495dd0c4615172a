/* SPDX-License-Identifier: MIT */
/*
 * Calls of the CUDA backend's table that plans never make: copies of a segment
 * changed into copies between other kinds of memory, which a driver refuses;
 * and native memory of the driver that the user brings.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/bed.h"
#include "standin/cuda/place.h"
#include "plait/native.h"

enum { BYTES = 4096 };

/* No work is submitted here: the lane for notifications stays unused. */
static plait_status create_no_lane(plait_host *host,
				   const plait_queue_request *request,
				   plait_backend_queue **out,
				   plait_error *error)
{
	(void)host;
	(void)request;
	(void)error;
	*out = (plait_backend_queue *)(void *)&bed;
	return PLAIT_OK;
}

static void destroy_no_lane(plait_host *host, plait_backend_queue *lane)
{
	(void)host;
	(void)lane;
}

static uint32_t one_worker(plait_host *host)
{
	(void)host;
	return 1;
}

static bool open_table(const char *options)
{
	static plait_host_services services;
	char text[1024];

	standin_prepare(options);
	(void)snprintf(text, sizeof(text), "driver=%s", standin_path);
	*strchr(text, ',') = '\0';
	memset(&bed, 0, sizeof(bed));
	fakehost_init(&bed.host, text);
	services = *fakehost_services();
	services.lane_create = create_no_lane;
	services.lane_destroy = destroy_no_lane;
	services.worker_count = one_worker;
	return OK(fakehost_load("cuda", &bed.table)) &&
	       OK_THAT(bed.table.open((plait_host *)(void *)&bed.host,
				      &services, &bed.self, &bed.error) ==
		       PLAIT_OK, "open: %s", bed.error.text);
}

static void close_table(void)
{
	bed_close();
	standin_is_clean();
}

/* ---- copies of a segment ---- */

static char ours[BYTES] __attribute__((aligned(BYTES)));

static plait_backend_memory *wrap_ours(void)
{
	const plait_memory_request request = {
		.size = sizeof(request), .flags = PLAIT_MEMORY_WRAP,
		.bytes = BYTES, .alignment_bytes = 64, .pointer = ours,
	};
	plait_backend_memory *memory = NULL;

	OK_THAT(bed.table.memory_create(bed.self, 0, &request, &memory,
					&bed.error) == PLAIT_OK, "%s",
		bed.error.text);
	return memory;
}

static plait_work copy_of(plait_backend_memory *to, plait_backend_memory *from)
{
	return (plait_work){ .size = sizeof(plait_work),
			     .kind = PLAIT_WORK_COPY, .bytes = BYTES,
			     .target = to, .source = from };
}

static plait_backend_segment *segment_of(const plait_work *work)
{
	const uint32_t none[2] = { 0, 0 };
	const plait_segment_request request = {
		.size = sizeof(request), .work = work, .work_count = 1,
		.before = none, .before_first = none,
	};
	plait_backend_segment *segment = NULL;

	OK_THAT(bed.table.segment_create(bed.self, 0, &request, &segment,
					 &bed.error) == PLAIT_OK, "%s",
		bed.error.text);
	return segment;
}

static plait_status patch(plait_backend_segment *segment,
			  plait_backend_memory *to, plait_backend_memory *from)
{
	const plait_work work = copy_of(to, from);

	return bed.table.segment_patch(bed.self, segment, 0, &work,
				       &bed.error);
}

/* A patch to other memory of the same kind is done in place; one from device
 * memory to the user's needs a new segment, and is no error. */
static void copies(void)
{
	plait_backend_memory *a, *b, *wrapped;
	plait_backend_segment *segment;
	plait_work work;

	if (!open_table(""))
		return;
	a = bed_memory_on(0, BYTES);
	b = bed_memory_on(0, BYTES);
	wrapped = wrap_ours();
	work = copy_of(a, b);
	segment = segment_of(&work);
	IS_INT(patch(segment, b, a), PLAIT_OK);
	IS_INT(patch(segment, b, wrapped), PLAIT_E_UNSUPPORTED);
	OK(rig_misused() == NULL);
	IS_INT(patch(segment, wrapped, a), PLAIT_E_UNSUPPORTED);
	IS_INT(patch(segment, a, b), PLAIT_OK);
	/* Any other failure is an error. */
	rig_fail("cuGraphExecMemcpyNodeSetParams", 1,
		 CUDA_ERROR_OUT_OF_MEMORY);
	IS_INT(patch(segment, b, a), PLAIT_E_NOMEM);
	bed.table.segment_destroy(bed.self, segment);
	bed.table.memory_destroy(bed.self, wrapped);
	bed.table.memory_destroy(bed.self, b);
	bed.table.memory_destroy(bed.self, a);
	close_table();
}

/* ---- native memory of the driver ---- */

static plait_status take(uint32_t device, CUdeviceptr address, uint64_t bytes)
{
	const plait_memory_request request = {
		.size = sizeof(request), .flags = PLAIT_MEMORY_NATIVE,
		.bytes = bytes, .alignment_bytes = 1,
		.native_kind = PLAIT_NATIVE_CU_POINTER, .native = address,
	};
	plait_backend_memory *memory = NULL;
	plait_status status = bed.table.memory_create(
		bed.self, device, &request, &memory, &bed.error);

	if (memory != NULL)
		bed.table.memory_destroy(bed.self, memory);
	return status;
}

/* Accepted by its own device, up to its size, and by no other device. */
static void check_taken(CUdeviceptr address)
{
	IS_INT(take(0, address, BYTES), PLAIT_OK);
	IS_INT(take(1, address, BYTES), PLAIT_E_INVALID);
	HAS_STR(bed.error.text, "neither to the device's");
	IS_INT(take(0, address, (uint64_t)1 << 40), PLAIT_E_INVALID);
	HAS_STR(bed.error.text, "fewer bytes");
}

/* Memory from a pool of the driver belongs to a device, not to a context. */
static void natives(void)
{
	CUdeviceptr plain = 0, pooled = 0;
	CUcontext context = NULL, told = (CUcontext)ours;
	CUstream stream = NULL;

	if (!open_table("devices=2"))
		return;
	WORKS(cu.cuDevicePrimaryCtxRetain(&context, 0));
	WORKS(cu.cuCtxPushCurrent(context));
	WORKS(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
					    0));
	WORKS(cu.cuMemAlloc(&plain, BYTES));
	WORKS(cu.cuMemAllocAsync(&pooled, BYTES, stream));
	WORKS(cu.cuPointerGetAttribute(&told, CU_POINTER_ATTRIBUTE_CONTEXT,
				       pooled));
	OK(told == NULL);
	check_taken(plain);
	check_taken(pooled);
	IS_INT(take(0, (uintptr_t)ours, BYTES), PLAIT_E_INVALID);
	WORKS(cu.cuMemFreeAsync(pooled, stream));
	IS_INT(take(0, pooled, BYTES), PLAIT_E_INVALID);
	WORKS(cu.cuMemFree(plain));
	WORKS(cu.cuStreamDestroy(stream));
	WORKS(cu.cuCtxPopCurrent(NULL));
	WORKS(cu.cuDevicePrimaryCtxRelease(0));
	close_table();
}

/* Only a program that names the backend starts the driver. */
static void is_explicit(void)
{
	if (!open_table(""))
		return;
	IS_UINT(bed.table.flags, PLAIT_PLUGIN_EXPLICIT);
	close_table();
}

static const struct tap_scenario all[] = {
	{ "is_explicit", is_explicit },
	{ "copies", copies },
	{ "natives", natives },
};
TAP_MAIN(all)
