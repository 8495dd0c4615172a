/* SPDX-License-Identifier: MIT */
/* Waits inside a backend's driver; see wait_in_driver.h. */
#include "object/wait/wait_in_driver.h"

#include "object/context/context.h"
#include "sys/thread.h"

static bool may_enter_port(const plait__backend_port *port)
{
	return at_load_relaxed_u32(&port->no_wait_in_driver) == 0;
}

plait_status plait__wait_in_driver_for(const plait__wait_point *point)
{
	plait__backend_port *port = point->port;
	plait__backend *backend = port->backend;
	plait_error ignored = { .size = sizeof(ignored) };
	plait_status status = PLAIT_E_UNSUPPORTED;

	if (!may_enter_port(port))
		return status;
	status = backend->table.wait_in_driver(backend->self, &point->point,
					       &ignored);
	if (status == PLAIT_E_UNSUPPORTED)
		at_store_relaxed_u32(&port->no_wait_in_driver, 1);
	return status;
}

static void leave(void *users)
{
	/* Release: pairs with the load of the thread that destroys signals. */
	at_sub_u32(users, 1);
}

plait_status plait__wait_in_driver_for_run(plait__awaited_points *found)
{
	plait_status status = PLAIT_PENDING;

	if (found->count == 0)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave, found->users };
	for (uint32_t i = 0; i < found->count && status != PLAIT_OK; i++)
		status = plait__wait_in_driver_for(&found->points[i]);
	plait__thread_scope_end(&inside);
	leave(found->users);
	return status == PLAIT_OK ? PLAIT_OK : PLAIT_PENDING;
}

/* For the effect on the backends; what they answer is for other threads.
 * Leaves the points' users. */
static plait_status poll_points(plait__awaited_points *found)
{
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	if (found->count == 0)
		return PLAIT_PENDING;
	PLAIT__THREAD_SCOPE inside = { leave, found->users };
	for (uint32_t i = 0; i < found->count; i++) {
		plait__backend *backend = found->points[i].port->backend;

		(void)backend->table.signal_poll(backend->self,
						 &found->points[i].point,
						 &reached, &ignored);
	}
	plait__thread_scope_end(&inside);
	leave(found->users);
	return PLAIT_PENDING;
}

void plait__wait_in_driver_poll(const plait__wait_request *request)
{
	if (request->enter != NULL)
		(void)request->enter(request->arg, poll_points);
}

bool plait__wait_in_driver_is_free(const plait__context *context)
{
	uint32_t i;

	if (!plait__progress_has_thread(&context->driver))
		return false;
	for (i = 0; i < context->port_count; i++)
		if ((context->ports[i].any & PLAIT_CAP_NEEDS_PUMP) != 0)
			return false;
	return true;
}

/* Returns true if the backend of a point, or any one, has such a driver. */
static bool has_driver(const plait__wait_request *request)
{
	const plait__context *context = request->context;
	uint64_t i;

	for (i = 0; i < request->count; i++)
		if (may_enter_port(request->points[i].port))
			return true;
	for (i = 0; request->enter != NULL && i < context->port_count; i++)
		if (may_enter_port(&context->ports[i]))
			return true;
	return false;
}

/* Returns true if the wait needs all of its points, so that no other one can
 * end it while the thread waits for the command of one. */
static bool needs_all(const plait__wait_request *request)
{
	return request->ready != NULL ? request->enter != NULL :
					!request->any || request->count == 1;
}

bool plait__wait_in_driver_is_possible(const plait__wait_request *request)
{
	const plait__progress_driver *driver = &request->context->driver;

	return request->timeout_ns == PLAIT_FOREVER && needs_all(request) &&
	       has_driver(request) && !plait__progress_has_pool_run(driver) &&
	       (!plait__progress_is_active(driver) ||
		plait__wait_in_driver_is_free(request->context) ||
		/* The engine looks whether its run needs this thread. */
		(request->ready != NULL && plait__progress_is_single(driver)));
}

plait_status plait__wait_in_driver_enter(const plait__wait_request *request)
{
	plait_status status = PLAIT_PENDING;
	uint64_t i;

	for (i = 0; i < request->count && status != PLAIT_OK; i++)
		status = plait__wait_in_driver_for(&request->points[i]);
	if (status != PLAIT_OK && request->enter != NULL)
		status = request->enter(request->arg,
					plait__wait_in_driver_for_run);
	return status == PLAIT_OK ? PLAIT_OK : PLAIT_PENDING;
}
