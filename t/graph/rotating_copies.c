/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of rotating buffers: what a graph refuses, ranges that
 * overlap in some iteration, the proof, the order that a freeze infers, and
 * plans that lie.
 */
#include <string.h>

#include "graph/plan/plan_object.h"
#include "graph/plan/verify_commands.h"
#include "plan/check/check.h"

#include "loops.h"

static uint64_t turn_of(struct loop *loop, const char *digits)
{
	*loop = new_loop();
	return rotate(loop->body, digits);
}

static plait_status add(plait_graph *graph, plait_node_desc desc,
			const plait_node *after, plait_node *out)
{
	desc.size = sizeof(desc);
	desc.label = "move";
	return plait_graph_add(graph, &desc, after, after != NULL, out,
			       &error);
}

/* ---- refused ---- */

static void refuses(void)
{
	struct loop loop;
	uint64_t turn = turn_of(&loop, "012");
	const plait_node_desc bad[] = {
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn + 1 },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .target_ahead = 16 },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .target = memory[5] },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .target_parameter = "out" },
		{ .kind = PLAIT_NODE_FILL, .target_ahead = 1,
		  .target = memory[5] },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .target_offset = 65 },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .target_offset = 60 },
		{ .kind = PLAIT_NODE_FILL, .target_rotation = turn,
		  .source_rotation = turn },
		{ .kind = PLAIT_NODE_JOIN, .target_rotation = turn },
		{ .kind = PLAIT_NODE_COPY, .target_rotation = turn,
		  .source_rotation = turn, .source_ahead = 16 },
		{ .kind = PLAIT_NODE_WRITE, .host_parameter = "host",
		  .source_rotation = turn },
	};
	static const char *const texts[] = {
		"target_rotation: no such rotation in this graph",
		"target_rotation: ahead is more than 15",
		"both are set", "both are set", "ahead is set",
		"behind the end of its buffers",
		"8 bytes, but the target has 4",
		"source_rotation is set, which a fill does not have",
		"target_rotation is set, which a join does not have",
		"source_rotation: ahead is more than 15",
		"source_rotation is set, which a write does not have",
	};

	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		plait_node_desc desc = bad[i];

		desc.bytes = desc.kind == PLAIT_NODE_JOIN ? 0 : 8;
		desc.pattern_bytes = desc.kind == PLAIT_NODE_FILL ? 1 : 0;
		IS_INT(add(loop.body, desc, NULL, NULL), PLAIT_E_INVALID);
		HAS_STR(error.text, texts[i]);
	}
	IS_STR(prove(loop.graph), "");
	end_loop(&loop);
}

static void refuses_elsewhere(void)
{
	struct loop loop;
	uint64_t turn = turn_of(&loop, "01");
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_COPY, .target = memory[5],
		.source_rotation = turn, .bytes = 64,
	};
	plait_plan *plan = NULL;

	/* Not ordered behind its loop, then behind it. */
	IS_INT(add(loop.graph, desc, NULL, NULL), PLAIT_OK);
	IS_INT(plait_graph_freeze(loop.graph, NULL, &plan, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "uses a rotation of node 0 'loop', but does not "
		"come after it");
	end_loop(&loop);
	turn = turn_of(&loop, "01");
	IS_INT(add(loop.graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .target = memory[5],
			.source_rotation = turn, .bytes = 64 }, &loop.node,
		   NULL), PLAIT_OK);
	IS_STR(prove(loop.graph), "");
	end_loop(&loop);
}

/* A write reaches all buffers but the prologue's. */
static void read_only(void)
{
	static char constant[64];
	const plait_wrap_desc constants = {
		.size = sizeof(constants), .bytes = sizeof(constant),
		.pointer = constant, .flags = PLAIT_WRAP_READ_ONLY,
	};
	plait_buffer *buffers[3] = { NULL, memory[1], memory[2] };
	struct loop loop = new_loop();
	uint64_t turn = 0, first = 0;
	plait_node_desc desc = { .kind = PLAIT_NODE_FILL, .bytes = 64,
				 .pattern_bytes = 1 };

	IS_INT(plait_buffer_wrap(devices[0], &constants, &buffers[0], &error),
	       PLAIT_OK);
	IS_INT(plait_graph_add_rotation(loop.body, buffers, 3, 0, &turn,
					&error), PLAIT_OK);
	IS_INT(plait_graph_add_rotation(loop.body, buffers, 3,
					PLAIT_ROTATION_PROLOGUE, &first,
					&error), PLAIT_OK);
	desc.target_rotation = turn;
	IS_INT(add(loop.body, desc, NULL, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "read-only");
	desc.target_rotation = first;
	desc.target_ahead = 1;
	IS_INT(add(loop.body, desc, NULL, NULL), PLAIT_OK);
	IS_STR(prove(loop.graph), "");
	end_loop(&loop);
	plait_buffer_release(buffers[0]);
}

/* ---- two sides of one copy ---- */

static const struct sides {
	const char *target, *source;	/* rotations; a digit: the buffer */
	uint64_t ahead[2], offset[2], bytes;
	bool meet;
} sides[] = {
	{ "01", "01", { 1, 0 }, { 0, 0 }, 64, false },
	{ "01", "01", { 2, 0 }, { 0, 0 }, 64, true },
	{ "01", "01", { 2, 0 }, { 0, 32 }, 32, false },
	{ "01", "01", { 2, 0 }, { 0, 32 }, 0, false },
	{ "01", "01", { 2, 0 }, { 8, 32 }, 25, true },
	{ "01", "10", { 0, 0 }, { 0, 0 }, 64, false },
	{ "01", "10", { 0, 1 }, { 0, 0 }, 64, true },
	{ "01", "1", { 0, 0 }, { 0, 0 }, 64, true },
	{ "1", "01", { 0, 0 }, { 0, 32 }, 32, false },
	{ "2", "01", { 0, 0 }, { 0, 0 }, 64, false },
	{ "0", "!012", { 0, 1 }, { 0, 0 }, 64, false },
	{ "0", "!012", { 0, 0 }, { 0, 0 }, 64, true },
	/* Periods of 2 and 3: every buffer meets every other. */
	{ "45", "056", { 0, 1 }, { 0, 0 }, 64, true },
};

static void set_side(plait_graph *body, const char *digits, uint64_t ahead,
		     plait_buffer **buffer, uint64_t *turn, uint64_t *at)
{
	if (digits[1] == '\0') {
		*buffer = memory[digits[0] - '0'];
		return;
	}
	*turn = rotate(body, digits);
	*at = ahead;
}

static void two_sides(void)
{
	for (size_t i = 0; i < TAP_COUNT(sides); i++) {
		const struct sides *s = &sides[i];
		struct loop loop = new_loop();
		plait_node_desc desc = {
			.kind = PLAIT_NODE_COPY, .bytes = s->bytes,
			.target_offset = s->offset[0],
			.source_offset = s->offset[1],
		};

		set_side(loop.body, s->target, s->ahead[0], &desc.target,
			 &desc.target_rotation, &desc.target_ahead);
		set_side(loop.body, s->source, s->ahead[1], &desc.source,
			 &desc.source_rotation, &desc.source_ahead);
		OK_THAT((add(loop.body, desc, NULL, NULL) ==
			 PLAIT_E_INVALID) == s->meet, "case %zu: %s", i,
			error.text);
		if (s->meet)
			HAS_STR(error.text, "source and target overlap");
		IS_STR(prove(loop.graph), "");
		end_loop(&loop);
	}
}

/* Rotations of two loops, behind both: any pair of buffers. */
static void two_loops(void)
{
	struct loop loop;
	uint64_t one = turn_of(&loop, "01"), other;
	plait_graph *second;
	plait_node node = add_loop(loop.graph, PLAIT_NODE_DO, &loop.node,
				   &second);
	plait_node_desc desc = { .kind = PLAIT_NODE_COPY, .bytes = 64 };

	other = rotate(second, "12");
	desc.target_rotation = one;
	desc.source_rotation = other;
	IS_INT(add(loop.graph, desc, &node, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "source and target overlap");
	desc.source_rotation = rotate(second, "23");
	IS_INT(add(loop.graph, desc, &node, NULL), PLAIT_OK);
	IS_STR(prove(loop.graph), "");
	plait_graph_release(second);
	end_loop(&loop);
}

/* ---- the proof ---- */

/* Two fills of one body without an order. */
static const struct pair {
	const char *one, *other;
	uint64_t ahead[2], offset[2];
	bool meet;
} pairs[] = {
	{ "012", "012", { 0, 1 }, { 0, 0 }, false },
	{ "012", "012", { 0, 3 }, { 0, 0 }, true },
	{ "012", "012", { 0, 3 }, { 0, 32 }, false },
	{ "012", "012", { 0, 3 }, { 0, 31 }, true },
	{ "012", "120", { 1, 0 }, { 0, 0 }, true },
	{ "012", "120", { 1, 0 }, { 32, 0 }, false },
	{ "012", "2", { 0, 0 }, { 0, 0 }, true },
	{ "012", "2", { 0, 0 }, { 0, 32 }, false },
	{ "012", "3", { 0, 0 }, { 0, 0 }, false },
	{ "!012", "0", { 1, 0 }, { 0, 0 }, false },
	{ "!012", "0", { 0, 0 }, { 0, 0 }, true },
};

static void proves(void)
{
	for (size_t i = 0; i < TAP_COUNT(pairs); i++) {
		const struct pair *p = &pairs[i];
		struct loop loop = new_loop();
		plait_node_desc one = {
			.kind = PLAIT_NODE_FILL, .bytes = 32,
			.pattern_bytes = 1, .target_offset = p->offset[0],
		}, other = one;
		const plait_freeze_desc program_order = {
			.size = sizeof(program_order),
			.flags = PLAIT_FREEZE_CHECK |
				 PLAIT_FREEZE_PROGRAM_ORDER,
		};
		plait_plan *plan = NULL;

		other.target_offset = p->offset[1];
		set_side(loop.body, p->one, p->ahead[0], &one.target,
			 &one.target_rotation, &one.target_ahead);
		set_side(loop.body, p->other, p->ahead[1], &other.target,
			 &other.target_rotation, &other.target_ahead);
		IS_INT(add(loop.body, one, NULL, NULL), PLAIT_OK);
		IS_INT(add(loop.body, other, NULL, NULL), PLAIT_OK);
		OK_THAT((strstr(prove(loop.graph), "no edge orders") !=
			 NULL) == p->meet, "pair %zu: \"%s\"", i, error.text);
		IS_INT(plait_graph_freeze(loop.graph, &program_order, &plan,
					  &error), PLAIT_OK);
		plait_plan_release(plan);
		end_loop(&loop);
	}
}

/* ---- copies of graphs, and plans that lie ---- */

static plait_plan *freeze_inside(void)
{
	struct loop loop;
	uint64_t turn = turn_of(&loop, "01");
	const plait_node_desc copy = {
		.kind = PLAIT_NODE_COPY, .target_rotation = turn,
		.target_ahead = 1, .source_rotation = turn, .bytes = 32,
		.target_offset = 32, .source_offset = 16,
	};
	plait_node_desc all = { .kind = PLAIT_NODE_SUBGRAPH };
	plait_graph *outer = NULL;
	plait_plan *plan = NULL;
	plait_freeze_desc desc = { .size = sizeof(desc),
				   .flags = PLAIT_FREEZE_CHECK };

	IS_INT(add(loop.body, copy, NULL, NULL), PLAIT_OK);
	IS_INT(plait_graph_create(context, &outer, &error), PLAIT_OK);
	all.subgraph = loop.graph;
	IS_INT(add(outer, all, NULL, NULL), PLAIT_OK);
	OK_THAT(plait_graph_freeze(outer, &desc, &plan, &error) == PLAIT_OK,
		"%s", error.text);
	plait_graph_release(outer);
	end_loop(&loop);
	return plan;
}

/* The first and the second side of the copy. */
static plait__plan_arg *side_at(const plait__plan *plan, uint32_t i)
{
	for (uint32_t a = 0; a < plan->args_count; a++)
		if (plan->args[a].kind == PLAIT__ARG_ROTATION)
			return &plan->args[a + i];
	return NULL;
}

static void lies(void)
{
	plait_plan *handle = freeze_inside();
	plait__plan_object *frozen;
	plait__plan_arg *target, *source;

	IS_INT(plait__plan_object_enter(handle, &frozen, &error), PLAIT_OK);
	target = side_at(frozen->plan, 0);
	source = side_at(frozen->plan, 1);
	IS_UINT(target->offset, plait__payload_rotation(1, 32));
	IS_UINT(source->offset, plait__payload_rotation(0, 16));
	IS_INT(plait__verify_commands(frozen, &error), PLAIT_OK);
	/* Beyond its buffer; and the same buffer, where the sides overlap. */
	target->offset = plait__payload_rotation(1, 33);
	IS_INT(plait__verify_commands(frozen, &error), PLAIT_E_INVALID);
	target->offset = plait__payload_rotation(0, 32);
	IS_INT(plait__verify_commands(frozen, &error), PLAIT_E_INVALID);
	target->offset = plait__payload_rotation(1, 65);
	IS_INT(plait__check_plan(frozen->plan, NULL, 0, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "beyond a buffer of its rotation");
	target->offset = plait__payload_rotation(1, 32);
	IS_INT(plait__verify_commands(frozen, &error), PLAIT_OK);
	plait__object_leave(&frozen->object);
	plait_plan_release(handle);
}

/* ---- buffers of several backends, as names of a loaded plan may be bound ---- */

static plait_buffer *filled(plait_queue *queue, plait_device *device,
			    uint32_t value)
{
	plait_buffer *buffer = new_buffer(device, 64);

	IS_INT(plait_queue_fill(queue, buffer, 0, 64, value, 4, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	return buffer;
}

/* The last buffer of the plan takes the place of the rotation's second one. */
static void exchange_turn(plait_plan *handle)
{
	plait__plan_object *frozen;
	plait__plan *plan;

	IS_INT(plait__plan_object_enter(handle, &frozen, &error), PLAIT_OK);
	plan = frozen->plan;
	plan->rotation_slots[plan->rotations[0].slot_first + 1] =
		plan->slots_count - 1;
	plait__object_leave(&frozen->object);
}

static void several_backends(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "chaos,host",
					  .flags = PLAIT_CONTEXT_NO_WORKERS };
	const plait_freeze_desc queues = { .size = sizeof(queues),
					   .flags = PLAIT_FREEZE_QUEUES };
	plait_device *host = NULL, *chaos = NULL;
	plait_buffer *turns[2], *far, *out;
	plait_node_desc copy = { .kind = PLAIT_NODE_COPY, .bytes = 64 };
	plait_queue *near, *there;
	plait_graph *graph, *body;
	plait_node node;
	plait_plan *plan;
	uint32_t word = 0;

	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &chaos, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 2, &host, &error), PLAIT_OK);
	IS_INT(plait_queue_create(chaos, NULL, &near, &error), PLAIT_OK);
	IS_INT(plait_queue_create(host, NULL, &there, &error), PLAIT_OK);
	turns[0] = filled(near, chaos, 1);
	turns[1] = filled(near, chaos, 2);
	out = filled(near, chaos, 3);
	far = filled(there, host, 4);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_repeat(graph, 2, 0, &body, &node, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_add_rotation(body, turns, 2, 0,
					&copy.source_rotation, &error),
	       PLAIT_OK);
	copy.target = out;
	IS_INT(add(body, copy, NULL, NULL), PLAIT_OK);
	IS_INT(plait_graph_fill(graph, far, 0, 4, 4, 4, node, NULL, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, &queues, &plan, &error), PLAIT_OK);
	exchange_turn(plan);
	OK_THAT(plait_plan_call(plan, NULL, NULL, &error) == PLAIT_OK, "%s",
		error.text);
	IS_INT(plait_queue_read(near, out, 0, &word, 4, &error), PLAIT_OK);
	IS_INT(plait_queue_finish(near, PLAIT_FOREVER, &error), PLAIT_OK);
	IS_UINT(word, 4);
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(turns[0]);
	plait_buffer_release(turns[1]);
	plait_buffer_release(out);
	plait_buffer_release(far);
	plait_queue_release(near);
	plait_queue_release(there);
	plait_context_release(context);
}

#define WITH(name)				\
	static void with_##name(void)		\
	{					\
		open_all();			\
		name();				\
		close_all();			\
	}
WITH(refuses)
WITH(refuses_elsewhere)
WITH(read_only)
WITH(two_sides)
WITH(two_loops)
WITH(proves)
WITH(lies)

static const struct tap_scenario scenarios[] = {
	{ "refuses", with_refuses },
	{ "refuses elsewhere", with_refuses_elsewhere },
	{ "read-only", with_read_only },
	{ "two sides", with_two_sides },
	{ "two loops", with_two_loops },
	{ "proves", with_proves },
	{ "lies", with_lies },
	{ "several backends", several_backends },
};
TAP_MAIN(scenarios)
