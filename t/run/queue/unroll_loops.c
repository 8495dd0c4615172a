/* SPDX-License-Identifier: MIT */
/*
 * Loops that devices decide, with rotations: their bodies are unrolled.  Results
 * are those of plain C and of the host's decisions; nothing but one device graph
 * is submitted; nested loops, several rotations, arguments of runs, loops of the
 * host around them, other kernels, and device graphs that are refused.
 */
#include "regions.h"
#include "unrolled.h"

/* ---- decided by a device, or not ---- */

static void check_decided(uint32_t seed, uint32_t kind, const char *more,
			  bool decided)
{
	struct turns t;
	plait_graph *graph;

	choose(&t, seed);
	if (!open_counting(seed, "check", more))
		return;
	make_buffers(&t);
	graph = new_graph();
	add_loop(&t, graph, kind);
	t.plan = freeze_on(graph, 1 + seed % 3);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t times = (seed + 5 * i) % 9;

		if (kind == PLAIT_NODE_DO)
			times++;
		begin_counting();
		check_run(&t, times, t.told ? seed + i / 2 : 2);
		if (!decided)
			continue;
		IS_UINT(begun_segments, 1);
		IS_UINT(begun_others, 0);
	}
	free_turns(&t);
	close_place();
	if (tap_failed() > 0)
		NOTE("seed %u, kind %u%s", seed, kind, more);
}

static void decided(void)
{
	uint32_t seeds = tap_soak() ? 10 * SEEDS : SEEDS;

	for (uint32_t seed = 1; seed <= seeds && tap_failed() == 0; seed++) {
		check_decided(seed, PLAIT_NODE_WHILE, "", true);
		check_decided(seed, PLAIT_NODE_DO, ",quirks=all", true);
		check_decided(seed, PLAIT_NODE_WHILE, ",regions=0", false);
	}
}

/* ---- refused ---- */

static void check_refused(const char *fault)
{
	struct turns t = { .as = 3, .bs = 3, .told = true };
	plait_graph *graph;

	if (!open_counting(1, "check,fault", fault))
		return;
	make_buffers(&t);
	graph = new_graph();
	add_loop(&t, graph, PLAIT_NODE_WHILE);
	t.plan = freeze_on(graph, 2);
	for (uint32_t i = 0; i < 4; i++)
		check_run(&t, 7 - i, 3 + i);
	free_turns(&t);
	close_place();
}

static void refused(void)
{
	check_refused(",patches=0");
	check_refused(";fault:slot=segment_create,fail=1,status=unsupported");
	for (uint32_t i = 1; i < 6; i++) {
		char fault[80];

		(void)snprintf(fault, sizeof(fault), ";fault:slot=segment_patch,"
			       "fail=%u,status=unsupported", i);
		check_refused(fault);
	}
}

/* A patch fails: that run does, and the next one patches all again. */
static void unpatched(void)
{
	for (uint32_t i = 1; i < 5; i++) {
		struct turns t = { .as = 2, .bs = 2, .told = true };
		plait_graph *graph;
		char fault[80];
		uint32_t failed = 0;

		(void)snprintf(fault, sizeof(fault), ";fault:slot=segment_patch,"
			       "fail=%u,status=nomem", i);
		if (!open_counting(1, "check,fault", fault))
			return;
		make_buffers(&t);
		graph = new_graph();
		add_loop(&t, graph, PLAIT_NODE_WHILE);
		t.plan = freeze_on(graph, 2);
		for (uint32_t k = 0; k < 4; k++) {
			write_words(t.n, 0);
			failed += call_turns(&t, k + 1) != PLAIT_OK;
			if (failed == 1)
				HAS_STR(rig.error.text,
					"could not be created");
			check_run(&t, 5, k + 1);
		}
		IS_UINT(failed, 1);
		free_turns(&t);
		close_place();
	}
}

/* ---- other kernels ---- */

static void exchanged(void)
{
	struct turns t = { .as = 3, .bs = 3 };
	plait_graph *graph;
	plait_kernel *host;

	if (!open_counting(2, "check", ""))
		return;
	make_buffers(&t);
	graph = new_graph();
	add_loop(&t, graph, PLAIT_NODE_WHILE);
	t.plan = freeze_on(graph, 3);
	builds = false;
	host = map_kernel();
	for (uint32_t i = 0; i < 3; i++) {
		begin_counting();
		check_run(&t, 4 + i, 2);
		IS_UINT(begun_segments, 1);
		OK(plait_plan_exchange(t.plan, t.map, host, &rig.error) ==
		   PLAIT_OK);
		begin_counting();
		check_run(&t, 5, 2);
		OK(begun_others > 1);
		OK(plait_plan_exchange(t.plan, host, t.map, &rig.error) ==
		   PLAIT_OK);
	}
	plait_kernel_release(host);
	free_turns(&t);
	close_place();
}

/* ---- a loop of the host around it ---- */

/*
 * 3 times { n = 4; f next = f + 1;
 *	while n { n -= 1; a next = a + 2; g = f next } }
 */
struct around {
	plait_kernel *map;
	plait_buffer *n, *g, *a[3], *f[2];
	plait_plan *plan;
	uint32_t left;
};

static void make_around(struct around *s)
{
	const plait_node_desc asks = {
		.kind = PLAIT_NODE_WHILE, .label = "outer",
		.flags = PLAIT_CALL_ANY_THREAD, .function = thrice,
		.user_data = &s->left,
	};
	const uint32_t one = 1, two = 2, zero = 0;
	const plait_argument plus[] = { value_argument(&one),
					value_argument(&two),
					value_argument(&zero) };
	plait_graph *graph = new_graph(), *body, *inner;
	plait_node node = add_node(graph, asks, NULL, 0);
	uint64_t a, f;

	body = body_of(graph, node, 0);
	f = rotate(body, s->f, 2);
	node = add_fill(body, s->n, 4, NULL, 0);
	node = add_turn(body, s->map, turn_of(f, 0), turn_of(f, 1), 1,
			&plus[0], &node);
	node = add_region(body, PLAIT_NODE_WHILE, s->n, 0, &node, 1);
	inner = body_of(body, node, 0);
	a = rotate(inner, s->a, 3);
	(void)add_map(inner, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	(void)add_turn(inner, s->map, turn_of(a, 0), turn_of(a, 1), 1,
		       &plus[1], NULL);
	(void)add_turn(inner, s->map, turn_of(f, 1), buffer_argument(s->g), 1,
		       &plus[2], NULL);
	plait_graph_release(inner);
	plait_graph_release(body);
	s->plan = freeze_on(graph, 2);
}

static void check_around_run(struct around *s, bool whole)
{
	uint32_t a[3] = { 10, 20, 30 };

	s->left = 3;
	for (uint32_t i = 0; i < 3; i++)
		write_words(s->a[i], a[i]);
	write_words(s->f[0], 50);
	write_words(s->g, 0);
	begin_counting();
	OK_THAT(call_with(s->plan, 0) == PLAIT_OK, "call: %s",
		rig.error.text);
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < 4; i++)
			a[(i + 1) % 3] = a[i % 3] + 2;
	for (uint32_t i = 0; i < 3; i++)
		IS_UINT(read_words(s->a[i]), a[i]);
	IS_UINT(read_words(s->g), 53);
	if (whole)
		IS_UINT(begun_segments, 3);
}

static uint32_t check_around(const char *wrap, const char *fault, bool whole)
{
	uint32_t one_by_one = 0;
	struct around s;

	for (uint32_t seed = 1; seed <= 6; seed++) {
		if (!open_counting(seed, wrap, fault))
			return 0;
		s.map = map_kernel();
		s.n = words_on(rig.device);
		s.g = words_on(rig.device);
		for (uint32_t i = 0; i < 3; i++)
			s.a[i] = words_on(rig.device);
		s.f[0] = words_on(rig.device);
		s.f[1] = words_on(rig.device);
		make_around(&s);
		for (uint32_t i = 0; i < 3; i++) {
			check_around_run(&s, whole);
			one_by_one += begun_segments > 0 && begun_others > 3;
		}
		plait_plan_release(s.plan);
		for (uint32_t i = 0; i < 3; i++)
			plait_buffer_release(s.a[i]);
		plait_buffer_release(s.f[0]);
		plait_buffer_release(s.f[1]);
		plait_buffer_release(s.g);
		plait_buffer_release(s.n);
		plait_kernel_release(s.map);
		close_place();
	}
	return one_by_one;
}

/* Refused in the middle of a run: its commands are walked. */
static void around(void)
{
	uint32_t one_by_one = 0;
	char fault[100];

	(void)check_around("check", "", true);
	for (uint32_t i = 1; i < 8; i++) {
		(void)snprintf(fault, sizeof(fault), ",patches=0;fault:"
			       "slot=segment_create,fail=%u,"
			       "status=unsupported", i);
		one_by_one += check_around("check,fault", fault, false);
	}
	OK(one_by_one > 0);
}

static const struct tap_scenario all[] = {
	{ "decided", decided },
	{ "refused", refused },
	{ "unpatched", unpatched },
	{ "exchanged", exchanged },
	{ "around", around },
};
TAP_MAIN(all)
