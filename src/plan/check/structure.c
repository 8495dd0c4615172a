/* SPDX-License-Identifier: MIT */
/*
 * Structure of a plan, which may come from a file and hold anything: after this
 * phase every index that later phases follow is in range.
 */
#include "plan/check/phases.h"

/* Alignment of every command's scratch. */
enum { SCRATCH_ALIGNMENT = 256 };

static plait_status fail_part(plait__check *check, const char *part,
			      uint32_t index, const char *what)
{
	return plait__check_fail_part(check, part, index, what);
}

#define MISSING(type, name) \
	if (plan->name == NULL && plan->name##_count > 0) \
		return fail_part(check, #name, plan->name##_count, \
				 "elements, but no array");

static plait_status check_counts(plait__check *check)
{
	const plait__plan *plan = check->plan;

	PLAIT__PLAN_ARRAYS(MISSING)
	if (plan->commands_count == 0 ||
	    plan->command_count != plan->commands_count - 1 ||
	    plan->order_count != plan->command_count)
		return fail_part(check, "plan", plan->command_count,
				 "commands, sentinel and order do not agree");
	if (plan->segment_of_count != 0 &&
	    plan->segment_of_count != plan->command_count)
		return fail_part(check, "plan", plan->segment_of_count,
				 "segment_of and commands differ in length");
	if (plan->nodes_count == 0 ||
	    plan->node_count != plan->nodes_count - 1)
		return fail_part(check, "plan", plan->node_count,
				 "nodes and their sentinel do not agree");
	if (plan->bodies_count == 0)
		return fail_part(check, "plan", 0, "it has no body");
	if (plan->strings_count == 0 ||
	    plan->strings[plan->strings_count - 1] != '\0')
		return fail_part(check, "strings", plan->strings_count,
				 "they do not end with a NUL");
	if (plan->mode > PLAIT__MODE_HELPED ||
	    plan->policy > PLAIT__POLICY_WIDEST)
		return fail_part(check, "plan", plan->mode,
				 "unknown mode or policy");
	return PLAIT_OK;
}

static plait_status check_lanes(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t i;

	for (i = 0; i < plan->lanes_count; i++) {
		const plait__plan_lane *lane = &plan->lanes[i];

		if (lane->device >= plan->devices_count)
			return fail_part(check, "lane", i,
					 "its device does not exist");
		if (lane->rank != plan->devices[lane->device].rank ||
		    lane->send_peer != PLAIT__NONE ||
		    lane->recv_peer != PLAIT__NONE)
			return fail_part(check, "lane", i,
					 "its rank is not its device's, or a peer is set");
	}
	return PLAIT_OK;
}

/* No device has more lanes than its hard limit. */
static plait_status check_limits(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t *used = plait__check_alloc(check, plan->devices_count,
					    sizeof(uint32_t));
	uint32_t i;

	if (used == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->lanes_count; i++)
		used[plan->lanes[i].device]++;
	for (i = 0; i < plan->devices_count; i++)
		if (plan->devices[i].lane_limit > 0 &&
		    used[i] > plan->devices[i].lane_limit)
			return fail_part(check, "device", i,
					 "it has more lanes than its limit");
	return PLAIT_OK;
}

/* check_body has checked that the tracks are in range. */
static plait_status check_track(plait__check *check, uint32_t b, uint32_t i,
				uint32_t *next)
{
	const plait__plan *plan = check->plan;
	const plait__plan_body *body = &plan->bodies[b];
	const plait__plan_track *track = &plan->tracks[i];
	uint32_t p;

	if (track->lane >= plan->lanes_count)
		return fail_part(check, "track", i, "its lane does not exist");
	if (i > body->track_first && track[-1].lane >= track->lane)
		return fail_part(check, "track", i,
				 "lanes of a body must ascend");
	if (track->first != *next || track->count == 0 ||
	    track->count > body->command_first + body->command_count - *next)
		return fail_part(check, "track", i,
				 "it does not follow the one before it");
	for (p = 0; p < track->count; p++) {
		const plait__plan_command *c =
			&plan->commands[track->first + p];

		if (c->lane != track->lane || c->position != p)
			return fail_part(check, "command", track->first + p,
					 "its lane or position does not match its track");
		check->body_of[track->first + p] = b;
	}
	*next += track->count;
	return PLAIT_OK;
}

static plait_status check_body(plait__check *check, uint32_t b,
			       uint32_t *command, uint32_t *track)
{
	const plait__plan *plan = check->plan;
	const plait__plan_body *body = &plan->bodies[b];
	plait_status status = PLAIT_OK;
	uint32_t i;

	if (body->command_first != *command || body->track_first != *track ||
	    body->command_count > plan->command_count - *command ||
	    body->track_count > plan->tracks_count - *track)
		return fail_part(check, "body", b,
				 "it does not follow the one before it");
	if (body->exit_first > plan->exits_count ||
	    body->exit_count > plan->exits_count - body->exit_first)
		return fail_part(check, "body", b,
				 "its exits are out of range");
	if (body->segment_first > plan->segments_count ||
	    body->segment_count > plan->segments_count - body->segment_first)
		return fail_part(check, "body", b,
				 "its segments are out of range");
	if (body->reserved0 != 0)
		return fail_part(check, "body", b, "a reserved field is set");
	if ((b == 0) != (body->region == PLAIT__NONE) ||
	    (b > 0 && body->region >= plan->regions_count))
		return fail_part(check, "body", b,
				 "its region is out of range");
	for (i = 0; i < body->track_count && status == PLAIT_OK; i++)
		status = check_track(check, b, *track + i, command);
	if (status == PLAIT_OK &&
	    *command != body->command_first + body->command_count)
		return fail_part(check, "body", b,
				 "its tracks do not hold all its commands");
	*track += body->track_count;
	return status;
}

static plait_status check_command(plait__check *check, uint32_t c)
{
	const plait__plan *plan = check->plan;
	const plait__plan_command *command = &plan->commands[c];
	bool region = command->kind == PLAIT__CMD_REGION ||
		      command->kind == PLAIT__CMD_ENTER;

	if (command->kind >= PLAIT__CMD_CHANNEL ||
	    command->flags & ~(PLAIT__CMD_MEMBER | PLAIT__CMD_AWAITED))
		return fail_part(check, "command", c,
				 "unknown or reserved kind, or unknown flag");
	if (command->node >= plan->node_count)
		return fail_part(check, "command", c,
				 "its node does not exist");
	if (plan->nodes[command->node].body != check->body_of[c])
		return plait__check_fail(check, c,
					 "its node names another body");
	if (command[1].wait_first < command->wait_first ||
	    command[1].wait_first > plan->waits_count ||
	    command[1].pred_first < command->pred_first ||
	    command[1].pred_first > plan->preds_count)
		return plait__check_fail(check, c,
					 "its waits or preds are out of range");
	if (region ? command->link >= plan->regions_count :
	    command->link != PLAIT__NONE &&
	    command->link >= plan->payloads_count)
		return plait__check_fail(check, c,
					 "its region or payload is out of range");
	if (command->signal != PLAIT__NONE &&
	    command->signal >= plan->signal_count)
		return plait__check_fail(check, c,
					 "its signal is out of range");
	if (plait__plan_segment_of(plan, c) != PLAIT__NONE &&
	    plait__plan_segment_of(plan, c) >= plan->segments_count)
		return plait__check_fail(check, c,
					 "its segment is out of range");
	return PLAIT_OK;
}

/* Waits and preds stay within the body; resolve the command of each wait.
 * Tracks and commands of all bodies are checked. */
static plait_status check_links(plait__check *check, uint32_t b)
{
	const plait__plan *plan = check->plan;
	const plait__plan_body *body = &plan->bodies[b];
	uint32_t c, i, end = body->command_first + body->command_count;

	for (i = body->track_first; i < body->track_first + body->track_count;
	     i++) {
		const plait__plan_track *track = &plan->tracks[i];
		const plait__plan_command *first =
			&plan->commands[track->first];

		check->track_of[track->lane] = i;
		if (track->begins != (first[0].wait_first ==
				      first[1].wait_first))
			return fail_part(check, "track", i,
					 "`begins` does not match its first command");
	}
	for (c = body->command_first; c < end; c++) {
		const plait__plan_command *command = &plan->commands[c];

		for (i = command[0].wait_first; i < command[1].wait_first;
		     i++) {
			const plait__plan_wait *wait = &plan->waits[i];
			uint32_t t;

			if (wait->lane >= plan->lanes_count)
				return plait__check_fail(check, c,
					"it waits for a lane that does not exist");
			t = check->track_of[wait->lane];
			if (t < body->track_first ||
			    t - body->track_first >= body->track_count ||
			    plan->tracks[t].lane != wait->lane ||
			    wait->position >= plan->tracks[t].count)
				return plait__check_fail(check, c,
					"it waits for a point that is not in its body");
			check->wait_target[i] = plan->tracks[t].first +
						wait->position;
		}
		for (i = command[0].pred_first; i < command[1].pred_first;
		     i++)
			if (plan->preds[i] >= plan->command_count ||
			    check->body_of[plan->preds[i]] != b)
				return plait__check_fail(check, c,
					"one of its preds is not in its body");
	}
	return PLAIT_OK;
}

/* ---- regions ---- */

/* check_region has checked the ranges. */
static plait_status check_region_lanes(plait__check *check, uint32_t r,
				       uint32_t *stamp)
{
	const plait__plan *plan = check->plan;
	const plait__plan_region *region = &plan->regions[r];
	uint32_t i, b;

	for (i = 0; i < region->lane_count; i++) {
		uint32_t lane = plan->region_lanes[region->lane_first + i];

		if (lane >= plan->lanes_count || stamp[lane] == r + 1)
			return fail_part(check, "region", r,
					 "a lane is out of range or listed twice");
		stamp[lane] = r + 1;
	}
	if (plan->region_lanes[region->lane_first] !=
	    plan->commands[region->command].lane)
		return fail_part(check, "region", r,
				 "its home lane must come first");
	for (b = region->body_first;
	     b < region->body_first + region->body_count; b++) {
		const plait__plan_body *body = &plan->bodies[b];

		if (body->region != r)
			return fail_part(check, "body", b,
					 "it belongs to another region");
		for (i = 0; i < body->track_count; i++)
			if (stamp[plan->tracks[body->track_first + i].lane] !=
			    r + 1)
				return fail_part(check, "body", b,
						 "it uses a lane that its region does not have");
		check->depth[b] = check->depth[
			check->body_of[region->command]] + 1;
	}
	return PLAIT_OK;
}

static plait_status check_region(plait__check *check, uint32_t r,
				 uint32_t *stamp)
{
	const plait__plan *plan = check->plan;
	const plait__plan_region *region = &plan->regions[r];

	if (region->kind > PLAIT__REGION_REPEAT)
		return fail_part(check, "region", r,
				 "unknown kind");
	if (region->command >= plan->command_count ||
	    plan->commands[region->command].kind != PLAIT__CMD_REGION ||
	    plan->commands[region->command].link != r)
		return fail_part(check, "region", r,
				 "its command is not that of a region");
	if (region->body_count == 0 ||
	    region->body_first >= plan->bodies_count ||
	    region->body_count > plan->bodies_count - region->body_first ||
	    (region->kind != PLAIT__REGION_CASE && region->body_count != 1))
		return fail_part(check, "region", r,
				 "its bodies are out of range");
	if (check->body_of[region->command] >= region->body_first)
		return fail_part(check, "region", r,
				 "its bodies must follow the body that holds it");
	if (region->lane_count == 0 ||
	    region->lane_first > plan->region_lanes_count ||
	    region->lane_count > plan->region_lanes_count - region->lane_first)
		return fail_part(check, "region", r,
				 "its lanes are out of range");
	if (region->lane_first != (r == 0 ? 0 : region[-1].lane_first +
				   region[-1].lane_count))
		return fail_part(check, "region", r,
				 "its lanes do not follow those of the region before it");
	if (region->predicate != PLAIT__NONE &&
	    region->predicate >= plan->payloads_count)
		return fail_part(check, "region", r,
				 "its predicate is out of range");
	return check_region_lanes(check, r, stamp);
}

/* A region has one stub on each of its lanes but the home lane, in the body of
 * its command.  All regions are checked. */
static plait_status check_stubs(plait__check *check, uint32_t *stubs)
{
	const plait__plan *plan = check->plan;
	uint32_t c, i, r;

	for (c = 0; c < plan->command_count; c++) {
		const plait__plan_command *command = &plan->commands[c];
		const plait__plan_region *region;
		bool found = false;

		if (command->kind == PLAIT__CMD_REGION &&
		    plan->regions[command->link].command != c)
			return plait__check_fail(check, c,
						 "its region has another command");
		if (command->kind != PLAIT__CMD_ENTER)
			continue;
		region = &plan->regions[command->link];
		for (i = 1; i < region->lane_count && !found; i++)
			found = plan->region_lanes[region->lane_first + i] ==
				command->lane;
		if (!found || check->body_of[region->command] !=
		    check->body_of[c] ||
		    plan->commands[region->command].node != command->node)
			return plait__check_fail(check, c,
						 "a stub is on a wrong lane or in a wrong body");
		stubs[command->link]++;
	}
	for (r = 0; r < plan->regions_count; r++)
		if (stubs[r] != plan->regions[r].lane_count - 1)
			return fail_part(check, "region", r,
					 "a lane has no stub, or two");
	return PLAIT_OK;
}

/* ---- nodes ---- */

static bool is_stub(const plait__plan_command *command)
{
	return command->kind == PLAIT__CMD_ENTER ||
	       command->kind == PLAIT__CMD_BARRIER_STUB;
}

/* Each node that takes part has one command, or is a group of members.  All
 * commands are checked. */
static plait_status check_nodes(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t i, c, n = plan->node_count, sum = 0;
	uint32_t *first = check->node_first;

	for (c = 0; c < plan->command_count; c++)
		if (!is_stub(&plan->commands[c]))
			first[plan->commands[c].node]++;
	for (i = 0; i <= n; i++) {
		sum += first[i];
		first[i] = sum;
	}
	for (c = plan->command_count; c-- > 0;)
		if (!is_stub(&plan->commands[c]))
			check->node_commands[--first[
				plan->commands[c].node]] = c;
	for (i = 0; i < n; i++) {
		const plait__plan_node *node = &plan->nodes[i];
		uint32_t count = first[i + 1] - first[i];

		if (node[1].access_first < node->access_first ||
		    node[1].access_first > plan->accesses_count)
			return fail_part(check, "node", i,
					 "its accesses are out of range");
		if ((node->command == PLAIT__NONE) != (count == 0))
			return fail_part(check, "node", i,
					 count == 0 ? "its command is missing" :
					 "it has commands, but names none");
		if (count > 0 && (node->command >= plan->command_count ||
				  plan->commands[node->command].node != i ||
				  is_stub(&plan->commands[node->command])))
			return fail_part(check, "node", i,
					 "its command is another node's");
		for (c = first[i]; count > 1 && c < first[i + 1]; c++)
			if (!(plan->commands[check->node_commands[c]].flags &
			      PLAIT__CMD_MEMBER))
				return fail_part(check, "node", i,
						 "it has several commands that are no members");
	}
	return PLAIT_OK;
}

/* All commands are checked. */
static plait_status check_tables(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t i;

	for (i = 0; i < plan->accesses_count; i++)
		if (plan->accesses[i].mode > PLAIT__ACCESS_ATOMIC ||
		    (plan->accesses[i].box != PLAIT__NONE &&
		     plan->accesses[i].box >= plan->boxes_count))
			return fail_part(check, "access", i,
					 "its mode or box is out of range");
	for (i = 0; i < plan->scratch_count; i++) {
		const plait__plan_scratch *s = &plan->scratch[i];
		uint64_t end;

		/* A run finds a command's scratch by bisection. */
		if (i > 0 && s->command <= s[-1].command)
			return fail_part(check, "scratch", i,
					 "commands do not ascend");
		if (s->command >= plan->command_count ||
		    s->device >= plan->devices_count ||
		    __builtin_add_overflow(s->offset, s->bytes, &end) ||
		    end > plan->devices[s->device].scratch_bytes)
			return fail_part(check, "scratch", i,
					 "it is not within its arena");
		if (s->offset % SCRATCH_ALIGNMENT != 0)
			return fail_part(check, "scratch", i,
					 "its offset is not aligned");
		if (plan->lanes[plan->commands[s->command].lane].device !=
		    s->device)
			return plait__check_fail(check, s->command,
						 "its scratch is on another device");
	}
	return PLAIT_OK;
}

static plait_status alloc_arrays(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint64_t commands = plan->command_count;

	check->body_of = plait__check_alloc(check, commands, sizeof(uint32_t));
	check->sequence = plait__check_alloc(check, commands, sizeof(uint32_t));
	check->track_of = plait__check_alloc(check, plan->lanes_count,
					     sizeof(uint32_t));
	check->wait_target = plait__check_alloc(check, plan->waits_count,
						sizeof(uint32_t));
	check->node_first = plait__check_alloc(check, plan->node_count + 1ull,
					       sizeof(uint32_t));
	check->node_commands = plait__check_alloc(check, commands,
						  sizeof(uint32_t));
	check->depth = plait__check_alloc(check, plan->bodies_count,
					  sizeof(uint32_t));
	if (check->body_of == NULL || check->sequence == NULL ||
	    check->track_of == NULL || check->wait_target == NULL ||
	    check->node_first == NULL || check->node_commands == NULL ||
	    check->depth == NULL)
		return plait__check_no_memory(check);
	return PLAIT_OK;
}

static plait_status check_regions(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t *stamp = plait__check_alloc(check, plan->lanes_count,
					     sizeof(uint32_t));
	uint32_t *stubs = plait__check_alloc(check, plan->regions_count,
					     sizeof(uint32_t));
	plait_status status = PLAIT_OK;
	uint32_t b, r;

	if (stamp == NULL || stubs == NULL)
		return plait__check_no_memory(check);
	/* Outer regions first: bodies follow the body of their region. */
	for (b = 1; b < plan->bodies_count && status == PLAIT_OK; b++) {
		r = plan->bodies[b].region;
		if (b < plan->regions[r].body_first ||
		    b - plan->regions[r].body_first >=
		    plan->regions[r].body_count)
			return fail_part(check, "body", b,
					 "its region does not contain it");
		if (b == plan->regions[r].body_first)
			status = check_region(check, r, stamp);
	}
	for (r = 0; r < plan->regions_count && status == PLAIT_OK; r++) {
		b = plan->regions[r].body_first;
		if (b >= plan->bodies_count || plan->bodies[b].region != r)
			return fail_part(check, "region", r,
					 "its bodies are out of range");
	}
	return status == PLAIT_OK ? check_stubs(check, stubs) : status;
}

plait_status plait__structure_check(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t i, command = 0, track = 0;
	plait_status status = check_counts(check);

	if (status == PLAIT_OK)
		status = alloc_arrays(check);
	if (status == PLAIT_OK)
		status = check_lanes(check);
	if (status == PLAIT_OK)
		status = check_limits(check);
	for (i = 0; i < plan->bodies_count && status == PLAIT_OK; i++)
		status = check_body(check, i, &command, &track);
	if (status == PLAIT_OK && (command != plan->command_count ||
				   track != plan->tracks_count))
		return fail_part(check, "plan", command,
				 "commands or tracks are in no body");
	if (status == PLAIT_OK &&
	    (plan->commands[0].wait_first != 0 ||
	     plan->commands[0].pred_first != 0 ||
	     plan->commands[command].wait_first != plan->waits_count ||
	     plan->commands[command].pred_first != plan->preds_count))
		return fail_part(check, "plan", command,
				 "waits or preds belong to no command");
	for (i = 0; i < plan->command_count && status == PLAIT_OK; i++)
		status = check_command(check, i);
	for (i = 0; i < plan->bodies_count && status == PLAIT_OK; i++)
		status = check_links(check, i);
	if (status == PLAIT_OK)
		status = check_regions(check);
	if (status == PLAIT_OK)
		status = check_nodes(check);
	if (status == PLAIT_OK)
		status = check_tables(check);
	return status;
}
