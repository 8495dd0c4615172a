/* SPDX-License-Identifier: MIT */
/* The mutex with real threads; its proof is t/model/mutex_eventcount.c. */
#include "lib/tap.h"

#include <pthread.h>

#include "sys/mutex.h"

enum { THREADS = 4, ROUNDS = 20000 };

static struct plait__mutex mutex; /* zeroed memory is enough */
static uint64_t count;

static void *count_up(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		plait__mutex_lock(&mutex);
		count++;
		plait__mutex_unlock(&mutex);
	}
	return NULL;
}

static void excludes(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_up, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	IS_UINT(count, THREADS * ROUNDS);
}

static void tries(void)
{
	struct plait__mutex own;

	plait__mutex_init(&own);
	OK(plait__mutex_trylock(&own));
	OK(!plait__mutex_trylock(&own));
	plait__mutex_unlock(&own);
	plait__mutex_lock(&own);
	OK(!plait__mutex_trylock(&own));
	plait__mutex_unlock(&own);
	OK(plait__mutex_trylock(&own));
}

static const struct tap_scenario all[] = {
	{ "excludes", excludes },
	{ "trylock", tries },
};

TAP_MAIN(all)
