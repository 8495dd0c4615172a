/* SPDX-License-Identifier: MIT */
/* Reads and writes through staging buffers, of bytes and of rows. */
#ifndef PLAITP_CUDA_STAGE_H
#define PLAITP_CUDA_STAGE_H

#include "backend.h"

/* Rows of some slices that are copied at a time: all rows of several slices, or
 * some rows of one. */
struct cuda_part {
	uint64_t slice, row; /* the first ones */
	uint64_t slices, rows;
};

/* Shared by the host functions of one work, which run one after the other. */
struct cuda_transfer {
	struct cuda_transfer *next;
	plait_backend *self;
	char *host;
	char *staging;
	uint64_t left;
	uint64_t chunk;
	uint64_t row_bytes; /* a chunk is whole rows */
	bool to_host;
	/* Of rows: the work's, which are valid until its completion, and the part that
	 * was copied last. */
	const plait_work_rows *rows;
	struct cuda_part part;
};

/* How much of memory of the host the device can access directly. */
enum cuda_pinning { CUDA_PINNED_NONE, CUDA_PINNED_PART, CUDA_PINNED_ALL };

/* --- stage.c.  Context is current; caller holds driven.lock. */

/* Enqueue the read or write `work`.  Returns true, or false with the failed call in
 * *out. */
bool plaitp_cuda_transfer(plait_backend *self, driven_batch *batch,
			  const plait_work *work, struct cuda_call *out);
/* Free what transfers of a batch that has ended needed. */
void plaitp_cuda_drop_transfers(plait_backend *self, driven_batch *batch);

enum cuda_pinning plaitp_cuda_stage_pinning(plait_backend *self,
					    const char *host, uint64_t bytes);
/* Returns null without memory. */
struct cuda_transfer *plaitp_cuda_stage_new(plait_backend *self,
					    driven_batch *batch,
					    const plait_work *work);
/* Set the staging buffer, for `left` bytes or chunks of them. */
CUresult plaitp_cuda_stage_acquire(plait_backend *self,
				   const driven_queue *queue,
				   struct cuda_transfer *transfer);
/* Returns true if a write of pageable memory may be copied when it is enqueued. */
bool plaitp_cuda_stage_is_early(const driven_queue *queue,
				const plait_work *work, uint64_t bytes);
/* Take a place in the staging buffer for such a write. */
CUresult plaitp_cuda_stage_place(plait_backend *self,
				 const driven_queue *queue, uint64_t bytes,
				 char **out);
/* Note a transfer that is enqueued, and no early write. */
void plaitp_cuda_stage_note(const driven_queue *queue, const plait_work *work,
			    enum cuda_pinning pinned);

/* --- stage_rows.c: reads and writes of rows */

/* Returns true if the rows of a read or write are staged several at a time: short
 * ones, with distances below the device's limit. */
bool plaitp_cuda_can_stage_rows(const plait_work *work);
/* As plaitp_cuda_transfer. */
bool plaitp_cuda_transfer_rows(plait_backend *self, driven_batch *batch,
			       const plait_work *work, struct cuda_call *out);

#endif
