/* SPDX-License-Identifier: MIT */
/*
 * Rules in which drivers differ by version, and those that a driver breaks without
 * a code: bodies of conditional nodes, images of newer compilers, calls that wait,
 * setters without order.  Each rule has a check here which fails when it is broken.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph_rig.h"

static const char kernel[] = "extern \"C\" __global__ void k() {}\n";

static CUgraph add_conditional(CUgraphNode before,
			       CUgraphConditionalHandle handle,
			       CUgraphConditionalNodeType type)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node = NULL;

	params.conditional.handle = handle;
	params.conditional.type = type;
	params.conditional.size = 1;
	params.conditional.ctx = rig_context;
	WORKS(cu.cuGraphAddNode(&node, rig.graph, &before, NULL,
				before != NULL, &params));
	return params.conditional.phGraph_out[0];
}

static CUgraphConditionalHandle new_handle(void)
{
	CUgraphConditionalHandle handle = 0;

	WORKS(cu.cuGraphConditionalHandleCreate(&handle, rig.graph,
						rig_context, 0, 0));
	return handle;
}

/* ---- bodies ---- */

/* Before 12.4 bodies hold kernels and conditional nodes alone. */
static void check_bodies(const char *options, CUresult others)
{
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .elementSize = 4, .width = 1,
					    .height = 1 };
	CUDA_MEMCPY3D_v2 copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
				  .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				  .WidthInBytes = 4, .Height = 1, .Depth = 1 };
	CUgraphNode node;
	CUgraph body;

	if (!graph_begin(options))
		return;
	fill.dst = copy.srcDevice = rig.word;
	copy.dstDevice = rig.list;
	body = add_conditional(NULL, new_handle(), CU_GRAPH_COND_TYPE_IF);
	graph_append(body, NULL, 1);
	GIVES(cu.cuGraphAddEmptyNode(&node, body, NULL, 0), others);
	GIVES(cu.cuGraphAddMemsetNode(&node, body, NULL, 0, &fill,
				      rig_context), others);
	GIVES(cu.cuGraphAddMemcpyNode(&node, body, NULL, 0, &copy,
				      rig_context), others);
	WORKS(cu.cuGraphAddEmptyNode(&node, rig.graph, NULL, 0));
	graph_end();
}

static void bodies(void)
{
	check_bodies("version=12030", CUDA_ERROR_NOT_SUPPORTED);
	check_bodies("version=12040", CUDA_SUCCESS);
}

/* A driver before 12.8 hangs in an empty body that it enters; here the launch
 * fails. */
static void check_empty(const char *options, unsigned word, CUresult code)
{
	CUgraphConditionalHandle handle;
	CUgraphExec exec;

	if (!graph_begin(options))
		return;
	handle = new_handle();
	(void)add_conditional(graph_decide(rig.graph, NULL, rig.decide,
					   handle), handle,
			      CU_GRAPH_COND_TYPE_IF);
	exec = graph_make();
	graph_set_word(word);
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	GIVES(cu.cuStreamSynchronize(rig.stream), code);
	if (code == CUDA_SUCCESS) {
		WORKS(cu.cuGraphExecDestroy(exec));
		graph_end();
		return;
	}
	WORKS(cu.cuGraphDestroy(rig.graph));
	rig_abandon();
}

static void empty_bodies(void)
{
	check_empty("version=12060", 0, CUDA_SUCCESS);
	check_empty("version=12060", 1, CUDA_ERROR_LAUNCH_TIMEOUT);
	check_empty("version=12080", 1, CUDA_SUCCESS);
}

/* Two kernels set one condition; only an edge makes the value defined. */
static void check_setters(bool ordered)
{
	CUgraphConditionalHandle handle;
	CUgraphNode one, other;
	CUgraphExec exec;
	CUgraph body;

	if (!graph_begin("seed=2"))
		return;
	handle = new_handle();
	one = graph_decide(rig.graph, NULL, rig.decide, handle);
	one = graph_append(rig.graph, one, 7);
	other = graph_decide(rig.graph, ordered ? one : NULL, rig.count_down,
			     handle);
	body = add_conditional(other, handle, CU_GRAPH_COND_TYPE_IF);
	graph_append(body, NULL, 1);
	exec = graph_make();
	graph_set_word(2);
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	GIVES(cu.cuStreamSynchronize(rig.stream),
	      ordered ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED);
	if (ordered) {
		IS_STR(graph_written(), "71");
		WORKS(cu.cuGraphExecDestroy(exec));
		graph_end();
		return;
	}
	WORKS(cu.cuGraphDestroy(rig.graph));
	rig_abandon();
}

static void setters(void)
{
	check_setters(true);
	check_setters(false);
}

/* ---- images ---- */

/* Load what the compiler of one version makes into a driver of another. */
static void check_image(const char *compiler, const char *driver, bool ptx,
			CUresult code)
{
	CUmodule module = NULL;
	char *image;

	(void)setenv("STANDIN_NVRTC_VERSION", compiler, 1);
	if (!rig_open(driver))
		return;
	image = rig_compile(kernel, ptx ? "compute_80" : "sm_90", ptx);
	GIVES(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL), code);
	if (module != NULL)
		WORKS(cu.cuModuleUnload(module));
	free(image);
	rig_close();
	(void)unsetenv("STANDIN_NVRTC_VERSION");
}

/* Binaries of a newer major version are refused, PTX of any newer version. */
static void images(void)
{
	check_image("12080", "version=12000", false, CUDA_SUCCESS);
	check_image("12090", "version=12080", false, CUDA_SUCCESS);
	check_image("13000", "version=12080", false,
		    CUDA_ERROR_INVALID_IMAGE);
	check_image("13000", "version=13000", false, CUDA_SUCCESS);
	check_image("12080", "version=13000", false, CUDA_SUCCESS);
	check_image("12080", "version=12080", true, CUDA_SUCCESS);
	check_image("12060", "version=12050", true, CUDA_SUCCESS);
	check_image("12090", "version=12080", true,
		    CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	check_image("13000", "version=12090", true,
		    CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	check_image("12090", "version=13000", true, CUDA_SUCCESS);
}

/* ---- calls that wait ---- */

static int opened; /* atomic */

static void *allocate(void *argument)
{
	CUdeviceptr *out = argument;

	WORKS(cu.cuCtxPushCurrent(rig_context));
	WORKS(cu.cuMemAlloc(out, 64));
	OK(__atomic_load_n(&opened, __ATOMIC_ACQUIRE) == 1);
	WORKS(cu.cuCtxPopCurrent(NULL));
	return NULL;
}

/* Such calls return when the context has nothing to do; others do not wait. */
static void waits(void)
{
	CUdeviceptr block = 0;
	struct gate gate;
	CUstream stream;
	pthread_t thread;

	if (!rig_open("waits=1"))
		return;
	opened = 0;
	stream = rig_stream();
	rig_hold(stream, &gate);
	OK(pthread_create(&thread, NULL, allocate, &block) == 0);
	GIVES(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	__atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
	rig_release(&gate);
	OK(pthread_join(thread, NULL) == 0);
	WORKS(cu.cuMemFree(block));
	WORKS(cu.cuStreamDestroy(stream));
	rig_close();
}

/* ---- memory of a device ---- */

/* Returns the signal that ends a process which reads the address. */
static int signal_of_reader(CUdeviceptr address)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(*(volatile unsigned char *)(uintptr_t)address);
	while (waitpid(child, &status, 0) != child)
		;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The host cannot access it; commands can. */
static void memory_of_devices(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	uint32_t value = 0;
	CUdeviceptr blocks[3];

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0) {
		(void)SKIP("a sanitizer watches addresses");
		return;
	}
	if (!rig_open(""))
		return;
	for (size_t i = 0; i < 3; i++)
		blocks[i] = rig_memory(10000);
	IS_INT(signal_of_reader(blocks[1]), SIGSEGV);
	WORKS(cu.cuMemFree(blocks[0]));
	/* In the place of the first. */
	OK(rig_memory(64) == blocks[0]);
	WORKS(cu.cuMemsetD32Async(blocks[1] + 9996, 7, 1, NULL));
	rig_read(&value, blocks[1] + 9996, sizeof(value));
	IS_UINT(value, 7);
	IS_INT(signal_of_reader(blocks[1] + 9996), SIGSEGV);
	for (size_t i = 0; i < 3; i++)
		WORKS(cu.cuMemFree(blocks[i]));
	rig_close();
}

/* ---- contexts and streams ---- */

/* A context that has failed is not entered again. */
static void failed_contexts(void)
{
	CUmodule module = NULL;
	CUfunction fail;
	int at = 3;
	void *arguments[] = { &at };

	if (!rig_open(""))
		return;
	fail = rig_kernel(&module, "fail");
	WORKS(cu.cuLaunchKernel(fail, 1, 1, 1, 8, 1, 1, 0, NULL, arguments,
				NULL));
	GIVES(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	GIVES(cu.cuCtxPushCurrent(rig_context), CUDA_ERROR_LAUNCH_FAILED);
	rig_abandon();
}

static void modes(void)
{
	CUcontext context;
	int mode = 0;

	if (!rig_load())
		return;
	rig_configure("mode=2");
	WORKS(cu.cuInit(0));
	WORKS(cu.cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
				      0));
	IS_INT(mode, CU_COMPUTEMODE_PROHIBITED);
	GIVES(cu.cuDevicePrimaryCtxRetain(&context, 0),
	      CUDA_ERROR_DEVICE_UNAVAILABLE);
}

/* The names 1 and 2 of default streams have a context. */
static void named_streams(void)
{
	CUcontext context = NULL;

	if (!rig_open(""))
		return;
	for (uintptr_t name = 1; name <= 2; name++) {
		WORKS(cu.cuStreamGetCtx((CUstream)name, &context));
		OK(context == rig_context);
	}
	rig_close();
}

static const struct tap_scenario all[] = {
	{ "bodies", bodies },
	{ "empty bodies", empty_bodies },
	{ "setters", setters },
	{ "images", images },
	{ "waits", waits },
	{ "memory of devices", memory_of_devices },
	{ "failed contexts", failed_contexts },
	{ "modes", modes },
	{ "named streams", named_streams },
};

TAP_MAIN(all)
