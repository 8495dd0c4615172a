/* SPDX-License-Identifier: MIT */
/*
 * Probes of a driver: what its locks, its callbacks and the bodies of its conditional
 * nodes do.  Each runs in a process of its own, with a time limit (bench/cuda/run), and
 * prints one line for each observation.  An observation is no fault: only a call that
 * fails, or that never returns, is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hand.h"
#include "texts.h"

/* Longest waits, so that a probe ends before its time limit. */
enum { PATIENCE_MS = 3000, SHORT_MS = 300 };

static CUstream make_stream(void)
{
	CUstream stream;

	DO(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
	return stream;
}

static struct shot load(const char *kernel, const char *text, void **arguments)
{
	char *image = hand_compile(kernel, text, false);
	struct shot shot = { .grid = 1, .block = 1, .arguments = arguments };
	CUmodule module;

	DO(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	DO(cuModuleGetFunction(&shot.function, module, kernel));
	free(image);
	return shot;
}

/* --- flags between threads ------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

struct flag {
	bool raised;
	CUresult code;
};

static void raise_flag(struct flag *flag, CUresult code)
{
	pthread_mutex_lock(&lock);
	flag->raised = true;
	flag->code = code;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Returns true if the flag was raised within the time. */
static bool await_flag(struct flag *flag, int milliseconds)
{
	struct timespec end;
	int rc = 0;
	bool raised;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += milliseconds / 1000;
	end.tv_nsec += milliseconds % 1000 * 1000000L;
	if (end.tv_nsec >= 1000000000L) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&lock);
	while (!flag->raised && rc == 0)
		rc = pthread_cond_timedwait(&changed, &lock, &end);
	raised = flag->raised;
	pthread_mutex_unlock(&lock);
	return raised;
}

/* --- a free, and another call, beside work that has not ended ------------- */

struct beside {
	CUdeviceptr freed, filled;
	CUstream stream; /* of the other call */
	struct flag has_freed, has_called;
};

static void *free_memory(void *argument)
{
	struct beside *beside = argument;

	DO(cuCtxSetCurrent(hand.context));
	raise_flag(&beside->has_freed, hand.cu.cuMemFree(beside->freed));
	return NULL;
}

static void *call_driver(void *argument)
{
	struct beside *beside = argument;

	DO(cuCtxSetCurrent(hand.context));
	raise_flag(&beside->has_called,
		   hand.cu.cuMemsetD32Async(beside->filled, 0, 1,
					    beside->stream));
	return NULL;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument) != 0)
		die("probe", "no thread");
	return thread;
}

static void make_beside(struct beside *beside)
{
	*beside = (struct beside){ .stream = make_stream() };
	DO(cuMemAlloc(&beside->freed, 64 << 20));
	DO(cuMemAlloc(&beside->filled, 64));
}

/* Free memory while `end` has not been called; say which calls wait for that. */
static int observe(struct beside *beside, const char *work,
		   void (*end)(void *), void *argument)
{
	pthread_t frees = start(free_memory, beside), calls;
	bool freed = await_flag(&beside->has_freed, SHORT_MS), called;

	calls = start(call_driver, beside);
	called = await_flag(&beside->has_called, SHORT_MS);
	printf("cuMemFree beside %s: %s\n", work,
	       freed ? "returns" : "waits for it");
	printf("another call meanwhile: %s\n",
	       called ? "returns" : "WAITS, TOO: a lock of the driver is held");
	end(argument);
	pthread_join(frees, NULL);
	pthread_join(calls, NULL);
	DO(cuCtxSynchronize());
	printf("%s has ended; the free gave %d, the other call %d\n", work,
	       (int)beside->has_freed.code, (int)beside->has_called.code);
	return beside->has_freed.code != CUDA_SUCCESS ||
	       beside->has_called.code != CUDA_SUCCESS;
}

static void open_gate(void *gate)
{
	raise_flag(gate, CUDA_SUCCESS);
}

static void wait_at_gate(void *gate)
{
	(void)await_flag(gate, PATIENCE_MS);
}

/* A host function of a stream is pending. */
static int probe_host_function(void)
{
	CUstream stream = make_stream();
	struct flag gate = { .raised = false };
	struct beside beside;

	make_beside(&beside);
	DO(cuLaunchHostFunc(stream, wait_at_gate, &gate));
	return observe(&beside, "a host function", open_gate, &gate);
}

static void on_gate(CUstream stream, CUresult code, void *gate)
{
	(void)stream;
	(void)code;
	wait_at_gate(gate);
}

/* A callback of a stream runs. */
static int probe_callback(void)
{
	CUstream stream = make_stream();
	struct flag gate = { .raised = false };
	struct beside beside;

	make_beside(&beside);
	DO(cuStreamAddCallback(stream, on_gate, &gate, 0));
	return observe(&beside, "a callback", open_gate, &gate);
}

static void stop_loop(void *word)
{
	*(volatile uint32_t *)word = 0;
}

static void make_graph_of_loop(CUgraphExec *exec, void **arguments,
			       CUgraphConditionalHandle *handle)
{
	struct shot decide = load("decide", DECIDE_TEXT, arguments);
	const CUDA_KERNEL_NODE_PARAMS_v2 kernel = {
		.func = decide.function, .gridDimX = 1, .gridDimY = 1,
		.gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = arguments
	};
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUgraphNodeParams loop = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node;
	CUgraph graph;

	DO(cuGraphCreate(&graph, 0));
	DO(cuGraphConditionalHandleCreate(handle, graph, hand.context, 1,
					  CU_GRAPH_COND_ASSIGN_DEFAULT));
	loop.conditional.handle = *handle;
	loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	loop.conditional.size = 1;
	loop.conditional.ctx = hand.context;
	DO(cuGraphAddNode(&node, graph, NULL, NULL, 0, &loop));
	DO(cuGraphAddKernelNode(&node, loop.conditional.phGraph_out[0], NULL, 0,
				&kernel));
	DO(cuGraphInstantiateWithParams(exec, graph, &params));
}

/* A loop runs, which a store to pinned memory ends. */
static int probe_loop(void)
{
	CUgraphConditionalHandle handle;
	CUdeviceptr address;
	void *arguments[] = { &handle, &address }, *word;
	CUstream stream = make_stream();
	struct beside beside;
	CUgraphExec exec;

	make_beside(&beside);
	DO(cuMemHostAlloc(&word, 64, CU_MEMHOSTALLOC_PORTABLE |
			  CU_MEMHOSTALLOC_DEVICEMAP));
	*(volatile uint32_t *)word = 1;
	DO(cuMemHostGetDevicePointer(&address, word, 0));
	make_graph_of_loop(&exec, arguments, &handle);
	DO(cuGraphLaunch(exec, stream));
	return observe(&beside, "a loop", stop_loop, word);
}

/* --- callbacks after a fault ---------------------------------------------- */

/* Stores to an address that is none; the stand-in is told to fail it. */
#define FAULT_TEXT \
	GLOBAL_FUNCTION "fault(unsigned *x)\n" \
	"{\n" \
	"#ifndef STANDIN_DEVICE_H\n" \
	"	*(volatile unsigned *)16 = 1;\n" \
	"#endif\n" \
	"}\n"

/* Steps of a kernel before the faulty one, in which all calls behind it are made:
 * some tenths of a second. */
enum { LONG_TURNS = 20000000 };

static void on_end(CUstream stream, CUresult code, void *flag)
{
	(void)stream;
	raise_flag(flag, code);
}

static void print_callback(const char *name, struct flag *flag)
{
	if (await_flag(flag, PATIENCE_MS))
		printf("%s after a fault: comes, with %d\n", name,
		       (int)flag->code);
	else
		printf("%s after a fault: DOES NOT COME in %d s\n", name,
		       PATIENCE_MS / 1000);
}

static int probe_fault(void)
{
	static struct flag behind, elsewhere; /* callbacks may come late */
	CUstream stream = make_stream(), other = make_stream();
	CUdeviceptr none = 0, word;
	uint32_t turns = LONG_TURNS;
	void *arguments[] = { &none }, *works[] = { &word, &turns };
	struct shot fault = load("fault", FAULT_TEXT, arguments);
	struct shot work = load("work", WORK_TEXT, works);
	CUevent event;
	CUresult code;

	DO(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	DO(cuMemAlloc(&word, 64));
	hand_launch(stream, &work);
	hand_launch(stream, &fault);
	code = hand.cu.cuEventRecord(event, stream);
	if (code == CUDA_SUCCESS)
		code = hand.cu.cuStreamWaitEvent(other, event, 0);
	if (code == CUDA_SUCCESS)
		code = hand.cu.cuStreamAddCallback(other, on_end, &elsewhere, 0);
	if (code == CUDA_SUCCESS)
		code = hand.cu.cuStreamAddCallback(stream, on_end, &behind, 0);
	printf("calls behind the faulty kernel: %d\n", (int)code);
	if (code == CUDA_SUCCESS) {
		print_callback("a callback of its stream", &behind);
		print_callback("one that waits for its event", &elsewhere);
	}
	code = hand.cu.cuStreamSynchronize(stream);
	printf("cuStreamSynchronize after a fault: %d%s\n", (int)code,
	       code == CUDA_SUCCESS ? ": NO FAULT WAS SEEN" : "");
	return 0;
}

/* --- nodes of bodies ------------------------------------------------------ */

/* One node of each kind, in the body of a condition that runs it once. */
static CUresult add_copy(CUgraphNode *node, CUgraph body)
{
	const CUDA_MEMCPY3D_v2 copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = hand.word,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = hand.left,
		.WidthInBytes = 4, .Height = 1, .Depth = 1
	};

	return hand.cu.cuGraphAddMemcpyNode(node, body, NULL, 0, &copy,
					    hand.context);
}

static CUresult add_fill(CUgraphNode *node, CUgraph body)
{
	const CUDA_MEMSET_NODE_PARAMS_v1 fill = {
		.dst = hand.left, .elementSize = 4, .width = 1, .height = 1
	};

	return hand.cu.cuGraphAddMemsetNode(node, body, NULL, 0, &fill,
					    hand.context);
}

static CUresult add_empty(CUgraphNode *node, CUgraph body)
{
	return hand.cu.cuGraphAddEmptyNode(node, body, NULL, 0);
}

static CUresult add_kernel(CUgraphNode *node, CUgraph body)
{
	void *arguments[] = { &hand.word };
	struct shot tiny = load("tiny", TINY_TEXT, arguments);
	const CUDA_KERNEL_NODE_PARAMS_v2 kernel = {
		.func = tiny.function, .gridDimX = 1, .gridDimY = 1,
		.gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = arguments
	};

	return hand.cu.cuGraphAddKernelNode(node, body, NULL, 0, &kernel);
}

static CUresult add_condition(CUgraph graph, CUgraphConditionalNodeType type,
			      unsigned size, unsigned value, CUgraph *body)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node;
	CUresult code = hand.cu.cuGraphConditionalHandleCreate(
		&params.conditional.handle, graph, hand.context, value,
		CU_GRAPH_COND_ASSIGN_DEFAULT);

	if (code != CUDA_SUCCESS)
		return code;
	params.conditional.type = type;
	params.conditional.size = size;
	params.conditional.ctx = hand.context;
	code = hand.cu.cuGraphAddNode(&node, graph, NULL, NULL, 0, &params);
	if (code == CUDA_SUCCESS)
		*body = params.conditional.phGraph_out[0];
	return code;
}

static CUresult add_nested(CUgraphNode *node, CUgraph body)
{
	CUgraph inner;
	CUresult code = add_condition(body, CU_GRAPH_COND_TYPE_IF, 1, 1,
				      &inner);

	return code == CUDA_SUCCESS ? add_kernel(node, inner) : code;
}

static const struct body {
	const char *name;
	CUgraphConditionalNodeType type;
	unsigned size, value;
	CUresult (*add)(CUgraphNode *node, CUgraph body);
} bodies[] = {
	{ "IF with a kernel", CU_GRAPH_COND_TYPE_IF, 1, 1, add_kernel },
	{ "IF with a fill", CU_GRAPH_COND_TYPE_IF, 1, 1, add_fill },
	{ "IF with a copy", CU_GRAPH_COND_TYPE_IF, 1, 1, add_copy },
	{ "IF with a condition", CU_GRAPH_COND_TYPE_IF, 1, 1, add_nested },
	{ "IF with an empty node", CU_GRAPH_COND_TYPE_IF, 1, 1, add_empty },
	{ "SWITCH with a kernel", CU_GRAPH_COND_TYPE_SWITCH, 1, 0, add_kernel },
};

static CUresult run_graph(CUgraph graph, CUstream stream, const char **call)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUgraphExec exec = NULL;
	CUresult code;

	*call = "cuGraphInstantiateWithParams";
	code = hand.cu.cuGraphInstantiateWithParams(&exec, graph, &params);
	if (code != CUDA_SUCCESS)
		return code;
	*call = "cuGraphLaunch";
	code = hand.cu.cuGraphLaunch(exec, stream);
	if (code == CUDA_SUCCESS) {
		*call = "cuStreamSynchronize";
		code = hand.cu.cuStreamSynchronize(stream);
	}
	(void)hand.cu.cuGraphExecDestroy(exec);
	return code;
}

static void try_body(const struct body *kind, CUstream stream)
{
	const char *call = "cuGraphAddNode";
	CUgraph graph, body = NULL;
	CUgraphNode node;
	CUresult code;

	/* A driver may hang; the line says in which. */
	printf("%s: ", kind->name);
	fflush(stdout);
	DO(cuGraphCreate(&graph, 0));
	code = add_condition(graph, kind->type, kind->size, kind->value, &body);
	if (code == CUDA_SUCCESS) {
		call = "the body";
		code = kind->add(&node, body);
	}
	if (code == CUDA_SUCCESS)
		code = run_graph(graph, stream, &call);
	if (code == CUDA_SUCCESS)
		puts("runs");
	else
		printf("NOT IN THIS DRIVER: %s gives %d\n", call, (int)code);
	(void)hand.cu.cuGraphDestroy(graph);
}

static int probe_bodies(void)
{
	CUstream stream = make_stream();

	DO(cuMemAlloc(&hand.word, 64));
	DO(cuMemAlloc(&hand.left, 64));
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		try_body(&bodies[i], stream);
	return 0;
}

/* --- the table ------------------------------------------------------------ */

static const struct probe {
	const char *name;
	bool conditions; /* needs conditional nodes */
	int (*run)(void);
} probes[] = {
	{ "bodies", true, probe_bodies },
	{ "host-function", false, probe_host_function },
	{ "callback", false, probe_callback },
	{ "loop", true, probe_loop },
	{ "fault", false, probe_fault },
};

int probe(const char *name)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++) {
		if (strcmp(probes[i].name, name) != 0)
			continue;
		if (!probes[i].conditions || hand_has_conditions())
			return probes[i].run();
		puts("no conditional nodes in this driver");
		return 0;
	}
	die(name, "is no probe: bodies, host-function, callback, loop, fault");
}
