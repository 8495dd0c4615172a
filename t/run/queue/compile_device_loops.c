/* SPDX-License-Identifier: MIT */
/*
 * Loops and branches that devices decide: which they are, that the host does
 * not take part while they run, and that the result equals that of the host's
 * decisions; rejections by devices, functions of the host, late arguments; and
 * that they end when their run is cancelled.
 */
#include "regions.h"

/*
 * x += 1; n = `times`; m = 2
 *
 *	loop over n { n -= 1; x = 3 x + 1; y = x;
 *	              do m { m -= 1; w += 1 }, parallel to it
 *	              case n { z += 1 } { z += 10 } }
 *
 * x = 2 x; y += 1
 */
static void add_inner(const struct whole *s, plait_graph *body)
{
	plait_graph *inner;
	plait_node node, x;

	node = add_map(body, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	x = add_map(body, s->map, s->x, s->x, 3, 1, NULL, 0);
	(void)add_copy(body, s->y, s->x, &x, 1);
	node = add_region(body, PLAIT_NODE_CASE, s->n, 2, &node, 1);
	for (uint32_t i = 0; i < 2; i++) {
		inner = body_of(body, node, i);
		(void)add_map(inner, s->map, s->z, s->z, 1, i == 0 ? 1 : 10,
			      NULL, 0);
		plait_graph_release(inner);
	}
	node = add_fill(body, s->m, 2, NULL, 0);
	node = add_region(body, PLAIT_NODE_DO, s->m, 0, &node, 1);
	inner = body_of(body, node, 0);
	(void)add_map(inner, s->map, s->m, s->m, 1, UINT32_MAX, NULL, 0);
	(void)add_map(inner, s->map, s->w, s->w, 1, 1, NULL, 0);
	plait_graph_release(inner);
}

static plait_graph *new_whole(struct whole *s, uint32_t kind, uint32_t times)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node[2];

	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->m = words_on(rig.device);
	s->w = words_on(rig.device);
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	s->z = words_on(rig.device);
	node[0] = add_fill(graph, s->n, times, NULL, 0);
	node[1] = add_map(graph, s->map, s->x, s->x, 1, 1, NULL, 0);
	node[0] = add_region(graph, kind, s->n, 0, node, 2);
	body = body_of(graph, node[0], 0);
	add_inner(s, body);
	plait_graph_release(body);
	(void)add_map(graph, s->map, s->x, s->x, 2, 0, node, 1);
	(void)add_map(graph, s->map, s->y, s->y, 1, 1, node, 1);
	return graph;
}

static void check_whole(const struct whole *s, uint32_t times)
{
	uint32_t x = 2, y = 7, z = 0;

	write_words(s->x, 1);
	write_words(s->y, y);
	write_words(s->z, 0);
	write_words(s->w, 0);
	begin_counting();
	OK_THAT(call_with(s->plan, 0) == PLAIT_OK, "call: %s",
		rig.error.text);
	for (uint32_t n = times; n > 0; n--) {
		y = x = 3 * x + 1;
		z += n == 1 ? 1 : n == 2 ? 10 : 0;
	}
	IS_UINT(read_words(s->x), 2 * x);
	IS_UINT(read_words(s->y), y + 1);
	IS_UINT(read_words(s->z), z);
	IS_UINT(read_words(s->w), 2 * times);
}

/* Where devices decide, one submission and no other command. */
static void check_decided(uint32_t seed, uint32_t kind, uint32_t times,
			  uint32_t lanes, const char *more, bool decided)
{
	struct whole s;

	if (!open_counting(seed, "check", more))
		return;
	s.plan = freeze_on(new_whole(&s, kind, times), lanes);
	for (uint32_t i = 0; i < 3; i++) {
		check_whole(&s, times);
		if (!decided)
			continue;
		IS_UINT(begun_segments, 1);
		IS_UINT(begun_others, 0);
	}
	if (!decided && times > 0)
		OK(begun_segments + begun_others > 1);
	free_whole(&s);
	close_place();
	if (tap_failed() > 0)
		NOTE("seed %u, %u times, %u lanes%s", seed, times, lanes,
		     more);
}

static void decided(void)
{
	uint32_t seeds = tap_soak() ? 10 * SEEDS : SEEDS;

	for (uint32_t seed = 1; seed <= seeds && tap_failed() == 0; seed++) {
		uint32_t times = seed % 5, lanes = 1 + seed / 2 % 4;

		check_decided(seed, PLAIT_NODE_WHILE, times, lanes, "", true);
		check_decided(seed, PLAIT_NODE_DO, times + 1, lanes,
			      ",quirks=all", true);
		check_decided(seed, PLAIT_NODE_WHILE, times, lanes,
			      ",regions=0", false);
	}
}

/* The user wants none. */
static void unwanted(void)
{
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check_decided(3, PLAIT_NODE_WHILE, 3, 2, "", false);
	(void)unsetenv("PLAIT_REGIONS");
}

/* The device rejects it after all: the host decides, in every run. */
static void refused(void)
{
	struct whole s;

	for (uint32_t seed = 1; seed <= 3; seed++) {
		if (!open_counting(seed, "check,fault",
				   ";fault:slot=segment_create,fail=1,"
				   "status=unsupported"))
			return;
		s.plan = freeze_on(new_whole(&s, PLAIT_NODE_WHILE, 3), 2);
		for (uint32_t i = 0; i < 3; i++)
			check_whole(&s, 3);
		free_whole(&s);
		close_place();
	}
}

/* A segment that cannot be made: that run fails and says why, and no other
 * does. */
static void unmade(void)
{
	struct whole s;

	if (!open_counting(1, "check,fault",
			   ";fault:slot=segment_create,fail=1,status=nomem"))
		return;
	s.plan = freeze_on(new_whole(&s, PLAIT_NODE_WHILE, 3), 2);
	IS_INT(call_with(s.plan, 0), PLAIT_E_NOMEM);
	HAS_STR(rig.error.text, "could not be created");
	check_whole(&s, 3);
	free_whole(&s);
	close_place();
}

/* A host function replaces a kernel, and the kernel replaces it again. */
static void exchanged(void)
{
	plait_kernel *host;
	struct whole s;

	if (!open_counting(2, "check", ""))
		return;
	s.plan = freeze_on(new_whole(&s, PLAIT_NODE_WHILE, 4), 3);
	builds = false;
	host = map_kernel();
	for (uint32_t i = 0; i < 3; i++) {
		check_whole(&s, 4);
		IS_UINT(begun_segments, 1);
		OK(plait_plan_exchange(s.plan, s.map, host, &rig.error) ==
		   PLAIT_OK);
		check_whole(&s, 4);
		OK(begun_others > 1);
		OK(plait_plan_exchange(s.plan, host, s.map, &rig.error) ==
		   PLAIT_OK);
	}
	plait_kernel_release(host);
	free_whole(&s);
	close_place();
}

/* ---- arguments of runs ---- */

static plait_status run_told(plait_plan *plan, uint32_t b)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &b, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(plan, NULL, &desc, &rig.error);
}

/* n = 3; while n { n -= 1; x += b } */
static plait_plan *new_told(plait_kernel *map, plait_buffer *n,
			    plait_buffer *x)
{
	const plait_argument told = of_kind(PLAIT_ARGUMENT_PARAMETER, "b");
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_fill(graph, n, 3, NULL, 0);

	node = add_region(graph, PLAIT_NODE_WHILE, n, 0, &node, 1);
	body = body_of(graph, node, 0);
	(void)add_map(body, map, n, n, 1, UINT32_MAX, NULL, 0);
	(void)add_told(body, map, x, &told);
	plait_graph_release(body);
	return freeze_on(graph, 2);
}

/* Also where the first arguments of a run are rejected, or cannot be
 * changed. */
static void check_told(const char *fault, uint32_t segments)
{
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_plan *plan;

	if (!open_counting(5, "check,fault", fault))
		return;
	map = map_kernel();
	n = words_on(rig.device);
	x = words_on(rig.device);
	plan = new_told(map, n, x);
	for (uint32_t i = 0; i < 5; i++) {
		write_words(x, 1);
		begin_counting();
		OK_THAT(run_told(plan, i / 2) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(x), 1 + 3 * (i / 2));
		if (segments > 0)
			IS_UINT(begun_segments, segments);
	}
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(map);
	close_place();
}

static void arguments_of_runs(void)
{
	check_told("", 1);
	check_told(";fault:slot=segment_patch,fail=1,status=unsupported", 1);
	check_told(";fault:slot=segment_create,fail=1,status=unsupported", 0);
}

/* ---- decisions that only the host can make ---- */

/*
 * The device has the loop inside, again and again, behind commands of the host:
 *
 *	3 times { call; n = 2; while n { n -= 1; x += 1 }; x = 2 x }
 */
static void within(void)
{
	const plait_node_desc asks = {
		.kind = PLAIT_NODE_WHILE, .label = "outer",
		.flags = PLAIT_CALL_ANY_THREAD, .function = thrice,
	};
	plait_node_desc outer = asks;
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_graph *graph, *body, *inner;
	uint32_t left;
	plait_node node;
	plait_plan *plan;
	uint64_t calls = 0;

	for (uint32_t seed = 1; seed <= 6; seed++) {
		if (!open_counting(seed, "check", ",quirks=shuffle"))
			return;
		outer.user_data = &left;
		map = map_kernel();
		n = words_on(rig.device);
		x = words_on(rig.device);
		graph = new_graph();
		node = add_node(graph, outer, NULL, 0);
		body = body_of(graph, node, 0);
		node = add_call(body, "call", bump, &calls, NULL, 0);
		node = add_fill(body, n, 2, &node, 1);
		node = add_region(body, PLAIT_NODE_WHILE, n, 0, &node, 1);
		(void)add_map(body, map, x, x, 2, 0, &node, 1);
		inner = body_of(body, node, 0);
		(void)add_map(inner, map, n, n, 1, UINT32_MAX, NULL, 0);
		(void)add_map(inner, map, x, x, 1, 1, NULL, 0);
		plait_graph_release(inner);
		plait_graph_release(body);
		plan = freeze_on(graph, 1 + seed % 3);
		for (uint32_t i = 0; i < 2; i++) {
			left = 3;
			calls = 0;
			write_words(x, 0);
			begin_counting();
			OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s",
				rig.error.text);
			IS_UINT(read_words(x), 2 * (2 * (2 * 2 + 2) + 2));
			IS_UINT(calls, 3);
			IS_UINT(begun_segments, 3);
			IS_UINT(begun_others, 0);
		}
		plait_plan_release(plan);
		plait_buffer_release(n);
		plait_buffer_release(x);
		plait_kernel_release(map);
		close_place();
	}
}

/* ---- cancellation ---- */

static int32_t fail_it(void *user_data)
{
	return *(int32_t *)user_data;
}

/* while 1 { x += 1 }, and parallel to it a function that fails; on another
 * device, so that there is room for both. */
static void endless(void)
{
	plait_kernel *map;
	plait_buffer *n, *x;
	plait_graph *graph, *body;
	plait_node node;
	plait_plan *plan;
	int32_t value;

	for (uint32_t seed = 1; seed <= 6; seed++) {
		plait_node_desc call = {
			.kind = PLAIT_NODE_CALL, .label = "fails",
			.flags = PLAIT_CALL_ANY_THREAD, .function = fail_it,
			.user_data = &value,
		};

		if (!open_counting(seed, "check", ""))
			return;
		map = map_kernel();
		n = words_on(rig.device);
		x = words_on(rig.device);
		graph = new_graph();
		call.device = other_device();
		(void)add_node(graph, call, NULL, 0);
		node = add_region(graph, PLAIT_NODE_WHILE, n, 0, NULL, 0);
		body = body_of(graph, node, 0);
		(void)add_map(body, map, x, x, 1, 1, NULL, 0);
		plait_graph_release(body);
		plan = freeze_on(graph, 1);
		for (uint32_t i = 0; i < 4; i++) {
			value = i % 2 == 0 ? 9 : 0;
			write_words(n, i % 2 == 0);
			write_words(x, 0);
			IS_INT(call_with(plan, 0), value != 0 ?
			       PLAIT_E_FAILED : PLAIT_OK);
			if (value == 0)
				IS_UINT(read_words(x), 0);
		}
		plait_plan_release(plan);
		plait_buffer_release(n);
		plait_buffer_release(x);
		plait_kernel_release(map);
		close_place();
	}
}

/* Cancelled while it runs, by a function in flight on a queue of the other
 * device. */
static int32_t cancel_it(void *user_data)
{
	return plait_run_cancel(*(plait_run **)user_data, NULL) == PLAIT_OK ?
	       0 : 1;
}

/* while n { x += 1; x += 1 } */
static plait_plan *new_endless(plait_kernel *map, plait_buffer *n,
			       plait_buffer *x)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_region(graph, PLAIT_NODE_WHILE, n, 0, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_map(body, map, x, x, 1, 1, NULL, 0);
	(void)add_map(body, map, x, x, 1, 1, &node, 1);
	plait_graph_release(body);
	return freeze_on(graph, 1);
}

/* Not before `run` is known. */
static void cancel_one(plait_plan *plan, plait_queue *other,
		       plait_signal *gate, uint64_t number)
{
	plait_run *run = NULL;

	IS_INT(plait_queue_wait(rig.queue, gate, number, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_wait(other, gate, number, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_call(other, cancel_it, &run, &rig.error), PLAIT_OK);
	IS_INT(plait_signal_raise(gate, number, &rig.error), PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_CANCELLED);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
	plait_run_release(run);
}

static void check_cancelled(void)
{
	const plait_signal_desc gate_desc = { .size = sizeof(gate_desc),
					      .flags = PLAIT_SIGNAL_GATE };
	plait_kernel *map = map_kernel();
	plait_buffer *n = words_on(rig.device), *x = words_on(rig.device);
	plait_plan *plan = new_endless(map, n, x);
	plait_signal *gate = NULL;
	plait_queue *other = NULL;

	OK(plait_queue_create(other_device(), NULL, &other, &rig.error) ==
	   PLAIT_OK);
	OK(plait_signal_create(rig.device, &gate_desc, &gate, &rig.error) ==
	   PLAIT_OK);
	for (uint32_t i = 1; i <= 3; i++) {
		write_words(n, 1);
		write_words(x, 0);
		cancel_one(plan, other, gate, i);
		/* Whole iterations. */
		IS_UINT(read_words(x) % 2, 0);
		write_words(n, 0);
		OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s",
			rig.error.text);
	}
	plait_plan_release(plan);
	plait_signal_release(gate);
	plait_queue_release(other);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(map);
}

static void cancelled(void)
{
	for (uint32_t seed = 1; seed <= 6; seed++) {
		if (!open_counting(seed, "check", ""))
			return;
		check_cancelled();
		close_place();
	}
}

static const struct tap_scenario all[] = {
	{ "decided", decided },
	{ "unwanted", unwanted },
	{ "refused", refused },
	{ "unmade", unmade },
	{ "exchanged", exchanged },
	{ "arguments of runs", arguments_of_runs },
	{ "within", within },
	{ "endless", endless },
	{ "cancelled", cancelled },
};
TAP_MAIN(all)
