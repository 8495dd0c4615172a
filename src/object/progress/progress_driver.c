/* SPDX-License-Identifier: MIT */
/* Progress driver: its lists, its notes, its thread; see progress_driver.h. */
#include "object/progress/progress_driver.h"

#include "object/context/context.h"

#include "base/error.h"
#include "sys/clock.h"

enum {
	OVER = 0,		/* or not started: zeroed memory */
	IDLE = 1,
	READY = 2,		/* in one of the two lists */
	DRIVEN = 3,
	AGAIN = 4		/* driven, and notified meanwhile */
};

/* Polling interval of the thread. */
enum { POLL_NS = 1000000 };

/* ---- lists; caller holds the lock ---- */

/* Caller holds driver->lock. */
static void append(plait__pollable_list *list, plait__pollable *pollable)
{
	pollable->next = NULL;
	if (list->first == NULL)
		list->first = pollable;
	else
		list->last->next = pollable;
	list->last = pollable;
}

/* Caller holds driver->lock. */
static plait__pollable *take_first(plait__pollable_list *list)
{
	plait__pollable *first = list->first;

	if (first != NULL)
		list->first = first->next;
	return first;
}

/* Caller holds driver->lock. */
static void make_ready(plait__progress_driver *driver,
		       plait__pollable *pollable)
{
	pollable->state = READY;
	append(&driver->ready, pollable);
	at_add_u32(&driver->ready_count, 1);
}

/* ---- notes ---- */

void plait__progress_wake(plait__context *context)
{
	plait__progress_driver *driver = &context->driver;

	at_add_u32(&driver->wake_count, 1);
	plait__eventcount_notify(&driver->event);
	plait__eventcount_notify(&context->wait_event);
}

static void add(plait__context *context, plait__pollable *pollable, bool kept)
{
	plait__progress_driver *driver = &context->driver;

	plait__mutex_lock(&driver->lock);
	at_add_u32(&driver->active, 1);
	pollable->kept = kept;
	make_ready(driver, pollable);
	plait__mutex_unlock(&driver->lock);
}

void plait__progress_add(plait__context *context, plait__pollable *pollable)
{
	add(context, pollable, false);
	plait__progress_wake(context);
}

void plait__progress_add_kept(plait__context *context,
			      plait__pollable *pollable)
{
	add(context, pollable, true);
}

void plait__progress_expect(plait__context *context)
{
	at_add_u32(&context->driver.active, 1);
}

void plait__progress_unexpect(plait__context *context)
{
	at_sub_u32(&context->driver.active, 1);
}

void plait__progress_post(plait__context *context, plait__progress_note *note,
			  plait_status status)
{
	plait__progress_driver *driver = &context->driver;
	plait__pollable *whose = note->whose;

	plait__mutex_lock(&driver->lock);
	note->status = status;
	note->next = NULL;
	if (whose->notes == NULL)
		whose->notes = note;
	else
		whose->last_note->next = note;
	whose->last_note = note;
	if (whose->state == IDLE)
		make_ready(driver, whose);
	else if (whose->state == DRIVEN)
		whose->state = AGAIN;
	/* The driving thread may have finished the pollable from here on. */
	plait__mutex_unlock(&driver->lock);
	plait__progress_wake(context);
}

plait__progress_note *plait__progress_take_notes(plait__context *context,
						 plait__pollable *pollable)
{
	plait__progress_note *notes;

	plait__mutex_lock(&context->driver.lock);
	notes = pollable->notes;
	pollable->notes = NULL;
	plait__mutex_unlock(&context->driver.lock);
	return notes;
}

/* ---- driving ---- */

/* Take the first notified pollable, else the first to poll; or null. */
static plait__pollable *take(plait__progress_driver *driver, bool *out_notified)
{
	plait__pollable *taken;

	plait__mutex_lock(&driver->lock);
	taken = take_first(&driver->ready);
	*out_notified = taken != NULL;
	if (taken != NULL)
		at_sub_u32(&driver->ready_count, 1);
	else
		taken = take_first(&driver->polling);
	if (taken != NULL && !*out_notified)
		at_sub_u32(&driver->polling_count, 1);
	if (taken != NULL)
		taken->state = DRIVEN;
	plait__mutex_unlock(&driver->lock);
	return taken;
}

/* Caller holds driver->lock. */
static void count_retrying(plait__progress_driver *driver,
			   plait__pollable *pollable, uint32_t left)
{
	bool tries = left == PLAIT__PROGRESS_RETRYING;

	if (tries && !pollable->tries)
		at_add_u32(&driver->retrying_count, 1);
	else if (!tries && pollable->tries)
		at_sub_u32(&driver->retrying_count, 1);
	pollable->tries = tries;
}

static bool needs_polling(uint32_t left)
{
	return left == PLAIT__PROGRESS_POLLING ||
	       left == PLAIT__PROGRESS_POLLED ||
	       left == PLAIT__PROGRESS_RETRYING;
}

/* End the calling thread's role as driver of the pollable.  Returns true if
 * another thread needs a wake-up: this one may stop driving. */
static bool put_back(plait__progress_driver *driver, plait__pollable *pollable,
		     uint32_t left, bool notified)
{
	bool wanted = false;

	plait__mutex_lock(&driver->lock);
	count_retrying(driver, pollable, left);
	if (left == PLAIT__PROGRESS_DONE) {
		pollable->state = OVER;
	} else if (pollable->state == AGAIN) {
		make_ready(driver, pollable);
		wanted = true;
	} else if (needs_polling(left)) {
		wanted = notified && !pollable->kept;
		pollable->state = READY;
		append(&driver->polling, pollable);
		at_add_u32(&driver->polling_count, 1);
	} else {
		pollable->state = IDLE;
	}
	plait__mutex_unlock(&driver->lock);
	return wanted;
}

bool plait__progress_drive(plait__context *context)
{
	plait__progress_driver *driver = &context->driver;
	plait__pollable *pollable;
	uint32_t left;
	bool notified;

	if (!plait__progress_has_ready(driver) &&
	    !plait__progress_has_polling(driver))
		return false;
	pollable = take(driver, &notified);
	if (pollable == NULL)
		return false;
	left = pollable->advance(pollable);
	/* `advance` may have submitted work that only a pumping thread
	 * advances. */
	plait__eventcount_notify(&context->wait_event);
	if (put_back(driver, pollable, left, notified))
		plait__progress_wake(context);
	if (left == PLAIT__PROGRESS_DONE) {
		pollable->over(pollable);
		/* After `over`: a queue that waits for the end was notified by
		 * then. */
		plait__progress_unexpect(context);
	}
	return notified || left == PLAIT__PROGRESS_POLLED ||
	       !needs_polling(left);
}

/* Remove it from the polling list; returns false if it is not in there.  Caller
 * holds driver->lock. */
static bool unlink_polling(plait__progress_driver *driver,
			   plait__pollable *pollable)
{
	plait__pollable *before = NULL, *at = driver->polling.first;

	while (at != NULL && at != pollable) {
		before = at;
		at = at->next;
	}
	if (at == NULL)
		return false;
	if (before == NULL)
		driver->polling.first = at->next;
	else
		before->next = at->next;
	if (driver->polling.last == at)
		driver->polling.last = before;
	at_sub_u32(&driver->polling_count, 1);
	return true;
}

bool plait__progress_inspect(plait__context *context, plait__pollable *pollable,
			     void (*look)(plait__pollable *pollable, void *arg),
			     void *arg)
{
	plait__progress_driver *driver = &context->driver;
	uint32_t left = PLAIT__PROGRESS_WAITING;
	bool mine;

	plait__mutex_lock(&driver->lock);
	mine = pollable->state == IDLE;
	if (pollable->state == READY && unlink_polling(driver, pollable)) {
		mine = true;
		left = pollable->tries ? PLAIT__PROGRESS_RETRYING :
					PLAIT__PROGRESS_POLLING;
	}
	if (mine)
		pollable->state = DRIVEN;
	plait__mutex_unlock(&driver->lock);
	if (!mine)
		return false;
	look(pollable, arg);
	if (put_back(driver, pollable, left, true))
		plait__progress_wake(context);
	return true;
}

/* ---- the thread ---- */

struct wake_state {
	plait__progress_driver *driver;
	uint32_t seen;
};

static bool was_woken(void *arg)
{
	const struct wake_state *state = arg;

	return at_load_acquire_u32(&state->driver->wake_count) != state->seen;
}

/* The driver's thread: drive what is ready, then sleep until woken, or for
 * POLL_NS while something has to be polled. */
static void serve(void *arg)
{
	plait__context *context = arg;
	plait__progress_driver *driver = &context->driver;
	struct wake_state state = { .driver = driver };

	for (;;) {
		uint64_t until_ns = PLAIT__CLOCK_NEVER;

		state.seen = at_load_acquire_u32(&driver->wake_count);
		/* Acquire: pairs with the store in plait__progress_stop. */
		if (at_load_acquire_u32(&driver->stop) != 0)
			return;
		while (plait__progress_drive(context))
			continue;
		if (plait__progress_has_polling(driver))
			until_ns = plait__clock_deadline(POLL_NS);
		(void)plait__eventcount_await(&driver->event, was_woken,
					      &state, until_ns,
					      PLAIT__BACKOFF_SLEEP);
	}
}

plait_status plait__progress_start(plait__context *context, plait_error *error)
{
	plait__progress_driver *driver = &context->driver;
	bool running;

	plait__mutex_lock(&driver->starting);
	running = plait__progress_has_thread(driver);
	if (!running)
		running = plait__thread_start(&driver->thread, "plait/driver",
					      serve, context, NULL) == 0;
	at_store_relaxed_u32(&driver->running, running);
	plait__mutex_unlock(&driver->starting);
	return running ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "no thread to drive plans on queues");
}

void plait__progress_stop(plait__context *context)
{
	plait__progress_driver *driver = &context->driver;

	if (!plait__progress_has_thread(driver))
		return;
	at_store_release_u32(&driver->stop, 1);
	at_add_u32(&driver->wake_count, 1);
	plait__eventcount_notify(&driver->event);
	plait__thread_join(&driver->thread);
}
