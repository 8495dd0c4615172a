/* SPDX-License-Identifier: MIT */
/*
 * Table of all functions of the driver and of NVRTC that are used.
 *
 *   CALL(version, name, symbol, parameters, arguments)
 *
 * `version` is passed to cuGetProcAddress with `name`: 12030 is CUDA 12.3.  It
 * is that of the signature below, never a newer one, because names change their
 * signatures.  `symbol` is the exported symbol.  Functions up to CUDA_BASE are
 * required; newer ones may be missing.
 */
#ifndef PLAITP_CUDA_CALLS_H
#define PLAITP_CUDA_CALLS_H

#include "abi.h"

/* The oldest driver that is supported: CUDA 12.0. */
enum { CUDA_BASE = 12000 };

#define CUDA_CALLS_OF_DEVICES(CALL) \
	CALL(2000, cuInit, cuInit, (unsigned int flags), (flags)) \
	CALL(2020, cuDriverGetVersion, cuDriverGetVersion, \
	     (int *version), (version)) \
	CALL(6000, cuGetErrorName, cuGetErrorName, \
	     (CUresult code, const char **name), (code, name)) \
	CALL(6000, cuGetErrorString, cuGetErrorString, \
	     (CUresult code, const char **text), (code, text)) \
	CALL(2000, cuDeviceGetCount, cuDeviceGetCount, \
	     (int *count), (count)) \
	CALL(2000, cuDeviceGet, cuDeviceGet, \
	     (CUdevice *device, int ordinal), (device, ordinal)) \
	CALL(2000, cuDeviceGetName, cuDeviceGetName, \
	     (char *name, int room, CUdevice device), (name, room, device)) \
	CALL(11040, cuDeviceGetUuid, cuDeviceGetUuid_v2, \
	     (CUuuid *uuid, CUdevice device), (uuid, device)) \
	CALL(3020, cuDeviceTotalMem, cuDeviceTotalMem_v2, \
	     (size_t *bytes, CUdevice device), (bytes, device)) \
	CALL(2000, cuDeviceGetAttribute, cuDeviceGetAttribute, \
	     (int *value, CUdevice_attribute attribute, CUdevice device), \
	     (value, attribute, device)) \
	CALL(4000, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, \
	     (int *can, CUdevice device, CUdevice peer), \
	     (can, device, peer)) \
	CALL(7000, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, \
	     (CUcontext *context, CUdevice device), (context, device)) \
	CALL(11000, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, \
	     (CUdevice device), (device)) \
	CALL(11000, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, \
	     (CUdevice device), (device)) \
	CALL(4000, cuCtxPushCurrent, cuCtxPushCurrent_v2, \
	     (CUcontext context), (context)) \
	CALL(4000, cuCtxPopCurrent, cuCtxPopCurrent_v2, \
	     (CUcontext *context), (context)) \
	CALL(4000, cuCtxSetCurrent, cuCtxSetCurrent, \
	     (CUcontext context), (context)) \
	CALL(4000, cuCtxGetCurrent, cuCtxGetCurrent, \
	     (CUcontext *context), (context)) \
	CALL(2000, cuCtxGetDevice, cuCtxGetDevice, \
	     (CUdevice *device), (device)) \
	CALL(2000, cuCtxSynchronize, cuCtxSynchronize, (void), ()) \
	CALL(5050, cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, \
	     (int *least, int *greatest), (least, greatest)) \
	CALL(4000, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, \
	     (CUcontext peer, unsigned int flags), (peer, flags)) \
	CALL(10010, cuThreadExchangeStreamCaptureMode, \
	     cuThreadExchangeStreamCaptureMode, \
	     (CUstreamCaptureMode *mode), (mode))

#define CUDA_CALLS_OF_MEMORY(CALL) \
	CALL(3020, cuMemGetInfo, cuMemGetInfo_v2, \
	     (size_t *unused, size_t *total), (unused, total)) \
	CALL(3020, cuMemAlloc, cuMemAlloc_v2, \
	     (CUdeviceptr *pointer, size_t bytes), (pointer, bytes)) \
	CALL(3020, cuMemFree, cuMemFree_v2, \
	     (CUdeviceptr pointer), (pointer)) \
	CALL(11020, cuMemAllocAsync, cuMemAllocAsync, \
	     (CUdeviceptr *pointer, size_t bytes, CUstream stream), \
	     (pointer, bytes, stream)) \
	CALL(11020, cuMemFreeAsync, cuMemFreeAsync, \
	     (CUdeviceptr pointer, CUstream stream), (pointer, stream)) \
	CALL(2020, cuMemHostAlloc, cuMemHostAlloc, \
	     (void **pointer, size_t bytes, unsigned int flags), \
	     (pointer, bytes, flags)) \
	CALL(2000, cuMemFreeHost, cuMemFreeHost, (void *pointer), (pointer)) \
	CALL(6050, cuMemHostRegister, cuMemHostRegister_v2, \
	     (void *pointer, size_t bytes, unsigned int flags), \
	     (pointer, bytes, flags)) \
	CALL(4000, cuMemHostUnregister, cuMemHostUnregister, \
	     (void *pointer), (pointer)) \
	CALL(3020, cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, \
	     (CUdeviceptr *address, void *pointer, unsigned int flags), \
	     (address, pointer, flags)) \
	CALL(4000, cuPointerGetAttribute, cuPointerGetAttribute, \
	     (void *value, CUpointer_attribute attribute, \
	      CUdeviceptr pointer), \
	     (value, attribute, pointer)) \
	CALL(3020, cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, \
	     (CUdeviceptr target, const void *source, size_t bytes, \
	      CUstream stream), \
	     (target, source, bytes, stream)) \
	CALL(3020, cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, \
	     (void *target, CUdeviceptr source, size_t bytes, \
	      CUstream stream), \
	     (target, source, bytes, stream)) \
	CALL(3020, cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, \
	     (CUdeviceptr target, CUdeviceptr source, size_t bytes, \
	      CUstream stream), \
	     (target, source, bytes, stream)) \
	CALL(4000, cuMemcpyAsync, cuMemcpyAsync, \
	     (CUdeviceptr target, CUdeviceptr source, size_t bytes, \
	      CUstream stream), \
	     (target, source, bytes, stream)) \
	CALL(4000, cuMemcpyPeerAsync, cuMemcpyPeerAsync, \
	     (CUdeviceptr target, CUcontext target_context, \
	      CUdeviceptr source, CUcontext source_context, size_t bytes, \
	      CUstream stream), \
	     (target, target_context, source, source_context, bytes, \
	      stream)) \
	CALL(3020, cuMemcpy3DAsync, cuMemcpy3DAsync_v2, \
	     (const CUDA_MEMCPY3D_v2 *copy, CUstream stream), \
	     (copy, stream)) \
	CALL(4000, cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync, \
	     (const CUDA_MEMCPY3D_PEER_v1 *copy, CUstream stream), \
	     (copy, stream)) \
	CALL(3020, cuMemsetD8Async, cuMemsetD8Async, \
	     (CUdeviceptr target, unsigned char value, size_t count, \
	      CUstream stream), \
	     (target, value, count, stream)) \
	CALL(3020, cuMemsetD16Async, cuMemsetD16Async, \
	     (CUdeviceptr target, unsigned short value, size_t count, \
	      CUstream stream), \
	     (target, value, count, stream)) \
	CALL(3020, cuMemsetD32Async, cuMemsetD32Async, \
	     (CUdeviceptr target, unsigned int value, size_t count, \
	      CUstream stream), \
	     (target, value, count, stream)) \
	CALL(3020, cuMemsetD2D8Async, cuMemsetD2D8Async, \
	     (CUdeviceptr target, size_t pitch, unsigned char value, \
	      size_t width, size_t height, CUstream stream), \
	     (target, pitch, value, width, height, stream)) \
	CALL(3020, cuMemsetD2D32Async, cuMemsetD2D32Async, \
	     (CUdeviceptr target, size_t pitch, unsigned int value, \
	      size_t width, size_t height, CUstream stream), \
	     (target, pitch, value, width, height, stream))

#define CUDA_CALLS_OF_IMAGES(CALL) \
	CALL(3020, cuArray3DCreate, cuArray3DCreate_v2, \
	     (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v2 *desc), \
	     (array, desc)) \
	CALL(2000, cuArrayDestroy, cuArrayDestroy, \
	     (CUarray array), (array)) \
	CALL(5000, cuTexObjectCreate, cuTexObjectCreate, \
	     (CUtexObject *texture, const CUDA_RESOURCE_DESC_v1 *resource, \
	      const CUDA_TEXTURE_DESC_v1 *desc, \
	      const CUDA_RESOURCE_VIEW_DESC_v1 *view), \
	     (texture, resource, desc, view)) \
	CALL(5000, cuTexObjectDestroy, cuTexObjectDestroy, \
	     (CUtexObject texture), (texture)) \
	CALL(5000, cuSurfObjectCreate, cuSurfObjectCreate, \
	     (CUsurfObject *surface, const CUDA_RESOURCE_DESC_v1 *resource), \
	     (surface, resource)) \
	CALL(5000, cuSurfObjectDestroy, cuSurfObjectDestroy, \
	     (CUsurfObject surface), (surface))

#define CUDA_CALLS_OF_STREAMS(CALL) \
	CALL(5050, cuStreamCreateWithPriority, cuStreamCreateWithPriority, \
	     (CUstream *stream, unsigned int flags, int priority), \
	     (stream, flags, priority)) \
	CALL(4000, cuStreamDestroy, cuStreamDestroy_v2, \
	     (CUstream stream), (stream)) \
	CALL(2000, cuStreamQuery, cuStreamQuery, (CUstream stream), (stream)) \
	CALL(2000, cuStreamSynchronize, cuStreamSynchronize, \
	     (CUstream stream), (stream)) \
	CALL(3020, cuStreamWaitEvent, cuStreamWaitEvent, \
	     (CUstream stream, CUevent event, unsigned int flags), \
	     (stream, event, flags)) \
	CALL(9020, cuStreamGetCtx, cuStreamGetCtx, \
	     (CUstream stream, CUcontext *context), (stream, context)) \
	CALL(5050, cuStreamGetPriority, cuStreamGetPriority, \
	     (CUstream stream, int *priority), (stream, priority)) \
	CALL(11070, cuStreamWaitValue32, cuStreamWaitValue32_v2, \
	     (CUstream stream, CUdeviceptr address, uint32_t value, \
	      unsigned int flags), \
	     (stream, address, value, flags)) \
	CALL(11070, cuStreamWriteValue32, cuStreamWriteValue32_v2, \
	     (CUstream stream, CUdeviceptr address, uint32_t value, \
	      unsigned int flags), \
	     (stream, address, value, flags)) \
	CALL(5000, cuStreamAddCallback, cuStreamAddCallback, \
	     (CUstream stream, CUstreamCallback function, void *user_data, \
	      unsigned int flags), \
	     (stream, function, user_data, flags)) \
	CALL(10000, cuLaunchHostFunc, cuLaunchHostFunc, \
	     (CUstream stream, CUhostFn function, void *user_data), \
	     (stream, function, user_data)) \
	CALL(2000, cuEventCreate, cuEventCreate, \
	     (CUevent *event, unsigned int flags), (event, flags)) \
	CALL(4000, cuEventDestroy, cuEventDestroy_v2, \
	     (CUevent event), (event)) \
	CALL(2000, cuEventRecord, cuEventRecord, \
	     (CUevent event, CUstream stream), (event, stream)) \
	CALL(2000, cuEventQuery, cuEventQuery, (CUevent event), (event)) \
	CALL(2000, cuEventSynchronize, cuEventSynchronize, \
	     (CUevent event), (event)) \
	CALL(2000, cuEventElapsedTime, cuEventElapsedTime, \
	     (float *milliseconds, CUevent start, CUevent end), \
	     (milliseconds, start, end))

#define CUDA_CALLS_OF_KERNELS(CALL) \
	CALL(2010, cuModuleLoadDataEx, cuModuleLoadDataEx, \
	     (CUmodule *module, const void *image, unsigned int count, \
	      CUjit_option *options, void **values), \
	     (module, image, count, options, values)) \
	CALL(2000, cuModuleUnload, cuModuleUnload, \
	     (CUmodule module), (module)) \
	CALL(2000, cuModuleGetFunction, cuModuleGetFunction, \
	     (CUfunction *function, CUmodule module, const char *name), \
	     (function, module, name)) \
	CALL(3020, cuModuleGetGlobal, cuModuleGetGlobal_v2, \
	     (CUdeviceptr *pointer, size_t *bytes, CUmodule module, \
	      const char *name), \
	     (pointer, bytes, module, name)) \
	CALL(2020, cuFuncGetAttribute, cuFuncGetAttribute, \
	     (int *value, CUfunction_attribute attribute, \
	      CUfunction function), \
	     (value, attribute, function)) \
	CALL(9000, cuFuncSetAttribute, cuFuncSetAttribute, \
	     (CUfunction function, CUfunction_attribute attribute, \
	      int value), \
	     (function, attribute, value)) \
	CALL(12040, cuFuncGetParamInfo, cuFuncGetParamInfo, \
	     (CUfunction function, size_t index, size_t *offset, \
	      size_t *bytes), \
	     (function, index, offset, bytes)) \
	CALL(4000, cuLaunchKernel, cuLaunchKernel, \
	     (CUfunction function, unsigned int grid_x, \
	      unsigned int grid_y, unsigned int grid_z, \
	      unsigned int block_x, unsigned int block_y, \
	      unsigned int block_z, unsigned int shared_bytes, \
	      CUstream stream, void **arguments, void **extra), \
	     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, \
	      shared_bytes, stream, arguments, extra))

#define CUDA_CALLS_OF_GRAPHS(CALL) \
	CALL(10000, cuGraphCreate, cuGraphCreate, \
	     (CUgraph *graph, unsigned int flags), (graph, flags)) \
	CALL(10000, cuGraphDestroy, cuGraphDestroy, (CUgraph graph), (graph)) \
	CALL(12000, cuGraphAddKernelNode, cuGraphAddKernelNode_v2, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 *params), \
	     (node, graph, before, count, params)) \
	CALL(10000, cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, const CUDA_MEMCPY3D_v2 *params, \
	      CUcontext context), \
	     (node, graph, before, count, params, context)) \
	CALL(10000, cuGraphAddMemsetNode, cuGraphAddMemsetNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, const CUDA_MEMSET_NODE_PARAMS_v1 *params, \
	      CUcontext context), \
	     (node, graph, before, count, params, context)) \
	CALL(10000, cuGraphAddHostNode, cuGraphAddHostNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, const CUDA_HOST_NODE_PARAMS_v1 *params), \
	     (node, graph, before, count, params)) \
	CALL(10000, cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, CUgraph child), \
	     (node, graph, before, count, child)) \
	CALL(10000, cuGraphAddEmptyNode, cuGraphAddEmptyNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count), \
	     (node, graph, before, count)) \
	CALL(11010, cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, CUevent event), \
	     (node, graph, before, count, event)) \
	CALL(11010, cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      size_t count, CUevent event), \
	     (node, graph, before, count, event)) \
	CALL(12030, cuGraphAddNode, cuGraphAddNode_v2, \
	     (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, \
	      const CUgraphEdgeData *edges, size_t count, \
	      CUgraphNodeParams *params), \
	     (node, graph, before, edges, count, params)) \
	CALL(10000, cuGraphAddDependencies, cuGraphAddDependencies, \
	     (CUgraph graph, const CUgraphNode *from, \
	      const CUgraphNode *to, size_t count), \
	     (graph, from, to, count)) \
	CALL(12030, cuGraphConditionalHandleCreate, \
	     cuGraphConditionalHandleCreate, \
	     (CUgraphConditionalHandle *handle, CUgraph graph, \
	      CUcontext context, unsigned int value, unsigned int flags), \
	     (handle, graph, context, value, flags)) \
	CALL(12000, cuGraphInstantiateWithParams, \
	     cuGraphInstantiateWithParams, \
	     (CUgraphExec *exec, CUgraph graph, \
	      CUDA_GRAPH_INSTANTIATE_PARAMS *params), \
	     (exec, graph, params)) \
	CALL(11010, cuGraphUpload, cuGraphUpload, \
	     (CUgraphExec exec, CUstream stream), (exec, stream)) \
	CALL(10000, cuGraphLaunch, cuGraphLaunch, \
	     (CUgraphExec exec, CUstream stream), (exec, stream)) \
	CALL(10000, cuGraphExecDestroy, cuGraphExecDestroy, \
	     (CUgraphExec exec), (exec)) \
	CALL(12000, cuGraphExecKernelNodeSetParams, \
	     cuGraphExecKernelNodeSetParams_v2, \
	     (CUgraphExec exec, CUgraphNode node, \
	      const CUDA_KERNEL_NODE_PARAMS_v2 *params), \
	     (exec, node, params)) \
	CALL(10020, cuGraphExecMemcpyNodeSetParams, \
	     cuGraphExecMemcpyNodeSetParams, \
	     (CUgraphExec exec, CUgraphNode node, \
	      const CUDA_MEMCPY3D_v2 *params, CUcontext context), \
	     (exec, node, params, context)) \
	CALL(10020, cuGraphExecMemsetNodeSetParams, \
	     cuGraphExecMemsetNodeSetParams, \
	     (CUgraphExec exec, CUgraphNode node, \
	      const CUDA_MEMSET_NODE_PARAMS_v1 *params, CUcontext context), \
	     (exec, node, params, context)) \
	CALL(11060, cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, \
	     (CUgraphExec exec, CUgraphNode node, unsigned int enabled), \
	     (exec, node, enabled))

#define CUDA_CALLS(CALL) \
	CUDA_CALLS_OF_DEVICES(CALL) \
	CUDA_CALLS_OF_MEMORY(CALL) \
	CUDA_CALLS_OF_IMAGES(CALL) \
	CUDA_CALLS_OF_STREAMS(CALL) \
	CUDA_CALLS_OF_KERNELS(CALL) \
	CUDA_CALLS_OF_GRAPHS(CALL)

/* Looked up by its symbol; it finds all others. */
typedef CUresult cuda_get_proc_address(const char *name, void **function,
				       int version, uint64_t flags,
				       CUdriverProcAddressQueryResult *found);
#define CUDA_GET_PROC_ADDRESS "cuGetProcAddress_v2"

/* NVRTC's functions are looked up by symbol; `version` is not used. */
#define NVRTC_CALLS(CALL) \
	CALL(0, nvrtcVersion, nvrtcVersion, \
	     (int *major, int *minor), (major, minor)) \
	CALL(0, nvrtcCreateProgram, nvrtcCreateProgram, \
	     (nvrtcProgram *program, const char *text, const char *name, \
	      int count, const char *const *headers, \
	      const char *const *names), \
	     (program, text, name, count, headers, names)) \
	CALL(0, nvrtcDestroyProgram, nvrtcDestroyProgram, \
	     (nvrtcProgram *program), (program)) \
	CALL(0, nvrtcCompileProgram, nvrtcCompileProgram, \
	     (nvrtcProgram program, int count, const char *const *options), \
	     (program, count, options)) \
	CALL(0, nvrtcGetProgramLogSize, nvrtcGetProgramLogSize, \
	     (nvrtcProgram program, size_t *bytes), (program, bytes)) \
	CALL(0, nvrtcGetProgramLog, nvrtcGetProgramLog, \
	     (nvrtcProgram program, char *text), (program, text)) \
	CALL(0, nvrtcGetPTXSize, nvrtcGetPTXSize, \
	     (nvrtcProgram program, size_t *bytes), (program, bytes)) \
	CALL(0, nvrtcGetPTX, nvrtcGetPTX, \
	     (nvrtcProgram program, char *text), (program, text)) \
	CALL(0, nvrtcGetCUBINSize, nvrtcGetCUBINSize, \
	     (nvrtcProgram program, size_t *bytes), (program, bytes)) \
	CALL(0, nvrtcGetCUBIN, nvrtcGetCUBIN, \
	     (nvrtcProgram program, char *code), (program, code)) \
	CALL(0, nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs, \
	     (int *count), (count)) \
	CALL(0, nvrtcGetSupportedArchs, nvrtcGetSupportedArchs, \
	     (int *archs), (archs))

#define CUDA_POINTER(version, name, symbol, parameters, arguments) \
	CUresult (*name) parameters;
#define NVRTC_POINTER(version, name, symbol, parameters, arguments) \
	nvrtcResult (*name) parameters;

struct cuda_calls {
	CUDA_CALLS(CUDA_POINTER)
};

struct nvrtc_calls {
	NVRTC_CALLS(NVRTC_POINTER)
};

#endif
