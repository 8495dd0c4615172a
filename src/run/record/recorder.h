/* SPDX-License-Identifier: MIT */
/*
 * Recorder of runs: a ring of entries per lane, written only by the thread that
 * runs the lane.  The recorder knows no engine: an engine asks for the ring of
 * a lane and puts entries there.
 *
 *     recorder    of a program: size of the rings, idle recordings, and samples
 *                 of each command's time in the last runs
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
	/* A wait: the command that was awaited, or PLAIT__NONE.  A decision: 0
	 * to leave the region, n for body n - 1. */
	uint32_t other;
	uint32_t reserved0;
} plait__record_entry;

typedef struct plait__record_ring {
	PLAIT__CACHELINE_ALIGNED plait__record_entry *entries;
	uint32_t capacity;
	uint32_t next;		/* index of the next entry */
	/* Written by the thread that runs the lane; other threads read them
	 * meanwhile. */
	at_u64 count;		/* entries ever put */
	at_u64 commands;
	at_u64 iterations;
} plait__record_ring;

struct plait__recording {
	plait__recording *next;	/* link of recorder->free */
	plait__record_ring *rings;
	plait__record_entry *entries;	/* of all rings */
	uint32_t lane_count;	/* capacity: rings */
	uint32_t ring_count;	/* in use, from plait__recorder_begin on: 1, or
				 * the lanes that run */
	uint32_t ring_capacity;
	bool started;		/* the engine has begun the recording */
	uint64_t begin_ns;
	uint64_t end_ns;
};

enum { PLAIT__COST_SAMPLES = 7 };

/* Times of a command in the last runs. */
typedef struct plait__cost_sample {
	uint64_t count;		/* ever taken */
	uint64_t ns[PLAIT__COST_SAMPLES];
} plait__cost_sample;

struct plait__recorder {
	const plait__plan *plan;
	const plait_allocator *allocator;
	uint32_t ring_capacity;
	struct plait__mutex lock; /* guards the fields below; a leaf lock */
	plait__recording *free;
	plait__cost_sample *samples;	/* by command */
	uint64_t runs;		/* runs that are in the samples */
};

/* Make the recorder of a plan, with that many recordings, each of `capacity`
 * entries a lane.  After a failure the caller frees *out. */
plait_status plait__recorder_make(plait__recorder **out,
				  const plait__plan *plan,
				  const plait_allocator *allocator,
				  uint32_t recordings, uint32_t capacity,
				  plait_error *error);
/* Null is fine. */
void plait__recorder_free(plait__recorder *recorder);

/* Returns an idle recording, or a new one if runs that are over hold all
 * others. */
plait_status plait__recorder_acquire(plait__recorder *recorder,
				     plait__recording **out,
				     plait_error *error);
/* Null is fine. */
void plait__recorder_release(plait__recorder *recorder,
			     plait__recording *recording);

/* Begin a run on `lanes` lanes, 1 or more, which share all entries; a number
 * above the plan's lanes stands for all. */
void plait__recorder_begin(plait__recording *recording, uint32_t lanes);
/* End a recording: no thread writes any more.  Keep the commands' times as
 * samples, under the lock.  Does nothing if the recording was not begun. */
void plait__recorder_end(plait__recorder *recorder,
			 plait__recording *recording);

/* Numbers of commands and iterations so far, also while the run is in flight;
 * the run holds the recording. */
uint64_t plait__recorder_commands(const plait__recording *recording);
uint64_t plait__recorder_iterations(const plait__recording *recording);
/* Numbers of entries that are there, and that were overwritten.  No thread writes
 * the recording any more. */
uint64_t plait__recorder_count(const plait__recording *recording);
uint64_t plait__recorder_dropped(const plait__recording *recording);

/* The expected number of times that a body runs. */
double plait__recorder_expected_runs(const plait__plan *plan, uint32_t body);

/* Entries of a ring that are still there, and the i-th of them, oldest
 * first. */
uint32_t plait__recorder_entry_count(const plait__record_ring *ring);
const plait__record_entry *
plait__recorder_entry_at(const plait__record_ring *ring, uint32_t i);

/* Called by the thread that runs the lane; allocates nothing. */
static inline void plait__recorder_put(plait__record_ring *ring,
				       const plait__record_entry *entry)
{
	ring->entries[ring->next] = *entry;
	ring->entries[ring->next].thread = plait__thread_token();
	if (++ring->next == ring->capacity)
		ring->next = 0;
	/* Relaxed: other threads only count. */
	at_store_relaxed_u64(&ring->count,
			     at_load_relaxed_u64(&ring->count) + 1);
	if (entry->kind == PLAIT_RECORD_COMMAND)
		at_store_relaxed_u64(&ring->commands, at_load_relaxed_u64(
					     &ring->commands) + 1);
}

/* As plait__recorder_put, with the thread that the entry names. */
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
