/* SPDX-License-Identifier: MIT */
/*
 * Types and slots of the host backend: its devices are the machine itself.
 * Its queues and signals are lanes and counters of the core; this plugin adds
 * memory, options and topology.
 */
#ifndef PLAITP_HOST_H
#define PLAITP_HOST_H

#include <pthread.h>

#include "plait/plugin.h"

enum {
	HOST_MAX_DEVICES = 64,
	/* a cache line, and at least a vector register */
	HOST_ALIGNMENT_BYTES = 64,
	HOST_DESCRIPTION_BYTES = 256
};

struct host_device {
	uint64_t used_bytes; /* guarded by the lock */
};

struct plait_backend {
	plait_host *host;
	const plait_host_services *services;
	uint64_t memory_bytes; /* of each device */
	uint32_t device_count;
	char description[HOST_DESCRIPTION_BYTES];
	pthread_mutex_t lock; /* guards used_bytes; a leaf */
	struct host_device devices[HOST_MAX_DEVICES];
};

struct host_options {
	uint64_t devices;
	uint64_t pin;
	uint64_t describe;
	uint64_t memory_bytes; /* 0: all memory of the machine */
};

/* Write an error with a formatted text; return `status`. */
plait_status plaitp_host_fail(const plait_host_services *services,
			      plait_error *error, plait_status status,
			      const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Read the options; PLAIT_E_INVALID names the key and the accepted values. */
plait_status plaitp_host_options_read(plait_host *host,
				      const plait_host_services *services,
				      struct host_options *out,
				      plait_error *error);

/* Describe the machine, by hwloc with `describe` or `pin`; with `pin`, place each
 * worker on a core.  Failures only with `pin`: PLAIT_E_UNAVAILABLE without a usable
 * hwloc or a core, PLAIT_E_NOMEM, or that of worker_place. */
plait_status plaitp_host_topology_use(plait_backend *self,
				      const struct host_options *options,
				      plait_error *error);

/* --- slots */

plait_status plaitp_host_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error);
void plaitp_host_memory_destroy(plait_backend *self,
				plait_backend_memory *memory);
plait_status plaitp_host_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error);
plait_status plaitp_host_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error);

/* The address of the memory; null for null. */
void *plaitp_host_memory_bytes(plait_backend_memory *memory);

plait_status plaitp_host_queue_create(plait_backend *self, uint32_t device,
				      const plait_queue_request *request,
				      plait_backend_queue **out,
				      plait_error *error);
void plaitp_host_queue_destroy(plait_backend *self,
			       plait_backend_queue *queue);
plait_status plaitp_host_queue_submit(plait_backend *self,
				      plait_backend_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count, plait_error *error);
plait_status plaitp_host_queue_recover(plait_backend *self,
				       plait_backend_queue *queue,
				       plait_error *error);

plait_status plaitp_host_signal_create(plait_backend *self, uint32_t device,
				       uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error);
void plaitp_host_signal_destroy(plait_backend *self,
				plait_backend_signal *signal);
plait_status plaitp_host_signal_poll(plait_backend *self,
				     const plait_backend_point *point,
				     uint64_t *out_reached,
				     plait_error *error);
plait_status plaitp_host_signal_wait(plait_backend *self,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error);
plait_status plaitp_host_signal_notify(plait_backend *self,
				       const plait_backend_point *point,
				       plait_notify_function function,
				       void *user_data, plait_error *error);
plait_status plaitp_host_signal_raise(plait_backend *self,
				      const plait_backend_point *point,
				      const plait_error *failure,
				      plait_error *error);
plait_status plaitp_host_signal_reset(plait_backend *self,
				      plait_backend_signal *signal,
				      plait_error *error);
plait_status plaitp_host_pump(plait_backend *self, plait_error *error);

plait_status plaitp_host_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error);

#endif
