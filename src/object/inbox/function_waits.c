/* SPDX-License-Identifier: MIT */
/* Waits inside functions of owners; see function_waits.h. */
#include "object/inbox/function_waits.h"

#include "object/inbox/inbox_event.h"

#include "base/error.h"
#include "pool/callback_scope.h"

enum {
	/* Functions of one thread that are inside each other, the innermost
	 * first; those further outside are not looked at. */
	DEEPEST = 8
};

struct function_wait {
	struct function_wait *next;
	const plait__wait_request *request;
	/* Copies of the thread's frames, whose events are held. */
	struct plait__callback_run functions[DEEPEST];
	uint32_t count;
	bool needed; /* by the wait in question, directly or not */
};

static struct plait__mutex lock; /* no lock of an object is held outside it */
static struct function_wait *first;

static void copy_functions(struct function_wait *wait)
{
	const struct plait__callback_run *at = &plait__callback_scope_run;
	plait__inbox_event *event;

	for (; at != NULL && wait->count < DEEPEST; at = at->around) {
		event = at->event;
		if (event == NULL)
			continue;
		plait__object_hold(&event->object);
		wait->functions[wait->count] = *at;
		wait->functions[wait->count].around = NULL;
		if (wait->count > 0)
			wait->functions[wait->count - 1].around =
				&wait->functions[wait->count];
		wait->count++;
	}
}

static void drop_functions(struct function_wait *wait)
{
	while (wait->count > 0) {
		plait__inbox_event *event =
			wait->functions[--wait->count].event;

		plait__object_drop(&event->object);
	}
}

/* Returns true if `wait` needs a function of `other` to end: the question that each
 * wait answers for its own thread, asked as if that thread were inside those. */
static bool needs(const struct function_wait *wait, struct function_wait *other)
{
	const struct plait__callback_run own = plait__callback_scope_run;
	bool blocked;

	plait__callback_scope_run = other->functions[0];
	blocked = wait->request->blocked(wait->request->blocked_arg);
	plait__callback_scope_run = own;
	return blocked;
}

/* Mark the waits that one of the marked ones needs.  Returns true if there are
 * new ones.  Caller holds the lock. */
static bool mark_more(const struct function_wait *wait)
{
	bool more = false;

	for (struct function_wait *at = first; at != NULL; at = at->next) {
		if (at->needed || !needs(wait, at))
			continue;
		at->needed = true;
		more = true;
	}
	return more;
}

/* Returns true if `wait` needs itself by way of others, k of them, after at most
 * k * k questions.  Caller holds the lock; `wait` is not in the list. */
static bool closes_cycle(struct function_wait *wait)
{
	bool more, closes = false;

	for (struct function_wait *at = first; at != NULL; at = at->next)
		at->needed = false;
	more = mark_more(wait);
	while (more && !closes) {
		more = false;
		for (struct function_wait *at = first;
		     at != NULL && !closes; at = at->next) {
			if (!at->needed)
				continue;
			closes = needs(at, wait);
			more = mark_more(at) || more;
		}
	}
	return closes;
}

/* Returns false if the wait would never end. */
static bool enter(struct function_wait *wait)
{
	bool closes;

	copy_functions(wait);
	plait__mutex_lock(&lock);
	closes = closes_cycle(wait);
	if (!closes) {
		wait->next = first;
		first = wait;
	}
	plait__mutex_unlock(&lock);
	return !closes;
}

/* Also the exit function of a thread that ends inside the wait. */
static void leave(void *arg)
{
	struct function_wait *wait = arg, **link = &first;

	plait__mutex_lock(&lock);
	while (*link != wait)
		link = &(*link)->next;
	*link = wait->next;
	plait__mutex_unlock(&lock);
	drop_functions(wait);
}

plait_status plait__function_waits_run(plait__wait_request *request,
				       plait_error *error)
{
	struct function_wait wait = { .request = request };
	plait_status status;

	if (!enter(&wait)) {
		drop_functions(&wait);
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "the caller is a function that another "
				   "thread waits for, in a function that the "
				   "caller would wait for; use a time limit, "
				   "or wait outside of functions");
	}
	PLAIT__THREAD_SCOPE inside = { leave, &wait };
	status = plait__wait_run(request, error);
	plait__thread_scope_end(&inside);
	leave(&wait);
	return status;
}
