/* SPDX-License-Identifier: MIT */
/* Table of the error codes of OpenCL; see code.h. */
#include <stddef.h>

#include "code.h"

#define CODE(name, status, hint) { name, status, #name, hint }

static const struct opencl_code codes[] = {
	CODE(CL_DEVICE_NOT_FOUND, PLAIT_E_FAILED,
	     "see type= and device= of the options, and clinfo"),
	CODE(CL_DEVICE_NOT_AVAILABLE, PLAIT_E_LOST,
	     "the device was lost or is in use; open a new context"),
	CODE(CL_COMPILER_NOT_AVAILABLE, PLAIT_E_UNAVAILABLE,
	     "give the kernel a binary of this driver"),
	CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, PLAIT_E_NOMEM,
	     "release buffers, or see memory= of the options"),
	CODE(CL_OUT_OF_RESOURCES, PLAIT_E_NOMEM,
	     "fewer items a group, less local memory, or fewer buffers"),
	CODE(CL_OUT_OF_HOST_MEMORY, PLAIT_E_NOMEM,
	     "the process is out of memory"),
	CODE(CL_MEM_COPY_OVERLAP, PLAIT_E_FAILED,
	     "source and target must not overlap"),
	CODE(CL_IMAGE_FORMAT_MISMATCH, PLAIT_E_FAILED, ""),
	CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED, PLAIT_E_UNSUPPORTED,
	     "the device lacks this format of images; take another"),
	CODE(CL_BUILD_PROGRAM_FAILURE, PLAIT_E_INVALID,
	     "the compiler's log says why"),
	CODE(CL_MAP_FAILURE, PLAIT_E_FAILED,
	     "the driver cannot show this memory to the host; use reads and writes"),
	CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET, PLAIT_E_UNSUPPORTED,
	     "align the view to the device's alignment_bytes"),
	CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, PLAIT_E_FAILED,
	     "a command before it failed; events=all names it"),
	CODE(CL_DEVICE_PARTITION_FAILED, PLAIT_E_FAILED,
	     "see split= of the options"),
	CODE(CL_INVALID_VALUE, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_DEVICE_TYPE, PLAIT_E_FAILED,
	     "see type= of the options"),
	CODE(CL_INVALID_PLATFORM, PLAIT_E_FAILED,
	     "see platform= of the options"),
	CODE(CL_INVALID_DEVICE, PLAIT_E_FAILED,
	     "an imported object must belong to this device"),
	CODE(CL_INVALID_CONTEXT, PLAIT_E_FAILED,
	     "an imported object must belong to the backend's cl_context"),
	CODE(CL_INVALID_QUEUE_PROPERTIES, PLAIT_E_FAILED,
	     "the driver's queues cannot do this; see events= of the options"),
	CODE(CL_INVALID_COMMAND_QUEUE, PLAIT_E_FAILED,
	     "an imported queue must stay alive and belong to the backend's cl_context"),
	CODE(CL_INVALID_HOST_PTR, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_MEM_OBJECT, PLAIT_E_FAILED,
	     "imported memory must stay alive and belong to the backend's cl_context"),
	CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, PLAIT_E_UNSUPPORTED,
	     "the driver lacks this format of images; take another"),
	CODE(CL_INVALID_IMAGE_SIZE, PLAIT_E_UNSUPPORTED,
	     "the device's images have fewer pixels in a row or column"),
	CODE(CL_INVALID_SAMPLER, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_BINARY, PLAIT_E_INVALID,
	     "the binary is of another device or driver; build it again"),
	CODE(CL_INVALID_BUILD_OPTIONS, PLAIT_E_INVALID,
	     "see options of the kernel's plait_source"),
	CODE(CL_INVALID_PROGRAM, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_PROGRAM_EXECUTABLE, PLAIT_E_FAILED,
	     "the program was not built for this device"),
	CODE(CL_INVALID_KERNEL_NAME, PLAIT_E_INVALID,
	     "see entry of the kernel's plait_source"),
	CODE(CL_INVALID_KERNEL, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_ARG_INDEX, PLAIT_E_FAILED,
	     "the signature has more parameters than the function"),
	CODE(CL_INVALID_ARG_VALUE, PLAIT_E_FAILED,
	     "the signature does not fit the function's parameter"),
	CODE(CL_INVALID_ARG_SIZE, PLAIT_E_FAILED,
	     "the signature has another size than the function's parameter"),
	CODE(CL_INVALID_KERNEL_ARGS, PLAIT_E_FAILED,
	     "the signature has fewer parameters than the function"),
	CODE(CL_INVALID_WORK_DIMENSION, PLAIT_E_FAILED,
	     "a launch has 1 to 3 dimensions"),
	CODE(CL_INVALID_WORK_GROUP_SIZE, PLAIT_E_UNSUPPORTED,
	     "smaller groups, or those of reqd_work_group_size"),
	CODE(CL_INVALID_WORK_ITEM_SIZE, PLAIT_E_UNSUPPORTED,
	     "fewer items a group in a dimension"),
	CODE(CL_INVALID_GLOBAL_OFFSET, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_EVENT_WAIT_LIST, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_EVENT, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_OPERATION, PLAIT_E_FAILED, ""),
	CODE(CL_INVALID_BUFFER_SIZE, PLAIT_E_FAILED,
	     "at most the device's largest allocation"),
	CODE(CL_INVALID_GLOBAL_WORK_SIZE, PLAIT_E_FAILED,
	     "fewer items: the device cannot count so many"),
	CODE(CL_INVALID_DEVICE_PARTITION_COUNT, PLAIT_E_FAILED,
	     "see split= of the options"),
	CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, PLAIT_E_FAILED, ""),
	CODE(CL_PROFILING_INFO_NOT_AVAILABLE, PLAIT_E_FAILED, ""),
	{ -1001, PLAIT_E_FAILED, "CL_PLATFORM_NOT_FOUND_KHR",
	  "no driver is installed: /etc/OpenCL/vendors, OCL_ICD_VENDORS" },
};

static const struct opencl_code unknown = { 0, PLAIT_E_FAILED,
					    "an unknown error", "" };

const struct opencl_code *plaitp_opencl_code(cl_int code)
{
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code)
			return &codes[i];
	return &unknown;
}
