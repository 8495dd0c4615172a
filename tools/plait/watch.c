/* SPDX-License-Identifier: MIT */
/* Progress report of runs; see watch.h. */
#include "watch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EACH_NS = 500000000 };

struct watch {
	pthread_t thread;
	pthread_mutex_t lock;	/* guards all members below */
	pthread_cond_t changed;	/* signalled when `ends` is set */
	plait_run *run;
	uint64_t times;
	uint64_t done;
	uint64_t commands;	/* commands of the runs that are done */
	bool ends;
	bool line;		/* the last line can be overwritten */
	struct timespec start;
};

static double since(const struct watch *watch)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - watch->start.tv_sec) +
	       (double)(now.tv_nsec - watch->start.tv_nsec) / 1e9;
}

static void tell(struct watch *watch, bool last)
{
	plait_run_info info = { .size = sizeof(info) };
	bool terminal = isatty(STDERR_FILENO) == 1;
	double seconds = since(watch);
	uint64_t commands;

	if (watch->run != NULL)
		(void)plait_run_query(watch->run, &info, NULL);
	commands = watch->commands + info.commands;
	fprintf(stderr, "%srun %" PRIu64 " of %" PRIu64, terminal ? "\r" : "",
		watch->done, watch->times);
	if (info.commands_expected > 0)
		fprintf(stderr, ", in it %" PRIu64 " of about %" PRIu64
			" commands, %" PRIu64 " iterations", info.commands,
			info.commands_expected, info.iterations);
	fprintf(stderr, "; %" PRIu64 " commands, %.0f a second, %.1f s%s",
		commands, seconds > 0 ? (double)commands / seconds : 0.0,
		seconds, terminal && !last ? "\033[K" : "\n");
}

static void *run_watch(void *arg)
{
	struct watch *watch = arg;
	struct timespec until;

	pthread_mutex_lock(&watch->lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!watch->ends) {
		until.tv_nsec += EACH_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while (!watch->ends &&
		       pthread_cond_timedwait(&watch->changed, &watch->lock,
					      &until) == 0)
			continue;
		if (!watch->ends)
			tell(watch, false);
	}
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

static bool init(struct watch *watch)
{
	pthread_condattr_t attributes;
	bool good;

	if (pthread_condattr_init(&attributes) != 0)
		return false;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	good = pthread_mutex_init(&watch->lock, NULL) == 0 &&
	       pthread_cond_init(&watch->changed, &attributes) == 0;
	(void)pthread_condattr_destroy(&attributes);
	return good;
}

struct watch *watch_begin(uint64_t times)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (watch == NULL)
		return NULL;
	watch->times = times;
	clock_gettime(CLOCK_MONOTONIC, &watch->start);
	if (init(watch) &&
	    pthread_create(&watch->thread, NULL, run_watch, watch) == 0)
		return watch;
	free(watch);
	return NULL;
}

void watch_run(struct watch *watch, plait_run *run)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->run = run;
	pthread_mutex_unlock(&watch->lock);
}

void watch_done(struct watch *watch, uint64_t commands)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->run = NULL;
	watch->done++;
	watch->commands += commands;
	pthread_mutex_unlock(&watch->lock);
}

void watch_end(struct watch *watch)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->ends = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	tell(watch, true);
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}
