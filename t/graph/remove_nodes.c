/* SPDX-License-Identifier: MIT */
/*
 * Nodes and edges taken away: what is refused; loops with their bodies; random
 * graphs that were edited have the plan, and give the bytes, of graphs that
 * were built without what was removed.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

enum { BYTES = 64, MOST = 48 };

static plait_context *context;
static plait_device *device;
static plait_buffer *buffer;
static unsigned char *memory;
static plait_error error;

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static bool open_all(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = BYTES, .label = "bytes" };
	void *mapped = NULL;

	error = (plait_error){ .size = sizeof(error) };
	return IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK) &&
	       IS_INT(plait_context_device(context, 0, &device, &error),
		      PLAIT_OK) &&
	       IS_INT(plait_buffer_create(device, &bytes, &buffer, &error),
		      PLAIT_OK) &&
	       IS_INT(plait_buffer_map(buffer, 0, BYTES, PLAIT_MAP_READ |
				       PLAIT_MAP_WRITE, &mapped, &error),
		      PLAIT_OK) &&
	       OK((memory = mapped) != NULL);
}

static void close_all(void)
{
	IS_INT(plait_buffer_unmap(buffer, memory, &error), PLAIT_OK);
	plait_buffer_release(buffer);
	plait_context_release(context);
	IS_INT(plait_live_count(0), 0);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node fill(plait_graph *graph, uint64_t at, uint32_t value,
		       plait_node after)
{
	plait_node node = 0;

	if (!IS_INT(plait_graph_fill(graph, buffer, at, 1, value, 1, after,
				     &node, &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

/* Freeze, run once, and describe the plan. */
static plait_plan_info run(plait_graph *graph, uint32_t flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 3,
					 .flags = flags };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan = NULL;

	memset(memory, 0, BYTES);
	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error),
		    PLAIT_OK) ||
	    !IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK))
		NOTE("%s", error.text);
	/* Without inferred edges random fills overlap. */
	if (flags != 0)
		IS_INT(plait_plan_check(plan, &error), PLAIT_OK);
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	plait_plan_release(plan);
	return info;
}

static void refused(plait_status status, plait_status expected,
		    const char *text)
{
	if (!IS_INT(status, expected) || !OK(strstr(error.text, text) != NULL))
		NOTE("%s", error.text);
}

static int32_t see(void *const *arguments, const plait_launch *launch,
		   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static void mistakes(void)
{
	plait_graph *graph = new_graph(), *other = new_graph();
	plait_node both[2] = { fill(graph, 0, 1, 0), fill(other, 0, 1, 0) };
	plait_node next = fill(graph, 1, 1, both[0]), out = 7;
	const plait_node_desc join = { .size = sizeof(join) };
	const plait_freeze_desc part = { .size = sizeof(part),
					 .sources = &both[0],
					 .source_count = 1 };
	plait_plan *plan = NULL;
	uint64_t nodes = 0, edges = 0;

	refused(plait_graph_remove(graph, both, 2, &error), PLAIT_E_INVALID,
		"nodes[1]");
	refused(plait_graph_remove(graph, NULL, 1, &error), PLAIT_E_INVALID,
		"nodes is null");
	IS_INT(plait_graph_remove(graph, NULL, 0, &error), PLAIT_OK);
	refused(plait_graph_remove_edge(graph, next, both[0], &error),
		PLAIT_E_INVALID, "no edge leads");
	refused(plait_graph_remove_edge(graph, both[1], next, &error),
		PLAIT_E_INVALID, "`before`");
	IS_INT(plait_graph_size(graph, &nodes, &edges, &error), PLAIT_OK);
	IS_INT(nodes, 2);
	IS_INT(edges, 1);
	/* Twice in one list is once. */
	both[1] = both[0];
	IS_INT(plait_graph_remove(graph, both, 2, &error), PLAIT_OK);
	IS_INT(plait_graph_size(graph, &nodes, &edges, &error), PLAIT_OK);
	IS_INT(nodes, 1);
	IS_INT(edges, 0);
	refused(plait_graph_remove(graph, both, 1, &error), PLAIT_E_INVALID,
		"not a node");
	refused(plait_graph_add(graph, &join, both, 1, &out, &error),
		PLAIT_E_INVALID, "after[0]");
	IS_INT(out, 0);
	refused(plait_graph_fill(graph, buffer, 0, 1, 1, 1, both[0], NULL,
				 &error), PLAIT_E_INVALID, "after[0]");
	refused(plait_graph_add_edge(graph, both[0], next, &error),
		PLAIT_E_INVALID, "`before`");
	refused(plait_graph_freeze(graph, &part, &plan, &error),
		PLAIT_E_INVALID, "sources[0]");
	plait_graph_release(other);
	plait_graph_release(graph);
	IS_INT(plait_graph_remove(graph, both, 1, &error), PLAIT_E_HANDLE);
	IS_INT(plait_graph_remove_edge(graph, next, next, &error),
	       PLAIT_E_HANDLE);
}

/* A loop goes with its bodies, and theirs. */
static void loops(void)
{
	plait_graph *graph = new_graph(), *body = NULL, *inner = NULL;
	plait_node first = fill(graph, 0, 1, 0), loop = 0, within = 0;
	plait_node after;
	plait_plan_info info;
	uint64_t nodes = 0;

	IS_INT(plait_graph_repeat(graph, 3, first, &body, &loop, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_repeat(body, 2, 0, &inner, &within, &error),
	       PLAIT_OK);
	(void)fill(inner, 1, 9, 0);
	after = fill(graph, 2, 3, loop);
	IS_INT(run(graph, PLAIT_FREEZE_CHECK).regions, 2);
	IS_INT(memory[1], 9);
	IS_INT(plait_graph_remove(graph, &loop, 1, &error), PLAIT_OK);
	info = run(graph, PLAIT_FREEZE_CHECK);
	IS_INT(info.regions, 0);
	IS_INT(info.nodes, 2);
	IS_INT(memory[1], 0);
	IS_INT(memory[2], 3);
	refused(plait_graph_size(inner, &nodes, NULL, &error), PLAIT_E_STATE,
		"was removed");
	refused(plait_graph_fill(body, buffer, 0, 1, 1, 1, 0, NULL, &error),
		PLAIT_E_STATE, "was removed");
	refused(plait_graph_subgraph(graph, body, after, NULL, &error),
		PLAIT_E_STATE, "was removed");
	/* The others still grow. */
	(void)fill(graph, 3, 4, after);
	IS_INT(run(graph, PLAIT_FREEZE_CHECK).nodes, 3);
	plait_graph_release(inner);
	plait_graph_release(body);
	plait_graph_release(graph);
}

/* A body that loses all its nodes is empty; so is a graph. */
static void empty_bodies(void)
{
	plait_graph *graph = new_graph(), *body = NULL, *outer;
	plait_node loop = 0, within;

	IS_INT(plait_graph_repeat(graph, 3, 0, &body, &loop, &error),
	       PLAIT_OK);
	within = fill(body, 1, 9, 0);
	IS_INT(plait_graph_remove(body, &within, 1, &error), PLAIT_OK);
	IS_INT(run(graph, PLAIT_FREEZE_CHECK).nodes, 1);
	IS_INT(memory[1], 0);
	IS_INT(plait_graph_remove(graph, &loop, 1, &error), PLAIT_OK);
	IS_INT(run(graph, PLAIT_FREEZE_CHECK).nodes, 0);
	/* Copied, it still orders what comes before and after it. */
	outer = new_graph();
	IS_INT(plait_graph_subgraph(outer, graph, fill(outer, 4, 1, 0), &loop,
				    &error), PLAIT_OK);
	(void)fill(outer, 4, 2, loop);
	(void)run(outer, PLAIT_FREEZE_CHECK);
	IS_INT(memory[4], 2);
	plait_graph_release(outer);
	plait_graph_release(body);
	plait_graph_release(graph);
}

/* A rotation goes with its loop: nodes behind it cannot be frozen, and no new
 * one may name it. */
static void rotations(void)
{
	const plait_buffer_desc one = { .size = sizeof(one), .bytes = 4 };
	const plait_kernel_desc made = { .size = sizeof(made),
		.signature = "see(x: in pointer u8)", .function = see };
	plait_graph *graph = new_graph(), *body = NULL;
	plait_kernel *kernel = NULL;
	plait_buffer *turns[2] = { NULL, NULL };
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_ROTATION };
	plait_node loop = 0, user = 0;
	plait_plan *plan = NULL;

	IS_INT(plait_kernel_create(context, &made, &kernel, &error), PLAIT_OK);
	for (int i = 0; i < 2; i++)
		IS_INT(plait_buffer_create(device, &one, &turns[i], &error),
		       PLAIT_OK);
	IS_INT(plait_graph_repeat(graph, 3, 0, &body, &loop, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_add_rotation(body, turns, 2, 0, &argument.rotation,
					&error), PLAIT_OK);
	IS_INT(plait_graph_launch(graph, kernel, NULL, &argument, 1, loop,
				  &user, &error), PLAIT_OK);
	(void)run(graph, PLAIT_FREEZE_CHECK);
	IS_INT(plait_graph_remove(graph, &loop, 1, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_graph_launch(graph, kernel, NULL, &argument, 1, 0, NULL,
				  &error), PLAIT_E_INVALID);
	IS_INT(plait_graph_remove(graph, &user, 1, &error), PLAIT_OK);
	(void)run(graph, PLAIT_FREEZE_CHECK);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(turns[0]);
	plait_buffer_release(turns[1]);
	plait_kernel_release(kernel);
}

/* A parameter that only removed nodes used needs no value, and a plan of such a
 * graph can be tuned. */
static void parameters(void)
{
	const plait_kernel_desc made = { .size = sizeof(made),
		.signature = "put(x: inout pointer u8, n: u32)",
		.function = see };
	plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = buffer },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "n" },
	};
	const plait_run_desc recorded = { .size = sizeof(recorded),
					  .flags = PLAIT_RUN_RECORD };
	plait_graph *graph = new_graph();
	plait_kernel *kernel = NULL;
	plait_plan *plan = NULL, *tuned = NULL;
	plait_node node = 0;

	IS_INT(plait_kernel_create(context, &made, &kernel, &error), PLAIT_OK);
	IS_INT(plait_graph_launch(graph, kernel, NULL, arguments, 2, 0, &node,
				  &error), PLAIT_OK);
	(void)fill(graph, 5, 6, 0);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	refused(plait_plan_call(plan, NULL, NULL, &error), PLAIT_E_INVALID,
		"\"n\" is not bound");
	plait_plan_release(plan);
	IS_INT(plait_graph_remove(graph, &node, 1, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_record(plan, 0, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, &recorded, &error), PLAIT_OK);
	if (!IS_INT(plait_plan_tune(plan, NULL, &tuned, NULL, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	memory[5] = 0;
	IS_INT(plait_plan_call(tuned, NULL, NULL, &error), PLAIT_OK);
	IS_INT(memory[5], 6);
	plait_plan_release(tuned);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
}

/* ---- random graphs ---- */

/* A node of the model: what it fills, its predecessors, whether it is there. */
struct model {
	uint32_t count;
	bool is_there[MOST];
	bool has_edge[MOST][MOST];	/* by before, after */
	uint8_t at[MOST];
	bool loops[MOST];	/* in a body of its own */
	bool calls[MOST];	/* a function: its accesses are not known */
	plait_node nodes[MOST];
};

static void add_node(struct model *model, plait_graph *graph, uint32_t i)
{
	plait_node_desc desc = { .size = sizeof(desc), .cost = 1 + i % 5,
				 .kind = PLAIT_NODE_FILL, .target = buffer,
				 .target_offset = model->at[i], .bytes = 1,
				 .pattern = 1 + i, .pattern_bytes = 1 };
	plait_node after[MOST];
	plait_graph *body = NULL;
	uint64_t count = 0;

	for (uint32_t k = 0; k < i; k++)
		if (model->is_there[k] && model->has_edge[k][i])
			after[count++] = model->nodes[k];
	if (model->loops[i])
		desc = (plait_node_desc){ .size = sizeof(desc), .times = 2,
					  .kind = PLAIT_NODE_REPEAT };
	if (model->calls[i])
		desc = (plait_node_desc){ .size = sizeof(desc),
					  .kind = PLAIT_NODE_CALL,
					  .flags = PLAIT_CALL_ANY_THREAD,
					  .function = nothing };
	IS_INT(plait_graph_add(graph, &desc, after, count, &model->nodes[i],
			       &error), PLAIT_OK);
	if (!model->loops[i] || model->calls[i])
		return;
	IS_INT(plait_graph_body(graph, model->nodes[i], 0, &body, &error),
	       PLAIT_OK);
	(void)fill(body, model->at[i], 1 + i, 0);
	plait_graph_release(body);
}

static void remove_some(struct model *model, plait_graph *graph,
			uint64_t *random)
{
	plait_node gone[3];
	uint32_t count = 0;

	for (uint32_t k = 0; k < 3; k++) {
		uint32_t i = below(random, model->count);

		if (!model->is_there[i])
			continue;
		model->is_there[i] = false;
		gone[count++] = model->nodes[i];
	}
	IS_INT(plait_graph_remove(graph, gone, count, &error), PLAIT_OK);
}

static void remove_one_edge(struct model *model, plait_graph *graph,
			    uint64_t *random)
{
	uint32_t a = below(random, model->count);
	uint32_t b = below(random, model->count);

	if (!model->is_there[a] || !model->is_there[b] ||
	    !model->has_edge[a][b])
		return;
	model->has_edge[a][b] = false;
	IS_INT(plait_graph_remove_edge(graph, model->nodes[a],
				       model->nodes[b], &error), PLAIT_OK);
}

/* Build by adding and removing in turn. */
static plait_graph *edited(struct model *model, uint64_t *random)
{
	plait_graph *graph = new_graph();

	while (model->count < MOST) {
		uint32_t i = model->count;

		model->at[i] = (uint8_t)below(random, BYTES);
		model->loops[i] = below(random, 6) == 0;
		model->calls[i] = below(random, 4) == 0;
		for (uint32_t k = 0; k < i; k++)
			model->has_edge[k][i] = below(random, 8) == 0;
		add_node(model, graph, i);
		model->is_there[i] = true;
		model->count++;
		if (below(random, 3) == 0)
			remove_some(model, graph, random);
		if (below(random, 2) == 0)
			remove_one_edge(model, graph, random);
	}
	return graph;
}

static plait_graph *built_anew(struct model *model)
{
	plait_graph *graph = new_graph();

	for (uint32_t i = 0; i < model->count; i++)
		if (model->is_there[i])
			add_node(model, graph, i);
	return graph;
}

static void same(plait_graph *left, plait_graph *right, uint32_t flags)
{
	plait_plan_info one = run(left, flags), other;
	unsigned char kept[BYTES];

	memcpy(kept, memory, BYTES);
	other = run(right, flags);
	IS_INT(one.nodes, other.nodes);
	IS_INT(one.edges, other.edges);
	IS_INT(one.lanes, other.lanes);
	IS_INT(one.commands, other.commands);
	IS_INT(one.waits, other.waits);
	IS_INT(one.regions, other.regions);
	IS_INT(one.makespan, other.makespan);
	if ((flags & PLAIT_FREEZE_PROGRAM_ORDER) != 0)
		OK(memcmp(kept, memory, BYTES) == 0);
}

static plait_graph *as_subgraph(plait_graph *graph)
{
	plait_graph *outer = new_graph();

	IS_INT(plait_graph_subgraph(outer, graph, 0, NULL, &error), PLAIT_OK);
	return outer;
}

static void random_edits(void)
{
	uint64_t random = tap_seed() + 1;

	for (int i = 0; i < 60; i++) {
		struct model model = { 0 };
		plait_graph *left = edited(&model, &random), *outer[2];
		plait_graph *right = built_anew(&model);
		uint64_t sizes[4] = { 0 };

		plait_graph_size(left, &sizes[0], &sizes[1], &error);
		plait_graph_size(right, &sizes[2], &sizes[3], &error);
		IS_INT(sizes[0], sizes[2]);
		IS_INT(sizes[1], sizes[3]);
		same(left, right, 0);
		same(left, right, PLAIT_FREEZE_CHECK |
				  PLAIT_FREEZE_PROGRAM_ORDER);
		outer[0] = as_subgraph(left);
		outer[1] = as_subgraph(right);
		same(outer[0], outer[1], PLAIT_FREEZE_PROGRAM_ORDER);
		plait_graph_release(outer[0]);
		plait_graph_release(outer[1]);
		plait_graph_release(left);
		plait_graph_release(right);
	}
}

static void with(void (*scenario)(void))
{
	if (open_all())
		scenario();
	close_all();
}

static void mistakes_opened(void) { with(mistakes); }
static void loops_opened(void) { with(loops); }
static void empty_bodies_opened(void) { with(empty_bodies); }
static void rotations_opened(void) { with(rotations); }
static void parameters_opened(void) { with(parameters); }
static void random_edits_opened(void) { with(random_edits); }

static const struct tap_scenario scenarios[] = {
	{ "refuses", mistakes_opened },
	{ "loops", loops_opened },
	{ "empty bodies", empty_bodies_opened },
	{ "rotations", rotations_opened },
	{ "parameters", parameters_opened },
	{ "random edits", random_edits_opened },
};
TAP_MAIN(scenarios)
