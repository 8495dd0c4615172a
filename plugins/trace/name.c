/* SPDX-License-Identifier: MIT */
/*
 * Table of the queues and signals by handle.  Backends reuse handles, so
 * entries outlive them; a lookup returns the newest.
 */
#include <stdio.h>
#include <string.h>

#include "trace.h"

static trace_name **bucket(trace *self, const void *handle)
{
	uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;

	return &self->names[hash >> 56];
}

/* Caller holds the lock. */
static trace_name *find(trace *self, const void *handle)
{
	trace_name *name = *bucket(self, handle);

	while (name && (name->handle != handle || name->destroyed))
		name = name->next;
	return name;
}

plait_status plaitp_trace_name_add(trace *self, const void *handle,
				   uint32_t device, bool queue,
				   const char *label, plait_error *error)
{
	trace_name *name = forward_resize(&self->base, NULL, 0, sizeof(*name));
	trace_name **home = bucket(self, handle);

	if (!name)
		return self->base.services->fail(error, PLAIT_E_NOMEM, 0,
						 "trace: no memory");
	memset(name, 0, sizeof(*name));
	name->handle = handle;
	name->device = device;
	name->queue = queue;
	if (label)
		snprintf(name->label, sizeof(name->label), "%s", label);
	pthread_mutex_lock(&self->lock);
	name->number = queue ? ++self->queue_number : ++self->signal_number;
	name->next = *home;
	*home = name;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

void plaitp_trace_name_retire(trace *self, const void *handle)
{
	trace_name **link = bucket(self, handle);
	trace_name *name;

	pthread_mutex_lock(&self->lock);
	name = find(self, handle);
	if (name && name->queue) {
		name->destroyed = true;
	} else if (name) {
		/* Signals have no track in the file, so their entries are
		 * freed. */
		while (*link != name)
			link = &(*link)->next;
		*link = name->next;
		forward_resize(&self->base, name, sizeof(*name), 0);
	}
	pthread_mutex_unlock(&self->lock);
}

void plaitp_trace_name_label(trace *self, const void *handle,
			     const char *label)
{
	trace_name *name;

	pthread_mutex_lock(&self->lock);
	name = find(self, handle);
	if (name)
		snprintf(name->label, sizeof(name->label), "%s", label);
	pthread_mutex_unlock(&self->lock);
}

trace_name plaitp_trace_name_get(trace *self, const void *handle)
{
	trace_name copy = { .number = 0 };
	const trace_name *name;

	pthread_mutex_lock(&self->lock);
	name = find(self, handle);
	if (name)
		copy = *name;
	pthread_mutex_unlock(&self->lock);
	return copy;
}

trace_name *plaitp_trace_name_find(trace *self, const void *handle)
{
	trace_name *name;

	pthread_mutex_lock(&self->lock);
	name = find(self, handle);
	pthread_mutex_unlock(&self->lock);
	return name;
}

uint64_t plaitp_trace_name_number(trace *self, const void *handle)
{
	const trace_name *name;
	uint64_t number;

	pthread_mutex_lock(&self->lock);
	name = find(self, handle);
	number = name ? name->number : 0;
	pthread_mutex_unlock(&self->lock);
	return number;
}

void plaitp_trace_name_free_all(trace *self)
{
	for (uint32_t i = 0; i < TRACE_BUCKETS; i++)
		while (self->names[i]) {
			trace_name *name = self->names[i];

			self->names[i] = name->next;
			forward_resize(&self->base, name, sizeof(*name), 0);
		}
}
