/* SPDX-License-Identifier: MIT */
/* Split launches: results, order of pieces, failure, room, bad input. */
#include "flows.h"

#include <string.h>

enum { SIDE = 24, CELLS = SIDE * SIDE, STEPS = 12 };

/* ---- a stencil against a sequential one ---- */

static uint32_t spread(const uint32_t *from, uint64_t x, uint64_t y)
{
	uint32_t sum = 1;

	for (uint64_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < SIDE; j++)
		for (uint64_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < SIDE; i++)
			sum = sum * 3 + from[j * SIDE + i];
	return sum;
}

static int32_t run_spread(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const uint32_t *from = *(const uint32_t *const *)arguments[0];
	uint32_t *to = *(uint32_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)user_data;
	for (uint64_t y = 0; y < launch->items[1]; y++)
		for (uint64_t x = 0; x < launch->items[0]; x++) {
			uint64_t i = chunk->low[0] + x, j = chunk->low[1] + y;

			to[j * SIDE + i] = spread(from, i, j);
		}
	return 0;
}

static plait_kernel *new_kernel(plait_kernel_function function,
				const char *signature)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				   &flow_rig.error), PLAIT_OK);
	return kernel;
}

static const plait_mapper near = { .size = sizeof(near),
				   .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				   .extent = { 1, 1, 0 } };
static const plait_mapper own = { .size = sizeof(own),
				  .kind = PLAIT_MAPPER_ONE_TO_ONE };

static void step(plait_kernel *kernel, plait_data *from, plait_data *to,
		 uint32_t split, uint32_t pieces)
{
	const plait_access reads = { .size = sizeof(reads), .data = from,
				     .mapper = &near };
	const plait_access writes = { .size = sizeof(writes), .data = to,
				      .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&reads),
					     PLAIT_ACCESS(&writes),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(SIDE, SIDE), .arguments = arguments,
		.argument_count = 3, .split = split, .pieces = pieces,
	};

	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error),
	       PLAIT_OK);
}

static void run_sequential(uint32_t cells[2][CELLS])
{
	for (int s = 0; s < STEPS; s++)
		for (uint64_t i = 0; i < CELLS; i++)
			cells[(s + 1) % 2][i] = spread(cells[s % 2], i % SIDE,
						       i / SIDE);
}

static void stencil(void)
{
	static uint32_t cells[2][CELLS], got[CELLS];

	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (uint32_t split = 0; split < 3; split++) {
			plait_kernel *kernel;
			plait_data *data[2];

			if (!open_flow(&flow_settings[s], 256))
				continue;
			kernel = new_kernel(run_spread,
					    "spread(u: in pointer u32, v: out "
					    "pointer u32, c: struct chunk 48)");
			for (int i = 0; i < 2; i++)
				data[i] = new_data(2, SIDE, SIDE, 0, 4, "u");
			for (uint32_t i = 0; i < CELLS; i++)
				cells[0][i] = i;
			IS_INT(plait_data_write(data[0], NULL, cells[0],
						&flow_rig.error), PLAIT_OK);
			for (int i = 0; i < STEPS; i++)
				step(kernel, data[i % 2], data[(i + 1) % 2],
				     split, s == 0 ? 0 : 5 * split + 1);
			run_sequential(cells);
			IS_INT(plait_data_read(data[STEPS % 2], NULL, got,
					       &flow_rig.error), PLAIT_OK);
			OK(memcmp(got, cells[STEPS % 2], sizeof(got)) == 0);
			plait_kernel_release(kernel);
			plait_data_release(data[0]);
			plait_data_release(data[1]);
			close_flow();
		}
}

/* ---- order and failure ---- */

/* Appends the chunk's number; fails at the one that user_data names. */
static uint32_t seen[16], seen_count;

static int32_t run_note(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const plait_box *chunk = arguments[0];

	(void)launch;
	seen[seen_count++] = (uint32_t)chunk->low[0];
	return user_data != NULL && chunk->low[0] == (uintptr_t)user_data ?
		       5 : 0;
}

/* Pieces that write the same run one by one, as submitted. */
static void overlapping(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		const plait_argument chunk = PLAIT_CHUNK();
		plait_access access;
		plait_task_desc desc = {
			.size = sizeof(desc), .label = "all",
			.launch = PLAIT_ITEMS(8), .arguments = &chunk,
			.argument_count = 1, .split = 1, .pieces = 8,
			.accesses = &access, .access_count = 1,
		};
		plait_task task = 0;
		bool sorted = true;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		access = access_of(new_data(0, 0, 0, 0, 0, "order"),
				   PLAIT_ACCESS_READ_WRITE, NULL);
		desc.kernel = new_kernel(run_note, "note(c: struct chunk 48)");
		seen_count = 0;
		IS_INT(plait_flow_submit(flow, &desc, &task, &flow_rig.error),
		       PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_OK);
		IS_UINT(seen_count, 8);
		for (uint32_t i = 0; i < 8; i++)
			sorted &= seen[i] == i;
		OK(sorted);
		plait_kernel_release(desc.kernel);
		plait_data_release(access.data);
		close_flow();
	}
}

/* The number of the launch has the failure of a piece. */
static void failing(void)
{
	for (size_t s = 0; s < 2; s++) {
		const plait_argument chunk = PLAIT_CHUNK();
		const plait_kernel_desc code = {
			.size = sizeof(code), .function = run_note,
			.user_data = (void *)(uintptr_t)6,
			.signature = "note(c: struct chunk 48)",
		};
		plait_access access;
		plait_task_desc desc = {
			.size = sizeof(desc), .label = "all",
			.launch = PLAIT_ITEMS(16), .arguments = &chunk,
			.argument_count = 1, .split = 1, .pieces = 8,
			.accesses = &access, .access_count = 1,
		};
		const plait_box good = { { 8, 0, 0 }, { 16, 1, 1 } };
		uint32_t words[16];
		plait_task task = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		access = access_of(new_data(1, 16, 0, 0, 4, "u"),
				   PLAIT_ACCESS_WRITE, NULL);
		access.mapper = &own;
		IS_INT(plait_kernel_create(flow_rig.context, &code,
					   &desc.kernel, NULL), PLAIT_OK);
		seen_count = 0;
		IS_INT(plait_flow_submit(flow, &desc, &task, &flow_rig.error),
		       PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 5);
		HAS_STR(flow_rig.error.text, "\"all\" failed with 5");
		IS_UINT(seen_count, 8);
		IS_INT(plait_data_read(access.data, &good, words,
				       &flow_rig.error), PLAIT_OK);
		IS_INT(plait_data_read(access.data, NULL, words,
				       &flow_rig.error), PLAIT_E_FAILED);
		plait_kernel_release(desc.kernel);
		plait_data_release(access.data);
		close_flow();
	}
}

/* ---- room ---- */

static int32_t run_nothing(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* Pieces with many readers in a window that is always full: each launch waits
 * for room, and gets all of it. */
static void full_window(void)
{
	static const plait_mapper wide = {
		.size = sizeof(wide), .kind = PLAIT_MAPPER_NEIGHBORHOOD,
		.extent = { 9, 0, 0 },
	};

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		const plait_argument chunk = PLAIT_CHUNK();
		plait_access access = { .size = sizeof(access),
					.mode = PLAIT_ACCESS_READ,
					.mapper = &wide };
		plait_task_desc desc = {
			.size = sizeof(desc), .arguments = &chunk,
			.argument_count = 1, .split = 1, .access_count = 1,
			.accesses = &access,
		};
		plait_status status = PLAIT_OK;

		if (!open_flow(&flow_settings[s], 256))
			continue;
		access.data = new_data(1, 64, 0, 0, 4, "u");
		desc.kernel = new_kernel(run_nothing,
					 "nothing(c: struct chunk 48)");
		for (uint32_t i = 0; status == PLAIT_OK && i < 300; i++) {
			desc.launch = PLAIT_ITEMS(1 + i * 7 % 64);
			desc.pieces = 2 + i % 5;
			access.mode = i % 17 == 16 ? PLAIT_ACCESS_READ_WRITE :
						     PLAIT_ACCESS_READ;
			status = plait_flow_submit(flow, &desc, NULL,
						   &flow_rig.error);
		}
		OK_THAT(status == PLAIT_OK, "%s", flow_rig.error.text);
		IS_INT(wait_task(0), PLAIT_OK);
		plait_kernel_release(desc.kernel);
		plait_data_release(access.data);
		close_flow();
	}
}

/* Submit so many pieces with large arguments.  Another launch of the kernel, of
 * another geometry, is in flight or not. */
static plait_status split_large(uint32_t pieces, bool is_idle)
{
	struct large {
		uint64_t words[39];
	} large = { { 0 } };
	const plait_argument arguments[] = { PLAIT_CHUNK(), PLAIT_VALUE(large) };
	plait_task_desc desc = {
		.size = sizeof(desc), .launch = PLAIT_ITEMS(7),
		.arguments = arguments, .argument_count = 2,
		.split = 1, .pieces = 1,
	};
	plait_status status;

	desc.kernel = new_kernel(run_nothing, "nothing(c: struct chunk 48, "
				 "l: struct 312)");
	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error),
	       PLAIT_OK);
	if (is_idle)
		IS_INT(wait_task(0), PLAIT_OK);
	desc.launch = PLAIT_ITEMS(300);
	desc.pieces = pieces;
	status = plait_flow_submit(flow, &desc, NULL, &flow_rig.error);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_kernel_release(desc.kernel);
	return status;
}

/* A split fits or does not, with or without launches in flight. */
static void large_arguments(void)
{
	if (!open_flow(&flow_settings[0], 1024))
		return;
	for (int is_idle = 0; is_idle < 2; is_idle++) {
		OK_THAT(split_large(70, is_idle != 0) == PLAIT_OK,
			"70 pieces, %s: %s", is_idle ? "idle" : "in flight",
			flow_rig.error.text);
		IS_INT(split_large(90, is_idle != 0), PLAIT_E_INVALID);
		HAS_STR(flow_rig.error.text, "the arguments of 90 pieces may "
			"need a window of ");
	}
	close_flow();
}

/* ---- values, bad input ---- */

struct wide {
	uint64_t words[9];
};

static int32_t run_wide(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const struct wide *wide = arguments[0];

	(void)launch;
	(void)user_data;
	*(*(uint64_t *const *)arguments[1]) =
		wide->words[0] + wide->words[8] + *(uint32_t *)arguments[2];
	return 0;
}

/* Values of more than 8 bytes. */
static void wide_values(void)
{
	struct wide wide = { { 5, 0, 0, 0, 0, 0, 0, 0, 7 } };
	uint32_t more = 30;
	uint64_t sum = 0;
	plait_kernel *kernel;
	plait_data *out;

	if (!open_flow(&flow_settings[0], 16))
		return;
	kernel = new_kernel(run_wide, "wide(w: struct 72, out: out pointer "
			    "u64, m: u32)");
	out = new_data(0, 0, 0, 0, 8, "out");
	IS_INT(plait_flow_launch(flow, kernel, NULL,
				 PLAIT_ARGUMENTS(PLAIT_VALUE(wide),
						 PLAIT_DATA(out),
						 PLAIT_VALUE(more)),
				 NULL, &flow_rig.error), PLAIT_OK);
	IS_INT(plait_data_read(out, NULL, &sum, &flow_rig.error), PLAIT_OK);
	IS_UINT(sum, 42);
	plait_kernel_release(kernel);
	plait_data_release(out);
	close_flow();
}

#define WRONG(part, ...) \
	do { \
		plait_task_desc wrong = good; \
		plait_access with = { .size = sizeof(with), \
				      .mode = PLAIT_ACCESS_WRITE, .data = line, \
				      .box =  NULL, .mapper = &mapper }; \
		mapper = own; \
		__VA_ARGS__; \
		wrong.accesses = &with; \
		wrong.access_count = 1; \
		IS_INT(plait_flow_submit(flow, &wrong, NULL, \
					 &flow_rig.error), PLAIT_E_INVALID); \
		HAS_STR(flow_rig.error.text, part); \
	} while (0)

/* A function of a mapper with as many boxes as its user data says, of which the last
 * one is reversed. */
static plait_status map_reversed(void *user_data, const plait_box *chunk,
				 const plait_box *data, plait_box *out,
				 uint32_t room, uint32_t *out_count)
{
	const uint32_t count = *(const uint32_t *)user_data;

	(void)chunk;
	for (uint32_t i = 0; i < count && i < room; i++)
		out[i] = *data;
	if (count != 0 && count <= room) {
		out[count - 1].low[0] = 5;
		out[count - 1].high[0] = 2;
	}
	*out_count = count;
	return count == 0 ? PLAIT_E_INVALID : PLAIT_OK;
}

static void bad_tasks(plait_kernel *kernel, plait_kernel *bare,
		      plait_data *line)
{
	static const plait_argument chunk = PLAIT_CHUNK();
	static const plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	static const plait_box reversed = { { 5, 0, 0 }, { 2, 1, 1 } };
	static uint32_t none = 0, two = 2, many = 65;
	const plait_task_desc good = {
		.size = sizeof(good), .kernel = kernel,
		.launch = PLAIT_ITEMS(8), .arguments = &chunk,
		.argument_count = 1, .split = 1, .pieces = 3,
	};
	const plait_task_desc call = { .size = sizeof(call),
				       .kind = PLAIT_TASK_CALL,
				       .function = return_it };
	plait_mapper mapper;

	WRONG("split is 3", wrong.split = 3);
	WRONG("split is 2, but the launch has one dimension", wrong.split = 2);
	WRONG("3 pieces, but split is 0", wrong.split = 0);
	WRONG("257 pieces; at most 256", wrong.pieces = 257);
	WRONG("a barrier is not split", wrong.flags = PLAIT_TASK_BARRIER);
	WRONG("only launches are split", wrong = call, wrong.split = 1);
	WRONG("only launches are split", wrong = call, wrong.pieces = 3);
	WRONG("no argument PLAIT_CHUNK", wrong.kernel = bare,
	      wrong.argument_count = 0);
	WRONG("kind is not", mapper.kind = 8);
	WRONG("PLAIT_MAPPER_NO_CORNERS", mapper.flags = 2);
	WRONG("a box, too", with.box = &box);
	WRONG("other dimensions", wrong.launch = PLAIT_ITEMS(2, 2));
	WRONG("its dimension", mapper.kind = PLAIT_MAPPER_SLICE,
	      mapper.dimension = 1);
	WRONG("has no boxes", mapper.kind = PLAIT_MAPPER_FIXED);
	WRONG("not a multiple", mapper.kind = PLAIT_MAPPER_BOXES,
	      mapper.boxes = &box, mapper.box_count = 2);
	WRONG("function is null", mapper.kind = PLAIT_MAPPER_FUNCTION);
	WRONG("access 0: mapper: low is above high in a box of the function: "
	      "data \"line\": box [5, 2)", mapper.kind = PLAIT_MAPPER_FUNCTION,
	      mapper.function = map_reversed, mapper.user_data = &two);
	WRONG("mapper: the function has 65 boxes for a chunk; at most 64",
	      mapper.kind = PLAIT_MAPPER_FUNCTION,
	      mapper.function = map_reversed, mapper.user_data = &many);
	WRONG("mapper: the function failed",
	      mapper.kind = PLAIT_MAPPER_FUNCTION,
	      mapper.function = map_reversed, mapper.user_data = &none);
	WRONG("low is above high in one of its boxes: data \"line\": box [5, 2)",
	      mapper.kind = PLAIT_MAPPER_FIXED, mapper.boxes = &reversed,
	      mapper.box_count = 1);
	WRONG("mappers are for launches", wrong = call);
	WRONG("may need a window of", wrong.pieces = 14,
	      wrong.launch = PLAIT_ITEMS(64));
}

static void bad_input(void)
{
	const plait_task_desc desc = { .size = sizeof(desc), .split = 1,
				       .launch = PLAIT_ITEMS(9), .pieces = 4 };
	plait_kernel *kernel, *bare;
	plait_flow_info info = { .size = sizeof(info) };
	plait_box boxes[4];
	plait_data *line;
	uint64_t count = 0;

	if (!open_flow(&flow_settings[0], 16))
		return;
	kernel = new_kernel(run_note, "note(c: struct chunk 48)");
	bare = new_kernel(run_note, "bare()");
	line = new_data(1, 8, 0, 0, 4, "line");
	bad_tasks(kernel, bare, line);
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK &&
	   info.newest == 0);
	IS_INT(plait_flow_split(flow, &desc, boxes, 4, &count,
				&flow_rig.error), PLAIT_OK);
	IS_UINT(count, 4);
	OK(boxes[0].high[0] == 3 && boxes[3].low[0] == 7);
	IS_INT(plait_flow_split(flow, &(plait_task_desc){
		.size = sizeof(desc), .launch = PLAIT_ITEMS(9), .pieces = 4 },
		boxes, 4, &count, &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "4 pieces, but split is 0");
	IS_INT(plait_flow_split(flow, &desc, boxes, 3, &count,
				&flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "4 chunks, but room for 3");
	IS_INT(plait_flow_split(flow, &desc, NULL, 0, &count, NULL),
	       PLAIT_OK);
	IS_INT(plait_flow_split(flow, &desc, NULL, 0, NULL, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_flow_split(NULL, &desc, NULL, 0, &count, NULL),
	       PLAIT_E_HANDLE);
	plait_kernel_release(kernel);
	plait_kernel_release(bare);
	plait_data_release(line);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "stencil", stencil },
	{ "overlapping", overlapping },
	{ "failing", failing },
	{ "full window", full_window },
	{ "large arguments", large_arguments },
	{ "wide values", wide_values },
	{ "bad input", bad_input },
};

TAP_MAIN(all)
