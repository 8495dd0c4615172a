/* SPDX-License-Identifier: MIT */
/*
 * Segments of plans as command buffers of the stand-in for OpenCL, of each
 * version: a run enqueues the buffer and no single command, or the commands
 * where the buffer does not fit; the results are equal; every call that concerns
 * buffers fails once, and later runs work.
 */
#include <stdlib.h>

#define QUEUED_OPENCL
#include "lib/queued.h"

enum { RUNS = 6, ODD = 3 };

static const uint32_t early = 0x9000, today = 0x400000; /* 0.9.0, 1.0.0 */
static const uint32_t arrays = 0x9003; /* 0.9.3 */

/* x = 3; x = x + b; y = 1; y = x, every second word; 22 bytes of y from ODD on;
 * z = y */
struct stretch {
	plait_kernel *map;
	plait_buffer *x, *y, *z;
	plait_plan *plan;
};

static struct fakecl_setup setup;

static bool open_it(const char *more, const char *wrap)
{
	struct place place = { .backends = "opencl", .wrap = wrap,
			       .workers = 1, .builds = true };

	(void)setenv("PLAIT_SEGMENTS", "2", 1);
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	setup.devices = 1;
	standin()->reset(&setup);
	(void)snprintf(place.options, sizeof(place.options),
		       "opencl:loader=%.400s,%s", standin_path, more);
	return open_place(&place);
}

static void only(const char *name)
{
	setup.fail = name;
	setup.fail_call = 0;
}

static plait_node add_told(const struct stretch *s, plait_graph *graph,
			   plait_node after)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(s->x), buffer_argument(s->x),
		value_argument(&one), of_kind(PLAIT_ARGUMENT_PARAMETER, "b"),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "told",
	};

	return add_node(graph, desc, &after, 1);
}

static plait_graph *build(const struct stretch *s)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = WORDS / 2,
				  .target_row = 8, .source_row = 8 };
	const plait_node_desc copy = {
		.kind = PLAIT_NODE_COPY, .target = s->y, .source = s->x,
		.bytes = 4, .rows = &rows, .label = "rows",
	};
	const plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .target = s->y, .pattern = 0x04030201,
		.pattern_bytes = 4, .target_offset = ODD, .bytes = 22,
		.label = "odd",
	};
	plait_graph *graph = new_graph();
	plait_node node = add_fill(graph, s->x, 3, NULL, 0);

	node = add_told(s, graph, node);
	node = add_fill(graph, s->y, 1, &node, 1);
	node = add_node(graph, copy, &node, 1);
	node = add_node(graph, fill, &node, 1);
	(void)add_copy(graph, s->z, s->y, &node, 1);
	return graph;
}

static plait_status make(struct stretch *s)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 1,
					 .instances = 1,
					 .flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph;
	plait_status status;

	s->map = map_kernel();
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	s->z = words_on(rig.device);
	graph = build(s);
	status = plait_graph_freeze(graph, &desc, &s->plan, &rig.error);
	plait_graph_release(graph);
	return status;
}

static void unmake(struct stretch *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->x);
	plait_buffer_release(s->y);
	plait_buffer_release(s->z);
	plait_kernel_release(s->map);
	close_place();
}

static plait_status run(const struct stretch *s, uint32_t b)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &b, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(s->plan, NULL, &desc, &rig.error);
}

static void check_run(const struct stretch *s, uint32_t b)
{
	uint32_t want[WORDS], have[WORDS] = { 0 };

	for (uint32_t i = 0; i < WORDS; i++)
		want[i] = i % 2 == 0 ? 3 + b : 1;
	for (uint32_t i = 0; i < 22; i++)
		((unsigned char *)want)[ODD + i] = (unsigned char)(i % 4 + 1);
	OK_THAT(run(s, b) == PLAIT_OK, "run: %s", rig.error.text);
	IS_INT(plait_queue_read(rig.queue, s->z, 0, have, sizeof(have),
				&rig.error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	OK_THAT(memcmp(want, have, sizeof(want)) == 0,
		"with %u: word 14 is %u, word 15 %u", (unsigned)b,
		(unsigned)have[WORDS - 2], (unsigned)have[WORDS - 1]);
}

/* ---- versions ---- */

/* RUNS runs with two values, of which `buffers` run a command buffer, and
 * `launches` enqueue a single launch. */
static void check_version(uint32_t version, uint32_t updates, const char *more,
			  uint64_t buffers, uint64_t launches)
{
	static const char *const names[] = { "clEnqueueCommandBufferKHR",
					     "clEnqueueNDRangeKernel" };
	const uint64_t want[] = { buffers, launches };

	for (size_t k = 0; k < TAP_COUNT(names); k++) {
		struct stretch s = { .plan = NULL };

		setup = (struct fakecl_setup){ .buffers = version,
					       .updates = updates,
					       .gpu = setup.gpu };
		only(names[k]);
		if (!open_it(more, "check"))
			return;
		OK_THAT(make(&s) == PLAIT_OK, "%s", rig.error.text);
		for (uint32_t i = 0; i < RUNS; i++)
			check_run(&s, 5 + i / 3 * 2);
		OK_THAT(standin_report().calls == want[k],
			"version %#x, updates %#x: %u times %s, not %u",
			(unsigned)version, (unsigned)updates,
			(unsigned)standin_report().calls, names[k],
			(unsigned)want[k]);
		unmake(&s);
	}
}

static void versions(void)
{
	check_version(0, 0, "segments=yes", 0, RUNS);
	/* A changed value costs a run of single commands, after which the
	 * buffer is recorded anew. */
	check_version(early, 0, "segments=yes", RUNS - 2, 2);
	check_version(today, 0, "segments=yes", RUNS - 2, 2);
	/* Updates of 0.9.1 are lists; they are not used. */
	check_version(today, 0x9001, "segments=yes", RUNS - 2, 2);
	check_version(early, arrays, "segments=yes", RUNS, 0);
	check_version(today, arrays, "segments=yes", RUNS, 0);
	check_version(today, arrays, "segments=no", 0, RUNS);
	check_version(today, arrays, "segments=yes,events=all", RUNS, 0);
	check_version(today, 0, "segments=yes,events=all", RUNS - 2, 2);
	/* A buffer of so few commands pays on a processor never, elsewhere it
	 * may. */
	check_version(today, arrays, "type=all", 0, RUNS);
	setup.gpu = true;
	check_version(today, arrays, "type=all", RUNS, 0);
	setup.gpu = false;
	/* A version that is too new. */
	check_version(0x800000, arrays, "segments=yes", 0, RUNS);
}

/* ---- lanes ---- */

/* Two chains on two lanes stay beside each other: a buffer for each, as the
 * commands of a buffer run one after the other. */
static void check_lanes(uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = lanes,
					 .instances = 1,
					 .policy = PLAIT_POLICY_WIDEST,
					 .flags = PLAIT_FREEZE_CHECK };
	struct stretch s = { .plan = NULL };
	plait_graph *graph;

	setup = (struct fakecl_setup){ .buffers = today };
	only("clCreateCommandBufferKHR");
	if (!open_it("segments=yes", "check"))
		return;
	s.map = map_kernel();
	s.x = words_on(rig.device);
	s.y = words_on(rig.device);
	graph = new_graph();
	for (uint32_t i = 0; i < 2; i++) {
		plait_buffer *words = i == 0 ? s.x : s.y;
		plait_node node = add_fill(graph, words, i, NULL, 0);

		for (uint32_t k = 0; k < 3; k++)
			node = add_map(graph, s.map, words, words, 2, 1, &node,
				       1);
	}
	OK(plait_graph_freeze(graph, &desc, &s.plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	OK(plait_plan_call(s.plan, NULL, NULL, &rig.error) == PLAIT_OK);
	IS_UINT(read_words(s.x), 7);
	IS_UINT(read_words(s.y), 15);
	IS_UINT(standin_report().calls, lanes);
	unmake(&s);
}

static void beside(void)
{
	check_lanes(1);
	check_lanes(2);
}

/* ---- queues that measure times ---- */

static void timed(void)
{
	struct stretch s = { .plan = NULL };

	setup = (struct fakecl_setup){ .buffers = today, .updates = arrays };
	only("clEnqueueCommandBufferKHR");
	if (!open_it("segments=yes", "check,trace"))
		return;
	OK_THAT(make(&s) == PLAIT_OK, "%s", rig.error.text);
	for (uint32_t i = 0; i < RUNS; i++)
		check_run(&s, i);
	IS_UINT(standin_report().calls, 0);
	unmake(&s);
}

/* ---- failures ---- */

static const char *const calls[] = {
	"clGetExtensionFunctionAddressForPlatform", "clCreateCommandBufferKHR",
	"clCommandNDRangeKernelKHR", "clCommandCopyBufferKHR",
	"clCommandCopyBufferRectKHR", "clCommandFillBufferKHR",
	"clFinalizeCommandBufferKHR", "clReleaseCommandBufferKHR",
	"clUpdateMutableCommandsKHR", "clEnqueueCommandBufferKHR",
	"clRetainKernel", "clGetDeviceInfo",
};

/* At most one run fails, with an error that names the call.  A buffer that is
 * refused is replaced by single commands. */
static bool try(const char *name, uint64_t number, int32_t code,
		uint32_t updates)
{
	struct stretch s = { .plan = NULL };
	uint32_t failed = 0;
	bool reached;

	setup = (struct fakecl_setup){ .buffers = today, .updates = updates,
				       .fail = name, .fail_call = number,
				       .code = code };
	if (!open_it("segments=yes", "check"))
		return false;
	OK_THAT(make(&s) == PLAIT_OK, "%s", rig.error.text);
	for (uint32_t i = 0; i < RUNS; i++) {
		if (run(&s, 5 + i / 3 * 2) == PLAIT_OK)
			continue;
		failed++;
		HAS_STR(rig.error.text, name);
	}
	OK_THAT(failed <= 1, "%s %u: %u runs failed", name, (unsigned)number,
		(unsigned)failed);
	if (code != CL_OUT_OF_RESOURCES &&
	    strcmp(name, "clEnqueueCommandBufferKHR") != 0)
		IS_UINT(failed, 0);
	reached = standin_report().failed != NULL;
	for (uint32_t i = 0; i < 2 && reached; i++)
		check_run(&s, 9);
	unmake(&s);
	return standin_report().failed != NULL;
}

/* The context does not open without the first facts of the device. */
static uint64_t first_of(const char *name)
{
	return strcmp(name, "clGetDeviceInfo") == 0 ? 11 : 1;
}

static void every_call(void)
{
	static const int32_t codes[] = { CL_OUT_OF_RESOURCES,
					 CL_INVALID_OPERATION };

	for (size_t i = 0; i < TAP_COUNT(calls); i++)
		for (size_t c = 0; c < TAP_COUNT(codes); c++)
			for (uint32_t k = 0; k < 2; k++) {
				uint64_t number = first_of(calls[i]);
				uint64_t first = number;

				while (number < first + 12 &&
				       try(calls[i], number, codes[c],
					   k * arrays))
					number++;
				/* Without updates none is made. */
				OK_THAT(number > first ||
					(k == 0 && i == 8), "%s: %u calls",
					calls[i], (unsigned)number);
			}
}

/* A command inside fails: the error has the segment's label. */
static void inside(void)
{
	struct stretch s = { .plan = NULL };

	setup = (struct fakecl_setup){ .buffers = today, .updates = arrays,
				       .code = CL_OUT_OF_RESOURCES,
				       .fail_command = 3 };
	if (!open_it("segments=yes", "check"))
		return;
	OK_THAT(make(&s) == PLAIT_OK, "%s", rig.error.text);
	/* A run is one command, and its read another. */
	check_run(&s, 1);
	IS_INT(run(&s, 1), PLAIT_E_NOMEM);
	HAS_STR(rig.error.text, "\"segment of 6 commands from node ");
	HAS_STR(rig.error.text, "CL_OUT_OF_RESOURCES");
	check_run(&s, 1);
	unmake(&s);
}

/* ---- counts and words ---- */

static char counts[200];

static void listen(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_INFO && strstr(line, ": graphs: ") != NULL)
		(void)snprintf(counts, sizeof(counts), "%s", line);
}

static void check_counts(uint32_t updates, const char *want,
			 const char *description)
{
	static char options[4200];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "opencl",
		.options = options, .workers = 1, .log = listen,
		.log_level = PLAIT_LOG_INFO, .allocator = &counting,
	};
	plait_device_info info = { .size = sizeof(info) };
	struct stretch s = { .plan = NULL };

	setup = (struct fakecl_setup){ .devices = 1, .buffers = today,
				       .updates = updates };
	standin()->reset(&setup);
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	builds = true;
	(void)snprintf(options, sizeof(options), "opencl:loader=%.400s,segments=yes",
		       standin_path);
	IS_INT(plait_context_open(&desc, &rig.context, &rig.error), PLAIT_OK);
	IS_INT(plait_context_device(rig.context, 0, &rig.device, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_device_query(rig.device, &info, &rig.error), PLAIT_OK);
	HAS_STR(info.description, description);
	OK((info.capabilities & PLAIT_DEVICE_SEGMENT) != 0);
	OK_THAT(make(&s) == PLAIT_OK, "%s", rig.error.text);
	for (uint32_t i = 0; i < RUNS; i++)
		check_run(&s, 5 + i / 3 * 2);
	unmake(&s);
	IS_STR(counts, want);
}

static void counted(void)
{
	check_counts(0, "opencl:0: graphs: 3 made, 0 patched, 2 to make anew, "
		     "0 refused, 0 left to single commands", ", command buffers");
	check_counts(arrays, "opencl:0: graphs: 1 made, 2 patched, 0 to make "
		     "anew, 0 refused, 0 left to single commands", ", mutable command buffers");
}

static void bad_option(void)
{
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };
	plait_error error = { .size = sizeof(error) };
	plait_context *context;

	(void)snprintf(options, sizeof(options),
		       "opencl:loader=%.400s,segments=some", standin_path);
	OK(plait_context_open(&desc, &context, &error) < PLAIT_OK);
	HAS_STR(error.text, "segments=some: yes or no is wanted");
}

static const struct tap_scenario all[] = {
	{ "versions", versions },
	{ "beside", beside },
	{ "timed", timed },
	{ "every call", every_call },
	{ "inside", inside },
	{ "counted", counted },
	{ "bad option", bad_option },
};

int main(int argc, char **argv)
{
	(void)standin();
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
