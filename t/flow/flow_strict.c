/* SPDX-License-Identifier: MIT */
/* Strict flows: refusals, after which nothing was submitted. */
#include "flows.h"

enum { LINE = 16 };

static bool open_strict(void)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 64,
				       .flags = PLAIT_FLOW_STRICT };

	flow_rig = settings[0];
	if (!open_rig(&flow_rig))
		return false;
	IS_INT(plait_flow_create(flow_rig.context, &desc, &flow,
				 &flow_rig.error), PLAIT_OK);
	return true;
}

static plait_task newest(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	IS_UINT(info.flags, PLAIT_FLOW_RECORD | PLAIT_FLOW_STRICT);
	IS_UINT(info.warnings, 0);
	return info.newest;
}

/* Submit a function that accesses [low, high); `text`: that it is refused. */
static void on_box(plait_data *data, uint64_t low, uint64_t high, uint32_t mode,
		   const char *text)
{
	const plait_box box = { { low, 0, 0 }, { high, 1, 1 } };
	const plait_access access = access_of(data, mode, &box);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = "a",
		.function = return_it, .accesses = &access, .access_count = 1,
	};
	plait_task before = newest();

	if (text == NULL) {
		IS_INT(plait_flow_submit(flow, &desc, NULL, NULL), PLAIT_OK);
		return;
	}
	IS_INT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, text);
	IS_UINT(newest(), before);
}

static void reads(void)
{
	uint32_t host[LINE] = { 0 };
	plait_data *line, *token;
	void *mapped;

	if (!open_strict())
		return;
	line = new_data(1, LINE, 0, 0, 4, "line");
	token = new_data(0, 0, 0, 0, 0, "token");
	on_box(line, 2, 6, PLAIT_ACCESS_READ,
	       "task \"a\": reads line [2, 6), which nothing wrote");
	on_box(line, 4, 8, PLAIT_ACCESS_WRITE, NULL);
	on_box(line, 5, 7, PLAIT_ACCESS_READ_WRITE, NULL);
	on_box(line, 6, 9, PLAIT_ACCESS_READ, "reads line [8, 9), which");
	on_box(line, 0, 5, PLAIT_ACCESS_READ_WRITE, "reads line [0, 4), which");
	IS_INT(plait_data_read(line, NULL, host, &flow_rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_data_map(line, NULL, PLAIT_MAP_READ, &mapped, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_data_write(line, NULL, host, NULL), PLAIT_OK);
	on_box(line, 0, LINE, PLAIT_ACCESS_READ, NULL);
	IS_INT(plait_data_read(line, NULL, host, NULL), PLAIT_OK);
	on_box(token, 0, 1, PLAIT_ACCESS_READ, NULL);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_data_release(line);
	plait_data_release(token);
	close_flow();
}

/* Memory of the program has contents. */
static void contents(void)
{
	uint32_t memory[LINE] = { 0 };
	const plait_wrap_desc wrap = { .size = sizeof(wrap), .pointer = memory,
				       .bytes = sizeof(memory) };
	plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				 .element_bytes = 4, .extent = { LINE } };
	plait_data *data = NULL;

	if (!open_strict())
		return;
	IS_INT(plait_buffer_wrap(flow_rig.device, &wrap, &desc.buffer, NULL),
	       PLAIT_OK);
	IS_INT(plait_data_create(flow, &desc, &data, NULL), PLAIT_OK);
	plait_buffer_release(desc.buffer);
	on_box(data, 0, LINE, PLAIT_ACCESS_READ, NULL);
	plait_data_release(data);
	close_flow();
}

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void launch_pieces(plait_kernel *kernel, plait_data *from,
			  plait_data *to, const plait_mapper *mapper,
			  const char *text)
{
	static const plait_mapper own = { .size = sizeof(own),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access in = { .size = sizeof(in), .data = from,
				  .mapper = mapper };
	const plait_access out = { .size = sizeof(out), .data = to,
				   .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&in),
					     PLAIT_ACCESS(&out),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(LINE), .arguments = arguments,
		.argument_count = 3, .split = 1, .pieces = 4,
	};
	plait_task before = newest();
	plait_status status = plait_flow_submit(flow, &desc, NULL,
						&flow_rig.error);

	IS_INT(status, text == NULL ? PLAIT_OK : PLAIT_E_INVALID);
	if (text == NULL)
		return;
	HAS_STR(flow_rig.error.text, text);
	IS_UINT(newest(), before);
}

static void pieces(void)
{
	static const plait_mapper near = { .size = sizeof(near),
					   .kind = PLAIT_MAPPER_NEIGHBORHOOD,
					   .extent = { 1, 0, 0 } };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = do_nothing,
		.signature = "f(u: in pointer u32, v: out pointer u32, "
			     "c: struct chunk 48)",
	};
	plait_kernel *kernel = NULL;
	plait_data *u, *v;

	if (!open_strict())
		return;
	IS_INT(plait_kernel_create(flow_rig.context, &desc, &kernel, NULL),
	       PLAIT_OK);
	u = new_data(1, LINE, 0, 0, 4, "u");
	v = new_data(1, LINE, 0, 0, 4, "v");
	launch_pieces(kernel, u, v, &near, "reads u [0, 5), which nothing");
	on_box(u, 0, LINE, PLAIT_ACCESS_WRITE, NULL);
	launch_pieces(kernel, u, v, &near, NULL);
	launch_pieces(kernel, u, u, &near,
		      "piece 1 conflicts with one before it, on u");
	IS_INT(wait_task(0), PLAIT_OK);
	plait_kernel_release(kernel);
	plait_data_release(u);
	plait_data_release(v);
	close_flow();
}

/* ---- reductions ---- */

static void reduce(plait_kernel *kernel, plait_kernel *combine, plait_data *to,
		   uint32_t flags, const char *text)
{
	const plait_access access = { .size = sizeof(access), .data = to,
				      .mode = PLAIT_ACCESS_REDUCE,
				      .flags = flags, .combine = combine };
	const plait_argument arguments[] = { PLAIT_ACCESS(&access),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(LINE), .arguments = arguments,
		.argument_count = 2, .split = 1, .pieces = 4,
	};
	plait_status status = plait_flow_submit(flow, &desc, NULL,
						&flow_rig.error);

	IS_INT(status, text == NULL ? PLAIT_OK : PLAIT_E_INVALID);
	if (text != NULL)
		HAS_STR(flow_rig.error.text, text);
}

/* A launch's fill writes its rows alone: neither the target of its combination
 * nor data of a host access behind it. */
static void reductions(void)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .function = do_nothing,
				   .signature = "f(u: inout pointer u32, "
						"c: struct chunk 48)" };
	plait_kernel *kernel = NULL, *combine = NULL;
	plait_data *one, *other;
	uint32_t word = 0;

	if (!open_strict())
		return;
	IS_INT(plait_kernel_create(flow_rig.context, &desc, &kernel, NULL),
	       PLAIT_OK);
	desc.signature = "add(into: inout pointer u32, from: in pointer u32, "
			 "n: u64)";
	IS_INT(plait_kernel_create(flow_rig.context, &desc, &combine, NULL),
	       PLAIT_OK);
	one = new_data(0, 0, 0, 0, 4, "one");
	other = new_data(0, 0, 0, 0, 4, "other");
	reduce(kernel, combine, one, PLAIT_ACCESS_ACCUMULATE,
	       "reads one [0, 1), which nothing wrote");
	reduce(kernel, combine, one, 0, NULL);
	IS_INT(plait_data_read(other, NULL, &word, &flow_rig.error),
	       PLAIT_E_INVALID);
	reduce(kernel, combine, one, PLAIT_ACCESS_ACCUMULATE, NULL);
	IS_INT(plait_data_read(one, NULL, &word, NULL), PLAIT_OK);
	IS_INT(wait_task(0), PLAIT_OK);
	plait_kernel_release(kernel);
	plait_kernel_release(combine);
	plait_data_release(one);
	plait_data_release(other);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "reads", reads },
	{ "contents", contents },
	{ "pieces", pieces },
	{ "reductions", reductions },
};

TAP_MAIN(all)
