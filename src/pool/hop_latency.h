/* SPDX-License-Identifier: MIT */
/*
 * The latency: how long it takes until a thread of the pool sees what another one
 * stored.  Asked by whoever weighs what threads would save against what they
 * cost, when it makes something ready; not on the way of a run.
 */
#ifndef PLAIT_SRC_POOL_HOP_LATENCY_H
#define PLAIT_SRC_POOL_HOP_LATENCY_H

#include "pool/cacheline.h"
#include "pool/task.h"

/* What is taken as long as it is not known. */
enum { PLAIT__HOP_LATENCY_DEFAULT_NS = 100 };

struct plait__hop_latency {
	plait__task task;	/* of the worker that plays */
	PLAIT__CACHELINE_ALIGNED at_u32 ping; /* by who asks */
	PLAIT__CACHELINE_ALIGNED at_u32 pong; /* by the worker */
	PLAIT__CACHELINE_ALIGNED at_u32 in_use; /* one asks, or its worker plays */
	at_u32 failed_tries;		/* that came to nothing, before it was known */
	at_u64 due_ns;		/* not measured again before that */
	/* 0: none came to anything.  In place of `measure` tests have theirs. */
	uint64_t (*measure)(plait__pool *pool);
	PLAIT__CACHELINE_ALIGNED at_u64 ns; /* 0: not known; read by runs */
};

/* Zeroed memory, of a pool that is being made. */
void plait__hop_latency_init(struct plait__hop_latency *latency, plait__pool *pool);

/*
 * Measured when it is first asked, between the calling thread and a worker,
 * in 0.05 ms or so, 0.3 at most.  If no worker comes soon, or none to another
 * processor, PLAIT__HOP_LATENCY_DEFAULT_NS; some of the next who ask try again.  And
 * once a second at most, if nothing waits for workers and somebody asks: what
 * is less counts at once, what is more by a quarter, for a machine is rather
 * disturbed than slow.
 */
uint64_t plait__hop_latency_ns(plait__pool *pool);

/* What is known now, without measuring: for runs. */
uint64_t plait__hop_latency_known_ns(const plait__pool *pool);

#endif
