/* SPDX-License-Identifier: MIT */
/* Schedules to files, for the actions of plait coll. */
#include "coll.h"
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_file(const char *path, const char *bytes, uint64_t count)
{
	FILE *file = path == NULL ? stdout : fopen(path, "wb");
	bool failed;

	if (file == NULL)
		return command_fail("coll", "%s: %s", path, strerror(errno));
	failed = fwrite(bytes, 1, count, file) != count;
	failed |= (file == stdout ? fflush(file) : fclose(file)) != 0;
	if (failed)
		return command_fail("coll", "%s: %s", path != NULL ?
				    path : "standard output", strerror(errno));
	return COMMAND_DONE;
}

int coll_write(plait_schedule *schedule, plait_schedule_format format,
	       const char *path, const char *name)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t count = 0;
	char *bytes;
	int code;

	if (plait_schedule_write(schedule, format, NULL, 0, &count, &error))
		return command_fail("coll", "%s: %s", name, error.text);
	bytes = malloc(count + 1);
	if (bytes == NULL)
		return command_fail("coll", "no memory");
	code = plait_schedule_write(schedule, format, bytes, count, &count,
				    &error) ?
		       command_fail("coll", "%s: %s", name, error.text) :
		       write_file(path, bytes, count);
	free(bytes);
	return code;
}
