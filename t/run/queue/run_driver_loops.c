/* SPDX-License-Identifier: MIT */
/*
 * Loops and branches on queues that the host decides: by words in memory of a
 * device and by functions, one in the other, several at once, on two devices
 * and on two backends; failed and cancelled at any iteration.
 */
#include "lib/queued.h"

enum { SEEDS = 40 };

static plait_node add_while(plait_graph *graph, uint32_t kind,
			    plait_buffer *word, const plait_node *after,
			    uint64_t count)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "loop", .predicate = word,
		.branch_count = kind == PLAIT_NODE_CASE ? 2 : 0,
	};

	return add_node(graph, desc, after, count);
}

/* ---- a word decides ---- */

/*
 * The plan of a test:
 *
 *	before: n = times
 *	loop while n: { n -= 1 ; x = 3 x + 1 (parallel) ;
 *	                y = copy of n (other) }
 *	behind: z = 2 x (other lane)
 */
struct words {
	plait_kernel *kernel;
	plait_buffer *n, *x, *y, *z;
	plait_plan *plan;
};

static void add_counting(struct words *words, plait_graph *body)
{
	plait_node node = add_map(body, words->kernel, words->n, words->n, 1,
				  UINT32_MAX, NULL, 0);

	(void)add_map(body, words->kernel, words->x, words->x, 3, 1, NULL, 0);
	(void)add_copy(body, words->y, words->n, &node, 1);
}

static void make_words(struct words *words, const struct place *place,
		       uint32_t kind, uint32_t times)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node;

	words->kernel = map_kernel();
	words->n = words_on(rig.device);
	words->x = words_on(rig.device);
	words->y = words_on(other_device());
	words->z = words_on(rig.device);
	node = add_fill(graph, words->n, times, NULL, 0);
	node = add_while(graph, kind, words->n, &node, 1);
	body = body_of(graph, node, 0);
	add_counting(words, body);
	(void)add_map(graph, words->kernel, words->x, words->z, 2, 0, &node,
		      1);
	plait_graph_release(body);
	words->plan = freeze_on(graph, place->lanes);
}

static void free_words(struct words *words)
{
	plait_plan_release(words->plan);
	plait_buffer_release(words->n);
	plait_buffer_release(words->x);
	plait_buffer_release(words->y);
	plait_buffer_release(words->z);
	plait_kernel_release(words->kernel);
}

static void check_word(const struct place *place, uint32_t kind,
		       uint32_t times, uint32_t expected)
{
	struct words words;

	make_words(&words, place, kind, times);
	for (int i = 0; i < 3; i++) {
		uint32_t x = 1;

		for (uint32_t k = 0; k < expected; k++)
			x = 3 * x + 1;
		write_words(words.x, 1);
		write_words(words.y, 77);
		OK_THAT((i % 2 ? run_with : call_with)(words.plan, 0) ==
			PLAIT_OK, "run %d: %s", i, rig.error.text);
		IS_UINT(read_words(words.x), x);
		IS_UINT(read_words(words.z), 2 * x);
		IS_UINT(read_words(words.y), expected > 0 ?
			times - expected : 77);
	}
	free_words(&words);
}

static void check_words(const struct place *place)
{
	check_word(place, PLAIT_NODE_WHILE, 0, 0);
	check_word(place, PLAIT_NODE_WHILE, 1, 1);
	check_word(place, PLAIT_NODE_WHILE, 7, 7);
	check_word(place, PLAIT_NODE_DO, 4, 4);
	check_word(place, PLAIT_NODE_DO, 1, 1);
}

static void words(void)
{
	each_place(SEEDS, check_words);
}

/* ---- several at once, again and again ---- */

static void add_counted(plait_graph *graph, plait_kernel *kernel,
			plait_buffer *n, plait_buffer *x, uint32_t times,
			plait_node *out)
{
	plait_node fill = add_fill(graph, n, times, NULL, 0);
	plait_graph *body;

	*out = add_while(graph, PLAIT_NODE_WHILE, n, &fill, 1);
	body = body_of(graph, *out, 0);
	(void)add_map(body, kernel, n, n, 1, UINT32_MAX, NULL, 0);
	(void)add_map(body, kernel, x, x, 1, 1, NULL, 0);
	plait_graph_release(body);
}

/* Two independent loops, one without predecessors and one without successors;
 * parallel commands go on; a barrier over two devices behind both runs once. */
static void check_several(const struct place *place)
{
	plait_device *devices[2] = { rig.device, other_device() };
	static struct trace trace;
	struct mark mark = { &trace, 0, 0 };
	plait_node_desc both = {
		.kind = PLAIT_NODE_CALL, .label = "both",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_NODE_ON_ALL_BARRIER,
		.function = put_mark, .user_data = &mark, .devices = devices,
		.device_count = 2,
	};
	plait_kernel *kernel = map_kernel();
	plait_buffer *n[3], *x[3];
	plait_graph *graph = new_graph();
	plait_node nodes[3];
	plait_plan *plan;

	memset(&trace, 0, sizeof(trace));
	for (uint32_t i = 0; i < 3; i++) {
		n[i] = words_on(devices[i % 2]);
		x[i] = words_on(devices[i % 2]);
		add_counted(graph, kernel, n[i], x[i], 3 + i, &nodes[i]);
	}
	if (devices[0] == devices[1]) {
		both.flags = PLAIT_CALL_ANY_THREAD;
		both.device_count = 0;
		both.devices = NULL;
	}
	(void)add_node(graph, both, nodes, 2);
	plan = freeze_on(graph, place->lanes);
	for (uint32_t r = 1; r <= 3; r++) {
		for (uint32_t i = 0; i < 3; i++)
			write_words(x[i], 0);
		OK_THAT((r % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run %u: %s", r, rig.error.text);
		for (uint32_t i = 0; i < 3; i++)
			IS_UINT(read_words(x[i]), 3 + i);
		IS_UINT(trace.times[0], r);
	}
	plait_plan_release(plan);
	for (uint32_t i = 0; i < 3; i++) {
		plait_buffer_release(n[i]);
		plait_buffer_release(x[i]);
	}
	plait_kernel_release(kernel);
}

static void several(void)
{
	each_place(SEEDS, check_several);
}

/* ---- one in the other ---- */

/* while n { m = 3; while m { m = m - 1; case c { x += 1 | x += 100 } };
 * n = n - 1 } */
static void check_nested(const struct place *place)
{
	plait_kernel *kernel = map_kernel();
	plait_buffer *n = words_on(rig.device), *m = words_on(rig.device);
	plait_buffer *x = words_on(rig.device), *c = words_on(rig.device);
	plait_graph *graph = new_graph(), *outer, *inner, *branch;
	plait_node node;
	plait_plan *plan;

	node = add_fill(graph, n, 2, NULL, 0);
	node = add_while(graph, PLAIT_NODE_WHILE, n, &node, 1);
	outer = body_of(graph, node, 0);
	node = add_fill(outer, m, 3, NULL, 0);
	node = add_while(outer, PLAIT_NODE_WHILE, m, &node, 1);
	(void)add_map(outer, kernel, n, n, 1, UINT32_MAX, NULL, 0);
	inner = body_of(outer, node, 0);
	(void)add_map(inner, kernel, m, m, 1, UINT32_MAX, NULL, 0);
	node = add_while(inner, PLAIT_NODE_CASE, c, NULL, 0);
	for (uint32_t i = 0; i < 2; i++) {
		branch = body_of(inner, node, i);
		(void)add_map(branch, kernel, x, x, 1, i == 0 ? 1 : 100, NULL,
			      0);
		plait_graph_release(branch);
	}
	plait_graph_release(inner);
	plait_graph_release(outer);
	plan = freeze_on(graph, place->lanes);
	for (uint32_t i = 0; i < 4; i++) {
		write_words(x, 0);
		write_words(c, i);
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"case %u: %s", i, rig.error.text);
		IS_UINT(read_words(x), i == 0 ? 6 : i == 1 ? 600 : 0);
	}
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(m);
	plait_buffer_release(x);
	plait_buffer_release(c);
	plait_kernel_release(kernel);
}

static void nested(void)
{
	each_place(SEEDS, check_nested);
}

/* ---- failing, cancelled ---- */

struct stop {
	uint64_t ran;
	uint64_t at;		/* the iteration that stops it */
	bool fails;
	plait_run *run;
};

static int32_t maybe_stop(void *user_data)
{
	struct stop *stop = user_data;

	if (++stop->ran != stop->at)
		return 0;
	if (stop->fails)
		return 13;
	plait_run_cancel(stop->run, NULL);
	return 0;
}

static int32_t go_on(void *user_data)
{
	(void)user_data;
	return 1;
}

/* An endless loop in an endless loop ends with the iteration that fails, or in
 * which it is cancelled; and the plan works again. */
static void check_stop(const struct place *place)
{
	const plait_node_desc endless = {
		.kind = PLAIT_NODE_WHILE, .label = "endless",
		.flags = PLAIT_CALL_ANY_THREAD, .function = go_on,
	};
	plait_signal_desc gate_desc = { .size = sizeof(gate_desc),
					.flags = PLAIT_SIGNAL_GATE };
	plait_graph *graph = new_graph(), *outer, *inner;
	struct stop stop = { 0, 0, false, NULL };
	plait_signal *gate = NULL;
	plait_node node;
	plait_plan *plan;
	int behind = 0;

	OK(plait_signal_create(rig.device, &gate_desc, &gate, &rig.error) ==
	   PLAIT_OK);
	node = add_node(graph, endless, NULL, 0);
	(void)add_call(graph, "behind", add_one, &behind, &node, 1);
	outer = body_of(graph, node, 0);
	node = add_node(outer, endless, NULL, 0);
	inner = body_of(outer, node, 0);
	(void)add_call(inner, "stop", maybe_stop, &stop, NULL, 0);
	plait_graph_release(inner);
	plait_graph_release(outer);
	plan = freeze_on(graph, place->lanes);
	for (uint64_t i = 0; i < 6; i++) {
		stop = (struct stop){ .at = 1 + i, .fails = i % 2 };
		/* Not before `run` is known. */
		IS_INT(plait_queue_wait(rig.queue, gate, i + 1, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &stop.run,
				      &rig.error), PLAIT_OK);
		IS_INT(plait_signal_raise(gate, i + 1, &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(stop.run, PLAIT_FOREVER, &rig.error),
		       i % 2 ? PLAIT_E_FAILED : PLAIT_E_CANCELLED);
		IS_UINT(stop.ran, 1 + i);
		if (i % 2)
			HAS_STR(rig.error.text, "\"stop\" failed with 13");
		plait_run_release(stop.run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	IS_INT(behind, 0);
	plait_plan_release(plan);
	plait_signal_release(gate);
}

static void stops(void)
{
	each_place(SEEDS, check_stop);
}

/* ---- several backends in one plan ---- */

static plait_device *host_device(void)
{
	plait_device_info info = { .size = sizeof(info) };
	plait_device *device = NULL;

	for (uint32_t i = 0; plait_context_device(rig.context, i, &device,
						  NULL) == PLAIT_OK; i++)
		if (plait_device_query(device, &info, NULL) == PLAIT_OK &&
		    strncmp(info.name, "host", 4) == 0)
			return device;
	/* Null would mean any device, and test something else. */
	OK_THAT(false, "there is a device of the host");
	return NULL;
}

struct across {
	uint64_t calls, inside, wrong;
};

static int32_t count_inside(void *user_data)
{
	struct across *across = user_data;

	across->inside++;
	across->wrong += across->calls == 0;
	return 0;
}

static int32_t count_call(void *user_data)
{
	((struct across *)user_data)->calls++;
	return 0;
}

static plait_node call_on(plait_graph *graph, plait_device *device,
			  plait_host_function function, void *user_data,
			  const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "call", .device = device,
		.flags = PLAIT_CALL_ANY_THREAD, .function = function,
		.user_data = user_data,
	};

	return add_node(graph, desc, after, count);
}

/* host call -> fill n on chaos -> loop on chaos { n - 1, behind it a call of
 * the host } -> host call -> copy on chaos */
static void check_mixed(const struct place *place)
{
	struct across across = { 0, 0, 0 };
	plait_kernel *kernel = map_kernel();
	plait_buffer *n = words_on(rig.device), *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_device *host = host_device();
	plait_node node;
	plait_plan *plan;

	node = call_on(graph, host, count_call, &across, NULL, 0);
	node = add_fill(graph, n, 4, &node, 1);
	node = add_while(graph, PLAIT_NODE_WHILE, n, &node, 1);
	body = body_of(graph, node, 0);
	node = call_on(graph, host, count_call, &across, &node, 1);
	(void)add_copy(graph, x, n, &node, 1);
	node = add_map(body, kernel, n, n, 1, UINT32_MAX, NULL, 0);
	(void)call_on(body, host, count_inside, &across, &node, 1);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (uint64_t i = 1; i <= 3; i++) {
		write_words(x, 5);
		OK_THAT((i % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run: %s", rig.error.text);
		IS_UINT(read_words(x), 0);
		IS_UINT(across.calls, 2 * i);
		IS_UINT(across.inside, 4 * i);
	}
	IS_UINT(across.wrong, 0);
	plait_plan_release(plan);
	plait_buffer_release(n);
	plait_buffer_release(x);
	plait_kernel_release(kernel);
}

static void mixed(void)
{
	for (uint32_t i = 0; i < SEEDS; i++) {
		struct place place;

		set_seed(&place, (uint32_t)tap_seed() + i);
		place.backends = SIMULATED ",host";
		place.workers = i % 3;
		if (!open_place(&place))
			continue;
		check_mixed(&place);
		close_place();
	}
}

static const struct tap_scenario all[] = {
	{ "words", words },
	{ "several", several },
	{ "nested", nested },
	{ "stops", stops },
	{ "mixed", mixed },
};
TAP_MAIN(all)
