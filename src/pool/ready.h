/* SPDX-License-Identifier: MIT */
/*
 * What is ready to run, and who sleeps until something is.  Knows no lanes
 * and starts no threads; the explorer of t/model/mc runs this file.  Called by
 * worker.c, wait.c and whoever makes a lane ready.
 *
 * All but the first three words is guarded by one lock.  Kept at all
 * times: either `count` <= `seekers` or nobody sleeps.  A seeker is awake,
 * looks at `count`, and takes one item or goes to sleep (under the lock, when
 * there is none).  So a push wakes one sleeper, and only when there are not
 * enough seekers; the sleeper that it takes off the list is a seeker from
 * that moment on.  Who was woken may not get a processor for long, or ever: a
 * push that finds no other seeker wakes a second one.
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
 * Embedded in what is run.  Who has taken one calls `run`, which returns the
 * next one that it shall run, if any: the same again, or one that it took.
 * `lose` is told that the thread ends inside of `run` (pthread_exit).
 */
struct plait__ready_item {
	struct plait__ready_item *next;
	struct plait__ready_item *(*run)(struct plait__ready_item *item);
	void (*lose)(struct plait__ready_item *item);
	uint32_t level; /* constant */
	bool linked;    /* under the lock */
	bool is_task;   /* constant */
};

/*
 * Something that may be offered while it is on the list already, and that
 * others than who takes it from the list may run: whoever moves `state` from
 * OFFERED to RUNNING.  See task.h.
 */
struct plait__ready_task {
	struct plait__ready_item item;
	at_u32 state;
	at_u32 pins; /* who took it from the list and may touch it yet */
};

enum {
	PLAIT__TASK_IDLE,    /* nothing to do, or parked */
	PLAIT__TASK_OFFERED, /* who claims it runs it */
	PLAIT__TASK_RUNNING
};

/* A thread that may sleep; never freed before the list it slept on. */
struct plait__sleeper {
	struct plait__eventcount event;
	struct plait__sleeper *next; /* under the lock, as the rest */
	struct plait__sleeper *previous;
	bool listed;
};

struct plait__ready_level {
	struct plait__ready_item *first;
	struct plait__ready_item *last;
};

struct plait__ready_queue {
	/* How many items; written under the lock, polled without it. */
	PLAIT__CACHELINE_ALIGNED at_u32 count;
	at_u32 surplus; /* items that no seeker is going to take */
	at_u32 closed;  /* workers go home */

	PLAIT__CACHELINE_ALIGNED struct plait__mutex lock;
	uint32_t seekers;
	uint32_t arriving; /* those of them that were woken and are not here */
	uint32_t running; /* items between take and finish */
	uint32_t takes; /* how often something was taken */
	struct plait__sleeper *sleepers;
	struct plait__ready_level levels[PLAIT__READY_LEVELS];
};

/* Zeroed memory is an empty list; sleepers need their event's init. */

/* Is there anything?  A hint: relaxed, others may be faster. */
static inline bool plait__ready_has_items(const struct plait__ready_queue *ready)
{
	return at_load_relaxed_u32(&ready->count) != 0;
}

/*
 * Is there one that nobody is about to take?  Who could go on waiting should
 * then see to it.  A hint as above.
 */
static inline bool plait__ready_has_surplus(const struct plait__ready_queue *ready)
{
	return at_load_relaxed_u32(&ready->surplus) != 0;
}

/* Add at the end of its level and wake somebody if that is needed. */
void plait__ready_push(struct plait__ready_queue *ready,
		       struct plait__ready_item *item);

/* Take the next, or null. */
struct plait__ready_item *plait__ready_pop(struct plait__ready_queue *ready);

/* The same for guests: what they took counts as running until finished. */
struct plait__ready_item *plait__ready_take(struct plait__ready_queue *ready);
void plait__ready_finish(struct plait__ready_queue *ready);

/* For guests: what they took and did not run goes back, and is finished. */
void plait__ready_return(struct plait__ready_queue *ready,
			 struct plait__ready_item *item);

/* Nothing is ready, and nothing that guests run may make it so. */
bool plait__ready_is_idle(struct plait__ready_queue *ready);

/* Add one and take the next; for who gives up its turn. */
struct plait__ready_item *plait__ready_swap(struct plait__ready_queue *ready,
					    struct plait__ready_item *item);

/* For workers: wait until there is one; null when the list was closed and is
 * empty.  Looks for a while before it goes to sleep. */
struct plait__ready_item *plait__ready_wait(struct plait__ready_queue *ready,
					    struct plait__sleeper *sleeper);

/*
 * For threads that wait for something else too.  False: there is an item,
 * nothing was listed.  True: a push may now wake the sleeper (its key was
 * prepared before); delist it whatever happens, after it has slept.
 */
bool plait__ready_add_sleeper(struct plait__ready_queue *ready,
			      struct plait__sleeper *sleeper);
void plait__ready_remove_sleeper(struct plait__ready_queue *ready,
				 struct plait__sleeper *sleeper);

/*
 * There is something to do for a task that nobody runs.  From the moment that
 * this makes it OFFERED another thread may run it to its end, so it is not
 * touched afterwards.
 */
void plait__ready_offer(struct plait__ready_queue *ready,
			struct plait__ready_task *task);

/* True: it was OFFERED, and is the caller's until it is offered again. */
static inline bool plait__ready_claim(struct plait__ready_task *task)
{
	uint32_t offered = PLAIT__TASK_OFFERED;

	/* Acquire: pairs with the store in offer. */
	return at_load_relaxed_u32(&task->state) == PLAIT__TASK_OFFERED &&
	       at_cas_u32(&task->state, &offered, PLAIT__TASK_RUNNING);
}

/* Of who took it from the list: the last touch, unless it has claimed it.
 * Release: pairs with the load in forget. */
static inline void plait__ready_unpin(struct plait__ready_task *task)
{
	at_sub_u32(&task->pins, 1);
}

/* Nothing will be offered any more: off the list, and nobody touches it. */
void plait__ready_forget(struct plait__ready_queue *ready,
			 struct plait__ready_task *task);

/* No more sleep; workers return null once it is empty. */
void plait__ready_close(struct plait__ready_queue *ready);

#endif
