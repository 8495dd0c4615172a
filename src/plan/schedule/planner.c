/* SPDX-License-Identifier: MIT */
/* The planner's phases in their order, and the plan that they leave. */
#include "plan/schedule/planner.h"

#include "plan/schedule/planner_state.h"
#include "plan/simulate/simulate.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- what is handed through ---- */

static plait_status copy_devices(plait__build *build)
{
	const plait__input *input = build->input;
	plait__plan *plan = build->plan;
	uint32_t d;

	plan->devices_count = input->device_count;
	plan->devices = plait__work_take_zero(&build->work,
					      input->device_count,
					      sizeof(*plan->devices));
	if (plan->devices == NULL)
		return plait__build_no_memory(build);
	for (d = 0; d < input->device_count; d++) {
		plan->devices[d].name = input->devices[d].name;
		plan->devices[d].rank = input->devices[d].rank;
		plan->devices[d].flags = input->devices[d].flags;
		plan->devices[d].lane_limit = build->limits[d];
	}
	return PLAIT_OK;
}

/* Accesses lie in the order of their nodes; most graphs have them so. */
static plait_status sort_accesses(plait__build *build)
{
	const plait__input *input = build->input;
	plait__plan *plan = build->plan;
	const plait__input_node *node = input->nodes;
	uint32_t i, sum = plan->nodes[input->node_count].access_first;

	if (build->sorted_accesses && sum == input->tables.accesses_count)
		return PLAIT_OK;
	plait__work_give(&build->work, plan->accesses);
	plan->accesses_count = sum;
	plan->accesses = plait__work_take(&build->work, sum,
					  sizeof(*plan->accesses));
	if (plan->accesses == NULL)
		return plait__build_no_memory(build);
	for (i = 0; i < input->node_count; i++, node++)
		if (node->access_count > 0)
			memcpy(plan->accesses + plan->nodes[i].access_first,
			       input->tables.accesses + node->access_first,
			       node->access_count * sizeof(*plan->accesses));
	return PLAIT_OK;
}

#define COPY_TABLE(type, name)						\
	plan->name##_count = from->name##_count;			\
	plan->name = plait__work_take(&build->work, from->name##_count,	\
				      sizeof(type));			\
	if (plan->name == NULL)						\
		return plait__build_no_memory(build);			\
	if (from->name##_count > 0)					\
		memcpy(plan->name, from->name,				\
		       from->name##_count * sizeof(type));

static plait_status copy_tables(plait__build *build)
{
	const plait__input_tables *from = &build->input->tables;
	plait__plan *plan = build->plan;

	PLAIT__PLAN_TABLES(COPY_TABLE)
	/* Without strings there is still the empty one, at 0. */
	if (plan->strings_count == 0) {
		plan->strings_count = 1;
		plan->strings[0] = '\0';
	}
	return sort_accesses(build);
}

static uint32_t region_of(const plait__build *build, uint32_t region)
{
	if (build->region_of == NULL || region >= build->input->region_count)
		return PLAIT__NONE;
	return build->region_of[region];
}

/* Regions have other numbers in the plan; those of a partial plan that are
 * left out have none. */
static plait_status number_regions(const plait__build *build)
{
	plait__plan *plan = build->plan;

	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_INDEX)
			plan->args[i].index = region_of(build,
							plan->args[i].index);
	for (uint32_t i = 0; i < plan->rotations_count; i++)
		plan->rotations[i].region =
			region_of(build, plan->rotations[i].region);
	return PLAIT_OK;
}

static void clean_names(plait__plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->devices_count; i++)
		if (plan->devices[i].name >= plan->strings_count)
			plan->devices[i].name = 0;
}

/* ---- the phases ---- */

/* The two largest arrays of a plan lie where its working memory was. */
static plait_status open_slabs(plait__build *build)
{
	plait__work *work = &build->work;
	uint64_t nodes = build->input->node_count + 1ull, commands = 1;

	for (uint32_t s = 0; s < build->scope_count; s++)
		commands += build->scopes[s].t_count;
	if (plait__work_open_slab(work, PLAIT__WORK_LATE, nodes *
				  sizeof(plait__plan_node)) != PLAIT_OK ||
	    plait__work_open_slab(work, PLAIT__WORK_EARLY, commands *
				  sizeof(plait__plan_command)) != PLAIT_OK)
		return plait__build_no_memory(build);
	return PLAIT_OK;
}

/* What only the choice of lanes needed. */
static void give_graph(plait__build *build)
{
	plait__work *work = &build->work;

	if (build->options->mode == PLAIT__MODE_HELPED)
		return;
	plait__work_give(work, build->level);
	plait__work_give(work, build->rank);
	build->level = NULL;
	build->rank = NULL;
}

/* What nobody needs once the plan stands, but for its nodes: they and the
 * tables that are copied then are most of it where nodes have arguments. */
static void give_working(plait__build *build)
{
	void *const blocks[] = {
		build->level, build->rank, build->cost, build->pred_first,
		build->preds, build->succ_first, build->succs, build->seq,
		build->lane, build->lane_global, build->lane_device,
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		plait__work_give(&build->work, blocks[i]);
	build->level = NULL;
	build->rank = build->cost = NULL;
	build->pred_first = build->preds = NULL;
	build->succ_first = build->succs = NULL;
	build->seq = build->lane = NULL;
	build->lane_global = build->lane_device = NULL;
}

static void give_numbers(plait__build *build)
{
	plait__work_give(&build->work, build->node_of);
	plait__work_give(&build->work, build->command_of);
	build->node_of = build->command_of = NULL;
}

static plait_status run_phases(plait__build *build)
{
	plait_status status = plait__build_validate(build);

	if (status == PLAIT_OK)
		status = plait__build_select(build);
	if (status == PLAIT_OK)
		status = open_slabs(build);
	if (status == PLAIT_OK)
		status = copy_devices(build);
	if (status == PLAIT_OK)
		status = plait__build_order(build);
	if (status == PLAIT_OK)
		status = plait__build_reduce(build);
	if (status == PLAIT_OK)
		status = plait__build_carried(build);
	if (status == PLAIT_OK)
		status = plait__build_lanes(build);
	if (status != PLAIT_OK)
		return status;
	give_graph(build);
	status = plait__build_layout(build);
	if (status == PLAIT_OK)
		status = plait__build_waits(build);
	if (status == PLAIT_OK)
		status = plait__build_memory(build);
	if (status == PLAIT_OK)
		status = plait__build_signals(build);
	if (status == PLAIT_OK)
		status = plait__build_segments(build);
	if (status != PLAIT_OK)
		return status;
	give_working(build);
	status = plait__build_nodes(build);
	give_numbers(build);
	if (status == PLAIT_OK)
		status = copy_tables(build);
	if (status == PLAIT_OK)
		status = number_regions(build);
	return status;
}

/* Arrays become the plan's own; one that cannot stays on the ledger. */
#define KEEP_ARRAY(type, name)						\
	block = plan->name;						\
	plan->name = NULL;						\
	if (status == PLAIT_OK && block != NULL)			\
		status = plait__work_keep(&build->work, block,		\
					  plan->name##_count,		\
					  sizeof(type),			\
					  (void **)&plan->name);	\
	if (plan->name == NULL)						\
		plan->name##_count = 0;

static plait_status keep_plan(plait__build *build, plait__plan **out)
{
	plait__plan *plan = build->plan;
	plait_status status = PLAIT_OK;
	void *block;

	clean_names(plan);
	PLAIT__PLAN_ARRAYS(KEEP_ARRAY)
	if (status == PLAIT_OK)
		status = plait__work_keep(&build->work, plan, 1, sizeof(*plan),
					  &block);
	if (status == PLAIT_OK) {
		*out = block;
		return PLAIT_OK;
	}
	/* The plan itself is still on the ledger: give back its arrays. */
#define FREE_ARRAY(type, name)						\
	plait__free(build->work.allocator, plan->name,			\
		    (uint64_t)plan->name##_count * sizeof(type));
	PLAIT__PLAN_ARRAYS(FREE_ARRAY)
	return plait__build_no_memory(build);
}

static plait_status begin_plan(plait__build *build)
{
	plait__plan *plan = plait__work_take_zero(&build->work, 1,
						  sizeof(*plan));

	if (plan == NULL)
		return plait__build_no_memory(build);
	plan->allocator = *build->work.allocator;
	plan->mode = build->options->mode;
	plan->policy = build->options->policy;
	plan->hop_cost = build->options->hop_cost;
	build->plan = plan;
	return PLAIT_OK;
}

static void find_scopes(plait__build *build)
{
	build->input_scopes = build->input->scopes;
	build->scope_count = build->input->scope_count;
	if (build->scope_count > 0)
		return;
	build->whole_scope.node_count = build->input->node_count;
	build->whole_scope.region = PLAIT__NONE;
	build->input_scopes = &build->whole_scope;
	build->scope_count = 1;
}

/*
 * What the plan says is what its simulation says.  While lanes were chosen a
 * region kept all its lanes for all its time, and stubs cost what they stand
 * for: an estimate, and no less than it is.  Chains, and parts of other plans,
 * were made without a look at hops.
 */
static bool is_estimate(const plait__build *build)
{
	return build->plan->regions_count > 0 || build->has_several ||
	       build->options->hop_cost > 0;
}

static plait_status predict(plait__plan *plan, plait_error *error)
{
	const plait__simulate_system system = { .hop_cost = plan->hop_cost };
	plait__timeline *timeline;
	plait_status status = plait__plan_simulate(
		plan, &system, &plan->allocator, &timeline, error);

	if (status != PLAIT_OK)
		return status;
	for (uint32_t i = 0; i < plan->bodies_count; i++)
		plan->bodies[i].makespan = timeline->body_makespan[i];
	plan->makespan = timeline->makespan;
	plait__timeline_release(timeline);
	return PLAIT_OK;
}

plait_status plait__plan_build(const plait__input *input,
			       const plait__input_options *options,
			       const plait_allocator *allocator,
			       plait__plan_counts *counts,
			       plait__plan **out, plait_error *error)
{
	static const plait__input_options defaults;
	plait__plan_counts ignored;
	plait__build build;
	plait_status status;
	bool estimated;

	*out = NULL;
	memset(&build, 0, sizeof(build));
	build.input = input;
	build.options = options == NULL ? &defaults : options;
	build.counts = counts == NULL ? &ignored : counts;
	build.error = error;
	memset(build.counts, 0, sizeof(*build.counts));
	plait__work_init(&build.work, allocator == NULL ? plait__alloc_default()
							: allocator);
	find_scopes(&build);
	status = begin_plan(&build);
	if (status == PLAIT_OK)
		status = run_phases(&build);
	estimated = status == PLAIT_OK && is_estimate(&build);
	if (status == PLAIT_OK)
		status = keep_plan(&build, out);
	build.counts->peak_bytes = build.work.peak_bytes;
	plait__work_fini(&build.work);
	if (status == PLAIT_OK && estimated)
		status = predict(*out, error);
	if (status != PLAIT_OK) {
		plait__plan_release(*out);
		*out = NULL;
	}
	return status;
}
