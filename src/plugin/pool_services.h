/* SPDX-License-Identifier: MIT */
/*
 * The host services that the pool implements: lanes, counters, pump and
 * workers. Named and typed as in plait_host_services, and called only through
 * its table.
 */
#ifndef PLAIT_SRC_PLUGIN_POOL_SERVICES_H
#define PLAIT_SRC_PLUGIN_POOL_SERVICES_H

#include "plait/plugin.h"

plait_status plait__pool_services_lane_create(
	plait_host *host, const plait_queue_request *request,
	plait_backend_queue **out, plait_error *error);
void plait__pool_services_lane_destroy(plait_host *host,
				       plait_backend_queue *lane);
plait_status plait__pool_services_lane_submit(
	plait_host *host, plait_backend_queue *lane,
	const plait_submission *submissions, uint32_t count,
	plait_error *error);
plait_status plait__pool_services_lane_recover(plait_host *host,
					       plait_backend_queue *lane,
					       plait_error *error);

plait_status plait__pool_services_counter_create(plait_host *host,
						 uint32_t flags,
						 plait_backend_signal **out,
						 plait_error *error);
void plait__pool_services_counter_destroy(plait_host *host,
					  plait_backend_signal *counter);
plait_status plait__pool_services_counter_poll(plait_host *host,
					       const plait_backend_point *point,
					       uint64_t *out_reached,
					       plait_error *error);
plait_status plait__pool_services_counter_wait(
	plait_host *host, const plait_backend_point *points, uint32_t count,
	uint32_t any, uint64_t timeout_ns, plait_error *error);
plait_status
plait__pool_services_counter_notify(plait_host *host,
				    const plait_backend_point *point,
				    plait_notify_function function,
				    void *user_data, plait_error *error);
plait_status plait__pool_services_counter_raise(
	plait_host *host, const plait_backend_point *point,
	const plait_error *failure, plait_error *error);
plait_status plait__pool_services_counter_reset(plait_host *host,
						plait_backend_signal *counter,
						plait_error *error);
void plait__pool_services_counter_emit(plait_host *host,
				       const plait_backend_point *point,
				       const plait_error *failure);

plait_status plait__pool_services_pump(plait_host *host, plait_error *error);
uint32_t plait__pool_services_worker_count(plait_host *host);
plait_status plait__pool_services_worker_place(plait_host *host,
					       const uint32_t *cpus,
					       uint32_t count,
					       plait_error *error);

#endif
