/* SPDX-License-Identifier: MIT */
/*
 * Ranks as threads: each has a context and a world of its own, over loopback or
 * shm.  A rank's function returns when it is done; checks are made by the main
 * thread behind them.
 */
#ifndef T_WORLD_THREADS_H
#define T_WORLD_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tap.h"
#include "plait/plait.h"

enum { THREADS_MAX = 8 };

struct rank {
	uint32_t rank, ranks;
	void (*run)(struct rank *rank);
	void *arg;
	uint32_t workers;	/* of the context */
	/* Null: the host alone; or a list, and options of it. */
	const char *backends, *devices;
	const char *wrap; /* interposers, or null */
	const plait_allocator *allocator; /* null: the library's */
	plait_log_hook log; /* null: the library's */
	const cpu_set_t *cpus; /* affinity mask; null: that of the test */
	plait_world_desc desc;
	plait_context *context;
	plait_world *world;
	plait_status status;	/* of the last call that failed, or OK */
	plait_error error;
	pthread_t thread;
	char options[192];
};

/* Note a failure; returns true for success. */
static inline bool rank_did(struct rank *rank, plait_status status)
{
	if (status != PLAIT_OK)
		rank->status = status;
	return status == PLAIT_OK;
}

static inline void *rank_thread(void *arg)
{
	struct rank *rank = arg;
	const plait_context_desc desc = {
		.size = sizeof(desc),
		.backends = rank->backends != NULL ? rank->backends : "host",
		.options = rank->options, .wrap = rank->wrap,
		.flags = rank->workers > 0 ? 0 : PLAIT_CONTEXT_NO_WORKERS,
		.workers = rank->workers, .allocator = rank->allocator,
		.log = rank->log,
		.log_level = rank->log != NULL ? PLAIT_LOG_WARNING : 0,
	};

	if (rank->cpus != NULL)
		(void)sched_setaffinity(0, sizeof(*rank->cpus), rank->cpus);
	if (rank_did(rank, plait_context_open(&desc, &rank->context,
					      &rank->error)) &&
	    rank_did(rank, plait_world_open(rank->context, &rank->desc,
					    &rank->world, &rank->error)))
		rank->run(rank);
	plait_world_release(rank->world);
	plait_context_release(rank->context);
	return NULL;
}

/* Start the ranks; the descriptors' zeros become those of a test. */
static inline void ranks_start(struct rank *ranks, uint32_t count,
			       const char *transport,
			       void (*run)(struct rank *rank))
{
	static unsigned runs;

	runs++;
	for (uint32_t i = 0; i < count; i++) {
		ranks[i].rank = i;
		ranks[i].ranks = count;
		ranks[i].run = run;
		ranks[i].error.size = sizeof(ranks[i].error);
		ranks[i].desc.size = sizeof(ranks[i].desc);
		if (ranks[i].desc.transports == NULL)
			ranks[i].desc.transports = transport;
		if (ranks[i].desc.open_ns == 0)
			ranks[i].desc.open_ns = TAP_PATIENCE_NS;
		(void)snprintf(ranks[i].options, sizeof(ranks[i].options),
			       "%s:rank=%u,ranks=%u,name=t%ld.%u%s%s",
			       transport, i, count, (long)getpid(), runs,
			       ranks[i].devices != NULL ? ";" : "",
			       ranks[i].devices != NULL ? ranks[i].devices : "");
		if (pthread_create(&ranks[i].thread, NULL, rank_thread,
				   &ranks[i]) != 0)
			abort();
	}
}

/* Wait for the ranks; returns the number of those without a failure. */
static inline uint32_t ranks_join(struct rank *ranks, uint32_t count)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < count; i++) {
		pthread_join(ranks[i].thread, NULL);
		good += ranks[i].status == PLAIT_OK;
	}
	return good;
}

static inline uint32_t ranks_run(struct rank *ranks, uint32_t count,
				 const char *transport,
				 void (*run)(struct rank *rank))
{
	ranks_start(ranks, count, transport, run);
	return ranks_join(ranks, count);
}

/* Compile a known algorithm for all ranks of the world. */
static inline plait_schedule *rank_compile(struct rank *rank, const char *name,
					   plait_coll_kind kind,
					   plait_coll_flags flags)
{
	const plait_coll_desc desc = { .size = sizeof(desc), .kind = kind,
				       .flags = flags, .ranks = rank->ranks };
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;

	if (rank_did(rank, plait_coll_known(rank->context, name, &desc, &coll,
					    &rank->error)))
		rank_did(rank, plait_coll_compile(coll, NULL, &schedule,
						  &rank->error));
	plait_coll_release(coll);
	return schedule;
}

/* Create a collective of one known algorithm; null after a failure. */
static inline plait_collective *rank_collective(struct rank *rank,
						const char *name,
						plait_coll_kind kind,
						plait_coll_flags flags)
{
	plait_schedule *schedule = rank_compile(rank, name, kind, flags);
	plait_collective *collective = NULL;

	if (schedule != NULL)
		rank_did(rank, plait_collective_create(rank->world, &schedule,
						       1, &collective,
						       &rank->error));
	plait_schedule_release(schedule);
	return collective;
}

#endif
