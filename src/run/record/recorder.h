/* SPDX-License-Identifier: MIT */
/*
 * What a run did, written down while it does it: a ring per lane, which only
 * who runs the lane writes.  Knows nothing of engines: one asks which ring a
 * lane writes, and puts entries there.
 *
 *     recorder    of a program: how large rings are, recordings to be used
 *                 again, and what each command took in the last runs
 *     recording   of a run: its rings
 */
#ifndef PLAIT_SRC_RUN_RECORD_RECORDER_H
#define PLAIT_SRC_RUN_RECORD_RECORDER_H

#include "plait/trace.h"

#include "base/alloc.h"
#include "plan/plan.h"
#include "pool/cacheline.h"
#include "sys/clock.h"
#include "sys/mutex.h"
#include "sys/thread.h"

typedef struct plait__recorder plait__recorder;
typedef struct plait__recording plait__recording;

typedef struct plait__record_entry {
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t iteration;
	uint64_t thread;
	uint32_t kind;		/* PLAIT_RECORD_... */
	uint32_t command;	/* that ran, waited or decided */
	/* A wait: the command waited for, or none in particular.  A decision:
	 * 0 to leave, n for body n - 1. */
	uint32_t other;
	uint32_t reserved0;
} plait__record_entry;

typedef struct plait__record_ring {
	PLAIT__CACHELINE_ALIGNED plait__record_entry *entries;
	uint32_t capacity;
	uint32_t next;		/* where the next one goes */
	/* Written by who runs the lane; others look at them meanwhile. */
	at_u64 count;		/* entries ever */
	at_u64 commands;
	at_u64 iterations;
} plait__record_ring;

struct plait__recording {
	plait__recording *next;
	plait__record_ring *rings;
	plait__record_entry *entries;	/* of all rings */
	uint32_t lane_count;	/* rings, at most */
	uint32_t ring_count;	/* in use: 1, or lane_count */
	uint32_t ring_capacity;
	bool started;
	uint64_t begin_ns;
	uint64_t end_ns;
};

enum { PLAIT__COST_SAMPLES = 7 };

/* What a command took lately. */
typedef struct plait__cost_sample {
	uint64_t count;		/* ever */
	uint64_t ns[PLAIT__COST_SAMPLES];
} plait__cost_sample;

struct plait__recorder {
	const plait__plan *plan;
	const plait_allocator *allocator;
	uint32_t ring_capacity;
	struct plait__mutex lock; /* guards what follows; a leaf */
	plait__recording *free;
	plait__cost_sample *samples;	/* by command */
	uint64_t runs;		/* that are in the samples */
};

/* Makes the recorder of a plan, with that many recordings, each of `capacity`
 * entries a lane.  After a failure the caller frees *out. */
plait_status plait__recorder_make(plait__recorder **out,
				  const plait__plan *plan,
				  const plait_allocator *allocator,
				  uint32_t recordings, uint32_t capacity,
				  plait_error *error);
/* Null is fine. */
void plait__recorder_free(plait__recorder *recorder);

/* One that is not in use, or a new one when runs that are over keep theirs. */
plait_status plait__recorder_acquire(plait__recorder *recorder,
				     plait__recording **out, plait_error *error);
/* Null is fine. */
void plait__recorder_release(plait__recorder *recorder,
			     plait__recording *recording);

/* The run begins, on so many lanes, which share all the room; more than the
 * plan has stands for all. */
void plait__recorder_begin(plait__recording *recording, uint32_t lanes);
/* It is over: nobody writes any more.  Keeps what commands took. */
void plait__recorder_end(plait__recorder *recorder,
			 plait__recording *recording);

/* While it runs, or afterwards. */
uint64_t plait__recorder_commands(const plait__recording *recording);
uint64_t plait__recorder_iterations(const plait__recording *recording);
uint64_t plait__recorder_count(const plait__recording *recording);
uint64_t plait__recorder_dropped(const plait__recording *recording);

/* How often a body would run, if loops and cases did as was expected. */
double plait__recorder_expected_runs(const plait__plan *plan, uint32_t body);

/* Entries of a ring that are there, and the i-th of them, oldest first. */
uint32_t plait__recorder_entry_count(const plait__record_ring *ring);
const plait__record_entry *plait__recorder_entry_at(const plait__record_ring *ring, uint32_t i);

/* By who runs the lane; allocates nothing. */
static inline void plait__recorder_put(plait__record_ring *ring,
				       const plait__record_entry *entry)
{
	ring->entries[ring->next] = *entry;
	ring->entries[ring->next].thread = plait__thread_token();
	if (++ring->next == ring->capacity)
		ring->next = 0;
	/* Relaxed: others only count. */
	at_store_relaxed_u64(&ring->count,
			     at_load_relaxed_u64(&ring->count) + 1);
	if (entry->kind == PLAIT_RECORD_COMMAND)
		at_store_relaxed_u64(&ring->commands, at_load_relaxed_u64(
					     &ring->commands) + 1);
}

/* Of a thread that the entry names. */
static inline void plait__recorder_put_as(plait__record_ring *ring,
					  const plait__record_entry *entry)
{
	uint32_t at = ring->next;

	plait__recorder_put(ring, entry);
	ring->entries[at].thread = entry->thread;
}

static inline void plait__recorder_add_iteration(plait__record_ring *ring)
{
	at_store_relaxed_u64(&ring->iterations, at_load_relaxed_u64(
				     &ring->iterations) + 1);
}

#endif
