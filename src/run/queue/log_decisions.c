/* SPDX-License-Identifier: MIT */
/*
 * Who decides the loops and branches of a plan on queues, and why: told to the
 * log when the plan is made ready, and in each run in which that is not so.
 */
#include "run/queue/queue_engine.h"

#include "sys/env.h"

static const plait__log *log_of(const plait__queue_program *queued)
{
	return &queued->program->context->settings.log;
}

static bool is_zero(enum plait__env_number which)
{
	uint64_t number = 1;

	(void)plait__env_query_number(which, &number);
	return number == 0;
}

/* What holds for all of them; null: each has its own. */
static const char *why_none(const plait__queue_program *queued)
{
	if (queued->decides)
		return "a device has not taken all of its plan's";
	if (queued->records)
		return "its runs are recorded";
	if (is_zero(PLAIT__ENV_SEGMENTS))
		return "PLAIT_SEGMENTS is 0";
	if (is_zero(PLAIT__ENV_REGIONS))
		return "PLAIT_REGIONS is 0";
	return queued->min_commands == 0 ? "its device decides none" : NULL;
}

static void tell(const plait__queue_program *queued, uint32_t number,
		 const char *why)
{
	const plait__plan *plan = queued->program->plan;
	const plait__plan_region *region = &plan->regions[number];
	const plait__queue_region *at = &queued->regions[number];
	const plait__log *log = log_of(queued);
	const char *kind = region->kind == PLAIT__REGION_CASE ? "case" :
								"loop";
	const char *label = plait__plan_node_label(
		plan, plan->commands[region->command].node);

	if (why == NULL && at->frozen) {
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": its device, %.60s, decides",
				kind, label, queued->lanes[at->home]
						     .device->object.label);
		return;
	}
	why = why != NULL ? why : at->why;
	if (at->why_command == PLAIT__NONE || why != at->why)
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": the host decides, as %s", kind,
				label, why);
	else
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": the host decides, as %s: "
				"\"%.60s\"", kind, label, why,
				plait__plan_node_label(plan, plan->commands[
					at->why_command].node));
}

void plait__log_decisions(const plait__queue_program *queued)
{
	const char *why;

	if (!plait__log_is_enabled(log_of(queued), PLAIT_LOG_INFO))
		return;
	why = why_none(queued);
	for (uint32_t i = 0; i < queued->program->plan->regions_count; i++)
		tell(queued, i, why);
}
