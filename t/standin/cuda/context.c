/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: devices and their primary contexts.  Each
 * thread has a stack of contexts; when a context goes, all that belongs to it
 * goes too, and is counted as left behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { STACK_DEPTH = 64 };

static _Thread_local struct {
	CUcontext contexts[STACK_DEPTH];
	unsigned depth;
} stack;

CUcontext standin_current(void)
{
	return stack.depth != 0 ? stack.contexts[stack.depth - 1] : NULL;
}

static bool is_device(CUdevice device)
{
	return device >= 0 && device < standin.options.devices;
}

/* --- devices -------------------------------------------------------------- */

CUresult standin_cuDeviceGetCount(int *count)
{
	*count = standin.options.devices;
	return CUDA_SUCCESS;
}

CUresult standin_cuDeviceGet(CUdevice *device, int ordinal)
{
	if (!is_device(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

CUresult standin_cuDeviceGetName(char *name, int room, CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)room, "stand-in for tests, on the host");
	return CUDA_SUCCESS;
}

CUresult standin_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(uuid->bytes, "stand-in device", 16);
	uuid->bytes[15] = (char)device;
	return CUDA_SUCCESS;
}

CUresult standin_cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = standin.options.memory_bytes;
	return CUDA_SUCCESS;
}

static const struct {
	CUdevice_attribute attribute;
	int value;
} attributes[] = {
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 101376 },
	{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
	{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4 },
	{ CU_DEVICE_ATTRIBUTE_INTEGRATED, 0 },
	{ CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
	{ CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1 },
	{ CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2 },
	{ CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
	{ CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0 },
	{ CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1 },
	{ CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0 },
	{ CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, 131072 },
	{ CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, 65536 },
};

CUresult standin_cuDeviceGetAttribute(int *value,
				      CUdevice_attribute attribute,
				      CUdevice device)
{
	size_t i;

	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
		*value = standin.options.arch / 10;
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
		*value = standin.options.arch % 10;
	else if (attribute == CU_DEVICE_ATTRIBUTE_MAX_PITCH)
		*value = standin.options.most_pitch;
	else if (attribute == CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)
		*value = standin.options.writes;
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
		*value = standin.options.mode;
	else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
		*value = device;
	else {
		for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]);
		     i++)
			if (attributes[i].attribute == attribute) {
				*value = attributes[i].value;
				return CUDA_SUCCESS;
			}
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult standin_cuDeviceCanAccessPeer(int *can, CUdevice device,
				       CUdevice peer)
{
	if (!is_device(device) || !is_device(peer))
		return CUDA_ERROR_INVALID_DEVICE;
	*can = device != peer && !standin.options.apart;
	return CUDA_SUCCESS;
}

/* --- primary contexts ----------------------------------------------------- */

/* One object of each kind; its destruction takes its dependents along. */
static void end_object(struct object *object)
{
	switch (object->kind) {
	case STANDIN_STREAM:
		standin_end_stream((CUstream)object);
		break;
	case STANDIN_EVENT:
		standin_end_event((CUevent)object);
		break;
	case STANDIN_MODULE_KIND:
		standin_end_module((CUmodule)object);
		break;
	case STANDIN_EXEC:
		standin_end_exec((CUgraphExec)object);
		break;
	case STANDIN_TEXTURE:
	case STANDIN_SURFACE:
		standin_free_view(object);
		break;
	default:
		standin_free_memory(object);
		break;
	}
}

static void end_context(CUcontext context)
{
	struct object *object;
	int i;

	/* A user does not wait for its remaining work, so this does: the work
	 * uses what is destroyed. */
	standin.primary[context->device] = NULL;
	standin_idle(context);
	standin_end_stream(context->legacy);
	standin_remove(&context->object);
	while ((object = standin_of_context(context)) != NULL)
		end_object(object);
	free(context);
	for (i = 0; i < STANDIN_MAX_DEVICES; i++)
		if (standin.primary[i] != NULL)
			return;
	standin_stop_workers();
}

CUresult standin_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	CUcontext context;

	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (standin.options.mode == CU_COMPUTEMODE_PROHIBITED)
		return CUDA_ERROR_DEVICE_UNAVAILABLE;
	context = standin.primary[device];
	if (context == NULL) {
		context = standin_new(sizeof(*context));
		context->device = device;
		standin_add(&context->object, STANDIN_CONTEXT, NULL);
		context->legacy = standin_new_stream(context, 0, 0);
		standin.primary[device] = context;
	}
	context->owners++;
	*out = context;
	return CUDA_SUCCESS;
}

CUresult standin_cuDevicePrimaryCtxRelease(CUdevice device)
{
	CUcontext context;

	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	context = standin.primary[device];
	if (context == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--context->owners == 0)
		end_context(context);
	return CUDA_SUCCESS;
}

CUresult standin_cuDevicePrimaryCtxReset(CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (standin.primary[device] != NULL)
		end_context(standin.primary[device]);
	return CUDA_SUCCESS;
}

/* --- the stack of a thread ------------------------------------------------ */

static bool is_context(CUcontext context)
{
	return standin_find(context, STANDIN_CONTEXT) != NULL;
}

CUresult standin_cuCtxPushCurrent(CUcontext context)
{
	if (!is_context(context) || stack.depth == STACK_DEPTH)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context->sticky != CUDA_SUCCESS)
		return context->sticky;
	stack.contexts[stack.depth++] = context;
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxPopCurrent(CUcontext *context)
{
	if (stack.depth == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack.depth--;
	if (context != NULL)
		*context = stack.contexts[stack.depth];
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxSetCurrent(CUcontext context)
{
	if (context != NULL && !is_context(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack.depth != 0)
		stack.depth--;
	if (context != NULL)
		stack.contexts[stack.depth++] = context;
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxGetCurrent(CUcontext *context)
{
	*context = standin_current();
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxGetDevice(CUdevice *device)
{
	*device = standin_current()->device;
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxSynchronize(void)
{
	CUcontext context = standin_current();

	standin_idle(context);
	return context->sticky;
}

CUresult standin_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return CUDA_SUCCESS;
}

CUresult standin_cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUcontext context = standin_current();

	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_context(peer) || peer == context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context->peers & 1u << peer->device)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	context->peers |= 1u << peer->device;
	return CUDA_SUCCESS;
}

/* No stream can be captured: the option `captured` says that one is. */
CUresult standin_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = standin_capture_mode;

	if (*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	standin_capture_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}
