/* SPDX-License-Identifier: MIT */
/* The ready queue and its sleepers; the rules are in ready.h. */
#include "pool/ready.h"

#include "sys/clock.h"
#include "sys/backoff.h"

/* Every 16th take starts at the lowest level, so that it cannot starve. */
enum { LOW_FIRST_INTERVAL = 16 };

/* Caller holds ready->lock, in all functions of this part. */

static void append(struct plait__ready_level *level,
		   struct plait__ready_item *item)
{
	AT_PLAIN_WRITE(item->next) = NULL;
	item->linked = true;
	if (level->first == NULL)
		level->first = item;
	else
		level->last->next = item;
	level->last = item;
}

static void add_item(struct plait__ready_queue *ready,
		     struct plait__ready_item *item)
{
	append(&ready->levels[item->level], item);
	/* Relaxed: a hint for pollers; a taker holds the lock. */
	at_store_relaxed_u32(&ready->count,
			     at_load_relaxed_u32(&ready->count) + 1);
}

static struct plait__ready_level *pick_level(struct plait__ready_queue *ready)
{
	bool low_first = ++ready->takes % LOW_FIRST_INTERVAL == 0;
	int i;

	for (i = 0; i < PLAIT__READY_LEVELS; i++) {
		struct plait__ready_level *level =
			&ready->levels[low_first ?
					       PLAIT__READY_LEVELS - 1 - i : i];
		if (level->first != NULL)
			return level;
	}
	return NULL;
}

static struct plait__ready_item *take_item(struct plait__ready_queue *ready)
{
	struct plait__ready_level *level = pick_level(ready);
	struct plait__ready_item *item;

	if (level == NULL)
		return NULL;
	item = level->first;
	level->first = AT_PLAIN_READ(item->next);
	item->linked = false;
	/* Under the lock, so that forget finds the task linked or pinned. */
	if (item->is_task)
		at_add_u32(&((struct plait__ready_task *)(void *)item)->pins,
			   1);
	at_store_relaxed_u32(&ready->count,
			     at_load_relaxed_u32(&ready->count) - 1);
	return item;
}

static void add_bound(struct plait__sleeper *worker,
		      struct plait__ready_item *item)
{
	append(&worker->bound, item);
	/* Relaxed: as `count`. */
	at_store_relaxed_u32(&worker->bound_count,
			     at_load_relaxed_u32(&worker->bound_count) + 1);
}

/* The worker has bound items. */
static struct plait__ready_item *take_bound(struct plait__sleeper *worker)
{
	struct plait__ready_item *item = worker->bound.first;

	worker->bound.first = AT_PLAIN_READ(item->next);
	item->linked = false;
	at_store_relaxed_u32(&worker->bound_count,
			     at_load_relaxed_u32(&worker->bound_count) - 1);
	return item;
}

/* Take the next item of a worker.  In turn, so that neither kind starves. */
static struct plait__ready_item *take_in_turn(struct plait__ready_queue *ready,
					      struct plait__sleeper *worker)
{
	bool shared = at_load_relaxed_u32(&ready->count) != 0;

	worker->took_bound = worker->bound.first != NULL &&
			     !(worker->took_bound && shared);
	return worker->took_bound ? take_bound(worker) : take_item(ready);
}

static void unlink_item(struct plait__ready_queue *ready,
			struct plait__ready_item *item)
{
	struct plait__ready_level *level = &ready->levels[item->level];
	struct plait__ready_item *before = NULL;
	struct plait__ready_item *at = level->first;

	for (; at != item; at = at->next)
		before = at;
	if (before == NULL)
		level->first = item->next;
	else
		before->next = item->next;
	if (level->last == item)
		level->last = before;
	item->linked = false;
	at_store_relaxed_u32(&ready->count,
			     at_load_relaxed_u32(&ready->count) - 1);
}

static void list_sleeper(struct plait__ready_queue *ready,
			 struct plait__sleeper *sleeper)
{
	sleeper->previous = NULL;
	sleeper->next = ready->sleepers;
	if (sleeper->next != NULL)
		sleeper->next->previous = sleeper;
	ready->sleepers = sleeper;
	AT_PLAIN_WRITE(sleeper->listed) = true;
}

static void unlist_sleeper(struct plait__ready_queue *ready,
			   struct plait__sleeper *sleeper)
{
	if (sleeper->previous != NULL)
		sleeper->previous->next = sleeper->next;
	else
		ready->sleepers = sleeper->next;
	if (sleeper->next != NULL)
		sleeper->next->previous = sleeper->previous;
	AT_PLAIN_WRITE(sleeper->listed) = false;
}

/* The caller wakes the sleeper after it has released the lock. */
static struct plait__sleeper *call_sleeper(struct plait__ready_queue *ready,
					   struct plait__sleeper *sleeper)
{
	unlist_sleeper(ready, sleeper);
	ready->seekers++;
	ready->arriving++;
	return sleeper;
}

/* Restore the invariant. The caller wakes the returned sleeper after it has
 * released the lock. */
static struct plait__sleeper *choose_sleeper(struct plait__ready_queue *ready)
{
	struct plait__sleeper *sleeper = ready->sleepers;
	uint32_t count = at_load_relaxed_u32(&ready->count);
	/* The only seeker has had its wake-up but may not have a processor. */
	bool only_arriving = ready->arriving == 1 && ready->seekers == 1;

	if (sleeper == NULL || count == 0)
		return NULL;
	if (count <= ready->seekers && !only_arriving)
		return NULL;
	return call_sleeper(ready, sleeper);
}

/* Caller has chosen the sleeper, or null, and released the lock. */
static void wake(const struct plait__ready_queue *ready,
		 struct plait__sleeper *sleeper)
{
	if (sleeper != NULL)
		plait__eventcount_notify(&sleeper->event);
	else if (ready->waiters != NULL)
		plait__eventcount_notify(ready->waiters);
}

static void unlock(struct plait__ready_queue *ready)
{
	uint32_t count = at_load_relaxed_u32(&ready->count);
	uint32_t surplus = count > ready->seekers ? count - ready->seekers : 0;

	/* Relaxed: a hint. Stored only if it changes, because other threads
	 * poll this line. */
	if (at_load_relaxed_u32(&ready->surplus) != surplus)
		at_store_relaxed_u32(&ready->surplus, surplus);
	plait__mutex_unlock(&ready->lock);
}

/*
 * Put an item that was taken and not run back into the ready queue. A task may
 * have been claimed or offered again since; plait__ready_forget waits for its
 * pin. Caller holds ready->lock.
 */
static void put_back(struct plait__ready_queue *ready,
		     struct plait__ready_item *item)
{
	struct plait__ready_task *task = (struct plait__ready_task *)(void *)
		item;

	if (!item->is_task) {
		add_item(ready, item);
		return;
	}
	if (!item->linked && at_load_relaxed_u32(&task->state) ==
				     PLAIT__TASK_OFFERED)
		add_item(ready, item);
	plait__ready_unpin(task);
}

/* --- interface ----------------------------------------------------------- */

void plait__ready_push(struct plait__ready_queue *ready,
		       struct plait__ready_item *item)
{
	struct plait__sleeper *sleeper;

	plait__mutex_lock(&ready->lock);
	add_item(ready, item);
	sleeper = choose_sleeper(ready);
	unlock(ready);
	wake(ready, sleeper);
}

void plait__ready_return(struct plait__ready_queue *ready,
			 struct plait__ready_item *item)
{
	struct plait__sleeper *sleeper;

	plait__mutex_lock(&ready->lock);
	put_back(ready, item);
	ready->running--;
	sleeper = choose_sleeper(ready);
	unlock(ready);
	wake(ready, sleeper);
}

void plait__ready_push_bound(struct plait__ready_queue *ready,
			     struct plait__sleeper *worker,
			     struct plait__ready_item *item)
{
	struct plait__sleeper *sleeper = NULL;

	plait__mutex_lock(&ready->lock);
	add_bound(worker, item);
	if (AT_PLAIN_READ(worker->listed))
		sleeper = call_sleeper(ready, worker);
	unlock(ready);
	if (sleeper != NULL)
		wake(ready, sleeper);
}

struct plait__ready_item *plait__ready_pop(struct plait__ready_queue *ready,
					   struct plait__sleeper *worker)
{
	struct plait__ready_item *item;

	if (!plait__ready_has_items(ready) && !plait__ready_has_bound(worker))
		return NULL;
	plait__mutex_lock(&ready->lock);
	item = take_in_turn(ready, worker);
	unlock(ready);
	return item;
}

struct plait__ready_item *plait__ready_take(struct plait__ready_queue *ready)
{
	struct plait__ready_item *item;

	if (!plait__ready_has_items(ready))
		return NULL;
	plait__mutex_lock(&ready->lock);
	item = take_item(ready);
	if (item != NULL)
		ready->running++;
	unlock(ready);
	return item;
}

bool plait__ready_is_idle(struct plait__ready_queue *ready)
{
	bool idle;

	plait__mutex_lock(&ready->lock);
	idle = at_load_relaxed_u32(&ready->count) == 0 && ready->running == 0;
	unlock(ready);
	return idle;
}

void plait__ready_finish(struct plait__ready_queue *ready)
{
	plait__mutex_lock(&ready->lock);
	ready->running--;
	unlock(ready);
}

struct plait__ready_item *plait__ready_swap(struct plait__ready_queue *ready,
					    struct plait__ready_item *item)
{
	plait__mutex_lock(&ready->lock);
	add_item(ready, item);
	item = take_item(ready);
	unlock(ready);
	return item;
}

void plait__ready_offer(struct plait__ready_queue *ready,
			struct plait__ready_task *task)
{
	struct plait__sleeper *sleeper;

	plait__mutex_lock(&ready->lock);
	/* Release, before the item is linked: a taker holds the lock, but a
	 * thread that claims the task directly pairs with this store. */
	at_store_release_u32(&task->state, PLAIT__TASK_OFFERED);
	if (!task->item.linked)
		add_item(ready, &task->item);
	sleeper = choose_sleeper(ready);
	unlock(ready);
	wake(ready, sleeper);
}

void plait__ready_give(struct plait__ready_queue *ready,
		       struct plait__ready_task *task)
{
	struct plait__sleeper *sleeper;

	plait__mutex_lock(&ready->lock);
	put_back(ready, &task->item);
	sleeper = choose_sleeper(ready);
	unlock(ready);
	wake(ready, sleeper);
}

void plait__ready_forget(struct plait__ready_queue *ready,
			 struct plait__ready_task *task)
{
	struct plait__backoff backoff;

	plait__mutex_lock(&ready->lock);
	if (task->item.linked)
		unlink_item(ready, &task->item);
	unlock(ready);
	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	/* Acquire: pairs with plait__ready_unpin. */
	while (at_load_acquire_u32(&task->pins) != 0)
		if (!plait__backoff_step(&backoff))
			plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
}

static bool has_items_or_is_closed(const struct plait__ready_queue *ready,
				   const struct plait__sleeper *worker)
{
	return plait__ready_has_items(ready) ||
	       plait__ready_has_bound(worker) ||
	       at_load_relaxed_u32(&ready->closed) != 0;
}

static void add_seeker(struct plait__ready_queue *ready)
{
	plait__mutex_lock(&ready->lock);
	ready->seekers++;
	unlock(ready);
}

static void spin_for_items(const struct plait__ready_queue *ready,
			   const struct plait__sleeper *worker)
{
	struct plait__backoff backoff;

	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	while (!has_items_or_is_closed(ready, worker) &&
	       plait__backoff_step(&backoff))
		continue;
}

/*
 * Take an item or sleep. Caller is a seeker. Returns true with an item, or with
 * none if the ready queue is closed; false after a sleep: the caller is a
 * seeker again.
 */
static bool take_or_sleep(struct plait__ready_queue *ready,
			  struct plait__sleeper *sleeper,
			  struct plait__ready_item **out)
{
	uint32_t key = plait__eventcount_prepare(&sleeper->event);
	struct plait__sleeper *seeker = NULL;
	bool done;

	plait__mutex_lock(&ready->lock);
	*out = take_in_turn(ready, sleeper);
	done = *out != NULL || at_load_relaxed_u32(&ready->closed) != 0;
	ready->seekers--;
	if (!done)
		list_sleeper(ready, sleeper);
	else if (sleeper->took_bound)
		/* A push of a shared item may have relied on this seeker. */
		seeker = choose_sleeper(ready);
	unlock(ready);
	if (seeker != NULL)
		wake(ready, seeker);
	if (done) {
		plait__eventcount_cancel(&sleeper->event);
		return true;
	}
	(void)plait__eventcount_wait(&sleeper->event, key, PLAIT__CLOCK_NEVER);
	plait__mutex_lock(&ready->lock);
	/* Still listed: a late wake-up meant for the previous user of the
	 * sleeper. */
	if (AT_PLAIN_READ(sleeper->listed)) {
		unlist_sleeper(ready, sleeper);
		ready->seekers++;
	} else {
		ready->arriving--;
	}
	unlock(ready);
	return false;
}

struct plait__ready_item *plait__ready_wait(struct plait__ready_queue *ready,
					    struct plait__sleeper *sleeper)
{
	struct plait__ready_item *item = NULL;

	if (!sleeper->seeks) {
		item = plait__ready_pop(ready, sleeper);
		if (item != NULL)
			return item;
		add_seeker(ready);
	}
	sleeper->seeks = false;
	spin_for_items(ready, sleeper);
	while (!take_or_sleep(ready, sleeper, &item))
		continue;
	return item;
}

void plait__ready_begin_seek(struct plait__ready_queue *ready,
			     struct plait__sleeper *worker)
{
	add_seeker(ready);
	worker->seeks = true;
}

void plait__ready_end_seek(struct plait__ready_queue *ready,
			   struct plait__sleeper *worker)
{
	struct plait__sleeper *other;

	worker->seeks = false;
	plait__mutex_lock(&ready->lock);
	ready->seekers--;
	/* A push may have relied on this seeker. */
	other = choose_sleeper(ready);
	unlock(ready);
	if (other != NULL)
		wake(ready, other);
}

bool plait__ready_add_sleeper(struct plait__ready_queue *ready,
			      struct plait__sleeper *sleeper)
{
	bool empty;

	plait__mutex_lock(&ready->lock);
	empty = at_load_relaxed_u32(&ready->count) == 0;
	if (empty)
		list_sleeper(ready, sleeper);
	unlock(ready);
	return empty;
}

void plait__ready_remove_sleeper(struct plait__ready_queue *ready,
				 struct plait__sleeper *sleeper)
{
	struct plait__sleeper *other = NULL;

	plait__mutex_lock(&ready->lock);
	if (AT_PLAIN_READ(sleeper->listed)) {
		unlist_sleeper(ready, sleeper);
	} else {
		/* Woken for an item that it may not take: pass the wake-up
		 * on. */
		ready->seekers--;
		ready->arriving--;
		other = choose_sleeper(ready);
	}
	unlock(ready);
	wake(ready, other);
}

void plait__ready_close(struct plait__ready_queue *ready)
{
	struct plait__sleeper *sleeper;

	plait__mutex_lock(&ready->lock);
	at_store_relaxed_u32(&ready->closed, 1);
	unlock(ready);
	for (;;) {
		plait__mutex_lock(&ready->lock);
		sleeper = ready->sleepers;
		if (sleeper != NULL)
			(void)call_sleeper(ready, sleeper);
		unlock(ready);
		if (sleeper == NULL)
			return;
		wake(ready, sleeper);
	}
}
