/* SPDX-License-Identifier: MIT */
/*
 * A program for t/sys/system_calls_fail.t: uses one part of src/sys and prints
 * the result, while strace makes system calls fail under it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/env.h"
#include "sys/eventcount.h"
#include "sys/fd.h"
#include "sys/fork.h"
#include "sys/thread.h"
#include "sys/read_write_file.h"

static struct plait__eventcount event;
static at_u32 flag;

static bool flag_is_set(void *arg)
{
	(void)arg;
	return at_load_acquire_u32(&flag) != 0;
}

static void publish(void *arg)
{
	(void)arg;
	while (at_load_acquire_u32(&event.sleepers) == 0)
		plait__thread_yield();
	at_store_release_u32(&flag, 1);
	plait__eventcount_notify(&event);
}

static int probe_event(void)
{
	struct plait__thread thread;
	int status;

	plait__eventcount_init(&event, PLAIT__EVENTCOUNT_ASYMMETRIC);
	status = plait__thread_start(&thread, "probe", publish, NULL, NULL);
	if (status != 0) {
		printf("start %d\n", status);
		return 0;
	}
	status = plait__eventcount_await(&event, flag_is_set, NULL,
					 plait__clock_deadline(60000000000u),
					 PLAIT__BACKOFF_SLEEP);
	plait__thread_join(&thread);
	printf("event %d light %u\n", status, event.asymmetric_fence);
	return 0;
}

static int probe_fd(void)
{
	int fd = plait__fd_open();
	int raised;
	int drained;

	if (fd < 0) {
		printf("open %d\n", fd);
		return 0;
	}
	raised = plait__fd_raise(fd);
	drained = plait__fd_drain(fd);
	printf("raise %d drain %d\n", raised, drained);
	plait__fd_close(fd);
	return 0;
}

static int probe_fork(void)
{
	int status = 0;
	pid_t child;

	plait__fork_init();
	printf("own %d ", plait__fork_check());
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(plait__fork_check() == (int32_t)getppid());
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	return 0;
}

/* Replace the file that argv names, and print its content afterwards. */
static int probe_whole(const char *path)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status = plait__write_file_atomically(path, "new", 3, &error);

	printf("write %d %d\n", status, (int)error.origin);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "event") == 0)
		return probe_event();
	if (strcmp(what, "fd") == 0)
		return probe_fd();
	if (strcmp(what, "fork") == 0)
		return probe_fork();
	if (strcmp(what, "whole") == 0)
		return probe_whole(argc > 2 ? argv[2] : "");
	if (strcmp(what, "cpu") == 0) {
		printf("cpus %u\n", plait__cpu_count());
		return 0;
	}
	if (strcmp(what, "env") == 0) {
		printf("privileged %d value %s\n", plait__env_privileged(),
		       plait__env_get("PLAIT_TEST") ? "seen" : "hidden");
		return 0;
	}
	return 2;
}
