/* SPDX-License-Identifier: MIT */
/*
 * Emission of the plan's arrays from the lanes of scopes: lanes, bodies,
 * tracks, commands in final places, order, regions, nodes.
 */
#include "plan/schedule/phases.h"

#include <string.h>

/* Map each lane of an inner scope to one of the lanes that its region has in
 * the outer scope.  Outer scopes have been mapped, and the region has an item
 * for each lane of its bodies (assign_lanes.c). */
static void map_scope(plait__planner_state *planner, uint32_t s, uint32_t *seen,
		      const uint32_t *t_of_region)
{
	const plait__planner_scope *scope = &planner->scopes[s];
	uint32_t region = planner->input_scopes[s].region, i, k, d;
	uint32_t t, home, more, *global = planner->lane_global;
	const plait__planner_scope *outer;

	if (region == PLAIT__NONE) {
		for (i = 0; i < scope->lane_count; i++)
			global[scope->lane_first + i] = i;
		return;
	}
	t = t_of_region[region];
	outer = &planner->scopes[planner->scope_of[planner->node_of[t]]];
	home = plait__planner_device(planner, t);
	more = plait__planner_extra_items(planner, t).count;
	/* seen: by device, the next item of the region to use. */
	memset(seen, 0, planner->input->device_count * sizeof(uint32_t));
	for (k = more; k >= 1; k--)
		seen[plait__planner_item_device(planner, t, k)] = k;
	for (k = 0, i = 0; i < scope->lane_count; i++) {
		d = planner->lane_device[scope->lane_first + i];
		if (d == home && k == 0) {
			k = 1;
			global[scope->lane_first + i] =
				global[outer->lane_first + planner->lane[t]];
			continue;
		}
		global[scope->lane_first + i] =
			global[outer->lane_first + planner->lane[
				plait__planner_item(planner, t, seen[d]++)]];
	}
}

static plait_status map_lanes(plait__planner_state *planner)
{
	uint32_t devices = planner->input->device_count, s, t;
	uint32_t *seen, *t_of_region;

	seen = plait__workspace_alloc(&planner->work, devices,
				      sizeof(uint32_t));
	t_of_region = plait__workspace_alloc(&planner->work,
					     planner->input->region_count,
					     sizeof(uint32_t));
	planner->lane_global = plait__workspace_alloc(&planner->work,
						  planner->lane_device_count,
						      sizeof(uint32_t));
	if (seen == NULL || t_of_region == NULL || planner->lane_global == NULL)
		return plait__planner_no_memory(planner);
	for (t = 0; planner->input->region_count > 0 && t < planner->node_count;
	     t++)
		if (plait__planner_node(planner, t)->kind == PLAIT__CMD_REGION)
			t_of_region[plait__planner_node(planner, t)->link] = t;
	for (s = 0; s < planner->scope_count; s++)
		if (planner->scopes[s].body != PLAIT__NONE)
			map_scope(planner, s, seen, t_of_region);
	plait__workspace_free(&planner->work, seen);
	plait__workspace_free(&planner->work, t_of_region);
	return PLAIT_OK;
}

/* ---- counting ---- */

static void count_all(plait__planner_state *planner, uint32_t *bodies,
		      uint32_t *tracks, uint32_t *regions)
{
	uint32_t s, t;

	*bodies = *tracks = *regions = 0;
	for (s = 0; s < planner->scope_count; s++) {
		if (planner->scopes[s].body == PLAIT__NONE)
			continue;
		*bodies += 1;
		*tracks += planner->scopes[s].lane_count;
	}
	for (t = 0; planner->input->region_count > 0 && t < planner->node_count;
	     t++)
		*regions += plait__planner_node(planner, t)->kind ==
			    PLAIT__CMD_REGION;
}

static uint32_t command_count(const plait__planner_state *planner)
{
	return planner->node_count + planner->extra_count;
}

static plait_status alloc_arrays(plait__planner_state *planner)
{
	plait__plan *plan = planner->plan;
	plait__workspace *work = &planner->work;
	uint64_t commands = command_count(planner);
	uint32_t bodies, tracks, regions;

	count_all(planner, &bodies, &tracks, &regions);
	plan->lanes_count = planner->scopes[0].lane_count;
	plan->bodies_count = bodies;
	plan->tracks_count = tracks;
	plan->regions_count = regions;
	plan->command_count = (uint32_t)commands;
	plan->commands_count = (uint32_t)commands + 1;
	plan->order_count = (uint32_t)commands;
	plan->lanes = plait__workspace_alloc_none(work, plan->lanes_count,
						  sizeof(*plan->lanes));
	plan->bodies = plait__workspace_alloc_zero(work, bodies,
						   sizeof(*plan->bodies));
	plan->tracks = plait__workspace_alloc_zero(work, tracks,
						   sizeof(*plan->tracks));
	plan->regions = plait__workspace_alloc_zero(work, regions,
						    sizeof(*plan->regions));
	plan->commands = plait__workspace_claim(work, PLAIT__WORKSPACE_EARLY,
						commands + 1,
						sizeof(*plan->commands));
	plan->order = plait__workspace_alloc(work, commands, sizeof(uint32_t));
	planner->command_of = plait__workspace_alloc(work, commands,
						     sizeof(uint32_t));
	if (plan->lanes == NULL || plan->bodies == NULL ||
	    plan->tracks == NULL || plan->regions == NULL ||
	    plan->commands == NULL || plan->order == NULL ||
	    planner->command_of == NULL)
		return plait__planner_no_memory(planner);
	memset(&plan->commands[commands], 0, sizeof(*plan->commands));
	return PLAIT_OK;
}

static void fill_lanes(plait__planner_state *planner)
{
	plait__plan *plan = planner->plan;
	uint32_t i;

	for (i = 0; i < plan->lanes_count; i++) {
		uint32_t device = planner->lane_device[planner->scopes[0]
						       .lane_first + i];

		plan->lanes[i].device = device;
		plan->lanes[i].rank = planner->input->devices[device].rank;
	}
}

/* ---- tracks ---- */

static void sink(plait__plan_track *tracks, uint32_t i, uint32_t count)
{
	plait__plan_track track = tracks[i];
	uint32_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count &&
		    tracks[child + 1].lane > tracks[child].lane)
			child++;
		if (tracks[child].lane <= track.lane)
			break;
		tracks[i] = tracks[child];
		i = child;
	}
	tracks[i] = track;
}

/* Sort ascending by lane.  `begins` temporarily holds the lane of the scope. */
static void sort_tracks(plait__plan_track *tracks, uint32_t count)
{
	plait__plan_track swap;
	uint32_t i;

	for (i = 1; i < count; i++)
		if (tracks[i].lane < tracks[i - 1].lane)
			break;
	if (i >= count)
		return;
	for (i = count / 2; i-- > 0;)
		sink(tracks, i, count);
	while (count-- > 1) {
		swap = tracks[0];
		tracks[0] = tracks[count];
		tracks[count] = swap;
		sink(tracks, 0, count);
	}
}

/* The counts of `tracks` are 0. */
static void count_commands(const plait__planner_state *planner,
			   const plait__planner_scope *scope,
			   plait__plan_track *tracks, const uint32_t *track_of)
{
	uint32_t t, k, end = scope->t_first + scope->t_count;

	for (t = scope->t_first; t < end; t++)
		tracks[track_of[planner->lane[t]]].count++;
	for (t = scope->t_first; t < end && planner->extras != NULL; t++)
		for (k = 1; k <= planner->extras[t].count; k++)
			tracks[track_of[planner->lane[plait__planner_item(
				planner, t, k)]]].count++;
}

/* Make the tracks of a body; `track_of` maps each lane of the scope to its
 * track. */
static void fill_tracks(plait__planner_state *planner,
			const plait__planner_scope *scope,
			plait__plan_body *body, uint32_t *track_of)
{
	plait__plan_track *tracks = planner->plan->tracks + body->track_first;
	uint32_t i, j, sum = body->command_first;

	for (i = 0; i < scope->lane_count; i++) {
		tracks[i].lane = planner->lane_global[scope->lane_first + i];
		tracks[i].begins = i;
		tracks[i].count = 0;
	}
	sort_tracks(tracks, scope->lane_count);
	for (i = 0; i < scope->lane_count; i++)
		track_of[tracks[i].begins] = i;
	count_commands(planner, scope, tracks, track_of);
	/* A lane of the whole plan that the part does not use has no track. */
	for (i = 0; i < scope->lane_count; i++) {
		if (tracks[i].count == 0)
			continue;
		j = body->track_count++;
		tracks[j].lane = tracks[i].lane;
		tracks[j].first = sum;
		sum += tracks[i].count;
		track_of[tracks[i].begins] = j;
		tracks[j].count = 0;
		tracks[j].begins = 0;
	}
	body->command_count = sum - body->command_first;
}

static uint8_t kind_of(const plait__planner_state *planner, uint32_t t,
		       uint32_t k)
{
	const plait__input_node *node = plait__planner_node(planner, t);

	if (k == 0 || plait__planner_is_group(planner, t))
		return node->kind;
	return node->kind == PLAIT__CMD_REGION ? PLAIT__CMD_ENTER
					       : PLAIT__CMD_BARRIER_STUB;
}

/* fill_tracks has kept the command's place in its track. */
static void fill_command(plait__planner_state *planner, uint32_t t, uint32_t k,
			 plait__plan_track *track, uint32_t *order)
{
	const plait__input_node *node = plait__planner_node(planner, t);
	uint32_t index = track->first + track->count;
	plait__plan_command *command = &planner->plan->commands[index];

	*command = (plait__plan_command){ .node = planner->node_of[t] };
	command->kind = kind_of(planner, t, k);
	command->flags = plait__planner_is_group(planner, t) ? PLAIT__CMD_MEMBER
							 : 0;
	command->priority = node->priority;
	command->lane = track->lane;
	command->position = track->count++;
	command->signal = PLAIT__NONE;
	command->link = command->kind == PLAIT__CMD_BARRIER_STUB ? PLAIT__NONE
							 : node->link;
	if (command->kind != PLAIT__CMD_BARRIER_STUB &&
	    command->kind != PLAIT__CMD_ENTER)
		command->cost = planner->cost[t];
	planner->command_of[plait__planner_item(planner, t, k)] = index;
	*order = index;
}

/* Every node is one command. */
static void fill_plain(plait__planner_state *planner,
		       const plait__planner_scope *scope,
		       plait__plan_track *tracks, uint32_t *order,
		       const uint32_t *track_of)
{
	plait__plan_command *commands = planner->plan->commands;
	uint32_t i, end = scope->t_first + scope->t_count;

	for (i = scope->t_first; i < end; i++) {
		uint32_t t = planner->seq[i];
		const plait__input_node *node = plait__planner_node(planner, t);
		plait__plan_track *track = &tracks[track_of[planner->lane[t]]];
		uint32_t index = track->first + track->count;

		commands[index] = (plait__plan_command){
			.node = planner->node_of[t], .kind = node->kind,
			.priority = node->priority,
			.lane = track->lane, .position = track->count++,
			.signal = PLAIT__NONE, .link = node->link,
			.cost = planner->cost[t],
		};
		planner->command_of[t] = index;
		*order++ = index;
	}
}

/* fill_tracks has kept the places; `planner->seq` is the placing order. */
static void fill_commands(plait__planner_state *planner,
			  const plait__planner_scope *scope,
			  const plait__plan_body *body,
			  const uint32_t *track_of)
{
	plait__plan_track *tracks = planner->plan->tracks + body->track_first;
	uint32_t *order = planner->plan->order + body->command_first;
	uint32_t i, k;

	if (planner->extras == NULL) {
		fill_plain(planner, scope, tracks, order, track_of);
		return;
	}
	for (i = scope->t_first; i < scope->t_first + scope->t_count; i++) {
		uint32_t t = planner->seq[i];
		uint32_t more = plait__planner_extra_items(planner, t).count;

		for (k = 0; k <= more; k++) {
			uint32_t item = plait__planner_item(planner, t, k);

			fill_command(planner, t, k,
				     &tracks[track_of[planner->lane[item]]],
				     order++);
		}
	}
}

static plait_status fill_bodies(plait__planner_state *planner)
{
	uint32_t s, command = 0, track = 0;
	uint32_t *track_of = plait__workspace_alloc(&planner->work,
						    planner->lane_device_count,
						    sizeof(uint32_t));

	if (track_of == NULL)
		return plait__planner_no_memory(planner);
	for (s = 0; s < planner->scope_count; s++) {
		const plait__planner_scope *scope = &planner->scopes[s];
		plait__plan_body *body;

		if (scope->body == PLAIT__NONE)
			continue;
		body = &planner->plan->bodies[scope->body];
		body->region = PLAIT__NONE;
		body->command_first = command;
		body->track_first = track;
		body->makespan = scope->makespan;
		fill_tracks(planner, scope, body, track_of);
		fill_commands(planner, scope, body, track_of);
		command += body->command_count;
		track += body->track_count;
	}
	planner->plan->tracks_count = track;
	planner->plan->makespan = planner->scopes[0].makespan;
	plait__workspace_free(&planner->work, track_of);
	return PLAIT_OK;
}

/* ---- regions ---- */

/* Commands and bodies of the region are filled. */
static void fill_region(plait__planner_state *planner, uint32_t t,
			uint32_t index, uint32_t *lanes_used)
{
	plait__plan *plan = planner->plan;
	plait__plan_region *region = &plan->regions[index];
	const plait__input_region *in =
		&planner->input->regions[plait__planner_node(planner, t)->link];
	uint32_t more = plait__planner_extra_items(planner, t).count, k;

	region->kind = in->kind;
	region->command = planner->command_of[t];
	region->body_first = planner->scopes[in->scope_first].body;
	region->body_count = in->scope_count;
	region->lane_first = *lanes_used;
	region->lane_count = more + 1;
	region->predicate = in->predicate;
	region->times = in->times;
	region->decision_cost = plait__planner_own_cost(planner, t);
	for (k = 0; k <= more; k++) {
		plait__plan_command *command = &plan->commands[
			planner->command_of[plait__planner_item(planner, t,
								k)]];

		command->link = index;
		plan->region_lanes[(*lanes_used)++] = command->lane;
	}
	for (k = 0; k < in->scope_count; k++)
		plan->bodies[region->body_first + k].region = index;
	planner->region_of[plait__planner_node(planner, t)->link] = index;
}

static plait_status fill_regions(plait__planner_state *planner)
{
	plait__plan *plan = planner->plan;
	uint32_t t, regions = 0, used = 0;

	if (plan->regions_count == 0)
		return PLAIT_OK;
	plan->region_lanes = plait__workspace_alloc(
		&planner->work, (uint64_t)plan->regions_count +
			      planner->extra_count, sizeof(uint32_t));
	planner->region_of = plait__workspace_alloc_none(
		&planner->work, planner->input->region_count, sizeof(uint32_t));
	if (plan->region_lanes == NULL || planner->region_of == NULL)
		return plait__planner_no_memory(planner);
	for (t = 0; t < planner->node_count; t++)
		if (plait__planner_node(planner, t)->kind == PLAIT__CMD_REGION)
			fill_region(planner, t, regions++, &used);
	plan->region_lanes_count = used;
	return PLAIT_OK;
}

/* Sentinel after the last node. */
static const plait__plan_node no_node = {
	.label = PLAIT__NONE, .file = PLAIT__NONE, .body = PLAIT__NONE,
	.command = PLAIT__NONE
};

plait_status plait__emit_nodes(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	const plait__input_node *node = input->nodes;
	plait__plan_node *to;
	uint32_t strings = input->tables.strings_count, i, s, t;
	uint64_t accesses = 0;

	planner->plan->node_count = input->node_count;
	planner->plan->nodes_count = input->node_count + 1;
	to = plait__workspace_claim(&planner->work, PLAIT__WORKSPACE_LATE,
				    planner->plan->nodes_count, sizeof(*to));
	planner->plan->nodes = to;
	if (to == NULL)
		return plait__planner_no_memory(planner);
	if (strings == 0)
		strings = 1;
	planner->sorted_accesses = true;
	for (i = 0; i < input->node_count; i++, node++) {
		s = planner->scope_of == NULL ? 0 : planner->scope_of[i];
		to[i].label = node->label < strings ? node->label
						    : PLAIT__NONE;
		to[i].file = node->file < strings ? node->file : PLAIT__NONE;
		to[i].line = node->line;
		to[i].body = planner->scopes[s].body;
		to[i].command = PLAIT__NONE;
		to[i].access_first = (uint32_t)accesses;
		planner->sorted_accesses &= node->access_count == 0 ||
					  node->access_first == accesses;
		accesses += node->access_count;
		if (accesses >= UINT32_MAX)
			return plait__planner_no_memory(planner);
	}
	to[i] = no_node;
	to[i].access_first = (uint32_t)accesses;
	for (t = 0; t < planner->node_count; t++)
		to[planner->node_of[t]].command = planner->command_of[t];
	return PLAIT_OK;
}

plait_status plait__emit_commands(plait__planner_state *planner)
{
	plait_status status = map_lanes(planner);

	if (status == PLAIT_OK)
		status = alloc_arrays(planner);
	if (status != PLAIT_OK)
		return status;
	fill_lanes(planner);
	status = fill_bodies(planner);
	if (status == PLAIT_OK)
		status = fill_regions(planner);
	return status;
}
