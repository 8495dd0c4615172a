/* SPDX-License-Identifier: MIT */
/* Builder of device graphs, shared by segment.c and region.c. */
#ifndef PLAITP_CUDA_GRAPH_H
#define PLAITP_CUDA_GRAPH_H

#include "flight.h"
#include "segment.h"

/*
 * Control block of a region, on the device.  Kernels that decide get its address
 * as `arrived`.  The stop word lies in memory of the host; decisions read it if
 * the last look at it was longer ago than the period.
 */
struct cuda_control {
	uint64_t arrived; /* blocks that have finished; 0 between launches */
	uint32_t looked;  /* odd time of that look, by the device's timer in
			   * ns; 0: none */
	uint32_t period;  /* in ns; 0: each decision looks */
};

/* State of one build.  Arrays have one element for each command. */
struct cuda_graph_builder {
	plait_backend *self;
	const plait_segment_request *request;
	plait_backend_segment *segment;
	uint64_t total_bytes; /* of the arrays */
	CUgraphNode *before; /* of the current node; one element more */
	size_t count; /* of `before`, in use */
	CUgraph *graphs; /* that contain the commands' nodes */
	CUgraph *loops; /* body graphs of loops */
	CUgraphConditionalHandle *handles; /* conditions of regions */
	CUdeviceptr *blocks; /* control blocks of regions */
	uint32_t block_count; /* in use */
	unsigned char *followed; /* another command depends on it */
	struct cuda_call call; /* the last call */
	bool declined; /* the backend did not ask the driver */
};

static inline const plait_work *
plaitp_cuda_work_at(const plait_segment_request *request, uint32_t index)
{
	return (const void *)((const char *)request->work +
			      (size_t)request->work->size * index);
}

static inline bool plaitp_cuda_check_call(struct cuda_graph_builder *builder,
					  const char *name, CUresult code)
{
	builder->call.name = name;
	builder->call.code = code;
	return code == CUDA_SUCCESS;
}

/* Refuse what the driver is known not to have, a plural noun. */
static inline bool plaitp_cuda_decline(struct cuda_graph_builder *builder,
				       const char *what)
{
	builder->declined = true;
	return plaitp_cuda_check_call(builder, what, CUDA_ERROR_NOT_SUPPORTED);
}

/* --- region.c */

/* Prepare control words and kernel if the segment has regions.  Comes before
 * any node. */
bool plaitp_cuda_prepare_regions(struct cuda_graph_builder *builder);
/* Add the nodes of a region, after `before`; set the graphs of the commands in
 * its bodies. */
bool plaitp_cuda_add_region(struct cuda_graph_builder *builder, uint32_t index);
/* Add a kernel that sets the condition before a launch that may leave it
 * unset. */
bool plaitp_cuda_guard_loop(struct cuda_graph_builder *builder, uint32_t index);
/* Add the kernels that decide whether loops continue.  Comes after all other
 * nodes. */
bool plaitp_cuda_close_regions(struct cuda_graph_builder *builder);
/* `entered`: the context is current; else it is lost. */
void plaitp_cuda_free_regions(plait_backend *self,
			      plait_backend_segment *segment, bool entered);
bool plaitp_cuda_new_condition(struct cuda_graph_builder *builder,
			       CUgraph graph, CUgraphConditionalHandle *out);
/* Add the conditional node of region `index`; *bodies are the driver's. */
bool plaitp_cuda_add_conditional(struct cuda_graph_builder *builder,
				 uint32_t index,
				 CUgraphConditionalHandle condition,
				 CUgraphConditionalNodeType type,
				 unsigned count, const CUgraph **bodies);

/* --- setter.c: kernels that set conditions */

struct cuda_call plaitp_cuda_find_setters(plait_backend *self,
					  struct cuda_device *device);
/* Add a node of decide or pick, after `before`.  `block`: the region's. */
bool plaitp_cuda_add_setter(struct cuda_graph_builder *builder, CUgraph graph,
			    CUfunction kernel,
			    CUgraphConditionalHandle condition,
			    CUdeviceptr word, CUdeviceptr block,
			    unsigned number, CUgraphNode *out);

/* --- choice.c */

/* Add a branch as IF nodes, for drivers without SWITCH nodes. */
bool plaitp_cuda_add_choice(struct cuda_graph_builder *builder, uint32_t index,
			    CUdeviceptr word);

#endif
