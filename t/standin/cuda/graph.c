/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: construction of graphs.  The content of a node
 * is copied when it is added, child graphs too.  A body of a conditional node
 * takes only nodes that the rules allow in one.
 */
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* --- graphs --------------------------------------------------------------- */

CUgraph standin_new_graph(CUgraph root)
{
	CUgraph graph = standin_new(sizeof(*graph));

	graph->root = root != NULL ? root : graph;
	return graph;
}

static void free_node(CUgraphNode node)
{
	unsigned i;

	if (!node->graph->copy)
		standin_remove(&node->object);
	standin_free_work(&node->work);
	if (node->child != NULL)
		standin_free_graph(node->child);
	for (i = 0; i < node->body_count; i++)
		standin_free_graph(node->bodies[i]);
	free(node->bodies);
	free(node->before);
	free(node);
}

void standin_free_graph(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		free_node(graph->nodes[i]);
	if (!graph->copy)
		standin_remove(&graph->object);
	free(graph->nodes);
	free(graph);
}

CUresult standin_cuGraphCreate(CUgraph *out, unsigned int flags)
{
	if (out == NULL || flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	*out = standin_new_graph(NULL);
	standin_add(&(*out)->object, STANDIN_GRAPH, NULL);
	return CUDA_SUCCESS;
}

CUresult standin_cuGraphDestroy(CUgraph graph)
{
	if (standin_find(graph, STANDIN_GRAPH) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	/* A body belongs to its node. */
	if (graph->root != graph)
		return CUDA_ERROR_INVALID_VALUE;
	standin_forget_conditions(graph);
	standin_free_graph(graph);
	return CUDA_SUCCESS;
}

bool standin_has_conditions(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i]->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
			return true;
	return false;
}

/* --- copies --------------------------------------------------------------- */

static CUgraphNode copy_node(CUgraph graph, CUgraphNode from, bool of_copy)
{
	CUgraphNode node = standin_new(sizeof(*node));
	unsigned i;

	*node = *from;
	node->graph = graph;
	node->origin = of_copy ? from->origin : from;
	standin_copy_work(&node->work, &from->work);
	node->before = standin_new(from->before_count * sizeof(size_t));
	if (from->before_count != 0)
		memcpy(node->before, from->before,
		       from->before_count * sizeof(size_t));
	if (from->child != NULL)
		node->child = standin_copy_graph(from->child, of_copy);
	node->bodies = standin_new(from->body_count * sizeof(CUgraph));
	for (i = 0; i < from->body_count; i++)
		node->bodies[i] = standin_copy_graph(from->bodies[i],
						     of_copy);
	return node;
}

CUgraph standin_copy_graph(CUgraph graph, bool of_copy)
{
	CUgraph copy = standin_new_graph(NULL);
	size_t i;

	copy->copy = true;
	copy->count = graph->count;
	copy->nodes = standin_new(graph->count * sizeof(CUgraphNode));
	for (i = 0; i < graph->count; i++)
		copy->nodes[i] = copy_node(copy, graph->nodes[i], of_copy);
	return copy;
}

/* --- contents of bodies --------------------------------------------------- */

static CUresult check_body_node(CUcontext context, CUgraphNode node);

static CUresult check_nodes(CUcontext context, CUgraph graph)
{
	CUresult code = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < graph->count && code == CUDA_SUCCESS; i++)
		code = check_body_node(context, graph->nodes[i]);
	return code;
}

/* The first drivers with conditional nodes take only these two. */
static bool is_in_all_bodies(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL ||
	       type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

static CUresult check_body_node(CUcontext context, CUgraphNode node)
{
	if (standin.options.driver_version < 12040 &&
	    !is_in_all_bodies(node->type))
		return CUDA_ERROR_NOT_SUPPORTED;
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
	case CU_GRAPH_NODE_TYPE_MEMCPY:
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return node->work.context == context ?
			       CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_EMPTY:
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return check_nodes(context, node->child);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* --- nodes ---------------------------------------------------------------- */

static bool is_node_of(CUgraphNode node, CUgraph graph)
{
	return standin_find(node, STANDIN_NODE) != NULL &&
	       node->graph == graph;
}

/* Nodes of the same graph, none twice. */
static CUresult copy_before(CUgraphNode node, const CUgraphNode *before,
			    size_t count)
{
	size_t i, j;

	if (count != 0 && before == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++) {
		if (!is_node_of(before[i], node->graph))
			return CUDA_ERROR_INVALID_VALUE;
		for (j = 0; j < i; j++)
			if (before[i] == before[j])
				return CUDA_ERROR_INVALID_VALUE;
	}
	node->before = standin_new(count * sizeof(size_t));
	node->before_count = count;
	for (i = 0; i < count; i++)
		node->before[i] = before[i]->index;
	return CUDA_SUCCESS;
}

static void append(CUgraph graph, CUgraphNode node)
{
	if (graph->count == graph->room) {
		graph->room = graph->room * 2 + 8;
		graph->nodes = realloc(graph->nodes,
				       graph->room * sizeof(CUgraphNode));
		if (graph->nodes == NULL)
			abort();
	}
	node->index = graph->count;
	graph->nodes[graph->count++] = node;
	standin_add(&node->object, STANDIN_NODE, NULL);
}

static void discard(CUgraphNode node)
{
	standin_free_work(&node->work);
	if (node->child != NULL)
		standin_free_graph(node->child);
	free(node->before);
	free(node);
}

/* Add `node`, filled by the caller, with the result `code` so far;
 * returns the result. */
static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
		    size_t count, CUgraphNode node, CUresult code)
{
	if (code == CUDA_SUCCESS &&
	    (out == NULL || standin_find(graph, STANDIN_GRAPH) == NULL))
		code = CUDA_ERROR_INVALID_VALUE;
	node->graph = graph;
	if (code == CUDA_SUCCESS)
		code = copy_before(node, before, count);
	if (code == CUDA_SUCCESS && graph->root != graph)
		code = check_body_node(graph->body_context, node);
	if (code != CUDA_SUCCESS) {
		discard(node);
		return code;
	}
	append(graph, node);
	*out = node;
	return CUDA_SUCCESS;
}

static CUgraphNode new_node(CUgraphNodeType type)
{
	CUgraphNode node = standin_new(sizeof(*node));

	node->type = type;
	return node;
}

CUresult standin_fill_kernel(struct work *work,
			     const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	const unsigned grid[3] = { params->gridDimX, params->gridDimY,
				   params->gridDimZ };
	const unsigned block[3] = { params->blockDimX, params->blockDimY,
				    params->blockDimZ };

	if (params->func == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->extra != NULL)
		return CUDA_ERROR_NOT_SUPPORTED;
	return standin_fill_launch(work, params->func, grid, block,
				   params->sharedMemBytes,
				   params->kernelParams);
}

CUresult standin_cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph,
				      const CUgraphNode *before, size_t count,
				      const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	CUgraphNode node = new_node(CU_GRAPH_NODE_TYPE_KERNEL);

	return add(out, graph, before, count, node,
		   standin_fill_kernel(&node->work, params));
}

CUresult standin_cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
				      const CUgraphNode *before, size_t count,
				      const CUDA_MEMCPY3D_v2 *params,
				      CUcontext context)
{
	CUgraphNode node = new_node(CU_GRAPH_NODE_TYPE_MEMCPY);

	node->work.context = context;
	return add(out, graph, before, count, node,
		   standin_find(context, STANDIN_CONTEXT) == NULL ?
			   CUDA_ERROR_INVALID_CONTEXT :
			   standin_fill_copy(&node->work, params));
}

CUresult standin_cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
				      const CUgraphNode *before, size_t count,
				      const CUDA_MEMSET_NODE_PARAMS_v1 *params,
				      CUcontext context)
{
	CUgraphNode node = new_node(CU_GRAPH_NODE_TYPE_MEMSET);

	node->work.context = context;
	return add(out, graph, before, count, node,
		   standin_find(context, STANDIN_CONTEXT) == NULL ?
			   CUDA_ERROR_INVALID_CONTEXT :
			   standin_fill_fill(&node->work, params));
}

CUresult standin_cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
				    const CUgraphNode *before, size_t count,
				    const CUDA_HOST_NODE_PARAMS_v1 *params)
{
	CUgraphNode node = new_node(CU_GRAPH_NODE_TYPE_HOST);

	node->work.kind = WORK_HOST;
	node->work.host = params->fn;
	node->work.user_data = params->userData;
	return add(out, graph, before, count, node,
		   params->fn != NULL ? CUDA_SUCCESS :
					CUDA_ERROR_INVALID_VALUE);
}

CUresult standin_cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
					  const CUgraphNode *before,
					  size_t count, CUgraph child)
{
	CUgraphNode node = new_node(CU_GRAPH_NODE_TYPE_GRAPH);
	CUresult code = CUDA_SUCCESS;

	if (standin_find(child, STANDIN_GRAPH) == NULL || child == graph)
		code = CUDA_ERROR_INVALID_VALUE;
	else if (standin_has_conditions(child))
		code = CUDA_ERROR_NOT_SUPPORTED;
	else
		node->child = standin_copy_graph(child, false);
	return add(out, graph, before, count, node, code);
}

CUresult standin_cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
				     const CUgraphNode *before, size_t count)
{
	return add(out, graph, before, count,
		   new_node(CU_GRAPH_NODE_TYPE_EMPTY), CUDA_SUCCESS);
}

/* Events in graphs: the node is there, so that bodies can refuse it. */
static CUresult add_event(CUgraphNode *out, CUgraph graph,
			  const CUgraphNode *before, size_t count,
			  CUevent event, CUgraphNodeType type)
{
	CUgraphNode node = new_node(type);

	node->event = event;
	return add(out, graph, before, count, node,
		   standin_find(event, STANDIN_EVENT) != NULL ?
			   CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

CUresult standin_cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
					   const CUgraphNode *before,
					   size_t count, CUevent event)
{
	return add_event(out, graph, before, count, event,
			 CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult standin_cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
					 const CUgraphNode *before,
					 size_t count, CUevent event)
{
	return add_event(out, graph, before, count, event,
			 CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

/* --- conditional nodes ---------------------------------------------------- */

static bool is_size_right(const CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	bool else_too = standin.options.driver_version >= 12080;

	switch (params->type) {
	case CU_GRAPH_COND_TYPE_IF:
		return params->size == 1 || (params->size == 2 && else_too);
	case CU_GRAPH_COND_TYPE_WHILE:
		return params->size == 1;
	case CU_GRAPH_COND_TYPE_SWITCH:
		return params->size >= 1 && else_too;
	}
	return false;
}

/* A handle is for a node of its graph, or of a body in that. */
static bool is_within(CUgraph graph, CUgraph outer)
{
	while (graph != NULL && graph != outer)
		graph = graph->parent;
	return graph != NULL;
}

static CUresult check_condition(CUgraph graph,
				const CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	struct condition *condition = standin_condition(params->handle);

	if (condition == NULL || condition->used ||
	    condition->graph == NULL ||
	    !is_within(graph, condition->graph) ||
	    condition->context != params->ctx || !is_size_right(params))
		return CUDA_ERROR_INVALID_VALUE;
	if (graph->root != graph && graph->body_context != params->ctx)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static void add_bodies(CUgraphNode node, CUcontext context)
{
	unsigned i;

	node->bodies = standin_new(node->body_count * sizeof(CUgraph));
	for (i = 0; i < node->body_count; i++) {
		node->bodies[i] = standin_new_graph(node->graph->root);
		node->bodies[i]->parent = node->graph;
		node->bodies[i]->body_context = context;
		standin_add(&node->bodies[i]->object, STANDIN_GRAPH, NULL);
	}
}

static CUresult add_conditional(CUgraphNode *out, CUgraph graph,
				const CUgraphNode *before, size_t count,
				CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	CUgraphNode node;
	CUresult code;

	code = check_condition(graph, params);
	if (code != CUDA_SUCCESS)
		return code;
	node = new_node(CU_GRAPH_NODE_TYPE_CONDITIONAL);
	node->handle = params->handle;
	node->loop = params->type;
	code = add(out, graph, before, count, node, CUDA_SUCCESS);
	if (code != CUDA_SUCCESS)
		return code;
	node->body_count = params->size;
	add_bodies(node, params->ctx);
	params->phGraph_out = node->bodies;
	standin_condition(params->handle)->used = true;
	return CUDA_SUCCESS;
}

/* The memory behind the parameters of the node's kind. */
static bool is_rest_zero(const CUgraphNodeParams *params, size_t used)
{
	const char *bytes = (const char *)params->reserved1;
	size_t i;

	for (i = used; i < sizeof(params->reserved1) && bytes[i] == 0; i++)
		;
	return i >= sizeof(params->reserved1);
}

/* The required part of the generic call. */
CUresult standin_cuGraphAddNode(CUgraphNode *out, CUgraph graph,
				const CUgraphNode *before,
				const CUgraphEdgeData *edges, size_t count,
				CUgraphNodeParams *params)
{
	size_t i;

	if (params == NULL || standin_find(graph, STANDIN_GRAPH) == NULL ||
	    params->reserved0[0] != 0 || params->reserved0[1] != 0 ||
	    params->reserved0[2] != 0 || params->reserved2 != 0)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; edges != NULL && i < count; i++)
		if (edges[i].from_port != 0 || edges[i].to_port != 0 ||
		    edges[i].type != 0)
			return CUDA_ERROR_NOT_SUPPORTED;
	switch (params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return standin_cuGraphAddKernelNode(out, graph, before, count,
						    &params->kernel);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return standin_cuGraphAddEmptyNode(out, graph, before, count);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		if (!is_rest_zero(params, sizeof(params->conditional)))
			return CUDA_ERROR_INVALID_VALUE;
		return add_conditional(out, graph, before, count,
				       &params->conditional);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult standin_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
					const CUgraphNode *to, size_t count)
{
	size_t i;

	if (standin_find(graph, STANDIN_GRAPH) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!is_node_of(from[i], graph) || !is_node_of(to[i], graph) ||
		    from[i] == to[i])
			return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++) {
		CUgraphNode node = to[i];

		node->before = realloc(node->before, (node->before_count + 1) *
					       sizeof(size_t));
		if (node->before == NULL)
			abort();
		node->before[node->before_count++] = from[i]->index;
	}
	return CUDA_SUCCESS;
}
