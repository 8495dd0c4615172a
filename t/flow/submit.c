/* SPDX-License-Identifier: MIT */
/* Bad input of flows: an error at the call, and nothing was submitted. */
#include "flows.h"

#define WRONG(which, part, ...) \
	do { \
		const plait_task_desc wrong = { .size = sizeof(wrong), \
						.kind = which, \
						__VA_ARGS__ }; \
		plait_task task = 7; \
		IS_INT(plait_flow_submit(flow, &wrong, &task, \
					 &flow_rig.error), PLAIT_E_INVALID); \
		HAS_STR(flow_rig.error.text, part); \
		IS_UINT(task, 0); \
	} while (0)

static void bad_tasks(plait_data *line, plait_data *wide, plait_data *token)
{
	static const plait_box outside = { { 4, 0, 0 }, { 9, 1, 1 } };
	static const plait_box empty = { { 4, 0, 0 }, { 4, 1, 1 } };
	static const plait_box plane = { { 0, 0, 0 }, { 4, 2, 1 } };
	static const plait_box three = { { 0, 0, 0 }, { 3, 1, 1 } };
	plait_access access = access_of(line, 0, NULL);
	uint64_t word;

	WRONG(99, "kind 99", .label = "x");
	WRONG(PLAIT_TASK_CALL, "function is null", .label = "x");
	WRONG(PLAIT_TASK_CALL, "flags 0x1 are unknown; known are "
	      "PLAIT_TASK_NO_WAIT, _BARRIER and _COLLECTIVE",
	      .function = return_it, .flags = 1 | PLAIT_TASK_BARRIER);
	WRONG(PLAIT_TASK_CALL, "accesses is null", .function = return_it,
	      .access_count = 1);
	WRONG(PLAIT_TASK_CALL, "access 0: mode is 0", .function = return_it,
	      .access_count = 1, .accesses = &access);
	access = access_of(line, 5, NULL);
	WRONG(PLAIT_TASK_CALL, "mode 5", .function = return_it,
	      .access_count = 1, .accesses = &access);
	access = access_of(line, PLAIT_ACCESS_REDUCE, NULL);
	WRONG(PLAIT_TASK_CALL, "for arguments of launches", .function = return_it,
	      .access_count = 1, .accesses = &access);
	access = access_of(line, 1, &outside);
	WRONG(PLAIT_TASK_CALL, "box [4, 9) is not in [0, 8)",
	      .function = return_it, .access_count = 1, .accesses = &access);
	access.box = &plane;
	WRONG(PLAIT_TASK_CALL, "box [0, 4) x [0, 2) is not in [0, 8) x [0, 1)",
	      .function = return_it, .access_count = 1, .accesses = &access);
	WRONG(PLAIT_TASK_FILL, "is empty", .target = line,
	      .target_box = &empty);
	WRONG(PLAIT_TASK_FILL, "target: a token", .target = token);
	WRONG(PLAIT_TASK_FILL, "elements of 12 bytes", .target = wide);
	WRONG(PLAIT_TASK_COPY, "elements of 12 and 8", .target = wide,
	      .source = line);
	WRONG(PLAIT_TASK_COPY, "different extents", .target = line,
	      .source = line, .target_box = &three);
	WRONG(PLAIT_TASK_COPY, "overlap", .target = line, .source = line);
	WRONG(PLAIT_TASK_READ, "host is null", .source = line);
	IS_INT(plait_flow_submit(flow, &(plait_task_desc){
		.size = sizeof(plait_task_desc), .kind = PLAIT_TASK_READ,
		.host = &word }, NULL, &flow_rig.error), PLAIT_E_HANDLE);
	HAS_STR(flow_rig.error.text, "source: data handle is null");
	IS_INT(plait_flow_submit(flow, &(plait_task_desc){
		.size = sizeof(plait_task_desc), .kind = PLAIT_TASK_EMIT },
		NULL, &flow_rig.error), PLAIT_E_HANDLE);
	IS_INT(plait_flow_submit(flow, &(plait_task_desc){
		.size = sizeof(plait_task_desc), .kind = PLAIT_TASK_WAIT,
		.signal = flow_rig.signal, .sequence = 3 }, NULL,
		&flow_rig.error), PLAIT_E_INVALID);
	IS_INT(plait_flow_submit(flow, &(plait_task_desc){
		.size = sizeof(plait_task_desc), .kind = PLAIT_TASK_EMIT,
		.signal = flow_rig.gate }, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "is a gate");
}

static void bad_launches(plait_data *line, plait_data *token)
{
	plait_kernel *kernel = new_axpy();
	plait_access reads = access_of(line, PLAIT_ACCESS_READ, NULL);
	float a = 1;

	IS_INT(plait_flow_launch(flow, kernel, NULL, NULL, 0, NULL,
				 &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "0 arguments for 3");
	IS_INT(plait_flow_launch(flow, kernel, NULL,
				 PLAIT_ARGUMENTS(PLAIT_DATA(line),
						 PLAIT_DATA(line),
						 PLAIT_DATA(line)),
				 NULL, &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "argument 0 \"a\" (f32): data needs");
	IS_INT(plait_flow_launch(flow, kernel, NULL,
				 PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						 PLAIT_DATA(token),
						 PLAIT_DATA(line)),
				 NULL, &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "token");
	IS_INT(plait_flow_launch(flow, kernel, NULL,
				 PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						 PLAIT_DATA(line),
						 PLAIT_ACCESS(&reads)),
				 NULL, &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "the kernel writes it");
	plait_kernel_release(kernel);
	IS_INT(plait_flow_launch(flow, kernel, NULL, NULL, 0, NULL,
				 &flow_rig.error), PLAIT_E_HANDLE);
}

static void bad_calls(plait_data *line, plait_data *token)
{
	const plait_box outside = { { 0, 1, 0 }, { 8, 2, 1 } };
	plait_data_desc desc = { .size = sizeof(desc), .dimensions = 4 };
	plait_data *part = line;
	void *pointer = &desc;
	uint64_t word;

	IS_INT(plait_flow_wait(flow, 1000000, 0, &flow_rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_flow_notify(flow, 1, NULL, NULL, NULL, NULL),
	       PLAIT_E_HANDLE);
	IS_INT(plait_data_create(flow, &desc, &part, NULL), PLAIT_E_INVALID);
	IS_PTR(part, NULL);
	desc.dimensions = 1;
	IS_INT(plait_data_create(flow, &desc, &part, NULL), PLAIT_E_INVALID);
	desc.extent[0] = UINT64_MAX;
	desc.element_bytes = 8;
	IS_INT(plait_data_create(flow, &desc, &part, NULL), PLAIT_E_INVALID);
	desc.extent[0] = 4;
	desc.extent[1] = 7;
	IS_INT(plait_data_create(flow, &desc, &part, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "extent[1] is 7, but dimensions is 1");
	desc.extent[1] = 0;
	desc.buffer_offset = 8;
	IS_INT(plait_data_create(flow, &desc, &part, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "buffer_offset is set, but buffer is null");
	IS_INT(plait_data_part(line, &outside, &part, NULL), PLAIT_E_INVALID);
	IS_INT(plait_data_part(line, NULL, &part, NULL), PLAIT_E_INVALID);
	IS_INT(plait_data_map(line, NULL, 0, &pointer, NULL), PLAIT_E_INVALID);
	IS_PTR(pointer, NULL);
	IS_INT(plait_data_map(token, NULL, PLAIT_MAP_READ, &pointer, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_data_read(line, NULL, NULL, NULL), PLAIT_E_INVALID);
	IS_INT(plait_data_read(token, NULL, &word, NULL), PLAIT_E_INVALID);
	IS_INT(plait_data_unmap(line, NULL, NULL), PLAIT_E_INVALID);
}

static void bad_input(void)
{
	plait_flow_desc desc = { .size = sizeof(desc), .window = 48 };
	plait_flow_info info = { .size = sizeof(info) };
	plait_flow *none = forged(8);
	plait_data *line, *wide, *token;

	if (!open_flow(&flow_settings[3], 16))
		return;
	line = new_data(1, 8, 0, 0, 8, "line");
	wide = new_data(1, 8, 0, 0, 12, "wide");
	token = new_data(0, 0, 0, 0, 0, "token");
	IS_INT(plait_flow_create(flow_rig.context, &desc, &none,
				 &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "window 48");
	IS_PTR(none, NULL);
	desc.window = 0;
	desc.lanes = 31;
	IS_INT(plait_flow_create(flow_rig.context, &desc, &none, NULL),
	       PLAIT_E_INVALID);
	bad_tasks(line, wide, token);
	bad_launches(line, token);
	bad_calls(line, token);
	/* Nothing was submitted. */
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	IS_UINT(info.newest, 0);
	IS_UINT(info.data_bytes, 8 * 8 + 8 * 12);
	plait_data_release(token);
	plait_data_release(wide);
	plait_data_release(line);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "bad input", bad_input },
};

TAP_MAIN(all)
