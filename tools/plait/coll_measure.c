/* SPDX-License-Identifier: MIT */
/*
 * Measured times of a schedule; see coll_measure.h.  A process that has used the
 * library cannot fork ranks, so this program is executed anew, and reads the schedule
 * from a memory file.
 */
#include "coll_measure.h"

#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	ROUNDS = 2,
	CALLS = 24,		/* whose mean time a round has */
	COMMAND_BYTES = 256 + COLL_MOST_SIZES * 21
};

static plait_status fail(plait_error *error, const char *text)
{
	error->status = PLAIT_E_FAILED;
	snprintf(error->text, sizeof(error->text), "measuring: %.*s",
		 (int)strcspn(text, "\n"), text);
	return PLAIT_E_FAILED;
}

/* Returns a descriptor, or -1. */
static int keep_bytes(const char *bytes, uint64_t count)
{
	int file = memfd_create("schedule", 0);

	if (file >= 0 && write(file, bytes, count) != (ssize_t)count) {
		close(file);
		file = -1;
	}
	return file;
}

static plait_status keep_schedule(plait_schedule *schedule, int *out_file,
				  plait_error *error)
{
	uint64_t count = 0;
	char *bytes;
	plait_status status = plait_schedule_write(
		schedule, PLAIT_SCHEDULE_BINARY, NULL, 0, &count, error);

	if (status != PLAIT_OK)
		return status;
	bytes = malloc(count + 1);
	if (bytes == NULL)
		return fail(error, "no memory for the schedule");
	status = plait_schedule_write(schedule, PLAIT_SCHEDULE_BINARY, bytes,
				      count, &count, error);
	if (status == PLAIT_OK) {
		*out_file = keep_bytes(bytes, count);
		status = *out_file >= 0 ? PLAIT_OK :
			 fail(error, "no memory file for the schedule");
	}
	free(bytes);
	return status;
}

static void write_command(char *out, int file, uint32_t ranks,
			  const struct coll_sizes *sizes)
{
	long self = (long)getpid();
	int used = snprintf(out, COMMAND_BYTES, "exec /proc/%ld/exe coll run "
			    "/proc/%ld/fd/%d --processes %u --times %d "
			    "--bytes ", self, self, file, (unsigned)ranks,
			    CALLS + 1);

	for (uint32_t i = 0; i < sizes->count; i++)
		used += snprintf(out + used, (size_t)(COMMAND_BYTES - used),
				 "%s%" PRIu64, i > 0 ? "," : "",
				 sizes->items[i]);
	snprintf(out + used, (size_t)(COMMAND_BYTES - used), " 2>&1");
}

/* Read the time of one size; fails with a line that has none. */
static plait_status take_line(const char *line, uint64_t *time,
			      plait_error *error)
{
	const char *at = strstr(line, "processes, ");
	double us;

	if (at == NULL || sscanf(at, "processes, %lf us", &us) != 1)
		return fail(error, line);
	if (us * 1000 < (double)*time)
		*time = (uint64_t)(us * 1000 + 0.5);
	return PLAIT_OK;
}

static plait_status run_round(const char *command, uint32_t count,
			      uint64_t *times, plait_error *error)
{
	FILE *output = popen(command, "r");
	plait_status status = PLAIT_OK;
	char line[512];
	uint32_t i = 0;

	if (output == NULL)
		return fail(error, "cannot start processes");
	while (fgets(line, sizeof(line), output) != NULL)
		if (status == PLAIT_OK && i < count)
			status = take_line(line, &times[i++], error);
	if (pclose(output) != 0 && status == PLAIT_OK)
		status = fail(error, "the ranks failed");
	return status == PLAIT_OK && i < count ?
		       fail(error, "the ranks ended early") : status;
}

plait_status coll_measure(plait_schedule *schedule, uint32_t ranks,
			  const struct coll_sizes *sizes, uint64_t *out_times,
			  plait_error *error)
{
	char command[COMMAND_BYTES];
	plait_status status;
	int file = -1;

	for (uint32_t i = 0; i < sizes->count; i++)
		out_times[i] = UINT64_MAX;
	status = keep_schedule(schedule, &file, error);
	if (status != PLAIT_OK)
		return status;
	write_command(command, file, ranks, sizes);
	for (uint32_t i = 0; i < ROUNDS && status == PLAIT_OK; i++)
		status = run_round(command, sizes->count, out_times, error);
	close(file);
	return status;
}
