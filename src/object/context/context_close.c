/* SPDX-License-Identifier: MIT */
/*
 * plait_context_close: waits for the end of a context, which may happen on
 * another thread, and joins a thread of the library.  The record of the end is
 * allocated by the first caller, and freed by the last of the callers and the
 * end.
 */
#include "object/context/context_close.h"

#include "object/context/context.h"
#include "object/context/reclaim_thread.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "pool/callback_scope.h"
#include "sys/clock.h"

#include <stdio.h>

struct plait__context_end {
	at_u32 references; /* callers, the context, and a thread that starts
			    * `thread` */
	at_u32 ended;
	at_u32 lost;
	plait_error why; /* written before `lost`, under the context's lock */
	plait_error untold; /* written before `ended` */
	struct plait__eventcount event;
	struct plait__mutex lock; /* guards these; held while `thread` is joined */
	const void *wait_of; /* of the text, or null */
	char wait[160];
	/* The thread that ends the context; null: a caller of the library does,
	 * or the thread was joined. */
	struct plait__thread *thread;
};

static void free_thread(plait__context_end *end)
{
	plait__free(plait__alloc_default(), end->thread, sizeof(*end->thread));
	end->thread = NULL;
}

/* The context has ended, so its thread returns at once. */
static void join(plait__context_end *end)
{
	plait__mutex_lock(&end->lock);
	if (end->thread != NULL) {
		plait__thread_join(end->thread);
		free_thread(end);
	}
	plait__mutex_unlock(&end->lock);
}

/* Not on `thread`. */
static void drop(plait__context_end *end)
{
	if (at_sub_u32(&end->references, 1) != 1)
		return;
	join(end);
	plait__free(plait__alloc_default(), end, sizeof(*end));
}

/* Caller holds end->lock. */
static bool start_thread(plait__context_end *end, plait__context *context,
			 void (*run)(void *context))
{
	end->thread = plait__alloc(plait__alloc_default(),
				   sizeof(*end->thread));
	if (end->thread == NULL)
		return false;
	if (plait__thread_start(end->thread, "plait/end", run, context,
				NULL) == 0)
		return true;
	free_thread(end);
	return false;
}

bool plait__context_close_start(plait__context *context,
				void (*run)(void *context))
{
	plait__context_end *end = context->end;
	bool started;

	if (end == NULL)
		return plait__thread_start_detached("plait/end", run,
						    context) == 0;
	/* The context may have ended before plait__thread_start returns. */
	at_add_u32(&end->references, 1);
	plait__mutex_lock(&end->lock);
	started = start_thread(end, context, run);
	plait__mutex_unlock(&end->lock);
	drop(end);
	return started;
}

void plait__context_close_tell(plait__context *context,
			       const plait_error *why)
{
	plait__mutex_lock(&context->lock);
	if (context->untold.status == PLAIT_OK)
		context->untold = *why;
	plait__mutex_unlock(&context->lock);
}

void plait__context_close_notify(plait__context_end *end,
				 const plait_error *untold)
{
	if (end == NULL)
		return;
	end->untold = *untold;
	/* Release: pairs with the load in has_ended. */
	at_store_release_u32(&end->ended, 1);
	plait__eventcount_notify(&end->event);
	if (at_sub_u32(&end->references, 1) != 1)
		return;
	/* All callers have given up: no thread joins this one. */
	if (end->thread != NULL)
		plait__thread_detach(end->thread);
	plait__free(plait__alloc_default(), end, sizeof(*end));
}

void plait__context_close_wait_for(plait__context *context, const void *of,
				   const char *text)
{
	plait__context_end *end;

	plait__mutex_lock(&context->lock);
	end = context->end;
	plait__mutex_unlock(&context->lock);
	/* It has the context's reference. */
	if (end == NULL)
		return;
	plait__mutex_lock(&end->lock);
	if (text != NULL) {
		end->wait_of = of;
		plait__text_copy(text, end->wait, sizeof(end->wait), NULL);
	} else if (end->wait_of == of) {
		end->wait_of = NULL;
		end->wait[0] = '\0';
	}
	plait__mutex_unlock(&end->lock);
}

static bool is_lost(const plait__context_end *end)
{
	/* Acquire: pairs with the store in plait__context_close_recheck. */
	return at_load_acquire_u32(&end->lost) != 0;
}

void plait__context_close_recheck(plait__context *context)
{
	plait__context_end *end = NULL;

	/* Of a thread that abandons work and one that closes the last handle,
	 * the one that has the lock later sees both.  The context does not end,
	 * so neither does its reference. */
	plait__mutex_lock(&context->lock);
	if (at_load_relaxed_u64(&context->abandoned) != 0 &&
	    at_load_acquire_u64(&context->base.open_handles) == 0)
		end = context->end;
	if (end != NULL && !is_lost(end)) {
		end->why = context->abandoned_why;
		/* Release: pairs with the load in is_lost. */
		at_store_release_u32(&end->lost, 1);
	}
	plait__mutex_unlock(&context->lock);
	if (end != NULL)
		plait__eventcount_notify(&end->event);
}

/* Get the context's record with a reference; null without memory. */
static plait__context_end *get(plait__context *context)
{
	plait__context_end *made = plait__alloc(plait__alloc_default(),
						sizeof(*made));
	plait__context_end *end;

	if (made != NULL) {
		plait__eventcount_init(&made->event, 0);
		at_init_u32(&made->references, 1);
	}
	plait__mutex_lock(&context->lock);
	if (context->end == NULL) {
		context->end = made;
		made = NULL;
	}
	end = context->end;
	if (end != NULL)
		at_add_u32(&end->references, 1);
	plait__mutex_unlock(&context->lock);
	if (made != NULL)
		drop(made);
	return end;
}

static bool has_ended(const plait__context_end *end)
{
	/* Acquire: pairs with the store in plait__context_close_notify. */
	return at_load_acquire_u32(&end->ended) != 0;
}

static bool is_decided(void *arg)
{
	return has_ended(arg) || is_lost(arg);
}

static plait_status fail_lost(const char *name, const plait_error *why,
			      plait_error *error)
{
	return plait__fail_origin(error, PLAIT_E_LOST, why->status,
				  "%s never ends, as its backend has work of "
				  "which it does not tell the end; what that "
				  "uses stays allocated: %s", name, why->text);
}

/* The context has ended; its outcome. */
static plait_status tell_untold(const char *name, const plait_error *untold,
				plait_error *error)
{
	if (untold->status == PLAIT_OK)
		return PLAIT_OK;
	return plait__fail_origin(error, PLAIT_E_FAILED, untold->status,
				  "%s has ended; its flow had failed, which no "
				  "call has told: %s", name, untold->text);
}

/* The text of the wait, "" without one. */
static void copy_wait(plait__context_end *end, char *out, size_t bytes)
{
	plait__mutex_lock(&end->lock);
	plait__text_copy(end->wait, out, bytes, NULL);
	plait__mutex_unlock(&end->lock);
}

/* The context may end meanwhile, so the objects are those of all contexts. */
static plait_status fail_late(const char *name, plait__context_end *end,
			      uint64_t timeout_ns, plait_error *error)
{
	char time[PLAIT__TEXT_DURATION_BYTES];
	char wait[sizeof(end->wait)];
	char objects[PLAIT_ERROR_TEXT_BYTES / 2] = "";
	size_t used = 0;

	for (int32_t type = 1; type <= PLAIT_OBJECT_COLL; type++) {
		uint64_t count = plait__handle_count(type);

		if (count != 0 && type != PLAIT_OBJECT_DEVICE &&
		    used < sizeof(objects))
			used += (size_t)snprintf(
				objects + used, sizeof(objects) - used,
				"%s%s %llu", used > 0 ? ", " : "",
				plait__handle_type_name(type),
				(unsigned long long)count);
	}
	copy_wait(end, wait, sizeof(wait));
	if (wait[0] != '\0')
		return plait__fail(error, PLAIT_E_TIMEOUT,
				   "%s has not ended after %s: %s", name,
				   plait__text_duration(timeout_ns, time), wait);
	return plait__fail(error, PLAIT_E_TIMEOUT,
			   "%s has not ended after %s; the process still "
			   "has %s: release them, or wait longer for work in "
			   "flight", name, plait__text_duration(timeout_ns, time),
			   used > 0 ? objects : "its work");
}

/* Returns true inside a function that the library calls: a callback, or the
 * function of an event. */
static bool is_inside_function(plait__context *context)
{
	return plait__callback_scope_is_active() ||
	       plait__reclaim_thread_is_current(context) ||
	       /* Acquire: the service is stored before the first inbox is
		* counted. */
	       (at_load_acquire_u32(&context->inbox_count) != 0 &&
		context->inbox_service->is_inside(context));
}

PLAIT_API plait_status plait_context_close(plait_context *context,
					   uint64_t timeout_ns,
					   plait_error *error)
{
	char name[PLAIT__OBJECT_NAME_BYTES];
	plait__context_end *end = NULL;
	plait__context *self;
	plait_status status = plait__context_enter(context, &self, error);

	if (status != PLAIT_OK)
		return status;
	(void)plait__object_name(&self->object, name);
	if (is_inside_function(self))
		status = plait__fail(error, PLAIT_E_DEADLOCK,
				     "a host function must not wait for the "
				     "end of a context, which waits for it; "
				     "release the context there");
	else if ((end = get(self)) == NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to wait for the end of a "
				     "context");
	plait__object_leave(&self->object);
	if (status != PLAIT_OK)
		return status;
	plait__object_release(context, PLAIT_OBJECT_CONTEXT);
	if (plait__eventcount_await(&end->event, is_decided, end,
				    plait__clock_deadline(timeout_ns),
				    PLAIT__BACKOFF_SLEEP) != 0)
		status = fail_late(name, end, timeout_ns, error);
	else if (is_lost(end))
		status = fail_lost(name, &end->why, error);
	else
		join(end);
	if (status == PLAIT_OK)
		status = tell_untold(name, &end->untold, error);
	drop(end);
	return status;
}
