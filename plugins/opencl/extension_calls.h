/* SPDX-License-Identifier: MIT */
/*
 * Tables of functions of extensions, in the form of OPENCL_CALLS: programs in an
 * intermediate language (cl_khr_il_program), and command buffers
 * (cl_khr_command_buffer, version 0.9.0 to 1.x, in the form of 0.9.5; and
 * cl_khr_command_buffer_mutable_dispatch, 0.9.2 to 1.x).  The declarations
 * are not those of <CL/cl_ext.h>, which has them of one version, and changes:
 * the driver's version decides.  Versions before 0.9.5 have no properties of copies
 * and fills: the types at the end.
 */
#ifndef PLAITP_OPENCL_EXTENSION_CALLS_H
#define PLAITP_OPENCL_EXTENSION_CALLS_H

#include "calls.h"

typedef struct opencl_buffer_object *opencl_buffer;
typedef struct opencl_command_object *opencl_command;

/* Values of these extensions, and of cl_khr_extended_versioning. */
enum {
	OPENCL_IL_VERSION = 0x105b,
	OPENCL_EXTENSIONS_WITH_VERSION = 0x1060,
	OPENCL_BUFFER_QUEUE_PROPERTIES = 0x12aa, /* that queues must have */
	OPENCL_MUTABLE_CAPABILITIES = 0x12b0,
	OPENCL_BUFFER_FLAGS = 0x1293,
	OPENCL_BUFFER_MUTABLE = 1 << 1, /* of OPENCL_BUFFER_FLAGS */
	OPENCL_UPDATABLE_FIELDS = 0x12b1,
	OPENCL_UPDATE_ITEMS = 1 << 1, /* of OPENCL_UPDATABLE_FIELDS */
	OPENCL_UPDATE_GROUP = 1 << 2,
	OPENCL_UPDATE_ARGUMENTS = 1 << 3,
	OPENCL_UPDATE_DISPATCH = 0, /* type of a struct opencl_dispatch */
	OPENCL_INVALID_BUFFER = -1138,
	OPENCL_INCOMPATIBLE_QUEUE = -1140,
	OPENCL_INVALID_COMMAND = -1141
};

/* major << 22 | minor << 12 | patch */
#define OPENCL_VERSION(major, minor, patch) \
	((cl_uint)(major) << 22 | (cl_uint)(minor) << 12 | (cl_uint)(patch))

struct opencl_extension {
	cl_uint version;
	char name[64];
};

struct opencl_argument {
	cl_uint index;
	size_t bytes;
	const void *value;
};

/* New arguments and geometry of a launch; null: as before. */
struct opencl_dispatch {
	opencl_command command;
	cl_uint argument_count;
	cl_uint shared_count;
	cl_uint info_count;
	cl_uint dimensions; /* 0: as before */
	const struct opencl_argument *arguments;
	const void *shared;
	const void *infos;
	const size_t *offset;
	const size_t *items;
	const size_t *group;
};

#define OPENCL_IL_CALLS(STATUS, MAKES) \
	MAKES(cl_program, clCreateProgramWithILKHR, \
	      (cl_context context, const void *text, size_t bytes, \
	       cl_int *code), \
	      (context, text, bytes, code))

#define OPENCL_BUFFER_CALLS(STATUS, MAKES) \
	MAKES(opencl_buffer, clCreateCommandBufferKHR, \
	      (cl_uint count, const cl_command_queue *queues, \
	       const cl_ulong *properties, cl_int *code), \
	      (count, queues, properties, code)) \
	STATUS(clFinalizeCommandBufferKHR, (opencl_buffer buffer), (buffer)) \
	STATUS(clReleaseCommandBufferKHR, (opencl_buffer buffer), (buffer)) \
	STATUS(clEnqueueCommandBufferKHR, \
	       (cl_uint queue_count, cl_command_queue *queues, \
		opencl_buffer buffer, cl_uint count, const cl_event *waits, \
		cl_event *event), \
	       (queue_count, queues, buffer, count, waits, event)) \
	STATUS(clCommandNDRangeKernelKHR, \
	       (opencl_buffer buffer, cl_command_queue queue, \
		const cl_ulong *properties, cl_kernel kernel, \
		cl_uint dimensions, const size_t *offset, \
		const size_t *items, const size_t *group, cl_uint count, \
		const cl_uint *waits, cl_uint *point, \
		opencl_command *command), \
	       (buffer, queue, properties, kernel, dimensions, offset, \
		items, group, count, waits, point, command)) \
	STATUS(clCommandCopyBufferKHR, \
	       (opencl_buffer buffer, cl_command_queue queue, \
		const cl_ulong *properties, cl_mem source, cl_mem target, \
		size_t source_offset, size_t target_offset, size_t bytes, \
		cl_uint count, const cl_uint *waits, cl_uint *point, \
		opencl_command *command), \
	       (buffer, queue, properties, source, target, source_offset, \
		target_offset, bytes, count, waits, point, command)) \
	STATUS(clCommandCopyBufferRectKHR, \
	       (opencl_buffer buffer, cl_command_queue queue, \
		const cl_ulong *properties, cl_mem source, cl_mem target, \
		const size_t *from, const size_t *to, const size_t *region, \
		size_t source_row, size_t source_slice, size_t target_row, \
		size_t target_slice, cl_uint count, const cl_uint *waits, \
		cl_uint *point, opencl_command *command), \
	       (buffer, queue, properties, source, target, from, to, region, \
		source_row, source_slice, target_row, target_slice, count, \
		waits, point, command)) \
	STATUS(clCommandFillBufferKHR, \
	       (opencl_buffer buffer, cl_command_queue queue, \
		const cl_ulong *properties, cl_mem target, \
		const void *pattern, size_t pattern_bytes, size_t offset, \
		size_t bytes, cl_uint count, const cl_uint *waits, \
		cl_uint *point, opencl_command *command), \
	       (buffer, queue, properties, target, pattern, pattern_bytes, \
		offset, bytes, count, waits, point, command)) \
	STATUS(clUpdateMutableCommandsKHR, \
	       (opencl_buffer buffer, cl_uint count, const cl_uint *types, \
		const void **updates), \
	       (buffer, count, types, updates))

struct opencl_il_calls {
	OPENCL_IL_CALLS(OPENCL_STATUS_POINTER, OPENCL_MAKES_POINTER)
};

struct opencl_buffer_calls {
	OPENCL_BUFFER_CALLS(OPENCL_STATUS_POINTER, OPENCL_MAKES_POINTER)
};

/* Copies and fills of versions before 0.9.5. */
typedef cl_int (CL_API_CALL *opencl_older_copy)(
	opencl_buffer buffer, cl_command_queue queue, cl_mem source,
	cl_mem target, size_t source_offset, size_t target_offset,
	size_t bytes, cl_uint count, const cl_uint *waits, cl_uint *point,
	opencl_command *command);
typedef cl_int (CL_API_CALL *opencl_older_copy_rows)(
	opencl_buffer buffer, cl_command_queue queue, cl_mem source,
	cl_mem target, const size_t *from, const size_t *to,
	const size_t *region, size_t source_row, size_t source_slice,
	size_t target_row, size_t target_slice, cl_uint count,
	const cl_uint *waits, cl_uint *point, opencl_command *command);
typedef cl_int (CL_API_CALL *opencl_older_fill)(
	opencl_buffer buffer, cl_command_queue queue, cl_mem target,
	const void *pattern, size_t pattern_bytes, size_t offset,
	size_t bytes, cl_uint count, const cl_uint *waits, cl_uint *point,
	opencl_command *command);

#endif
