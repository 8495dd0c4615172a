/* SPDX-License-Identifier: MIT */
/*
 * Small plans with regions for two lanes, as the planner would make them; part
 * of lane_interpreter.c.  Lane 0 is the home lane of all regions.
 *
 *     LOOP    A, while { B, B' || C, C' }, D || Z
 *     BRANCH  A, case { B || C } { || C' } { B' || } || Z
 *     NEST    A, while { case as above } || Z
 *
 * In LOOP B' waits for C and C' for B, D for Z; in the others C waits for B.
 */
#ifndef EXPLORE_PLANS_H
#define EXPLORE_PLANS_H

#include "plan/plan.h"

#include <string.h>

/* Arguments of the functions of commands. */
enum { NOTHING, A, B, B2, C, C2, D, Z, ROLES };

enum { LANES = 2, BODIES_MAX = 5, COMMANDS_MAX = 12, POINTS_MAX = 8 };

enum shape { LOOP, BRANCH, NEST };

static struct {
	plait__plan plan;
	plait__plan_body bodies[BODIES_MAX];
	plait__plan_track tracks[2 * BODIES_MAX];
	plait__plan_command commands[COMMANDS_MAX + 1];
	plait__plan_node nodes[COMMANDS_MAX];
	plait__plan_wait waits[POINTS_MAX];
	plait__plan_exit exits[POINTS_MAX];
	plait__plan_region regions[2];
	uint32_t region_lanes[2 * LANES];
	uint32_t roles[COMMANDS_MAX]; /* of commands */
	uint32_t wait_count;
	uint32_t exit_count;
	uint32_t track_count;
} sketch;

static void open_body(uint32_t region)
{
	plait__plan_body *body = &sketch.bodies[sketch.plan.bodies_count++];

	body->region = region;
	body->command_first = sketch.plan.command_count;
	body->track_first = sketch.track_count;
	body->exit_first = sketch.exit_count;
}

/* The next command of `lane` in the body opened last; its lanes ascend. */
static void add(uint32_t lane, uint8_t kind, uint32_t link)
{
	plait__plan_body *body = &sketch.bodies[sketch.plan.bodies_count - 1];
	uint32_t number = sketch.plan.command_count++;
	plait__plan_command *command = &sketch.commands[number];
	plait__plan_track *track = &sketch.tracks[sketch.track_count - 1];

	if (body->track_count == 0 || track->lane != lane) {
		track = &sketch.tracks[sketch.track_count++];
		*track = (plait__plan_track){ lane, number, 0, 0 };
		body->track_count++;
	}
	command->node = number;
	command->kind = kind;
	command->lane = lane;
	command->position = track->count++;
	command->link = link;
	sketch.nodes[number].body = sketch.plan.bodies_count - 1;
	body->command_count++;
	/* Until another wait is added behind it. */
	command[1].wait_first = sketch.wait_count;
}

static void add_host(uint32_t lane, uint32_t role)
{
	sketch.roles[sketch.plan.command_count] = role;
	add(lane, PLAIT__CMD_HOST, PLAIT__NONE);
}

/* A wait of the command added last. */
static void add_wait(uint32_t lane, uint32_t position)
{
	sketch.waits[sketch.wait_count++] =
		(plait__plan_wait){ lane, position, PLAIT__NONE };
	sketch.commands[sketch.plan.command_count].wait_first =
		sketch.wait_count;
}

/* An exit of the body opened last. */
static void add_exit(uint32_t lane, uint32_t position)
{
	sketch.exits[sketch.exit_count++] = (plait__plan_exit){ lane, position };
	sketch.bodies[sketch.plan.bodies_count - 1].exit_count++;
}

/* On the home lane; the stub is added with the other lane's commands. */
static void add_region(uint32_t kind, uint32_t body_first, uint32_t body_count)
{
	uint32_t number = sketch.plan.regions_count++;
	plait__plan_region *region = &sketch.regions[number];

	*region = (plait__plan_region){
		.kind = kind,
		.command = sketch.plan.command_count,
		.body_first = body_first,
		.body_count = body_count,
		.lane_first = LANES * number,
		.lane_count = LANES,
		.predicate = PLAIT__NONE,
	};
	sketch.region_lanes[LANES * number] = 0;
	sketch.region_lanes[LANES * number + 1] = 1;
	add(0, PLAIT__CMD_REGION, number);
}

static void add_stub(uint32_t region)
{
	add(1, PLAIT__CMD_ENTER, region);
	add_wait(0, sketch.commands[sketch.regions[region].command].position);
}

static void add_branches(uint32_t region)
{
	open_body(region);
	add_host(0, B);
	add_host(1, C);
	add_wait(0, 0);
	add_exit(0, 0);
	add_exit(1, 0);
	open_body(region);
	add_host(1, C2);
	add_exit(1, 0);
	open_body(region);
	add_host(0, B2);
	add_exit(0, 0);
}

static void add_loop_body(void)
{
	open_body(0);
	add_host(0, B);
	add_host(0, B2);
	add_wait(1, 0);
	add_host(1, C);
	add_host(1, C2);
	add_wait(0, 0);
	add_exit(0, 1);
	add_exit(1, 1);
}

static void add_nest(void)
{
	open_body(0);
	add_region(PLAIT__REGION_CASE, 2, 3);
	add_stub(1);
	add_exit(0, 0);
	add_exit(1, 0);
	add_branches(1);
}

static void draw(enum shape shape)
{
	plait__plan *plan = &sketch.plan;

	memset(&sketch, 0, sizeof(sketch));
	open_body(PLAIT__NONE);
	add_host(0, A);
	add_region(shape == BRANCH ? PLAIT__REGION_CASE : PLAIT__REGION_WHILE,
		   1, shape == BRANCH ? 3 : 1);
	if (shape == LOOP) {
		add_host(0, D);
		add_wait(1, 1);
	}
	add_stub(0);
	add_host(1, Z);
	if (shape == LOOP)
		add_loop_body();
	else if (shape == BRANCH)
		add_branches(0);
	else
		add_nest();
	plan->bodies = sketch.bodies;
	plan->tracks = sketch.tracks;
	plan->tracks_count = sketch.track_count;
	plan->commands = sketch.commands;
	plan->nodes = sketch.nodes;
	plan->waits = sketch.waits;
	plan->exits = sketch.exits;
	plan->regions = sketch.regions;
	plan->region_lanes = sketch.region_lanes;
	plan->region_lanes_count = LANES * plan->regions_count;
	plan->lanes_count = LANES;
}

#endif
