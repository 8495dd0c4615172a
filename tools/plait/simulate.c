/* SPDX-License-Identifier: MIT */
/* plait simulate: what a run of a plan would take on a system described by
 * options.  Nothing runs. */
#include "command.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct request {
	struct schedule_request schedule;
	plait_system_desc system;
};

/* ALPHA,BETA */
static int read_copy(const char *text, plait_system_desc *system)
{
	const char *comma = strchr(text, ',');
	char alpha[24];
	int code;

	if (comma == NULL || (size_t)(comma - text) >= sizeof(alpha))
		return command_usage("simulate", "--copy: expected "
				     "ALPHA,BETA, found '%s'", text);
	memcpy(alpha, text, (size_t)(comma - text));
	alpha[comma - text] = '\0';
	code = schedule_number("simulate", "--copy", alpha, INT64_MAX,
			       &system->copy_alpha);
	if (code != COMMAND_DONE)
		return code;
	return schedule_number("simulate", "--copy", comma + 1, INT64_MAX,
			       &system->copy_beta);
}

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;
	plait_system_desc *system = &request->system;
	int code;

	switch (option) {
	case 'H':
		code = schedule_number("simulate", "--hop", value, INT64_MAX,
				       &system->hop_cost);
		/* A graph is planned for the system it is to run on. */
		request->schedule.freeze.hop_cost = system->hop_cost;
		return code;
	case 'S':
		return schedule_number("simulate", "--submit", value,
				       INT64_MAX, &system->submit_cost);
	case 'C':
		return read_copy(value, system);
	default:
		return command_usage("simulate", "what is '-o'?");
	}
}

static int simulate(const struct request *request,
		    const struct schedule *schedule)
{
	plait_simulation result = { .size = sizeof(result) };
	plait_plan_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };

	if (plait_plan_simulate(schedule->plan, &request->system, &result,
				&error) != PLAIT_OK ||
	    plait_plan_query(schedule->plan, &info, &error) != PLAIT_OK)
		return command_fail("simulate", "%s: %s",
				    request->schedule.path, error.text);
	printf("makespan %" PRIu64 "\ncritical_cost %" PRIu64
	       "\ncritical_count %" PRIu64 "\nbusy %" PRIu64 "\nlanes %" PRIu64
	       "\nmemory_peak %" PRIu64 "\n", result.makespan,
	       result.critical_cost, result.critical_count, result.busy,
	       info.lanes, result.memory_peak);
	return COMMAND_DONE;
}

int command_simulate(int argc, char **argv)
{
	static const struct option known[] = {
		SCHEDULE_OPTIONS,
		{ "hop", required_argument, NULL, 'H' },
		{ "submit", required_argument, NULL, 'S' },
		{ "copy", required_argument, NULL, 'C' },
		{ NULL, 0, NULL, 0 },
	};
	struct request request = {
		.schedule = { .command = "simulate",
			      .freeze = { .size = sizeof(plait_freeze_desc) } },
		.system = { .size = sizeof(request.system) },
	};
	struct schedule schedule;
	int code = schedule_read(&request.schedule, argc, argv, known, take,
				 &request);

	if (code == COMMAND_DONE)
		code = schedule_open(&request.schedule, &schedule);
	if (code != COMMAND_DONE)
		return code;
	code = simulate(&request, &schedule);
	schedule_close(&schedule);
	return code;
}
