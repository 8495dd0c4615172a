/* SPDX-License-Identifier: MIT */
/* Rules of CUDA's graphs in the stand-in: each rule has a check here which
 * fails when it is broken. */
#include <string.h>

#include "graph_rig.h"

/* Edges are kept, and unordered nodes run in different orders. */
static void order(void)
{
	CUgraphNode a, b, c, nodes[2];
	bool turned = false;
	CUgraphExec exec;
	int i;

	if (!graph_begin("seed=2"))
		return;
	c = graph_append(rig.graph, NULL, 3);
	b = graph_append(rig.graph, NULL, 2);
	a = graph_append(rig.graph, NULL, 1);
	nodes[0] = a;
	nodes[1] = b;
	WORKS(cu.cuGraphAddDependencies(rig.graph, nodes, (CUgraphNode[]){ b, c },
					2));
	graph_append(rig.graph, c, 4);
	graph_append(rig.graph, c, 5);
	exec = graph_make();
	for (i = 0; i < 20; i++) {
		graph_launch(exec);
		const char *text = graph_written();

		OK(strcmp(text, "12345") == 0 || strcmp(text, "12354") == 0);
		turned |= strcmp(text, "12354") == 0;
	}
	OK(turned);
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

static void refused(void)
{
	CUgraphInstantiateResult result;
	CUDA_KERNEL_NODE_PARAMS_v2 params;
	CUgraphNode a, b, twice[2], node;
	void *arguments[] = { &rig.list, NULL };
	CUgraphExec exec = NULL;
	CUgraph other;

	if (!graph_begin(""))
		return;
	a = graph_append(rig.graph, NULL, 1);
	twice[0] = twice[1] = a;
	GIVES(cu.cuGraphAddEmptyNode(&node, rig.graph, twice, 2),
	      CUDA_ERROR_INVALID_VALUE);
	params = graph_params(rig.append, arguments);
	GIVES(cu.cuGraphAddKernelNode(&node, rig.graph, NULL, 0, &params),
	      CUDA_ERROR_INVALID_VALUE);
	params.kernelParams = (void *[]){ &rig.list, &(int){ 1 } };
	params.gridDimX = 0;
	GIVES(cu.cuGraphAddKernelNode(&node, rig.graph, NULL, 0, &params),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuGraphCreate(&other, 0));
	GIVES(cu.cuGraphAddEmptyNode(&node, other, &a, 1),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuGraphDestroy(other));
	GIVES(cu.cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
	b = graph_append(rig.graph, a, 2);
	WORKS(cu.cuGraphAddDependencies(rig.graph, &b, &a, 1));
	GIVES(graph_instantiate(&exec, &result), CUDA_ERROR_INVALID_VALUE);
	IS_INT(result, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
	graph_end();
}

static void note_it(void *user_data)
{
	*(int *)user_data += 1;
}

/* Copies, fills, host functions and graphs in graphs. */
static void nodes(void)
{
	int host[4] = { 0 }, called = 0;
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .value = 7, .elementSize = 4,
					    .width = 4, .height = 1 };
	CUDA_MEMCPY3D_v2 copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
				  .dstMemoryType = CU_MEMORYTYPE_HOST,
				  .dstHost = host, .WidthInBytes = 16,
				  .Height = 1, .Depth = 1 };
	CUDA_HOST_NODE_PARAMS_v1 call = { note_it, &called };
	CUgraphNode node[4];
	CUgraph child;
	CUgraphExec exec;

	if (!graph_begin(""))
		return;
	fill.dst = copy.srcDevice = rig.list;
	WORKS(cu.cuGraphCreate(&child, 0));
	WORKS(cu.cuGraphAddMemsetNode(&node[0], child, NULL, 0, &fill,
				      rig_context));
	WORKS(cu.cuGraphAddChildGraphNode(&node[1], rig.graph, NULL, 0,
					  child));
	/* The descriptor was copied. */
	WORKS(cu.cuGraphDestroy(child));
	WORKS(cu.cuGraphAddMemcpyNode(&node[2], rig.graph, &node[1], 1, &copy,
				      rig_context));
	WORKS(cu.cuGraphAddHostNode(&node[3], rig.graph, &node[2], 1, &call));
	copy.WidthInBytes = ROOM * 4 + 1;
	GIVES(cu.cuGraphAddMemcpyNode(&node[3], rig.graph, NULL, 0, &copy,
				      rig_context), CUDA_ERROR_INVALID_VALUE);
	fill.elementSize = 3;
	GIVES(cu.cuGraphAddMemsetNode(&node[3], rig.graph, NULL, 0, &fill,
				      rig_context), CUDA_ERROR_INVALID_VALUE);
	exec = graph_make();
	graph_launch(exec);
	graph_launch(exec);
	IS_INT(called, 2);
	OK(host[0] == 7 && host[3] == 7);
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

/* A change applies to later launches; those in flight stay. */
static void updates(void)
{
	int value = 5;
	void *arguments[] = { &rig.list, &value };
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .elementSize = 4, .width = 1,
					    .height = 1 };
	CUDA_KERNEL_NODE_PARAMS_v2 params;
	CUgraphNode a, b, c;
	struct gate gate;
	CUgraphExec exec;
	CUcontext other;

	if (!graph_begin("devices=2"))
		return;
	fill.dst = rig.word;
	WORKS(cu.cuGraphAddMemsetNode(&c, rig.graph, NULL, 0, &fill,
				      rig_context));
	a = graph_append(rig.graph, NULL, 1);
	b = graph_append(rig.graph, a, 2);
	exec = graph_make();
	rig_hold(rig.stream, &gate);
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	params = graph_params(rig.append, arguments);
	WORKS(cu.cuGraphExecKernelNodeSetParams(exec, a, &params));
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	WORKS(cu.cuGraphNodeSetEnabled(exec, b, 0));
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	rig_release(&gate);
	WORKS(cu.cuStreamSynchronize(rig.stream));
	IS_STR(graph_written(), "12525");
	/* Another kind of node, none at all, another context. */
	GIVES(cu.cuGraphExecMemsetNodeSetParams(exec, a, &fill, rig_context),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuDevicePrimaryCtxRetain(&other, 1));
	WORKS(cu.cuGraphExecMemsetNodeSetParams(exec, c, &fill, rig_context));
	GIVES(cu.cuGraphExecMemsetNodeSetParams(exec, c, &fill, other),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuDevicePrimaryCtxRelease(1));
	GIVES(cu.cuGraphExecKernelNodeSetParams(exec, (CUgraphNode)exec,
						&params),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

static CUDA_MEMCPY3D_v2 copy_of(CUdeviceptr to, CUdeviceptr from,
				CUmemorytype type)
{
	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = type, .dstMemoryType = type,
		.srcDevice = from, .dstDevice = to, .WidthInBytes = 4,
		.Height = 1, .Depth = 1
	};
}

static CUDA_MEMCPY3D_v2 rows_of(CUdeviceptr to, CUdeviceptr from)
{
	CUDA_MEMCPY3D_v2 copy = copy_of(to, from, CU_MEMORYTYPE_DEVICE);

	copy.Height = copy.srcHeight = copy.dstHeight = 2;
	copy.srcPitch = copy.dstPitch = 8;
	return copy;
}

static CUresult change_copy(CUgraphExec exec, CUgraphNode node, CUdeviceptr to,
			    CUdeviceptr from, CUmemorytype type)
{
	const CUDA_MEMCPY3D_v2 copy = copy_of(to, from, type);

	return cu.cuGraphExecMemcpyNodeSetParams(exec, node, &copy,
						 rig_context);
}

/* Other addresses, but neither another kind of memory, nor another context's,
 * nor another name for its kind, nor rows. */
static void operands(void)
{
	const CUmemorytype plain = CU_MEMORYTYPE_DEVICE,
			   any = CU_MEMORYTYPE_UNIFIED;
	CUDA_MEMCPY3D_v2 copy;
	CUdeviceptr strange;
	CUcontext other;
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .elementSize = 4, .width = 1,
					    .height = 1 };
	CUgraphNode a, b, c, d;
	CUgraphExec exec;
	void *pinned;

	if (!graph_begin("devices=2"))
		return;
	fill.dst = rig.word;
	WORKS(cu.cuGraphAddMemsetNode(&c, rig.graph, NULL, 0, &fill,
				      rig_context));
	copy = copy_of(rig.word, rig.list, plain);
	WORKS(cu.cuGraphAddMemcpyNode(&a, rig.graph, NULL, 0, &copy,
				      rig_context));
	copy = rows_of(rig.list, rig.list + 32);
	WORKS(cu.cuGraphAddMemcpyNode(&d, rig.graph, NULL, 0, &copy,
				      rig_context));
	copy = copy_of(rig.word, rig.list, any);
	WORKS(cu.cuGraphAddMemcpyNode(&b, rig.graph, NULL, 0, &copy,
				      rig_context));
	exec = graph_make();
	WORKS(cu.cuMemHostAlloc(&pinned, 64, 0));
	WORKS(cu.cuDevicePrimaryCtxRetain(&other, 1));
	WORKS(cu.cuCtxPushCurrent(other));
	WORKS(cu.cuMemAlloc(&strange, 64));
	WORKS(cu.cuCtxPopCurrent(NULL));
	WORKS(change_copy(exec, a, rig.list, rig.word, plain));
	GIVES(change_copy(exec, a, rig.list, rig.word, any),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(change_copy(exec, a, strange, rig.word, plain),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(change_copy(exec, b, rig.list, rig.word, any));
	GIVES(change_copy(exec, b, (CUdeviceptr)(uintptr_t)pinned, rig.word,
			  any), CUDA_ERROR_INVALID_VALUE);
	GIVES(change_copy(exec, b, rig.list, (CUdeviceptr)(uintptr_t)pinned,
			  any), CUDA_ERROR_INVALID_VALUE);
	/* Lines stay lines, and larger shapes cannot be changed at all. */
	GIVES(change_copy(exec, d, rig.list, rig.list + 32, plain),
	      CUDA_ERROR_INVALID_VALUE);
	copy = rows_of(rig.list, rig.list + 32);
	GIVES(cu.cuGraphExecMemcpyNodeSetParams(exec, a, &copy, rig_context),
	      CUDA_ERROR_INVALID_VALUE);
	fill.dst = (CUdeviceptr)(uintptr_t)pinned;
	GIVES(cu.cuGraphExecMemsetNodeSetParams(exec, c, &fill, rig_context),
	      CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuCtxPushCurrent(other));
	WORKS(cu.cuMemFree(strange));
	WORKS(cu.cuCtxPopCurrent(NULL));
	WORKS(cu.cuDevicePrimaryCtxRelease(1));
	WORKS(cu.cuMemFreeHost(pinned));
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

/* A line needs no pitch, but a given one has to be right. */
static void pitches(void)
{
	CUDA_MEMCPY3D_v2 copy;
	CUgraphNode node;

	if (!graph_begin("pitch=8"))
		return;
	copy = copy_of(rig.word, rig.list, CU_MEMORYTYPE_DEVICE);
	copy.srcPitch = copy.dstPitch = 0;
	WORKS(cu.cuGraphAddMemcpyNode(&node, rig.graph, NULL, 0, &copy,
				      rig_context));
	copy.srcPitch = 9;
	GIVES(cu.cuGraphAddMemcpyNode(&node, rig.graph, NULL, 0, &copy,
				      rig_context), CUDA_ERROR_INVALID_VALUE);
	graph_end();
}

/* One executable never overlaps itself, on any streams;
 * two of one graph do. */
static void overlaps(void)
{
	CUstream other;
	struct gate gates[2];
	CUDA_HOST_NODE_PARAMS_v1 call = { note_it, NULL };
	int called = 0;
	CUgraphExec one, two;
	CUgraphNode node;

	if (!graph_begin(""))
		return;
	call.userData = &called;
	WORKS(cu.cuGraphAddHostNode(&node, rig.graph, NULL, 0, &call));
	one = graph_make();
	WORKS(cu.cuStreamSynchronize(rig.stream));
	other = rig_stream();
	rig_hold(rig.stream, &gates[0]);
	WORKS(cu.cuGraphLaunch(one, rig.stream));
	IS_UINT(rig_overlaps(), 0);
	WORKS(cu.cuGraphLaunch(one, other));
	IS_UINT(rig_overlaps(), 1);
	GIVES(cu.cuStreamQuery(other), CUDA_ERROR_NOT_READY);
	two = NULL;
	WORKS(graph_instantiate(&two, NULL));
	WORKS(cu.cuGraphLaunch(two, NULL));
	WORKS(cu.cuStreamSynchronize(NULL));
	IS_INT(called, 1);
	rig_release(&gates[0]);
	WORKS(cu.cuStreamSynchronize(other));
	IS_INT(called, 3);
	/* A launch in flight survives its executable. */
	rig_hold(rig.stream, &gates[1]);
	WORKS(cu.cuGraphLaunch(one, rig.stream));
	WORKS(cu.cuGraphExecDestroy(one));
	WORKS(cu.cuGraphExecDestroy(two));
	rig_release(&gates[1]);
	WORKS(cu.cuStreamSynchronize(rig.stream));
	IS_INT(called, 4);
	WORKS(cu.cuStreamDestroy(other));
	graph_end();
}

static const struct tap_scenario all[] = {
	{ "order", order },
	{ "refused", refused },
	{ "nodes", nodes },
	{ "updates", updates },
	{ "operands", operands },
	{ "pitches", pitches },
	{ "overlaps", overlaps },
};

TAP_MAIN(all)
