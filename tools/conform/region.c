/* SPDX-License-Identifier: MIT */
/*
 * Group R: loops and branches that a device decides, in segments.  Each check also
 * runs with the host deciding, as for a device that refuses them.
 */
#include "region.h"

/* ---- R1, R2: iteration counts ---- */

/* loop n { n -= 1; x += 1 } */
static void check_times(struct conform *c, uint32_t kind, const char *what)
{
	static const uint32_t times[] = { 0, 1, 2, 7 };
	bool is_do = kind == PLAIT_NODE_DO;
	plait_graph *body;
	struct loop l;
	plait_plan *plan;

	begin(&l, c);
	(void)add_region(&l, l.graph, kind, l.n, 0, NULL, &body);
	(void)add_put(&l, body, l.n, 1, UINT32_MAX, NULL);
	(void)add_put(&l, body, l.x, 1, 1, NULL);
	plait_graph_release(body);
	plan = freeze(&l, 1);
	for (size_t i = is_do; i < CONFORM_COUNT(times); i++) {
		put(&l, l.n, times[i]);
		put(&l, l.x, 100);
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, what, times[i], l.x, 100 + times[i]);
	}
	plait_plan_release(plan);
}

static void while_once(struct conform *c)
{
	check_times(c, PLAIT_NODE_WHILE, "while");
}

static void tests_first(struct conform *c)
{
	both(c, while_once);
}

/* do { x += 1 } while n, where n is 0 */
static void do_once(struct conform *c)
{
	plait_graph *body;
	struct loop l;
	plait_plan *plan;

	check_times(c, PLAIT_NODE_DO, "do");
	begin(&l, c);
	(void)add_region(&l, l.graph, PLAIT_NODE_DO, l.n, 0, NULL, &body);
	(void)add_put(&l, body, l.x, 1, 1, NULL);
	plait_graph_release(body);
	plan = freeze(&l, 1);
	put(&l, l.n, 0);
	put(&l, l.x, 5);
	for (uint32_t i = 1; i < 4; i++) {
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, "do", 0, l.x, 5 + i);
	}
	plait_plan_release(plan);
}

static void tests_last(struct conform *c)
{
	both(c, do_once);
}

/* ---- R3: branches ---- */

/* case n { x += 1 } { x += 10; x += 10 } { x += 100 } */
static void case_once(struct conform *c)
{
	static const uint32_t words[] = { 0, 1, 2, 3, 4, 1000, UINT32_MAX };
	static const uint32_t adds[] = { 1, 20, 100, 0, 0, 0, 0 };
	plait_graph *body;
	plait_node node, first;
	struct loop l;
	plait_plan *plan;

	begin(&l, c);
	node = add_region(&l, l.graph, PLAIT_NODE_CASE, l.n, 3, NULL, &body);
	(void)add_put(&l, body, l.x, 1, 1, NULL);
	plait_graph_release(body);
	NEED(plait_graph_body(l.graph, node, 1, &body, ERR));
	first = add_put(&l, body, l.x, 1, 10, NULL);
	(void)add_put(&l, body, l.x, 1, 10, &first);
	plait_graph_release(body);
	NEED(plait_graph_body(l.graph, node, 2, &body, ERR));
	(void)add_put(&l, body, l.x, 1, 100, NULL);
	plait_graph_release(body);
	(void)add_copy(&l, l.graph, l.y, l.x, &node);
	plan = freeze(&l, 1);
	for (size_t i = 0; i < CONFORM_COUNT(words); i++) {
		put(&l, l.n, words[i]);
		put(&l, l.x, 7);
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, "case", words[i], l.x, 7 + adds[i]);
		look(&l, "behind the case", words[i], l.y, 7 + adds[i]);
	}
	plait_plan_release(plan);
}

static void takes_one_branch(struct conform *c)
{
	both(c, case_once);
}

/* ---- R4: when the word is read ---- */

/*
 * n = z; while n { x = 2 x; y = x; n = n / 2 }; z = y: the word is written late,
 * and is not a count.
 */
static void order_once(struct conform *c)
{
	for (uint32_t lanes = 1; lanes <= 3; lanes++) {
		plait_graph *body;
		plait_node node;
		struct loop l;
		plait_plan *plan;

		begin(&l, c);
		node = add_put(&l, l.graph, l.z, 1, 0, NULL);
		node = add_copy(&l, l.graph, l.n, l.z, &node);
		node = add_region(&l, l.graph, PLAIT_NODE_WHILE, l.n, 0, &node,
				  &body);
		(void)add_copy(&l, l.graph, l.z, l.y, &node);
		node = add_put(&l, body, l.x, 2, 0, NULL);
		node = add_copy(&l, body, l.y, l.x, &node);
		(void)add_put(&l, body, l.n, 0, 0, &node);
		plait_graph_release(body);
		plan = freeze(&l, lanes);
		for (uint32_t times = 1; times < 12; times += 5) {
			put(&l, l.n, 77);
			put(&l, l.z, (1u << times) - 1);
			put(&l, l.x, 3);
			NEED(plait_plan_call(plan, NULL, NULL, ERR));
			look(&l, "halves", times, l.x, 3u << times);
			look(&l, "behind them", times, l.z, 3u << times);
		}
		plait_plan_release(plan);
	}
}

/* while n { n -= 1; x += 1 }, many iterations */
static void long_once(struct conform *c)
{
	enum { TIMES = 300 };
	plait_graph *body;
	struct loop l;
	plait_plan *plan;

	begin(&l, c);
	(void)add_region(&l, l.graph, PLAIT_NODE_WHILE, l.n, 0, NULL, &body);
	(void)add_put(&l, body, l.x, 1, 1, NULL);
	(void)add_put(&l, body, l.n, 1, UINT32_MAX, NULL);
	plait_graph_release(body);
	plan = freeze(&l, 2);
	put(&l, l.n, TIMES);
	put(&l, l.x, 0);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	look(&l, "many times", TIMES, l.x, TIMES);
	plait_plan_release(plan);
}

static void reads_in_place(struct conform *c)
{
	both(c, order_once);
	both(c, long_once);
}

/* ---- R5: nesting ---- */

/* while n { n -= 1; z = 2; do { z -= 1; x += 1 } while z;
 *           case n { y += 1 } { y += 10 } } */
static void nested_once(struct conform *c)
{
	plait_graph *body, *inner;
	plait_node node, down;
	struct loop l;
	plait_plan *plan;

	begin(&l, c);
	(void)add_region(&l, l.graph, PLAIT_NODE_WHILE, l.n, 0, NULL, &body);
	down = add_put(&l, body, l.n, 1, UINT32_MAX, NULL);
	node = add(&l, body, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .target = l.z, .bytes = BYTES,
		.pattern = 2, .pattern_bytes = 4, .label = "fill" }, NULL);
	(void)add_region(&l, body, PLAIT_NODE_DO, l.z, 0, &node, &inner);
	(void)add_put(&l, inner, l.z, 1, UINT32_MAX, NULL);
	(void)add_put(&l, inner, l.x, 1, 1, NULL);
	plait_graph_release(inner);
	node = add_region(&l, body, PLAIT_NODE_CASE, l.n, 2, &down, &inner);
	(void)add_put(&l, inner, l.y, 1, 1, NULL);
	plait_graph_release(inner);
	NEED(plait_graph_body(body, node, 1, &inner, ERR));
	(void)add_put(&l, inner, l.y, 1, 10, NULL);
	plait_graph_release(inner);
	plait_graph_release(body);
	plan = freeze(&l, 2);
	for (uint32_t times = 0; times < 5; times++) {
		put(&l, l.n, times);
		put(&l, l.x, 0);
		put(&l, l.y, 0);
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, "a loop in a loop", times, l.x, 2 * times);
		look(&l, "a case in a loop", times, l.y,
		     (times > 0) + (times > 1) * 10);
	}
	plait_plan_release(plan);
}

static void nests(struct conform *c)
{
	both(c, nested_once);
}

/* ---- R6: parameters ---- */

static plait_status tell(struct conform *c, plait_plan *plan, uint32_t value)
{
	const plait_binding binding = { .size = sizeof(binding),
					.value = &value, .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(plan, NULL, &desc, ERR);
}

/* while n { n -= 1; x += b } */
static void told_once(struct conform *c)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { WORDS, 0, 0 } };
	const uint64_t words = WORDS;
	const uint32_t one = 1;
	plait_argument arguments[5];
	plait_graph *body;
	struct loop l;
	plait_plan *plan;

	begin(&l, c);
	arguments[0] = arguments[2] = conform_value(&one, 4);
	arguments[1] = (plait_argument){ .size = sizeof(arguments[1]),
					 .kind = PLAIT_ARGUMENT_PARAMETER,
					 .name = "b" };
	arguments[3] = conform_memory(l.x, 0);
	arguments[4] = conform_value(&words, 8);
	(void)add_region(&l, l.graph, PLAIT_NODE_WHILE, l.n, 0, NULL, &body);
	(void)add_put(&l, body, l.n, 1, UINT32_MAX, NULL);
	(void)add(&l, body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = l.put, .launch = &launch,
		.arguments = arguments, .argument_count = 5,
		.label = "told" }, NULL);
	plait_graph_release(body);
	plan = freeze(&l, 1);
	put(&l, l.x, 0);
	for (uint32_t i = 1, sum = 0; i < 5; i++) {
		put(&l, l.n, 3);
		NEED(tell(c, plan, i / 2 * 10));
		sum += 3 * (i / 2 * 10);
		look(&l, "a parameter in a body", i, l.x, sum);
	}
	plait_plan_release(plan);
}

static void takes_changes_inside(struct conform *c)
{
	both(c, told_once);
}

/* ---- R7, R8: cancellation and failure ---- */

/* Make the plan: the call, then while n { x += 1; x += 1; n = y } */
static plait_plan *new_endless(struct loop *l, struct conform *c,
			       plait_host_function function, void *user_data)
{
	plait_graph *body;
	plait_node node;

	begin(l, c);
	node = add(l, l->graph, (plait_node_desc){
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.device = c->device, .function = function,
		.user_data = user_data, .label = "begun" }, NULL);
	(void)add_region(l, l->graph, PLAIT_NODE_WHILE, l->n, 0, &node, &body);
	node = add_put(l, body, l->x, 1, 1, NULL);
	(void)add_put(l, body, l->x, 1, 1, &node);
	(void)add_copy(l, body, l->n, l->y, NULL);
	plait_graph_release(body);
	return freeze(l, 1);
}

/* Set the number of iterations: one, or unbounded. */
static void wind(struct loop *l, uint32_t x, uint32_t goes_on)
{
	put(l, l->n, 1);
	put(l, l->y, goes_on);
	put(l, l->x, x);
}

static void stop_one(struct loop *l, plait_plan *plan, atomic_bool *begun,
		     uint32_t round)
{
	struct conform *c = l->c;
	plait_run *run = NULL;

	atomic_store(begun, false);
	wind(l, 0, 1);
	NEED(plait_plan_run(plan, l->queue, NULL, &run, ERR));
	HOLDS(conform_until(begun));
	pass_time(round);
	NEED(plait_run_cancel(run, ERR));
	GIVES(plait_run_wait(run, PLAIT_FOREVER, ERR), PLAIT_E_CANCELLED);
	plait_run_release(run);
	(void)plait_queue_finish(l->queue, PLAIT_FOREVER, ERR);
	HOLDS_THAT(get(l, l->x) % 2 == 0, "an iteration is stopped inside");
	/* Run again, with an end. */
	wind(l, 8, 0);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	look(l, "after it was stopped", round, l->x, 10);
}

static void stops(struct conform *c)
{
	atomic_bool begun;
	struct loop l;
	plait_plan *plan;

	if ((c->info.capabilities & PLAIT_DEVICE_HOST_CALL) == 0)
		conform_skip(c, "it calls no host functions");
	plan = new_endless(&l, c, set_flag, &begun);
	for (uint32_t round = 0; round < ROUNDS; round++)
		stop_one(&l, plan, &begun, round);
	plait_plan_release(plan);
}

static void stops_behind_failure(struct conform *c)
{
	int32_t answer = 9;
	struct loop l;
	plait_plan *plan;

	if ((c->info.capabilities & PLAIT_DEVICE_HOST_CALL) == 0)
		conform_skip(c, "it calls no host functions");
	plan = new_endless(&l, c, conform_return_value, &answer);
	for (uint32_t round = 0; round < 3; round++) {
		answer = 9;
		wind(&l, 6, 0);
		GIVES(plait_plan_call(plan, NULL, NULL, ERR), PLAIT_E_FAILED);
		SAYS(9, "begun");
		look(&l, "behind a failure", round, l.x, 6);
		answer = 0;
		wind(&l, 6, 0);
		NEED(plait_plan_call(plan, NULL, NULL, ERR));
		look(&l, "and afterwards", round, l.x, 8);
	}
	plait_plan_release(plan);
}

/* ---- R11: bodies that take turns ---- */

/* next = 2 next + 1, where next is the buffer that the copy has written. */
static void add_turn(struct loop *l, plait_graph *body, uint64_t turn,
		     plait_node after)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { WORDS, 0, 0 } };
	static const uint64_t words = WORDS;
	static const uint32_t one = 1, two = 2;
	const plait_argument arguments[] = {
		conform_value(&two, 4), conform_value(&one, 4),
		conform_value(&one, 4), PLAIT_ROTATION(turn, 1),
		conform_value(&words, 8),
	};

	(void)add(l, body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = l->put,
		.launch = &launch, .arguments = arguments,
		.argument_count = CONFORM_COUNT(arguments), .label = "turn" },
		&after);
}

static void check_turns(struct loop *l, plait_plan *plan, uint32_t times)
{
	plait_buffer *const turns[] = { l->x, l->y, l->z };
	struct conform *c = l->c;
	uint32_t values[3] = { 5, 1000, 2000 };

	for (uint32_t i = 0; i < 3; i++)
		put(l, turns[i], values[i]);
	put(l, l->n, times);
	NEED(plait_plan_call(plan, NULL, NULL, ERR));
	for (uint32_t i = 0; i < times; i++)
		values[(i + 1) % 3] = 2 * values[i % 3] + 1;
	for (uint32_t i = 0; i < 3; i++)
		look(l, "a buffer that takes turns", times, turns[i],
		     values[i]);
}

/* while n, or do ... while n: { n -= 1; next = 2 now + 1 }, over x, y, z */
static void turns_once(struct conform *c)
{
	for (uint32_t is_do = 0; is_do < 2; is_do++) {
		plait_node_desc copy = { .kind = PLAIT_NODE_COPY,
					 .bytes = BYTES, .target_ahead = 1,
					 .label = "copy" };
		plait_graph *body;
		struct loop l;
		plait_plan *plan;

		begin(&l, c);
		(void)add_region(&l, l.graph, is_do ? PLAIT_NODE_DO :
				 PLAIT_NODE_WHILE, l.n, 0, NULL, &body);
		(void)add_put(&l, body, l.n, 1, UINT32_MAX, NULL);
		NEED(plait_graph_add_rotation(
			body, (plait_buffer *[]){ l.x, l.y, l.z }, 3, 0,
			&copy.target_rotation, ERR));
		copy.source_rotation = copy.target_rotation;
		add_turn(&l, body, copy.target_rotation,
			 add(&l, body, copy, NULL));
		plait_graph_release(body);
		plan = freeze(&l, 2);
		for (uint32_t times = is_do; times < 8; times++)
			check_turns(&l, plan, times);
		plait_plan_release(plan);
	}
}

static void takes_turns(struct conform *c)
{
	both(c, turns_once);
}

static const struct conform_check checks[] = {
	{ "R1", "a while tests first, and runs as often as its word says",
	  DECIDED, tests_first },
	{ "R2", "a do tests behind its body", DECIDED, tests_last },
	{ "R3", "a case runs one branch, or none", DECIDED,
	  takes_one_branch },
	{ "R4", "the word is read behind all that is in front, each time",
	  DECIDED, reads_in_place },
	{ "R5", "loops and branches in loops", DECIDED, nests },
	{ "R6", "what changes inside is changed", DECIDED,
	  takes_changes_inside },
	{ "R7", "a loop without end ends when its run is cancelled, and runs "
	  "again", DECIDED | NEED_REAL_TIME, stops },
	{ "R8", "no loop runs behind a failure, and later ones do", DECIDED,
	  stops_behind_failure },
	{ "R11", "an if runs its body once, or not", DECIDED, takes_turns },
};

CONFORM_GROUP(conform_regions, "regions");
