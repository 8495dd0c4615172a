/* SPDX-License-Identifier: MIT */
/* Threads of a check, and waits for them. */
#include "conform.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct conform_thread {
	pthread_t id;
	void (*run)(void *argument);
	void *argument;
};

uint64_t conform_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t patience_ns;

void conform_be_patient(uint32_t deadline_s)
{
	patience_ns = deadline_s * UINT64_C(400000000);
}

uint64_t conform_patience_ns(void)
{
	return patience_ns;
}

static void *enter(void *argument)
{
	struct conform_thread *thread = argument;

	thread->run(thread->argument);
	return NULL;
}

struct conform_thread *conform_start(struct conform *c,
				     void (*run)(void *argument),
				     void *argument)
{
	struct conform_thread *thread = calloc(1, sizeof(*thread));

	if (thread != NULL) {
		thread->run = run;
		thread->argument = argument;
	}
	if (thread == NULL ||
	    pthread_create(&thread->id, NULL, enter, thread) != 0) {
		HOLDS_THAT(false, "a thread could be started");
		conform_end(c);
	}
	return thread;
}

void conform_join(struct conform_thread *thread)
{
	pthread_join(thread->id, NULL);
	free(thread);
}

/* Read the state letter, after the name in /proc/self/task/ID/stat. */
static bool sleeps(const char *id)
{
	char path[64], line[512];
	const char *state;
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", id);
	file = fopen(path, "r");
	if (file == NULL)
		return true; /* the thread ended meanwhile */
	got = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[got] = 0;
	state = strrchr(line, ')');
	return state == NULL || state[1] == 0 || state[2] != 'R';
}

static bool all_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool all = true;

	if (tasks == NULL)
		return true;
	while (all && (entry = readdir(tasks)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    atol(entry->d_name) != (long)syscall(SYS_gettid))
			all = sleeps(entry->d_name);
	closedir(tasks);
	return all;
}

void conform_let_them_sleep(void)
{
	uint64_t end = conform_now_ns() + 300000000u;

	while (!all_sleep() && conform_now_ns() < end)
		sched_yield();
}

bool conform_until(const atomic_bool *flag)
{
	static const struct timespec nap = { .tv_nsec = 200000 };
	uint64_t end = conform_now_ns() + patience_ns;

	while (!atomic_load(flag)) {
		if (conform_now_ns() >= end)
			return atomic_load(flag);
		nanosleep(&nap, NULL);
	}
	return true;
}
