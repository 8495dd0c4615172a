/* SPDX-License-Identifier: MIT */
/*
 * Launches of kernels and the time when they are bound; replacement of kernels,
 * between code of the device and of the host; plans on two backends with
 * copies, fills and words between them; addresses as values.
 */
#include "lib/queued.h"

enum { SEEDS = 40, TIMES = 5 };

/* ---- the time of binding ---- */

/*
 * On one instance: `turns` has two launches and `fixed` one, made with the
 * instance; a launch with a parameter is bound when that changes.  The number
 * of the launch_create that is to fail tells whether there was one.
 */
static void add_turns(plait_graph *body, plait_kernel *put, uint64_t turn)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	plait_argument arguments[2] = {
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = put, .label = "turns",
		.launch = &launch, .arguments = arguments,
		.argument_count = 2,
	};

	arguments[0].rotation = arguments[1].rotation = turn;
	arguments[1].ahead = 1;
	(void)add_node(body, desc, NULL, 0);
}

static plait_node add_told(plait_graph *graph, plait_kernel *map,
			   plait_buffer *x)
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

	return add_node(graph, desc, NULL, 0);
}

struct bound {
	plait_kernel *map, *put;
	plait_buffer *n, *x, *turns[2];
	plait_plan *plan;
};

static void make_bound(struct bound *bound)
{
	const plait_freeze_desc freezing = { .size = sizeof(freezing),
					     .flags = PLAIT_FREEZE_CHECK,
					     .instances = 1 };
	plait_graph *graph = new_graph(), *body;
	plait_node node;
	uint64_t turn = 0;

	bound->map = map_kernel();
	bound->put = put_kernel();
	bound->n = words_on(rig.device);
	bound->x = words_on(rig.device);
	bound->turns[0] = words_on(rig.device);
	bound->turns[1] = words_on(rig.device);
	(void)add_told(graph, bound->map, bound->x);
	node = add_fill(graph, bound->turns[0], 1, NULL, 0);
	node = add_fill(graph, bound->n, TIMES, &node, 1);
	{
		plait_node_desc desc = { .kind = PLAIT_NODE_WHILE,
					 .predicate = bound->n,
					 .label = "loop" };

		node = add_node(graph, desc, &node, 1);
	}
	body = body_of(graph, node, 0);
	OK(plait_graph_add_rotation(body, bound->turns, 2, 0, &turn, &rig.error) ==
	   PLAIT_OK);
	add_turns(body, bound->put, turn);
	(void)add_map(body, bound->map, bound->n, bound->n, 1, UINT32_MAX,
		      NULL, 0);
	plait_graph_release(body);
	OK_THAT(plait_graph_freeze(graph, &freezing, &bound->plan,
				   &rig.error) == PLAIT_OK, "freeze: %s",
		rig.error.text);
	plait_graph_release(graph);
}

static plait_status run_bound(const struct bound *bound, uint32_t b)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &b, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(bound->plan, NULL, &desc, &rig.error);
}

/*
 * The number of the third run's launch_create.  A launch with arguments of a
 * run is made with the plan, to be in a segment, then by the first run that has
 * such, then by the third; where there are no segments, not with the plan.
 */
#if defined(QUEUED_OPENCL) || defined(QUEUED_DRIVER)
#define THIRD_RUN "5"
#else
#define THIRD_RUN "6"
#endif

static void when_bound(void)
{
	struct place place;
	struct bound bound;

	set_seed(&place, 1);
	place.builds = true;
	place.wrap = "check,fault";
	(void)snprintf(place.options, sizeof(place.options),
		       FAULTS("slot=launch_create,fail=" THIRD_RUN));
	if (!open_place(&place))
		return;
	make_bound(&bound);
	write_words(bound.x, 10);
	OK_THAT(run_bound(&bound, 3) == PLAIT_OK, "%s", rig.error.text);
	OK_THAT(run_bound(&bound, 3) == PLAIT_OK, "%s", rig.error.text);
	IS_UINT(read_words(bound.x), 16);
	IS_UINT(read_words(bound.turns[TIMES % 2]), 1 + TIMES);
	IS_INT(run_bound(&bound, 4), PLAIT_E_NOMEM);
	HAS_STR(rig.error.text, "\"told\"");
	HAS_STR(rig.error.text, "could not be bound: map: ");
	IS_UINT(read_words(bound.x), 16);
	OK_THAT(run_bound(&bound, 4) == PLAIT_OK, "%s", rig.error.text);
	IS_UINT(read_words(bound.x), 20);
	plait_plan_release(bound.plan);
	plait_kernel_release(bound.map);
	plait_kernel_release(bound.put);
	plait_buffer_release(bound.n);
	plait_buffer_release(bound.x);
	plait_buffer_release(bound.turns[0]);
	plait_buffer_release(bound.turns[1]);
	close_place();
}

/* ---- replacement of kernels ---- */

static int32_t add_words(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)user_data;
	(void)map_words(arguments, launch, NULL);
	for (uint32_t k = 0; k < WORDS; k++)
		(*(uint32_t **)arguments[1])[k] += 1000;
	return 0;
}

/* A map with 1000 more, run by the device or by the host. */
static plait_kernel *more_kernel(bool built)
{
	bool as_place = builds;
	plait_kernel *kernel;

	builds = built;
	kernel = new_kernel("map(from: in pointer u32, to: inout pointer u32, "
			    "a: u32, b: u32)",
			    "KERNEL(map) { EACH(i, 16) to[i] = from[i] * a + "
			    "b + 1000; }", add_words);
	builds = as_place;
	return kernel;
}

static void run_both(plait_plan *plan, plait_buffer *x, uint32_t expected)
{
	write_words(x, 1);
	for (uint32_t i = 0; i < 2; i++)
		OK_THAT(plait_plan_run(plan, rig.queue, NULL, NULL,
				       &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
	IS_UINT(read_words(x), expected);
}

/* A kernel of the place, then those that its devices and the host run, while
 * runs with the previous ones are in flight. */
static void check_exchange(const struct place *place)
{
	plait_kernel *first = map_kernel();
	plait_kernel *built = more_kernel(place->builds);
	plait_kernel *host = more_kernel(false);
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_map(graph, first, x, x, 2, 1, NULL, 0);
	plan = freeze_on(graph, place->lanes);
	run_both(plan, x, 7);
	OK_THAT(plait_plan_exchange(plan, first, built, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	run_both(plan, x, 3007);
	write_words(x, 1);
	OK(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) ==
	   PLAIT_OK);
	OK_THAT(plait_plan_exchange(plan, built, host, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	plait_kernel_release(built);
	IS_UINT(read_words(x), 1003);
	run_both(plan, x, 3007);
	OK_THAT(plait_plan_exchange(plan, host, first, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	run_both(plan, x, 7);
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(first);
	plait_kernel_release(host);
}

static void exchange(void)
{
	each_place(SEEDS / 2, check_exchange);
}

/* Two runs of five steps, x = 2 x + 1 + `more`. */
static void run_steps(plait_plan *plan, plait_buffer *x, uint32_t more)
{
	uint32_t expected = 1;

	for (uint32_t i = 0; i < 10; i++)
		expected = 2 * expected + 1 + more;
	write_words(x, 1);
	for (uint32_t i = 0; i < 2; i++)
		OK_THAT(plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	IS_UINT(read_words(x), expected);
}

/* Work of a repeat stays from run to run, but not with another kernel. */
static void check_exchange_repeat(const struct place *place)
{
	plait_kernel *first = map_kernel();
	plait_kernel *others[2] = { more_kernel(place->builds),
				    more_kernel(false) };
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_plan *plan;

	OK(plait_graph_repeat(graph, 5, 0, &body, NULL, &rig.error) ==
	   PLAIT_OK);
	(void)add_map(body, first, x, x, 2, 1, NULL, 0);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	run_steps(plan, x, 0);
	for (int i = 0; i < 2; i++) {
		OK_THAT(plait_plan_exchange(plan, first, others[i],
					    &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		run_steps(plan, x, 1000);
		OK_THAT(plait_plan_exchange(plan, others[i], first,
					    &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		run_steps(plan, x, 0);
		plait_kernel_release(others[i]);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(first);
}

static void exchange_repeat(void)
{
	each_place(SEEDS / 2, check_exchange_repeat);
}

/* ---- two backends ---- */

static plait_node add_map_on(plait_graph *graph, plait_device *device,
			     plait_kernel *kernel, plait_buffer *x, uint32_t b,
			     const plait_node *after, uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(x), buffer_argument(x), value_argument(&one),
		value_argument(&b),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "map",
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .device = device,
	};

	return add_node(graph, desc, after, count);
}

static plait_node add_copy_on(plait_graph *graph, plait_device *device,
			      plait_buffer *target, plait_buffer *source,
			      const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = target, .source = source,
		.bytes = WORDS * 4, .label = "copy", .device = device,
	};

	return add_node(graph, desc, after, count);
}

/*
 * x on the device, h on the host:
 * while n (on the host) { x += 1 on the device; h = x; h += 10 on the host;
 * x = h; n -= 1 on the host }, with copies on either side
 */
static void check_both(const struct place *place)
{
	plait_device *host = host_of_three();
	plait_kernel *kernel = map_kernel();
	plait_buffer *x = words_on(rig.device);
	plait_buffer *n = words_on(host), *h = words_on(host);
	plait_graph *graph = new_graph(), *body;
	plait_node_desc loop = { .kind = PLAIT_NODE_WHILE, .predicate = n,
				 .device = rig.device, .label = "loop" };
	plait_node_desc fill = { .kind = PLAIT_NODE_FILL, .target = n,
				 .pattern = TIMES, .pattern_bytes = 4,
				 .bytes = WORDS * 4, .device = rig.device };
	plait_node node;
	plait_plan *plan;

	node = add_node(graph, fill, NULL, 0);
	node = add_node(graph, loop, &node, 1);
	body = body_of(graph, node, 0);
	node = add_map_on(body, rig.device, kernel, x, 1, NULL, 0);
	node = add_copy_on(body, rig.device, h, x, &node, 1);
	node = add_map_on(body, host, kernel, h, 10, &node, 1);
	(void)add_copy_on(body, host, x, h, &node, 1);
	(void)add_map_on(body, host, kernel, n, UINT32_MAX, NULL, 0);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (uint32_t i = 0; i < 3; i++) {
		write_words(x, i);
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run: %s", rig.error.text);
		IS_UINT(read_words(x), i + TIMES * 11);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_buffer_release(n);
	plait_buffer_release(h);
	plait_kernel_release(kernel);
}

static void both(void)
{
	for (uint32_t i = 0; i < SEEDS; i++) {
		struct place place;

		set_seed(&place, (uint32_t)tap_seed() + i);
		place.backends = SIMULATED ",host";
		place.workers = i % 3;
		if (!open_place(&place))
			continue;
		check_both(&place);
		close_place();
	}
}

/* ---- addresses ---- */

/* A pointer that is a value is the given address, not memory of the plan. */
static int32_t keep_address(void *const *arguments,
			    const plait_launch *launch, void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint32_t **)arguments[1] = **(const uint32_t **)arguments[0];
	return 0;
}

static void check_addresses(const struct place *place)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = keep_address,
		.signature = "keep(from: in pointer u32, to: pointer u32)",
	};
	uint32_t kept = 0, *address = &kept;
	const plait_launch launch = { .size = sizeof(launch) };
	plait_buffer *x = words_on(rig.device);
	const plait_argument arguments[2] = {
		buffer_argument(x),
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_VALUE, .value = &address,
		  .bytes = sizeof(address) },
	};
	plait_node_desc node = { .kind = PLAIT_NODE_LAUNCH,
				 .launch = &launch, .arguments = arguments,
				 .argument_count = 2 };
	plait_graph *graph = new_graph();
	plait_kernel *kernel = NULL;
	plait_plan *plan;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	node.kernel = kernel;
	(void)add_node(graph, node, NULL, 0);
	plan = freeze_on(graph, place->lanes);
	write_words(x, 4711);
	OK_THAT(call_with(plan, 0) == PLAIT_OK, "%s", rig.error.text);
	IS_UINT(kept, 4711);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(x);
}

static void addresses(void)
{
	each_place(4, check_addresses);
}

static const struct tap_scenario all[] = {
	{ "when_bound", when_bound },
	{ "exchange", exchange },
	{ "exchange_repeat", exchange_repeat },
	{ "both", both },
	{ "addresses", addresses },
};
TAP_MAIN(all)
