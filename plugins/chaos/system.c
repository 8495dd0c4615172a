/* SPDX-License-Identifier: MIT */
/* Open, close, devices, lock, error texts and log of a simulated system. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "chaos.h"

void plaitp_chaos_lock(chaos *system)
{
	pthread_t self = pthread_self();

	pthread_mutex_lock(&system->lock);
	/* Without a second thread, a wait never sleeps: see drive.c. */
	if (!system->any_thread)
		system->first_thread = self;
	else if (!pthread_equal(system->first_thread, self))
		system->many_threads = true;
	system->any_thread = true;
}

void plaitp_chaos_unlock(chaos *system)
{
	pthread_mutex_unlock(&system->lock);
}

void *plaitp_chaos_allocate(chaos *system, uint64_t bytes)
{
	void *pointer = bytes == 0 ? NULL :
		system->services->resize(system->host, NULL, 0, bytes);

	if (pointer)
		memset(pointer, 0, bytes);
	return pointer;
}

void plaitp_chaos_free(chaos *system, void *pointer, uint64_t bytes)
{
	if (pointer)
		system->services->resize(system->host, pointer, bytes, 0);
}

plait_status plaitp_chaos_fail(chaos *system, plait_error *error,
			       plait_status status, int64_t origin,
			       const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return system->services->fail(error, status, origin, text);
}

void plaitp_chaos_log(chaos *system, const char *format, ...)
{
	char line[256];
	va_list list;
	int length;

	if (!system->options.log)
		return;
	length = snprintf(line, sizeof(line), "chaos %llu: ",
			  (unsigned long long)system->now_ns);
	va_start(list, format);
	vsnprintf(line + length, sizeof(line) - (size_t)length, format, list);
	va_end(list);
	system->services->log(system->host, PLAIT_LOG_INFO, line);
}

static void init_threads(chaos *system)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&system->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&system->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

plait_status plaitp_chaos_open(plait_host *host,
			       const plait_host_services *services,
			       plait_backend **out, plait_error *error)
{
	chaos_options options;
	chaos *system;
	plait_status status;

	*out = NULL;
	status = plaitp_chaos_options(host, services, &options, error);
	if (status != PLAIT_OK)
		return status;
	system = services->resize(host, NULL, 0, sizeof(*system));
	if (!system)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "no memory for a simulated system");
	memset(system, 0, sizeof(*system));
	system->host = host;
	system->services = services;
	system->options = options;
	system->random = options.seed;
	system->devices = plaitp_chaos_allocate(
		system, options.devices * sizeof(*system->devices));
	if (!system->devices) {
		services->resize(host, system, sizeof(*system), 0);
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "no memory for simulated devices");
	}
	for (uint32_t i = 0; i < options.devices; i++)
		system->devices[i].index = i;
	init_threads(system);
	plaitp_chaos_log(system, "seed %llu, %llu devices",
			 (unsigned long long)options.seed,
			 (unsigned long long)options.devices);
	*out = (plait_backend *)(void *)system;
	return PLAIT_OK;
}

void plaitp_chaos_close(plait_backend *self)
{
	chaos *system = chaos_of(self);
	plait_host *host = system->host;

	plaitp_chaos_log(system, "closed");
	pthread_cond_destroy(&system->changed);
	pthread_mutex_destroy(&system->lock);
	plaitp_chaos_free(system, system->heap,
			  system->heap_capacity * sizeof(*system->heap));
	plaitp_chaos_free(system, system->devices,
			  system->options.devices * sizeof(*system->devices));
	system->services->resize(host, system, sizeof(*system), 0);
}

uint32_t plaitp_chaos_device_count(plait_backend *self)
{
	return (uint32_t)chaos_of(self)->options.devices;
}

static uint64_t middle(const chaos_range *range)
{
	return range->min + (range->max - range->min) / 2;
}

plait_status plaitp_chaos_device_query(plait_backend *self, uint32_t device,
				       plait_backend_device *out,
				       plait_error *error)
{
	chaos *system = chaos_of(self);
	const chaos_options *options = &system->options;
	plait_backend_device full = { .size = sizeof(full) };

	if (device >= options->devices)
		return plaitp_chaos_fail(system, error, PLAIT_E_INVALID, 0,
					 "device %u of %llu", device,
					 (unsigned long long)options->devices);
	full.capabilities = PLAIT_CAP_MAP | PLAIT_CAP_WRAP |
		PLAIT_CAP_HOST_CALL | PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY |
		PLAIT_CAP_NEEDS_PUMP | PLAIT_CAP_VIRTUAL_TIME |
		PLAIT_CAP_SEGMENT | PLAIT_CAP_REGION | PLAIT_CAP_ROWS |
		PLAIT_CAP_IMAGE;
	if (!options->rows)
		full.capabilities &= ~(uint32_t)PLAIT_CAP_ROWS;
	if (!options->segments)
		full.capabilities &= ~(uint32_t)(PLAIT_CAP_SEGMENT |
						 PLAIT_CAP_REGION);
	if (!options->regions)
		full.capabilities &= ~(uint32_t)PLAIT_CAP_REGION;
	if (!options->host_calls)
		full.capabilities &= ~(uint32_t)PLAIT_CAP_HOST_CALL;
	if (options->kernels)
		full.forms = 1u << PLAIT_SOURCE_C;
	full.repeats = options->repeats != 0;
	full.parallel = (uint32_t)options->parallel;
	full.memory = options->shared ? 1 : 0;
	full.memory_bytes = options->memory_bytes;
	full.alignment_bytes = options->alignment_bytes;
	full.local_bytes = CHAOS_LOCAL_BYTES;
	full.submit_ns = middle(&options->submit_ns);
	full.command_ns = middle(&options->command_ns);
	full.hop_ns = middle(&options->hop_ns);
	snprintf(full.description, sizeof(full.description),
		 "simulated device %u of %llu, seed %llu", device,
		 (unsigned long long)options->devices,
		 (unsigned long long)options->seed);
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}
