/* SPDX-License-Identifier: MIT */
/* What the files of this folder know of each other's objects; nobody else
 * includes it. */
#ifndef PLAIT_SRC_POOL_POOL_INTERNAL_H
#define PLAIT_SRC_POOL_POOL_INTERNAL_H

#include "pool/counter.h"
#include "pool/fpstate.h"
#include "pool/hop_latency.h"
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
	/* A thread that was lost starts the next one in the other place; the
	 * next one joins it.  `turn` says whose turn it is. */
	struct plait__thread threads[2];
	struct plait__thread_guard guard;
	uint32_t generation;
	uint32_t index;
	uint32_t cpu; /* when it is placed */
	struct plait__ready_item *item; /* that it runs now; its own */
};

/* A thread of the user's while it waits or pumps. */
struct plait__external_thread {
	struct plait__sleeper sleeper;
	struct plait__thread_guard guard;
	plait__pool *pool;
	struct plait__ready_item *item; /* that it runs, or will go on with */
	struct plait__external_thread *next; /* while it is not in use */
};

struct plait__pool {
	struct plait__ready_queue ready;
	enum plait__backoff_policy policy; /* of lanes and externals that wait */
	plait_allocator allocator;

	uint32_t worker_count;
	uint32_t processor_count; /* for workers, and who made it */
	struct plait__worker *workers;
	uint64_t worker_bytes;

	/* Guards which threads there are and where they run; a leaf. */
	struct plait__mutex worker_lock;
	bool placed;
	at_u64 migrated_ns; /* when a worker was moved out of the way last */
	/* Where they ran before they were placed; a cpu_set_t. */
	unsigned long original_mask[PLAIT__POOL_MASK_WORDS];

	struct plait__mutex external_lock; /* guards the list; a leaf */
	struct plait__external_thread *externals;
	struct plait__external_thread first_external;

	struct plait__hop_latency latency;

	struct plait__mutex callback_lock; /* guards these two; a leaf */
	struct plait__counter_callback *free_callbacks;     /* reserved, and not in use */
	uint32_t callbacks_to_free;           /* to be freed when they are given back */
};

struct plait__counter {
	struct plait__counter_core core;
	plait__pool *pool;
	/* Of gates: one raiser at a time.  Outside of the core's lock. */
	struct plait__mutex gate_lock;
	uint32_t flags;
};

struct plait__lane {
	/* Who submits.  `lock` guards this part and `scheduled`. */
	PLAIT__CACHELINE_ALIGNED at_u64 published; /* commands, ever */
	struct plait__mutex lock;
	bool scheduled; /* ready, running or parked: not idle */
	struct plait__command_ring ring;
	uint64_t work_submitted;
	uint64_t done_seen; /* of `done`, some time ago */
	uint64_t consumed_seen;

	/* Who runs it: one thread at a time. */
	PLAIT__CACHELINE_ALIGNED struct plait__command_ring_end head;
	uint64_t limit;  /* `published` when it was last looked at */
	at_u64 consumed; /* commands, ever; written before they emit */
	at_u64 done;     /* those of them that are work */
	bool failed;
	plait_error failure;

	/* Who makes it ready. */
	PLAIT__CACHELINE_ALIGNED struct plait__waiter waiter;
	struct plait__ready_item item;

	/* Constant. */
	plait__pool *pool;
	uint64_t capacity;
	char label[PLAIT__LANE_LABEL_BYTES];
};

/* --- lane.c ------------------------------------------------------------- */

/*
 * Of a lane's item: run it until it is empty, parked or has had its turn; or
 * the thread that ran it ends inside its current command: fail that.
 */
struct plait__ready_item *plait__lane_run(struct plait__ready_item *item);
void plait__lane_lose(struct plait__ready_item *item);

/* --- worker.c ----------------------------------------------------------- */

plait_status plait__worker_start(struct plait__worker *worker,
				 plait_error *error);
void plait__worker_join(struct plait__worker *worker);

/* --- affinity.c ------------------------------------------------------------ */

/* The calling worker is where somebody else works: it goes to another CPU,
 * unless it is placed or somebody did that just now. */
void plait__affinity_migrate(plait__pool *pool);

/* --- external_thread.c ------------------------------------------------------------ */

/* A record for the calling thread, or null. */
struct plait__external_thread *plait__external_thread_enter(plait__pool *pool);
void plait__external_thread_leave(struct plait__external_thread *thread);

/* Run a ready lane for a bounded time; false when there is none. */
bool plait__external_thread_run(struct plait__external_thread *thread);

/* Free the records. */
void plait__external_thread_free_all(plait__pool *pool);

/* --- callback_scope.c ----------------------------------------------------------- */

/* What the calling thread is set back to when it is out of a lane. */
struct plait__callback_scope {
	plait__pool *outer;
	struct plait__fpstate fpstate;
};

/* The pool whose lane the calling thread is in. */
extern PLAIT__THREAD_LOCAL plait__pool *plait__callback_scope_pool;

/* Between these two a thread runs lanes, with a clean floating point state. */
static inline void plait__pool_callback_scope_enter(struct plait__callback_scope *inside,
						    plait__pool *pool)
{
	inside->outer = plait__callback_scope_pool;
	plait__callback_scope_pool = pool;
	plait__fpstate_query(&inside->fpstate);
	plait__fpstate_clean_from(&inside->fpstate);
}

static inline void plait__pool_callback_scope_leave(const struct plait__callback_scope *inside)
{
	plait__fpstate_restore(&inside->fpstate);
	plait__callback_scope_pool = inside->outer;
}

#endif
