/* SPDX-License-Identifier: MIT */
/*
 * Repeats: counts that are constants, parameters and words; numbers and launch
 * sizes that follow the iteration; rotating buffers.  Counts around the windows
 * that are submitted ahead, and above two of them.
 */
#include "repeats.h"

/* ---- counts ---- */

/*
 *	repeat { x = 3 x + 1 ; y = 5 y + 1 (parallel) ; z = copy of x, behind y }
 *	behind: w = 2 x
 */
struct wide {
	plait_kernel *map;
	plait_buffer *x, *y, *z, *w;
	plait_plan *plan;
};

static void make_wide(struct wide *wide, const struct place *place,
		      const struct counted *counted)
{
	plait_graph *graph = new_graph(), *body;
	plait_node node, both[2];

	wide->map = map_kernel();
	wide->x = words_on(rig.device);
	wide->y = words_on(rig.device);
	wide->z = words_on(rig.device);
	wide->w = words_on(rig.device);
	node = add_fill(graph, wide->x, 1, NULL, 0);
	node = add_fill(graph, wide->y, 2, &node, 1);
	node = add_fill(graph, wide->z, 3, &node, 1);
	node = add_repeat(graph, counted, &node, 1);
	body = body_of(graph, node, 0);
	both[0] = add_map(body, wide->map, wide->x, wide->x, 3, 1, NULL, 0);
	both[1] = add_map(body, wide->map, wide->y, wide->y, 5, 1, NULL, 0);
	(void)add_copy(body, wide->z, wide->x, both, 2);
	plait_graph_release(body);
	(void)add_map(graph, wide->map, wide->x, wide->w, 2, 0, &node, 1);
	wide->plan = freeze_on(graph, place->lanes);
}

static void free_wide(struct wide *wide)
{
	plait_plan_release(wide->plan);
	plait_buffer_release(wide->x);
	plait_buffer_release(wide->y);
	plait_buffer_release(wide->z);
	plait_buffer_release(wide->w);
	plait_kernel_release(wide->map);
}

static void check_wide_run(const struct wide *wide,
			   const struct counted *counted, bool called)
{
	uint32_t x = 1, y = 2, z = 3;

	for (uint64_t i = 0; i < iterations_of(counted); i++) {
		x = 3 * x + 1;
		y = 5 * y + 1;
		z = x;
	}
	OK_THAT(run_counted(wide->plan, counted, called) == PLAIT_OK,
		"how %d, count %u: %s", (int)counted->how,
		(unsigned)counted->count, rig.error.text);
	IS_UINT(read_words(wide->x), x);
	IS_UINT(read_words(wide->y), y);
	IS_UINT(read_words(wide->z), z);
	IS_UINT(read_words(wide->w), 2 * x);
}

static void check_count(const struct place *place, enum how how,
			uint64_t count, uint64_t step)
{
	struct counted counted = { .how = how, .count = count, .step = step };
	struct wide wide;

	counted.word = words_on(rig.device);
	make_wide(&wide, place, &counted);
	check_wide_run(&wide, &counted, true);
	check_wide_run(&wide, &counted, false);
	if (how != CONSTANT) {
		counted.count = count / 2;
		check_wide_run(&wide, &counted, true);
	}
	free_wide(&wide);
	plait_buffer_release(counted.word);
}

static void check_counts(const struct place *place)
{
	for (enum how how = CONSTANT; how < HOWS; how++) {
		check_count(place, how, 0, 0);
		check_count(place, how, 1, 0);
		check_count(place, how, 7, 2);
	}
	check_count(place, CONSTANT, 200, 0);
	check_count(place, PARAMETER, 500, 3);
}

static void counts(void)
{
	each_place(SEEDS, check_counts);
}

/* ---- numbers ---- */

static void check_numbers_of(const struct place *place, enum how how,
			     uint64_t count, uint64_t step)
{
	struct counted counted = { .how = how, .count = count, .step = step };
	plait_kernel *map = map_kernel();
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node, last = 0;
	plait_plan *plan;

	counted.word = words_on(rig.device);
	node = add_repeat(graph, &counted, NULL, 0);
	body = body_of(graph, node, 0);
	for (size_t i = 0; i < TAP_COUNT(some_series); i++)
		add_number(body, map, x, &some_series[i], &last);
	add_number(body, map, x, NULL, &last);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (int run = 0; run < 3; run++) {
		uint32_t expected = 9;

		for (uint64_t i = 0; i < iterations_of(&counted); i++) {
			for (size_t k = 0; k < TAP_COUNT(some_series); k++)
				expected = 3 * expected +
					   (uint32_t)number_at(&some_series[k],
							       i,
							       counted.count);
			expected = 3 * expected + (uint32_t)i;
		}
		write_words(x, 9);
		OK_THAT(run_counted(plan, &counted, run != 1) == PLAIT_OK,
			"numbers: %s", rig.error.text);
		IS_UINT(read_words(x), expected);
		counted.count += how != CONSTANT;
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_buffer_release(counted.word);
	plait_kernel_release(map);
}

static void check_numbers(const struct place *place)
{
	for (enum how how = CONSTANT; how < HOWS; how++)
		check_numbers_of(place, how, 10, 3);
	check_numbers_of(place, CONSTANT, 150, 0);
}

static void numbers(void)
{
	each_place(SEEDS, check_numbers);
}

/* More iterations than are in flight at once: the queue has room for those, and
 * launches are bound anew. */
static void check_long(const struct place *place)
{
	const struct counted counted = { .how = PARAMETER, .count = 2600 };
	plait_kernel *map = map_kernel();
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0), last = 0;
	uint32_t expected = 1;
	plait_plan *plan;

	body = body_of(graph, node, 0);
	add_number(body, map, x, NULL, &last);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (uint32_t i = 0; i < counted.count; i++)
		expected = 3 * expected + i;
	for (int run = 0; run < 2; run++) {
		write_words(x, 1);
		OK_THAT(run_counted(plan, &counted, run) == PLAIT_OK,
			"long: %s", rig.error.text);
		IS_UINT(read_words(x), expected);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
}

static void many(void)
{
	each_place(SEEDS / 3, check_long);
}

/* ---- sizes ---- */

/* Count what was launched: by item as a function, which the stand-in for OpenCL
 * has too; a kernel from source treats all words, whatever the size. */
#ifdef QUEUED_OPENCL
#define BY_ITEM true
#else
#define BY_ITEM (!builds)
#endif

static int32_t bump_items(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	uint32_t *to = *(uint32_t **)arguments[0];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		to[i]++;
	return 0;
}

static plait_kernel *bump_kernel(void)
{
	return new_kernel("bump_items(to: inout pointer u32)",
			  "KERNEL(bump_items) { EACH(i, 16) to[i]++; }",
			  bump_items);
}

static plait_node add_sized(plait_graph *body, plait_kernel *kernel,
			    plait_buffer *to, const plait_series *series,
			    const plait_node *after, uint64_t count)
{
	const plait_argument argument = buffer_argument(to);
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel, .label = "sized",
		.launch = &launch, .arguments = &argument, .argument_count = 1,
		.series = series, .series_count = 1,
	};

	return add_node(body, desc, after, count);
}

/* Growing from 0, shrinking below 0, and the count of a shorter last block. */
static const plait_series sizes_of[] = {
	{ sizeof(plait_series), 0, 0, 2, WORDS },
	{ sizeof(plait_series), PLAIT_SERIES_FROM_COUNT, -5, -1, WORDS },
	{ sizeof(plait_series), PLAIT_SERIES_FROM_COUNT, 0, -4, 4 },
};

static void check_sizes(const struct place *place)
{
	const struct counted counted = { .how = PARAMETER, .count = 22,
					 .step = place->lanes % 2 ? 4 : 0 };
	plait_kernel *kernel = bump_kernel();
	plait_buffer *to = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0), last = 0;
	uint32_t expected[WORDS] = { 0 }, words[WORDS] = { 0 };
	plait_plan *plan;

	body = body_of(graph, node, 0);
	for (size_t k = 0; k < TAP_COUNT(sizes_of); k++)
		last = add_sized(body, kernel, to, &sizes_of[k], &last,
				 last != 0);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (uint64_t i = 0; i < iterations_of(&counted); i++)
		for (size_t k = 0; k < TAP_COUNT(sizes_of); k++) {
			int64_t items = number_at(&sizes_of[k], i, 22);

			for (int64_t w = 0; w < WORDS; w++)
				expected[w] += BY_ITEM ? w < items : items > 0;
		}
	for (int run = 0; run < 2; run++) {
		write_words(to, 0);
		OK_THAT(run_counted(plan, &counted, run) == PLAIT_OK,
			"sizes: %s", rig.error.text);
		OK(plait_queue_read(rig.queue, to, 0, words, sizeof(words),
				    NULL) == PLAIT_OK &&
		   plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) ==
			   PLAIT_OK);
		OK_THAT(memcmp(words, expected, sizeof(words)) == 0,
			"run %d: word 0 is %u, not %u; word 15 %u, not %u",
			run, words[0], expected[0], words[15], expected[15]);
	}
	plait_plan_release(plan);
	plait_buffer_release(to);
	plait_kernel_release(kernel);
}

static void sizes(void)
{
	each_place(SEEDS, check_sizes);
}

/* ---- rotations ---- */

/* next = this + 1, and behind the loop: out = this + 1 */
static void check_turns(const struct place *place)
{
	struct counted counted = { .how = PARAMETER, .count = 300 };
	plait_kernel *put = put_kernel();
	plait_buffer *turns[4], *out = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	plait_argument arguments[2] = {
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
	};
	plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = put, .launch = &launch,
		.arguments = arguments, .argument_count = 2, .label = "turn",
	};
	plait_plan *plan;
	uint64_t turn = 0;

	for (int i = 0; i < 4; i++)
		turns[i] = words_on(rig.device);
	body = body_of(graph, node, 0);
	OK_THAT(plait_graph_add_rotation(body, turns,
					 place->lanes % 2 ? 3 : 4,
					 place->lanes % 2 ?
					 0 : PLAIT_ROTATION_PROLOGUE,
					 &turn, &rig.error) == PLAIT_OK,
		"rotation: %s", rig.error.text);
	arguments[0].rotation = arguments[1].rotation = turn;
	arguments[1].ahead = 1;
	(void)add_node(body, desc, NULL, 0);
	plait_graph_release(body);
	arguments[1] = buffer_argument(out);
	(void)add_node(graph, desc, &node, 1);
	plan = freeze_on(graph, place->lanes);
	for (counted.count = 0; counted.count < 7; counted.count++) {
		write_words(turns[0], 100);
		OK_THAT(run_counted(plan, &counted, counted.count % 2) ==
			PLAIT_OK, "turns: %s", rig.error.text);
		IS_UINT(read_words(out), 101 + counted.count);
	}
	counted.count = 600;
	write_words(turns[0], 100);
	OK(run_counted(plan, &counted, true) == PLAIT_OK);
	IS_UINT(read_words(out), 101 + counted.count);
	plait_plan_release(plan);
	for (int i = 0; i < 4; i++)
		plait_buffer_release(turns[i]);
	plait_buffer_release(out);
	plait_kernel_release(put);
}

static void turns(void)
{
	each_place(SEEDS, check_turns);
}

/* ---- what a run brings ---- */

/* repeat 700 { v = a v + i; v = a v + 700 - i }, memory `v` and `a` of the run */
static plait_plan *make_brought(const struct place *place, plait_kernel *map)
{
	const struct counted counted = { .how = CONSTANT, .count = 700 };
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	plait_argument arguments[4] = {
		of_kind(PLAIT_ARGUMENT_PARAMETER, "v"),
		of_kind(PLAIT_ARGUMENT_PARAMETER, "v"),
		of_kind(PLAIT_ARGUMENT_PARAMETER, "a"),
		of_kind(PLAIT_ARGUMENT_ITERATION, NULL),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = map, .launch = &launch,
		.arguments = arguments, .argument_count = 4, .label = "brought",
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0);

	body = body_of(graph, node, 0);
	node = add_node(body, desc, NULL, 0);
	arguments[3].series = &some_series[4];
	(void)add_node(body, desc, &node, 1);
	plait_graph_release(body);
	return freeze_on(graph, place->lanes);
}

static void run_brought(plait_plan *plan, plait_buffer *v, uint32_t a)
{
	plait_binding bindings[2] = {
		{ .size = sizeof(*bindings), .buffer = v },
		{ .size = sizeof(*bindings), .value = &a, .bytes = 4 },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 2 };
	uint32_t expected = 1;

	OK(plait_plan_find_parameter(plan, "v", &bindings[0].parameter,
				     &rig.error) == PLAIT_OK);
	OK(plait_plan_find_parameter(plan, "a", &bindings[1].parameter,
				     &rig.error) == PLAIT_OK);
	for (uint32_t i = 0; i < 700; i++)
		expected = a * (a * expected + i) + 700 - i;
	write_words(v, 1);
	OK_THAT(plait_plan_call(plan, NULL, &desc, &rig.error) == PLAIT_OK,
		"brought: %s", rig.error.text);
	IS_UINT(read_words(v), expected);
}

static void check_brought(const struct place *place)
{
	plait_kernel *map = map_kernel();
	plait_buffer *v[2] = { words_on(rig.device), words_on(rig.device) };
	plait_plan *plan = make_brought(place, map);

	for (uint32_t run = 0; run < 4; run++)
		run_brought(plan, v[run % 2], 3 + 2 * (run / 2));
	plait_plan_release(plan);
	plait_buffer_release(v[0]);
	plait_buffer_release(v[1]);
	plait_kernel_release(map);
}

static void brought(void)
{
	each_place(SEEDS / 2, check_brought);
}

/* ---- exchanged kernels ---- */

/* x = 3 x + i three times, 700 times: between launches with numbers the host runs
 * the second kernel, when that is exchanged. */
static void check_exchange(const struct place *place)
{
	const struct counted counted = { .how = CONSTANT, .count = 700 };
	plait_kernel *map = map_kernel(), *second = map_kernel(), *host;
	plait_buffer *x = words_on(rig.device);
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_repeat(graph, &counted, NULL, 0), last = 0;
	uint32_t expected = 1;
	plait_plan *plan;

	builds = false;
	host = map_kernel();
	builds = place->builds;
	body = body_of(graph, node, 0);
	add_number(body, map, x, NULL, &last);
	add_number(body, second, x, NULL, &last);
	add_number(body, map, x, NULL, &last);
	plait_graph_release(body);
	plan = freeze_on(graph, place->lanes);
	for (uint32_t i = 0; i < counted.count; i++)
		expected = 27 * expected + 13 * i;
	for (int run = 0; run < 5; run++) {
		write_words(x, 1);
		OK_THAT(plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK, "run %d: %s", run, rig.error.text);
		IS_UINT(read_words(x), expected);
		OK_THAT(plait_plan_exchange(plan, run % 2 == 0 ? second : host,
					    run % 2 == 0 ? host : second,
					    &rig.error) == PLAIT_OK, "%s",
			rig.error.text);
	}
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_kernel_release(second);
	plait_kernel_release(host);
}

static void exchanged(void)
{
	each_place(SEEDS / 3, check_exchange);
}

static unsigned submissions;

/* The interposer logs the count when the context is closed. */
static void hear_submissions(void *user_data, int32_t level, const char *line)
{
	const char *count = strstr(line, "fault: ");

	if (count != NULL && strstr(line, " calls, ") != NULL)
		(void)sscanf(count, "fault: %u", &submissions);
	hear(user_data, level, line);
}

/* Iterations are submitted one by one while the host runs a kernel of them.  The
 * first refusal ends that. */
static void refused(void)
{
	const struct counted counted = { .how = CONSTANT, .count = 700 };
	struct place place;
	plait_context_desc desc = {
		.size = sizeof(desc), .wrap = "check,fault",
		.options = place.options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.log = hear_submissions, .log_level = PLAIT_LOG_INFO,
		.allocator = &counting,
	};
	plait_graph *graph, *body;
	plait_kernel *map, *host;
	plait_buffer *x;
	plait_plan *plan;
	plait_node last = 0;

	if (ON_QUEUES == 0) {
		SKIP("lanes of the host submit nothing");
		return;
	}
	set_seed(&place, 1);
	desc.backends = place.backends;
	(void)snprintf(place.options, sizeof(place.options),
		       FAULTS("slot=queue_submit,fail=2,status=failed"));
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	broken = submissions = 0;
	if (!OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		     PLAIT_OK, "%s", rig.error.text))
		return;
	OK(plait_context_device(rig.context, 0, &rig.device, NULL) ==
	   PLAIT_OK);
	builds = true;
	map = map_kernel();
	builds = false;
	host = map_kernel();
	x = words_on(rig.device);
	graph = new_graph();
	body = body_of(graph, add_repeat(graph, &counted, NULL, 0), 0);
	add_number(body, map, x, NULL, &last);
	plait_graph_release(body);
	plan = freeze_on(graph, 1);
	OK(plait_plan_exchange(plan, map, host, NULL) == PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error), PLAIT_E_FAILED);
	HAS_STR(rig.error.text, "could not be submitted");
	plait_plan_release(plan);
	plait_buffer_release(x);
	plait_kernel_release(map);
	plait_kernel_release(host);
	close_place();
	OK_THAT(submissions > 1 && submissions < 10, "%u submissions",
		submissions);
}

static const struct tap_scenario all[] = {
	{ "brought", brought },
	{ "exchanged", exchanged },
	{ "refused", refused },
	{ "counts", counts },
	{ "numbers", numbers },
	{ "many", many },
	{ "sizes", sizes },
	{ "turns", turns },
};
TAP_MAIN(all)
