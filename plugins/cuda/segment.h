/* SPDX-License-Identifier: MIT */
/* Segments as device graphs. */
#ifndef PLAITP_CUDA_SEGMENT_H
#define PLAITP_CUDA_SEGMENT_H

#include "backend.h"

struct plait_backend_segment {
	uint64_t total_bytes;
	struct cuda_device *device;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode *nodes; /* the last node of each command */
	struct cuda_loop *loops; /* of commands that decide; word 0: none */
	uint32_t work_count;
	uint32_t region_count;
	CUdeviceptr control; /* blocks of regions, and a word; or 0 */
	struct cuda_block *control_block;
	bool control_pending; /* their first values may be in flight */
	struct cuda_word *stop; /* stops the loops; with `control` */
};

/* PLAIT_E_UNSUPPORTED: the driver refuses the graph, or has none such; the core
 * submits the commands one by one. */
plait_status plaitp_cuda_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error);
void plaitp_cuda_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment);
/* Change a command of an idle segment.  PLAIT_E_UNSUPPORTED: the core creates the
 * segment again. */
plait_status plaitp_cuda_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error);

/* --- count.c: counts of graphs */

void plaitp_cuda_count_graph(struct cuda_device *device,
			     enum cuda_graph_count kind);
/* Log the device's counts unless all are 0. */
void plaitp_cuda_log_counts(plait_backend *self,
			    const struct cuda_device *device);

/* --- region.c: conditional nodes */

bool plaitp_cuda_has_regions(const plait_backend *self);
/* Store the stop word of all loops, 0 or 1, without a call of the driver: on any
 * thread, also while the segment runs. */
plait_status plaitp_cuda_segment_stop(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t stop, plait_error *error);

#endif
