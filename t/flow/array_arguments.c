/* SPDX-License-Identifier: MIT */
/*
 * Arrays and chunks in signatures: a flow adds their numbers, on the host and on
 * devices, in captures and of reductions; a queue and a graph take them as plain
 * arguments; arguments that do not fit.
 */
#include "array_stencils.h"

#include "plait/repeat.h"

static void on_host(void)
{
	flow_backends = NULL;
	flow_devices = 0;
	run_stencils(0);
	run_stencils(2);
}

static void on_devices(void)
{
	flow_backends = "host,chaos";
	for (uint32_t devices = 1; devices <= 3; devices++) {
		flow_devices = devices;
		flow_options = devices == 3 ? "chaos:devices=2" :
			       "chaos:devices=2,peers=none";
		run_stencils(1);
	}
	flow_flags = PLAIT_FLOW_CHECK;
	flow_options = "chaos:devices=2";
	run_stencils(0);
	flow_flags = 0;
	flow_options = NULL;
}

/* ---- arguments that do not fit ---- */

static plait_status try_launch(plait_kernel *kernel,
			       const plait_argument *arguments, uint64_t count)
{
	return plait_flow_launch(flow, kernel, PLAIT_ITEMS(1), arguments,
				 count, NULL, &flow_rig.error);
}

static void refuses(void)
{
	const struct flow_setting setting = { 0, 0 };
	const struct { uint64_t n[3]; } size = { { 1, 1, 1 } };
	struct rig *rig = &flow_rig;
	void *address = rig;
	plait_kernel *kernel;
	plait_data *fine, *narrow, *deep;

	flow_backends = NULL;
	flow_devices = 0;
	if (!open_flow(&setting, 64))
		return;
	kernel = new_stencil(2);
	fine = new_data(2, 2, 2, 0, 4, "fine");
	narrow = new_data(2, 2, 2, 0, 2, "narrow");
	deep = new_data(3, 2, 2, 2, 4, "deep");
	{
		const plait_argument few[] = { PLAIT_DATA(fine) };
		const plait_argument narrows[] = { PLAIT_DATA(narrow),
			PLAIT_DATA(fine), PLAIT_VALUE(size), PLAIT_CHUNK() };
		const plait_argument deeps[] = { PLAIT_DATA(fine),
			PLAIT_DATA(deep), PLAIT_VALUE(size), PLAIT_CHUNK() };
		const plait_argument plain[] = { PLAIT_VALUE(address),
			PLAIT_DATA(fine), PLAIT_VALUE(size), PLAIT_CHUNK() };

		REFUSED(try_launch(kernel, few, 1), PLAIT_E_INVALID,
			"1 arguments for 4 parameters of near2");
		REFUSED(try_launch(kernel, narrows, 4), PLAIT_E_INVALID,
			"argument 0 \"u\" (array2 u32): data with elements of 2 "
			"bytes; those of u32 have 4");
		REFUSED(try_launch(kernel, deeps, 4), PLAIT_E_INVALID,
			"argument 1 \"v\" (array2 u32): data of 3 dimensions; "
			"the kernel has an array2");
		REFUSED(try_launch(kernel, plain, 4), PLAIT_E_INVALID,
			"an array is data");
	}
	plait_data_release(fine);
	plait_data_release(narrow);
	plait_data_release(deep);
	plait_kernel_release(kernel);
	close_flow();
}

/* ---- without a flow ---- */

/* Arguments of near2 for two buffers of 3 x 2 elements with rows of 4. */
#define BY_HAND(from, to) \
	{ PLAIT_BUFFER(from), PLAIT_VALUE(at), PLAIT_VALUE(pitch), \
	  PLAIT_BUFFER(to), PLAIT_VALUE(at), PLAIT_VALUE(pitch), \
	  PLAIT_VALUE(size), PLAIT_VALUE(chunk) }

static const plait_launch by_hand = { .size = sizeof(by_hand),
				      .dimensions = 2, .items = { 3, 2 } };

static void check_by_hand(plait_queue *queue, plait_buffer *to)
{
	uint32_t got[8], model[2][6];
	const uint64_t n[3] = { 3, 2, 1 };

	OK(plait_queue_read(queue, to, 0, got, sizeof(got), NULL) == PLAIT_OK);
	OK(plait_queue_finish(queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	for (uint32_t i = 0; i < 6; i++)
		model[0][i] = i / 3 * 4 + i % 3 + 1;
	stencil_step(model[0], model[1], n, 2);
	for (uint32_t i = 0; i < 6; i++)
		IS_UINT(got[i / 3 * 4 + i % 3 + 1], model[1][i]);
}

static void plain(void)
{
	const struct flow_setting setting = { 1, 0 };
	const struct { uint64_t n[3]; } size = { { 3, 2, 1 } };
	const plait_box chunk = { { 0, 0, 0 }, { 3, 2, 1 } };
	const int64_t at = 1;
	const uint64_t pitch = 4;
	const plait_buffer_desc room = { .size = sizeof(room),
					 .bytes = 8 * sizeof(uint32_t) };
	struct rig *rig = &flow_rig;
	uint32_t values[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	plait_buffer *buffers[2];
	plait_kernel *kernel;
	plait_queue *queue = NULL;
	plait_graph *graph = NULL;
	plait_node node;

	flow_backends = "host,chaos";
	flow_devices = 1;
	if (!open_flow(&setting, 64))
		return;
	kernel = new_stencil(2);
	for (int i = 0; i < 2; i++)
		OK(plait_buffer_create(flow_rig.device, &room, &buffers[i],
				       NULL) == PLAIT_OK);
	OK(plait_queue_create(flow_rig.device, NULL, &queue, NULL) ==
	   PLAIT_OK);
	OK(plait_queue_write(queue, buffers[0], 0, values, sizeof(values),
			     NULL) == PLAIT_OK);
	{
		const plait_argument arguments[] = BY_HAND(buffers[0],
							   buffers[1]);

		REFUSED(plait_queue_launch(queue, kernel, &by_hand, arguments,
					   3, &flow_rig.error), PLAIT_E_INVALID,
			"3 arguments for 8 parameters of near2; u is its "
			"pointer, u_at (i64), its pitch (u64), which only a "
			"flow adds");
		OK_THAT(plait_queue_launch(queue, kernel, &by_hand, arguments,
					   8, &flow_rig.error) == PLAIT_OK,
			"queue: %s", flow_rig.error.text);
		check_by_hand(queue, buffers[1]);
		OK(plait_graph_create(flow_rig.context, &graph, NULL) ==
		   PLAIT_OK);
		REFUSED(plait_graph_launch(graph, kernel, &by_hand, arguments,
					   4, 0, &node, &flow_rig.error),
			PLAIT_E_INVALID, "4 arguments for 8 parameters");
	}
	plait_graph_release(graph);
	plait_queue_release(queue);
	for (int i = 0; i < 2; i++)
		plait_buffer_release(buffers[i]);
	plait_kernel_release(kernel);
	close_flow();
}

/* ---- captures ---- */

/* Two steps as a plan, which runs twice. */
static void captured(void)
{
	const struct flow_setting setting = { 1, 0 };
	const uint64_t n[3] = { 9, 5, 1 };
	uint32_t model[2][45] = { { 1, 2, 3 } }, got[45];
	plait_data *fields[2];
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_kernel *kernel;

	flow_backends = NULL;
	flow_devices = 0;
	if (!open_flow(&setting, 64))
		return;
	kernel = new_stencil(2);
	for (int i = 0; i < 2; i++)
		fields[i] = new_field(2, n, true);
	OK(plait_data_write(fields[0], NULL, model[0], NULL) == PLAIT_OK);
	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	for (int i = 0; i < 2; i++)
		submit_stencil(kernel, fields[i], fields[1 - i], n, 2,
			       (uint32_t)i + 1);
	OK(plait_flow_capture(flow, NULL, NULL) == PLAIT_OK);
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error) ==
		PLAIT_OK, "freeze: %s", flow_rig.error.text);
	for (int i = 0; i < 2; i++) {
		OK_THAT(plait_plan_call(plan, NULL, NULL, &flow_rig.error) ==
			PLAIT_OK, "run: %s", flow_rig.error.text);
		stencil_step(model[0], model[1], n, 2);
		stencil_step(model[1], model[0], n, 2);
	}
	OK(plait_data_read(fields[0], NULL, got, NULL) == PLAIT_OK);
	IS_UINT(count_wrong(got, model[0], 45), 0);
	plait_plan_release(plan);
	plait_graph_release(graph);
	for (int i = 0; i < 2; i++)
		plait_data_release(fields[i]);
	plait_kernel_release(kernel);
	close_flow();
}

/* ---- reductions ---- */

static plait_kernel *new_portable(const char *signature, const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "kernel: %s",
		flow_rig.error.text);
	return kernel;
}

/* The sums of columns, and their doubles, in two rows. */
static void sum_columns(plait_data *u, plait_data *total, uint32_t pieces)
{
	plait_kernel *sum = new_portable(
		"sum(u: in array2 u32, t: array2 u32, c: chunk)",
		"KERNEL(sum)\n{\n"
		"\tEACH(x, c.high[0])\n"
		"\t\tfor (u64 y = c.low[1]; y < c.high[1]; y++) {\n"
		"\t\t\tAT2(t, x, 0) += AT2(u, x, y);\n"
		"\t\t\tAT2(t, x, 1) += 2 * AT2(u, x, y);\n"
		"\t\t}\n}\n");
	plait_kernel *add = new_portable(
		"add(into: pointer u32, from: in pointer u32, n: u64)",
		"KERNEL(add)\n{\n\tEACH(i, n)\n\t\tinto[i] += from[i];\n}\n");
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access from = { .size = sizeof(from), .data = u,
				    .mapper = &own };
	const plait_access to = { .size = sizeof(to), .data = total,
				  .mode = PLAIT_ACCESS_REDUCE,
				  .combine = add };
	const plait_argument arguments[] = { PLAIT_ACCESS(&from),
					     PLAIT_ACCESS(&to) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = sum, .launch = PLAIT_ITEMS(7, 9),
		.arguments = arguments, .argument_count = 2, .split = 1,
		.pieces = pieces };

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	plait_kernel_release(sum);
	plait_kernel_release(add);
}

/* As often as `runs`: with more than one, as a repetition. */
static void sum_again(plait_data *u, plait_data *total, uint32_t pieces,
		      int runs)
{
	const uint32_t zeros[14] = { 0 };
	plait_task task = 0;

	if (runs == 1)
		sum_columns(u, total, pieces);
	for (int i = 0; runs > 1 && i < runs; i++) {
		OK(plait_data_write(total, NULL, zeros, NULL) == PLAIT_OK);
		OK(plait_flow_repeat(flow, pieces, &task, NULL) == PLAIT_OK);
		if (task != 0)
			continue;
		sum_columns(u, total, pieces);
		OK_THAT(plait_flow_repeat(flow, 0, NULL, &flow_rig.error) ==
			PLAIT_OK, "%s", flow_rig.error.text);
	}
}

static void check_columns(uint32_t pieces, int runs)
{
	uint32_t values[63], got[14];
	plait_data *u = new_data(2, 7, 9, 0, 4, "u");
	plait_data *total = new_data(2, 7, 2, 0, 4, "total");

	for (uint32_t i = 0; i < 63; i++)
		values[i] = i * i + 1;
	OK(plait_data_write(u, NULL, values, NULL) == PLAIT_OK);
	sum_again(u, total, pieces, runs);
	OK(plait_data_read(total, NULL, got, NULL) == PLAIT_OK);
	for (uint32_t x = 0; x < 7; x++) {
		uint32_t want = 0;

		for (uint32_t y = 0; y < 9; y++)
			want += values[7 * y + x];
		IS_UINT(got[x], want);
		IS_UINT(got[7 + x], 2 * want);
	}
	plait_data_release(u);
	plait_data_release(total);
}

static void reduced(void)
{
	const struct flow_setting setting = { 1, 0 };

	for (uint32_t devices = 0; devices <= 2; devices += 2) {
		flow_backends = devices > 0 ? "host,chaos" : NULL;
		flow_options = devices > 0 ? "chaos:devices=2" : NULL;
		flow_devices = devices;
		if (!open_flow(&setting, 64))
			return;
		for (int runs = 1; runs <= 3; runs += 2) {
			check_columns(1, runs);
			check_columns(4, runs);
		}
		close_flow();
	}
}

static const struct tap_scenario all[] = {
	{ "stencils on the host", on_host },
	{ "stencils on devices", on_devices },
	{ "arguments that do not fit", refuses },
	{ "without a flow", plain },
	{ "captured", captured },
	{ "reduced", reduced },
};

TAP_MAIN(all)
