/* SPDX-License-Identifier: MIT */
/*
 * plait plan: schedule a graph, and print or save the plan; or print a saved
 * plan.
 */
#include "command.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Output formats in addition to those of plait_plan_write. */
enum { SHOW_SUMMARY = 100, SHOW_STATS = 101 };

struct request {
	struct schedule_request schedule;
	int format;
	const char *save; /* path to save the plan, or null */
};

static int take_format(struct request *request, int format)
{
	if (request->format >= 0 && request->format != format)
		return command_usage("plan", "one format at a time");
	request->format = format;
	return COMMAND_DONE;
}

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	switch (option) {
	case 'J':
		return take_format(request, PLAIT_FORMAT_JSON);
	case 'D':
		return take_format(request, PLAIT_FORMAT_DOT);
	case 'S':
		return take_format(request, PLAIT_FORMAT_SVG);
	case 'T':
		return take_format(request, SHOW_STATS);
	case 'X':
		return take_format(request, SHOW_SUMMARY);
	default:
		request->save = value;
		return COMMAND_DONE;
	}
}

static int read_options(int argc, char **argv, struct request *request)
{
	static const struct option known[] = {
		SCHEDULE_OPTIONS,
		SCHEDULE_HOP,
		{ "json", no_argument, NULL, 'J' },
		{ "dot", no_argument, NULL, 'D' },
		{ "svg", no_argument, NULL, 'S' },
		{ "stats", no_argument, NULL, 'T' },
		{ "text", no_argument, NULL, 'X' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};

	return schedule_read(&request->schedule, argc, argv, known, take,
			     request);
}

static void print_stats(const plait_plan_info *info, uint64_t plan_ns)
{
	printf("plan_ns %" PRIu64 "\npeak_bytes %" PRIu64 "\nlanes %" PRIu64
	       "\nwaits %" PRIu64 "\nsignals %" PRIu64 "\n", plan_ns,
	       info->peak_bytes, info->lanes, info->waits, info->signals);
}

static void print_summary(const plait_plan_info *info,
			  const struct schedule *schedule)
{
	printf("nodes     %" PRIu64 ", %" PRIu64 " edges", info->nodes,
	       info->edges);
	if (info->regions > 0)
		printf(", %" PRIu64 " region%s", info->regions,
		       info->regions == 1 ? "" : "s");
	printf("\nlanes     %" PRIu64 " on %" PRIu32 " device%s (%s, %s)\n",
	       info->lanes, info->devices, info->devices == 1 ? "" : "s",
	       info->policy == PLAIT_POLICY_WIDEST ? "widest" : "bounded",
	       info->mode == PLAIT_MODE_HELPED ? "helped" : "strict");
	printf("commands  %" PRIu64 ", %" PRIu64 " wait%s over %" PRIu64
	       " signal%s\n", info->commands, info->waits,
	       info->waits == 1 ? "" : "s", info->signals,
	       info->signals == 1 ? "" : "s");
	printf("makespan  %" PRIu64 "\n", info->makespan);
	if (info->scratch_bytes > 0)
		printf("scratch   %" PRIu64 " bytes\n", info->scratch_bytes);
	if (!schedule->loaded)
		printf("planned   in %.3f ms, with %" PRIu64 " bytes at most\n",
		       (double)schedule->plan_ns / 1e6, info->peak_bytes);
}

static int print_info(const struct schedule *schedule, int format)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };

	if (plait_plan_query(schedule->plan, &info, &error) != PLAIT_OK)
		return command_fail("plan", "%s", error.text);
	if (format == SHOW_STATS)
		print_stats(&info, schedule->plan_ns);
	else
		print_summary(&info, schedule);
	return COMMAND_DONE;
}

/* Call twice: for the size, then for the text. */
static int print_plan(const struct schedule *schedule, int format)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes = 0;
	char *text = NULL;
	plait_status status = plait_plan_write(schedule->plan, format, NULL,
					       0, &bytes, &error);

	if (status == PLAIT_OK) {
		text = malloc(bytes > 0 ? bytes : 1);
		if (text == NULL)
			return command_fail("plan", "no memory for %" PRIu64
					    " bytes", bytes);
		status = plait_plan_write(schedule->plan, format, text, bytes,
					  &bytes, &error);
	}
	if (status == PLAIT_OK)
		fwrite(text, 1, bytes, stdout);
	free(text);
	return status == PLAIT_OK ? COMMAND_DONE :
	       command_fail("plan", "%s", error.text);
}

static int show(const struct request *request,
		const struct schedule *schedule)
{
	plait_error error = { .size = sizeof(error) };

	if (request->save != NULL &&
	    plait_plan_save(schedule->plan, request->save, &error) !=
	    PLAIT_OK)
		return command_fail("plan", "%s", error.text);
	if (request->format < 0 || request->format >= SHOW_SUMMARY)
		return print_info(schedule, request->format);
	return print_plan(schedule, request->format);
}

int command_plan(int argc, char **argv)
{
	struct request request = {
		.schedule = { .command = "plan",
			      .freeze = { .size = sizeof(plait_freeze_desc) } },
		.format = -1,
	};
	struct schedule schedule;
	int code = read_options(argc, argv, &request);

	if (code == COMMAND_DONE)
		code = schedule_open(&request.schedule, &schedule);
	if (code != COMMAND_DONE)
		return code;
	code = show(&request, &schedule);
	schedule_close(&schedule);
	return code;
}
