/* SPDX-License-Identifier: MIT */
/*
 * Traces of processes that end at once: every one writes a whole file, although
 * its context may still be ending on another thread; and plait_context_close
 * waits for that end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tap.h"
#include "plait/plait.h"

enum { PROCESSES = 100, AT_ONCE = 4 };

static char folder[64];

static const char *path_of(int number)
{
	static char path[96];

	snprintf(path, sizeof(path), "%s/%d.json", folder, number);
	return path;
}

static int32_t work(void *user_data)
{
	++*(int *)user_data;
	return 0;
}

/* Two queues, an emission of each, both waited for; all is released. */
static plait_context *run(const char *path, bool *out_good)
{
	char options[128];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .workers = 4,
		.wrap = "trace", .options = options,
	};
	plait_signal *signals[2] = { NULL, NULL };
	plait_queue *queues[2] = { NULL, NULL };
	plait_context *context = NULL;
	plait_device *device = NULL;
	int counts[2] = { 0, 0 };
	bool good;

	snprintf(options, sizeof(options), "trace:file=%s", path);
	good = plait_context_open(&desc, &context, NULL) == PLAIT_OK &&
	       plait_context_device(context, 0, &device, NULL) == PLAIT_OK;
	for (int i = 0; i < 2 && good; i++)
		good = !plait_queue_create(device, NULL, &queues[i], NULL) &&
		       !plait_signal_create(device, NULL, &signals[i], NULL) &&
		       !plait_queue_call(queues[i], work, &counts[i], NULL) &&
		       !plait_queue_emit(queues[i], signals[i], NULL, NULL);
	for (int i = 0; i < 2 && good; i++)
		good = plait_signal_wait(signals[i], 1, PLAIT_FOREVER, NULL) ==
			       PLAIT_OK && counts[i] == 1;
	for (int i = 0; i < 2; i++) {
		plait_signal_release(signals[i]);
		plait_queue_release(queues[i]);
	}
	*out_good = good;
	return context;
}

/* The text is a whole trace with both calls. */
static bool is_whole(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	size_t length;

	if (file == NULL)
		return false;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	unlink(path);
	text[length] = '\0';
	return length > 20 && strstr(text, "\"submit\"") != NULL &&
	       strcmp(text + length - 3, "}}\n") == 0;
}

static int exit_at_once(int number)
{
	bool good;

	plait_context_release(run(path_of(number), &good));
	return good ? 0 : 1;
}

static void start(int number)
{
	pid_t child = fork();

	if (child == 0)
		exit(exit_at_once(number));
	OK(child > 0);
}

static void every_process(void)
{
	int failed = 0;
	int missing = 0;
	int status;

	for (int i = 0; i < PROCESSES + AT_ONCE; i++) {
		if (i < PROCESSES)
			start(i);
		if (i < AT_ONCE)
			continue;
		failed += wait(&status) < 0 || status != 0;
	}
	for (int i = 0; i < PROCESSES; i++)
		missing += !is_whole(path_of(i));
	IS_INT(failed, 0);
	IS_INT(missing, 0);
}

/* A child that exits has no part in its parent's trace. */
static void forked_child(void)
{
	plait_context *context;
	int status = -1;
	pid_t child;
	bool good;

	context = run(path_of(0), &good);
	OK(good);
	child = fork();
	if (child == 0)
		exit(0);
	OK(waitpid(child, &status, 0) == child && status == 0);
	OK(access(path_of(0), F_OK) != 0);
	IS_INT(plait_context_close(context, PLAIT_FOREVER, NULL), PLAIT_OK);
	OK(is_whole(path_of(0)));
}

static void closed(void)
{
	for (int i = 0; i < 20; i++) {
		plait_context *context;
		bool good;

		context = run(path_of(i), &good);
		OK(good);
		IS_INT(plait_context_close(context, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_live_count(PLAIT_OBJECT_ANY), 0);
		OK(is_whole(path_of(i)));
	}
}

/* A call on each device of a host and a simulated system. */
static plait_context *run_backends(const char *path)
{
	char options[128];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host,chaos",
		.wrap = "trace", .options = options,
	};
	plait_context *context = NULL;
	plait_device *device = NULL;
	plait_queue *queue = NULL;
	int count = 0;

	snprintf(options, sizeof(options), "trace:file=%s;chaos:devices=2",
		 path);
	OK(!plait_context_open(&desc, &context, NULL));
	for (uint32_t i = 0; i < 3; i++) {
		OK(!plait_context_device(context, i, &device, NULL) &&
		   !plait_queue_create(device, NULL, &queue, NULL) &&
		   !plait_queue_call(queue, work, &count, NULL) &&
		   !plait_queue_finish(queue, PLAIT_FOREVER, NULL));
		plait_queue_release(queue);
	}
	return context;
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

/* The file has the traces of all backends, and of one context. */
static void backends(void)
{
	static char text[1 << 16];

	for (int i = 0; i < 2; i++) {
		plait_context *context = run_backends(path_of(0));
		FILE *file;

		IS_INT(plait_context_close(context, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		file = fopen(path_of(0), "r");
		if (!OK(file != NULL))
			return;
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		IS_INT(count_of(text, "\"process_name\""), 5);
		IS_INT(count_of(text, "\"host, trace 2\""), 1);
		IS_INT(count_of(text, "\"name\":\"host function\""), 3);
		IS_INT(count_of(text, "traceEvents"), 1);
		IS_INT(count_of(text, "otherData"), 1);
		IS_INT(count_of(text, "\n{"), count_of(text, "},\n{") + 1);
	}
	unlink(path_of(0));
}

static void all_scenarios(void)
{
	snprintf(folder, sizeof(folder), "/tmp/plait-trace-XXXXXX");
	if (!OK(mkdtemp(folder) != NULL))
		return;
	/* First: children of a process that has used the library cannot. */
	every_process();
	forked_child();
	closed();
	backends();
	rmdir(folder);
}

static const struct tap_scenario all[] = {
	{ "trace at exit", all_scenarios },
};
TAP_MAIN(all)
