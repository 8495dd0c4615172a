/* SPDX-License-Identifier: MIT */
/* Phases of the planner in order, and the plan that they leave. */
#include "plan/schedule/planner.h"

#include "plan/schedule/phases.h"
#include "plan/schedule/resource_units.h"
#include "plan/simulate/simulate.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- copied tables ---- */

static plait_status copy_devices(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	plait__plan *plan = planner->plan;
	uint32_t d;

	plan->devices_count = input->device_count;
	plan->devices = plait__workspace_alloc_zero(&planner->work,
						    input->device_count,
						    sizeof(*plan->devices));
	if (plan->devices == NULL)
		return plait__planner_no_memory(planner);
	for (d = 0; d < input->device_count; d++) {
		plan->devices[d].name = input->devices[d].name;
		plan->devices[d].rank = input->devices[d].rank;
		plan->devices[d].flags = input->devices[d].flags;
		plan->devices[d].lane_limit = planner->limits[d];
	}
	return PLAIT_OK;
}

/* Sort accesses by node; most graphs have them so.  plait__emit_nodes has set
 * access_first. */
static plait_status sort_accesses(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	plait__plan *plan = planner->plan;
	const plait__input_node *node = input->nodes;
	uint32_t i, sum = plan->nodes[input->node_count].access_first;

	if (planner->sorted_accesses && sum == input->tables.accesses_count)
		return PLAIT_OK;
	plait__workspace_free(&planner->work, plan->accesses);
	plan->accesses_count = sum;
	plan->accesses = plait__workspace_alloc(&planner->work, sum,
						sizeof(*plan->accesses));
	if (plan->accesses == NULL)
		return plait__planner_no_memory(planner);
	for (i = 0; i < input->node_count; i++, node++)
		if (node->access_count > 0)
			memcpy(plan->accesses + plan->nodes[i].access_first,
			       input->tables.accesses + node->access_first,
			       node->access_count * sizeof(*plan->accesses));
	return PLAIT_OK;
}

#define COPY_TABLE(type, name)						\
	plan->name##_count = from->name##_count;			\
	plan->name = plait__workspace_alloc(&planner->work, from->name##_count, \
					sizeof(type));			\
	if (plan->name == NULL)						\
		return plait__planner_no_memory(planner);		\
	if (from->name##_count > 0)					\
		memcpy(plan->name, from->name,				\
		       from->name##_count * sizeof(type));

static plait_status copy_tables(plait__planner_state *planner)
{
	const plait__input_tables *from = &planner->input->tables;
	plait__plan *plan = planner->plan;

	PLAIT__PLAN_TABLES(COPY_TABLE)
	/* strings[0] is always the empty string. */
	if (plan->strings_count == 0) {
		plan->strings_count = 1;
		plan->strings[0] = '\0';
	}
	return sort_accesses(planner);
}

static uint32_t region_of(const plait__planner_state *planner, uint32_t region)
{
	if (planner->region_of == NULL ||
	    region >= planner->input->region_count)
		return PLAIT__NONE;
	return planner->region_of[region];
}

/* Renumber regions: they have other indices in the plan, and none if a partial
 * plan leaves them out. */
static plait_status number_regions(const plait__planner_state *planner)
{
	plait__plan *plan = planner->plan;

	for (uint32_t i = 0; i < plan->args_count; i++)
		if (plan->args[i].kind == PLAIT__ARG_INDEX)
			plan->args[i].index = region_of(planner,
							plan->args[i].index);
	for (uint32_t i = 0; i < plan->rotations_count; i++)
		plan->rotations[i].region =
			region_of(planner, plan->rotations[i].region);
	for (uint32_t i = 0; i < plan->series_count; i++)
		plan->series[i].region =
			region_of(planner, plan->series[i].region);
	return PLAIT_OK;
}

static void clean_names(plait__plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->devices_count; i++)
		if (plan->devices[i].name >= plan->strings_count)
			plan->devices[i].name = 0;
}

/* ---- phases ---- */

/* The two largest arrays of the plan reuse pages of the workspace. */
static plait_status open_slabs(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	uint64_t nodes = planner->input->node_count + 1ull, commands = 1;

	for (uint32_t s = 0; s < planner->scope_count; s++)
		commands += planner->scopes[s].t_count;
	if (plait__workspace_open_slab(work, PLAIT__WORKSPACE_LATE, nodes *
				       sizeof(plait__plan_node)) != PLAIT_OK ||
	    plait__workspace_open_slab(work, PLAIT__WORKSPACE_EARLY, commands *
				       sizeof(plait__plan_command)) != PLAIT_OK)
		return plait__planner_no_memory(planner);
	return PLAIT_OK;
}

/* Free the arrays that only lane assignment needs. */
static void free_graph(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;

	if (planner->options->mode == PLAIT__MODE_HELPED)
		return;
	plait__workspace_free(work, planner->level);
	plait__workspace_free(work, planner->rank);
	planner->level = NULL;
	planner->rank = NULL;
}

/*
 * Free the workspace arrays that are unused once all arrays but the nodes are
 * emitted.  Nodes and copied tables are the larger part of a plan if nodes
 * have arguments.
 */
static void free_working(plait__planner_state *planner)
{
	void *const blocks[] = {
		planner->level, planner->rank, planner->cost, planner->pred_first,
		planner->preds, planner->succ_first, planner->succs, planner->seq,
		planner->lane, planner->lane_global, planner->lane_device,
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		plait__workspace_free(&planner->work, blocks[i]);
	planner->level = NULL;
	planner->rank = planner->cost = NULL;
	planner->pred_first = planner->preds = NULL;
	planner->succ_first = planner->succs = NULL;
	planner->seq = planner->lane = NULL;
	planner->lane_global = planner->lane_device = NULL;
}

static void free_numbers(plait__planner_state *planner)
{
	plait__workspace_free(&planner->work, planner->node_of);
	plait__workspace_free(&planner->work, planner->command_of);
	planner->node_of = planner->command_of = NULL;
}

static plait_status run_phases(plait__planner_state *planner)
{
	plait_status status = plait__validate_input(planner);

	if (status == PLAIT_OK)
		status = plait__select_subgraph(planner);
	if (status == PLAIT_OK)
		status = open_slabs(planner);
	if (status == PLAIT_OK)
		status = copy_devices(planner);
	if (status == PLAIT_OK)
		status = plait__toposort(planner);
	if (status == PLAIT_OK)
		status = plait__transitive_reduction(planner);
	if (status == PLAIT_OK)
		status = plait__loop_carried_check(planner);
	if (status == PLAIT_OK)
		status = plait__assign_lanes(planner);
	if (status != PLAIT_OK)
		return status;
	free_graph(planner);
	status = plait__emit_commands(planner);
	if (status == PLAIT_OK)
		status = plait__emit_waits(planner);
	if (status == PLAIT_OK)
		status = plait__scratch_offsets_assign(planner);
	if (status == PLAIT_OK)
		status = plait__signal_slots_assign(planner);
	if (status == PLAIT_OK)
		status = plait__segments_find(planner);
	if (status != PLAIT_OK)
		return status;
	free_working(planner);
	status = plait__emit_nodes(planner);
	free_numbers(planner);
	if (status == PLAIT_OK)
		status = copy_tables(planner);
	if (status == PLAIT_OK)
		status = number_regions(planner);
	return status;
}

/* Hand the arrays to the plan; one that fails stays in the workspace. */
#define KEEP_ARRAY(type, name)						\
	block = plan->name;						\
	plan->name = NULL;						\
	if (status == PLAIT_OK && block != NULL)			\
		status = plait__workspace_keep(&planner->work, block,	\
					       plan->name##_count,	\
					       sizeof(type),		\
					       (void **)&plan->name);	\
	if (plan->name == NULL)						\
		plan->name##_count = 0;

static plait_status keep_plan(plait__planner_state *planner, plait__plan **out)
{
	plait__plan *plan = planner->plan;
	plait_status status = PLAIT_OK;
	void *block;

	clean_names(plan);
	PLAIT__PLAN_ARRAYS(KEEP_ARRAY)
	if (status == PLAIT_OK)
		status = plait__workspace_keep(&planner->work, plan, 1,
					       sizeof(*plan), &block);
	if (status == PLAIT_OK) {
		*out = block;
		return PLAIT_OK;
	}
	/* The plan itself is still in the workspace: free its arrays. */
#define FREE_ARRAY(type, name)						\
	plait__free(planner->work.allocator, plan->name,		\
		    (uint64_t)plan->name##_count * sizeof(type));
	PLAIT__PLAN_ARRAYS(FREE_ARRAY)
	return plait__planner_no_memory(planner);
}

static plait_status begin_plan(plait__planner_state *planner)
{
	plait__plan *plan = plait__workspace_alloc_zero(&planner->work, 1,
							sizeof(*plan));

	if (plan == NULL)
		return plait__planner_no_memory(planner);
	plan->allocator = *planner->work.allocator;
	plan->mode = planner->options->mode;
	plan->policy = planner->options->policy;
	plan->hop_cost = planner->options->hop_cost;
	planner->plan = plan;
	return PLAIT_OK;
}

static void find_scopes(plait__planner_state *planner)
{
	planner->input_scopes = planner->input->scopes;
	planner->scope_count = planner->input->scope_count;
	if (planner->scope_count > 0)
		return;
	planner->whole_scope.node_count = planner->input->node_count;
	planner->whole_scope.region = PLAIT__NONE;
	planner->input_scopes = &planner->whole_scope;
	planner->scope_count = 1;
}

/*
 * Returns true if the makespans found by lane assignment are estimates; then
 * the simulation's replace them.  Lane assignment keeps all lanes of a region
 * busy for all its time, and charges stubs the cost of their command: never
 * less than the simulated time.  Chain covers and inherited lanes ignore hop
 * costs.
 */
static bool is_estimate(const plait__planner_state *planner)
{
	return planner->plan->regions_count > 0 || planner->has_several ||
	       planner->options->hop_cost > 0;
}

static plait_status predict(plait__plan *plan, plait_error *error)
{
	const plait__simulate_system system = { .hop_cost = plan->hop_cost };
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(
		plan, &system, &plan->allocator, &timeline, error);

	if (status != PLAIT_OK)
		return status;
	for (uint32_t i = 0; i < plan->bodies_count; i++)
		plan->bodies[i].makespan = timeline->body_makespan[i];
	plan->makespan = timeline->makespan;
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

static plait_status plan_once(const plait__input *input,
			      const plait__input_options *options,
			      const plait_allocator *allocator,
			      plait__planner_counts *counts,
			      plait__plan **out, plait_error *error)
{
	static const plait__input_options defaults;
	plait__planner_counts ignored;
	plait__planner_state planner;
	plait_status status;
	bool estimated;

	*out = NULL;
	memset(&planner, 0, sizeof(planner));
	planner.input = input;
	planner.options = options == NULL ? &defaults : options;
	planner.counts = counts == NULL ? &ignored : counts;
	planner.error = error;
	memset(planner.counts, 0, sizeof(*planner.counts));
	plait__workspace_init(&planner.work, allocator == NULL ?
			      plait__alloc_default() : allocator);
	find_scopes(&planner);
	status = begin_plan(&planner);
	if (status == PLAIT_OK)
		status = run_phases(&planner);
	estimated = status == PLAIT_OK && is_estimate(&planner);
	if (status == PLAIT_OK)
		status = keep_plan(&planner, out);
	planner.counts->peak_bytes = planner.work.peak_bytes;
	plait__workspace_fini(&planner.work);
	if (status == PLAIT_OK && estimated)
		status = predict(*out, error);
	if (status != PLAIT_OK) {
		plait__plan_release(*out);
		*out = NULL;
	}
	return status;
}

/* Plan without limits, choose the units in that order, and plan with the edges
 * between holders. */
static plait_status plan_limited(const plait__input *input,
				 const plait__input_options *options,
				 const plait_allocator *allocator,
				 plait__planner_counts *counts,
				 plait__plan **out, plait_error *error)
{
	plait__workspace work;
	plait__input limited;
	plait__plan *free;
	plait_status status = plan_once(input, options, allocator, counts,
					&free, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	plait__workspace_init(&work, allocator == NULL ?
			      plait__alloc_default() : allocator);
	status = plait__resource_units_choose(input, free, &work, &limited,
					      error);
	plait__plan_release(free);
	if (status == PLAIT_OK)
		status = plan_once(&limited, options, allocator, counts, out,
				   error);
	plait__workspace_fini(&work);
	return status;
}

plait_status plait__planner_run(const plait__input *input,
				const plait__input_options *options,
				const plait_allocator *allocator,
				plait__planner_counts *counts,
				plait__plan **out, plait_error *error)
{
	return plait__resource_units_are_open(input) ?
	       plan_limited(input, options, allocator, counts, out, error) :
	       plan_once(input, options, allocator, counts, out, error);
}
