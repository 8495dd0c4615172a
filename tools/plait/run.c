/* SPDX-License-Identifier: MIT */
/*
 * plait run: replay a plan and tell what that costs here.  The nodes of a text
 * do nothing, so what is measured is the replay itself.
 */
#include "command.h"
#include "input.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEFAULT_RUNS = 1000, MOST_RUNS = 100000000 };

struct request {
	struct schedule_request schedule;
	plait_run_desc run;
	uint64_t times;
};

static int take_flag(struct request *request, uint32_t flag)
{
	if (request->run.flags != 0 && request->run.flags != flag)
		return command_usage("run", "--serial and --parallel "
				     "contradict each other");
	request->run.flags = flag;
	return COMMAND_DONE;
}

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;
	int code;

	switch (option) {
	case 'T':
		code = schedule_number("run", "--times", value, MOST_RUNS,
				       &request->times);
		if (code == COMMAND_DONE && request->times == 0)
			return command_usage("run", "--times: at least 1");
		return code;
	case 'S':
		return take_flag(request, PLAIT_RUN_SERIAL);
	case 'P':
		request->schedule.workers = true;
		return take_flag(request, PLAIT_RUN_PARALLEL);
	default:
		return command_usage("run", "what is '-o'?");
	}
}

/* Devices that are not here are the one that is. */
static plait_status bind_devices(const struct schedule *schedule,
				 plait_error *error)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan_binding one = { .size = sizeof(one) };
	plait_device *device = NULL;
	plait_status status = plait_context_device(schedule->context, 0,
						   &device, error);

	if (status == PLAIT_OK)
		status = plait_plan_query(schedule->plan, &info, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < info.bindings; i++) {
		status = plait_plan_query_binding(schedule->plan, i, &one,
						  error);
		if (status == PLAIT_OK && one.bound == 0 &&
		    one.kind == PLAIT_BINDING_DEVICE)
			status = plait_plan_bind_device(
				schedule->plan, one.name, device, error);
	}
	return status;
}

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static plait_status measure(const struct request *request,
			    const struct schedule *schedule, uint64_t *took,
			    plait_error *error)
{
	plait_status status = bind_devices(schedule, error);

	if (status == PLAIT_OK)
		status = plait_plan_prepare(schedule->plan, error);
	for (uint64_t i = 0; status == PLAIT_OK && i < request->times; i++) {
		uint64_t start = now_ns();

		status = plait_plan_call(schedule->plan, NULL, &request->run,
					 error);
		took[i] = now_ns() - start;
	}
	return status;
}

static void print_times(const struct schedule *schedule, uint64_t *took,
			uint64_t count)
{
	plait_plan_info info = { .size = sizeof(info) };
	uint64_t commands;

	(void)plait_plan_query(schedule->plan, &info, NULL);
	commands = info.commands;
	qsort(took, count, sizeof(*took), compare);
	printf("runs %" PRIu64 "\nmin_ns %" PRIu64 "\nmedian_ns %" PRIu64
	       "\ncommands %" PRIu64 "\nmin_ns_per_command %.1f\n", count,
	       took[0], took[count / 2], commands,
	       commands > 0 ? (double)took[0] / (double)commands : 0.0);
}

static int run(const struct request *request, const struct schedule *schedule)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t *took = calloc(request->times, sizeof(*took));
	plait_status status;

	if (took == NULL)
		return command_fail("run", "no memory for %" PRIu64 " runs",
				    request->times);
	status = measure(request, schedule, took, &error);
	if (status == PLAIT_OK)
		print_times(schedule, took, request->times);
	free(took);
	return status == PLAIT_OK ? COMMAND_DONE :
	       command_fail("run", "%s: %s",
			    input_name(request->schedule.path), error.text);
}

int command_run(int argc, char **argv)
{
	static const struct option known[] = {
		SCHEDULE_OPTIONS,
		SCHEDULE_HOP,
		{ "times", required_argument, NULL, 'T' },
		{ "serial", no_argument, NULL, 'S' },
		{ "parallel", no_argument, NULL, 'P' },
		{ NULL, 0, NULL, 0 },
	};
	struct request request = {
		.schedule = { .command = "run",
			      .freeze = { .size = sizeof(plait_freeze_desc) } },
		.run = { .size = sizeof(request.run) },
		.times = DEFAULT_RUNS,
	};
	struct schedule schedule;
	int code = schedule_read(&request.schedule, argc, argv, known, take,
				 &request);

	if (code == COMMAND_DONE)
		code = schedule_open(&request.schedule, &schedule);
	if (code != COMMAND_DONE)
		return code;
	code = run(&request, &schedule);
	schedule_close(&schedule);
	return code;
}
