/* SPDX-License-Identifier: MIT */
/*
 * Fills on the stand-in for CUDA's driver: each is one command, a memset call or
 * the kernel, and stores its bytes alone; one node of a graph; a driver that
 * refuses the kernel.
 */
#include <stdlib.h>

#include "segments.h"

/* More than what the grid of the kernel stores at a time. */
enum { ROOM = 512, LARGE = (16 << 20) + 4096 };

static const uint64_t patterns[] = { 0, 0x2525252525252525, 0x1234567812345678,
				     0x1122334455667788 };

static const char *const commands[] = {
	"cuLaunchKernel", "cuMemsetD8Async", "cuMemsetD16Async",
	"cuMemsetD32Async", "cuMemsetD2D8Async", "cuMemsetD2D32Async",
};

static uint64_t count_commands(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TAP_COUNT(commands); i++)
		sum += rig_calls(commands[i]);
	return sum;
}

static bool open_with_fills(const char *standin, const char *fills)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = 1 };

	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	standin_prepare(standin);
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, fills);
	return open_place(&place);
}

static plait_buffer *new_buffer(uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = bytes };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(rig.device, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	return buffer;
}

/* A fill on a buffer of 0xee. */
struct fill {
	uint64_t offset, bytes, pattern;
	uint32_t width;
};

static uint64_t count_wrong(const struct fill *fill, const unsigned char *have,
			    uint64_t room)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < room; i++) {
		bool inside = i >= fill->offset &&
			      i < fill->offset + fill->bytes;
		uint64_t k = (i - fill->offset) % fill->width;

		wrong += have[i] != (inside ? (unsigned char)(fill->pattern >>
							      8 * k) : 0xee);
	}
	return wrong;
}

/* Returns the number of commands. */
static uint64_t run_fill(plait_buffer *x, const struct fill *fill, uint64_t room)
{
	unsigned char *have = malloc(room);
	uint64_t before, count;

	IS_INT(plait_queue_fill(rig.queue, x, 0, room, 0xee, 1, &rig.error),
	       PLAIT_OK);
	before = count_commands();
	IS_INT(plait_queue_fill(rig.queue, x, fill->offset, fill->bytes,
				fill->pattern, fill->width, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_read(rig.queue, x, 0, have, room, &rig.error),
	       PLAIT_OK);
	count = count_commands() - before;
	OK_THAT(count_wrong(fill, have, room) == 0,
		"%llu bytes of %u from %llu on: %llu are wrong",
		(unsigned long long)fill->bytes, fill->width,
		(unsigned long long)fill->offset,
		(unsigned long long)count_wrong(fill, have, room));
	free(have);
	return count;
}

static void check_one(plait_buffer *x, uint64_t offset, uint64_t bytes,
		      uint32_t width, uint64_t pattern)
{
	const struct fill fill = { offset, bytes, pattern, width };

	IS_UINT(run_fill(x, &fill, ROOM), 1);
}

static void one_command(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33,
					  40, 100, 257 };
	plait_buffer *x;

	if (!open_with_fills("", ""))
		return;
	x = new_buffer(ROOM);
	for (size_t p = 0; p < TAP_COUNT(patterns); p++)
		for (uint32_t width = 1; width <= 8; width *= 2)
			for (uint64_t offset = 0; offset < 18; offset++)
				check_one(x, offset, sizes[(offset + p) %
							   TAP_COUNT(sizes)],
					  width, patterns[p]);
	for (size_t i = 0; i < TAP_COUNT(sizes); i++)
		for (uint64_t offset = 0; offset < 16; offset += 3)
			check_one(x, offset, sizes[i], 8, patterns[3]);
	plait_buffer_release(x);
	close_place();
}

static void large(void)
{
	const struct fill fill = { 8, LARGE - 13, patterns[3], 8 };
	plait_buffer *x;

	if (!open_with_fills("", ""))
		return;
	x = new_buffer(LARGE);
	IS_UINT(run_fill(x, &fill, LARGE), 1);
	plait_buffer_release(x);
	close_place();
}

/* Aligned fills of 1, 2 and 4 bytes load no kernel. */
static void no_kernel(void)
{
	plait_buffer *x;

	if (!open_with_fills("", ""))
		return;
	x = new_buffer(ROOM);
	for (uint32_t width = 1; width <= 8; width *= 2)
		check_one(x, 8, 64, width, patterns[width == 8 ? 2 : 3]);
	IS_UINT(rig_calls("cuModuleLoadDataEx"), 0);
	check_one(x, 8, 64, 8, patterns[3]);
	check_one(x, 16, 64, 8, patterns[3]);
	IS_UINT(rig_calls("cuModuleLoadDataEx"), 1);
	plait_buffer_release(x);
	close_place();
}

/* ---- by calls of the driver ---- */

static void by_calls(const char *standin, const char *fills, uint64_t loads)
{
	const struct fill fill = { 8, 69, patterns[3], 8 };
	uint64_t columns;
	plait_buffer *x;

	if (!open_with_fills(standin, fills))
		return;
	x = new_buffer(ROOM);
	for (int i = 1; i <= 2; i++) {
		columns = rig_calls("cuMemsetD2D32Async");
		OK(run_fill(x, &fill, ROOM) > 1);
		IS_UINT(rig_calls("cuMemsetD2D32Async") - columns, 2);
	}
	IS_UINT(rig_calls("cuModuleLoadDataEx"), loads);
	plait_buffer_release(x);
	close_place();
}

/* A driver that refuses the kernel is asked once. */
static void refused(void)
{
	by_calls("fail=cuModuleLoadDataEx:1:218", "", 1);
	by_calls("fail=cuModuleGetFunction:1:500", "", 1);
	by_calls("", ",fills=calls", 0);
}

/* A driver that had no memory is asked again. */
static void no_memory(void)
{
	const struct fill fill = { 8, 64, patterns[3], 8 };
	plait_buffer *x;

	if (!open_with_fills("fail=cuModuleLoadDataEx:1:2", ""))
		return;
	x = new_buffer(ROOM);
	IS_UINT(run_fill(x, &fill, ROOM), 2);
	IS_UINT(run_fill(x, &fill, ROOM), 1);
	plait_buffer_release(x);
	close_place();
}

static void bad_option(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda" };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	char options[1100];

	standin_prepare("");
	(void)snprintf(options, sizeof(options), "cuda:driver=%.400s,fills=8",
		       standin_path);
	desc.options = options;
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "fills=8: calls or usual is wanted");
}

/* ---- nodes ---- */

static void in_graph(void)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_FILL, .label = "fill",
				 .pattern = patterns[3], .pattern_bytes = 8,
				 .bytes = 77, .target_offset = 8 };
	const struct fill fill = { 8, 77, patterns[3], 8 };
	unsigned char have[ROOM];
	plait_graph *graph;
	plait_plan *plan;
	plait_buffer *x;
	plait_node node;

	if (!open_with_fills("", ""))
		return;
	x = new_buffer(ROOM);
	desc.target = x;
	graph = new_graph();
	node = add_node(graph, desc, NULL, 0);
	desc.target_offset = 256;
	(void)add_node(graph, desc, &node, 1);
	plan = freeze_on(graph, 1);
	IS_INT(plait_queue_fill(rig.queue, x, 0, ROOM, 0xee, 1, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	for (int i = 0; i < 2; i++)
		OK_THAT(plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	/* A graph for each instance. */
	IS_UINT(rig_calls("cuGraphAddKernelNode"),
		2 * rig_calls("cuGraphCreate"));
	IS_UINT(rig_calls("cuGraphAddMemsetNode"), 0);
	IS_INT(plait_queue_read(rig.queue, x, 0, have, ROOM, &rig.error),
	       PLAIT_OK);
	IS_UINT(count_wrong(&fill, have, 256), 0);
	plait_plan_release(plan);
	plait_buffer_release(x);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "one command", one_command },
	{ "large", large },
	{ "no kernel", no_kernel },
	{ "refused", refused },
	{ "no memory", no_memory },
	{ "bad option", bad_option },
	{ "in a graph", in_graph },
};
TAP_MAIN(all)
