/* SPDX-License-Identifier: MIT */
/* Memory of ports that peers read, and mappings of it. */
#include "port.h"

/* Memory of the port, or a mapping of a peer's. */
struct check_shared {
	check_shared *next;
	const void *memory;
	uint64_t place; /* 0: a mapping */
	uint64_t bytes;
};

static plait_status refuse(check *self, plait_error *error)
{
	plait_status status = plaitp_check_report_error(self, error);

	self->in_ports = false;
	plaitp_check_leave(self);
	return status;
}

static check_shared *add(check *self, check_port *port)
{
	check_shared *shared = self->services->resize(self->host, NULL, 0,
						      sizeof(*shared));

	if (!shared)
		return NULL;
	*shared = (check_shared){ .next = port->shared };
	port->shared = shared;
	return shared;
}

/* Caller holds the lock. */
static void drop(check *self, check_port *port, check_shared *shared)
{
	check_shared **at = &port->shared;

	while (*at != shared)
		at = &(*at)->next;
	*at = shared->next;
	self->services->resize(self->host, shared, sizeof(*shared), 0);
}

static check_shared *find(check_port *port, const void *memory, uint64_t place,
			  uint64_t bytes)
{
	check_shared *at = port->shared;

	while (at && (at->memory != memory || at->place != place ||
		      at->bytes != bytes))
		at = at->next;
	return at;
}

/* Returns a description of an impossible answer, or null. */
static const char *find_fault(const check_port *port, const void *memory,
			      uint64_t place)
{
	if (!memory || (uintptr_t)memory % 4096 != 0)
		return "its memory is null, or not aligned to 4096";
	if (place == 0)
		return "its place is 0";
	for (const check_shared *at = port->shared; at; at = at->next)
		if (at->place == place)
			return "its place is that of other memory";
	return NULL;
}

/* Note what the backend has made; null memory: nothing. */
static void note(check_shared *shared, const void *memory, uint64_t place,
		 uint64_t bytes)
{
	shared->memory = memory;
	shared->place = place;
	shared->bytes = bytes;
}

static bool can_share(const check_port *port)
{
	return port->facts.size == 0 ||
		(port->facts.flags & PLAIT_PORT_SHARES_MEMORY);
}

plait_status plaitp_check_shared_create(plait_backend *backend,
					plait_backend_port *handle,
					uint64_t bytes, void **out,
					uint64_t *out_place,
					plait_error *error)
{
	static const char slot[] = "shared_create";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	check_shared *shared;
	const char *fault = NULL;
	plait_status status;

	*out = NULL;
	if (!port)
		return PLAIT_E_INTERNAL;
	if (bytes == 0 || !can_share(port)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "shares %llu bytes of a port of flags 0x%x "
				    "(P-N12)", (unsigned long long)bytes,
				    port->facts.flags);
		return refuse(self, error);
	}
	shared = add(self, port);
	plaitp_check_leave(self);
	if (shared)
		status = self->inner_table->shared_create(
			self->inner, port->inner, bytes, out, out_place, &mine);
	else
		status = self->services->fail(&mine, PLAIT_E_NOMEM, 0,
					      "check: no memory");
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK)
		fault = find_fault(port, *out, *out_place);
	if (fault)
		plaitp_check_report(self, CHECK_BACKEND, slot, "%s (P-N16)",
				    fault);
	if (status == PLAIT_OK)
		note(shared, *out, *out_place, bytes);
	else if (shared)
		drop(self, port, shared);
	pthread_mutex_unlock(&self->lock);
	plaitp_check_port_end(self);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}

/* Begin a slot that ends memory or a mapping; false after a report. */
static bool end(check *self, const char *slot, check_port *port,
		const void *memory, uint64_t place, uint64_t bytes)
{
	check_shared *shared = find(port, memory, place, bytes);

	if (!shared) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "the port has no such memory, or mapping, of "
				    "%llu bytes (P-N12)",
				    (unsigned long long)bytes);
		(void)refuse(self, NULL);
		return false;
	}
	drop(self, port, shared);
	plaitp_check_leave(self);
	return true;
}

void plaitp_check_shared_destroy(plait_backend *backend,
				 plait_backend_port *handle, void *memory,
				 uint64_t place, uint64_t bytes)
{
	static const char slot[] = "shared_destroy";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, NULL);

	if (!port || !end(self, slot, port, memory, place, bytes))
		return;
	self->inner_table->shared_destroy(self->inner, port->inner, memory,
					  place, bytes);
	plaitp_check_port_end(self);
}

plait_status plaitp_check_shared_map(plait_backend *backend,
				     plait_backend_port *handle, uint32_t peer,
				     uint64_t place, uint64_t bytes,
				     const void **out, plait_error *error)
{
	static const char slot[] = "shared_map";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	check_shared *shared;
	plait_status status;

	*out = NULL;
	if (!port)
		return PLAIT_E_INTERNAL;
	if (port->facts.size && peer >= port->facts.ranks) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "maps memory of rank %u of %u", peer,
				    port->facts.ranks);
		return refuse(self, error);
	}
	shared = add(self, port);
	plaitp_check_leave(self);
	if (shared)
		status = self->inner_table->shared_map(
			self->inner, port->inner, peer, place, bytes, out,
			&mine);
	else
		status = self->services->fail(&mine, PLAIT_E_NOMEM, 0,
					      "check: no memory");
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !*out)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without memory (P-N16)");
	if (status == PLAIT_OK)
		note(shared, *out, 0, bytes);
	else if (shared)
		drop(self, port, shared);
	pthread_mutex_unlock(&self->lock);
	plaitp_check_port_end(self);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}

void plaitp_check_shared_unmap(plait_backend *backend,
			       plait_backend_port *handle, const void *memory,
			       uint64_t bytes)
{
	static const char slot[] = "shared_unmap";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, NULL);

	if (!port || !end(self, slot, port, memory, 0, bytes))
		return;
	self->inner_table->shared_unmap(self->inner, port->inner, memory,
					bytes);
	plaitp_check_port_end(self);
}
