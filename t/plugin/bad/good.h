/* SPDX-License-Identifier: MIT */
/*
 * A backend without a sin, with one device that does nothing.  Each file of
 * this folder starts from it and changes one thing.
 */
#ifndef T_BAD_GOOD_H
#define T_BAD_GOOD_H

#include "plait/plugin.h"

#include <stddef.h>
#include <string.h>

/* Kept by the one instance that there can be: nothing is allocated. */
struct plait_backend {
	uint32_t devices;
};

static struct plait_backend good_instance;

static plait_status good_open(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	(void)host;
	(void)services;
	(void)error;
	good_instance.devices = 1;
	*out = &good_instance;
	return PLAIT_OK;
}

static void good_close(plait_backend *self)
{
	self->devices = 0;
}

static uint32_t good_device_count(plait_backend *self)
{
	return self->devices;
}

static plait_status good_device_query(plait_backend *self, uint32_t device,
				      plait_backend_device *out,
				      plait_error *error)
{
	static const char text[] = "does nothing";

	(void)self;
	(void)device;
	(void)error;
	out->parallel = 1;
	out->alignment_bytes = 64;
	memcpy(out->description, text, sizeof(text));
	return PLAIT_OK;
}

static plait_status good_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	(void)out;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static void good_memory_destroy(plait_backend *self,
				plait_backend_memory *memory)
{
	(void)self;
	(void)memory;
}

static plait_status good_queue_create(plait_backend *self, uint32_t device,
				      const plait_queue_request *request,
				      plait_backend_queue **out,
				      plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	(void)out;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static void good_queue_destroy(plait_backend *self, plait_backend_queue *queue)
{
	(void)self;
	(void)queue;
}

static plait_status good_queue_submit(plait_backend *self,
				      plait_backend_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count, plait_error *error)
{
	(void)self;
	(void)queue;
	(void)submissions;
	(void)count;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static plait_status good_queue_recover(plait_backend *self,
				       plait_backend_queue *queue,
				       plait_error *error)
{
	(void)self;
	(void)queue;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static plait_status good_signal_create(plait_backend *self, uint32_t device,
				       uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error)
{
	(void)self;
	(void)device;
	(void)flags;
	(void)out;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static void good_signal_destroy(plait_backend *self,
				plait_backend_signal *signal)
{
	(void)self;
	(void)signal;
}

static plait_status good_signal_poll(plait_backend *self,
				     const plait_backend_point *point,
				     uint64_t *out_reached, plait_error *error)
{
	(void)self;
	(void)point;
	(void)out_reached;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static plait_status good_signal_wait(plait_backend *self,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error)
{
	(void)self;
	(void)points;
	(void)count;
	(void)any;
	(void)timeout_ns;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static plait_status good_signal_reset(plait_backend *self,
				      plait_backend_signal *signal,
				      plait_error *error)
{
	(void)self;
	(void)signal;
	(void)error;
	return PLAIT_E_UNSUPPORTED;
}

static inline void good_identity(plait_backend_table *table, const char *name,
				 size_t name_bytes)
{
	table->size = sizeof(*table);
	table->abi = PLAIT_PLUGIN_ABI;
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	table->priority = 1;
	memcpy(table->name, name, name_bytes);
	memcpy(table->vendor, "tests", sizeof("tests"));
	memcpy(table->version, "1.0", sizeof("1.0"));
}

/* The whole table of a backend of that name. */
#define GOOD_FILL(table, name) good_fill(table, name, sizeof(name))

static inline void good_fill(plait_backend_table *table, const char *name,
			     size_t name_bytes)
{
	good_identity(table, name, name_bytes);
	table->open = good_open;
	table->close = good_close;
	table->device_count = good_device_count;
	table->device_query = good_device_query;
	table->memory_create = good_memory_create;
	table->memory_destroy = good_memory_destroy;
	table->queue_create = good_queue_create;
	table->queue_destroy = good_queue_destroy;
	table->queue_submit = good_queue_submit;
	table->queue_recover = good_queue_recover;
	table->signal_create = good_signal_create;
	table->signal_destroy = good_signal_destroy;
	table->signal_poll = good_signal_poll;
	table->signal_wait = good_signal_wait;
	table->signal_reset = good_signal_reset;
}

#endif
