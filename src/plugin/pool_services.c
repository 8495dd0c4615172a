/* SPDX-License-Identifier: MIT */
/*
 * The pool's functions as host services: handles are cast, without further
 * state. A host without a pool (unit tests) fails with PLAIT_E_UNSUPPORTED.
 */
#include "plugin/pool_services.h"

#include "plugin/services.h"

#include "base/error.h"
#include "pool/counter.h"
#include "pool/lane.h"
#include "pool/pool.h"

#include <stddef.h>

/* As in serve_resize: a failed allocation is not the backend's fault. */
static plait_status record_no_memory(plait_host *host, plait_status status)
{
	if (status == PLAIT_E_NOMEM)
		at_store_relaxed_u32(&host->out_of_memory, 1);
	return status;
}

static plait_status fail_unsupported(plait_host *host, plait_error *error)
{
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s: this host has no lanes", host->name);
}

plait_status plait__pool_services_lane_create(
	plait_host *host, const plait_queue_request *request,
	plait_backend_queue **out, plait_error *error)
{
	plait__lane *lane = NULL;
	plait_status status;

	*out = NULL;
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	status = plait__lane_create(host->pool, request, &lane, error);
	if (status == PLAIT_OK)
		*out = (plait_backend_queue *)lane;
	return record_no_memory(host, status);
}

void plait__pool_services_lane_destroy(plait_host *host,
				       plait_backend_queue *lane)
{
	(void)host;
	plait__lane_destroy((plait__lane *)lane);
}

plait_status plait__pool_services_lane_submit(
	plait_host *host, plait_backend_queue *lane,
	const plait_submission *submissions, uint32_t count, plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__lane_submit((plait__lane *)lane, submissions, count,
				  error);
}

plait_status plait__pool_services_lane_recover(plait_host *host,
					       plait_backend_queue *lane,
					       plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__lane_recover((plait__lane *)lane, error);
}

plait_status plait__pool_services_counter_create(plait_host *host,
						 uint32_t flags,
						 plait_backend_signal **out,
						 plait_error *error)
{
	plait__counter *counter = NULL;
	plait_status status;

	*out = NULL;
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	status = plait__counter_create(host->pool, flags, &counter, error);
	if (status == PLAIT_OK)
		*out = (plait_backend_signal *)counter;
	return record_no_memory(host, status);
}

void plait__pool_services_counter_destroy(plait_host *host,
					  plait_backend_signal *counter)
{
	(void)host;
	plait__counter_destroy((plait__counter *)counter);
}

plait_status plait__pool_services_counter_poll(plait_host *host,
					       const plait_backend_point *point,
					       uint64_t *out_reached,
					       plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__counter_poll(point, out_reached, error);
}

plait_status plait__pool_services_counter_wait(
	plait_host *host, const plait_backend_point *points, uint32_t count,
	uint32_t any, uint64_t timeout_ns, plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__counter_wait(host->pool, points, count, any, timeout_ns,
				   error);
}

plait_status
plait__pool_services_counter_notify(plait_host *host,
				    const plait_backend_point *point,
				    plait_notify_function function,
				    void *user_data, plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__counter_notify(point, function, user_data, error);
}

plait_status plait__pool_services_counter_raise(
	plait_host *host, const plait_backend_point *point,
	const plait_error *failure, plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__counter_raise(point, failure, error);
}

plait_status plait__pool_services_counter_reset(plait_host *host,
						plait_backend_signal *counter,
						plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__counter_reset((plait__counter *)counter, error);
}

void plait__pool_services_counter_emit(plait_host *host,
				       const plait_backend_point *point,
				       const plait_error *failure)
{
	if (host->pool != NULL)
		plait__counter_emit((plait__counter *)point->signal,
				    point->sequence, failure);
}

plait_status plait__pool_services_pump(plait_host *host, plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__external_thread_pump(host->pool, error);
}

uint32_t plait__pool_services_worker_count(plait_host *host)
{
	return host->pool != NULL ? plait__pool_worker_count(host->pool) : 0;
}

plait_status plait__pool_services_worker_place(plait_host *host,
					       const uint32_t *cpus,
					       uint32_t count,
					       plait_error *error)
{
	if (host->pool == NULL)
		return fail_unsupported(host, error);
	return plait__affinity_place(host->pool, cpus, count, error);
}
