/* SPDX-License-Identifier: MIT */
/* Rig for tests of graphs; see graph_rig.h. */
#include <string.h>

#include "graph_rig.h"

struct graph_rig rig;

bool graph_begin(const char *options)
{
	memset(&rig, 0, sizeof(rig));
	if (!rig_open(options))
		return false;
	rig.append = rig_kernel(&rig.module, "append");
	rig.decide = rig_kernel(&rig.module, "decide");
	rig.count_down = rig_kernel(&rig.module, "count_down");
	rig.list = rig_memory(ROOM * sizeof(int));
	rig.word = rig_memory(sizeof(unsigned));
	WORKS(cu.cuMemsetD32Async(rig.list, 0, ROOM, NULL));
	WORKS(cu.cuStreamSynchronize(NULL));
	WORKS(cu.cuGraphCreate(&rig.graph, 0));
	rig.stream = rig_stream();
	return true;
}

void graph_end(void)
{
	WORKS(cu.cuGraphDestroy(rig.graph));
	WORKS(cu.cuStreamDestroy(rig.stream));
	WORKS(cu.cuModuleUnload(rig.module));
	WORKS(cu.cuMemFree(rig.list));
	WORKS(cu.cuMemFree(rig.word));
	rig_close();
}

CUDA_KERNEL_NODE_PARAMS_v2 graph_params(CUfunction function,
					    void **arguments)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = function, .gridDimX = 1, .gridDimY = 1,
		.gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
		.blockDimZ = 1, .kernelParams = arguments
	};
}

/* A node of `graph` behind `before` (or null) that writes `value`. */
CUgraphNode graph_append(CUgraph graph, CUgraphNode before, int value)
{
	void *arguments[] = { &rig.list, &value };
	CUDA_KERNEL_NODE_PARAMS_v2 params = graph_params(rig.append, arguments);
	CUgraphNode node = NULL;

	WORKS(cu.cuGraphAddKernelNode(&node, graph, &before, before != NULL,
				      &params));
	return node;
}

/* A node that makes a condition of the word, as it is or less one. */
CUgraphNode graph_decide(CUgraph graph, CUgraphNode before,
				CUfunction function,
				CUgraphConditionalHandle handle)
{
	void *arguments[] = { &handle, &rig.word };
	CUDA_KERNEL_NODE_PARAMS_v2 params = graph_params(function, arguments);
	CUgraphNode node = NULL;

	WORKS(cu.cuGraphAddKernelNode(&node, graph, &before, before != NULL,
				      &params));
	return node;
}

CUresult graph_instantiate(CUgraphExec *exec,
			    CUgraphInstantiateResult *result)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUresult code = cu.cuGraphInstantiateWithParams(exec, rig.graph,
							&params);

	if (result != NULL)
		*result = params.result_out;
	return code;
}

CUgraphExec graph_make(void)
{
	CUgraphExec exec = NULL;

	WORKS(graph_instantiate(&exec, NULL));
	WORKS(cu.cuGraphUpload(exec, rig.stream));
	return exec;
}

void graph_launch(CUgraphExec exec)
{
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	WORKS(cu.cuStreamSynchronize(rig.stream));
}

/* The written values, as digits; the list is empty after that. */
const char *graph_written(void)
{
	static char text[ROOM];
	int list[ROOM], i;

	rig_read(list, rig.list, sizeof(list));
	for (i = 0; i < list[0] && i + 1 < ROOM; i++)
		text[i] = (char)('0' + list[i + 1]);
	text[i] = '\0';
	WORKS(cu.cuMemsetD32Async(rig.list, 0, ROOM, NULL));
	WORKS(cu.cuStreamSynchronize(NULL));
	return text;
}

void graph_set_word(unsigned value)
{
	rig_write(rig.word, &value, sizeof(value));
}
