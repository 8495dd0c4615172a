/* SPDX-License-Identifier: MIT */
/*
 * Log of the regions of a plan on queues, which a device or the host decides,
 * with the reason: when the plan is prepared, and in each run that differs from
 * that.
 */
#include "run/queue/log_decisions.h"

#include "plan/io/escape.h"

#include "sys/env.h"

static const plait__log *log_of(const plait__queue_program *compiled)
{
	return &compiled->program->context->settings.log;
}

static bool is_zero(enum plait__env_number which)
{
	uint64_t number = 1;

	(void)plait__env_query_number(which, &number);
	return number == 0;
}

/* A reason that all regions share; null: each has its own. */
static const char *common_reason(const plait__queue_program *compiled)
{
	if (compiled->host_decides)
		return "a device cannot decide all of its plan";
	if (compiled->records)
		return "its runs are recorded";
	if (is_zero(PLAIT__ENV_SEGMENTS))
		return "PLAIT_SEGMENTS is 0";
	if (is_zero(PLAIT__ENV_REGIONS))
		return "PLAIT_REGIONS is 0";
	if (compiled->min_commands == 0)
		return "its device cannot decide any";
	return NULL;
}

/* Log one region; `why`: the reason that all regions share, or null. */
static void log_region(const plait__queue_program *compiled, uint32_t number,
		       const char *why)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_region *region = &plan->regions[number];
	const plait__queue_region *at = &compiled->regions[number];
	const plait__log *log = log_of(compiled);
	const char *kind = region->kind == PLAIT__REGION_CASE ? "case" :
								"loop";
	char name[256], other[256];
	const char *label = plait__escape_node_name(
		plan, plan->commands[region->command].node, name);

	if (at->ahead) {
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": its iterations are submitted "
				"ahead, %u at a time", kind, label,
				at->window);
		return;
	}
	if (why == NULL && at->on_device) {
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": its device, %.60s, decides%s",
				kind, label,
				compiled->lanes[at->home].device->object.label,
				at->period > 1 ? "; its body is unrolled, as "
				"buffers rotate" : "");
		return;
	}
	if (why == NULL || region->kind == PLAIT__REGION_REPEAT)
		why = at->reason;
	if (at->reason_command == PLAIT__NONE || why != at->reason)
		plait__log_line(log, PLAIT_LOG_INFO,
				"%s \"%.60s\": the host decides, as %s", kind,
				label, why);
	else
		plait__log_line(
			log, PLAIT_LOG_INFO,
			"%s \"%.60s\": the host decides, as %s: "
			"\"%.60s\"",
			kind, label, why,
			plait__escape_node_name(
				plan, plan->commands[at->reason_command].node,
				other));
}

void plait__log_decisions(const plait__queue_program *compiled)
{
	const char *why;

	if (!plait__log_is_enabled(log_of(compiled), PLAIT_LOG_INFO))
		return;
	why = common_reason(compiled);
	for (uint32_t i = 0; i < compiled->program->plan->regions_count; i++)
		log_region(compiled, i, why);
}
