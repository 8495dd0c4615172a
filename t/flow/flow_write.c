/* SPDX-License-Identifier: MIT */
/* Recorded flows: forms, the record against the flow's own order, texts, and bad
 * input. */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

/* A flow with a record; its lanes are the same on any machine. */
static bool open_recorded(uint32_t workers)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .lanes = 2,
				       .window = 16,
				       .flags = PLAIT_FLOW_RECORD };

	flow_rig = settings[0];
	flow_rig.workers = workers;
	flow_rig.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
	if (!open_rig(&flow_rig))
		return false;
	IS_INT(plait_flow_create(flow_rig.context, &desc, &flow,
				 &flow_rig.error), PLAIT_OK);
	return true;
}

/* Returns the text of the flow; the caller frees it. */
static char *written(plait_flow_format format)
{
	uint64_t bytes = 0;
	char *text;

	IS_INT(plait_flow_write(flow, format, NULL, 0, &bytes,
				&flow_rig.error), PLAIT_OK);
	text = calloc(1, bytes + 1);
	IS_INT(plait_flow_write(flow, format, text, bytes, NULL, NULL),
	       PLAIT_OK);
	IS_UINT(strlen(text), bytes);
	return text;
}

static plait_status read_text(const char *text)
{
	return plait_flow_read(flow, text, strlen(text), "x.flow",
			       &flow_rig.error);
}

/* ---- the record of a program ---- */

static void submit_all(void)
{
	static const plait_box low = { { 0, 0, 0 }, { 4, 1, 1 } };
	plait_data *u = new_data(1, 8, 0, 0, 4, "u");
	plait_data *v = new_data(1, 8, 0, 0, 4, "");
	plait_data *log = new_data(0, 0, 0, 0, 0, "log");
	plait_kernel *kernel = new_axpy();
	plait_access writes = access_of(log, PLAIT_ACCESS_WRITE, NULL);
	plait_access both[] = { access_of(log, PLAIT_ACCESS_READ, NULL),
				access_of(u, PLAIT_ACCESS_READ, &low) };
	float a = 1, numbers[8] = { 1 };

	IS_INT(plait_data_write(u, NULL, numbers, &flow_rig.error), PLAIT_OK);
	IS_INT(plait_flow_launch(flow, kernel, PLAIT_ITEMS(8),
				 PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(u),
						 PLAIT_DATA(v)),
				 NULL, &flow_rig.error), PLAIT_OK);
	call_task("note", return_it, NULL, &writes, 1);
	for (int i = 0; i < 9; i++)
		call_task(NULL, return_it, NULL, both, 2);
	call_task("end", return_it, NULL, &writes, 1);
	IS_INT(plait_data_read(v, NULL, numbers, &flow_rig.error), PLAIT_OK);
	plait_kernel_release(kernel);
	plait_data_release(u);
	plait_data_release(v);
	plait_data_release(log);
}

/* The text without the lanes, which follow the tasks that are done. */
static void drop_lanes(char *text)
{
	char *lane;

	while ((lane = strstr(text, ", lane ")) != NULL)
		memmove(lane, strchr(lane, '\n'), strlen(strchr(lane, '\n')) + 1);
}

static void program(void)
{
	char *first = NULL;

	for (uint32_t workers = 0; workers < 3; workers++) {
		char *text;

		if (!open_recorded(workers))
			continue;
		submit_all();
		text = written(PLAIT_FLOW_TEXT);
		drop_lanes(text);
		if (first == NULL)
			first = text;
		else
			IS_STR(text, first);
		HAS_STR(text, "\"write\": host access, outside\n\twrites u\n");
		HAS_STR(text, "\"axpy\": launch\n\treads u\n\tupdates data2\n");
		HAS_STR(text, "\"call\": call\n\treads log\n\treads u [0, 4)\n");
		HAS_STR(text, "\"note\": reads log, which it wrote\n");
		HAS_STR(text, "\"axpy\" reads data2, which nothing wrote\n");
		if (text != first)
			free(text);
		close_flow();
	}
	free(first);
}

/* Nine readers do not fit into a front; each is a predecessor by name. */
static void many_readers(void)
{
	const char *at;
	int count = 0;
	char *text;

	if (!open_recorded(0))
		return;
	submit_all();
	text = written(PLAIT_FLOW_TEXT);
	at = strstr(text, "\"end\"");
	for (; at != NULL; at = strstr(at + 1, "overwrites log, which it read"))
		count++;
	IS_INT(count, 10);
	free(text);
	close_flow();
}

static void forms(void)
{
	plait_flow_info info = { .size = sizeof(info) };
	char *text;

	if (!open_recorded(0))
		return;
	submit_all();
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	IS_UINT(info.flags, PLAIT_FLOW_RECORD);
	IS_UINT(info.warnings, 1);
	text = written(PLAIT_FLOW_JSON);
	HAS_STR(text, "{\"name\":\"u\",\"bytes\":4,\"extent\":[8]}");
	HAS_STR(text, "{\"mode\":\"reads\",\"data\":\"u\",\"low\":[0],"
		"\"high\":[4]}");
	free(text);
	text = written(PLAIT_FLOW_DOT);
	HAS_STR(text, "[label=\"reads u, which it wrote\"];");
	free(text);
	text = written(PLAIT_FLOW_SVG);
	HAS_STR(text, "<svg");
	HAS_STR(text, "axpy");
	free(text);
	close_flow();
}

/* ---- texts ---- */

static void texts(void)
{
	char *text;

	if (!open_recorded(0))
		return;
	IS_INT(read_text("# two steps\n"
			 "data u 4x4 bytes=4\ndata v 4x4\ndata t\n"
			 "repeat 2\n\trepeat 1\n"
			 "\ttask a reads=t,u[0:4,0:2] writes=v cost=7\n"
			 "\tend\n\tswap u v\nend\n"
			 "task b updates=t urgent\ntask c barrier"), PLAIT_OK);
	text = written(PLAIT_FLOW_TEXT);
	HAS_STR(text, "\n\treads t\n\treads u [0, 4) x [0, 2)\n\twrites v\n");
	HAS_STR(text, "\n\treads t\n\treads v [0, 4) x [0, 2)\n\twrites u\n");
	HAS_STR(text, "reads v [0, 4) x [0, 2), which it wrote\n");
	HAS_STR(text, "overwrites u [0, 4) x [0, 2), which it read\n");
	HAS_STR(text, "\"b\": call, urgent\n");
	HAS_STR(text, "\"c\": call, barrier,");
	HAS_STR(text, "reads t, which nothing wrote\n");
	free(text);
	text = written(PLAIT_FLOW_JSON);
	HAS_STR(text, "\"cost\":7");
	free(text);
	IS_INT(wait_task(0), PLAIT_OK);
	close_flow();
}

/* More tasks than the window has. */
static void long_text(void)
{
	char *text;

	if (!open_recorded(0))
		return;
	IS_INT(read_text("data u\nrepeat 100\ntask a updates=u\nend\n"),
	       PLAIT_OK);
	text = written(PLAIT_FLOW_TEXT);
	HAS_STR(text, "1 data, 100 tasks, 99 edges, 2 lanes, 1 warning\n");
	free(text);
	close_flow();
}

static void bad_texts(void)
{
	static const char *const wrong[][2] = {
		{ "data", "x.flow:1: expected a name for the data, found the" },
		{ "data u=3", "expected a name for the data" },
		{ "data u\ndata u", "x.flow:2: the name is taken" },
		{ "data u 4y4", "one to three extents" },
		{ "data u 4 4", "one to three extents" },
		{ "data u 1x2x3x4", "one to three extents" },
		{ "data u 0", "x.flow:1: plait_data_desc: extent[0] is 0" },
		{ "data u bytes=x", "expected a number" },
		{ "task", "a name for the task" },
		{ "task a reads=u", "name of data from a line above, found "
		  "\"u\"" },
		{ "task a reads=", "the name of data" },
		{ "data u 4\ntask a reads=u,", "the name of data" },
		{ "data u 4\ntask a reads=u[0:4", "NAME[LOW:HIGH,...]" },
		{ "data u 4\ntask a reads=u[0:4,0:1]", "a range LOW:HIGH" },
		{ "data u 4x4\ntask a reads=u[0:4]", "a range LOW:HIGH" },
		{ "data u 4\ntask a reads=u[0-4]", "a range LOW:HIGH" },
		{ "data u 4\ntask a reads=u[2:9]",
		  "x.flow:2: task \"a\": access 0: data \"u\": box [2, 9)" },
		{ "task a cost=-1", "expected a number" },
		{ "task a size=4", "expected reads=, writes=" },
		{ "task a loud", "expected reads=, writes=" },
		{ "swap u v", "the name of data" },
		{ "data u 4\ndata v\nswap u v", "data of 1 and 0 dimensions" },
		{ "repeat 0\nend", "at least 1, found \"0\"" },
		{ "repeat 2", "x.flow:1: the repeat has no end" },
		{ "end", "no repeat is open" },
		{ "graph", "expected data, task, access, swap, repeat or end" },
	};

	if (!open_recorded(0))
		return;
	for (size_t i = 0; i < TAP_COUNT(wrong); i++) {
		IS_INT(read_text(wrong[i][0]), PLAIT_E_INVALID);
		HAS_STR(flow_rig.error.text, wrong[i][1]);
	}
	IS_INT(plait_flow_read(flow, NULL, 0, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_flow_read(NULL, "", 0, NULL, NULL), PLAIT_E_HANDLE);
	close_flow();
}

/* ---- bad input ---- */

static void bad_calls(void)
{
	const plait_flow_desc wrong = { .size = sizeof(wrong), .flags = 1 << 9 };
	uint64_t bytes = 7;
	char few[2];

	if (!open_recorded(0))
		return;
	IS_INT(plait_flow_write(flow, 4, NULL, 0, &bytes, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "format 4 is not one of");
	IS_UINT(bytes, 0);
	IS_INT(plait_flow_write(flow, PLAIT_FLOW_TEXT, few, 2, &bytes,
				&flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "the buffer has 2");
	OK(bytes > 2);
	IS_INT(plait_flow_write(NULL, PLAIT_FLOW_TEXT, NULL, 0, NULL, NULL),
	       PLAIT_E_HANDLE);
	close_flow();
	if (!open_flow(&flow_settings[0], 0))
		return;
	IS_INT(plait_flow_write(flow, PLAIT_FLOW_TEXT, NULL, 0, NULL,
				&flow_rig.error), PLAIT_E_STATE);
	HAS_STR(flow_rig.error.text, "PLAIT_FLOW_RECORD");
	plait_flow_release(flow);
	IS_INT(plait_flow_create(flow_rig.context, &wrong, &flow,
				 &flow_rig.error), PLAIT_E_INVALID);
	close_flow();
}

/* ---- instructions ---- */

static plait_status instruct(uint32_t devices, plait_memory_peers peers,
			     plait_memories_flags flags,
			     plait_flow_format format)
{
	const plait_memories_desc desc = { .size = sizeof(desc), .flags = flags,
					   .devices = devices,
					   .peers = peers };

	return plait_flow_write_instructions(flow, &desc, format, NULL, 0, NULL,
					     &flow_rig.error);
}

/* Fields of the policies; `links` is a text. */
static void bad_policies(void)
{
	static const struct {
		plait_memories_desc desc;
		plait_status status;
		const char *error;
	} cases[] = {
		{ { .choose = 7 }, PLAIT_E_INVALID, "choose 7 is not one of" },
		{ { .parent = 5 }, PLAIT_E_INVALID, "parent 5 is not one of" },
		{ { .lane = 2 }, PLAIT_E_INVALID, "lane 2 is not one of" },
		{ { .links = "0,1,2\nx\n" }, PLAIT_E_INVALID, "links:1: \"1\"" },
		{ { .links = "0,-1,2\nx\n" }, PLAIT_E_INVALID, "links:2: " },
		{ { .memory_bytes = 63 }, PLAIT_E_NOMEM, "task 1 \"a\", piece 0 "
		  "of 1, needs 64 bytes of memory 1, which has 63" },
		{ { .memory_bytes = 64, .lanes = UINT32_MAX }, PLAIT_OK, "" },
		{ { .flags = PLAIT_MEMORIES_STRICT }, PLAIT_E_INVALID,
		  "1 warning; the first: task 2 \"b\" reads v, which" },
	};
	static const char text[] = "data u 8\ntask a items=8 writes=u\n"
				   "data v 8\ntask b reads=v\n";

	if (!open_recorded(0))
		return;
	IS_INT(plait_flow_read(flow, text, sizeof(text) - 1, "text",
			       &flow_rig.error), PLAIT_OK);
	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		plait_memories_desc desc = cases[i].desc;

		desc.size = sizeof(desc);
		desc.devices = 1;
		IS_INT(plait_flow_write_instructions(flow, &desc,
						     PLAIT_FLOW_TEXT, NULL, 0,
						     NULL, &flow_rig.error),
		       cases[i].status);
		if (cases[i].status != PLAIT_OK)
			HAS_STR(flow_rig.error.text, cases[i].error);
	}
	close_flow();
}

static void bad_instructions(void)
{
	const plait_memories_desc good = { .size = sizeof(good), .devices = 1 };
	uint64_t bytes = 7;
	char few[2];

	if (!open_recorded(0))
		return;
	IS_INT(instruct(0, 0, 0, PLAIT_FLOW_TEXT), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "devices is 0, but has to be 1 to 63");
	IS_INT(instruct(64, 0, 0, PLAIT_FLOW_TEXT), PLAIT_E_INVALID);
	IS_INT(instruct(1, 3, 0, PLAIT_FLOW_TEXT), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "peers 3 is not one of");
	IS_INT(instruct(1, 0, 8, PLAIT_FLOW_TEXT), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "flags 0x8 are unknown; known are "
		"PLAIT_MEMORIES_");
	IS_INT(instruct(1, 0, 0, PLAIT_FLOW_DOT), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "format 2 is not one of");
	IS_INT(instruct(1, 0, 0, -1), PLAIT_E_INVALID);
	IS_INT(instruct(63, PLAIT_PEERS_RING, 3, PLAIT_FLOW_JSON), PLAIT_OK);
	IS_INT(plait_flow_write_instructions(flow, NULL, PLAIT_FLOW_TEXT, NULL,
					     0, &bytes, &flow_rig.error),
	       PLAIT_E_INVALID);
	IS_UINT(bytes, 0);
	IS_INT(plait_flow_write_instructions(flow, &good, PLAIT_FLOW_TEXT, few,
					     2, &bytes, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "the buffer has 2");
	IS_INT(plait_flow_write_instructions(NULL, &good, PLAIT_FLOW_TEXT, NULL,
					     0, NULL, NULL), PLAIT_E_HANDLE);
	close_flow();
	if (!open_flow(&flow_settings[0], 0))
		return;
	IS_INT(instruct(1, 0, 0, PLAIT_FLOW_TEXT), PLAIT_E_STATE);
	HAS_STR(flow_rig.error.text, "PLAIT_FLOW_RECORD");
	close_flow();
}

/* Contents of a buffer are in a block of the host already. */
static void contents(void)
{
	const plait_memories_desc desc = { .size = sizeof(desc), .devices = 1 };
	plait_data_desc numbers = { .size = sizeof(numbers), .dimensions = 1,
				    .element_bytes = 8, .extent = { 4 },
				    .label = "u" };
	plait_access access = { .size = sizeof(access),
				.mode = PLAIT_ACCESS_READ };
	uint64_t bytes = 0;
	char text[400] = "";

	if (!open_recorded(0))
		return;
	numbers.buffer = make_buffer(&flow_rig, 32, "numbers");
	IS_INT(plait_data_create(flow, &numbers, &access.data,
				 &flow_rig.error), PLAIT_OK);
	call_task("show", return_it, NULL, &access, 1);
	IS_INT(plait_flow_write_instructions(flow, &desc, PLAIT_FLOW_TEXT, text,
					     sizeof(text) - 1, &bytes,
					     &flow_rig.error), PLAIT_OK);
	HAS_STR(text, "1 instruction, 1 task, 0 waits, 0 warnings");
	HAS_STR(text, "memory 0, of the host: at most 32 bytes");
	HAS_STR(text, "reads u, block 1");
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	plait_data_release(access.data);
	plait_buffer_release(numbers.buffer);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "program", program },
	{ "many readers", many_readers },
	{ "forms", forms },
	{ "texts", texts },
	{ "long text", long_text },
	{ "bad texts", bad_texts },
	{ "bad calls", bad_calls },
	{ "bad calls for instructions", bad_instructions },
	{ "bad policies for instructions", bad_policies },
	{ "instructions with contents", contents },
};

TAP_MAIN(all)
