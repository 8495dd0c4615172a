/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: executable graphs.  They are copies; an update
 * changes what later launches run.  One never overlaps itself: a launch waits
 * for the one before, on any stream.  Nodes run one after another, in an
 * order by chance that the edges allow.
 */
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* --- programs ------------------------------------------------------------- */

static struct program *new_program(CUgraph graph)
{
	struct program *program = standin_new(sizeof(*program));

	program->graph = graph;
	program->references = 1;
	return program;
}

void standin_drop_program(struct program *program)
{
	if (--program->references != 0)
		return;
	standin_free_graph(program->graph);
	free(program);
}

/* False: there is a cycle. */
static bool is_ordered(CUgraph graph)
{
	char *done = standin_new(graph->count);
	size_t count = 0, before, i, j;

	do {
		before = count;
		for (i = 0; i < graph->count; i++) {
			CUgraphNode node = graph->nodes[i];

			for (j = 0; j < node->before_count; j++)
				if (!done[node->before[j]])
					break;
			if (!done[i] && j == node->before_count) {
				done[i] = 1;
				count++;
			}
		}
	} while (count != before);
	free(done);
	return count == graph->count;
}

static bool is_wholly_ordered(CUgraph graph)
{
	size_t i;
	unsigned j;

	if (!is_ordered(graph))
		return false;
	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];

		if (node->child != NULL && !is_wholly_ordered(node->child))
			return false;
		for (j = 0; j < node->body_count; j++)
			if (!is_wholly_ordered(node->bodies[j]))
				return false;
	}
	return true;
}

/* --- running; without the lock -------------------------------------------- */

static CUresult run_graph(CUgraph graph);

static unsigned value_of(CUgraphConditionalHandle handle)
{
	unsigned value;

	pthread_mutex_lock(&standin.lock);
	value = standin_condition(handle)->value;
	pthread_mutex_unlock(&standin.lock);
	return value;
}

/* A loop ends when its context has failed. */
static bool goes_on(CUgraphConditionalHandle handle)
{
	const struct condition *condition;
	bool on;

	pthread_mutex_lock(&standin.lock);
	condition = standin_condition(handle);
	on = condition->value != 0 &&
	     condition->context->sticky == CUDA_SUCCESS;
	pthread_mutex_unlock(&standin.lock);
	return on;
}

/* Before 12.8 a driver hangs in a body without nodes; this ends with a code. */
static CUresult run_body(CUgraph body)
{
	if (body->count == 0 && standin.options.driver_version < 12080)
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	return run_graph(body);
}

/* A loop that does not set its condition goes on for ever if it never does. */
static CUresult run_iteration(CUgraphNode node)
{
	struct condition *condition;
	CUresult code;

	pthread_mutex_lock(&standin.lock);
	standin_condition(node->handle)->set = false;
	standin_condition(node->handle)->setter = NULL;
	pthread_mutex_unlock(&standin.lock);
	code = run_body(node->bodies[0]);
	pthread_mutex_lock(&standin.lock);
	condition = standin_condition(node->handle);
	standin.undecided += code == CUDA_SUCCESS && !condition->set;
	pthread_mutex_unlock(&standin.lock);
	return code;
}

static CUresult run_conditional(CUgraphNode node)
{
	unsigned value = value_of(node->handle);
	CUresult code = CUDA_SUCCESS;

	switch (node->loop) {
	case CU_GRAPH_COND_TYPE_IF:
		if (value != 0)
			return run_body(node->bodies[0]);
		return node->body_count == 2 ? run_body(node->bodies[1]) :
					       CUDA_SUCCESS;
	case CU_GRAPH_COND_TYPE_WHILE:
		while (code == CUDA_SUCCESS && goes_on(node->handle)) {
			code = run_iteration(node);
			standin_go_on_elsewhere();
		}
		return code;
	case CU_GRAPH_COND_TYPE_SWITCH:
		return value < node->body_count ?
			       run_body(node->bodies[value]) : CUDA_SUCCESS;
	}
	return code;
}

static CUresult run_node(CUgraphNode node)
{
	if (node->disabled)
		return CUDA_SUCCESS;
	if (node->child != NULL)
		return run_graph(node->child);
	if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return run_conditional(node);
	node->work.node = node;
	return standin_perform(&node->work, CUDA_SUCCESS);
}

static bool is_ready(CUgraphNode node, const char *done)
{
	size_t i;

	for (i = 0; i < node->before_count; i++)
		if (!done[node->before[i]])
			return false;
	return !done[node->index];
}

/* A node that can run, chosen at random. */
static CUgraphNode choose(CUgraph graph, const char *done, size_t hint)
{
	size_t i;

	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[(hint + i) % graph->count];

		if (is_ready(node, done))
			return node;
	}
	return NULL;
}

static size_t hint_below(size_t count)
{
	size_t hint;

	pthread_mutex_lock(&standin.lock);
	hint = (size_t)standin_random(count);
	pthread_mutex_unlock(&standin.lock);
	return hint;
}

static CUresult run_graph(CUgraph graph)
{
	char *done = standin_new(graph->count);
	CUresult code = CUDA_SUCCESS;
	CUgraphNode node;

	while (code == CUDA_SUCCESS) {
		node = choose(graph, done, hint_below(graph->count));
		if (node == NULL)
			break;
		code = run_node(node);
		done[node->index] = 1;
	}
	free(done);
	return code;
}

/* Set the conditions of a graph up for a launch, or end it. */
static void set_running(CUgraph graph, bool running)
{
	size_t i;
	unsigned j;

	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];
		struct condition *condition;

		if (node->type != CU_GRAPH_NODE_TYPE_CONDITIONAL)
			continue;
		condition = standin_condition(node->handle);
		condition->running = running;
		condition->setter = NULL;
		if (running && condition->flags & CU_GRAPH_COND_ASSIGN_DEFAULT)
			condition->value = condition->initial;
		for (j = 0; j < node->body_count; j++)
			set_running(node->bodies[j], running);
	}
}

CUresult standin_run_program(struct program *program)
{
	CUresult code;

	pthread_mutex_lock(&standin.lock);
	set_running(program->graph, true);
	pthread_mutex_unlock(&standin.lock);
	code = run_graph(program->graph);
	pthread_mutex_lock(&standin.lock);
	set_running(program->graph, false);
	pthread_mutex_unlock(&standin.lock);
	return code;
}

/* --- making --------------------------------------------------------------- */

static CUresult refuse(CUDA_GRAPH_INSTANTIATE_PARAMS *params,
		       CUgraphInstantiateResult result, CUresult code)
{
	params->result_out = result;
	return code;
}

CUresult standin_cuGraphInstantiateWithParams(
	CUgraphExec *out, CUgraph graph,
	CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUgraphExec exec;

	if (out == NULL || params == NULL ||
	    standin_find(graph, STANDIN_GRAPH) == NULL || graph->root != graph)
		return CUDA_ERROR_INVALID_VALUE;
	params->hErrNode_out = NULL;
	if (!is_wholly_ordered(graph))
		return refuse(params, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
			      CUDA_ERROR_INVALID_VALUE);
	if (standin_has_unused_conditions(graph))
		return refuse(
			params,
			CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
			CUDA_ERROR_INVALID_VALUE);
	if (graph->execs != 0 && standin_has_conditions(graph))
		return refuse(params, CUDA_GRAPH_INSTANTIATE_ERROR,
			      CUDA_ERROR_NOT_SUPPORTED);
	exec = standin_new(sizeof(*exec));
	exec->made_of = graph;
	exec->program = new_program(standin_copy_graph(graph, false));
	graph->execs++;
	standin_add(&exec->object, STANDIN_EXEC, standin_current());
	params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	*out = exec;
	return CUDA_SUCCESS;
}

void standin_end_exec(CUgraphExec exec)
{
	if (standin_find(exec->made_of, STANDIN_GRAPH) != NULL)
		exec->made_of->execs--;
	if (exec->last != NULL)
		standin_drop(exec->last);
	standin_drop_program(exec->program);
	standin_remove(&exec->object);
	free(exec);
}

CUresult standin_cuGraphExecDestroy(CUgraphExec exec)
{
	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	standin_end_exec(exec);
	return CUDA_SUCCESS;
}

static struct op *enqueue(CUgraphExec exec, CUstream stream, struct work *work)
{
	struct op *op;

	if (exec->last != NULL && !exec->last->done) {
		standin_wait_later(stream, exec->last);
		standin.overlaps++;
	}
	op = standin_enqueue(stream, work);
	if (exec->last != NULL)
		standin_drop(exec->last);
	exec->last = standin_keep(op);
	return op;
}

static CUresult start(CUgraphExec exec, CUstream handle, enum work_kind kind)
{
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = kind };

	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (kind == WORK_GRAPH) {
		work.program = exec->program;
		exec->program->references++;
	}
	enqueue(exec, stream, &work);
	return CUDA_SUCCESS;
}

CUresult standin_cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	return start(exec, stream, WORK_NONE);
}

CUresult standin_cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return start(exec, stream, WORK_GRAPH);
}

/* --- changing ------------------------------------------------------------- */

static CUgraphNode find_in(CUgraph graph, CUgraphNode origin)
{
	CUgraphNode found = NULL;
	size_t i;
	unsigned j;

	for (i = 0; i < graph->count && found == NULL; i++) {
		CUgraphNode node = graph->nodes[i];

		if (node->origin == origin)
			return node;
		for (j = 0; j < node->body_count && found == NULL; j++)
			found = find_in(node->bodies[j], origin);
	}
	return found;
}

/* The node behind a handle in a program that is not running, or null. */
static CUgraphNode find_to_change(CUgraphExec exec, CUgraphNode origin)
{
	struct program *program = exec->program;
	CUgraph graph;

	if (find_in(program->graph, origin) == NULL)
		return NULL;
	if (program->references > 1) {
		graph = standin_copy_graph(program->graph, true);
		standin_drop_program(program);
		exec->program = new_program(graph);
	}
	return find_in(exec->program->graph, origin);
}

/* A copy of more than a line. */
static bool is_box(const struct work *work)
{
	return work->kind == WORK_COPY &&
	       (work->height > 1 || work->depth > 1);
}

/* Kernels have no operands: all of these are zero. */
static bool may_become(const CUgraphNode node, const struct work *work)
{
	return node->work.context == work->context &&
	       !is_box(&node->work) && !is_box(work) &&
	       standin_is_same_memory(&node->work.to, &work->to) &&
	       standin_is_same_memory(&node->work.from, &work->from);
}

static CUresult change(CUgraphExec exec, CUgraphNode origin,
		       CUgraphNodeType type, struct work *work, CUresult code)
{
	CUgraphNode node;

	if (code != CUDA_SUCCESS)
		return code;
	node = find_to_change(exec, origin);
	if (node == NULL || node->type != type || !may_become(node, work)) {
		standin_free_work(work);
		return CUDA_ERROR_INVALID_VALUE;
	}
	standin_free_work(&node->work);
	node->work = *work;
	return CUDA_SUCCESS;
}

CUresult standin_cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode node,
	const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	struct work work = { .kind = WORK_NONE };

	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return change(exec, node, CU_GRAPH_NODE_TYPE_KERNEL, &work,
		      standin_fill_kernel(&work, params));
}

CUresult standin_cuGraphExecMemcpyNodeSetParams(
	CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D_v2 *params,
	CUcontext context)
{
	struct work work = { .kind = WORK_NONE, .context = context };

	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return change(exec, node, CU_GRAPH_NODE_TYPE_MEMCPY, &work,
		      standin_fill_copy(&work, params));
}

CUresult standin_cuGraphExecMemsetNodeSetParams(
	CUgraphExec exec, CUgraphNode node,
	const CUDA_MEMSET_NODE_PARAMS_v1 *params, CUcontext context)
{
	struct work work = { .kind = WORK_NONE, .context = context };

	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return change(exec, node, CU_GRAPH_NODE_TYPE_MEMSET, &work,
		      standin_fill_fill(&work, params));
}

CUresult standin_cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode origin,
				       unsigned int enabled)
{
	CUgraphNode node;

	if (standin_find(exec, STANDIN_EXEC) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	node = find_to_change(exec, origin);
	if (node == NULL || (node->type != CU_GRAPH_NODE_TYPE_KERNEL &&
			     node->type != CU_GRAPH_NODE_TYPE_MEMCPY &&
			     node->type != CU_GRAPH_NODE_TYPE_MEMSET))
		return CUDA_ERROR_INVALID_VALUE;
	node->disabled = enabled == 0;
	return CUDA_SUCCESS;
}
