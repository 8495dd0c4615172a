/* SPDX-License-Identifier: MIT */
/*
 * Lanes of a partial plan: those that its nodes have in the plan of the whole
 * graph, under the same numbers, in the order that they have there.
 */
#include "plan/schedule/planner_state.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

static plait_status fail_whole(plait__build *build, const char *what)
{
	return plait__fail(build->error, PLAIT_E_INVALID,
			   "the whole plan does not fit: %s", what);
}

/* All lanes of the whole are lanes of the part, used or not. */
static plait_status copy_lanes(plait__build *build)
{
	const plait__plan *whole = build->options->whole;
	plait__build_scope *scope = &build->scopes[0];
	uint32_t i, lane;

	scope->lane_first = build->lane_device_count;
	for (i = 0; i < whole->lanes_count; i++) {
		if (whole->lanes[i].device >= build->input->device_count)
			return fail_whole(build, "it has other devices");
		if (plait__build_new_lane(build, scope,
					  whole->lanes[i].device, &lane) !=
		    PLAIT_OK)
			return plait__build_no_memory(build);
	}
	return PLAIT_OK;
}

static const char *label_in(const plait__input *input, uint32_t node)
{
	uint32_t label = input->nodes[node].label;

	return label < input->tables.strings_count ?
	       input->tables.strings + label : "";
}

/* What has the number of a node of the part is that node. */
static plait_status check_node(plait__build *build, uint32_t node,
			       const plait__plan_command *command)
{
	const char *there = plait__plan_node_label(build->options->whole,
						   node);
	char text[PLAIT__NODE_TEXT_BYTES];

	if (build->input->nodes[node].kind == command->kind &&
	    strcmp(label_in(build->input, node), there) == 0)
		return PLAIT_OK;
	return plait__fail(build->error, PLAIT_E_INVALID,
			   "the whole plan does not fit: in its graph %s is "
			   "node '%.*s', or of another kind; it is of another "
			   "graph",
			   plait__input_node_text(build->input, node, text),
			   PLAIT__TEXT_FIT(there, 60));
}

/* The order of the whole has a node's further commands after its main one. */
static plait_status take_commands(plait__build *build, const uint32_t *t_of)
{
	const plait__plan *whole = build->options->whole;
	const plait__plan_body *body = &whole->bodies[0];
	uint32_t i, k = 0, placed = build->scopes[0].t_first, before = 0;

	for (i = 0; i < body->command_count; i++) {
		const plait__plan_command *command =
			&whole->commands[whole->order[i]];
		uint32_t node = command->node, t;

		if (node >= build->input->node_count)
			return fail_whole(build, "it has other nodes");
		t = t_of[node];
		if (t == PLAIT__NONE)
			continue;
		k = placed > build->scopes[0].t_first && before == node ?
			k + 1 : 0;
		before = node;
		if (k > plait__build_more(build, t).count ||
		    plait__build_item_device(build, t, k) !=
		    whole->lanes[command->lane].device)
			return fail_whole(build, "a node has other commands");
		if (k == 0 && check_node(build, node, command) != PLAIT_OK)
			return PLAIT_E_INVALID;
		build->lane[plait__build_item(build, t, k)] = command->lane;
		if (k == 0)
			build->seq[placed++] = t;
	}
	if (placed != build->scopes[0].t_first + build->scopes[0].t_count)
		return fail_whole(build, "a node of the part is not in it");
	return PLAIT_OK;
}

/* Every item has a lane, and preds come before. */
static plait_status check_items(plait__build *build, uint64_t *finish)
{
	const plait__build_scope *scope = &build->scopes[0];
	uint32_t i, k, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++)
		finish[i] = UINT64_MAX;
	for (i = scope->t_first; i < end; i++) {
		uint32_t t = build->seq[i], p;

		for (k = 0; k <= plait__build_more(build, t).count; k++)
			if (build->lane[plait__build_item(build, t, k)] ==
			    PLAIT__NONE)
				return fail_whole(build,
						  "a node has fewer commands");
		for (p = build->pred_first[t]; p < build->pred_first[t + 1];
		     p++)
			if (finish[build->preds[p]] == UINT64_MAX)
				return fail_whole(build,
						  "its edges are others");
		finish[t] = 0;
	}
	return PLAIT_OK;
}

/* When everything would be done. */
static uint64_t find_makespan(plait__build *build, uint64_t *finish,
			      uint64_t *lane_free)
{
	const plait__build_scope *scope = &build->scopes[0];
	uint32_t i, k, p, end = scope->t_first + scope->t_count;
	uint64_t makespan = 0;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = build->seq[i];
		uint32_t more = plait__build_more(build, t).count;
		uint64_t start = 0, *busy;

		for (p = build->pred_first[t]; p < build->pred_first[t + 1];
		     p++)
			if (finish[build->preds[p]] > start)
				start = finish[build->preds[p]];
		for (k = 0; k <= more; k++) {
			busy = &lane_free[build->lane[
				plait__build_item(build, t, k)]];
			start = *busy > start ? *busy : start;
		}
		finish[t] = start + build->cost[t];
		for (k = 0; k <= more; k++)
			lane_free[build->lane[plait__build_item(build, t,
								k)]] =
				finish[t];
		makespan = finish[t] > makespan ? finish[t] : makespan;
	}
	return makespan;
}

plait_status plait__build_whole(plait__build *build)
{
	plait__work *work = &build->work;
	plait__build_scope *scope = &build->scopes[0];
	uint32_t t, *t_of;
	uint64_t *finish, *lane_free;
	plait_status status = copy_lanes(build);

	if (status != PLAIT_OK)
		return status;
	t_of = plait__work_take_none(work, build->input->node_count,
				     sizeof(uint32_t));
	finish = plait__work_take(work, build->node_count, sizeof(uint64_t));
	lane_free = plait__work_take_zero(work, scope->lane_count,
					  sizeof(uint64_t));
	if (t_of == NULL || finish == NULL || lane_free == NULL)
		return plait__build_no_memory(build);
	for (t = scope->t_first; t < scope->t_first + scope->t_count; t++)
		t_of[build->node_of[t]] = t;
	status = take_commands(build, t_of);
	if (status == PLAIT_OK)
		status = check_items(build, finish);
	if (status == PLAIT_OK)
		scope->makespan = find_makespan(build, finish, lane_free);
	plait__work_give(work, t_of);
	plait__work_give(work, finish);
	plait__work_give(work, lane_free);
	return status;
}
