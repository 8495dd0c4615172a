/* SPDX-License-Identifier: MIT */
/* The wait loop; see wait_loop.h. */
#include "object/wait/wait_loop.h"

#include "object/context/backend_result.h"
#include "object/wait/suspension.h"
#include "object/wait/wait_diagnosis.h"
#include "object/wait/wait_in_driver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "pool/callback_scope.h"
#include "pool/time_slice.h"
#include "sys/clock.h"

enum {
	/* Slice of a wait inside a backend that cannot notify. */
	SLICE_NS = 1000000,
	/* Longest sleep on a backend's notification: one that came too early or
	 * never comes delays the wait, but does not stop it. */
	TRUST_NS = 100000000,
	/* Time of a thread in the pool for one pump, and at least in any wait. */
	PUMP_NS = 100000,
	/* A wait on simulated clocks ends by itself if nothing is left to do;
	 * work without end is left after this time, beyond the timeout. */
	VIRTUAL_NS = 1000000000,
	/* Points passed to a backend without an allocation. */
	FEW = 8
};

struct waiter {
	plait__wait_request *request;
	uint32_t pool_runs_ended; /* before the last wait inside a backend */
	plait__backend_port *port; /* the only one; null: several or none */
	uint64_t deadline_ns;
	uint64_t slice_end_ns;	/* of items that this thread executes, if the
				 * wait has a limit */
	struct plait__backoff backoff;
	bool backs_off;		/* `backoff` is in use: nothing has advanced */
	bool has_pumped;	/* a pump has advanced something */
};

/* --- polling */

static plait_status poll_point(const plait__wait_point *point,
			       plait_error *error)
{
	plait__backend *backend = point->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;
	uint64_t reached;

	status = backend->table.signal_poll(backend->self, &point->point,
					    &reached, &room);
	return plait__backend_result_check_poll(point->port, status, &room,
						error);
}

/* PLAIT_PENDING, or the result of the wait. */
static plait_status poll_all(plait__wait_request *request, plait_error *error)
{
	plait_status answer = request->any ? PLAIT_PENDING : PLAIT_OK;
	plait_status status;
	uint64_t i;

	if (request->ready != NULL)
		return request->ready(request->arg) ? PLAIT_OK : PLAIT_PENDING;
	for (i = 0; i < request->count; i++) {
		status = poll_point(&request->points[i], error);
		if (status < 0 || (status == PLAIT_OK && request->any)) {
			request->decided = true;
			request->index = i;
			return status;
		}
		if (status == PLAIT_PENDING)
			answer = PLAIT_PENDING;
	}
	request->decided = answer != PLAIT_PENDING;
	return answer;
}

/* --- the backends that the wait depends on: those of its points, or all */

static bool has_pool_run(const struct waiter *waiter)
{
	return plait__progress_has_pool_run(
		&waiter->request->context->driver);
}

static bool depends_on(const struct waiter *waiter,
		       const plait__backend_port *port)
{
	const plait__wait_request *request = waiter->request;
	uint64_t i;

	/* A driven run may need any of them, and so may one in the pool. */
	if (plait__progress_is_active(&request->context->driver) ||
	    has_pool_run(waiter))
		return true;
	if (waiter->port != NULL || request->ready != NULL)
		return waiter->port == NULL || waiter->port == port;
	for (i = 0; i < request->count; i++)
		if (request->points[i].port == port)
			return true;
	return false;
}

/* Returns true if all backends of the wait have these capabilities. */
static bool all_have(const struct waiter *waiter, uint32_t capabilities)
{
	plait__context *context = waiter->request->context;
	uint32_t i;

	for (i = 0; i < context->port_count; i++)
		if (depends_on(waiter, &context->ports[i]) &&
		    (context->ports[i].all & capabilities) != capabilities)
			return false;
	return true;
}

/* Returns true if no clock but those of backends lets the wait end: all of them
 * have virtual time, and the pool executes no run. */
static bool is_virtual(const struct waiter *waiter)
{
	return !has_pool_run(waiter) &&
	       all_have(waiter, PLAIT_CAP_VIRTUAL_TIME);
}

/* Returns true if the pool has no workers and this thread ran an item. */
static bool pump_pool(const struct waiter *waiter)
{
	plait__pool *pool = waiter->request->context->pool;

	return has_pool_run(waiter) && plait__external_thread_has_work(pool) &&
	       plait__external_thread_pump(pool, NULL) == PLAIT_OK;
}

/* Returns true if a backend, or a run in the pool, advanced. */
static bool pump(struct waiter *waiter)
{
	plait__context *context = waiter->request->context;
	bool more = pump_pool(waiter);
	uint32_t i;

	for (i = 0; i < context->port_count; i++) {
		const plait__backend_port *port = &context->ports[i];

		if ((port->any & PLAIT_CAP_NEEDS_PUMP) != 0 &&
		    depends_on(waiter, port) &&
		    plait__backend_pump(context, port))
			more = true;
	}
	waiter->has_pumped |= more;
	return more;
}

/* --- waiting inside one backend */

/* Points in the form of a backend; allocated if there are many. */
struct points {
	const plait_allocator *allocator;
	plait_backend_point *all;
	uint64_t count;
	plait_backend_point few[FEW];
};

/* Free the points; also the exit function of a thread that ends while it
 * waits. */
static void free_points(void *arg)
{
	struct points *points = arg;

	if (points->all != points->few)
		plait__free(points->allocator, points->all,
			    points->count * sizeof(*points->all));
}

/* PLAIT_OK: poll again; else the result of the wait, as the backend says.  The
 * wait has points, all of waiter->port. */
static plait_status wait_inside(struct waiter *waiter, uint64_t timeout_ns,
				plait_error *error)
{
	plait__wait_request *request = waiter->request;
	plait__backend *backend = waiter->port->backend;
	struct points points = {
		.allocator = plait__context_allocator(request->context),
		.count = request->count,
		.few = { { NULL, 0 } },
	};
	const bool pumps = (waiter->port->any & PLAIT_CAP_NEEDS_PUMP) != 0;
	struct plait__callback_scope inside;
	plait_error room = { .size = sizeof(room) };
	plait_status status;
	uint64_t i;

	waiter->pool_runs_ended = at_load_relaxed_u32(
		&request->context->driver.pool_runs_ended);
	points.all = points.few;
	if (points.count > FEW)
		points.all = plait__alloc_array(points.allocator, points.count,
						sizeof(*points.all));
	if (points.all == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for %llu points",
				   (unsigned long long)points.count);
	for (i = 0; i < points.count; i++)
		points.all[i] = request->points[i].point;
	PLAIT__THREAD_SCOPE waits = { free_points, &points };
	if (pumps)
		plait__callback_scope_enter(&inside, request->context->pool);
	status = backend->table.signal_wait(backend->self, points.all,
					    (uint32_t)points.count,
					    request->any, timeout_ns, &room);
	if (pumps)
		plait__callback_scope_leave(&inside);
	plait__thread_scope_end(&waits);
	free_points(&points);
	return plait__backend_result_check(waiter->port, status, "signal_wait",
					   &room, error);
}

/* A backend that had nothing left to do says so, but it does not know the runs
 * that it has let begin: one is in the pool, or has let it go on since. */
static bool is_premature(const struct waiter *waiter, plait_status result)
{
	const plait__progress_driver *driver =
		&waiter->request->context->driver;

	return (result == PLAIT_E_DEADLOCK || result == PLAIT_E_TIMEOUT) &&
	       (plait__progress_has_pool_run(driver) ||
		at_load_relaxed_u32(&driver->pool_runs_ended) !=
			waiter->pool_runs_ended);
}

/* The backend's result stands, unless a point or a run says otherwise. */
static plait_status combine(struct waiter *waiter, plait_status result,
			    const plait_error *why, plait_error *error)
{
	plait_status status = poll_all(waiter->request, error);

	if (status != PLAIT_PENDING || result == PLAIT_OK ||
	    is_premature(waiter, result))
		return status;
	return plait__error_copy(error, why);
}

/* --- sleeping on the context's wait_event */

static bool watch_all(const plait__wait_request *request)
{
	uint64_t i;

	for (i = 0; i < request->count; i++) {
		const plait__wait_point *point = &request->points[i];

		if (poll_point(point, NULL) == PLAIT_PENDING &&
		    !plait__signal_watch_arm(point->watch, point->port,
					     &point->point))
			return false;
	}
	return true;
}

/* --- inboxes of the calling thread */

/* Null: the context has no inbox. */
static const plait__inbox_service *inboxes_of(const plait__context *context)
{
	/* Acquire: the service is stored before the first inbox is counted.  A
	 * thread that owns an inbox has seen it linked. */
	return at_load_acquire_u32(&context->inbox_count) != 0 ?
		       context->inbox_service : NULL;
}

static bool has_waiting_events(plait__context *context)
{
	const plait__inbox_service *inboxes = inboxes_of(context);

	return inboxes != NULL && inboxes->has_waiting(context);
}

static bool owns_inbox(plait__context *context)
{
	const plait__inbox_service *inboxes = inboxes_of(context);

	return inboxes != NULL && inboxes->owns_any(context);
}

static bool may_serve(const plait__wait_request *request)
{
	return request->ready == NULL || request->serves;
}

/* Returns true if the loop would have nothing to do. */
static bool is_quiet(struct waiter *waiter)
{
	plait__context *context = waiter->request->context;

	return poll_all(waiter->request, NULL) == PLAIT_PENDING &&
	       !plait__context_has_deferred(context) &&
	       !plait__progress_has_ready(&context->driver) &&
	       (!may_serve(waiter->request) || !has_waiting_events(context));
}

/* Do not sleep over work that this thread would run, nor without a wake-up. */
static bool has_nothing_to_do(struct waiter *waiter)
{
	const plait__wait_request *request = waiter->request;

	if (request->announce != NULL)
		request->announce(request->arg);
	return is_quiet(waiter) &&
	       ((waiter->request->help == NULL && !has_pool_run(waiter)) ||
		!plait__external_thread_has_work(
			waiter->request->context->pool));
}

/* --- waiting inside a driver */

static bool may_enter_driver(const struct waiter *waiter)
{
	return plait__wait_in_driver_is_possible(waiter->request) &&
	       !owns_inbox(waiter->request->context);
}

/* Returns true if this thread has waited in a driver, announced before. */
static bool wait_in_driver(struct waiter *waiter)
{
	return may_enter_driver(waiter) && has_nothing_to_do(waiter) &&
	       plait__wait_in_driver_enter(waiter->request) == PLAIT_OK;
}

static void sleep_on_event(struct waiter *waiter)
{
	plait__wait_request *request = waiter->request;
	struct plait__eventcount *event = &request->context->wait_event;
	uint64_t until_ns = waiter->deadline_ns;
	uint64_t look_ns;
	uint32_t key;

	look_ns = plait__clock_deadline(
		watch_all(request) &&
				!plait__progress_has_polling(
					&request->context->driver) ?
			TRUST_NS : SLICE_NS);
	/* It may be possible to enter the driver soon. */
	if (may_enter_driver(waiter))
		look_ns = plait__clock_deadline(SLICE_NS);
	if (look_ns < until_ns)
		until_ns = look_ns;
	key = plait__eventcount_prepare(event);
	/* A driver on another thread, or a callback, may have submitted work that
	 * only a pumping waiter advances; it notifies the eventcount. */
	if (has_nothing_to_do(waiter) && !pump(waiter))
		(void)plait__eventcount_wait(event, key, until_ns);
	else
		plait__eventcount_cancel(event);
}

/* --- the loop */

static plait_status fail_in_call(plait__wait_request *request,
				 plait_error *error)
{
	request->suspends = request->can_suspend &&
			    plait__suspension_current() != NULL;
	if (request->suspends)
		return PLAIT_E_DEADLOCK;
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "a host function must not wait: use a later command, "
			   "node or task, or make the function a coroutine");
}

/* Virtual time: no backend advances by itself, and no other clock runs. */
static plait_status wait_virtual(struct waiter *waiter, plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status result = waiter->port == NULL ? PLAIT_PENDING :
		wait_inside(waiter, waiter->request->timeout_ns, &why);

	/* A thread of the pool may have ended the op, and then its run. */
	if (!is_quiet(waiter))
		return PLAIT_PENDING;
	if (waiter->port != NULL)
		return combine(waiter, result, &why, error);
	if (waiter->request->timeout_ns != PLAIT_FOREVER)
		return PLAIT_E_TIMEOUT;
	return plait__wait_diagnosis_fail_deadlock(waiter->request, error);
}

/* PLAIT_PENDING: poll again. */
static plait_status block(struct waiter *waiter, plait_error *error)
{
	plait__wait_request *request = waiter->request;
	plait__context *context = request->context;
	plait_error why = { .size = sizeof(why) };
	plait_status result;

	/* Inside a backend this thread could not drive any pollable, nor execute
	 * a run that the backend lets begin. */
	if (waiter->port != NULL && !owns_inbox(context) &&
	    !plait__progress_is_active(&context->driver) &&
	    !plait__progress_expects_pool_run(&context->driver) &&
	    !has_pool_run(waiter)) {
		result = wait_inside(
			waiter,
			request->timeout_ns == PLAIT_FOREVER ||
					is_virtual(waiter) ?
				request->timeout_ns :
				plait__clock_left_ns(waiter->deadline_ns),
			&why);
		return combine(waiter, result, &why, error);
	}
	if (pump(waiter))
		return PLAIT_PENDING;
	if (is_virtual(waiter))
		return plait__progress_has_retrying(&context->driver) ?
			       PLAIT_PENDING : wait_virtual(waiter, error);
	if (!waiter->backs_off) {
		/* Commands that need this thread do not end while it spins. */
		if (wait_in_driver(waiter))
			return PLAIT_PENDING;
		plait__backoff_init(&waiter->backoff, request->backoff);
	}
	waiter->backs_off = true;
	if (plait__backoff_step(&waiter->backoff)) {
		if (waiter->backoff.spins_left == 0)
			plait__wait_in_driver_poll(request);
		return PLAIT_PENDING;
	}
	if (waiter->port == NULL ||
	    (waiter->port->all & PLAIT_CAP_NOTIFY) != 0) {
		if (!wait_in_driver(waiter))
			sleep_on_event(waiter);
	}
	else
		(void)wait_inside(waiter, SLICE_NS, NULL);
	return PLAIT_PENDING;
}

static plait_status serve(const struct waiter *waiter, bool *out_served)
{
	plait__context *context = waiter->request->context;
	const plait__inbox_service *inboxes = inboxes_of(context);
	plait_status status = PLAIT_PENDING;

	if (inboxes != NULL && may_serve(waiter->request))
		status = inboxes->serve(context);
	*out_served = status == PLAIT_OK;
	return status;
}

/* Returns true if a pollable advanced. */
static bool drive_once(plait__context *context)
{
	return !plait__callback_scope_is_active() &&
	       plait__progress_drive(context);
}

/* Advance pollables and backends once, for a caller that does not wait. */
static bool advance_once(struct waiter *waiter)
{
	bool driven = drive_once(waiter->request->context);

	return (!plait__callback_scope_is_active() && pump(waiter)) || driven;
}

/* A wait that is late still serves the inboxes for a moment. */
static bool is_overdue(const struct waiter *waiter)
{
	return waiter->request->timeout_ns != PLAIT_FOREVER &&
	       plait__clock_left_ns(waiter->slice_end_ns) == 0;
}

/* Returns true if the wait ends without its condition. */
static bool is_late(const struct waiter *waiter)
{
	const uint64_t end_ns = waiter->deadline_ns;

	if (plait__clock_left_ns(end_ns) != 0)
		return false;
	return !is_virtual(waiter) ||
	       plait__clock_now_ns() - end_ns > VIRTUAL_NS;
}

static plait_status loop(struct waiter *waiter, plait_error *error)
{
	plait__wait_request *request = waiter->request;
	plait_status status;
	bool served, late;

	for (;;) {
		late = is_late(waiter);
		/* A deferred drop may complete the wait. */
		if (plait__context_has_deferred(request->context))
			plait__reclaim_pending(request->context);
		status = poll_all(request, error);
		if (status != PLAIT_PENDING)
			return status;
		if (serve(waiter, &served) == PLAIT_EVENT_READY)
			return PLAIT_EVENT_READY;
		if (served && !is_overdue(waiter))
			continue;
		if (late)
			break;
		if (plait__callback_scope_is_active() &&
		    request->timeout_ns != 0)
			return fail_in_call(request, error);
		if ((request->help != NULL && request->help(request->arg)) ||
		    drive_once(request->context)) {
			waiter->backs_off = false;
			continue;
		}
		if (request->timeout_ns == 0)
			break;
		status = block(waiter, error);
		if (status != PLAIT_PENDING)
			return status;
	}
	/* A caller that waits in a loop lets all of the context progress. */
	if (!waiter->has_pumped && advance_once(waiter))
		status = poll_all(request, error);
	return status == PLAIT_PENDING ? PLAIT_E_TIMEOUT : status;
}

static plait_status loop_limited(struct waiter *waiter, plait_error *error)
{
	plait__context *context = waiter->request->context;
	plait_status status;
	uint64_t limit_ns;

	waiter->slice_end_ns = waiter->deadline_ns;
	if (waiter->request->timeout_ns < PUMP_NS)
		waiter->slice_end_ns = plait__clock_deadline(PUMP_NS);
	limit_ns = plait__time_slice_enter(waiter->slice_end_ns);
	status = loop(waiter, error);
	plait__time_slice_leave(limit_ns);
	/* Without workers another waiting thread executes the rest. */
	if (plait__external_thread_has_work(context->pool))
		plait__context_notify_waiters(context);
	return status;
}

/* A condition that no point ends, so that the wait depends on every backend. */
static bool is_never(void *arg)
{
	(void)arg;
	return false;
}

bool plait__wait_may_pump(plait__context *context)
{
	uint32_t i;

	if (plait__progress_is_active(&context->driver))
		return true;
	for (i = 0; i < context->port_count; i++)
		if ((context->ports[i].any & PLAIT_CAP_NEEDS_PUMP) != 0)
			return true;
	return false;
}

bool plait__wait_pump(plait__context *context)
{
	plait__wait_request request = { .context = context,
					.ready = is_never };
	struct waiter waiter = { .request = &request };
	uint64_t limit_ns;
	bool more;

	if (plait__callback_scope_is_active())
		return false;
	limit_ns = plait__time_slice_enter(plait__clock_deadline(PUMP_NS));
	more = plait__progress_drive(context) || pump(&waiter);
	plait__time_slice_leave(limit_ns);
	return more;
}

plait_status plait__wait_run(plait__wait_request *request, plait_error *error)
{
	struct waiter waiter = { .request = request };
	plait_status status;

	request->decided = false;
	/* Points behind a failed flush would never be reached. */
	if (at_load_acquire_u32(&request->context->unflushed) != 0)
		plait__reclaim_now(request->context);
	waiter.deadline_ns = plait__clock_deadline(request->timeout_ns);
	if (request->count != 0)
		waiter.port = request->points[0].port;
	for (uint64_t i = 1; i < request->count; i++)
		if (request->points[i].port != waiter.port)
			waiter.port = NULL;
	status = request->timeout_ns == PLAIT_FOREVER ?
			 loop(&waiter, error) : loop_limited(&waiter, error);
	if (status == PLAIT_E_TIMEOUT)
		status = plait__wait_diagnosis_fail_timeout(request, error);
	plait__context_reclaim(request->context);
	return status;
}
