/* SPDX-License-Identifier: MIT */
/* The queues that a plan needs, and whether their devices can do it. */
#include "run/queue/queue_engine.h"

#include "base/error.h"

/* What is in flight beside commands: what regions ask, and the end. */
enum { EXTRA_COMMANDS = 8 };

/* ---- what devices have to be able to do ---- */

static plait_status check_device(const plait__device *device,
				 plait_error *error)
{
	const uint32_t needed = PLAIT_CAP_NOTIFY;

	if ((device->port->all & needed) == needed)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "device \"%.60s\" has no notifications, which plans "
			   "on its queues need", device->object.label);
}

static plait_status check_command(const plait__queue_program *queued,
				  uint32_t command, plait_error *error)
{
	const plait__plan *plan = queued->program->plan;
	const char *lacks = plait__translate_lacks(queued, command);
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (lacks == NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s on device \"%.60s\" %s",
			   plait__command_text(plan, command, room),
			   queued->lanes[plan->commands[command].lane]
				   .device->object.label, lacks);
}

/* ---- lanes and ports ---- */

static uint32_t find_port(plait__queue_program *queued, plait__backend_port *port,
			  uint32_t lane)
{
	uint32_t i = 0;

	while (i < queued->port_count && queued->ports[i].port != port)
		i++;
	if (i == queued->port_count)
		queued->ports[queued->port_count++] =
			(plait__queue_port){ port, lane };
	return i;
}

static plait_status find_lane(plait__queue_program *queued, uint32_t lane,
			      plait_error *error)
{
	const plait__plan *plan = queued->program->plan;
	plait__queue_lane *out = &queued->lanes[lane];
	plait_status status;

	out->device = queued->program->frozen->devices[
		plan->lanes[lane].device];
	/* A plan that is sealed has the devices of its lanes. */
	if (out->device == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the device of lane %u is not bound", lane);
	status = check_device(out->device, error);
	if (status == PLAIT_OK)
		out->port = find_port(queued, out->device->port, lane);
	out->commands = EXTRA_COMMANDS;
	out->external = PLAIT__NONE;
	return status;
}

static void find_region(plait__queue_program *queued, uint32_t number)
{
	const plait__plan *plan = queued->program->plan;
	const plait__plan_region *region = &plan->regions[number];
	plait__queue_region *out = &queued->regions[number];

	out->home = plan->commands[region->command].lane;
	out->outer_body = plan->nodes[plan->commands[region->command].node]
				  .body;
	out->outer = plan->bodies[out->outer_body].region;
	out->asks_owner = plait__external_matches(queued->program,
						  region->command);
}

/* Its lane may have to be parked, and regions around it have to settle. */
static void note_outside(plait__queue_program *queued, uint32_t command)
{
	const plait__plan *plan = queued->program->plan;
	plait__queue_lane *lane =
		&queued->lanes[plan->commands[command].lane];
	uint32_t region = plan->bodies[plan->nodes[
		plan->commands[command].node].body].region;

	if (!plait__external_matches(queued->program, command))
		return;
	if (lane->external == PLAIT__NONE)
		lane->external = queued->external_count++;
	lane->submits = lane->submits ||
			plan->commands[command].kind != PLAIT__CMD_WAIT;
	if (plan->commands[command].kind == PLAIT__CMD_REGION)
		return;
	for (; region != PLAIT__NONE && !queued->regions[region].drains_lanes;
	     region = queued->regions[region].outer)
		queued->regions[region].drains_lanes = true;
}

plait_status plait__compile_lanes(plait__queue_program *queued,
				  plait_error *error)
{
	const plait__plan *plan = queued->program->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = find_lane(queued, i, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->regions_count;
	     i++)
		find_region(queued, i);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++) {
		status = check_command(queued, i, error);
		note_outside(queued, i);
		/* A region's command asks once more for each body. */
		queued->lanes[plan->commands[i].lane].commands += 2;
	}
	return status;
}
