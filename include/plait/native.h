/* SPDX-License-Identifier: MIT */
/*
 * plait/native.h - the objects of the system below a backend.
 *
 * For programs that share a device with another library: a cl_mem for a
 * library of transforms, a CUstream that somebody else works in.  What is told
 * here stays the backend's: it is good as long as the device, queue or buffer
 * lives, and is not to be released.  The other way round, plait_wrap_desc and
 * plait_queue_desc take memory and queues of yours: what you give has to be
 * one, since a system cannot be asked about what is none, and two buffers of
 * one memory are not seen to overlap.
 *
 * plait knows nothing of what you do with them.  A command that a queue has may
 * not have been handed to the system yet, so finish the queue before you use
 * what it works on, and let your own work be over before plait goes on; two
 * that work in one native queue need no more than to know that plait has handed
 * its commands on, which plait_queue_finish says as well.
 */
#ifndef PLAIT_NATIVE_H
#define PLAIT_NATIVE_H

#include "plait/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a native value is; the numbers of a backend elsewhere begin at 1000. */
enum {
	/* Of a buffer on the host: an address of this process. */
	PLAIT_NATIVE_POINTER = 1,
	/* OpenCL, of a device: cl_platform_id, cl_device_id, cl_context. */
	PLAIT_NATIVE_CL_PLATFORM = 16,
	PLAIT_NATIVE_CL_DEVICE = 17,
	PLAIT_NATIVE_CL_CONTEXT = 18,
	/* Of a queue: cl_command_queue.  Of a buffer: cl_mem. */
	PLAIT_NATIVE_CL_QUEUE = 19,
	PLAIT_NATIVE_CL_MEMORY = 20,
	/* CUDA, of a device: CUdevice, CUcontext. */
	PLAIT_NATIVE_CU_DEVICE = 32,
	PLAIT_NATIVE_CU_CONTEXT = 33,
	/* Of a queue: CUstream.  Of a buffer: CUdeviceptr. */
	PLAIT_NATIVE_CU_STREAM = 34,
	PLAIT_NATIVE_CU_POINTER = 35
};

/*
 * plait_device_native - what a device is to its system.
 *
 * @param device borrowed, non-null: the device
 * @param kind   value: what is asked for, PLAIT_NATIVE_...
 * @param out    borrowed, non-null: the handle, address or number
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (its backend has
 *         nothing of that kind), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_device_native(plait_device *device, uint32_t kind,
					   uint64_t *out, plait_error *error);

/*
 * plait_queue_native - what a queue is to its system.
 *
 * @param queue borrowed, non-null: the queue
 * @param kind  value: what is asked for, PLAIT_NATIVE_...
 * @param out   borrowed, non-null: the handle
 * @param error borrowed, nullable: filled on failure
 * @return as plait_device_native
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_native(plait_queue *queue, uint32_t kind,
					  uint64_t *out, plait_error *error);

/*
 * plait_buffer_native - what a buffer is to its system.
 *
 * A view is told as the whole that it is a part of, with where it begins in
 * it.  A buffer of no bytes has no memory: PLAIT_E_INVALID.
 *
 * @param buffer           borrowed, non-null: the buffer
 * @param kind             value: what is asked for, PLAIT_NATIVE_...
 * @param out              borrowed, non-null: the handle or address
 * @param out_offset_bytes borrowed, nullable: where the buffer begins in it
 * @param error            borrowed, nullable: filled on failure
 * @return as plait_device_native
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_native(plait_buffer *buffer, uint32_t kind,
					   uint64_t *out,
					   uint64_t *out_offset_bytes,
					   plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
