/* SPDX-License-Identifier: MIT */
/*
 * Loops and branches on the host: which command runs how often and in which
 * order, on one lane and on several, nested, several at once, cancelled,
 * failing; each with no and with several workers, and both ways to run.
 */
#include "lib/runs.h"

/* True `left` more times. */
struct countdown {
	int32_t start;
	int32_t left;
};

static int32_t count_down(void *user_data)
{
	struct countdown *countdown = user_data;

	if (countdown->left > 0)
		return countdown->left--;
	countdown->left = countdown->start;
	return 0;
}

static plait_node add_loop(plait_graph *graph, uint32_t kind,
			   struct countdown *countdown,
			   const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = kind, .label = "loop", .flags = PLAIT_CALL_ANY_THREAD,
		.function = count_down, .user_data = countdown,
	};
	const plait_node_desc repeat = {
		.kind = kind, .label = "loop",
		.times = (uint64_t)countdown->start,
	};

	if (kind == PLAIT_NODE_REPEAT)
		return add_node(graph, repeat, after, count);
	countdown->left = countdown->start;
	return add_node(graph, desc, after, count);
}

/* ---- counting ---- */

/*
 * before -> loop { a -> (b, c) -> d } -> behind, where the four of the body are
 * on two lanes: b and c see the effect of a in this iteration, d of both.
 */
struct wide_body {
	struct countdown countdown;
	uint64_t before, a, b, c, d, behind;
	uint64_t wrong;
};

static int32_t run_a(void *user_data)
{
	struct wide_body *body = user_data;

	body->wrong += body->before != 1 || body->d != body->a;
	body->a++;
	return 0;
}

static int32_t run_b(void *user_data)
{
	struct wide_body *body = user_data;

	body->b++;
	body->wrong += body->b != body->a;
	return 0;
}

static int32_t run_c(void *user_data)
{
	struct wide_body *body = user_data;

	body->c++;
	return body->c != body->a;
}

static int32_t run_d(void *user_data)
{
	struct wide_body *body = user_data;

	body->d++;
	body->wrong += body->d != body->b || body->d != body->c;
	return 0;
}

static int32_t run_behind(void *user_data)
{
	struct wide_body *body = user_data;

	body->behind++;
	return body->a != body->d;
}

static plait_plan *plan_wide_body(struct wide_body *state, uint32_t kind)
{
	plait_graph *graph = new_graph();
	plait_graph *body;
	plait_node n[4];
	plait_plan *plan;

	n[0] = add_call(graph, "before", bump, &state->before, NULL, 0);
	n[1] = add_loop(graph, kind, &state->countdown, n, 1);
	(void)add_call(graph, "behind", run_behind, state, &n[1], 1);
	body = body_of(graph, n[1], 0);
	n[0] = add_call(body, "a", run_a, state, NULL, 0);
	n[1] = add_call(body, "b", run_b, state, n, 1);
	n[2] = add_call(body, "c", run_c, state, n, 1);
	(void)add_call(body, "d", run_d, state, &n[1], 2);
	plan = freeze(graph, 3, 2);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

static void check_wide(uint32_t kind, uint32_t flags, int32_t times,
		       uint64_t expected)
{
	struct wide_body state = { .countdown = { .start = times } };
	plait_plan *plan = plan_wide_body(&state, kind);
	bool good = true;

	for (int i = 0; i < 10; i++) {
		state.before = state.a = state.b = state.c = state.d = 0;
		good = good &&
		       (i % 2 ? run_with : call_with)(plan, flags) ==
			       PLAIT_OK &&
		       state.a == expected && state.d == expected;
	}
	OK_THAT(good, "kind %u, flags %u, %d times: %s; a %u", kind, flags,
		times, rig.error.text, (unsigned)state.a);
	IS_UINT(state.wrong, 0);
	IS_UINT(state.behind, 10);
	plait_plan_release(plan);
}

static void check_whiles(uint32_t flags)
{
	check_wide(PLAIT_NODE_WHILE, flags, 0, 0);
	check_wide(PLAIT_NODE_WHILE, flags, 1, 1);
	check_wide(PLAIT_NODE_WHILE, flags, 100, 100);
	check_wide(PLAIT_NODE_REPEAT, flags, 0, 0);
	check_wide(PLAIT_NODE_REPEAT, flags, 1, 1);
	check_wide(PLAIT_NODE_REPEAT, flags, 100, 100);
}

static void check_dos(uint32_t flags)
{
	check_wide(PLAIT_NODE_DO, flags, 0, 1);
	check_wide(PLAIT_NODE_DO, flags, 99, 100);
}

static void whiles(void)
{
	everywhere(check_whiles);
}

static void dos(void)
{
	everywhere(check_dos);
}

/* ---- branches ---- */

static int32_t give_number(void *user_data)
{
	return *(int32_t *)user_data;
}

static void check_cases(uint32_t flags)
{
	uint64_t ran[3][2] = { { 0 } };
	uint64_t behind = 0;
	int32_t number = 0;
	plait_node_desc desc = {
		.kind = PLAIT_NODE_CASE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = give_number, .user_data = &number,
		.branch_count = 3, .label = "case",
	};
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, desc, NULL, 0);
	plait_plan *plan;

	/* Two nodes each, so that branches have lanes that others have not. */
	for (uint64_t b = 0; b < 3; b++) {
		plait_graph *body = body_of(graph, node, b);

		for (uint64_t i = 0; i <= (b > 0); i++)
			(void)add_call(body, "in", bump, &ran[b][i], NULL, 0);
		plait_graph_release(body);
	}
	(void)add_call(graph, "behind", bump, &behind, &node, 1);
	plan = freeze(graph, 2, 2);
	for (number = 0; number < 5; number++)
		IS_INT(call_with(plan, flags), PLAIT_OK);
	number = INT32_MAX;
	IS_INT(call_with(plan, flags), PLAIT_OK);
	number = 2;
	IS_INT(run_with(plan, flags), PLAIT_OK);
	IS_UINT(ran[0][0], 1);
	IS_UINT(ran[1][0] + ran[1][1], 2);
	IS_UINT(ran[2][0] + ran[2][1], 4);
	IS_UINT(behind, 7);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void cases(void)
{
	everywhere(check_cases);
}

/* ---- nesting, and several at once ---- */

/* Two loops in parallel, each with a loop inside, and a chain parallel to them:
 * two control nodes that are suspended at once, twice. */
static void check_nests(uint32_t flags)
{
	struct countdown outer[2] = { { 5, 5 }, { 7, 7 } };
	struct countdown inner[2] = { { 3, 3 }, { 4, 4 } };
	uint64_t counts[2] = { 0, 0 }, beside = 0, end = 0;
	plait_graph *graph = new_graph();
	plait_node loops[3];
	plait_plan *plan;
	plait_run_info info = { .size = sizeof(info) };
	plait_run *run = NULL;

	for (int i = 0; i < 2; i++) {
		plait_graph *body, *deep;
		plait_node node;

		loops[i] = add_loop(graph, PLAIT_NODE_WHILE, &outer[i], NULL,
				    0);
		body = body_of(graph, loops[i], 0);
		node = add_call(body, "first", bump, &counts[i], NULL, 0);
		node = add_loop(body, PLAIT_NODE_DO, &inner[i], &node, 1);
		deep = body_of(body, node, 0);
		(void)add_call(deep, "deep", bump, &counts[i], NULL, 0);
		plait_graph_release(deep);
		plait_graph_release(body);
	}
	loops[2] = add_call(graph, "beside", bump, &beside, NULL, 0);
	(void)add_call(graph, "end", bump, &end, loops, 3);
	plan = freeze(graph, 3, 2);
	for (int i = 0; i < 4; i++)
		IS_INT((i % 2 ? run_with : call_with)(plan, flags), PLAIT_OK);
	/* Each outer iteration: one, and four or five of the inner loop. */
	IS_UINT(counts[0], 4 * 5 * (1 + 4));
	IS_UINT(counts[1], 4 * 7 * (1 + 5));
	IS_UINT(beside, 4);
	IS_UINT(end, 4);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.iterations, 5 + 7 + 5 * 4 + 7 * 5);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void nests(void)
{
	everywhere(check_nests);
}

/* ---- rotations, and the number of the iteration ---- */

static int32_t add_number(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const uint64_t *from = *(const uint64_t **)arguments[0];
	uint64_t *to = *(uint64_t **)arguments[1];
	uint64_t number = *(const uint64_t *)arguments[2];

	(void)launch;
	(void)user_data;
	/* A polynomial of all numbers so far, so that each one counts. */
	*to = *from * 3 + number + 1;
	return 0;
}

static int32_t take_result(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)launch;
	*(uint64_t *)user_data = **(const uint64_t **)arguments[0];
	return 0;
}

static plait_kernel *make_kernel(const char *signature,
				 plait_kernel_function function,
				 void *user_data)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = signature,
		.function = function, .user_data = user_data,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "kernel: %s",
		rig.error.text);
	return kernel;
}

/* x[i + 1] = 3 x[i] + i + 1, from x[0] = 1 in the first buffer. */
static uint64_t polynomial(int32_t times)
{
	uint64_t x = 1;

	for (int32_t i = 0; i < times; i++)
		x = 3 * x + (uint64_t)i + 1;
	return x;
}

static void check_rotation(uint32_t flags, int32_t times, bool prologue)
{
	struct countdown countdown = { times, times };
	uint64_t result = 0, turn = 0;
	const uint64_t one = 1;
	plait_buffer *buffers[4];
	plait_kernel *step = make_kernel(
		"step(from: in pointer u64, to: out pointer u64, n: u64)",
		add_number, NULL);
	plait_kernel *end = make_kernel("end(from: in pointer u64)",
					take_result, &result);
	plait_argument arguments[3] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ROTATION, .ahead = 1 },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_ITERATION },
	};
	plait_node_desc desc = { .kind = PLAIT_NODE_LAUNCH, .kernel = step,
				 .arguments = arguments, .argument_count = 3 };
	plait_graph *graph = new_graph();
	plait_graph *body;
	plait_node loop;
	plait_plan *plan;

	for (int i = 0; i < 4; i++)
		buffers[i] = make_buffer(&rig, 8, "turn");
	OK(plait_queue_write(rig.queue, buffers[0], 0, &one, 8, &rig.error) ==
	   PLAIT_OK);
	loop = add_loop(graph, PLAIT_NODE_WHILE, &countdown, NULL, 0);
	body = body_of(graph, loop, 0);
	OK_THAT(plait_graph_add_rotation(body, buffers, 4,
				   prologue ? PLAIT_ROTATION_PROLOGUE : 0,
				   &turn, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	arguments[0].rotation = arguments[1].rotation = turn;
	(void)add_node(body, desc, NULL, 0);
	desc.kernel = end;
	desc.argument_count = 1;
	(void)add_node(graph, desc, &loop, 1);
	plan = freeze(graph, 2, 2);
	/* Without a prologue the first buffer is overwritten in the end. */
	IS_INT(call_with(plan, flags), PLAIT_OK);
	OK_THAT(result == polynomial(times), "flags %u, %d times%s: %llu",
		flags, times, prologue ? ", prologue" : "",
		(unsigned long long)result);
	if (prologue) {
		IS_INT(run_with(plan, flags), PLAIT_OK);
		OK(result == polynomial(times));
	}
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
	for (int i = 0; i < 4; i++)
		plait_buffer_release(buffers[i]);
	plait_kernel_release(step);
	plait_kernel_release(end);
}

static void check_rotations(uint32_t flags)
{
	static const int32_t times[] = { 0, 1, 2, 3, 4, 5, 17 };

	for (uint32_t i = 0; i < TAP_COUNT(times); i++) {
		check_rotation(flags, times[i], false);
		check_rotation(flags, times[i], true);
	}
}

static void rotations(void)
{
	everywhere(check_rotations);
}

/* ---- a word decides ---- */

static int32_t lower(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	(void)launch;
	(void)user_data;
	--**(uint32_t **)arguments[0];
	return 0;
}

static void check_word(uint32_t flags)
{
	plait_kernel *kernel = make_kernel("lower(x: inout pointer u32)",
					   lower, NULL);
	plait_buffer *word = make_buffer(&rig, 16, "word");
	const plait_argument argument = {
		.size = sizeof(argument), .kind = PLAIT_ARGUMENT_BUFFER,
		.buffer = word, .offset_bytes = 4,
	};
	const plait_node_desc loop = { .kind = PLAIT_NODE_WHILE,
				       .predicate = word,
				       .predicate_offset = 4 };
	const plait_node_desc launch = { .kind = PLAIT_NODE_LAUNCH,
					 .kernel = kernel,
					 .arguments = &argument,
					 .argument_count = 1 };
	const plait_node_desc set = { .kind = PLAIT_NODE_FILL, .target = word,
				      .target_offset = 4, .bytes = 4,
				      .pattern = 25, .pattern_bytes = 4 };
	plait_graph *graph = new_graph();
	plait_node node = add_node(graph, set, NULL, 0);
	plait_run_info info = { .size = sizeof(info) };
	plait_run *run = NULL;
	plait_graph *body;
	plait_plan *plan;

	node = add_node(graph, loop, &node, 1);
	body = body_of(graph, node, 0);
	(void)add_node(body, launch, NULL, 0);
	plan = freeze(graph, 1, 2);
	IS_INT(call_with(plan, flags), PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.iterations, 25);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(word);
	plait_kernel_release(kernel);
}

static void words(void)
{
	everywhere(check_word);
}

static const struct tap_scenario all[] = {
	{ "while", whiles },
	{ "do", dos },
	{ "case", cases },
	{ "nested and side by side", nests },
	{ "rotation", rotations },
	{ "a word decides", words },
};
TAP_MAIN(all)
