/* SPDX-License-Identifier: MIT */
/* Copies between memory of the host, by several threads. */
#ifndef PLAITP_CUDA_COPY_HOST_H
#define PLAITP_CUDA_COPY_HOST_H

#include "backend.h"

/* Comes before the other two.  Open creates a lane of the core for each helper. */
void plaitp_cuda_init_copier(plait_backend *self);
plait_status plaitp_cuda_open_copier(plait_backend *self, plait_error *error);
/* No copy is under way.  Also without an open, or after one that failed. */
void plaitp_cuda_close_copier(plait_backend *self);
/* On any thread, with any lock of the driver held; no worker is waited for that
 * has not begun. */
void plaitp_cuda_copy_host(plait_backend *self, void *to, const void *from,
			   uint64_t bytes);

#endif
