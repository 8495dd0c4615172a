/* SPDX-License-Identifier: MIT */
/*
 * Branches as IF nodes, for drivers without SWITCH nodes (12.3 to 12.7).  A kernel
 * of one thread for each body, pick, sets the condition of its IF node:
 *
 *     case	pick 0  pick 1 ...  IF { body }  IF { body } ...
 *
 * All picks come before the first body, which may write the word.  A body without
 * commands has no node, because these drivers hang in empty bodies.
 */
#include "graph.h"

static const plait_work_region *
region_of(const struct cuda_graph_builder *builder, uint32_t index)
{
	return plaitp_cuda_work_at(builder->request, index)->region;
}

/* Each pick follows the one before, and the last stands before the bodies. */
static bool add_picks(struct cuda_graph_builder *builder, uint32_t index,
		      CUdeviceptr word, CUgraphConditionalHandle *conditions)
{
	const plait_work_region *region = region_of(builder, index);
	CUgraph graph = builder->graphs[index];
	uint32_t body;

	for (body = 0; body < region->body_count; body++) {
		if (region->body_work[body] == 0)
			continue;
		if (!plaitp_cuda_new_condition(builder, graph,
					       &conditions[body]) ||
		    !plaitp_cuda_add_setter(
			    builder, graph,
			    builder->segment->device->pick_kernel,
			    conditions[body], word, builder->blocks[index],
			    body, &builder->before[0]))
			return false;
		builder->count = 1;
	}
	return true;
}

/* The last of the nodes stands for the branch.  Each IF node follows the one
 * before; commands of a body go to its graph. */
static bool add_bodies(struct cuda_graph_builder *builder, uint32_t index,
		       const CUgraphConditionalHandle *conditions)
{
	const plait_work_region *region = region_of(builder, index);
	uint32_t at = index + 1, body, i;
	const CUgraph *graph;

	for (body = 0; body < region->body_count; body++) {
		if (region->body_work[body] == 0)
			continue;
		if (!plaitp_cuda_add_conditional(builder, index,
						 conditions[body],
						 CU_GRAPH_COND_TYPE_IF, 1,
						 &graph))
			return false;
		builder->before[0] = builder->segment->nodes[index];
		for (i = 0; i < region->body_work[body]; i++)
			builder->graphs[at++] = graph[0];
	}
	return true;
}

static bool has_commands(const plait_work_region *region)
{
	uint32_t body = 0;

	while (body < region->body_count && region->body_work[body] == 0)
		body++;
	return body < region->body_count;
}

bool plaitp_cuda_add_choice(struct cuda_graph_builder *builder, uint32_t index,
			    CUdeviceptr word)
{
	const plait_work_region *region = region_of(builder, index);
	uint64_t bytes = region->body_count * sizeof(CUgraphConditionalHandle);
	CUgraphConditionalHandle *conditions;
	bool added;

	if (!has_commands(region))
		return plaitp_cuda_decline(builder, "branches without "
					   "commands");
	conditions = builder->self->services->resize(builder->self->host, NULL,
						     0, bytes);
	if (conditions == NULL)
		return plaitp_cuda_check_call(builder, "a branch",
					      CUDA_ERROR_OUT_OF_MEMORY);
	added = add_picks(builder, index, word, conditions) &&
		add_bodies(builder, index, conditions);
	builder->self->services->resize(builder->self->host, conditions, bytes,
					0);
	return added;
}
