/* SPDX-License-Identifier: MIT */
/* Batches: the works that are enqueued together, up to a host function or the
 * end; and the rotation of fill patterns. */
#include "driven.h"

bool plaitp_driven_work_is_empty(const plait_work *work)
{
	return work->kind == PLAIT_WORK_NOP ||
	       (work->kind != PLAIT_WORK_LAUNCH &&
		work->kind != PLAIT_WORK_SEGMENT && work->bytes == 0);
}

uint32_t plaitp_driven_batch_end(const driven_batch *batch, uint32_t *last)
{
	uint32_t i;

	*last = UINT32_MAX;
	for (i = batch->work_index; i < batch->work_count &&
	     batch->works[i].kind != PLAIT_WORK_CALL; i++)
		if (!plaitp_driven_work_is_empty(&batch->works[i]))
			*last = i;
	return i;
}

void plaitp_driven_rotate_pattern(unsigned char out[8],
				  const unsigned char pattern[8], size_t width,
				  uint64_t shift)
{
	size_t i;

	for (i = 0; i < width; i++)
		out[i] = pattern[(i + shift) % width];
}
