/* SPDX-License-Identifier: MIT */
/*
 * Table of all OpenCL functions that are used.  driver.c derives the function
 * pointers and the names to look up; tests derive their interposers.
 *
 *   STATUS(name, parameters, arguments)        returns a cl_int
 *   MAKES(type, name, parameters, arguments)   returns an object, and a
 *                                              cl_int through `code`
 */
#ifndef PLAITP_OPENCL_CALLS_H
#define PLAITP_OPENCL_CALLS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define OPENCL_CALLS(STATUS, MAKES) \
	STATUS(clGetPlatformIDs, \
	       (cl_uint room, cl_platform_id *ids, cl_uint *count), \
	       (room, ids, count)) \
	STATUS(clGetPlatformInfo, \
	       (cl_platform_id platform, cl_platform_info key, size_t room, \
		void *value, size_t *bytes), \
	       (platform, key, room, value, bytes)) \
	STATUS(clGetDeviceIDs, \
	       (cl_platform_id platform, cl_device_type type, cl_uint room, \
		cl_device_id *ids, cl_uint *count), \
	       (platform, type, room, ids, count)) \
	STATUS(clGetDeviceInfo, \
	       (cl_device_id device, cl_device_info key, size_t room, \
		void *value, size_t *bytes), \
	       (device, key, room, value, bytes)) \
	STATUS(clCreateSubDevices, \
	       (cl_device_id device, \
		const cl_device_partition_property *how, cl_uint room, \
		cl_device_id *ids, cl_uint *count), \
	       (device, how, room, ids, count)) \
	STATUS(clReleaseDevice, (cl_device_id device), (device)) \
	MAKES(cl_context, clCreateContext, \
	      (const cl_context_properties *how, cl_uint count, \
	       const cl_device_id *ids, \
	       void (CL_CALLBACK *tell)(const char *, const void *, size_t, \
					void *), \
	       void *user_data, cl_int *code), \
	      (how, count, ids, tell, user_data, code)) \
	STATUS(clReleaseContext, (cl_context context), (context)) \
	MAKES(cl_command_queue, clCreateCommandQueue, \
	      (cl_context context, cl_device_id device, \
	       cl_command_queue_properties how, cl_int *code), \
	      (context, device, how, code)) \
	STATUS(clGetCommandQueueInfo, \
	       (cl_command_queue queue, cl_command_queue_info key, \
		size_t room, void *value, size_t *bytes), \
	       (queue, key, room, value, bytes)) \
	STATUS(clRetainCommandQueue, (cl_command_queue queue), (queue)) \
	STATUS(clReleaseCommandQueue, (cl_command_queue queue), (queue)) \
	MAKES(cl_mem, clCreateBuffer, \
	      (cl_context context, cl_mem_flags flags, size_t bytes, \
	       void *pointer, cl_int *code), \
	      (context, flags, bytes, pointer, code)) \
	MAKES(cl_mem, clCreateImage, \
	      (cl_context context, cl_mem_flags flags, \
	       const cl_image_format *format, const cl_image_desc *desc, \
	       void *pointer, cl_int *code), \
	      (context, flags, format, desc, pointer, code)) \
	MAKES(cl_sampler, clCreateSampler, \
	      (cl_context context, cl_bool normalized, \
	       cl_addressing_mode addressing, cl_filter_mode filter, \
	       cl_int *code), \
	      (context, normalized, addressing, filter, code)) \
	STATUS(clReleaseSampler, (cl_sampler sampler), (sampler)) \
	STATUS(clGetMemObjectInfo, \
	       (cl_mem memory, cl_mem_info key, size_t room, void *value, \
		size_t *bytes), \
	       (memory, key, room, value, bytes)) \
	STATUS(clRetainMemObject, (cl_mem memory), (memory)) \
	STATUS(clReleaseMemObject, (cl_mem memory), (memory)) \
	MAKES(cl_mem, clCreateSubBuffer, \
	      (cl_mem memory, cl_mem_flags flags, \
	       cl_buffer_create_type type, const void *region, cl_int *code), \
	      (memory, flags, type, region, code)) \
	MAKES(cl_program, clCreateProgramWithSource, \
	      (cl_context context, cl_uint count, const char **texts, \
	       const size_t *bytes, cl_int *code), \
	      (context, count, texts, bytes, code)) \
	MAKES(cl_program, clCreateProgramWithBinary, \
	      (cl_context context, cl_uint count, const cl_device_id *ids, \
	       const size_t *bytes, const unsigned char **binaries, \
	       cl_int *states, cl_int *code), \
	      (context, count, ids, bytes, binaries, states, code)) \
	STATUS(clBuildProgram, \
	       (cl_program program, cl_uint count, const cl_device_id *ids, \
		const char *options, \
		void (CL_CALLBACK *tell)(cl_program, void *), \
		void *user_data), \
	       (program, count, ids, options, tell, user_data)) \
	STATUS(clGetProgramInfo, \
	       (cl_program program, cl_program_info key, size_t room, \
		void *value, size_t *bytes), \
	       (program, key, room, value, bytes)) \
	STATUS(clGetProgramBuildInfo, \
	       (cl_program program, cl_device_id device, \
		cl_program_build_info key, size_t room, void *value, \
		size_t *bytes), \
	       (program, device, key, room, value, bytes)) \
	STATUS(clReleaseProgram, (cl_program program), (program)) \
	MAKES(cl_kernel, clCreateKernel, \
	      (cl_program program, const char *entry, cl_int *code), \
	      (program, entry, code)) \
	STATUS(clRetainKernel, (cl_kernel kernel), (kernel)) \
	STATUS(clReleaseKernel, (cl_kernel kernel), (kernel)) \
	STATUS(clSetKernelArg, \
	       (cl_kernel kernel, cl_uint index, size_t bytes, \
		const void *value), \
	       (kernel, index, bytes, value)) \
	STATUS(clGetKernelInfo, \
	       (cl_kernel kernel, cl_kernel_info key, size_t room, \
		void *value, size_t *bytes), \
	       (kernel, key, room, value, bytes)) \
	STATUS(clGetKernelArgInfo, \
	       (cl_kernel kernel, cl_uint index, cl_kernel_arg_info key, \
		size_t room, void *value, size_t *bytes), \
	       (kernel, index, key, room, value, bytes)) \
	STATUS(clGetKernelWorkGroupInfo, \
	       (cl_kernel kernel, cl_device_id device, \
		cl_kernel_work_group_info key, size_t room, void *value, \
		size_t *bytes), \
	       (kernel, device, key, room, value, bytes)) \
	STATUS(clEnqueueNDRangeKernel, \
	       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, \
		const size_t *offset, const size_t *items, \
		const size_t *group, cl_uint count, const cl_event *waits, \
		cl_event *event), \
	       (queue, kernel, dimensions, offset, items, group, count, \
		waits, event)) \
	STATUS(clEnqueueReadBuffer, \
	       (cl_command_queue queue, cl_mem memory, cl_bool blocking, \
		size_t offset, size_t bytes, void *pointer, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, memory, blocking, offset, bytes, pointer, count, \
		waits, event)) \
	STATUS(clEnqueueWriteBuffer, \
	       (cl_command_queue queue, cl_mem memory, cl_bool blocking, \
		size_t offset, size_t bytes, const void *pointer, \
		cl_uint count, const cl_event *waits, cl_event *event), \
	       (queue, memory, blocking, offset, bytes, pointer, count, \
		waits, event)) \
	STATUS(clEnqueueCopyBuffer, \
	       (cl_command_queue queue, cl_mem source, cl_mem target, \
		size_t source_offset, size_t target_offset, size_t bytes, \
		cl_uint count, const cl_event *waits, cl_event *event), \
	       (queue, source, target, source_offset, target_offset, bytes, \
		count, waits, event)) \
	STATUS(clEnqueueReadBufferRect, \
	       (cl_command_queue queue, cl_mem memory, cl_bool blocking, \
		const size_t *from, const size_t *to, const size_t *region, \
		size_t row, size_t slice, size_t host_row, \
		size_t host_slice, void *pointer, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, memory, blocking, from, to, region, row, slice, \
		host_row, host_slice, pointer, count, waits, event)) \
	STATUS(clEnqueueWriteBufferRect, \
	       (cl_command_queue queue, cl_mem memory, cl_bool blocking, \
		const size_t *to, const size_t *from, const size_t *region, \
		size_t row, size_t slice, size_t host_row, \
		size_t host_slice, const void *pointer, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, memory, blocking, to, from, region, row, slice, \
		host_row, host_slice, pointer, count, waits, event)) \
	STATUS(clEnqueueCopyBufferRect, \
	       (cl_command_queue queue, cl_mem source, cl_mem target, \
		const size_t *from, const size_t *to, const size_t *region, \
		size_t source_row, size_t source_slice, size_t target_row, \
		size_t target_slice, cl_uint count, const cl_event *waits, \
		cl_event *event), \
	       (queue, source, target, from, to, region, source_row, \
		source_slice, target_row, target_slice, count, waits, \
		event)) \
	STATUS(clEnqueueReadImage, \
	       (cl_command_queue queue, cl_mem image, cl_bool blocking, \
		const size_t *from, const size_t *region, size_t row, \
		size_t slice, void *pointer, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, image, blocking, from, region, row, slice, pointer, \
		count, waits, event)) \
	STATUS(clEnqueueWriteImage, \
	       (cl_command_queue queue, cl_mem image, cl_bool blocking, \
		const size_t *to, const size_t *region, size_t row, \
		size_t slice, const void *pointer, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, image, blocking, to, region, row, slice, pointer, \
		count, waits, event)) \
	STATUS(clEnqueueCopyImage, \
	       (cl_command_queue queue, cl_mem source, cl_mem target, \
		const size_t *from, const size_t *to, const size_t *region, \
		cl_uint count, const cl_event *waits, cl_event *event), \
	       (queue, source, target, from, to, region, count, waits, \
		event)) \
	STATUS(clEnqueueCopyImageToBuffer, \
	       (cl_command_queue queue, cl_mem source, cl_mem target, \
		const size_t *from, const size_t *region, \
		size_t target_offset, cl_uint count, const cl_event *waits, \
		cl_event *event), \
	       (queue, source, target, from, region, target_offset, count, \
		waits, event)) \
	STATUS(clEnqueueCopyBufferToImage, \
	       (cl_command_queue queue, cl_mem source, cl_mem target, \
		size_t source_offset, const size_t *to, \
		const size_t *region, cl_uint count, const cl_event *waits, \
		cl_event *event), \
	       (queue, source, target, source_offset, to, region, count, \
		waits, event)) \
	STATUS(clEnqueueFillBuffer, \
	       (cl_command_queue queue, cl_mem memory, const void *pattern, \
		size_t pattern_bytes, size_t offset, size_t bytes, \
		cl_uint count, const cl_event *waits, cl_event *event), \
	       (queue, memory, pattern, pattern_bytes, offset, bytes, count, \
		waits, event)) \
	MAKES(void *, clEnqueueMapBuffer, \
	      (cl_command_queue queue, cl_mem memory, cl_bool blocking, \
	       cl_map_flags flags, size_t offset, size_t bytes, \
	       cl_uint count, const cl_event *waits, cl_event *event, \
	       cl_int *code), \
	      (queue, memory, blocking, flags, offset, bytes, count, waits, \
	       event, code)) \
	STATUS(clEnqueueUnmapMemObject, \
	       (cl_command_queue queue, cl_mem memory, void *pointer, \
		cl_uint count, const cl_event *waits, cl_event *event), \
	       (queue, memory, pointer, count, waits, event)) \
	STATUS(clEnqueueMarkerWithWaitList, \
	       (cl_command_queue queue, cl_uint count, \
		const cl_event *waits, cl_event *event), \
	       (queue, count, waits, event)) \
	STATUS(clSetEventCallback, \
	       (cl_event event, cl_int state, \
		void (CL_CALLBACK *tell)(cl_event, cl_int, void *), \
		void *user_data), \
	       (event, state, tell, user_data)) \
	STATUS(clWaitForEvents, (cl_uint count, const cl_event *events), \
	       (count, events)) \
	STATUS(clGetEventInfo, \
	       (cl_event event, cl_event_info key, size_t room, void *value, \
		size_t *bytes), \
	       (event, key, room, value, bytes)) \
	STATUS(clGetEventProfilingInfo, \
	       (cl_event event, cl_profiling_info key, size_t room, \
		void *value, size_t *bytes), \
	       (event, key, room, value, bytes)) \
	STATUS(clRetainEvent, (cl_event event), (event)) \
	STATUS(clReleaseEvent, (cl_event event), (event)) \
	STATUS(clFlush, (cl_command_queue queue), (queue)) \
	STATUS(clFinish, (cl_command_queue queue), (queue))

#define OPENCL_STATUS_POINTER(name, parameters, arguments) \
	cl_int (CL_API_CALL *name) parameters;
#define OPENCL_MAKES_POINTER(type, name, parameters, arguments) \
	type (CL_API_CALL *name) parameters;

struct opencl_calls {
	OPENCL_CALLS(OPENCL_STATUS_POINTER, OPENCL_MAKES_POINTER)
	/* Not of the table, because it returns no code. */
	void *(CL_API_CALL *clGetExtensionFunctionAddressForPlatform)(
		cl_platform_id platform, const char *name);
};

#endif
