/* SPDX-License-Identifier: MIT */
/*
 * Host services for memory, log, errors, time and options; those of the pool
 * are in pool_services.c. Null arguments of a plugin are tolerated.
 */
#include "plugin/services.h"

#include "plugin/compiler_services.h"
#include "plugin/pool_services.h"
#include "plugin/table_check.h"

#include "base/error.h"
#include "sys/clock.h"

#include <stddef.h>
#include <string.h>

static void *serve_resize(plait_host *host, void *pointer, uint64_t old_bytes,
			  uint64_t new_bytes)
{
	const plait_allocator *allocator = host->allocator;
	void *block;

	if (pointer == NULL && new_bytes == 0)
		return NULL;
	block = new_bytes <= PTRDIFF_MAX ?
			allocator->resize(allocator->user_data, pointer,
					  old_bytes, new_bytes) :
			NULL;
	if (block == NULL && new_bytes != 0) {
		at_store_relaxed_u32(&host->out_of_memory, 1);
		return NULL;
	}
	/* Modulo 2^64, so frees may be counted before their allocations. */
	at_add_u64(&host->live_bytes,
		   new_bytes - (pointer != NULL ? old_bytes : 0));
	return block;
}

/* Prefix a line with the plugin's name unless it starts with it. */
static void serve_log(plait_host *host, int32_t level, const char *line)
{
	size_t length = strlen(host->name);

	if (line == NULL)
		return;
	if (strncmp(line, host->name, length) == 0 && line[length] == ':')
		plait__log_line(host->log, level, "%s", line);
	else
		plait__log_line(host->log, level, "%s: %s", host->name, line);
}

static plait_status serve_fail(plait_error *error, plait_status status,
			       int64_t origin, const char *text)
{
	return plait__fail_origin(error, status, origin, "%s",
				  text != NULL ? text : "");
}

static uint64_t serve_clock_ns(plait_host *host)
{
	(void)host;
	return plait__clock_now_ns();
}

static const char *serve_option(plait_host *host, const char *key)
{
	if (key == NULL)
		return NULL;
	return plait__options_find(host->options, host->name, key);
}

const plait_host_services *plait__services_get(void)
{
	static const plait_host_services services = {
		.size = sizeof(services),
		.abi_min = PLAIT__PLUGIN_ABI_MIN,
		.abi_max = PLAIT__PLUGIN_ABI_MAX,
		.resize = serve_resize,
		.log = serve_log,
		.fail = serve_fail,
		.clock_ns = serve_clock_ns,
		.option = serve_option,
		.lane_create = plait__pool_services_lane_create,
		.lane_destroy = plait__pool_services_lane_destroy,
		.lane_submit = plait__pool_services_lane_submit,
		.lane_recover = plait__pool_services_lane_recover,
		.counter_create = plait__pool_services_counter_create,
		.counter_destroy = plait__pool_services_counter_destroy,
		.counter_poll = plait__pool_services_counter_poll,
		.counter_wait = plait__pool_services_counter_wait,
		.counter_notify = plait__pool_services_counter_notify,
		.counter_raise = plait__pool_services_counter_raise,
		.counter_reset = plait__pool_services_counter_reset,
		.pump = plait__pool_services_pump,
		.worker_count = plait__pool_services_worker_count,
		.worker_place = plait__pool_services_worker_place,
		.build_log = plait__compiler_services_log,
		.cache_get = plait__compiler_services_get,
		.cache_put = plait__compiler_services_put,
		.host_code_build = plait__compiler_services_build,
		.host_code_destroy = plait__compiler_services_destroy,
		.host_code_run = plait__compiler_services_run,
		.counter_emit = plait__pool_services_counter_emit,
	};

	return &services;
}
