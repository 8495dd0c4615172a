/* SPDX-License-Identifier: MIT */
/*
 * Fills as parameters of memset calls: whole patterns where alignment allows;
 * elsewhere one strided fill for each byte of the pattern.
 */
#include <string.h>

#include "fill.h"

/* Fill every `width`th byte of a range, from its byte `first` on. */
static uint32_t add_bytes(CUDA_MEMSET_NODE_PARAMS_v1 *out, CUdeviceptr to,
			  uint64_t bytes, unsigned width, unsigned first,
			  unsigned char value)
{
	uint64_t count = bytes > first ? (bytes - first - 1) / width + 1 : 0;

	if (count == 0)
		return 0;
	*out = (CUDA_MEMSET_NODE_PARAMS_v1){
		.dst = to + first, .value = value, .elementSize = 1,
		.width = count, .height = 1
	};
	if (count == 1 || width == 1)
		return 1;
	out->pitch = width;
	out->width = 1;
	out->height = count;
	return 1;
}

/* Fill whole patterns at a multiple of their size.  A pattern of 8 bytes is two
 * fills, of its halves.  Returns the number of fills. */
static uint32_t add_whole(CUDA_MEMSET_NODE_PARAMS_v1 *out, CUdeviceptr to,
			  uint64_t count, unsigned width, uint64_t pattern)
{
	const unsigned halves[2] = { (unsigned)pattern,
				     (unsigned)(pattern >> 32) };
	unsigned i;

	if (count == 0)
		return 0;
	if (width < 8) {
		*out = (CUDA_MEMSET_NODE_PARAMS_v1){
			.dst = to, .elementSize = width, .width = count,
			.height = 1,
			.value = width == 2 ? (unsigned short)halves[0] :
					      halves[0]
		};
		return 1;
	}
	for (i = 0; i < 2; i++)
		out[i] = (CUDA_MEMSET_NODE_PARAMS_v1){
			.dst = to + 4 * i, .pitch = 8, .elementSize = 4,
			.value = halves[i], .width = 1, .height = count
		};
	return 2;
}

/* Return the shortest pattern of 1, 4 or 8 bytes that gives the same bytes; the
 * driver has no call for 8 bytes, and columns are slow. */
static unsigned shorten(uint64_t pattern, unsigned width)
{
	const uint32_t half = (uint32_t)pattern;

	if (width != 8 || half != (uint32_t)(pattern >> 32))
		return width;
	return half == (half & 0xff) * 0x01010101u ? 1 : 4;
}

uint32_t plaitp_cuda_split_fill(const plait_work *work,
				CUDA_MEMSET_NODE_PARAMS_v1 out[CUDA_FILL_PARTS])
{
	CUdeviceptr to = work->target->address + work->target_offset;
	unsigned width = work->pattern_bytes, i;
	uint64_t whole = 0, pattern;
	unsigned char bytes[8];
	uint32_t count = 0;

	memcpy(bytes, &work->pattern, sizeof(bytes));
	memcpy(&pattern, bytes, sizeof(pattern));
	/* The bytes of a short rest begin as those of a whole pattern. */
	width = shorten(pattern, width);
	if (width > 1 && to % width == 0) {
		whole = work->bytes / width;
		count = add_whole(out, to, whole, width, pattern);
	}
	to += whole * width;
	for (i = 0; i < width; i++)
		count += add_bytes(&out[count], to,
				   work->bytes - whole * width, width, i,
				   bytes[i]);
	return count;
}

/* The documents of the driver give no limit of the rows; counts above 2^31 were never
 * tested. */
bool plaitp_cuda_next_rows(CUDA_MEMSET_NODE_PARAMS_v1 *rest,
			   CUDA_MEMSET_NODE_PARAMS_v1 *out)
{
	if (rest->height == 0)
		return false;
	*out = *rest;
	if (out->height > CUDA_FILL_ROWS)
		out->height = CUDA_FILL_ROWS;
	rest->height -= out->height;
	rest->dst += out->height * out->pitch;
	return true;
}
