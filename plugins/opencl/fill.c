/* SPDX-License-Identifier: MIT */
/*
 * Pieces of fills.  The driver accepts patterns only as a whole and at multiples
 * of their size; bytes around that are filled one by one.
 */
#include <string.h>

#include "segment.h"

bool plaitp_opencl_fill_next(const plait_work *work, struct opencl_fill *piece)
{
	const size_t width = work->pattern_bytes;
	unsigned char pattern[8];
	uint64_t left;

	piece->at += piece->bytes;
	left = work->bytes - piece->at;
	if (left == 0)
		return false;
	piece->bytes = piece->width = 1;
	if ((work->target_offset + piece->at) % width == 0 && left >= width) {
		piece->bytes = left / width * width;
		piece->width = width;
	}
	memcpy(pattern, &work->pattern, sizeof(pattern));
	plaitp_driven_rotate_pattern(piece->pattern, pattern, width,
				     piece->at % width);
	return true;
}
