/* SPDX-License-Identifier: MIT */
/*
 * State of loops: rotations, and the number of the iteration.  A plan's proof
 * knows which slots are the same memory and when; a meaningless use is rejected
 * when it is added.
 */
#include <string.h>

#include "graph/plan/plan_object.h"
#include "plan/check/check.h"

#include "loops.h"

/* ---- overlap of slots ---- */

/* Two nodes of one body without an order. */
static const struct pair {
	const char *one, *other;	/* rotations */
	unsigned from[2], to[2];	/* the offset of each node */
	bool meet;
} pairs[] = {
	/* Both read, each writes elsewhere. */
	{ "012", "012", { 0, 0 }, { 1, 2 }, false },
	{ "012", "012", { 0, 0 }, { 1, 1 }, true },
	{ "012", "012", { 0, 1 }, { 1, 2 }, true },
	/* An offset of a whole round is the same buffer. */
	{ "012", "012", { 1, 2 }, { 0, 3 }, true },
	{ "0123", "0123", { 1, 2 }, { 0, 3 }, false },
	{ "01234567", "01234567", { 0, 7 }, { 15, 8 }, true },
	{ "01234567", "01234567", { 1, 2 }, { 0, 11 }, false },
	/* The prologue's buffer, and the others of the rotation. */
	{ "!0123", "!0123", { 1, 1 }, { 2, 3 }, false },
	{ "!0123", "!0123", { 1, 1 }, { 0, 3 }, true },
	{ "!0123", "!0123", { 2, 2 }, { 0, 1 }, false },
	{ "!0123", "!0123", { 1, 1 }, { 2, 5 }, true },
	/* Two rotations with the same buffers. */
	{ "01", "10", { 0, 1 }, { 1, 0 }, true },
	{ "01", "23", { 0, 0 }, { 1, 1 }, false },
	{ "0123", "1230", { 0, 3 }, { 1, 1 }, false },
	{ "0123", "1230", { 0, 3 }, { 1, 0 }, true },
	/* Periods of 2 and 3: some time every buffer meets every other. */
	{ "45", "056", { 0, 0 }, { 1, 1 }, true },
	{ "01", "!0452", { 0, 1 }, { 1, 2 }, false },
};

static void slots_that_overlap(void)
{
	for (size_t i = 0; i < TAP_COUNT(pairs); i++) {
		const struct pair *p = &pairs[i];
		struct loop loop = new_loop();
		uint64_t one = rotate(loop.body, p->one);
		uint64_t other = strcmp(p->one, p->other) == 0 ? one :
				 rotate(loop.body, p->other);
		plait_node first = step(loop.body, turn(one, p->from[0]),
					turn(one, p->to[0]), NULL);
		plait_node second = step(loop.body, turn(other, p->from[1]),
					 turn(other, p->to[1]), NULL);
		const char *found = prove(loop.graph);

		OK_THAT((strstr(found, "no edge orders") != NULL) == p->meet,
			"pair %zu of %s and %s: \"%s\"", i, p->one, p->other,
			found);
		/* With an order all is fine. */
		IS_INT(plait_graph_add_edge(loop.body, first, second, &error),
		       PLAIT_OK);
		IS_STR(prove(loop.graph), "");
		end_loop(&loop);
	}
}

/* A buffer of a rotation that is used by itself as well. */
static void rotations_and_buffers(void)
{
	static const struct {
		const char *rotation;
		unsigned ahead, which;
		bool meet;
	} cases[] = {
		{ "012", 0, 2, true }, { "012", 1, 0, true },
		{ "012", 0, 3, false }, { "!012", 0, 0, true },
		{ "!012", 1, 0, false }, { "!012", 2, 1, true },
	};

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		struct loop loop = new_loop();
		uint64_t rotation = rotate(loop.body, cases[i].rotation);

		(void)step(loop.body, direct(7),
			   turn(rotation, cases[i].ahead), NULL);
		(void)step(loop.body, direct(cases[i].which), direct(8), NULL);
		OK_THAT((strstr(prove(loop.graph), "no edge orders") != NULL) ==
			cases[i].meet, "case %zu: \"%s\"", i, error.text);
		end_loop(&loop);
	}
}

/* A write to one slot does not hide the command that wrote the buffer
 * before. */
static void writes_hide_their_slot_only(void)
{
	struct loop loop = new_loop();
	uint64_t rotation = rotate(loop.body, "012");
	plait_node first = step(loop.body, direct(7), direct(0), NULL);

	(void)step(loop.body, direct(7), turn(rotation, 0), &first);
	(void)step(loop.body, direct(7), turn(rotation, 1), NULL);
	HAS_STR(prove(loop.graph), "no edge orders");
	end_loop(&loop);
}

/* ---- places for a rotation ---- */

static void after_the_loop(void)
{
	struct loop loop = new_loop();
	uint64_t rotation = rotate(loop.body, "01");
	plait_graph *second, *inner;
	plait_node next, use;

	(void)step(loop.body, turn(rotation, 0), turn(rotation, 1), NULL);
	use = step(loop.graph, turn(rotation, 0), direct(5), &loop.node);
	/* In another loop that comes after it, and in a case in there. */
	next = add_loop(loop.graph, PLAIT_NODE_DO, &use, &second);
	(void)step(second, turn(rotation, 0), direct(6), NULL);
	(void)add_loop(second, PLAIT_NODE_CASE, NULL, &inner);
	(void)step(inner, turn(rotation, 0), direct(7), NULL);
	IS_STR(prove(loop.graph), "");
	/* A buffer of it, used in parallel to it. */
	use = step(loop.graph, direct(9), direct(1), &loop.node);
	HAS_STR(prove(loop.graph), "no edge orders");
	IS_INT(plait_graph_add_edge(loop.graph, next, use, &error), PLAIT_OK);
	IS_STR(prove(loop.graph), "");
	plait_graph_release(inner);
	plait_graph_release(second);
	end_loop(&loop);
}

/* The result of a freeze without a proof. */
static const char *freeze(plait_graph *graph)
{
	plait_plan *plan = NULL;
	plait_status status = plait_graph_freeze(graph, NULL, &plan, &error);

	plait_plan_release(plan);
	return status == PLAIT_OK ? "" : error.text;
}

static void before_the_loop(void)
{
	struct loop loop = new_loop();
	uint64_t rotation = rotate(loop.body, "01");
	plait_node use = step(loop.graph, direct(5), turn(rotation, 0), NULL);

	/* In parallel to it, in every schedule; then before it; then after
	 * it. */
	HAS_STR(freeze(loop.graph), "'step' uses a rotation of node 0 'loop', "
		"but does not come after it");
	IS_INT(plait_graph_add_edge(loop.graph, use, loop.node, &error),
	       PLAIT_OK);
	HAS_STR(freeze(loop.graph), "'step' uses a rotation of node 0 'loop', "
		"but does not come after it");
	end_loop(&loop);
	loop = new_loop();
	rotation = rotate(loop.body, "01");
	use = step(loop.graph, direct(5), turn(rotation, 0), NULL);
	IS_INT(plait_graph_add_edge(loop.graph, loop.node, use, &error),
	       PLAIT_OK);
	IS_STR(freeze(loop.graph), "");
	end_loop(&loop);
}

static plait_node add_join(plait_graph *graph, const plait_node *after,
			   uint64_t count)
{
	plait_node_desc desc = { .size = sizeof(desc) };
	plait_node node = 0;

	IS_INT(plait_graph_add(graph, &desc, after, count, &node, &error),
	       PLAIT_OK);
	return node;
}

/* Many parallel loops, each with a user further down; and one user that comes
 * after all loops but its own. */
static void far_from_the_loop(void)
{
	enum { LOOPS = 150 };
	struct loop loop = new_loop();
	uint64_t rotations[LOOPS];
	plait_node loops[LOOPS], gates[LOOPS], all, user;
	plait_graph *bodies[LOOPS], *branch;

	for (int i = 0; i < LOOPS; i++) {
		loops[i] = add_loop(loop.graph, PLAIT_NODE_DO, NULL,
				    &bodies[i]);
		rotations[i] = rotate(bodies[i], "01");
		gates[i] = add_join(loop.graph, &loops[i], 1);
	}
	all = add_join(loop.graph, &gates[1], LOOPS - 1);
	for (int i = 1; i < LOOPS; i++)
		(void)step(loop.graph, turn(rotations[i], 0), direct(5), &all);
	IS_STR(freeze(loop.graph), "");
	/* In a branch: the node that holds it has to come after the loop. */
	user = add_loop(loop.graph, PLAIT_NODE_CASE, &all, &branch);
	(void)step(branch, turn(rotations[0], 0), direct(5), NULL);
	HAS_STR(freeze(loop.graph), "'step' uses a rotation of node 1 'loop'");
	IS_INT(plait_graph_add_edge(loop.graph, gates[0], user, &error),
	       PLAIT_OK);
	IS_STR(freeze(loop.graph), "");
	for (int i = 0; i < LOOPS; i++)
		plait_graph_release(bodies[i]);
	plait_graph_release(branch);
	end_loop(&loop);
}

static void in_another_body(void)
{
	struct loop loop = new_loop(), other = new_loop();
	plait_graph *inner;
	plait_node node = add_loop(loop.body, PLAIT_NODE_WHILE, NULL, &inner);
	uint64_t rotation = rotate(inner, "01"), foreign;

	(void)step(loop.body, turn(rotation, 0), direct(5), &node);
	IS_INT(try_step(loop.graph, turn(rotation, 0), direct(5), &loop.node,
			NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "in a body that this node is not part of");
	foreign = rotate(other.body, "01");
	IS_INT(try_step(loop.body, turn(foreign, 0), direct(5), NULL, NULL),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "no such rotation in this graph");
	IS_INT(try_step(loop.body, turn(1, 0), direct(5), NULL, NULL),
	       PLAIT_E_INVALID);
	IS_STR(prove(loop.graph), "");
	plait_graph_release(inner);
	end_loop(&other);
	end_loop(&loop);
}

static void refuses_rotations(void)
{
	struct loop loop = new_loop();
	plait_buffer *far = new_buffer(devices[1], 64), *view = NULL;
	plait_buffer *large = new_buffer(devices[0], 65), *two[2];
	plait_graph *inner;
	uint64_t rotation;

	two[0] = memory[0];
	two[1] = far;
	IS_INT(plait_graph_add_rotation(loop.body, two, 2, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "another device");
	two[1] = large;
	IS_INT(plait_graph_add_rotation(loop.body, two, 2, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "buffer 1: has 65 bytes, the first one 64");
	IS_INT(plait_buffer_view(large, 0, 64, &view, &error), PLAIT_OK);
	two[1] = view;
	IS_INT(plait_graph_add_rotation(loop.body, two, 2, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "buffer 1: is a view");
	IS_INT(plait_graph_add_rotation(loop.body, memory, 9, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_graph_add_rotation(loop.body, memory, 1, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_graph_add_rotation(loop.body, memory, 2, 1, &rotation, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "2 to 8 buffers take turns");
	IS_INT(plait_graph_add_rotation(loop.body, memory, 9, 1, &rotation, &error),
	       PLAIT_OK);
	IS_INT(try_step(loop.body, turn(rotation, 16), direct(9), NULL, NULL),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "ahead is more than 15");
	IS_INT(plait_graph_add_rotation(loop.graph, memory, 2, 0, &rotation,
				  &error), PLAIT_E_INVALID);
	(void)add_loop(loop.body, PLAIT_NODE_CASE, NULL, &inner);
	IS_INT(plait_graph_add_rotation(inner, memory, 2, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "a case has no iterations");
	IS_INT(rotation, 0);
	plait_graph_release(inner);
	plait_buffer_release(view);
	plait_buffer_release(large);
	plait_buffer_release(far);
	end_loop(&loop);
}

/* ---- the number of the iteration ---- */

static plait_status add_counter(plait_graph *graph, plait_kernel *code)
{
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_ITERATION };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH, .kernel = code,
				 .arguments = &argument, .argument_count = 1,
				 .label = "count" };

	return plait_graph_add(graph, &desc, NULL, 0, NULL, &error);
}

static void types_of_iterations(void)
{
	static const struct {
		const char *signature;
		plait_status want;
	} types[] = {
		{ "k(i: i32)", PLAIT_OK }, { "k(i: i64)", PLAIT_OK },
		{ "k(i: u32)", PLAIT_OK }, { "k(i: u64)", PLAIT_OK },
		{ "k(i: i16)", PLAIT_E_INVALID },
		{ "k(i: u8)", PLAIT_E_INVALID },
		{ "k(i: f64)", PLAIT_E_INVALID },
		{ "k(i: bool)", PLAIT_E_INVALID },
		{ "k(i: in pointer u32)", PLAIT_E_INVALID },
	};
	struct loop loop = new_loop();

	for (size_t i = 0; i < TAP_COUNT(types); i++) {
		plait_kernel *code = new_kernel(types[i].signature);

		IS_INT(add_counter(loop.body, code), types[i].want);
		IS_INT(add_counter(loop.graph, code), PLAIT_E_INVALID);
		plait_kernel_release(code);
	}
	IS_STR(prove(loop.graph), "");
	end_loop(&loop);
}

/* Each counter of a plan belongs to the innermost loop around it. */
static unsigned wrong_counters(plait_plan *handle, unsigned *out_count)
{
	plait__plan_object *frozen;
	const plait__plan *plan;
	unsigned wrong = 0;

	IS_INT(plait__plan_object_enter(handle, &frozen, &error), PLAIT_OK);
	plan = frozen->plan;
	*out_count = 0;
	for (uint32_t b = 0; b < plan->bodies_count; b++)
		for (uint32_t i = 0; i < plan->bodies[b].command_count; i++) {
			const plait__plan_command *command = &plan->commands[
				plan->bodies[b].command_first + i];
			uint32_t region = plan->bodies[b].region;

			if (command->kind != PLAIT__CMD_LAUNCH)
				continue;
			if (plan->regions[region].kind == PLAIT__REGION_CASE)
				region = plan->bodies[
					plan->nodes[plan->commands[
						plan->regions[region].command]
						.node].body].region;
			wrong += plan->args[plan->payloads[command->link]
					    .arg_first].index != region;
			++*out_count;
		}
	plait__object_leave(&frozen->object);
	return wrong;
}

/* The planner numbers regions in its own order, which is not that in which
 * they were added. */
static void counters_of_their_loops(void)
{
	plait_kernel *code = new_kernel("k(i: u64)");
	struct loop late = new_loop();
	plait_graph *early, *inner, *branch;
	plait_node node = add_loop(late.graph, PLAIT_NODE_DO, NULL, &early);
	plait_plan *plan;
	unsigned count = 0;

	IS_INT(plait_graph_add_edge(late.graph, node, late.node, &error),
	       PLAIT_OK);
	(void)add_loop(early, PLAIT_NODE_DO, NULL, &inner);
	(void)add_loop(late.body, PLAIT_NODE_CASE, NULL, &branch);
	IS_INT(add_counter(late.body, code), PLAIT_OK);
	IS_INT(add_counter(early, code), PLAIT_OK);
	IS_INT(add_counter(inner, code), PLAIT_OK);
	IS_INT(add_counter(branch, code), PLAIT_OK);
	IS_INT(plait_graph_freeze(late.graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(wrong_counters(plan, &count), 0);
	IS_INT(count, 4);
	IS_INT(plait_plan_check(plan, &error), PLAIT_OK);
	plait_plan_release(plan);
	/* A case outside of any loop has none. */
	plait_graph_release(branch);
	(void)add_loop(late.graph, PLAIT_NODE_CASE, NULL, &branch);
	IS_INT(add_counter(branch, code), PLAIT_E_INVALID);
	HAS_STR(error.text, "only in the body of a loop");
	plait_graph_release(branch);
	plait_graph_release(inner);
	plait_graph_release(early);
	end_loop(&late);
	plait_kernel_release(code);
}

/* A plan from a file may contain any loops. */
static unsigned unnoticed(plait__plan *plan, uint32_t *place)
{
	uint32_t kept = *place;
	unsigned count = 0;

	for (uint32_t wrong = 0; wrong <= plan->regions_count; wrong++) {
		*place = wrong < plan->regions_count ? wrong : PLAIT__NONE;
		if (*place != kept)
			count += plait__check_plan(plan, NULL, 0, NULL, NULL,
						   &error) == PLAIT_OK;
	}
	*place = kept;
	return count;
}

static void broken_plans(void)
{
	struct loop loop = new_loop(), other = new_loop();
	plait_kernel *code = new_kernel("k(i: u64)");
	uint64_t rotation = rotate(loop.body, "01");
	plait_graph *second, *branch;
	plait_plan *handle;
	plait__plan_object *frozen;
	plait__plan *plan;
	uint32_t last;

	(void)add_loop(loop.graph, PLAIT_NODE_DO, NULL, &second);
	(void)add_loop(loop.graph, PLAIT_NODE_CASE, NULL, &branch);
	IS_INT(add_counter(loop.body, code), PLAIT_OK);
	(void)step(loop.body, turn(rotation, 0), turn(rotation, 1), NULL);
	IS_INT(plait_graph_freeze(loop.graph, NULL, &handle, &error),
	       PLAIT_OK);
	IS_INT(plait__plan_object_enter(handle, &frozen, &error), PLAIT_OK);
	plan = frozen->plan;
	IS_INT(plait__check_plan(plan, NULL, 0, NULL, NULL, &error),
	       PLAIT_OK);
	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_INDEX)
			IS_INT(unnoticed(plan, &plan->args[i].index), 0);
	IS_INT(unnoticed(plan, &plan->rotations[0].region), 0);
	/* A predicate that takes an iteration; nothing may. */
	last = plan->regions[0].predicate;
	plan->payloads[last].arg_count = plan->args_count;
	IS_INT(plait__check_plan(plan, NULL, 0, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "only launches may use numbers of a loop");
	plan->payloads[last].arg_count = UINT32_MAX;
	IS_INT(plait__check_plan(plan, NULL, 0, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	plan->payloads[last].arg_count = 0;
	plait__object_leave(&frozen->object);
	plait_plan_release(handle);
	plait_graph_release(branch);
	plait_graph_release(second);
	plait_kernel_release(code);
	end_loop(&other);
	end_loop(&loop);
}

/* ---- parts of a graph ---- */

static void parts_without_the_loop(void)
{
	static unsigned char bytes[65536];
	struct loop loop = new_loop();
	uint64_t rotation = rotate(loop.body, "01"), size = 0;
	plait_node user, other;
	plait_freeze_desc desc = { .size = sizeof(desc), .source_count = 1,
				   .flags = PLAIT_FREEZE_CHECK };
	plait_plan *plan = NULL, *again = NULL;

	(void)step(loop.body, turn(rotation, 0), turn(rotation, 1), NULL);
	user = step(loop.graph, turn(rotation, 0), direct(5), &loop.node);
	other = step(loop.graph, direct(6), direct(7), NULL);
	desc.sources = &user;
	IS_INT(plait_graph_freeze(loop.graph, &desc, &plan, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "'step' uses a rotation of a loop that this part");
	desc.sources = &other;
	IS_INT(plait_graph_freeze(loop.graph, &desc, &plan, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &size, &error), PLAIT_OK);
	if (!IS_INT(plait_plan_read(context, bytes, size, &again, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	plait_plan_release(again);
	plait_plan_release(plan);
	end_loop(&loop);
}

static void run_with_all(void (*scenario)(void))
{
	open_all();
	scenario();
	close_all();
}

#define WITH(name) static void with_##name(void) { run_with_all(name); }
WITH(slots_that_overlap)
WITH(rotations_and_buffers)
WITH(writes_hide_their_slot_only)
WITH(after_the_loop)
WITH(before_the_loop)
WITH(in_another_body)
WITH(far_from_the_loop)
WITH(refuses_rotations)
WITH(types_of_iterations)
WITH(counters_of_their_loops)
WITH(broken_plans)
WITH(parts_without_the_loop)

static const struct tap_scenario scenarios[] = {
	{ "slots that overlap", with_slots_that_overlap },
	{ "rotations and buffers", with_rotations_and_buffers },
	{ "writes hide their slot only", with_writes_hide_their_slot_only },
	{ "after the loop", with_after_the_loop },
	{ "before the loop", with_before_the_loop },
	{ "in another body", with_in_another_body },
	{ "far from the loop", with_far_from_the_loop },
	{ "refuses rotations", with_refuses_rotations },
	{ "types of iterations", with_types_of_iterations },
	{ "counters of their loops", with_counters_of_their_loops },
	{ "broken plans", with_broken_plans },
	{ "parts without the loop", with_parts_without_the_loop },
};
TAP_MAIN(scenarios)
