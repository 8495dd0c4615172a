/* SPDX-License-Identifier: MIT */
/* Sized structs of graphs, and of plans as data. */
#include "sizes.h"

/* ---- in ---- */

static plait_status add(const plait_node_desc *desc)
{
	plait_graph *graph = NULL;
	plait_status status;

	if (!IS_INT(plait_graph_create(stage.rig.context, &graph, NULL),
		    PLAIT_OK))
		return PLAIT_E_INTERNAL;
	status = plait_graph_add(graph, desc, NULL, 0, NULL, &stage.error);
	plait_graph_release(graph);
	return status;
}

static plait_status try_node(struct trial *trial)
{
	const plait_node_desc good = { .kind = PLAIT_NODE_FILL, .bytes = 8,
				       .pattern_bytes = 1, .label = "fill",
				       .target = stage.buffer };

	return add(GIVEN(good));
}

/* The launches and arguments of nodes are read by other code than those of
 * queues. */
static plait_status add_launch(const plait_launch *launch,
			       const plait_argument *arguments)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = stage.kernel, .launch = launch,
		.arguments = arguments, .argument_count = 2
	};

	return add(&desc);
}

static plait_status try_launch(struct trial *trial)
{
	const plait_launch good = { .dimensions = 1, .items = { 2 } };
	const plait_argument arguments[] = {
		{ .size = sizeof(*arguments), .name = "x",
		  .kind = PLAIT_ARGUMENT_PARAMETER },
		{ .size = sizeof(*arguments), .name = "by",
		  .kind = PLAIT_ARGUMENT_PARAMETER },
	};

	return add_launch(GIVEN(good), arguments);
}

static plait_status try_argument(struct trial *trial)
{
	const uint32_t by = 1;
	const plait_argument good[] = {
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = stage.buffer },
		{ .value = &by, .bytes = sizeof(by) },
	};

	return add_launch(NULL, GIVEN_ALL(good));
}

/* The items of a launch in a loop. */
static plait_status try_series(struct trial *trial)
{
	const plait_series good = { .scale = 1, .limit = 3 };
	const uint32_t by = 1;
	const plait_argument arguments[] = { PLAIT_BUFFER(stage.buffer),
					     PLAIT_VALUE(by) };
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = stage.kernel, .arguments = arguments,
		.argument_count = 2, .series = GIVEN(good), .series_count = 1
	};
	plait_graph *graph = NULL, *body = NULL;
	plait_status status;

	if (!IS_INT(plait_graph_create(stage.rig.context, &graph, NULL),
		    PLAIT_OK) ||
	    !IS_INT(plait_graph_repeat(graph, 2, 0, &body, NULL, NULL),
		    PLAIT_OK))
		return PLAIT_E_INTERNAL;
	status = plait_graph_add(body, &desc, NULL, 0, NULL, &stage.error);
	plait_graph_release(body);
	plait_graph_release(graph);
	return status;
}

static plait_status try_freeze(struct trial *trial)
{
	const plait_freeze_desc good = { .flags = PLAIT_FREEZE_CHECK,
					 .lanes = 2 };
	plait_plan *plan = NULL;
	plait_status status = plait_graph_freeze(stage.graph, GIVEN(good),
						 &plan, &stage.error);

	plait_plan_release(plan);
	return status;
}

static plait_status try_function(struct trial *trial)
{
	const plait_function_desc good = { .flags = PLAIT_CALL_ANY_THREAD,
					   .function = add_one,
					   .user_data = &stage.count };

	return plait_plan_bind_function(stage.named, "count", GIVEN(good),
					&stage.error);
}

static plait_status try_system(struct trial *trial)
{
	const plait_system_desc good = { .hop_cost = 1 };
	plait_simulation out = { .size = sizeof(out) };

	return plait_plan_simulate(stage.plan, GIVEN(good), &out, NULL, 0,
				   &stage.error);
}

/* ---- out ---- */

static plait_status try_info(struct trial *trial)
{
	const plait_plan_info good = { .size = 0 };

	return plait_plan_query(stage.plan, GIVEN(good), &stage.error);
}

static plait_status try_simulation(struct trial *trial)
{
	const plait_simulation good = { .size = 0 };

	return plait_plan_simulate(stage.plan, NULL, GIVEN(good), NULL, 0,
				   &stage.error);
}

static plait_status try_lane(struct trial *trial)
{
	const plait_lane_use good = { .size = 0 };
	plait_simulation out = { .size = sizeof(out) };

	return plait_plan_simulate(stage.plan, NULL, &out, GIVEN(good), 1,
				   &stage.error);
}

static plait_status try_critical(struct trial *trial)
{
	const plait_critical_command good = { .size = 0 };

	return plait_plan_critical_path(stage.plan, NULL, GIVEN(good), 1,
				   &stage.error);
}

static plait_status try_binding(struct trial *trial)
{
	const plait_plan_binding good = { .size = 0 };

	return plait_plan_query_binding(stage.named, 0, GIVEN(good),
					&stage.error);
}

const struct sized sized_graphs[] = {
	SIZED(plait_node_desc, try_node, false),
	SIZED(plait_launch, try_launch, false),
	SIZED(plait_argument, try_argument, false),
	SIZED(plait_series, try_series, false),
	SIZED(plait_freeze_desc, try_freeze, false),
	SIZED(plait_function_desc, try_function, false),
	SIZED(plait_system_desc, try_system, false),
	SIZED(plait_plan_info, try_info, true),
	SIZED(plait_simulation, try_simulation, true),
	SIZED(plait_lane_use, try_lane, true),
	SIZED(plait_critical_command, try_critical, true),
	SIZED(plait_plan_binding, try_binding, true),
	{ .call = NULL }
};
