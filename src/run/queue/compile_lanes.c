/* SPDX-License-Identifier: MIT */
/* Assignment of a plan's lanes to queues of backends, and checks that their
 * devices can execute the lanes' commands. */
#include "run/queue/compile_lanes.h"

#include "run/args/payload_util.h"
#include "run/command_text.h"
#include "run/external/external_command.h"
#include "run/queue/queue_command.h"

#include "base/error.h"

/* Room in each queue for the predicates and emissions of a segment that is
 * submitted command by command, its fallback. */
enum { EXTRA_ENTRIES = 8 };

/* ---- capabilities of devices ---- */

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

static plait_status check_command(const plait__queue_program *compiled,
				  uint32_t command, plait_error *error)
{
	const plait__plan *plan = compiled->program->plan;
	const char *lacks = plait__queue_command_lacks(compiled, command);
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (lacks == NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s on device \"%.60s\" %s",
			   plait__command_text(plan, command, room),
			   compiled->lanes[plan->commands[command].lane]
				   .device->object.label,
			   lacks);
}

/* ---- lanes and ports ---- */

/* The table has room for one port per lane. */
static uint32_t find_port(plait__queue_program *compiled,
			  plait__backend_port *port, uint32_t lane)
{
	uint32_t i = 0;

	while (i < compiled->port_count && compiled->ports[i].port != port)
		i++;
	if (i == compiled->port_count)
		compiled->ports[compiled->port_count++] =
			(plait__queue_port){ port, lane };
	return i;
}

static plait_status find_lane(plait__queue_program *compiled, uint32_t lane,
			      plait_error *error)
{
	const plait__plan *plan = compiled->program->plan;
	plait__queue_lane *out = &compiled->lanes[lane];
	plait_status status;

	out->device =
		compiled->program->plan_object->devices[plan->lanes[lane].device];
	/* A sealed plan has all devices of its lanes. */
	if (out->device == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the device of lane %u is not bound", lane);
	status = check_device(out->device, error);
	if (status == PLAIT_OK)
		out->port = find_port(compiled, out->device->port, lane);
	out->external = PLAIT__NONE;
	return status;
}

static void find_region(plait__queue_program *compiled, uint32_t number)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_region *region = &plan->regions[number];
	plait__queue_region *out = &compiled->regions[number];

	out->home = plan->commands[region->command].lane;
	out->outer_body = plan->nodes[plan->commands[region->command].node]
				  .body;
	out->outer = plan->bodies[out->outer_body].region;
	out->function = plait__program_predicate(compiled->program, number);
	out->owner_decides =
		plait__external_matches(compiled->program, region->command);
}

/* An external command gives its lane a plait__queue_external, and lets the
 * enclosing regions drain their lanes. */
static void note_external(plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	plait__queue_lane *lane =
		&compiled->lanes[plan->commands[command].lane];
	uint32_t region = plan->bodies[plan->nodes[
		plan->commands[command].node].body].region;

	if (!plait__external_matches(compiled->program, command))
		return;
	if (lane->external == PLAIT__NONE)
		lane->external = compiled->external_count++;
	lane->submits = lane->submits ||
			plan->commands[command].kind != PLAIT__CMD_WAIT;
	if (plan->commands[command].kind == PLAIT__CMD_REGION)
		return;
	for (; region != PLAIT__NONE && !compiled->regions[region].drains_lanes;
	     region = compiled->regions[region].outer)
		compiled->regions[region].drains_lanes = true;
}

/* A queue has one priority: that of its commands, if they agree. */
static void find_priorities(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->command_count; i++)
		compiled->lanes[plan->commands[i].lane].priority =
			plan->commands[i].priority;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__queue_lane *lane =
			&compiled->lanes[plan->commands[i].lane];

		if (lane->priority != plan->commands[i].priority)
			lane->priority = 0;
	}
}

plait_status plait__compile_lanes(plait__queue_program *compiled,
				  plait_error *error)
{
	const plait__plan *plan = compiled->program->plan;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = find_lane(compiled, i, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->regions_count;
	     i++)
		find_region(compiled, i);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->command_count;
	     i++) {
		status = check_command(compiled, i, error);
		note_external(compiled, i);
	}
	find_priorities(compiled);
	return status;
}

/* ---- capacity of queues ---- */

static uint64_t count_entries(const plait__queue_program *compiled,
			      const plait__queue_batch *batch)
{
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		batch->submission_first;
	uint64_t entries = 0;

	for (uint32_t i = 0; i < batch->submission_count; i++)
		entries += (uint64_t)submission[i].wait_count +
			   submission[i].work_count + 1;
	return entries;
}

/* Waits and emissions count as commands: a backend may give them room only in
 * proportion to the capacity. */
void plait__compile_lanes_count_entries(plait__queue_program *compiled)
{
	const plait__queue_batch *batches = compiled->batches.items;

	for (uint32_t i = 0; i < compiled->program->plan->lanes_count; i++)
		compiled->lanes[i].entries = EXTRA_ENTRIES;
	for (uint32_t i = 0; i < compiled->batches.count; i++)
		compiled->lanes[batches[i].lane].entries +=
			batches[i].flights *
			count_entries(compiled, &batches[i]);
}
