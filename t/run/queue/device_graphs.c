/* SPDX-License-Identifier: MIT */
/*
 * Segments of plans that a backend gets as one command: their choice, that they
 * run as one, and that the result equals that of the single commands; late
 * bindings, replaced kernels, rejections, failures.
 */
#include "lib/queued.h"

enum { CHAIN = 10, SEEDS = 12 };

/* The simulated system's count of started segments. */
static uint32_t begun_segments, begun_maps;
/* Calls that have ended; and how many had when the first segment began. */
static uint32_t ended_calls, calls_before;

static void count(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level == PLAIT_LOG_ERROR) {
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
		NOTE("%s", line);
	}
	ended_calls += strstr(line, "command \"call\" ends") != NULL;
	if (strstr(line, " starts") == NULL)
		return;
	if (strstr(line, "command \"segment of ") != NULL &&
	    begun_segments++ == 0)
		calls_before = ended_calls;
	begun_maps += strstr(line, "command \"map\"") != NULL;
}

static bool open_counting(uint32_t seed, const char *fewest, const char *wrap,
			  const char *more)
{
	char options[160];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos", .wrap = wrap,
		.options = options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.log = count, .log_level = PLAIT_LOG_INFO,
		.allocator = &counting,
	};

	(void)snprintf(options, sizeof(options), "chaos:seed=%u,log=1%s", seed,
		       more);
	if (fewest != NULL)
		(void)setenv("PLAIT_SEGMENTS", fewest, 1);
	else
		(void)unsetenv("PLAIT_SEGMENTS");
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	broken = begun_segments = begun_maps = 0;
	builds = true;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open: %s", rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static void begin_counting(void)
{
	begun_segments = begun_maps = 0;
}

/* x = 2 x + 1, `times` times */
static plait_graph *new_chain(plait_kernel *map, plait_buffer *x,
			      uint32_t times)
{
	plait_graph *graph = new_graph();
	plait_node node = 0;

	for (uint32_t i = 0; i < times; i++)
		node = add_map(graph, map, x, x, 2, 1, &node, i > 0);
	return graph;
}

static uint32_t after_chain(uint32_t x, uint32_t times)
{
	while (times-- > 0)
		x = 2 * x + 1;
	return x;
}

static void run_chain(plait_plan *plan, plait_buffer *x, uint32_t value)
{
	write_words(x, value);
	begin_counting();
	OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s", rig.error.text);
	IS_UINT(read_words(x), after_chain(value, CHAIN));
}

/* A single segment where they are as many as that, and none where not. */
static void check_chain(const char *fewest, const char *more,
			uint32_t segments)
{
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;

	if (!open_counting(3, fewest, "check", more))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	plan = freeze_on(new_chain(map, x, CHAIN), 1);
	for (uint32_t i = 0; i < 3; i++) {
		run_chain(plan, x, i);
		IS_UINT(begun_segments, segments);
		IS_UINT(begun_maps, segments > 0 ? 0 : CHAIN);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void chains(void)
{
	check_chain("1", "", 1);
	check_chain("10", "", 1);
	check_chain("11", "", 0);
	check_chain("0", "", 0);
	/* Usual values, also where the setting is not understood. */
	check_chain(NULL, "", 1);
	check_chain("some", "", 1);
	/* Its devices have none. */
	check_chain("1", ",segments=0", 0);
}

/* Parallel lanes on one device are one segment; a function of the host is a
 * border, another device, too. */
static void borders(void)
{
	plait_kernel *map;
	plait_buffer *x[4], *far;
	plait_node nodes[8], last;
	plait_graph *graph;
	plait_plan *plan;

	if (!open_counting(5, "2", "check", ""))
		return;
	map = map_kernel();
	far = words_on(other_device());
	graph = new_graph();
	for (uint32_t i = 0; i < 4; i++) {
		x[i] = words_on(rig.device);
		nodes[i] = add_fill(graph, x[i], i, NULL, 0);
		nodes[i] = add_map(graph, map, x[i], x[i], 3, 1, &nodes[i], 1);
	}
	last = add_map(graph, map, x[1], x[0], 1, 5, nodes, 4);
	/* There and back. */
	last = add_copy(graph, far, x[0], &last, 1);
	last = add_copy(graph, x[2], far, &last, 1);
	last = add_map(graph, map, x[2], x[2], 2, 0, &last, 1);
	(void)add_map(graph, map, x[2], x[3], 1, 1, &last, 1);
	plan = freeze_on(graph, 4);
	begin_counting();
	OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s", rig.error.text);
	IS_UINT(begun_segments, 2);
	IS_UINT(begun_maps, 0);
	IS_UINT(read_words(x[0]), 3 + 1 + 5);
	IS_UINT(read_words(x[2]), 2 * 9);
	IS_UINT(read_words(x[3]), 2 * 9 + 1);
	plait_plan_release(plan);
	for (uint32_t i = 0; i < 4; i++)
		plait_buffer_release(x[i]);
	plait_buffer_release(far);
	plait_kernel_release(map);
	close_place();
}

/* Both instances of a plan at the same time, again and again: each has its
 * own segment, which `check` sees idle whenever it is submitted. */
static void overlap(void)
{
	plait_run *runs[2];
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		if (!open_counting(seed, "1", "check", ",quirks=shuffle"))
			return;
		map = map_kernel();
		x = words_on(rig.device);
		plan = freeze_on(new_chain(map, x, CHAIN), 1);
		write_words(x, 0);
		for (uint32_t i = 0; i < 2; i++)
			OK_THAT(plait_plan_run(plan, rig.queue, NULL, &runs[i],
					       &rig.error) == PLAIT_OK,
				"run: %s", rig.error.text);
		for (uint32_t i = 0; i < 2; i++) {
			OK(plait_run_wait(runs[i], PLAIT_FOREVER,
					  &rig.error) == PLAIT_OK);
			plait_run_release(runs[i]);
		}
		IS_UINT(begun_segments, 2);
		IS_UINT(read_words(x), after_chain(0, 2 * CHAIN));
		plait_plan_release(plan);
		plait_buffer_release(x);
		plait_kernel_release(map);
		close_place();
	}
}

/* A kernel of the host takes the place of one: one by one, and back. */
static void exchange(void)
{
	plait_kernel *map, *host;
	plait_buffer *x;
	plait_plan *plan;

	if (!open_counting(7, "1", "check", ""))
		return;
	map = map_kernel();
	builds = false;
	host = map_kernel();
	x = words_on(rig.device);
	plan = freeze_on(new_chain(map, x, CHAIN), 2);
	run_chain(plan, x, 1);
	IS_UINT(begun_segments, 1);
	OK(plait_plan_exchange(plan, map, host, &rig.error) == PLAIT_OK);
	run_chain(plan, x, 2);
	IS_UINT(begun_segments, 0);
	IS_UINT(begun_maps, CHAIN);
	OK(plait_plan_exchange(plan, host, map, &rig.error) == PLAIT_OK);
	run_chain(plan, x, 3);
	IS_UINT(begun_segments, 1);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_kernel_release(host);
	close_place();
}

static plait_status run_given(plait_plan *plan, uint32_t b)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &b, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(plan, NULL, &desc, &rig.error);
}

/* x = x + b, then x = 2 x + 1 */
static plait_graph *new_told(plait_kernel *map, plait_buffer *x)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(x), buffer_argument(x), value_argument(&one),
		of_kind(PLAIT_ARGUMENT_PARAMETER, "b"),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = map, .label = "told",
		.launch = &launch, .arguments = arguments,
		.argument_count = 4,
	};
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, desc, NULL, 0);

	(void)add_map(graph, map, x, x, 2, 1, &node, 1);
	return graph;
}

static void check_told(plait_plan *plan, plait_buffer *x, uint32_t b)
{
	write_words(x, 1);
	begin_counting();
	OK_THAT(run_given(plan, b) == PLAIT_OK, "run: %s", rig.error.text);
	IS_UINT(read_words(x), 2 * (1 + b) + 1);
	IS_UINT(begun_segments, 1);
}

/*
 * The arguments of runs are made part of the segment by the first of them, and
 * patched where a later run has others.  `fault` sets the result of the n-th
 * call.
 */
static void told(const char *fault, plait_status fails, uint32_t which)
{
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;

	if (!open_counting(9, "1", "check,fault", fault))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	{
		const plait_freeze_desc desc = { .size = sizeof(desc),
						 .instances = 1 };
		plait_graph *graph = new_told(map, x);

		OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
			PLAIT_OK, "freeze: %s", rig.error.text);
		plait_graph_release(graph);
	}
	for (uint32_t i = 0; i < 4; i++) {
		if (fails == PLAIT_OK || i != which) {
			check_told(plan, x, i / 2);
			continue;
		}
		write_words(x, 1);
		IS_INT(run_given(plan, i / 2), fails);
		HAS_STR(rig.error.text, "could not be created");
		HAS_STR(rig.error.text, "segment of 2 commands from ");
		IS_UINT(read_words(x), 1);
		check_told(plan, x, i / 2);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void patches(void)
{
	told("", PLAIT_OK, 0);
	told(";fault:slot=segment_create,fail=1,status=nomem", PLAIT_E_NOMEM,
	     0);
	told(";fault:slot=segment_patch,fail=1,status=nomem", PLAIT_E_NOMEM,
	     2);
	/* The segment cannot be patched: it is made anew. */
	told(";fault:slot=segment_patch,fail=1,status=unsupported", PLAIT_OK,
	     0);
}

/* The device will not have them as one. */
static void refused(void)
{
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;

	if (!open_counting(11, "1", "check,fault",
			   ";fault:slot=segment_create,fail=1,"
			   "status=unsupported"))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	plan = freeze_on(new_chain(map, x, CHAIN), 1);
	run_chain(plan, x, 4);
	IS_UINT(begun_segments, 0);
	IS_UINT(begun_maps, CHAIN);
	run_chain(plan, x, 5);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

/* A segment that cannot be made fails the run that needs it, and no other. */
static void unmade(void)
{
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;

	if (!open_counting(11, "1", "check,fault",
			   ";fault:slot=segment_create,fail=1,status=nomem"))
		return;
	map = map_kernel();
	x = words_on(rig.device);
	plan = freeze_on(new_chain(map, x, CHAIN), 1);
	IS_INT(call_with(plan, 0), PLAIT_E_NOMEM);
	HAS_STR(rig.error.text, "could not be created");
	run_chain(plan, x, 1);
	IS_UINT(begun_segments, 1);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

/* ---- lanes of a body, and the commands in front of it ---- */

static int32_t is_left(void *user_data)
{
	uint32_t *left = user_data;

	return (*left)-- > 0;
}

/*
 * A call; parallel to it a loop that the host decides, with a segment of both
 * lanes.  It runs on the lane that decides, and comes behind the call, which
 * the other lane has in front of the loop.
 */
static plait_graph *new_beside(plait_kernel *map, plait_buffer *x,
			       plait_buffer *y, uint32_t *left)
{
	static uint64_t calls;
	const plait_node_desc call = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.device = rig.device, .function = bump,
		.user_data = &calls, .cost = 1000, .label = "call",
	};
	const plait_node_desc outer = {
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = is_left, .user_data = left, .label = "outer",
	};
	plait_graph *graph = new_graph(), *body;
	plait_node both[2];

	both[0] = add_node(graph, call, NULL, 0);
	both[1] = add_node(graph, outer, NULL, 0);
	body = body_of(graph, both[1], 0);
	/* Both lanes meet at last. */
	(void)add_map(graph, map, y, y, 1, 0, both, 2);
	both[0] = add_map(body, map, x, x, 1, 1, NULL, 0);
	both[1] = add_map(body, map, y, y, 1, 1, NULL, 0);
	(void)add_map(body, map, x, y, 1, 1, both, 2);
	plait_graph_release(body);
	return graph;
}

static void arrivals(void)
{
	plait_kernel *map;
	plait_buffer *x, *y;
	plait_plan *plan;
	uint32_t left;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		if (!open_counting(seed, "2", "check", ",parallel=3"))
			return;
		map = map_kernel();
		x = words_on(rig.device);
		y = words_on(rig.device);
		plan = freeze_on(new_beside(map, x, y, &left), 2);
		left = 2;
		ended_calls = calls_before = 0;
		begin_counting();
		OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s",
			rig.error.text);
		IS_UINT(begun_segments, 2);
		IS_UINT(calls_before, 1);
		plait_plan_release(plan);
		plait_buffer_release(x);
		plait_buffer_release(y);
		plait_kernel_release(map);
		close_place();
	}
}

static const struct tap_scenario all[] = {
	{ "chains", chains },
	{ "borders", borders },
	{ "overlap", overlap },
	{ "exchange", exchange },
	{ "patches", patches },
	{ "refused", refused },
	{ "unmade", unmade },
	{ "arrivals", arrivals },
};
TAP_MAIN(all)
