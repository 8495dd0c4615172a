/* SPDX-License-Identifier: MIT */
/* How graphs are made: what segment.c and region.c share. */
#ifndef PLAITP_CUDA_GRAPH_H
#define PLAITP_CUDA_GRAPH_H

#include "backend.h"

/* What a graph is made with; arrays have an entry for each command. */
struct cuda_graph_builder {
	plait_backend *self;
	const plait_segment_request *request;
	plait_backend_segment *segment;
	uint64_t total_bytes; /* of the arrays */
	CUgraphNode *before; /* of the command in hand; one more than there are */
	size_t count;
	CUgraph *graphs; /* in which its nodes are: of the body it is in */
	CUgraph *loops; /* of loops: their bodies' */
	CUgraphConditionalHandle *handles; /* of regions */
	unsigned char *followed; /* another one is behind it */
	struct cuda_call call; /* the last one */
};

static inline const plait_work *
plaitp_cuda_work_at(const plait_segment_request *request, uint32_t index)
{
	return (const void *)((const char *)request->work +
			      (size_t)request->work->size * index);
}

static inline bool plaitp_cuda_check_call(struct cuda_graph_builder *maker,
					  const char *name, CUresult code)
{
	maker->call.name = name;
	maker->call.code = code;
	return code == CUDA_SUCCESS;
}

/* --- region.c */

/* Before any node: what regions of the segment need, if it has some. */
bool plaitp_cuda_prepare_regions(struct cuda_graph_builder *maker);
/* The nodes of a region, behind `before`; its bodies become the graphs of what
 * is in them. */
bool plaitp_cuda_add_region(struct cuda_graph_builder *maker, uint32_t index);
/* In front of a launch that decides its loop, and may forget to. */
bool plaitp_cuda_guard_loop(struct cuda_graph_builder *maker, uint32_t index);
/* Behind all other nodes: what decides whether loops go on. */
bool plaitp_cuda_close_regions(struct cuda_graph_builder *maker);
/* Without the device's context, too: then it is lost. */
void plaitp_cuda_end_regions(plait_backend *self,
			     plait_backend_segment *segment, bool entered);

#endif
