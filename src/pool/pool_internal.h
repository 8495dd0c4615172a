/* SPDX-License-Identifier: MIT */
/*
 * The structs of the pool and the functions between its files. Included only
 * inside src/pool, and by tests.
 */
#ifndef PLAIT_SRC_POOL_POOL_INTERNAL_H
#define PLAIT_SRC_POOL_POOL_INTERNAL_H

#include "pool/callback_scope.h"
#include "pool/counter.h"
#include "pool/lane.h"
#include "pool/pool.h"
#include "pool/ready.h"
#include "pool/command_ring.h"
#include "pool/counter_core.h"
#include "sys/thread.h"
#include "sys/backoff.h"

enum { PLAIT__POOL_MASK_WORDS = 128 };

struct plait__worker {
	plait__pool *pool;
	struct plait__sleeper sleeper;
	/*
	 * A thread that ends starts its successor in the other element, and the
	 * successor joins it. The current one is threads[generation % 2].
	 */
	struct plait__thread threads[2];
	struct plait__thread_guard guard;
	uint32_t generation;
	uint32_t index;
	uint32_t cpu; /* valid while pool->placed */
	struct plait__ready_item *item; /* being run; used by its thread only */
};

/* The record of an application thread that waits or pumps. */
struct plait__external_thread {
	struct plait__sleeper sleeper;
	struct plait__thread_guard guard;
	plait__pool *pool;
	struct plait__ready_item *item; /* being run, or to be resumed */
	struct plait__external_thread *next; /* on the free list */
};

struct plait__pool {
	struct plait__ready_queue ready;
	/* Backoff of lanes and external threads that wait. */
	enum plait__backoff_policy policy;
	plait_allocator allocator;

	uint32_t worker_count;
	uint32_t processor_count; /* usable by the pool's creator */
	struct plait__worker *workers;
	uint64_t worker_bytes;

	/* Guards the workers' threads and their affinity; a leaf. */
	struct plait__mutex worker_lock;
	bool placed;
	at_u64 migrated_ns; /* time of the last migration */
	/* The workers' affinity (a cpu_set_t) before they were placed. */
	unsigned long original_mask[PLAIT__POOL_MASK_WORDS];

	struct plait__mutex external_lock; /* guards the list; a leaf */
	struct plait__external_thread *externals;
	struct plait__external_thread first_external;

	/* Guards the two fields below; a leaf. */
	struct plait__mutex callback_lock;
	/* Reserved and unused. */
	struct plait__counter_callback *free_callbacks;
	uint32_t callbacks_to_free; /* at their release */
};

struct plait__counter {
	struct plait__counter_core core;
	plait__pool *pool;
	/* Only gates: one raiser at a time. Taken before the core's lock. */
	struct plait__mutex gate_lock;
	uint32_t flags;
};

struct plait__lane {
	/* The submitters' part. `lock` guards it, and `scheduled`. */
	PLAIT__CACHELINE_ALIGNED at_u64 published; /* total commands */
	struct plait__mutex lock;
	bool scheduled; /* ready, running or parked: not idle */
	struct plait__command_ring ring;
	uint64_t work_submitted;
	uint64_t done_seen; /* last known value of `done` */
	uint64_t consumed_seen;

	/* The running thread's part: one thread at a time. */
	PLAIT__CACHELINE_ALIGNED struct plait__command_ring_end head;
	uint64_t limit;  /* last known value of `published` */
	at_u64 consumed; /* total commands; written before an emission */
	at_u64 done;     /* those of them that are work */
	bool failed; /* set by the running thread; see plait__lane_recover */
	plait_error failure;

	/* For the parties that make the lane ready. */
	PLAIT__CACHELINE_ALIGNED struct plait__waiter waiter;
	struct plait__ready_item item;

	/* Constant. */
	plait__pool *pool;
	uint64_t capacity;
	char label[PLAIT__LANE_LABEL_BYTES];
};

/* --- lane.c ------------------------------------------------------------- */

/*
 * The functions of a lane's item. Run it until it is empty, parks, or has used
 * its time slice; or fail its current command, because the running thread ends
 * inside it.
 */
struct plait__ready_item *plait__lane_run(struct plait__ready_item *item);
void plait__lane_lose(struct plait__ready_item *item);

/* --- worker.c ----------------------------------------------------------- */

/* Start the thread of a worker whose pool and index are set. PLAIT_E_UNAVAILABLE:
 * no thread runs. */
plait_status plait__worker_start(struct plait__worker *worker,
				 plait_error *error);
/* Wait for the end of its thread, after plait__ready_close. */
void plait__worker_join(struct plait__worker *worker);

/* The worker of the pool that the calling thread is, or null. */
struct plait__worker *plait__worker_current(const plait__pool *pool);

/* Returns true if it is one that has bound items: it should leave its item
 * for them. */
bool plait__worker_has_bound(const plait__pool *pool);
/* The same, or if it is one that seeks items and finds some. */
bool plait__worker_is_called(const plait__pool *pool);

/* --- affinity.c --------------------------------------------------------- */

/* Move the calling worker, which shares its CPU with its running waker, to
 * another CPU; unless the workers are placed or one was moved just now. */
void plait__affinity_migrate(plait__pool *pool);

/* --- external_thread.c -------------------------------------------------- */

/* Get a record for the calling thread, which leaves it; null without memory. */
struct plait__external_thread *plait__external_thread_enter(plait__pool *pool);
/* Return the record; an item in it goes back to the ready queue. */
void plait__external_thread_leave(struct plait__external_thread *thread);

/* Run the item of the record, or else one of the ready queue, once; returns false
 * if there is none. An item that is not finished stays in the record. */
bool plait__external_thread_run(struct plait__external_thread *thread);

/* Free all records. */
void plait__external_thread_free_all(plait__pool *pool);

#endif
