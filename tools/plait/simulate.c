/* SPDX-License-Identifier: MIT */
/* plait simulate: predicted duration of a run, on a system described by
 * options.  No command runs. */
#include "command.h"
#include "input.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
		/* The planner takes the hop cost of the simulated system. */
		request->schedule.freeze.hop_cost = system->hop_cost;
		return code;
	case 'S':
		return schedule_number("simulate", "--submit", value,
				       INT64_MAX, &system->submit_cost);
	case 'C':
		return read_copy(value, system);
	default:
		return command_usage("simulate", "unexpected option '-o'");
	}
}

static void print_lane(uint64_t number, const plait_lane_use *lane,
		       uint64_t makespan)
{
	double share = makespan > 0 ?
		       100.0 * (double)lane->busy / (double)makespan : 0.0;

	printf("lane %" PRIu64 " busy %" PRIu64 " share %.1f%% start %" PRIu64
	       " end %" PRIu64 " commands %" PRIu64 " waits %" PRIu64
	       " device %s\n", number, lane->busy, share, lane->start,
	       lane->end, lane->commands, lane->waits, lane->device_name);
}

static void print_all(const plait_simulation *result,
		      const plait_lane_use *lanes, uint64_t count)
{
	printf("makespan %" PRIu64 "\ncritical_cost %" PRIu64
	       "\ncritical_count %" PRIu64 "\nbusy %" PRIu64 "\nlanes %" PRIu64
	       "\nmemory_peak %" PRIu64 "\n", result->makespan,
	       result->critical_cost, result->critical_count, result->busy,
	       count, result->memory_peak);
	for (uint64_t i = 0; i < count; i++)
		print_lane(i, &lanes[i], result->makespan);
}

/* Print one line per command; the label comes last, since it may have blanks. */
static void print_critical(const plait_critical_command *commands,
			   uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		printf("critical %" PRIu64 " lane %" PRIu32 " start %" PRIu64
		       " end %" PRIu64 " node ", i, commands[i].lane,
		       commands[i].start, commands[i].end);
		if (commands[i].label[0] != '\0')
			printf("%s\n", commands[i].label);
		else
			printf("#%" PRIu64 "\n", commands[i].node);
	}
}

static int show_critical(const struct request *request,
			 const struct schedule *schedule, uint64_t count)
{
	plait_error error = { .size = sizeof(error) };
	plait_critical_command *commands =
		calloc(count + 1, sizeof(*commands));
	plait_status status;

	if (commands == NULL)
		return command_fail("simulate", "no memory for %" PRIu64
				    " commands", count);
	commands->size = sizeof(*commands);
	status = plait_plan_critical_path(schedule->plan, &request->system,
				     commands, count, &error);
	if (status == PLAIT_OK)
		print_critical(commands, count);
	free(commands);
	return status == PLAIT_OK ? COMMAND_DONE :
	       command_fail("simulate", "%s: %s",
			    input_name(request->schedule.path), error.text);
}

static int simulate(const struct request *request,
		    const struct schedule *schedule)
{
	plait_simulation result = { .size = sizeof(result) };
	plait_plan_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };
	plait_lane_use *lanes = NULL;
	plait_status status = plait_plan_query(schedule->plan, &info, &error);

	if (status == PLAIT_OK) {
		lanes = calloc(info.lanes + 1, sizeof(*lanes));
		if (lanes == NULL)
			return command_fail("simulate", "no memory for %" PRIu64
					    " lanes", info.lanes);
		lanes->size = sizeof(*lanes);
		status = plait_plan_simulate(schedule->plan, &request->system,
					     &result, lanes, info.lanes,
					     &error);
	}
	if (status == PLAIT_OK)
		print_all(&result, lanes, info.lanes);
	free(lanes);
	return status == PLAIT_OK ?
	       show_critical(request, schedule, result.critical_count) :
	       command_fail("simulate", "%s: %s",
			    input_name(request->schedule.path), error.text);
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
