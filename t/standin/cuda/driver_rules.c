/* SPDX-License-Identifier: MIT */
/* Rules of CUDA's driver API in the stand-in: each rule has a check here which
 * fails when it is broken. */
#include <string.h>

#include "rig.h"

/* --- finding -------------------------------------------------------------- */

static void versions(void)
{
	CUdriverProcAddressQueryResult found;
	void *function;

	if (!rig_load())
		return;
	rig_configure("version=12020");
	WORKS(rig_find("cuMemAlloc", &function, 3020, 0, &found));
	OK(function != NULL && found == CU_GET_PROC_ADDRESS_SUCCESS);
	WORKS(rig_find("cuMemAlloc", &function, 3010, 0, &found));
	OK(function == NULL &&
	   found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	WORKS(rig_find("cuNothing", &function, 12000, 0, &found));
	OK(function == NULL && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	GIVES(rig_find("cuMemAlloc", &function, 12030, 0, &found),
	      CUDA_ERROR_INVALID_VALUE);
	rig_configure("version=12080");
	WORKS(rig_find("cuGraphAddNode", &function, 12030, 0, NULL));
	OK(function != NULL);
	/* A name that has another signature since. */
	WORKS(rig_find("cuEventElapsedTime", &function, 12080, 0, NULL));
	OK(function == NULL);
}

/* --- contexts ------------------------------------------------------------- */

static void contexts(void)
{
	CUdeviceptr pointer;
	CUcontext context;
	CUstream stream;

	if (!rig_load())
		return;
	rig_configure("devices=2");
	GIVES(cu.cuDeviceGetCount(&(int){ 0 }), CUDA_ERROR_NOT_INITIALIZED);
	WORKS(cu.cuInit(0));
	GIVES(cu.cuMemAlloc(&pointer, 8), CUDA_ERROR_INVALID_CONTEXT);
	GIVES(cu.cuDevicePrimaryCtxRetain(&context, 2),
	      CUDA_ERROR_INVALID_DEVICE);
	WORKS(cu.cuDevicePrimaryCtxRetain(&context, 1));
	WORKS(cu.cuCtxPushCurrent(context));
	stream = rig_stream();
	WORKS(cu.cuMemAlloc(&pointer, 8));
	WORKS(cu.cuDevicePrimaryCtxRetain(&rig_context, 0));
	WORKS(cu.cuCtxPushCurrent(rig_context));
	GIVES(cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
	WORKS(cu.cuCtxPopCurrent(&context));
	OK(context == rig_context);
	WORKS(cu.cuStreamQuery(stream));
	IS_UINT(rig_live(STANDIN_STREAM), 1);
	WORKS(cu.cuDevicePrimaryCtxRelease(1));
	GIVES(cu.cuStreamQuery(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	WORKS(cu.cuCtxPopCurrent(NULL));
	GIVES(cu.cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
	IS_UINT(rig_live(STANDIN_STREAM), 0);
	IS_UINT(rig_leaked(STANDIN_STREAM), 1);
	IS_UINT(rig_leaked(STANDIN_DEVICE_MEMORY), 1);
	WORKS(cu.cuDevicePrimaryCtxRelease(0));
}

static void handles(void)
{
	CUstream stream;
	CUevent event;

	if (!rig_open(""))
		return;
	stream = rig_stream();
	WORKS(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	WORKS(cu.cuStreamDestroy(stream));
	WORKS(cu.cuEventDestroy(event));
	GIVES(cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
	GIVES(cu.cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
	GIVES(cu.cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	rig_close();
}

/* --- memory --------------------------------------------------------------- */

static void memory(void)
{
	static char host[64];
	unsigned kind = 0;
	CUdeviceptr pointer;
	void *pinned;

	if (!rig_open("memory=1000"))
		return;
	GIVES(cu.cuMemAlloc(&pointer, 1001), CUDA_ERROR_OUT_OF_MEMORY);
	GIVES(cu.cuMemAlloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
	pointer = rig_memory(600);
	GIVES(cu.cuMemAlloc(&(CUdeviceptr){ 0 }, 600),
	      CUDA_ERROR_OUT_OF_MEMORY);
	/* The call waits, because the driver does not know `host`; new memory
	 * is full of rubbish. */
	WORKS(cu.cuMemcpyDtoHAsync(host, pointer + 536, 64, NULL));
	WORKS(cu.cuStreamQuery(NULL));
	OK(host[0] != 0 && host[63] != 0);
	GIVES(cu.cuMemcpyDtoHAsync(host, pointer + 537, 64, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuMemsetD8Async(pointer, 0, 601, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuMemsetD32Async(pointer + 2, 0, 1, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuMemcpyDtoDAsync(pointer, (CUdeviceptr)(uintptr_t)host, 8,
				   NULL), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       pointer + 5));
	IS_INT(kind, CU_MEMORYTYPE_DEVICE);
	GIVES(cu.cuMemFree(pointer + 8), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuMemFree(pointer));
	GIVES(cu.cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuMemFree(rig_memory(600)));
	WORKS(cu.cuMemHostRegister(host, sizeof(host), 0));
	GIVES(cu.cuMemHostRegister(host + 8, 8, 0),
	      CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	WORKS(cu.cuMemHostGetDevicePointer(&pointer, host + 8, 0));
	WORKS(cu.cuMemsetD8Async(pointer, 3, 8, NULL));
	WORKS(cu.cuMemHostUnregister(host));
	OK(host[7] != 3 && host[8] == 3 && host[15] == 3);
	GIVES(cu.cuMemHostUnregister(host),
	      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	WORKS(cu.cuMemHostAlloc(&pinned, 64, 0));
	WORKS(cu.cuMemFreeHost(pinned));
	rig_close();
}

/* A fill of lines, and copies of every direction. */
static void copies(void)
{
	unsigned char host[64], want[64];
	CUdeviceptr from, to;
	CUstream stream;

	if (!rig_open(""))
		return;
	stream = rig_stream();
	from = rig_memory(64);
	to = rig_memory(64);
	memset(want, 1, sizeof(want));
	memset(want + 8, 9, 4);
	memset(want + 24, 9, 4);
	WORKS(cu.cuMemsetD8Async(from, 1, 64, stream));
	WORKS(cu.cuMemsetD2D8Async(from + 8, 16, 9, 4, 2, stream));
	/* Memory that the driver does not know is read during the call. */
	host[0] = 77;
	WORKS(cu.cuMemcpyHtoDAsync(from, host, 1, stream));
	host[0] = 78;
	want[0] = 77;
	WORKS(cu.cuMemcpyAsync(to, from, 64, stream));
	WORKS(cu.cuMemcpyDtoHAsync(host, to, 64, stream));
	WORKS(cu.cuStreamSynchronize(stream));
	OK(memcmp(host, want, sizeof(want)) == 0);
	WORKS(cu.cuMemFree(from));
	WORKS(cu.cuMemFree(to));
	WORKS(cu.cuStreamDestroy(stream));
	rig_close();
}

/* --- streams and events --------------------------------------------------- */

static int steps;

static void step(void *place)
{
	*(int *)place = ++steps;
}

static void events(void)
{
	CUstream one, two;
	struct gate gate;
	CUevent event;
	int first = 0, second = 0;

	if (!rig_open(""))
		return;
	steps = 0;
	one = rig_stream();
	two = rig_stream();
	WORKS(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	/* An event that was never recorded has happened; waits for it return at
	 * once. */
	WORKS(cu.cuEventQuery(event));
	rig_hold(one, &gate);
	WORKS(cu.cuStreamWaitEvent(two, event, 0));
	WORKS(cu.cuStreamSynchronize(two));
	/* A wait is for the record that the event had at the time of the
	 * call. */
	WORKS(cu.cuLaunchHostFunc(one, step, &first));
	WORKS(cu.cuEventRecord(event, one));
	GIVES(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
	WORKS(cu.cuStreamWaitEvent(two, event, 0));
	WORKS(cu.cuLaunchHostFunc(two, step, &second));
	GIVES(cu.cuStreamQuery(two), CUDA_ERROR_NOT_READY);
	WORKS(cu.cuEventDestroy(event));
	rig_release(&gate);
	WORKS(cu.cuStreamSynchronize(two));
	IS_INT(first, 1);
	IS_INT(second, 2);
	WORKS(cu.cuStreamDestroy(one));
	WORKS(cu.cuStreamDestroy(two));
	rig_close();
}

/* Recorded again, an event stands for the new place alone. */
static void record_again(void)
{
	struct gate gates[2];
	CUstream streams[2];
	float milliseconds;
	CUevent event;

	if (!rig_open(""))
		return;
	streams[0] = rig_stream();
	streams[1] = rig_stream();
	WORKS(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	rig_hold(streams[0], &gates[0]);
	rig_hold(streams[1], &gates[1]);
	WORKS(cu.cuEventRecord(event, streams[0]));
	WORKS(cu.cuEventRecord(event, streams[1]));
	rig_release(&gates[1]);
	WORKS(cu.cuEventSynchronize(event));
	GIVES(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
	GIVES(cu.cuEventElapsedTime(&milliseconds, event, event),
	      CUDA_ERROR_INVALID_HANDLE);
	rig_release(&gates[0]);
	WORKS(cu.cuCtxSynchronize());
	WORKS(cu.cuEventDestroy(event));
	WORKS(cu.cuStreamDestroy(streams[0]));
	WORKS(cu.cuStreamDestroy(streams[1]));
	rig_close();
}

/* The stream without a name waits for those that block, and they for it. */
static void legacy_stream(void)
{
	CUstream blocking = NULL, free_one;
	struct gate gate;
	int first = 0;

	if (!rig_open(""))
		return;
	steps = 0;
	WORKS(cu.cuStreamCreateWithPriority(&blocking, CU_STREAM_DEFAULT, 0));
	free_one = rig_stream();
	rig_hold(blocking, &gate);
	WORKS(cu.cuLaunchHostFunc(NULL, step, &first));
	WORKS(cu.cuLaunchHostFunc(free_one, step, &(int){ 0 }));
	WORKS(cu.cuStreamSynchronize(free_one));
	GIVES(cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
	IS_INT(first, 0);
	rig_release(&gate);
	WORKS(cu.cuStreamSynchronize(NULL));
	IS_INT(first, 2);
	WORKS(cu.cuStreamDestroy(blocking));
	WORKS(cu.cuStreamDestroy(free_one));
	rig_close();
}

/* Streams that share a connection delay each other. */
static void connections(void)
{
	CUstream one, same, other = NULL;
	struct gate gate;
	int first = 0;

	if (!rig_open("connections=1"))
		return;
	steps = 0;
	one = rig_stream();
	same = rig_stream();
	WORKS(cu.cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING,
					    -1));
	rig_hold(one, &gate);
	WORKS(cu.cuLaunchHostFunc(same, step, &first));
	WORKS(cu.cuLaunchHostFunc(other, step, &(int){ 0 }));
	WORKS(cu.cuStreamSynchronize(other));
	GIVES(cu.cuStreamQuery(same), CUDA_ERROR_NOT_READY);
	rig_release(&gate);
	WORKS(cu.cuStreamSynchronize(same));
	IS_INT(first, 2);
	WORKS(cu.cuStreamDestroy(one));
	WORKS(cu.cuStreamDestroy(same));
	WORKS(cu.cuStreamDestroy(other));
	rig_close();
}

static void call_back(void *code)
{
	*(CUresult *)code = cu.cuStreamQuery(NULL);
}

static void host_functions(void)
{
	CUresult code = CUDA_SUCCESS;
	CUstream stream;

	if (!rig_open(""))
		return;
	stream = rig_stream();
	WORKS(cu.cuLaunchHostFunc(stream, call_back, &code));
	WORKS(cu.cuStreamSynchronize(stream));
	IS_INT(code, CUDA_ERROR_NOT_PERMITTED);
	WORKS(cu.cuStreamDestroy(stream));
	rig_close();
}

/* The order of nine host functions in three streams, as a number. */
static uint64_t order_of(const char *options)
{
	CUstream streams[3];
	int places[9];
	uint64_t order = 0;
	struct gate gate;
	int i;

	if (!rig_open(options))
		return 0;
	steps = 0;
	for (i = 0; i < 3; i++)
		streams[i] = rig_stream();
	/* The one thread is kept busy until all commands are submitted. */
	rig_hold(NULL, &gate);
	rig_meet(&gate);
	for (i = 0; i < 9; i++)
		WORKS(cu.cuLaunchHostFunc(streams[i % 3], step, &places[i]));
	rig_release(&gate);
	WORKS(cu.cuCtxSynchronize());
	for (i = 0; i < 9; i++)
		order = order * 10 + (uint64_t)places[i];
	for (i = 0; i < 3; i++)
		WORKS(cu.cuStreamDestroy(streams[i]));
	rig_close();
	return order;
}

static void seeds(void)
{
	uint64_t one = order_of("seed=3"), other = one;
	int seed;

	IS_UINT(order_of("seed=3"), one);
	for (seed = 4; seed < 10 && other == one; seed++)
		other = order_of((char[]){ 's', 'e', 'e', 'd', '=',
					   (char)('0' + seed), '\0' });
	OK(other != one);
}

/* --- failure -------------------------------------------------------------- */

static void injected(void)
{
	CUdeviceptr pointer;

	if (!rig_open("fail=cuMemAlloc:2:2"))
		return;
	WORKS(cu.cuMemAlloc(&pointer, 8));
	GIVES(cu.cuMemAlloc(&(CUdeviceptr){ 0 }, 8),
	      CUDA_ERROR_OUT_OF_MEMORY);
	WORKS(cu.cuMemFree(pointer));
	IS_UINT(rig_calls("cuMemAlloc"), 2);
	rig_fail(NULL, 2, CUDA_ERROR_UNKNOWN);
	WORKS(cu.cuStreamQuery(NULL));
	IS_STR(rig_failed(), "cuMemAlloc");
	GIVES(cu.cuStreamQuery(NULL), CUDA_ERROR_UNKNOWN);
	IS_STR(rig_failed(), "cuStreamQuery");
	WORKS(cu.cuStreamQuery(NULL));
	OK(rig_misused() == NULL);
	GIVES(cu.cuMemFree(1), CUDA_ERROR_INVALID_VALUE);
	IS_STR(rig_misused(), "cuMemFree");
	rig_close();
}

static void told(CUstream stream, CUresult code, void *user_data)
{
	(void)stream;
	*(CUresult *)user_data = code;
}

/*
 * An error of a kernel sticks to its context: every call returns it, later
 * commands do not run except for callbacks, and only the end of the context
 * ends it.
 */
static void sticky(void)
{
	CUmodule module = NULL;
	CUfunction fail;
	CUstream stream;
	struct gate gate;
	CUresult code = CUDA_SUCCESS;
	int reached = 0, at = 3;
	void *arguments[] = { &at };

	if (!rig_open(""))
		return;
	fail = rig_kernel(&module, "fail");
	stream = rig_stream();
	rig_hold(stream, &gate);
	WORKS(cu.cuLaunchKernel(fail, 1, 1, 1, 8, 1, 1, 0, stream, arguments,
				NULL));
	WORKS(cu.cuLaunchHostFunc(stream, step, &reached));
	WORKS(cu.cuStreamAddCallback(stream, told, &code, 0));
	rig_release(&gate);
	GIVES(cu.cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
	GIVES(cu.cuStreamQuery(NULL), CUDA_ERROR_LAUNCH_FAILED);
	GIVES(cu.cuMemAlloc(&(CUdeviceptr){ 0 }, 8), CUDA_ERROR_LAUNCH_FAILED);
	GIVES(cu.cuStreamDestroy(stream), CUDA_ERROR_LAUNCH_FAILED);
	IS_INT(reached, 0);
	IS_INT(code, CUDA_ERROR_LAUNCH_FAILED);
	rig_abandon();
	IS_UINT(rig_leaked(STANDIN_STREAM), 1);
	if (!rig_open("fault=2:700"))
		return;
	module = NULL;
	fail = rig_kernel(&module, "fail");
	at = -1;
	WORKS(cu.cuLaunchKernel(fail, 1, 1, 1, 8, 1, 1, 0, NULL, arguments,
				NULL));
	WORKS(cu.cuCtxSynchronize());
	WORKS(cu.cuLaunchKernel(fail, 1, 1, 1, 8, 1, 1, 0, NULL, arguments,
				NULL));
	GIVES(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	rig_abandon();
}

/* --- captures ------------------------------------------------------------- */

/* While a stream is captured, elsewhere, unsafe calls fail on threads that are
 * not relaxed. */
static void captures(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUdeviceptr pointer = 0;

	if (!rig_open(""))
		return;
	rig_close();
	rig_configure("captured=1,locked=no,waits=0");
	WORKS(cu.cuInit(0));
	GIVES(cu.cuDevicePrimaryCtxRetain(&rig_context, 0),
	      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
	IS_INT(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	WORKS(cu.cuDevicePrimaryCtxRetain(&rig_context, 0));
	WORKS(cu.cuCtxPushCurrent(rig_context));
	WORKS(cu.cuMemAlloc(&pointer, 8));
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
	IS_INT(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
	GIVES(cu.cuMemFree(pointer), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	GIVES(cu.cuStreamQuery(NULL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	WORKS(cu.cuMemsetD8Async(pointer, 0, 8, NULL));
	mode = (CUstreamCaptureMode)3;
	GIVES(cu.cuThreadExchangeStreamCaptureMode(&mode),
	      CUDA_ERROR_INVALID_VALUE);
	mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
	WORKS(cu.cuMemFree(pointer));
	rig_close();
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
}

static const struct tap_scenario all[] = {
	{ "versions", versions },
	{ "contexts", contexts },
	{ "handles", handles },
	{ "memory", memory },
	{ "copies", copies },
	{ "events", events },
	{ "record again", record_again },
	{ "the stream without a name", legacy_stream },
	{ "connections", connections },
	{ "host functions", host_functions },
	{ "seeds", seeds },
	{ "injected failures", injected },
	{ "errors that stick", sticky },
	{ "captures", captures },
};

TAP_MAIN(all)
