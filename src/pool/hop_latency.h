/* SPDX-License-Identifier: MIT */
/*
 * The hop latency: the time from one thread's store to another polling thread's
 * load of it. Both threads are awake; a wake-up is not included. Asked for when
 * a program is made ready, to weigh the gain of more threads against their
 * cost; the path of a run only reads the known value.
 */
#ifndef PLAIT_SRC_POOL_HOP_LATENCY_H
#define PLAIT_SRC_POOL_HOP_LATENCY_H

#include "pool/cacheline.h"
#include "pool/task.h"

/* The value while none is measured. */
enum { PLAIT__HOP_LATENCY_DEFAULT_NS = 100 };

struct plait__hop_latency {
	plait__task task;	/* run by the answering worker */
	PLAIT__CACHELINE_ALIGNED at_u32 ping; /* written by the caller */
	PLAIT__CACHELINE_ALIGNED at_u32 pong; /* written by the worker */
	/* A caller measures, or its worker still answers. */
	PLAIT__CACHELINE_ALIGNED at_u32 in_use;
	at_u32 failed_tries;	/* before the first result */
	at_u64 due_ns;		/* no new measurement before this time */
	/* Returns 0 without a result. Tests replace it. */
	uint64_t (*measure)(plait__pool *pool);
	PLAIT__CACHELINE_ALIGNED at_u64 ns; /* 0: unknown; read by runs */
};

/* Initialize zeroed memory, inside a pool under construction. */
void plait__hop_latency_init(struct plait__hop_latency *latency,
			     plait__pool *pool);

/*
 * Returns the hop latency; the first call measures it between the calling
 * thread and a worker, which takes about 0.05 ms, at most 0.3. Returns
 * PLAIT__HOP_LATENCY_DEFAULT_NS if no worker answers in time, or none on
 * another processor; a few later calls then try again. Calls measure again at
 * most once per second, and only while no item waits for a worker. A faster
 * result counts at once, a slower one with a quarter of the difference, because
 * a disturbed machine is likelier than a slow one.
 */
uint64_t plait__hop_latency_ns(plait__pool *pool);

/* Returns the known value without measuring: for runs. */
uint64_t plait__hop_latency_known_ns(const plait__pool *pool);

#endif
