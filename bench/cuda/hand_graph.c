/* SPDX-License-Identifier: MIT */
/* The reference side: driver graphs, built node by node. */
#include <stdbool.h>
#include <stddef.h>

#include "hand.h"
#include "texts.h"

/* Instantiated once, launched repeatedly. */
static struct made {
	CUgraph graph;
	CUgraphExec exec; /* null: the driver has no conditional nodes */
} chain, diamonds, by_node, by_last, by_pinned, by_device, by_timer, solver, row;

static CUgraphNode row_end;

/* Stop words of loops, which stay 0: in pinned memory, and on the device. */
static void *pinned;
static CUdeviceptr at_pinned, on_device;

/* A graph, or a body, under construction, in sequence. */
struct builder {
	CUgraph graph;
	CUgraphNode last; /* null: none yet */
};

static CUDA_KERNEL_NODE_PARAMS_v2 params_of(const struct shot *shot)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = shot->function, .gridDimX = shot->grid, .gridDimY = 1,
		.gridDimZ = 1, .blockDimX = shot->block, .blockDimY = 1,
		.blockDimZ = 1, .kernelParams = shot->arguments
	};
}

static CUgraphNode add(CUgraph graph, const CUgraphNode *behind, size_t count,
		       const struct shot *shot)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 params = params_of(shot);
	CUgraphNode node;

	DO(cuGraphAddKernelNode(&node, graph, behind, count, &params));
	return node;
}

static void append(struct builder *builder, const struct shot *shot)
{
	builder->last = add(builder->graph, &builder->last,
			    builder->last != NULL, shot);
}

static void append_fill(struct builder *builder, CUdeviceptr at,
			uint32_t value)
{
	const CUDA_MEMSET_NODE_PARAMS_v1 params = {
		.dst = at, .value = value, .elementSize = 4, .width = 1,
		.height = 1
	};
	CUgraphNode node;

	DO(cuGraphAddMemsetNode(&node, builder->graph, &builder->last,
				builder->last != NULL, &params, hand.context));
	builder->last = node;
}

static void begin(struct builder *builder)
{
	builder->last = NULL;
	DO(cuGraphCreate(&builder->graph, 0));
}

static struct made finish(struct builder *builder)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	struct made made = { .graph = builder->graph };

	DO(cuGraphInstantiateWithParams(&made.exec, made.graph, &params));
	DO(cuGraphUpload(made.exec, hand.streams[0]));
	DO(cuStreamSynchronize(hand.streams[0]));
	return made;
}

void hand_make_chain(void)
{
	struct builder builder;

	begin(&builder);
	append_fill(&builder, hand.word, 0);
	append(&builder, &hand.stamp[0]);
	for (uint32_t i = 0; i < sizes.chain; i++)
		append(&builder, &hand.tiny);
	append(&builder, &hand.stamp[1]);
	chain = finish(&builder);
}

void hand_make_diamonds(void)
{
	CUgraphNode ends[BRANCHES];
	struct builder builder;
	size_t count = 1;

	begin(&builder);
	append_fill(&builder, hand.word, 0);
	for (int i = 0; i < BRANCHES; i++)
		append_fill(&builder, hand.branches[i], 1);
	append(&builder, &hand.stamp[0]);
	ends[0] = builder.last;
	for (uint32_t d = 0; d < sizes.diamonds; d++) {
		CUgraphNode top = add(builder.graph, ends, count, &hand.tiny);

		for (int i = 0; i < BRANCHES; i++)
			ends[i] = add(builder.graph, &top, 1, &hand.work[i]);
		count = BRANCHES;
	}
	(void)add(builder.graph, ends, count, &hand.stamp[1]);
	diamonds = finish(&builder);
}

/* --- conditions ----------------------------------------------------------- */

/* The first iteration always runs, as in all loops of this file. */
static struct builder append_loop(struct builder *builder,
				  CUgraphConditionalHandle *handle)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node;

	DO(cuGraphConditionalHandleCreate(handle, builder->graph, hand.context,
					  1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	params.conditional.handle = *handle;
	params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	params.conditional.size = 1;
	params.conditional.ctx = hand.context;
	DO(cuGraphAddNode(&node, builder->graph, &builder->last, NULL, 1,
			  &params));
	builder->last = node;
	return (struct builder){
		.graph = params.conditional.phGraph_out[0]
	};
}

/* The driver copies the arguments when the node is added; `stop` only where the
 * function has such a parameter. */
static void append_decision(struct builder *body, CUfunction function,
			    unsigned block, CUgraphConditionalHandle handle,
			    CUdeviceptr word, CUdeviceptr stop)
{
	void *arguments[] = { &handle, &word, &stop };

	append(body, &(struct shot){ .function = function, .grid = 1,
				     .block = block,
				     .arguments = arguments });
}

/* Two tiny kernels, and one that decides; before a node: one that counts. */
static struct made make_loop(CUfunction decides, bool is_node, CUdeviceptr stop)
{
	CUgraphConditionalHandle handle;
	struct builder builder, body;

	begin(&builder);
	append_fill(&builder, hand.word, 0);
	append_fill(&builder, hand.left, sizes.times);
	append(&builder, &hand.stamp[0]);
	body = append_loop(&builder, &handle);
	append(&body, &hand.tiny);
	append(&body, &hand.tiny);
	if (is_node)
		append(&body, &hand.less);
	append_decision(&body, decides, is_node ? 1 : TINY_GROUP, handle,
			hand.left, stop);
	append(&builder, &hand.stamp[1]);
	return finish(&builder);
}

void hand_make_node(void)
{
	by_node = make_loop(hand_decide(), true, 0);
}

void hand_make_last(void)
{
	by_last = make_loop(hand_last(), false, 0);
}

void hand_make_pinned(void)
{
	DO(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_PORTABLE |
			  CU_MEMHOSTALLOC_DEVICEMAP));
	*(volatile uint32_t *)pinned = 0;
	DO(cuMemHostGetDevicePointer(&at_pinned, pinned, 0));
	by_pinned = make_loop(hand_function_of("stops", STOPS_TEXT), true,
			      at_pinned);
}

static CUdeviceptr device_word(void)
{
	if (on_device == 0) {
		DO(cuMemAlloc(&on_device, 64));
		DO(cuMemsetD32Async(on_device, 0, 1, hand.streams[0]));
		DO(cuStreamSynchronize(hand.streams[0]));
	}
	return on_device;
}

void hand_make_device(void)
{
	by_device = make_loop(hand_function_of("stops", STOPS_TEXT), true,
			      device_word());
}

void hand_make_timer(void)
{
	by_timer = make_loop(hand_function_of("times", TIMES_TEXT), true,
			     device_word());
}

void hand_make_cg(void)
{
	CUgraphConditionalHandle handle;
	struct builder builder, body;

	hand_make_solver();
	begin(&builder);
	append(&builder, &hand.begin);
	append(&builder, &hand.stamp[0]);
	body = append_loop(&builder, &handle);
	for (int i = 0; i < STEPS; i++)
		append(&body, &hand.steps[i]);
	append_decision(&body, hand_decide(), 1, handle, hand.go, 0);
	append(&builder, &hand.stamp[1]);
	solver = finish(&builder);
}

/* --- costs of single operations ------------------------------------------- */

enum { ROW = 8 };

void hand_make_row(const struct shot *last)
{
	struct builder builder;

	begin(&builder);
	for (int i = 1; i < ROW; i++)
		append(&builder, &hand.tiny);
	append(&builder, last);
	row_end = builder.last;
	row = finish(&builder);
}

void hand_launch_row(const struct shot *last)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 params = params_of(last);

	DO(cuGraphExecKernelNodeSetParams(row.exec, row_end, &params));
	DO(cuGraphLaunch(row.exec, hand.streams[0]));
	DO(cuStreamSynchronize(hand.streams[0]));
}

CUgraphExec hand_make_endless(CUdeviceptr word)
{
	CUgraphConditionalHandle handle;
	struct builder builder, body;
	struct made made;

	begin(&builder);
	append(&builder, &hand.tiny);
	body = append_loop(&builder, &handle);
	append(&body, &hand.tiny);
	append_decision(&body, hand_decide(), 1, handle, word, 0);
	made = finish(&builder);
	/* Its executable stays. */
	DO(cuGraphDestroy(made.graph));
	return made.exec;
}

/* --- life ----------------------------------------------------------------- */

static void drop(struct made *made)
{
	if (made->exec == NULL)
		return;
	DO(cuGraphExecDestroy(made->exec));
	DO(cuGraphDestroy(made->graph));
	*made = (struct made){ .exec = NULL };
}

void hand_drop_chain(void)
{
	drop(&chain);
}

void hand_drop_graphs(void)
{
	drop(&chain);
	drop(&row);
	drop(&diamonds);
	drop(&by_node);
	drop(&by_last);
	drop(&by_pinned);
	drop(&by_device);
	drop(&by_timer);
	drop(&solver);
	if (pinned != NULL)
		DO(cuMemFreeHost(pinned));
	if (on_device != 0)
		DO(cuMemFree(on_device));
}

/* --- runs ----------------------------------------------------------------- */

static void run(const struct made *made)
{
	if (made->exec == NULL)
		die("the driver", "has no conditional nodes");
	DO(cuGraphLaunch(made->exec, hand.streams[0]));
	DO(cuStreamSynchronize(hand.streams[0]));
}

void hand_chain_graph(void) { run(&chain); }
void hand_diamonds_graph(void) { run(&diamonds); }
void hand_while_node(void) { run(&by_node); }
void hand_while_last(void) { run(&by_last); }
void hand_while_pinned(void) { run(&by_pinned); }
void hand_while_device(void) { run(&by_device); }
void hand_while_timer(void) { run(&by_timer); }
void hand_cg_graph(void) { run(&solver); }
