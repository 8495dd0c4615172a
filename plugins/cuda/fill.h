/* SPDX-License-Identifier: MIT */
/* Fills: calls of the driver, and the kernel that does the others. */
#ifndef PLAITP_CUDA_FILL_H
#define PLAITP_CUDA_FILL_H

#include "backend.h"

/* --- fill.c: fills as the driver's calls */

/* Most parts of a fill, and most rows of one call. */
enum { CUDA_FILL_PARTS = 10, CUDA_FILL_ROWS = 1 << 30 };

/* Returns the number of parts; none is empty. */
uint32_t plaitp_cuda_split_fill(const plait_work *work,
				CUDA_MEMSET_NODE_PARAMS_v1 out[CUDA_FILL_PARTS]);
/* Take the next rows of a part, for one call; false: none is left. */
bool plaitp_cuda_next_rows(CUDA_MEMSET_NODE_PARAMS_v1 *rest,
			   CUDA_MEMSET_NODE_PARAMS_v1 *out);

/* --- fill_kernel.c: fills as one launch.  Context is current. */

/* Parameters of a launch; they refer to the structure. */
struct cuda_fill {
	CUDA_KERNEL_NODE_PARAMS_v2 params;
	void *arguments[3];
	CUdeviceptr to;
	uint64_t bytes;
	uint64_t pattern;
};

/* Returns true if the fill is to be this launch, false if calls of fill.c. */
bool plaitp_cuda_fill_kernel(plait_backend *self, struct cuda_device *device,
			     const plait_work *work, struct cuda_fill *out);
/* `entered`: the context is current; else it is gone. */
void plaitp_cuda_free_fill_kernel(plait_backend *self,
				  struct cuda_device *device, bool entered);

#endif
