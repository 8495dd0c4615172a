/* SPDX-License-Identifier: MIT */
/*
 * plait/native.h - native handles of devices, queues and buffers: OpenCL and
 * CUDA objects, host addresses.
 *
 * Native handles let a program share a device with another library.  The
 * backend owns the handles: they are valid while the device, queue or buffer
 * lives, and the caller does not release them.  In the other direction,
 * plait_wrap_desc and plait_queue_desc accept native memory and queues of the
 * application.  These must be valid objects, since drivers cannot check
 * handles; two buffers of one native object are not recognised as overlapping.
 *
 * Example:
 *
 *     uint64_t stream = 0, memory = 0;
 *
 *     plait_queue_finish(queue, PLAIT_FOREVER, &error);
 *     plait_queue_native(queue, PLAIT_NATIVE_CU_STREAM, &stream, &error);
 *     plait_buffer_native(buffer, PLAIT_NATIVE_CU_POINTER, &memory, NULL,
 *                         &error);
 *
 * Order.  The library does not see native work.  A queue may not have passed a
 * command to the driver yet: finish the queue before native work uses the same
 * memory, and complete the native work before submitting commands that use it.
 * For work in one shared native queue, the commands must only have reached the
 * driver; plait_queue_finish ensures this too.
 */
#ifndef PLAIT_NATIVE_H
#define PLAIT_NATIVE_H

#include "plait/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of a native handle; kinds of third-party backends begin at 1000. */
typedef uint32_t plait_native_kind;
enum {
	/* Buffer on the host: an address of this process. */
	PLAIT_NATIVE_POINTER = 1,
	/* OpenCL device: cl_platform_id, cl_device_id, cl_context. */
	PLAIT_NATIVE_CL_PLATFORM = 16,
	PLAIT_NATIVE_CL_DEVICE = 17,
	PLAIT_NATIVE_CL_CONTEXT = 18,
	/* OpenCL queue: cl_command_queue.  Buffer: cl_mem. */
	PLAIT_NATIVE_CL_QUEUE = 19,
	PLAIT_NATIVE_CL_MEMORY = 20,
	/* CUDA device: CUdevice, CUcontext. */
	PLAIT_NATIVE_CU_DEVICE = 32,
	PLAIT_NATIVE_CU_CONTEXT = 33,
	/* CUDA queue: CUstream.  Buffer: CUdeviceptr. */
	PLAIT_NATIVE_CU_STREAM = 34,
	PLAIT_NATIVE_CU_POINTER = 35,
	/* MPI: MPI_Comm_c2f of a communicator, in plait_port_request. */
	PLAIT_NATIVE_MPI_COMM = 48
};

/*
 * plait_device_native - get a native handle of a device.
 *
 * @param device borrowed, non-null: the device
 * @param kind   value: kind of the handle
 * @param out    borrowed, non-null: the handle, address or number
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (the backend has
 *         no such handle), PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_device_native(plait_device *device,
					   plait_native_kind kind,
					   uint64_t *out, plait_error *error);

/*
 * plait_queue_native - get the native handle of a queue.
 *
 * @param queue borrowed, non-null: the queue
 * @param kind  value: kind of the handle
 * @param out   borrowed, non-null: the handle
 * @param error borrowed, nullable: filled on failure
 * @return as plait_device_native
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_queue_native(plait_queue *queue,
					  plait_native_kind kind,
					  uint64_t *out, plait_error *error);

/*
 * plait_buffer_native - get the native handle of a buffer.
 *
 * A view has the handle of its whole buffer, and an offset.  A buffer of 0
 * bytes has no memory: PLAIT_E_INVALID.
 *
 * @param buffer           borrowed, non-null: the buffer
 * @param kind             value: kind of the handle
 * @param out              borrowed, non-null: the handle or address
 * @param out_offset_bytes borrowed, nullable: offset of the buffer in it
 * @param error            borrowed, nullable: filled on failure
 * @return as plait_device_native
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_buffer_native(plait_buffer *buffer,
					   plait_native_kind kind,
					   uint64_t *out,
					   uint64_t *out_offset_bytes,
					   plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
