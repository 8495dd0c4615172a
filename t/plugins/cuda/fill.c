/* SPDX-License-Identifier: MIT */
/* Fills as memset calls: every byte once, with its value, by calls of at most
 * 2^30 rows; also fills that no test could make, of many gigabytes. */
#include <string.h>

#include "fill.h"
#include "lib/tap.h"

enum { BASE = 4096, ROOM = 256 };

static plait_work work_of(plait_backend_memory *target, uint64_t offset,
			  uint64_t bytes, uint32_t width, uint64_t pattern)
{
	target->address = BASE;
	return (plait_work){ .size = sizeof(plait_work),
			     .kind = PLAIT_WORK_FILL, .target = target,
			     .target_offset = offset, .bytes = bytes,
			     .pattern_bytes = width, .pattern = pattern };
}

/* Do a call on `memory`; counts the stores to each byte. */
static void store(const CUDA_MEMSET_NODE_PARAMS_v1 *call,
		  unsigned char memory[ROOM], unsigned char stores[ROOM])
{
	for (size_t row = 0; row < call->height; row++)
		for (size_t i = 0; i < call->width * call->elementSize; i++) {
			size_t at = call->dst - BASE + row * call->pitch + i;

			memory[at] = (unsigned char)(
				call->value >> 8 * (i % call->elementSize));
			stores[at]++;
		}
}

static void check_bytes(uint64_t offset, uint64_t bytes, uint32_t width,
			uint64_t pattern)
{
	CUDA_MEMSET_NODE_PARAMS_v1 parts[CUDA_FILL_PARTS], call;
	unsigned char memory[ROOM] = { 0 }, stores[ROOM] = { 0 };
	plait_backend_memory target = { .address = 0 };
	plait_work work = work_of(&target, offset, bytes, width, pattern);
	uint32_t count = plaitp_cuda_split_fill(&work, parts), wrong = 0;

	for (uint32_t i = 0; i < count; i++)
		while (plaitp_cuda_next_rows(&parts[i], &call))
			store(&call, memory, stores);
	for (uint64_t i = 0; i < ROOM; i++) {
		bool inside = i >= offset && i < offset + bytes;
		unsigned char want = (unsigned char)(
			pattern >> 8 * ((i - offset) % width));

		wrong += stores[i] != inside;
		wrong += inside && memory[i] != want;
	}
	OK_THAT(wrong == 0, "%d bytes of %d from %d on", (int)bytes,
		(int)width, (int)offset);
}

static void small(void)
{
	static const uint64_t patterns[] = { 0, 0x2525252525252525,
					     0x1234567812345678,
					     0x1122334455667788 };

	for (size_t p = 0; p < TAP_COUNT(patterns); p++)
		for (uint32_t width = 1; width <= 8; width *= 2)
			for (uint64_t offset = 0; offset < 9; offset++)
				for (uint64_t bytes = 1; bytes < 40; bytes += 3)
					check_bytes(offset, bytes, width,
						    patterns[p]);
}

/* Three columns' worth of rows and more: the calls follow one another. */
static void check_large(uint64_t offset, uint64_t bytes)
{
	CUDA_MEMSET_NODE_PARAMS_v1 parts[CUDA_FILL_PARTS], call;
	plait_backend_memory target = { .address = 0 };
	plait_work work = work_of(&target, offset, bytes, 8,
				  0x1122334455667788);
	uint32_t count = plaitp_cuda_split_fill(&work, parts), calls = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		CUdeviceptr next = parts[i].dst;

		while (plaitp_cuda_next_rows(&parts[i], &call)) {
			OK(call.height <= (uint64_t)1 << 30);
			OK(call.dst == next);
			next += call.height * call.pitch;
			sum += call.height * call.width * call.elementSize;
			calls++;
		}
	}
	IS_UINT(sum, bytes);
	OK(calls > count);
}

static void large(void)
{
	check_large(0, (uint64_t)40 << 30);
	check_large(8, ((uint64_t)17 << 30) + 8);
	/* Not aligned: a column for each byte. */
	check_large(3, (uint64_t)40 << 30);
}

static const struct tap_scenario all[] = {
	{ "small", small },
	{ "large", large },
};
TAP_MAIN(all)
