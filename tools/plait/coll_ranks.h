/* SPDX-License-Identifier: MIT */
/* Runs of a collective in processes: each is a rank of a world. */
#ifndef PLAIT_TOOLS_COLL_RANKS_H
#define PLAIT_TOOLS_COLL_RANKS_H

#include "coll_data.h"

#include <sys/types.h>

struct coll_ranks {
	const char *path;
	const struct input *input; /* the schedule's file */
	const struct coll_sizes *sizes;
	uint32_t processes;	/* to start; 0: this process is a rank */
	uint32_t type, reduction, times;
	bool verify, shared;
};

enum { COLL_MOST_PROCESSES = 256 };

/* Return true if a launcher has started this process as a rank. */
bool coll_ranks_wanted(void);

/*
 * Fork processes that are the ranks of a world over shm: each calls `run`, and ends
 * with its result, and with this process.  The library was not called before.
 * Returns how many were started, after a message if those are not all.
 */
uint32_t coll_ranks_start(uint32_t count, int (*run)(void *user_data),
			  void *user_data, pid_t *out_ids);

/* Run; rank 0 prints a line for each size.  Return COMMAND_DONE, or
 * COMMAND_FAILED after a message. */
int coll_ranks_run(const struct coll_ranks *request);

#endif
