/* SPDX-License-Identifier: MIT */
/* plait check: verify a plan, or name the violated property. */
#include "command.h"
#include "input.h"
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>

static int check(const struct schedule_request *request,
		 const struct schedule *schedule)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };

	if (plait_plan_check(schedule->plan, &error) != PLAIT_OK ||
	    plait_plan_query(schedule->plan, &info, &error) != PLAIT_OK)
		return command_fail("check", "%s: %s",
				    input_name(request->path),
				    error.text);
	printf("right: %" PRIu64 " commands on %" PRIu64 " lanes, %" PRIu64
	       " waits\n", info.commands, info.lanes, info.waits);
	return COMMAND_DONE;
}

int command_check(int argc, char **argv)
{
	static const struct option known[] = { SCHEDULE_OPTIONS, SCHEDULE_HOP,
					       { NULL, 0, NULL, 0 } };
	struct schedule_request request = {
		.command = "check",
		/* Freezing checks against the graph too, which a loaded plan
		 * no longer has. */
		.freeze = { .size = sizeof(plait_freeze_desc),
			    .flags = PLAIT_FREEZE_CHECK },
	};
	struct schedule schedule;
	int code = schedule_read(&request, argc, argv, known, NULL, NULL);

	if (code == COMMAND_DONE)
		code = schedule_open(&request, &schedule);
	if (code != COMMAND_DONE)
		return code;
	code = check(&request, &schedule);
	schedule_close(&schedule);
	return code;
}
