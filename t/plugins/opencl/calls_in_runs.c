/* SPDX-License-Identifier: MIT */
/*
 * A plan on a stand-in for OpenCL and the host, with a loop whose body uses
 * both; each call of OpenCL fails once, from the freeze of the plan on.  The
 * error names the call and the node; no object is left; the next run is right.
 */
#include "lib/queued.h"
#include "lib/suite.h"

enum { TIMES = 3, MOST = 4000 };

struct made {
	plait_kernel *map;
	plait_buffer *n, *x, *h;
	plait_device *host;
	plait_plan *plan;
	int calls;
};

static plait_status open_it(plait_error *error)
{
	static char options[4200];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "opencl,host",
		.wrap = "check", .options = options, .workers = 1,
		.log = hear, .log_level = PLAIT_LOG_ERROR,
		.allocator = &counting,
	};

	(void)snprintf(options, sizeof(options), "opencl:loader=%s,segments=yes",
		       standin_path);
	return plait_context_open(&desc, &rig.context, error);
}

static plait_status create(struct made *made, plait_error *error)
{
	const plait_buffer_desc words = { .size = sizeof(words),
					  .bytes = WORDS * 4 };
	const plait_source source = { .size = sizeof(source),
				      .code = MAP_TEXT };
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .sources = &source, .source_count = 1,
		.signature = "map(from: in pointer u32, to: inout pointer "
			     "u32, a: u32, b: u32)",
	};
	plait_status status;

	if ((status = plait_context_device(rig.context, 0, &rig.device,
					   error)) ||
	    (status = plait_context_device(rig.context, 1, &made->host,
					   error)) ||
	    (status = plait_queue_create(rig.device, NULL, &rig.queue,
					 error)) ||
	    (status = plait_buffer_create(rig.device, &words, &made->n,
					  error)) ||
	    (status = plait_buffer_create(rig.device, &words, &made->x,
					  error)) ||
	    (status = plait_buffer_create(made->host, &words, &made->h,
					  error)))
		return status;
	return plait_kernel_create(rig.context, &kernel, &made->map, error);
}

/* begin: n = 3; loop while n { less: n -= 1; more: x += 1; over: h = x, on the
 * host; count: a host function }; back: x = h */
static plait_graph *build(struct made *made)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	static const uint32_t one = 1, less = UINT32_MAX;
	plait_argument arguments[4] = {
		buffer_argument(made->n), buffer_argument(made->n),
		value_argument(&one), value_argument(&less),
	};
	plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = made->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "less", .device = rig.device,
	};
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .predicate = made->n,
		.label = "loop", .device = rig.device,
	};
	plait_node_desc copy = {
		.kind = PLAIT_NODE_COPY, .target = made->h,
		.source = made->x, .bytes = WORDS * 4, .label = "over",
		.device = made->host,
	};
	const plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .target = made->n, .pattern = TIMES,
		.pattern_bytes = 4, .bytes = WORDS * 4, .label = "begin",
		.device = rig.device,
	};
	const plait_node_desc call = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.function = add_one, .user_data = &made->calls,
		.label = "count", .device = made->host,
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_node(graph, fill, NULL, 0);

	node = add_node(graph, loop, &node, 1);
	body = body_of(graph, node, 0);
	copy.target = made->x;
	copy.source = made->h;
	copy.label = "back";
	copy.device = rig.device;
	(void)add_node(graph, copy, &node, 1);
	(void)add_node(body, desc, NULL, 0);
	arguments[0] = arguments[1] = buffer_argument(made->x);
	arguments[3] = value_argument(&one);
	desc.label = "more";
	node = add_node(body, desc, NULL, 0);
	copy.target = made->h;
	copy.source = made->x;
	copy.label = "over";
	copy.device = made->host;
	node = add_node(body, copy, &node, 1);
	(void)add_node(body, call, &node, 1);
	plait_graph_release(body);
	return graph;
}

static plait_status freeze_it(struct made *made, plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_CHECK,
					 .instances = 1 };
	plait_graph *graph = build(made);
	plait_status status = plait_graph_freeze(graph, &desc, &made->plan,
						 error);

	plait_graph_release(graph);
	return status;
}

static plait_status run_once(struct made *made, plait_error *error)
{
	uint32_t words[WORDS] = { 0 };
	plait_status status, said;

	made->calls = 0;
	status = plait_queue_write(rig.queue, made->x, 0, words,
				   sizeof(words), error);
	if (status == PLAIT_OK)
		status = plait_plan_call(made->plan, NULL, NULL, error);
	if (status == PLAIT_OK)
		status = plait_queue_read(rig.queue, made->x, 0, words,
					  sizeof(words), error);
	said = plait_queue_finish(rig.queue, PLAIT_FOREVER,
				  status == PLAIT_OK ? error : NULL);
	if (status == PLAIT_OK)
		status = said;
	if (status == PLAIT_OK)
		OK_THAT(words[0] == TIMES && words[WORDS - 1] == TIMES &&
			made->calls == TIMES, "%u, %u; %d calls", words[0],
			words[WORDS - 1], made->calls);
	return status;
}

/* The error of a queue of a plan, or of a launch, names the node as well; other
 * errors name the call alone. */
static void judge(const plait_error *error, const char *failed, uint64_t k,
		  bool in_plan)
{
	static const char *const labels[] = {
		"\"begin\"", "\"loop\"", "\"less\"", "\"more\"", "\"over\"",
		"\"count\"", "\"back\"",
	};
	bool named = false;

	for (size_t i = 0; i < TAP_COUNT(labels); i++)
		named = named || strstr(error->text, labels[i]) != NULL;
	OK_THAT(failed != NULL && strstr(error->text, failed) != NULL &&
		(named || !in_plan),
		"call %u: %s failed, and it says: %s", (unsigned)k,
		failed != NULL ? failed : "nothing", error->text);
}

static void release(struct made *made)
{
	plait_plan_release(made->plan);
	plait_kernel_release(made->map);
	plait_buffer_release(made->h);
	plait_buffer_release(made->x);
	plait_buffer_release(made->n);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	standin_is_clean();
}

static bool try_call(const struct fakecl_setup *setup)
{
	struct made made = { .calls = 0 };
	plait_error error = { .size = sizeof(error) };
	struct fakecl_report report;
	plait_status status;
	int runs = 0;

	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	standin()->reset(setup);
	broken = 0;
	status = open_it(&error);
	if (status == PLAIT_OK)
		status = create(&made, &error);
	if (status == PLAIT_OK)
		status = freeze_it(&made, &error);
	for (; status == PLAIT_OK && runs < 2; runs++)
		status = run_once(&made, &error);
	report = standin_report();
	if (status != PLAIT_OK)
		judge(&error, report.failed, setup->fail_call,
		      strstr(error.text, "queue \"plan ") != NULL);
	if (status != PLAIT_OK && made.map != NULL && made.plan == NULL)
		OK_THAT(freeze_it(&made, &error) == PLAIT_OK, "%s",
			error.text);
	if (made.plan != NULL && report.failed != NULL)
		OK_THAT(run_once(&made, &error) == PLAIT_OK, "behind %s: %s",
			report.failed, error.text);
	release(&made);
	IS_UINT(broken, 0);
	return report.failed != NULL;
}

static void sweep_with(uint32_t buffers, uint32_t updates)
{
	struct fakecl_setup setup = { .devices = 1, .buffers = buffers,
				      .updates = updates,
				      .code = CL_OUT_OF_RESOURCES };

	for (setup.mode = 0; setup.mode < FAKECL_MODES; setup.mode++) {
		setup.fail_call = 1;
		while (setup.fail_call < MOST && try_call(&setup))
			setup.fail_call++;
		OK_THAT(setup.fail_call > 80 && setup.fail_call < MOST,
			"mode %u: %u calls", setup.mode,
			(unsigned)setup.fail_call);
	}
}

static void sweep(void)
{
	sweep_with(0, 0);
}

/* Every command that a segment can have is in one. */
static void in_segments(void)
{
	setenv("PLAIT_SEGMENTS", "1", 1);
	sweep_with(0x400000, 0);
	sweep_with(0x400000, 0x9003);
	unsetenv("PLAIT_SEGMENTS");
}

int main(int argc, char **argv)
{
	static const struct tap_scenario all[] = {
		{ "sweep", sweep },
		{ "in segments", in_segments },
	};

	(void)suite_folder();
	standin()->teach("map", NULL, map_words);
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
