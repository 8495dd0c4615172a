/* SPDX-License-Identifier: MIT */
/*
 * Default slots of an interposer: each forwards its call to the wrapped
 * backend, with the backend's own handles.  The instance begins with a
 * `forward`.  An interposer overrides slots of the table; an override calls
 * its default through `plaitp_forward_slots`.
 */
#ifndef PLAIT_PLUGINS_FORWARD_H
#define PLAIT_PLUGINS_FORWARD_H

#include <stddef.h>

#include "plait/plugin.h"

typedef struct forward forward;

/* Number of a slot: its index among the pointers of the table. */
#define FORWARD_SLOT(slot)						\
	((offsetof(plait_backend_table, slot) -				\
	  offsetof(plait_backend_table, open)) / sizeof(void (*)(void)))

enum { FORWARD_SLOTS = FORWARD_SLOT(shared_unmap) + 1 };

struct forward {
	plait_host *host;
	const plait_host_services *services;
	const plait_backend_table *inner_table;
	plait_backend *inner;
	/* Called before each slot that can fail; a failure is returned and the
	 * call is not forwarded.  Null: every call is forwarded. */
	plait_status (*admit)(forward *self, uint32_t slot,
			      plait_error *error);
};

static inline forward *forward_of(plait_backend *self)
{
	return (forward *)(void *)self;
}

static inline void *forward_resize(const forward *self, void *pointer,
				   uint64_t old_bytes, uint64_t bytes)
{
	return self->services->resize(self->host, pointer, old_bytes, bytes);
}

static inline void forward_log(const forward *self, plait_log_level level,
			       const char *line)
{
	self->services->log(self->host, level, line);
}

/* Allocate a zeroed instance of `bytes` bytes and fill its `forward`; null
 * if there is no memory. */
void *plaitp_forward_create(plait_host *host,
			    const plait_host_services *services,
			    const plait_backend_table *inner_table,
			    plait_backend *inner, uint64_t bytes,
			    plait_error *error);

extern const plait_backend_table plaitp_forward_slots;

/* Fill `table` with the defaults under the interposer's name.  The caller adds
 * `wrap` and `close`. */
plait_status plaitp_forward_entry(const plait_host_services *services,
				  const char *name, plait_backend_table *table,
				  plait_error *error);

#endif
