/* SPDX-License-Identifier: MIT */
/*
 * What is ready to run, and who sleeps until something is.  Knows no lanes
 * and starts no threads; the explorer of t/mc runs this file.  Called by
 * worker.c, wait.c and whoever makes a lane ready.
 *
 * All but the first three words is guarded by one lock.  Kept at all
 * times: either `count` <= `seekers` or nobody sleeps.  A seeker is awake,
 * looks at `count`, and takes one item or goes to sleep (under the lock, when
 * there is none).  So a push wakes one sleeper, and only when there are not
 * enough seekers; the sleeper that it takes off the list is a seeker from
 * that moment on.
 */
#ifndef PLAIT_SRC_POOL_READY_H
#define PLAIT_SRC_POOL_READY_H

#include <stdbool.h>

#include "pool/line.h"
#include "sys/event.h"
#include "sys/mutex.h"

enum {
	PLAIT__READY_URGENT,
	PLAIT__READY_NORMAL,
	PLAIT__READY_LATER,
	PLAIT__READY_LEVELS
};

/* Embedded in what is run. */
struct plait__ready_item {
	struct plait__ready_item *next;
	uint32_t level; /* constant */
};

/* A thread that may sleep; never freed before the list it slept on. */
struct plait__sleeper {
	struct plait__event event;
	struct plait__sleeper *next; /* under the lock, as the rest */
	struct plait__sleeper *previous;
	bool listed;
};

struct plait__ready_level {
	struct plait__ready_item *first;
	struct plait__ready_item *last;
};

struct plait__ready {
	/* How many items; written under the lock, polled without it. */
	PLAIT__LINE_ALIGNED at_u32 count;
	at_u32 surplus; /* items that no seeker is going to take */
	at_u32 closed;  /* workers go home */

	PLAIT__LINE_ALIGNED struct plait__mutex lock;
	uint32_t seekers;
	uint32_t running; /* items between take and finish */
	uint32_t turns; /* how often something was taken */
	struct plait__sleeper *sleepers;
	struct plait__ready_level levels[PLAIT__READY_LEVELS];
};

/* Zeroed memory is an empty list; sleepers need their event's init. */

/* Is there anything?  A hint: relaxed, others may be faster. */
static inline bool plait__ready_any(const struct plait__ready *ready)
{
	return at_load_relaxed_u32(&ready->count) != 0;
}

/*
 * Is there one that nobody is about to take?  Who could go on waiting should
 * then see to it.  A hint as above.
 */
static inline bool plait__ready_surplus(const struct plait__ready *ready)
{
	return at_load_relaxed_u32(&ready->surplus) != 0;
}

/* Add at the end of its level and wake somebody if that is needed. */
void plait__ready_push(struct plait__ready *ready,
		       struct plait__ready_item *item);

/* Take the next, or null. */
struct plait__ready_item *plait__ready_pop(struct plait__ready *ready);

/* The same for guests: what they took counts as running until finished. */
struct plait__ready_item *plait__ready_take(struct plait__ready *ready);
void plait__ready_finish(struct plait__ready *ready);

/* Nothing is ready, and nothing that guests run may make it so. */
bool plait__ready_idle(struct plait__ready *ready);

/* Add one and take the next; for who gives up its turn. */
struct plait__ready_item *plait__ready_swap(struct plait__ready *ready,
					    struct plait__ready_item *item);

/* For workers: wait until there is one; null when the list was closed and is
 * empty.  Looks for a while before it goes to sleep. */
struct plait__ready_item *plait__ready_seek(struct plait__ready *ready,
					    struct plait__sleeper *sleeper);

/*
 * For threads that wait for something else too.  False: there is an item,
 * nothing was listed.  True: a push may now wake the sleeper (its key was
 * prepared before); delist it whatever happens, after it has slept.
 */
bool plait__ready_enlist(struct plait__ready *ready,
			 struct plait__sleeper *sleeper);
void plait__ready_delist(struct plait__ready *ready,
			 struct plait__sleeper *sleeper);

/* No more sleep; workers return null once it is empty. */
void plait__ready_close(struct plait__ready *ready);

#endif
