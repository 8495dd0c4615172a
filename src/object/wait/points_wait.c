/* SPDX-License-Identifier: MIT */
/* plait_signal_wait_points: waits for points of signals, by wait_loop.h. */
#include "object/wait/points_wait.h"

#include "object/signal/signal.h"
#include "object/wait/suspension.h"
#include "object/wait/wait_loop.h"

#include "base/alloc.h"
#include "base/error.h"
#include "pool/callback_scope.h"

#include <string.h>

/* Points that need no allocation. */
enum { FEW = 8 };

typedef struct entered {
	plait__signal **signals;
	plait__wait_point *points;
	uint64_t count;
	uint64_t reserved;
	plait__context *context; /* held by the signals */
	plait__signal *few_signals[FEW];
	plait__wait_point few_points[FEW];
} entered;

static void unreserve(entered *all)
{
	const plait_allocator *allocator =
		plait__context_allocator(all->context);

	if (all->reserved <= FEW)
		return;
	plait__free(allocator, all->signals,
		    all->reserved * sizeof(*all->signals));
	plait__free(allocator, all->points,
		    all->reserved * sizeof(*all->points));
}

static plait_status reserve(entered *all, plait__context *context,
			    uint64_t count, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);

	all->count = 0;
	all->reserved = count;
	all->context = context;
	all->signals = all->few_signals;
	all->points = all->few_points;
	if (count <= FEW)
		return PLAIT_OK;
	all->signals = plait__alloc_array(allocator, count,
					  sizeof(*all->signals));
	all->points = plait__alloc_array(allocator, count,
					 sizeof(*all->points));
	if (all->signals != NULL && all->points != NULL)
		return PLAIT_OK;
	unreserve(all);
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to wait for %llu points",
			   (unsigned long long)count);
}

static plait_status check_context(const plait__signal *signal,
				  const plait__context *context, uint64_t index,
				  plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (signal->object.context == context)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "point %llu: %s is of context 0x%llx, the first of "
			   "0x%llx", (unsigned long long)index,
			   plait__object_name(&signal->object, room),
			   (unsigned long long)plait__handle_get(
				   signal->object.context->object.slot),
			   (unsigned long long)plait__handle_get(
				   context->object.slot));
}

/* The first signal is entered already.  There is room: `reserve` was told the
 * count. */
static plait_status enter_one(entered *all, const plait_point *given,
			      plait__context *context, plait_error *error)
{
	plait__wait_point *point = &all->points[all->count];
	plait__signal *signal;
	plait_status status;

	status = plait__signal_enter(given->signal, &signal, error);
	if (status != PLAIT_OK)
		return status;
	point->port = signal->port;
	point->watch = &signal->watch;
	point->point.signal = signal->raw;
	point->point.sequence = given->sequence;
	all->signals[all->count] = signal;
	status = check_context(signal, context, all->count, error);
	if (status == PLAIT_OK)
		status = plait__signal_resolve(signal, &point->point.sequence,
					       error);
	all->count++;
	return status;
}

/* Leave the signals; also the exit function of a thread that ends while it
 * waits. */
static void leave_all(void *arg)
{
	entered *all = arg;

	while (all->count > 0)
		plait__object_leave(&all->signals[--all->count]->object);
	unreserve(all);
}

/* The host has seen the point that decided, or all. */
static void note_seen(const entered *all, const plait__wait_request *request,
		      plait_status status)
{
	plait__races *races = plait__context_races(all->context);

	if (races == NULL)
		return;
	for (uint64_t i = 0; i < all->count; i++)
		if (request->any || status != PLAIT_OK ?
			    request->decided && request->index == i : true)
			plait__races_host_saw(
				races, &all->signals[i]->race,
				all->points[i].point.sequence, false);
}

/* Returns true if the wait could only end after a function of the calling thread
 * returns. */
static bool is_blocked_by_caller(const entered *all, bool any)
{
	const plait__inbox_service *inboxes = all->context->inbox_service;
	uint64_t blocked = 0;

	if (plait__callback_scope_run.event == NULL || inboxes == NULL)
		return false;
	for (uint64_t i = 0; i < all->count; i++)
		blocked += inboxes->blocks(&all->signals[i]->object,
					   all->points[i].point.sequence);
	return any ? blocked == all->count : blocked > 0;
}

/* A wait of a request, with its signals. */
struct seen_wait {
	const entered *all;
	bool any;
};

static bool is_blocked(void *arg)
{
	const struct seen_wait *wait = arg;

	return is_blocked_by_caller(wait->all, wait->any);
}

static plait_status fail_blocked(plait_error *error)
{
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a command or a run "
			   "that has to end first: the emission comes behind "
			   "it in the same queue");
}

/* Enter all signals, wait, and leave them, also when the thread ends inside. */
static plait_status wait_all(plait__context *context,
			     const plait_point *points, uint64_t count,
			     plait__wait_request *request, plait_error *error)
{
	struct seen_wait seen;
	plait_status status;
	entered all;

	status = reserve(&all, context, count, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave_all, &all };
	while (status == PLAIT_OK && all.count < count)
		status = enter_one(&all, &points[all.count], context, error);
	request->context = context;
	request->points = all.points;
	request->count = count;
	seen = (struct seen_wait){ &all, request->any };
	request->blocked = is_blocked;
	request->blocked_arg = &seen;
	if (status == PLAIT_OK && request->timeout_ns != 0 &&
	    is_blocked_by_caller(&all, request->any))
		status = fail_blocked(error);
	else if (status == PLAIT_OK)
		status = plait__wait_run_seen(request, error);
	if (request->points != NULL)
		note_seen(&all, request, status);
	plait__thread_scope_end(&inside);
	leave_all(&all);
	return status;
}

static plait_status check(const plait_point *points, uint64_t count,
			  int32_t mode, plait_error *error)
{
	if (mode != PLAIT_WAIT_ALL && mode != PLAIT_WAIT_ANY)
		return plait__fail(error, PLAIT_E_INVALID,
				   "mode %d is neither PLAIT_WAIT_ALL nor "
				   "PLAIT_WAIT_ANY", (int)mode);
	if (points == NULL && count != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "points is null, count is %llu",
				   (unsigned long long)count);
	if (count > INT32_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%llu points at once are too many",
				   (unsigned long long)count);
	return PLAIT_OK;
}

plait_status plait__points_wait_check(const plait_point *points,
				      uint64_t count, int32_t mode,
				      plait_error *error)
{
	return check(points, count, mode, error);
}

PLAIT_API plait_status plait_signal_wait_points(const plait_point *points,
						uint64_t count, int32_t mode,
						uint64_t timeout_ns,
						uint64_t *out_index,
						plait_error *error)
{
	plait__wait_request request = { .any = mode == PLAIT_WAIT_ANY,
					.timeout_ns = timeout_ns,
					.can_suspend = true };
	plait__signal *first;
	plait_status status;

	if (out_index != NULL)
		*out_index = 0;
	status = plait__handle_check_fork(error);
	if (status == PLAIT_OK)
		status = check(points, count, mode, error);
	if (status != PLAIT_OK || count == 0)
		return status;
	/* Holds the context until the end. */
	status = plait__signal_enter(points[0].signal, &first, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &first->object };
	status = wait_all(first->object.context, points, count, &request,
			  error);
	plait__thread_scope_end(&inside);
	if (out_index != NULL && request.decided)
		*out_index = request.index;
	plait__object_leave(&first->object);
	if (request.suspends)
		return plait__suspension_current()->await_points(
			points, count, mode, timeout_ns, out_index, error);
	return status;
}

PLAIT_API plait_status plait_signal_wait(plait_signal *signal,
					 uint64_t sequence,
					 uint64_t timeout_ns,
					 plait_error *error)
{
	const plait_point point = { signal, sequence };

	return plait_signal_wait_points(&point, 1, PLAIT_WAIT_ALL, timeout_ns,
					NULL, error);
}
