/* SPDX-License-Identifier: MIT */
/*
 * The ready queue: lanes and tasks that can run, in three priorities under one
 * lock, and the threads that sleep until one can. Independent of lanes and
 * threads, so that the explorer (t/model/mc) runs this source. Used by worker.c,
 * counter_wait.c, external_thread.c, and every unit that makes an item ready.
 *
 * The lock guards all but the first three words. Invariant: `count` <=
 * `seekers`, or no thread sleeps. A seeker is an awake thread that looks at
 * `count` and then takes one item or, under the lock with no item there,
 * sleeps. So a push wakes one sleeper, and only if there are too few seekers;
 * the push unlists the sleeper, which is a seeker from then on. A woken thread
 * may be without a processor for long: a push that finds no other seeker wakes
 * a second sleeper.
 */
#ifndef PLAIT_SRC_POOL_READY_H
#define PLAIT_SRC_POOL_READY_H

#include <stdbool.h>

#include "pool/cacheline.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"

enum {
	PLAIT__READY_HIGH,
	PLAIT__READY_NORMAL,
	PLAIT__READY_LOW,
	PLAIT__READY_LEVELS
};

/*
 * Embedded in lanes and tasks. The thread that took an item calls `run`, which
 * returns the next item for this thread: the same, another one that it took, or
 * null. `lose` is called when the thread ends inside `run` (pthread_exit).
 */
struct plait__ready_item {
	struct plait__ready_item *next;
	struct plait__ready_item *(*run)(struct plait__ready_item *item);
	void (*lose)(struct plait__ready_item *item);
	uint32_t level; /* constant */
	bool linked;    /* guarded by the queue's lock */
	bool is_task;   /* constant */
};

/*
 * An item that may be offered again while it is linked, and that any thread may
 * run without taking it from the ready queue: the thread that moves `state`
 * from OFFERED to RUNNING. See task.h.
 */
struct plait__ready_task {
	struct plait__ready_item item;
	at_u32 state;
	at_u32 pins; /* threads that took it and may still access it */
};

enum {
	PLAIT__TASK_IDLE,    /* nothing to do, or parked */
	PLAIT__TASK_OFFERED, /* the thread that claims it runs it */
	PLAIT__TASK_RUNNING
};

struct plait__ready_level {
	struct plait__ready_item *first;
	struct plait__ready_item *last;
};

/* A thread that may sleep on an eventcount; outlives the queue that it sleeps
 * on. */
struct plait__sleeper {
	struct plait__eventcount event;
	/* Items in `bound`; written under the lock, polled without it. */
	at_u32 bound_count;
	/* Guarded by the queue's lock, as are the fields below. */
	struct plait__sleeper *next;
	struct plait__sleeper *previous;
	bool listed;
	bool took_bound; /* with its last take */
	bool seeks; /* while its thread runs an item; that thread's alone */
	/* Items that only this worker takes; not in the queue's `count`. */
	struct plait__ready_level bound;
};

struct plait__ready_queue {
	/* Items; written under the lock, polled without it. */
	PLAIT__CACHELINE_ALIGNED at_u32 count;
	at_u32 surplus; /* items beyond the number of seekers */
	at_u32 closed;  /* workers exit */

	PLAIT__CACHELINE_ALIGNED struct plait__mutex lock;
	uint32_t seekers;
	uint32_t arriving; /* seekers that were woken and have not run yet */
	uint32_t running; /* items between take and finish; workers pop */
	uint32_t takes; /* total items taken */
	struct plait__sleeper *sleepers;
	/* Of a pool without workers: where its waiters sleep that are no sleepers
	 * of this queue, notified of an item for which no sleeper is woken. Null:
	 * none. Constant. */
	struct plait__eventcount *waiters;
	struct plait__ready_level levels[PLAIT__READY_LEVELS];
};

/* Zeroed memory is an empty queue; a sleeper's eventcount needs its init. */

/* Returns true if an item is linked. A hint: relaxed, another thread may
 * take it. */
static inline bool plait__ready_has_items(
	const struct plait__ready_queue *ready)
{
	return at_load_relaxed_u32(&ready->count) != 0;
}

/* Returns true if there are more items than seekers: a thread that could go
 * on spinning should then run one. A hint, as above. */
static inline bool plait__ready_has_surplus(
	const struct plait__ready_queue *ready)
{
	return at_load_relaxed_u32(&ready->surplus) != 0;
}

/* Append an item to its level; wake one sleeper if there are too few seekers,
 * or else the waiters. */
void plait__ready_push(struct plait__ready_queue *ready,
		       struct plait__ready_item *item);

/* Append an item that only this worker takes, and wake the worker if it
 * sleeps. */
void plait__ready_push_bound(struct plait__ready_queue *ready,
			     struct plait__sleeper *worker,
			     struct plait__ready_item *item);

/* Returns true if the worker has such items.  A hint, as above. */
static inline bool plait__ready_has_bound(const struct plait__sleeper *worker)
{
	return at_load_relaxed_u32(&worker->bound_count) != 0;
}

/* For workers: take the next item, a bound and a shared one in turn; returns
 * null if there is none. */
struct plait__ready_item *plait__ready_pop(struct plait__ready_queue *ready,
					   struct plait__sleeper *worker);

/* For external threads: take the next item of the ready queue, which counts as
 * running until finish. */
struct plait__ready_item *plait__ready_take(struct plait__ready_queue *ready);
void plait__ready_finish(struct plait__ready_queue *ready);

/* For external threads: put an item back that was taken and not run, and
 * finish it. */
void plait__ready_return(struct plait__ready_queue *ready,
			 struct plait__ready_item *item);

/* Returns true if no item is linked, nor run by an external thread. */
bool plait__ready_is_idle(struct plait__ready_queue *ready);

/* Append one item and take the next; for a lane at the end of its time
 * slice. */
struct plait__ready_item *plait__ready_swap(struct plait__ready_queue *ready,
					    struct plait__ready_item *item);

/* For workers: wait for an item, spinning before sleeping. Returns null once
 * the queue is closed and empty. */
struct plait__ready_item *plait__ready_wait(struct plait__ready_queue *ready,
					    struct plait__sleeper *sleeper);

/*
 * For workers that run an item which they leave at once for another one, and look for
 * one: they count as seekers, so that a push wakes no other thread.  The next
 * plait__ready_wait, or the call that ends it, has to come soon; the latter before
 * anything is run.
 */
void plait__ready_begin_seek(struct plait__ready_queue *ready,
			     struct plait__sleeper *worker);
void plait__ready_end_seek(struct plait__ready_queue *ready,
			   struct plait__sleeper *worker);

/*
 * For threads that also wait for an event of their own. The caller has prepared
 * the sleeper's key. Returns false, with nothing listed, if an item is linked;
 * true: a push may now wake the sleeper, and after the sleep the caller calls
 * plait__ready_remove_sleeper in any case.
 */
bool plait__ready_add_sleeper(struct plait__ready_queue *ready,
			      struct plait__sleeper *sleeper);
void plait__ready_remove_sleeper(struct plait__ready_queue *ready,
				 struct plait__sleeper *sleeper);

/* Offer a task that no thread runs. Another thread may run it to its end as
 * soon as it is OFFERED, so this function does not touch it afterwards. */
void plait__ready_offer(struct plait__ready_queue *ready,
			struct plait__ready_task *task);

/* Link an offered task that is pinned, unless it was linked or claimed since, and
 * drop the pin. */
void plait__ready_give(struct plait__ready_queue *ready,
		       struct plait__ready_task *task);

/* Claim an offered task. Returns true if it was OFFERED: the caller owns it
 * until the next offer. */
static inline bool plait__ready_claim(struct plait__ready_task *task)
{
	uint32_t offered = PLAIT__TASK_OFFERED;

	/* Acquire: pairs with the store in offer. */
	return at_load_relaxed_u32(&task->state) == PLAIT__TASK_OFFERED &&
	       at_cas_u32(&task->state, &offered, PLAIT__TASK_RUNNING);
}

/* Drop the pin of a take: the thread's last access, unless it claimed the
 * task. Release: pairs with the load in forget. */
static inline void plait__ready_unpin(struct plait__ready_task *task)
{
	at_sub_u32(&task->pins, 1);
}

/* Unlink a task that is not offered any more, and wait for the threads that
 * still access it. */
void plait__ready_forget(struct plait__ready_queue *ready,
			 struct plait__ready_task *task);

/* End all sleeps; workers exit once the ready queue is empty. */
void plait__ready_close(struct plait__ready_queue *ready);

#endif
