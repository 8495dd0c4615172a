/* SPDX-License-Identifier: MIT */
/*
 * The interposer trace around flows: tasks that threads of the host run outside of
 * queues have spans with their labels, on rows of the flow's lanes, in the order
 * in which they ran.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plait/plait.h"
#include "lib/tap.h"

static plait_error error;
static plait_context *context;
static plait_flow *flow;
static char text[1 << 16];
static char path[64];

static void open_flow(uint32_t workers)
{
	char options[128];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .workers = workers,
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.options = options, .wrap = "trace",
	};
	const plait_flow_desc named = { .size = sizeof(named),
					.label = "steps" };
	int fd;

	error = (plait_error){ .size = sizeof(error) };
	snprintf(path, sizeof(path), "/tmp/plait-test-XXXXXX");
	fd = mkstemp(path);
	if (!OK(fd >= 0))
		exit(1);
	close(fd);
	snprintf(options, sizeof(options), "trace:file=%s", path);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	IS_INT(plait_flow_create(context, &named, &flow, &error), PLAIT_OK);
}

static void close_flow(void)
{
	size_t length = 0;
	FILE *file;

	plait_flow_release(flow);
	IS_INT(plait_context_close(context, PLAIT_FOREVER, &error), PLAIT_OK);
	file = fopen(path, "r");
	if (OK(file != NULL)) {
		length = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	unlink(path);
}

/* Copies the next line with the word behind *at; returns null without one. */
static const char *next_line(const char **at, const char *word)
{
	static char line[1024];

	while (**at != '\0') {
		size_t length = strcspn(*at, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, *at);
		*at += length + ((*at)[length] != '\0');
		if (strstr(line, word) != NULL)
			return line;
	}
	return NULL;
}

static double field(const char *line, const char *key)
{
	const char *at = line != NULL ? strstr(line, key) : NULL;

	return at != NULL ? strtod(at + strlen(key), NULL) : -1;
}

/* Until the clock of the file has advanced. */
static int32_t step(void *user_data)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec == begin.tv_sec &&
	       now.tv_nsec - begin.tv_nsec < 1000);
	return user_data != NULL ? 1 : 0;
}

static void submit(const char *label, plait_data *data, void *user_data)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = step, .user_data = user_data, .label = label,
		.accesses = &access, .access_count = 1,
	};

	IS_INT(plait_flow_submit(flow, &desc, NULL, &error), PLAIT_OK);
}

/* The span with this label, on a row of a lane; returns when it ends, in us. */
static double has_span(const char *label, double after)
{
	const char *at = text, *line;
	char word[64], row[64];
	double begin, length;

	snprintf(word, sizeof(word), "\"name\":\"%s\"", label);
	line = next_line(&at, word);
	if (!OK_THAT(line != NULL, "%s", label))
		return after;
	OK_THAT(strstr(line, "\"ph\":\"X\"") != NULL, "%s", line);
	begin = field(line, "\"ts\":");
	length = field(line, "\"dur\":");
	OK_THAT(begin >= after && length >= 1, "%s", line);
	snprintf(row, sizeof(row), "\"tid\":%.0f,\"name\":\"thread_name\"",
		 field(line, "\"tid\":"));
	at = text;
	line = next_line(&at, row);
	OK_THAT(line != NULL && strstr(line, "steps") != NULL &&
			strstr(line, " lane ") != NULL,
		"%s: %s", row, line != NULL ? line : "is not there");
	return begin + length;
}

static void trace_chain(uint32_t workers)
{
	const plait_data_desc token = { .size = sizeof(token) };
	plait_data *data = NULL;
	double end;

	open_flow(workers);
	IS_INT(plait_data_create(flow, &token, &data, &error), PLAIT_OK);
	submit("first", data, NULL);
	submit("second", data, NULL);
	submit(NULL, data, NULL);
	submit("fails", data, data);
	submit("is skipped", data, NULL);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error),
	       PLAIT_E_FAILED);
	plait_data_release(data);
	close_flow();
	end = has_span("first", 0);
	end = has_span("second", end);
	end = has_span("task", end);
	(void)has_span("fails", end);
	OK(strstr(text, "is skipped") == NULL);
}

static void by_a_worker(void)
{
	trace_chain(1);
}

static void by_the_waiting_thread(void)
{
	trace_chain(0);
}

static const struct tap_scenario all[] = {
	{ "a chain", by_a_worker },
	{ "a chain without workers", by_the_waiting_thread },
};

TAP_MAIN(all)
