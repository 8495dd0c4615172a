/* SPDX-License-Identifier: MIT */
/*
 * Arrays of sized structs from callers with a later library: elements are
 * longer than the known ones.  Bytes behind them are zero, or the call reports
 * that it does not know them; each element is at the distance that its caller's
 * size says, and of elements that the library fills the rest is zero.
 */
#include "lib/runs.h"

#define GROWN(type) \
	struct { \
		type known; \
		uint64_t more; \
	}
/* The size that a caller of an older interface would pass. */
#define AS(type, array) ((type *)(void *)(array))

static void open_host_alone(void)
{
	OK(open_host(0));
}

/* The result of the call. */
static void not_known(plait_status status)
{
	IS_INT(status, PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "is set, but this library");
}

/* ---- commands ---- */

static void grown_commands(void)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		GROWN(plait_command) all[3] = { { .more = 0 } };
		plait_buffer *buffer;
		uint64_t got = 0, before = 0, after = 0;

		rig = settings[i];
		if (!open_rig(&rig))
			continue;
		buffer = make_buffer(&rig, 8, "x");
		all[0].known = (plait_command){
			.size = sizeof(all[0]), .kind = PLAIT_COMMAND_FILL,
			.target = buffer, .bytes = 8, .pattern = 42,
			.pattern_bytes = 8,
		};
		/* The first one's size is the size of all. */
		all[1].known = (plait_command){
			.kind = PLAIT_COMMAND_READ, .source = buffer,
			.host = &got, .bytes = 8,
		};
		all[2].known = (plait_command){ .kind = PLAIT_COMMAND_EMIT,
						.signal = rig.signal };
		IS_INT(plait_queue_submit(rig.queue, AS(plait_command, all),
					  3, NULL, &rig.error), PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
		IS_UINT(got, 42);
		(void)plait_signal_query(rig.signal, NULL, &before, NULL);
		IS_UINT(before, 1);
		all[2].more = 1;
		not_known(plait_queue_submit(rig.queue,
					     AS(plait_command, all), 3, NULL,
					     &rig.error));
		HAS_STR(rig.error.text, "command 2");
		all[0].more = 1;
		not_known(plait_queue_submit(rig.queue,
					     AS(plait_command, all), 1, NULL,
					     &rig.error));
		(void)plait_signal_query(rig.signal, NULL, &after, NULL);
		IS_UINT(after, before);
		plait_buffer_release(buffer);
		close_rig(&rig);
	}
}

/* ---- arguments and bindings ---- */

/* *y = a + b */
static int32_t add_up(void *const *arguments, const plait_launch *launch,
		      void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint64_t **)arguments[0] = *(const uint64_t *)arguments[1] +
				      *(const uint64_t *)arguments[2];
	return 0;
}

struct sum {
	plait_kernel *kernel;
	plait_buffer *buffer;
	uint64_t a, b;
	GROWN(plait_argument) arguments[3];
};

static void make_sum(struct sum *sum)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = add_up,
		.signature = "sum(y: out pointer u64, a: u64, b: u64)",
	};

	memset(sum, 0, sizeof(*sum));
	sum->a = 40;
	sum->b = 2;
	OK(plait_kernel_create(rig.context, &desc, &sum->kernel, &rig.error) ==
	   PLAIT_OK);
	sum->buffer = make_buffer(&rig, 8, "y");
	sum->arguments[0].known = (plait_argument){
		.size = sizeof(sum->arguments[0]),
		.kind = PLAIT_ARGUMENT_BUFFER, .buffer = sum->buffer,
	};
	sum->arguments[1].known = (plait_argument){ .value = &sum->a,
						    .bytes = 8 };
	sum->arguments[2].known = (plait_argument){ .value = &sum->b,
						    .bytes = 8 };
}

static void free_sum(struct sum *sum)
{
	plait_buffer_release(sum->buffer);
	plait_kernel_release(sum->kernel);
}

static uint64_t result_of(const struct sum *sum)
{
	uint64_t got = 0;

	OK(plait_queue_read(rig.queue, sum->buffer, 0, &got, 8, &rig.error) ==
	   PLAIT_OK);
	return got;
}

static void grown_arguments_of_a_launch(void)
{
	struct sum sum;

	open_host_alone();
	make_sum(&sum);
	IS_INT(plait_queue_launch(rig.queue, sum.kernel, NULL,
				  AS(plait_argument, sum.arguments), 3,
				  &rig.error), PLAIT_OK);
	IS_UINT(result_of(&sum), 42);
	sum.arguments[2].more = 1;
	not_known(plait_queue_launch(rig.queue, sum.kernel, NULL,
				     AS(plait_argument, sum.arguments), 3,
				     &rig.error));
	HAS_STR(rig.error.text, "argument 2 \"b\"");
	free_sum(&sum);
	close_rig(&rig);
}

static plait_status add_sum(struct sum *sum, plait_graph *graph)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = sum->kernel, .argument_count = 3,
		.arguments = AS(plait_argument, sum->arguments),
	};

	return plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error);
}

static plait_status call_grown(plait_plan *plan,
			       const plait_binding *bindings, uint64_t count)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = count };

	return plait_plan_call(plan, NULL, &desc, &rig.error);
}

static void bind_grown(const struct sum *sum, plait_plan *plan)
{
	const uint64_t a = 20, b = 3;
	uint32_t numbers[2] = { 0, 0 };
	GROWN(plait_binding) bindings[2] = { { .more = 0 } };

	OK(plait_plan_find_parameter(plan, "a", &numbers[0], &rig.error) ==
	   PLAIT_OK);
	OK(plait_plan_find_parameter(plan, "b", &numbers[1], &rig.error) ==
	   PLAIT_OK);
	bindings[0].known = (plait_binding){ .size = sizeof(bindings[0]),
					     .parameter = numbers[0],
					     .value = &a, .bytes = 8 };
	bindings[1].known = (plait_binding){ .parameter = numbers[1],
					     .value = &b, .bytes = 8 };
	IS_INT(call_grown(plan, AS(plait_binding, bindings), 2), PLAIT_OK);
	IS_UINT(result_of(sum), 23);
	for (int i = 1; i >= 0; i--) {
		bindings[i].more = 1;
		not_known(call_grown(plan, AS(plait_binding, bindings), 2));
	}
	bindings[0].known.size = 8;
	IS_INT(call_grown(plan, AS(plait_binding, bindings), 2),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "size 8");
}

static void grown_arguments_of_a_node(void)
{
	struct sum sum;
	plait_graph *graph;
	plait_plan *plan;

	open_host_alone();
	make_sum(&sum);
	graph = new_graph();
	sum.arguments[1].known = (plait_argument){
		.kind = PLAIT_ARGUMENT_PARAMETER, .name = "a"
	};
	sum.arguments[2].known = (plait_argument){
		.kind = PLAIT_ARGUMENT_PARAMETER, .name = "b"
	};
	for (int i = 2; i >= 0; i--) {
		sum.arguments[i].more = 1;
		not_known(add_sum(&sum, graph));
		sum.arguments[i].more = 0;
	}
	IS_INT(add_sum(&sum, graph), PLAIT_OK);
	plan = freeze(graph, 1, 1);
	bind_grown(&sum, plan);
	plait_plan_release(plan);
	plait_graph_release(graph);
	free_sum(&sum);
	close_rig(&rig);
}

/* ---- sources ---- */

static void grown_sources(void)
{
	GROWN(plait_source) sources[2] = { { .more = 0 } };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .source_count = 2,
		.sources = AS(plait_source, sources),
		.signature = "one(y: out pointer u64)",
	};
	plait_kernel *kernel = NULL;
	plait_buffer *buffer;
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_BUFFER };
	uint64_t got = 0;

	open_host_alone();
	sources[0].known = (plait_source){ .size = sizeof(sources[0]),
					   .backend = "elsewhere",
					   .code = "KERNEL(one) { *y = 2; }" };
	sources[1].known = (plait_source){ .code = "KERNEL(one) { *y = 1; }" };
	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	argument.buffer = buffer = make_buffer(&rig, 8, "y");
	IS_INT(plait_queue_launch(rig.queue, kernel, NULL, &argument, 1,
				  &rig.error), PLAIT_OK);
	IS_INT(plait_queue_read(rig.queue, buffer, 0, &got, 8, &rig.error),
	       PLAIT_OK);
	IS_UINT(got, 1);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	for (int i = 1; i >= 0; i--) {
		sources[i].more = 1;
		not_known(plait_kernel_create(rig.context, &desc, &kernel,
					      &rig.error));
	}
	close_rig(&rig);
}

/* ---- arrays that the library fills ---- */

enum { LANES = 2, RECORDS = 8 };

/* Two functions, which get a lane each, and one behind both. */
static plait_plan *make_plan(int *count)
{
	plait_graph *graph = new_graph();
	plait_node both[2];
	plait_plan *plan;

	both[0] = add_call(graph, "left", add_one, count, NULL, 0);
	both[1] = add_call(graph, "right", add_one, count, NULL, 0);
	(void)add_call(graph, "end", add_one, count, both, 2);
	plan = freeze(graph, LANES, 1);
	plait_graph_release(graph);
	return plan;
}

static void grown_predictions(void)
{
	plait_simulation simulation = { .size = sizeof(simulation) };
	GROWN(plait_lane_use) lanes[LANES + 1];
	GROWN(plait_critical_command) critical[4];
	plait_plan *plan;
	int count = 0;

	open_host_alone();
	plan = make_plan(&count);
	memset(lanes, 0x55, sizeof(lanes));
	lanes[0].known.size = sizeof(lanes[0]);
	IS_INT(plait_plan_simulate(plan, NULL, &simulation,
				   AS(plait_lane_use, lanes), LANES,
				   &rig.error), PLAIT_OK);
	IS_UINT(lanes[0].known.commands + lanes[1].known.commands, 3);
	for (int i = 0; i < LANES; i++) {
		IS_UINT(lanes[i].known.size, sizeof(lanes[0]));
		IS_UINT(lanes[i].more, 0);
	}
	IS_UINT(lanes[LANES].known.size, 0x55555555);
	IS_UINT(simulation.critical_count, 2);
	memset(critical, 0x55, sizeof(critical));
	critical[0].known.size = sizeof(critical[0]);
	IS_INT(plait_plan_critical_path(plan, NULL,
				   AS(plait_critical_command, critical), 2,
				   &rig.error), PLAIT_OK);
	IS_UINT(critical[1].known.size, sizeof(critical[0]));
	IS_UINT(critical[1].known.end, simulation.makespan);
	IS_UINT(critical[1].more, 0);
	IS_UINT(critical[2].known.size, 0x55555555);
	plait_plan_release(plan);
	close_rig(&rig);
}

static void grown_records(void)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
	GROWN(plait_record) records[RECORDS + 1];
	uint64_t told = 0, dropped = 1;
	plait_run *run = NULL;
	plait_plan *plan;
	int count = 0;

	open_host_alone();
	plan = make_plan(&count);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	memset(records, 0x55, sizeof(records));
	records[0].known.size = sizeof(records[0]);
	IS_INT(plait_run_records(run, AS(plait_record, records), RECORDS,
				 &told, &dropped, &rig.error), PLAIT_OK);
	OK(told >= 3 && told <= RECORDS);
	IS_UINT(dropped, 0);
	for (uint64_t i = 0; i < told && i < RECORDS; i++) {
		IS_UINT(records[i].known.size, sizeof(records[0]));
		IS_UINT(records[i].more, 0);
	}
	IS_UINT(records[told].known.size, 0x55555555);
	IS_INT(count, 3);
	plait_run_release(run);
	plait_plan_release(plan);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "commands", grown_commands },
	{ "arguments of a launch", grown_arguments_of_a_launch },
	{ "arguments of a node, and bindings", grown_arguments_of_a_node },
	{ "sources", grown_sources },
	{ "lanes and commands of a prediction", grown_predictions },
	{ "records", grown_records },
};

TAP_MAIN(all)
