/* SPDX-License-Identifier: MIT */
/* Group K: local parameters of kernels, memory of each group. */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, GROUPS = 16 };

/* Three local memories; the first one has a size that aligns nothing.  Each item
 * writes to all of them and reads what its neighbour wrote. */
static const char apart_signature[] =
	"apart(a: local u8, b: local u64, c: local u32, y: out pointer u64)";
static const char apart_text[] = "GROUP_KERNEL(apart, 8, 1, 1)\n"
	"{\n"
	"\tITEMS {\n"
	"\t\ta[LOCAL_ID(0)] = (u8)(LOCAL_ID(0) + 1);\n"
	"\t\tb[LOCAL_ID(0)] = 256 * GROUP_ID(0);\n"
	"\t\tc[LOCAL_ID(0)] = (u32)LOCAL_ID(0) << 16;\n"
	"\t}\n"
	"\tITEMS {\n"
	"\t\ti32 i = LOCAL_ID(0) ^ 7;\n"
	"\n"
	"\t\ty[GLOBAL_ID(0)] = a[i] + b[i] + c[i];\n"
	"\t}\n"
	"}\n";

static plait_argument local(uint64_t bytes)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_LOCAL,
				 .bytes = bytes };
}

/* `room` elements of each, more than the kernel uses. */
static void launch_apart(struct conform *c, plait_queue *queue,
			 plait_kernel *kernel, uint64_t room)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WIDTH * GROUPS } };
	const uint64_t bytes = WIDTH * GROUPS * sizeof(uint64_t);
	plait_buffer *y = conform_buffer(c, bytes);
	const plait_argument arguments[] = { local(room + 1),
					     local(room * 8), local(room * 4),
					     conform_memory(y, 0) };
	uint64_t got[WIDTH * GROUPS], at = 0, want = 0;

	NEED(plait_queue_fill(queue, y, 0, bytes, 0xff, 1, ERR));
	NEED(plait_queue_launch(queue, kernel, &launch, arguments, 4, ERR));
	NEED(plait_queue_read(queue, y, 0, got, bytes, ERR));
	for (; at < WIDTH * GROUPS; at++) {
		uint64_t i = (at % WIDTH) ^ 7;

		want = i + 1 + (at / WIDTH << 8) + (i << 16);
		if (got[at] != want)
			break;
	}
	HOLDS_THAT(at == WIDTH * GROUPS, "item %llu read 0x%llx, not 0x%llx",
		   (unsigned long long)at,
		   at < WIDTH * GROUPS ? (unsigned long long)got[at] : 0,
		   (unsigned long long)want);
}

static void keeps_apart(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, apart_signature, apart_text,
					      NULL);

	launch_apart(c, queue, kernel, WIDTH);
	launch_apart(c, queue, kernel, 30 * WIDTH);
	launch_apart(c, queue, kernel, 3 * WIDTH);
}

/* The last element of `all`, through the memory of the group. */
static const char whole_text[] = "GROUP_KERNEL(whole, 4, 1, 1)\n"
	"{\n"
	"\tITEMS\n"
	"\t\tall[LOCAL_ID(0) * (n - 1) / 3] = (u32)LOCAL_ID(0) + 40;\n"
	"\tITEMS\n"
	"\t\ty[LOCAL_ID(0)] = all[(3 - LOCAL_ID(0)) * (n - 1) / 3];\n"
	"}\n";

static plait_status launch_whole(struct conform *c, plait_queue *queue,
				 plait_kernel *kernel, plait_buffer *y,
				 uint64_t bytes)
{
	const plait_launch launch = { .size = sizeof(launch), .items = { 4 } };
	uint64_t n = bytes / sizeof(uint32_t);
	const plait_argument arguments[] = { local(bytes),
					     conform_memory(y, 0),
					     conform_value(&n, sizeof(n)) };

	return plait_queue_launch(queue, kernel, &launch, arguments, 3, ERR);
}

static void has_all_it_tells(struct conform *c)
{
	static const uint32_t want[4] = { 43, 42, 41, 40 };
	uint64_t limit = c->info.local_bytes / 16 * 16;
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(
		c, "whole(all: local u32, y: out pointer u32, n: u64)",
		whole_text, NULL);
	plait_buffer *y = conform_buffer(c, sizeof(want));
	uint32_t got[4] = { 0 };

	GIVES(launch_whole(c, queue, kernel, y, 6), PLAIT_E_INVALID);
	GIVES(launch_whole(c, queue, kernel, y, 0), PLAIT_E_INVALID);
	if (limit == 0)
		return;
	GIVES(launch_whole(c, queue, kernel, y, limit + 16),
	      PLAIT_E_UNSUPPORTED);
	HOLDS_THAT(strstr(c->error.text, "\"all\"") != NULL,
		   "the text names the argument: %s", c->error.text);
	NEED(launch_whole(c, queue, kernel, y, limit));
	NEED(plait_queue_read(queue, y, 0, got, sizeof(got), ERR));
	HOLDS_THAT(memcmp(got, want, sizeof(want)) == 0,
		   "all %llu bytes can be used: %u %u %u %u",
		   (unsigned long long)limit, got[0], got[1], got[2], got[3]);
}

static const struct conform_check checks[] = {
	{ "K18", "local parameters are memory of the group, each its own",
	  NEED_KERNELS, keeps_apart },
	{ "K19", "as much local memory as the device tells of, and no more",
	  NEED_KERNELS, has_all_it_tells },
};

CONFORM_GROUP(conform_local_memory, "kernels, and local memory");
