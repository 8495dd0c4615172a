/* SPDX-License-Identifier: MIT */
/* Rules of conditional nodes in the stand-in for CUDA's driver: each rule has a
 * check here which fails when it is broken. */
#include <string.h>

#include "graph_rig.h"

static CUgraphConditionalHandle new_handle(unsigned value, unsigned flags)
{
	CUgraphConditionalHandle handle = 0;

	WORKS(cu.cuGraphConditionalHandleCreate(&handle, rig.graph,
						rig_context, value, flags));
	return handle;
}

static CUresult try_conditional(CUgraph graph, CUgraphNode before,
				CUgraphConditionalHandle handle,
				CUgraphConditionalNodeType type, unsigned size,
				CUgraph **bodies)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node = NULL;
	CUresult code;

	params.conditional.handle = handle;
	params.conditional.type = type;
	params.conditional.size = size;
	params.conditional.ctx = rig_context;
	code = cu.cuGraphAddNode(&node, graph, &before, NULL, before != NULL,
				 &params);
	*bodies = params.conditional.phGraph_out;
	return code;
}

static CUgraph *add_conditional(CUgraph graph, CUgraphNode before,
				CUgraphConditionalHandle handle,
				CUgraphConditionalNodeType type, unsigned size)
{
	CUgraph *bodies = NULL;

	WORKS(try_conditional(graph, before, handle, type, size, &bodies));
	return bodies;
}

/* In each round the word is counted down, and the kernel decides on another
 * iteration. */
static void loops(void)
{
	CUgraphConditionalHandle handle, inner;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph *bodies;

	if (!graph_begin(""))
		return;
	handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	inner = new_handle(0, 0);
	bodies = add_conditional(rig.graph, graph_append(rig.graph, NULL, 1),
				 handle, CU_GRAPH_COND_TYPE_WHILE, 1);
	node = graph_append(bodies[0], NULL, 2);
	node = graph_decide(bodies[0], node, rig.decide, inner);
	node = graph_decide(bodies[0], node, rig.count_down, handle);
	bodies = add_conditional(bodies[0], node, inner,
				 CU_GRAPH_COND_TYPE_SWITCH, 3);
	graph_append(bodies[2], NULL, 3);
	graph_set_word(3);
	exec = graph_make();
	graph_launch(exec);
	IS_STR(graph_written(), "12232");
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

static void loops_count(void)
{
	CUgraphConditionalHandle handle;
	CUgraphExec exec;
	CUgraph *bodies;
	int i;

	if (!graph_begin(""))
		return;
	handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	bodies = add_conditional(rig.graph, graph_append(rig.graph, NULL, 1),
				 handle, CU_GRAPH_COND_TYPE_WHILE, 1);
	graph_decide(bodies[0], graph_append(bodies[0], NULL, 2),
		     rig.count_down, handle);
	exec = graph_make();
	/* The default is there again for each launch. */
	for (i = 0; i < 2; i++) {
		graph_set_word(3);
		graph_launch(exec);
		IS_STR(graph_written(), "1222");
	}
	IS_UINT(rig_undecided(), 0);
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

/* Another stream makes progress while a loop spins that would not end, also
 * where there is one thread and the loop has it. */
static void stopped_from_outside(const char *options)
{
	struct gate gate = { 0, 0 };
	CUDA_HOST_NODE_PARAMS_v1 stand = { rig_stand, &gate };
	CUgraphConditionalHandle handle;
	CUgraphNode node = NULL;
	CUstream other;
	CUgraphExec exec;
	CUgraph *bodies;

	if (!graph_begin(options))
		return;
	other = rig_stream();
	handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	WORKS(cu.cuGraphAddHostNode(&node, rig.graph, NULL, 0, &stand));
	bodies = add_conditional(rig.graph, node, handle,
				 CU_GRAPH_COND_TYPE_WHILE, 1);
	graph_decide(bodies[0], NULL, rig.decide, handle);
	exec = graph_make();
	graph_set_word(1);
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	rig_meet(&gate);
	WORKS(cu.cuMemsetD32Async(rig.word, 0, 1, other));
	rig_release(&gate);
	WORKS(cu.cuStreamSynchronize(rig.stream));
	WORKS(cu.cuGraphExecDestroy(exec));
	WORKS(cu.cuStreamDestroy(other));
	graph_end();
}

static void loops_stop(void)
{
	stopped_from_outside("");
	stopped_from_outside("seed=1");
	stopped_from_outside("seed=2");
}

/* A value that has no body runs none. */
static void choices(void)
{
	static const char *const wants[] = { "0", "1", "", "" };
	CUgraphConditionalHandle choice, branch;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph *bodies;
	unsigned i;

	if (!graph_begin(""))
		return;
	choice = new_handle(0, 0);
	node = graph_decide(rig.graph, NULL, rig.decide, choice);
	bodies = add_conditional(rig.graph, node, choice,
				 CU_GRAPH_COND_TYPE_SWITCH, 2);
	graph_append(bodies[0], NULL, 0);
	graph_append(bodies[1], NULL, 1);
	exec = graph_make();
	for (i = 0; i < 4; i++) {
		graph_set_word(i);
		graph_launch(exec);
		IS_STR(graph_written(), wants[i]);
	}
	WORKS(cu.cuGraphExecDestroy(exec));
	branch = new_handle(0, 0);
	node = graph_decide(rig.graph, NULL, rig.decide, branch);
	bodies = add_conditional(rig.graph, node, branch,
				 CU_GRAPH_COND_TYPE_IF, 2);
	graph_append(bodies[0], NULL, 8);
	graph_append(bodies[1], NULL, 9);
	exec = graph_make();
	graph_set_word(5);
	graph_launch(exec);
	IS_STR(graph_written(), "8");
	graph_set_word(0);
	graph_launch(exec);
	OK(strchr(graph_written(), '9') != NULL);
	WORKS(cu.cuGraphExecDestroy(exec));
	graph_end();
}

static void nothing(void *user_data)
{
	(void)user_data;
}

/* Nodes that bodies may hold, and those that they may not. */
static void bodies_hold(void)
{
	CUDA_HOST_NODE_PARAMS_v1 call = { nothing, NULL };
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .elementSize = 4, .width = 1,
					    .height = 1 };
	CUgraph *bodies, child;
	CUgraphNode node;
	CUevent event;

	if (!graph_begin(""))
		return;
	fill.dst = rig.list;
	WORKS(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	WORKS(cu.cuGraphCreate(&child, 0));
	bodies = add_conditional(rig.graph, NULL, new_handle(0, 0),
				 CU_GRAPH_COND_TYPE_IF, 1);
	WORKS(cu.cuGraphAddEmptyNode(&node, bodies[0], NULL, 0));
	WORKS(cu.cuGraphAddMemsetNode(&node, bodies[0], NULL, 0, &fill,
				      rig_context));
	WORKS(cu.cuGraphAddChildGraphNode(&node, bodies[0], NULL, 0, child));
	GIVES(cu.cuGraphAddHostNode(&node, bodies[0], NULL, 0, &call),
	      CUDA_ERROR_NOT_SUPPORTED);
	GIVES(cu.cuGraphAddEventRecordNode(&node, bodies[0], NULL, 0, event),
	      CUDA_ERROR_NOT_SUPPORTED);
	GIVES(cu.cuGraphAddEventWaitNode(&node, bodies[0], NULL, 0, event),
	      CUDA_ERROR_NOT_SUPPORTED);
	WORKS(cu.cuGraphAddHostNode(&node, child, NULL, 0, &call));
	GIVES(cu.cuGraphAddChildGraphNode(&node, bodies[0], NULL, 0, child),
	      CUDA_ERROR_NOT_SUPPORTED);
	/* A body belongs to its node, and is no graph of its own. */
	GIVES(cu.cuGraphDestroy(bodies[0]), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuGraphDestroy(child));
	WORKS(cu.cuEventDestroy(event));
	graph_end();
}

/* All nodes of a body are of one context. */
static void one_context(void)
{
	CUDA_MEMSET_NODE_PARAMS_v1 fill = { .elementSize = 4, .width = 1,
					    .height = 1 };
	CUgraph *bodies;
	CUcontext other;
	CUgraphNode node;

	if (!graph_begin("devices=2"))
		return;
	fill.dst = rig.list;
	WORKS(cu.cuDevicePrimaryCtxRetain(&other, 1));
	bodies = add_conditional(rig.graph, NULL, new_handle(0, 0),
				 CU_GRAPH_COND_TYPE_IF, 1);
	WORKS(cu.cuGraphAddMemsetNode(&node, rig.graph, NULL, 0, &fill,
				      other));
	GIVES(cu.cuGraphAddMemsetNode(&node, bodies[0], NULL, 0, &fill,
				      other), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuDevicePrimaryCtxRelease(1));
	graph_end();
}

static void whole_graphs(void)
{
	CUgraphInstantiateResult result;
	CUgraphExec exec = NULL, again = NULL;
	CUgraphConditionalHandle handle;
	CUgraph *bodies, parent;
	CUgraphNode node;

	if (!graph_begin(""))
		return;
	handle = new_handle(0, 0);
	GIVES(graph_instantiate(&exec, &result), CUDA_ERROR_INVALID_VALUE);
	IS_INT(result, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
	GIVES(try_conditional(rig.graph, NULL, handle,
			      CU_GRAPH_COND_TYPE_WHILE, 2, &bodies),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(try_conditional(rig.graph, NULL, handle + 1,
			      CU_GRAPH_COND_TYPE_WHILE, 1, &bodies),
	      CUDA_ERROR_INVALID_VALUE);
	add_conditional(rig.graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1);
	GIVES(try_conditional(rig.graph, NULL, handle,
			      CU_GRAPH_COND_TYPE_WHILE, 1, &bodies),
	      CUDA_ERROR_INVALID_VALUE);
	exec = graph_make();
	GIVES(graph_instantiate(&again, NULL), CUDA_ERROR_NOT_SUPPORTED);
	WORKS(cu.cuGraphExecDestroy(exec));
	exec = graph_make();
	WORKS(cu.cuGraphExecDestroy(exec));
	WORKS(cu.cuGraphCreate(&parent, 0));
	GIVES(cu.cuGraphAddChildGraphNode(&node, parent, NULL, 0, rig.graph),
	      CUDA_ERROR_NOT_SUPPORTED);
	WORKS(cu.cuGraphDestroy(parent));
	graph_end();
}

/* Older drivers know neither of `else` nor of `case`. */
static void versions(void)
{
	CUgraphConditionalHandle handle;
	CUgraph *bodies;

	if (!graph_begin("version=12040"))
		return;
	handle = new_handle(0, 0);
	GIVES(try_conditional(rig.graph, NULL, handle, CU_GRAPH_COND_TYPE_IF,
			      2, &bodies), CUDA_ERROR_INVALID_VALUE);
	GIVES(try_conditional(rig.graph, NULL, handle,
			      CU_GRAPH_COND_TYPE_SWITCH, 1, &bodies),
	      CUDA_ERROR_INVALID_VALUE);
	add_conditional(rig.graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1);
	graph_end();
}

/* A handle is for a node of the graph that it was made for, or of a body in
 * that, and unused parameters are zero. */
static void places(void)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphConditionalHandle outer, inner;
	CUgraph *bodies, *none;
	CUgraphNode node;

	if (!graph_begin(""))
		return;
	outer = new_handle(0, 0);
	bodies = add_conditional(rig.graph, NULL, outer,
				 CU_GRAPH_COND_TYPE_SWITCH, 2);
	WORKS(cu.cuGraphConditionalHandleCreate(&inner, bodies[0],
						rig_context, 0, 0));
	GIVES(try_conditional(rig.graph, NULL, inner, CU_GRAPH_COND_TYPE_IF,
			      1, &none), CUDA_ERROR_INVALID_VALUE);
	GIVES(try_conditional(bodies[1], NULL, inner, CU_GRAPH_COND_TYPE_IF,
			      1, &none), CUDA_ERROR_INVALID_VALUE);
	params.reserved1[28] = 1;
	params.conditional.handle = inner;
	params.conditional.size = 1;
	params.conditional.ctx = rig_context;
	GIVES(cu.cuGraphAddNode(&node, bodies[0], NULL, NULL, 0, &params),
	      CUDA_ERROR_INVALID_VALUE);
	params.reserved1[28] = 0;
	WORKS(cu.cuGraphAddNode(&node, bodies[0], NULL, NULL, 0, &params));
	graph_end();
}

/* A condition is set by kernels of its own graph, while that runs. */
static void strangers(void)
{
	CUgraphConditionalHandle handle;
	void *arguments[] = { &handle, &rig.word };
	CUgraphExec exec;

	if (!graph_begin(""))
		return;
	handle = new_handle(0, 0);
	add_conditional(rig.graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1);
	exec = graph_make();
	graph_launch(exec);
	WORKS(cu.cuLaunchKernel(rig.decide, 1, 1, 1, 1, 1, 1, 0, NULL,
				arguments, NULL));
	GIVES(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	WORKS(cu.cuGraphDestroy(rig.graph));
	rig_abandon();
}

/* Real PTX. */
static const char setter[] =
	".version 6.0\n.target sm_52\n.address_size 64\n"
	".extern .func cudaGraphSetConditional\n"
	"(.param .b64 handle, .param .b32 value);\n"
	".visible .entry set_it(.param .u64 h, .param .u64 w)\n"
	"{\n.reg .b64 %h, %w;\n.reg .b32 %v;\n"
	"ld.param.u64 %h, [h];\nld.param.u64 %w, [w];\n"
	"ld.global.u32 %v, [%w];\n"
	"{\n.param .b64 a;\n.param .b32 b;\n"
	"st.param.b64 [a], %h;\nst.param.b32 [b], %v;\n"
	"call.uni cudaGraphSetConditional, (a, b);\n}\n"
	"ret;\n}\n";

static void embedded(void)
{
	CUgraphConditionalHandle handle;
	CUmodule module = NULL;
	CUfunction function;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph *bodies;

	if (!graph_begin(""))
		return;
	WORKS(cu.cuModuleLoadDataEx(&module, setter, 0, NULL, NULL));
	WORKS(cu.cuModuleGetFunction(&function, module, "set_it"));
	handle = new_handle(0, 0);
	node = graph_decide(rig.graph, NULL, function, handle);
	bodies = add_conditional(rig.graph, node, handle,
				 CU_GRAPH_COND_TYPE_IF, 1);
	graph_append(bodies[0], NULL, 6);
	exec = graph_make();
	graph_set_word(1);
	graph_launch(exec);
	IS_STR(graph_written(), "6");
	graph_set_word(0);
	graph_launch(exec);
	IS_STR(graph_written(), "");
	WORKS(cu.cuGraphExecDestroy(exec));
	WORKS(cu.cuModuleUnload(module));
	graph_end();
}

/* A fault inside a loop ends it, and sticks. */
static void fault_in_loop(void)
{
	CUgraphConditionalHandle handle;
	CUgraphExec exec;
	CUgraph *bodies;

	if (!graph_begin("fault=5:719"))
		return;
	handle = new_handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	bodies = add_conditional(rig.graph, NULL, handle,
				 CU_GRAPH_COND_TYPE_WHILE, 1);
	graph_append(bodies[0], NULL, 1);
	exec = graph_make();
	WORKS(cu.cuGraphLaunch(exec, rig.stream));
	GIVES(cu.cuStreamSynchronize(rig.stream), CUDA_ERROR_LAUNCH_FAILED);
	GIVES(cu.cuGraphLaunch(exec, rig.stream), CUDA_ERROR_LAUNCH_FAILED);
	WORKS(cu.cuGraphDestroy(rig.graph));
	rig_abandon();
	IS_UINT(rig_live(STANDIN_EXEC), 0);
	/* Except for the unfinished one. */
	IS_UINT(rig_undecided(), 4);
}

static const struct tap_scenario all[] = {
	{ "loops", loops },
	{ "loops stop", loops_stop },
	{ "loops count", loops_count },
	{ "choices", choices },
	{ "nodes of bodies", bodies_hold },
	{ "one context", one_context },
	{ "graphs with conditions", whole_graphs },
	{ "versions", versions },
	{ "places", places },
	{ "strangers", strangers },
	{ "embedded PTX", embedded },
	{ "a fault in a loop", fault_in_loop },
};

TAP_MAIN(all)
