/* SPDX-License-Identifier: MIT */
/*
 * The interposer trace around whole programs: commands of queues and plans have
 * spans with their labels and sizes, queues of plans and signals have names.
 * With ON_STANDIN on OpenCL, whose driver measures; else on the host and a
 * simulated system.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plait/plait.h"
#include "lib/tap.h"
#ifdef ON_STANDIN
#include "standin/opencl/standin.h"
#endif

enum { COUNT = 64, BYTES = COUNT * 4 };

static plait_error error;
static plait_context *context;
static plait_device *device;
static plait_buffer *x, *y;
static char text[1 << 18];
static char path[64];

static void open_it(const char *backend, const char *more)
{
	static char options[4500];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = backend,
					  .options = options,
					  .wrap = "trace" };
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = BYTES };
	int fd;

	error = (plait_error){ .size = sizeof(error) };
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	snprintf(path, sizeof(path), "/tmp/plait-test-XXXXXX");
	fd = mkstemp(path);
	if (!OK(fd >= 0))
		exit(1);
	close(fd);
	snprintf(options, sizeof(options), "trace:file=%s%s", path, more);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &x, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &y, &error), PLAIT_OK);
}

static void close_it(void)
{
	FILE *file;
	size_t length = 0;

	plait_buffer_release(x);
	plait_buffer_release(y);
	plait_context_release(context);
	file = fopen(path, "r");
	if (OK(file != NULL)) {
		length = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	unlink(path);
}

/* Returns the line of the file with both words, or null. */
static const char *find_line(const char *word, const char *other)
{
	static char line[1024];
	const char *at = text;

	while (*at != '\0') {
		size_t length = strcspn(at, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		if (strstr(line, word) != NULL && strstr(line, other) != NULL)
			return line;
		at += length + (at[length] != '\0');
	}
	return NULL;
}

/* The command is a span on the queue of this number in device 0. */
static void has_span(const char *name, int queue, unsigned bytes)
{
	char first[64], second[64];
	const char *line;

	snprintf(first, sizeof(first), "\"tid\":%d,\"name\":\"%s\"", queue,
		 name);
	snprintf(second, sizeof(second), "\"bytes\":%u,", bytes);
	line = find_line(first, second);
	OK_THAT(line != NULL && strstr(line, "\"pid\":1,") != NULL, "%s: %s",
		name, line != NULL ? line : "is not there");
#ifdef ON_STANDIN
	OK_THAT(line != NULL && strstr(line, "\"dur\":7.000") != NULL,
		"%s: %s", name, line);
#endif
}

static void submit_all(plait_queue *queue, plait_signal *signal)
{
	static uint32_t host[COUNT];
	plait_command all[] = {
		{ .kind = PLAIT_COMMAND_FILL, .target = x, .bytes = BYTES,
		  .pattern = 7, .pattern_bytes = 4, .label = "paint" },
		{ .kind = PLAIT_COMMAND_COPY, .target = y, .source = x,
		  .bytes = BYTES - 4 },
		{ .kind = PLAIT_COMMAND_READ, .source = y, .host = host,
		  .bytes = BYTES - 8 },
		{ .kind = PLAIT_COMMAND_WRITE, .target = y, .host = host,
		  .bytes = BYTES - 12, .label = "back" },
	};

	for (size_t i = 0; i < TAP_COUNT(all); i++)
		all[i].size = sizeof(all[i]);
	IS_INT(plait_queue_submit(queue, all, TAP_COUNT(all), NULL, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_emit(queue, signal, NULL, &error), PLAIT_OK);
	IS_INT(plait_signal_wait(signal, 1, PLAIT_FOREVER, &error), PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	IS_UINT(host[0], 7);
}

static void call_plan(void)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_QUEUES };
	const plait_node_desc fill = { .size = sizeof(fill),
				       .kind = PLAIT_NODE_FILL, .target = x,
				       .bytes = 32, .pattern = 1,
				       .pattern_bytes = 4, .device = device,
				       .label = "node" };
	plait_graph *graph;
	plait_plan *plan = NULL;
	plait_node node;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &fill, NULL, 0, &node, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_prepare(plan, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void trace_all(const char *backend, const char *more)
{
	const plait_queue_desc queue_desc = { .size = sizeof(queue_desc),
					      .label = "upper" };
	const plait_signal_desc signal_desc = { .size = sizeof(signal_desc),
						.label = "ready" };
	plait_queue *queue;
	plait_signal *signal;

	open_it(backend, more);
	IS_INT(plait_queue_create(device, &queue_desc, &queue, &error),
	       PLAIT_OK);
	IS_INT(plait_signal_create(device, &signal_desc, &signal, &error),
	       PLAIT_OK);
	submit_all(queue, signal);
	call_plan();
	plait_signal_release(signal);
	plait_queue_release(queue);
	close_it();
	has_span("paint", 1, BYTES);
	has_span("copy", 1, BYTES - 4);
	has_span("read", 1, BYTES - 8);
	has_span("back", 1, BYTES - 12);
	has_span("node", 2, 32);
	OK(find_line("\"thread_name\"", "queue 1 upper") != NULL);
	OK(find_line("\"thread_name\"", " instance 0 lane 0\"") != NULL);
	OK(find_line("\"thread_name\"", " instance 1 lane 0\"") != NULL);
	OK(find_line("\"signal\":", "\"label\":\"ready\"") != NULL);
	OK(find_line("\"name\":\"submit\"", "\"label\":\"paint\"") != NULL);
}

#ifdef ON_STANDIN
static void on_standin(uint32_t mode)
{
	const struct fakecl_setup setup = { .devices = 1, .mode = mode };
	static const struct fakecl_setup rest = { .devices = 1 };
	static char more[4200];

	standin()->reset(&setup);
	snprintf(more, sizeof(more), ";opencl:loader=%s", standin_path);
	trace_all("opencl", more);
	standin_is_clean();
	/* Ends the driver's thread. */
	standin()->reset(&rest);
}

static void at_once(void)
{
	on_standin(FAKECL_AT_ONCE);
}

static void by_a_thread(void)
{
	on_standin(FAKECL_THREAD);
}

static const struct tap_scenario all[] = {
	{ "commands of OpenCL", at_once },
	{ "by a thread of the driver", by_a_thread },
};
#else
static void on_host(void)
{
	trace_all("host", "");
}

static void on_chaos(void)
{
	trace_all("chaos", "");
}

static const struct tap_scenario all[] = {
	{ "commands of the host", on_host },
	{ "commands of a simulated system", on_chaos },
};
#endif

TAP_MAIN(all)
