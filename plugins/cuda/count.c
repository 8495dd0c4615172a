/* SPDX-License-Identifier: MIT */
/* Counts of the graphs of a device: made, patched, to make anew, refused,
 * left.  The log has them when the context closes, and `plait conform` adds them
 * up. */
#include <stdio.h>

#include "segment.h"

void plaitp_cuda_count_graph(struct cuda_device *device,
			     enum cuda_graph_count kind)
{
	plaitp_driven_count(&device->graphs[kind]);
}

void plaitp_cuda_log_counts(plait_backend *self,
			    const struct cuda_device *device)
{
	uint32_t counts[CUDA_GRAPH_COUNTS], sum = 0;
	char line[160];
	int i;

	for (i = 0; i < CUDA_GRAPH_COUNTS; i++) {
		counts[i] = plaitp_driven_load(&device->graphs[i]);
		sum += counts[i];
	}
	if (sum == 0)
		return;
	snprintf(line, sizeof(line), "cuda:%u: graphs: %u made, %u patched, "
		 "%u to make anew, %u refused, %u left to the host",
		 plaitp_cuda_number(self, device), counts[CUDA_GRAPHS_MADE],
		 counts[CUDA_GRAPHS_PATCHED], counts[CUDA_GRAPHS_ANEW],
		 counts[CUDA_GRAPHS_REFUSED], counts[CUDA_GRAPHS_LEFT]);
	self->services->log(self->host, PLAIT_LOG_INFO, line);
}
