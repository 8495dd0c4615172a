/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: the conditions of conditional nodes.  A handle
 * belongs to one graph, and so to the one executable that may exist of it;
 * only kernels of a graph that runs it can set it.
 */
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { TAG = 0x57a0000 };

static struct condition **conditions;
static size_t condition_count;

struct condition *standin_condition(CUgraphConditionalHandle handle)
{
	size_t index = (size_t)(handle - TAG);

	return index < condition_count ? conditions[index] : NULL;
}

CUresult standin_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out,
						CUgraph graph,
						CUcontext context,
						unsigned int value,
						unsigned int flags)
{
	struct condition *condition;

	if (context == NULL)
		context = standin_current();
	if (out == NULL || standin_find(graph, STANDIN_GRAPH) == NULL ||
	    standin_find(context, STANDIN_CONTEXT) == NULL ||
	    flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
		return CUDA_ERROR_INVALID_VALUE;
	condition = standin_new(sizeof(*condition));
	condition->graph = graph;
	condition->context = context;
	condition->initial = value;
	condition->flags = flags;
	conditions = realloc(conditions, (condition_count + 1) *
				     sizeof(struct condition *));
	if (conditions == NULL)
		abort();
	*out = TAG + condition_count;
	conditions[condition_count++] = condition;
	return CUDA_SUCCESS;
}

static bool is_of(const struct condition *condition, CUgraph root)
{
	return condition->graph != NULL && condition->graph->root == root;
}

/* Conditions are kept: an executable may outlive its graph. */
void standin_forget_conditions(CUgraph graph)
{
	size_t i;

	for (i = 0; i < condition_count; i++)
		if (is_of(conditions[i], graph))
			conditions[i]->graph = NULL;
}

bool standin_has_unused_conditions(CUgraph graph)
{
	size_t i;

	for (i = 0; i < condition_count; i++)
		if (is_of(conditions[i], graph) && !conditions[i]->used)
			return true;
	return false;
}

/* Returns true if edges lead from a node to a later one of its graph. */
static bool is_before(CUgraphNode node, CUgraphNode later)
{
	size_t i;

	for (i = 0; i < later->before_count; i++) {
		CUgraphNode one = later->graph->nodes[later->before[i]];

		if (one == node || is_before(node, one))
			return true;
	}
	return false;
}

/* Kernels that no edge orders may set a condition in any order. */
static bool is_undefined(const struct condition *condition, CUgraphNode node)
{
	CUgraphNode setter = condition->setter;

	return setter != NULL && node != NULL && setter != node &&
	       setter->graph == node->graph && !is_before(setter, node);
}

/* An undefined choice of a driver is an error here. */
int standin_set_condition(void *driver, unsigned long long handle,
			  unsigned value)
{
	const struct work *work = driver;
	struct condition *condition;
	int code = CUDA_SUCCESS;

	pthread_mutex_lock(&standin.lock);
	condition = standin_condition(handle);
	if (condition == NULL || !condition->running ||
	    condition->context != work->context ||
	    is_undefined(condition, work->node))
		code = CUDA_ERROR_LAUNCH_FAILED;
	else {
		condition->value = value;
		condition->set = true;
		condition->setter = work->node;
	}
	pthread_mutex_unlock(&standin.lock);
	return code;
}
