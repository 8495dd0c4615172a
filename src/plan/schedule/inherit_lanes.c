/* SPDX-License-Identifier: MIT */
/*
 * Lanes of a partial plan: each node keeps its lane and its order from the plan
 * of the whole graph.
 */
#include "plan/schedule/phases.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

static plait_status fail_whole(plait__planner_state *planner, const char *what)
{
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "the whole plan does not fit: %s", what);
}

/* All lanes of the whole plan are lanes of the part, used or not. */
static plait_status copy_lanes(plait__planner_state *planner)
{
	const plait__plan *whole = planner->options->whole;
	plait__planner_scope *scope = &planner->scopes[0];
	uint32_t i, lane;

	scope->lane_first = planner->lane_device_count;
	for (i = 0; i < whole->lanes_count; i++) {
		if (whole->lanes[i].device >= planner->input->device_count)
			return fail_whole(planner, "it has other devices");
		if (plait__planner_new_lane(planner, scope,
					    whole->lanes[i].device, &lane) !=
		    PLAIT_OK)
			return plait__planner_no_memory(planner);
	}
	return PLAIT_OK;
}

static const char *label_in(const plait__input *input, uint32_t node)
{
	uint32_t label = input->nodes[node].label;

	return label < input->tables.strings_count ?
	       input->tables.strings + label : "";
}

/* The node of this number in the whole plan must be the same node. */
static plait_status check_node(plait__planner_state *planner, uint32_t node,
			       const plait__plan_command *command)
{
	const char *there = plait__plan_node_label(planner->options->whole,
						   node);
	char text[PLAIT__NODE_TEXT_BYTES];

	if (planner->input->nodes[node].kind == command->kind &&
	    strcmp(label_in(planner->input, node), there) == 0)
		return PLAIT_OK;
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "the whole plan does not fit: in its graph %s is "
			   "node '%.*s', or of another kind; it is of another "
			   "graph",
			   plait__input_node_text(planner->input, node, text),
			   PLAIT__TEXT_FIT(there, 60));
}

/* In the order of the whole plan the extra commands of a node follow its main
 * one. */
static plait_status copy_commands(plait__planner_state *planner,
				  const uint32_t *t_of)
{
	const plait__plan *whole = planner->options->whole;
	const plait__plan_body *body = &whole->bodies[0];
	uint32_t i, k = 0, placed = planner->scopes[0].t_first, before = 0;

	for (i = 0; i < body->command_count; i++) {
		const plait__plan_command *command =
			&whole->commands[whole->order[i]];
		uint32_t node = command->node, t;

		if (node >= planner->input->node_count)
			return fail_whole(planner, "it has other nodes");
		t = t_of[node];
		if (t == PLAIT__NONE)
			continue;
		k = placed > planner->scopes[0].t_first && before == node ?
			k + 1 : 0;
		before = node;
		if (k > plait__planner_extra_items(planner, t).count ||
		    plait__planner_item_device(planner, t, k) !=
		    whole->lanes[command->lane].device)
			return fail_whole(planner, "a node has other commands");
		if (k == 0 && check_node(planner, node, command) != PLAIT_OK)
			return PLAIT_E_INVALID;
		planner->lane[plait__planner_item(planner, t,
						  k)] = command->lane;
		if (k == 0)
			planner->seq[placed++] = t;
	}
	if (placed != planner->scopes[0].t_first + planner->scopes[0].t_count)
		return fail_whole(planner, "a node of the part is not in it");
	return PLAIT_OK;
}

/* Every item must have a lane, and preds must come first. */
static plait_status check_items(plait__planner_state *planner, uint64_t *finish)
{
	const plait__planner_scope *scope = &planner->scopes[0];
	uint32_t i, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++)
		finish[i] = UINT64_MAX;
	for (i = scope->t_first; i < end; i++) {
		uint32_t t = planner->seq[i], p;

		for (k = 0; k <= plait__planner_extra_items(planner,
							    t).count; k++)
			if (planner->lane[plait__planner_item(planner, t, k)] ==
			    PLAIT__NONE)
				return fail_whole(planner,
						  "a node has fewer commands");
		for (p = planner->pred_first[t]; p < planner->pred_first[t + 1];
		     p++)
			if (finish[planner->preds[p]] == UINT64_MAX)
				return fail_whole(planner,
						  "its edges are others");
		finish[t] = 0;
	}
	return PLAIT_OK;
}

/* Returns the makespan with these lanes and this order.  check_items has
 * accepted lanes and order.  Sums do not overflow (critical_path.c). */
static uint64_t find_makespan(plait__planner_state *planner, uint64_t *finish,
			      uint64_t *lane_free)
{
	const plait__planner_scope *scope = &planner->scopes[0];
	uint32_t i, k, p, end = scope->t_first + scope->t_count;
	uint64_t makespan = 0;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = planner->seq[i];
		uint32_t more = plait__planner_extra_items(planner, t).count;
		uint64_t start = 0, *busy;

		for (p = planner->pred_first[t]; p < planner->pred_first[t + 1];
		     p++)
			if (finish[planner->preds[p]] > start)
				start = finish[planner->preds[p]];
		for (k = 0; k <= more; k++) {
			busy = &lane_free[planner->lane[
				plait__planner_item(planner, t, k)]];
			start = *busy > start ? *busy : start;
		}
		finish[t] = start + planner->cost[t];
		for (k = 0; k <= more; k++)
			lane_free[planner->lane[plait__planner_item(planner, t,
								    k)]] =
				finish[t];
		makespan = finish[t] > makespan ? finish[t] : makespan;
	}
	return makespan;
}

plait_status plait__inherit_lanes(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	plait__planner_scope *scope = &planner->scopes[0];
	uint32_t t, *t_of;
	uint64_t *finish, *lane_free;
	plait_status status = copy_lanes(planner);

	if (status != PLAIT_OK)
		return status;
	t_of = plait__workspace_alloc_none(work, planner->input->node_count,
					   sizeof(uint32_t));
	finish = plait__workspace_alloc(work, planner->node_count,
					sizeof(uint64_t));
	lane_free = plait__workspace_alloc_zero(work, scope->lane_count,
						sizeof(uint64_t));
	if (t_of == NULL || finish == NULL || lane_free == NULL)
		return plait__planner_no_memory(planner);
	for (t = scope->t_first; t < scope->t_first + scope->t_count; t++)
		t_of[planner->node_of[t]] = t;
	status = copy_commands(planner, t_of);
	if (status == PLAIT_OK)
		status = check_items(planner, finish);
	if (status == PLAIT_OK)
		scope->makespan = find_makespan(planner, finish, lane_free);
	plait__workspace_free(work, t_of);
	plait__workspace_free(work, finish);
	plait__workspace_free(work, lane_free);
	return status;
}
