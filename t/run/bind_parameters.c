/* SPDX-License-Identifier: MIT */
/* Parameters: values, buffers and launch sizes that each run binds; scratch;
 * runs that allocate nothing. */
#include "lib/runs.h"

static uint64_t allocations;

static void *count_resize(void *user_data, void *pointer, uint64_t old_bytes,
			  uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	__atomic_add_fetch(&allocations, 1, __ATOMIC_SEQ_CST);
	return realloc(pointer, new_bytes);
}

/* y[i] = a * i + the sum of the bytes that scratch was filled with. */
static int32_t fill_line(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	double a = *(const double *)arguments[0];
	double *y = *(double **)arguments[1];
	unsigned char *scratch = *(unsigned char **)arguments[2];

	(void)user_data;
	memset(scratch, 1, 64);
	for (uint64_t i = 0; i < launch->items[0]; i++)
		y[i] = a * (double)i + scratch[i % 64];
	return 0;
}

struct line {
	plait_kernel *kernel;
	plait_graph *graph;
	plait_plan *plan;
	uint32_t a, y, size;
};

static void make_line(struct line *line)
{
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = fill_line,
		.signature = "line(a: f64, y: out pointer f64, "
			     "s: inout pointer u8)",
	};
	const plait_argument arguments[3] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "a" },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "y" },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_SCRATCH },
	};
	plait_node_desc node = {
		.kind = PLAIT_NODE_LAUNCH, .arguments = arguments,
		.argument_count = 3, .launch_parameter = "size",
		.scratch_bytes = 64,
	};

	OK_THAT(plait_kernel_create(rig.context, &kernel, &line->kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	node.kernel = line->kernel;
	line->graph = new_graph();
	(void)add_node(line->graph, node, NULL, 0);
	line->plan = freeze(line->graph, 1, 2);
	OK(plait_plan_find_parameter(line->plan, "a", &line->a, &rig.error) ==
		   PLAIT_OK &&
	   plait_plan_find_parameter(line->plan, "y", &line->y, &rig.error) ==
		   PLAIT_OK &&
	   plait_plan_find_parameter(line->plan, "size", &line->size,
				&rig.error) == PLAIT_OK);
}

static void free_line(struct line *line)
{
	plait_plan_release(line->plan);
	plait_graph_release(line->graph);
	plait_kernel_release(line->kernel);
}

static void each_run_brings_its_own(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct line line;

		if (!open_host(worker_counts[w]))
			continue;
		make_line(&line);
		for (uint32_t round = 1; round < 20; round++) {
			const double a = round;
			const plait_launch size = { .size = sizeof(size),
						    .items = { round, 0, 0 } };
			plait_buffer *buffer = make_buffer(&rig, 64 * 8, "y");
			const plait_binding bindings[3] = {
				{ .size = sizeof(plait_binding),
				  .parameter = line.size, .value = &size },
				{ .size = sizeof(plait_binding),
				  .parameter = line.a, .value = &a,
				  .bytes = 8 },
				{ .size = sizeof(plait_binding),
				  .parameter = line.y, .buffer = buffer,
				  .offset_bytes = 8 },
			};
			const plait_run_desc desc = { .size = sizeof(desc),
						      .bindings = bindings,
						      .binding_count = 3 };
			double got[32] = { 0 };
			bool good = true;

			OK(plait_queue_fill(rig.queue, buffer, 0, 64 * 8, 0, 8,
					    &rig.error) == PLAIT_OK);
			if (round % 2)
				good = plait_plan_call(line.plan, rig.queue, &desc,
						       &rig.error) == PLAIT_OK;
			else
				good = plait_plan_run(line.plan, rig.queue,
						      &desc, NULL,
						      &rig.error) == PLAIT_OK;
			good = good && plait_queue_read(rig.queue, buffer, 8,
							got, sizeof(got),
							&rig.error) ==
					       PLAIT_OK;
			for (uint32_t i = 0; i < 32; i++)
				good = good && (i < round ?
						got[i] == a * i + 1 :
						got[i] < 0.5);
			OK_THAT(good, "round %u: %s", round, rig.error.text);
			plait_buffer_release(buffer);
		}
		free_line(&line);
		close_rig(&rig);
	}
}

static void what_they_are(void)
{
	plait_parameter_info info = { .size = sizeof(info) };
	struct line line;
	uint32_t number = 7;

	if (!open_host(1))
		return;
	make_line(&line);
	IS_INT(plait_plan_parameter_count(line.plan, &number, NULL), PLAIT_OK);
	IS_UINT(number, 3);
	IS_INT(plait_plan_query_parameter(line.plan, line.a, &info, NULL),
	       PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_VALUE);
	IS_UINT(info.bytes, 8);
	IS_STR(info.type, "f64");
	IS_STR(info.name, "a");
	IS_INT(plait_plan_query_parameter(line.plan, line.y, &info, NULL),
	       PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_BUFFER);
	IS_STR(info.type, "pointer");
	IS_INT(plait_plan_query_parameter(line.plan, line.size, &info, NULL),
	       PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_LAUNCH);
	IS_INT(plait_plan_query_parameter(line.plan, 3, &info, &rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_plan_find_parameter(line.plan, "b", &number, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "no parameter \"b\"; it has \"size\", \"a\", "
		"\"y\"");
	IS_INT(plait_plan_find_parameter(line.plan, "sise", &number, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "no parameter \"sise\", perhaps \"size\"; it");
	IS_INT(plait_plan_find_parameter(line.plan, NULL, &number, NULL),
	       PLAIT_E_INVALID);
	IS_INT(plait_plan_parameter_count(line.plan, NULL, NULL),
	       PLAIT_E_INVALID);
	free_line(&line);
	close_rig(&rig);
}

/* Wrong in one place; no reference is left. */
static void refused(plait_plan *plan, const plait_binding *bindings,
		    uint64_t count, const char *part)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = count };

	IS_INT(plait_plan_call(plan, NULL, &desc, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
}

static void wrong_ones_are_refused(void)
{
	const double a = 1;
	const plait_launch size = { .size = sizeof(size), .dimensions = 4 };
	plait_binding good[3], bad[3];
	plait_buffer *buffer;
	struct line line;

	if (!open_host(1))
		return;
	make_line(&line);
	buffer = make_buffer(&rig, 8, "y");
	good[0] = (plait_binding){ .size = sizeof(good[0]),
				   .parameter = line.a, .value = &a,
				   .bytes = 8 };
	good[1] = (plait_binding){ .parameter = line.y, .buffer = buffer };
	good[2] = (plait_binding){ .parameter = line.size, .value = &size };
	refused(line.plan, good, 3, "4 dimensions; 1 to 3");
	refused(line.plan, good, 2, "\"size\" is not bound: give the run a "
		"value for it; see plait_plan_find_parameter");
	refused(line.plan, NULL, 2, "bindings is null");
	memcpy(bad, good, sizeof(bad));
	bad[1] = good[0];
	refused(line.plan, bad, 3, "\"a\": bound twice");
	bad[1].parameter = 99;
	refused(line.plan, bad, 3, "no parameter 99");
	memcpy(bad, good, sizeof(bad));
	bad[0].bytes = 4;
	refused(line.plan, bad, 3, "\"a\": bytes is 4, not 8, the size of its "
		"type f64");
	bad[0].value = NULL;
	refused(line.plan, bad, 3, "\"a\": value is null");
	bad[0].buffer = buffer;
	refused(line.plan, bad, 3, "\"a\": a buffer is given, but its nodes "
		"take a value: set value and bytes");
	memcpy(bad, good, sizeof(bad));
	bad[1].offset_bytes = 9;
	refused(line.plan, bad, 3, "behind the buffer");
	memcpy(bad, good, sizeof(bad));
	bad[1].buffer = NULL;
	bad[1].value = &buffer;
	bad[1].bytes = sizeof(buffer);
	refused(line.plan, bad, 3, "\"y\": it is memory: set buffer, not "
		"value");
	/* Released now, so nothing may have kept it. */
	plait_buffer_release(buffer);
	free_line(&line);
	close_rig(&rig);
}

/* *y = *x */
static int32_t take_over(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)launch;
	(void)user_data;
	**(double **)arguments[1] = **(double *const *)arguments[0];
	return 0;
}

static plait_plan *make_taking(plait_kernel **out_kernel, uint32_t numbers[2])
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = take_over,
		.signature = "take(x: in pointer f64, y: out pointer f64)",
	};
	const plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "x" },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "y" },
	};
	plait_node_desc node = { .kind = PLAIT_NODE_LAUNCH,
				 .arguments = arguments, .argument_count = 2 };
	plait_graph *graph = new_graph();
	plait_plan *plan;

	OK(plait_kernel_create(rig.context, &desc, out_kernel, &rig.error) ==
	   PLAIT_OK);
	node.kernel = *out_kernel;
	(void)add_node(graph, node, NULL, 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	OK(plait_plan_find_parameter(plan, "x", &numbers[0], &rig.error) ==
		   PLAIT_OK &&
	   plait_plan_find_parameter(plan, "y", &numbers[1], &rig.error) ==
		   PLAIT_OK);
	return plan;
}

/* A run can read memory that is not to be written, and no more. */
static void read_only_memory_is_read(void)
{
	static double constant = 4.5;
	const plait_wrap_desc wrap = { .size = sizeof(wrap),
				       .pointer = &constant, .bytes = 8,
				       .flags = PLAIT_WRAP_READ_ONLY,
				       .label = "constant" };
	uint32_t numbers[2] = { 0, 0 };
	plait_buffer *from = NULL, *to;
	plait_kernel *kernel = NULL;
	plait_plan *plan;
	double got = 0;

	if (!open_host(1))
		return;
	plan = make_taking(&kernel, numbers);
	to = make_buffer(&rig, 8, "y");
	OK_THAT(plait_buffer_wrap(rig.device, &wrap, &from, &rig.error) ==
		PLAIT_OK, "wrap: %s", rig.error.text);
	plait_binding bindings[2] = {
		{ .size = sizeof(plait_binding), .parameter = numbers[0],
		  .buffer = from },
		{ .size = sizeof(plait_binding), .parameter = numbers[1],
		  .buffer = from },
	};
	refused(plan, bindings, 2, "read-only");
	HAS_STR(rig.error.text, "\"constant\"");
	HAS_STR(rig.error.text, "\"y\"");
	bindings[1].buffer = to;
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 2 };
	IS_INT(plait_plan_call(plan, NULL, &desc, &rig.error), PLAIT_OK);
	IS_INT(plait_queue_read(rig.queue, to, 0, &got, 8, &rig.error),
	       PLAIT_OK);
	OK(got > 4 && got < 5);
	plait_buffer_release(from);
	plait_buffer_release(to);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

/* A context that counts its allocations. */
static void open_counted(uint32_t workers)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = count_resize };
	plait_context_desc context = {
		.size = sizeof(context), .backends = "host",
		.workers = workers, .allocator = &allocator,
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
	};
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	rig = settings[0];
	rig.error.size = sizeof(rig.error);
	OK(plait_context_open(&context, &rig.context, &rig.error) == PLAIT_OK);
	OK(plait_context_device(rig.context, 0, &rig.device, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error) ==
	   PLAIT_OK);
	OK(plait_signal_create(rig.device, &gate, &rig.gate, &rig.error) ==
	   PLAIT_OK);
}

static void close_counted(void)
{
	plait_signal_release(rig.gate);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

static uint64_t count_allocations(void)
{
	return __atomic_load_n(&allocations, __ATOMIC_SEQ_CST);
}

/* The queue stands still until the gate is there. */
static void hold_queue(uint64_t sequence)
{
	const plait_command wait = { .size = sizeof(wait),
				     .kind = PLAIT_COMMAND_WAIT,
				     .signal = rig.gate,
				     .sequence = sequence };

	OK(plait_queue_submit(rig.queue, &wait, 1, NULL, &rig.error) ==
	   PLAIT_OK);
}

static void let_queue_go(uint64_t sequence)
{
	OK(plait_signal_raise(rig.gate, sequence, &rig.error) == PLAIT_OK);
}

/* A queue has room for as much as it ever had in flight, which is more than
 * runs that come one after the other need, at any pace of the worker. */
static void grow_queue(void)
{
	uint64_t calls = 0;
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .flags = PLAIT_CALL_ANY_THREAD,
				     .function = bump, .user_data = &calls };

	hold_queue(1);
	for (int i = 0; i < 100; i++)
		(void)plait_queue_submit(rig.queue, &call, 1, NULL,
					 &rig.error);
	let_queue_go(1);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	IS_UINT(calls, 100);
}

/* By a call, and on a queue that has nothing else to do. */
static void run_idle(plait_plan *plan, uint64_t round)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = round % 2 ?
					       PLAIT_RUN_PARALLEL : 0 };
	plait_run *run = NULL;

	(void)plait_plan_call(plan, NULL, &desc, &rig.error);
	(void)plait_plan_run(plan, rig.queue, &desc, &run, &rig.error);
	(void)plait_run_wait(run, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_run_release(run);
}

/* Both instances behind pending work, so each gets a notification. */
static void run_behind(plait_plan *plan, uint64_t round)
{
	plait_run *runs[2] = { NULL, NULL };

	hold_queue(round + 2);
	for (int i = 0; i < 2; i++)
		(void)plait_plan_run(plan, rig.queue, NULL, &runs[i],
				     &rig.error);
	let_queue_go(round + 2);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	for (int i = 0; i < 2; i++) {
		IS_INT(plait_run_poll(runs[i], NULL), PLAIT_OK);
		plait_run_release(runs[i]);
	}
}

/* Not even the first one, when the plan was prepared. */
static void allocate_nothing(void (*run)(plait_plan *plan, uint64_t round),
			     uint64_t rounds)
{
	struct trace trace = { .overlaps = true };
	struct mark mark = { .trace = &trace };

	/* Interposers and the check of races allocate. */
	unsetenv("PLAIT_WRAP");
	unsetenv("PLAIT_CHECK");
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_graph *graph;
		plait_plan *plan;
		uint64_t before;

		open_counted(worker_counts[w]);
		graph = new_graph();
		for (int i = 0; i < 6; i++)
			(void)add_call(graph, "x", put_mark, &mark, NULL, 0);
		plan = freeze(graph, 3, 2);
		grow_queue();
		OK(plait_plan_prepare(plan, &rig.error) == PLAIT_OK);
		before = count_allocations();
		for (uint64_t i = 0; i < rounds; i++)
			run(plan, i);
		OK_THAT(count_allocations() == before,
			"%u workers: %llu allocations", worker_counts[w],
			(unsigned long long)(count_allocations() - before));
		plait_plan_release(plan);
		plait_graph_release(graph);
		close_counted();
	}
	OK(trace.times[0] > 0);
}

/* On queues the backend allocates for its notifications. */
static bool on_lanes(void)
{
	if (RUN_FREEZE != 0)
		SKIP("on queues the backend allocates, to tell what happened");
	return RUN_FREEZE == 0;
}

static void runs_allocate_nothing(void)
{
	if (on_lanes())
		allocate_nothing(run_idle, 300);
}

static void runs_behind_others_allocate_nothing(void)
{
	if (on_lanes())
		allocate_nothing(run_behind, 50);
}

static const struct tap_scenario all[] = {
	{ "each run brings its own", each_run_brings_its_own },
	{ "what they are", what_they_are },
	{ "wrong ones are refused", wrong_ones_are_refused },
	{ "read-only memory is read", read_only_memory_is_read },
	{ "runs allocate nothing", runs_allocate_nothing },
	{ "runs behind others allocate nothing",
	  runs_behind_others_allocate_nothing },
};
TAP_MAIN(all)
