/* SPDX-License-Identifier: MIT */
/* Slots of ports and of mail. */
#include <string.h>

#include "port.h"

/* --- helpers */

void plaitp_check_port_claim(check *self, const char *slot)
{
	if (self->in_ports)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "two threads are in slots of ports "
				    "(P-N12)");
	self->in_ports = true;
}

void plaitp_check_port_begin(check *self, const char *slot)
{
	plaitp_check_enter(self, slot);
	plaitp_check_port_claim(self, slot);
}

void plaitp_check_port_end(check *self)
{
	pthread_mutex_lock(&self->lock);
	self->in_ports = false;
	pthread_mutex_unlock(&self->lock);
}

/* Ends a slot of ports; returns the backend's result, checked. */
static plait_status finish(check *self, const char *slot, plait_status status,
			   bool may_pend, const plait_error *mine,
			   plait_error *error)
{
	plaitp_check_port_end(self);
	return plaitp_check_result(self, slot, status, may_pend, mine, error);
}

static plait_status refuse(check *self, plait_error *error)
{
	plait_status status = plaitp_check_report_error(self, error);

	self->in_ports = false;
	plaitp_check_leave(self);
	return status;
}

check_port *plaitp_check_port_enter(check *self, const char *slot,
				    const plait_backend_port *handle,
				    plait_error *error)
{
	check_port *port;

	plaitp_check_port_begin(self, slot);
	port = plaitp_check_find(self, slot, CHECK_PORT, handle);
	if (!port) {
		(void)refuse(self, error);
		return NULL;
	}
	plaitp_check_link_look(self, slot, port);
	return port;
}

/* --- life */

/* Report impossible properties; `now` is complete. */
static void check_facts(check *self, const char *slot, const plait_port *now)
{
	const uint32_t known = PLAIT_PORT_KNOWS_RANKS | PLAIT_PORT_NEEDS_PUMP |
		PLAIT_PORT_SAME_MACHINE | PLAIT_PORT_SAME_PROCESS |
		PLAIT_PORT_SHARES_MEMORY;

	if (now->ranks == 0 || now->rank >= now->ranks)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "it is rank %u of %u (P-N01)", now->rank,
				    now->ranks);
	if (now->mail_bytes < 256 || now->slot_bytes == 0 ||
	    now->address_bytes > sizeof(now->address) ||
	    (now->flags & ~known) != 0)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "it has mail of %u bytes, slots of %llu, an "
				    "address of %u and flags 0x%x (P-N01)",
				    now->mail_bytes,
				    (unsigned long long)now->slot_bytes,
				    now->address_bytes, now->flags);
	if ((now->flags & PLAIT_PORT_NEEDS_PUMP) && !self->inner_table->pump)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "it needs a pump, which is null (P-N01)");
}

plait_status plaitp_check_port_open(plait_backend *backend,
				    const plait_port_request *request,
				    plait_backend_port **out,
				    plait_error *error)
{
	static const char slot[] = "port_open";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_port *inner = NULL;
	check_port *port = NULL;
	plait_status status;

	*out = NULL;
	plaitp_check_port_begin(self, slot);
	if (request->size < sizeof(*request) ||
	    (request->ranks != 0 && request->rank >= request->ranks)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "the request is too short, or it is rank "
				    "%u of %u", request->rank, request->ranks);
		return refuse(self, error);
	}
	port = plaitp_check_add(self, CHECK_PORT, sizeof(*port));
	plaitp_check_leave(self);
	if (!port)
		status = self->services->fail(&mine, PLAIT_E_NOMEM, 0,
					      "check: no memory for a port");
	else if (!self->inner_table->port_open)
		status = self->services->fail(&mine, PLAIT_E_UNSUPPORTED, 0,
					      "this backend is no transport");
	else
		status = self->inner_table->port_open(self->inner, request,
						      &inner, &mine);
	status = finish(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without a port (P-N02)");
		status = plaitp_check_report_error(self, error);
	}
	if (port && status != PLAIT_OK)
		plaitp_check_retire(self, &port->object);
	else if (port)
		port->inner = inner;
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = port;
	return status;
}

void plaitp_check_port_close(plait_backend *backend, plait_backend_port *handle)
{
	static const char slot[] = "port_close";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, NULL);

	if (!port)
		return;
	/* The backend would keep links of a port that is gone. */
	if (port->links) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "link %llu of the port was not destroyed "
				    "(P-N12)",
				    (unsigned long long)port->links->number);
		(void)refuse(self, NULL);
		return;
	}
	if (port->shared) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "memory of the port, or a mapping, was not "
				    "destroyed (P-N12)");
		(void)refuse(self, NULL);
		return;
	}
	plaitp_check_retire(self, &port->object);
	plaitp_check_leave(self);
	self->inner_table->port_close(self->inner, port->inner);
	plaitp_check_port_end(self);
}

plait_status plaitp_check_port_query(plait_backend *backend,
				     plait_backend_port *handle,
				     plait_port *out, plait_error *error)
{
	static const char slot[] = "port_query";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_port now = { .size = sizeof(now) };
	plait_status status;

	if (!port)
		return PLAIT_E_INTERNAL;
	plaitp_check_leave(self);
	status = self->inner_table->port_query(self->inner, port->inner, &now,
					       &mine);
	now.size = out->size < sizeof(now) ? out->size : sizeof(now);
	memcpy(out, &now, now.size);
	pthread_mutex_lock(&self->lock);
	now.size = sizeof(now);
	if (status == PLAIT_OK && port->facts.size == 0) {
		check_facts(self, slot, &now);
		port->facts = now;
	} else if (status == PLAIT_OK &&
		   memcmp(&now, &port->facts, sizeof(now)) != 0) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "answers differ from before (P-N01)");
	}
	pthread_mutex_unlock(&self->lock);
	return finish(self, slot, status, false, &mine, error);
}

/* --- mail */

static bool is_peer(const check_port *port, uint32_t peer)
{
	return port->facts.size == 0 || peer < port->facts.ranks;
}

plait_status plaitp_check_mail_send(plait_backend *backend,
				    plait_backend_port *handle, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error)
{
	static const char slot[] = "mail_send";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_status status;

	if (!port)
		return PLAIT_E_INTERNAL;
	if (!is_peer(port, peer) || !bytes || count == 0 ||
	    (port->facts.size && count > port->facts.mail_bytes)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "sends %llu bytes to rank %u; 1 to %u to "
				    "one of %u ranks are possible (P-N03)",
				    (unsigned long long)count, peer,
				    port->facts.mail_bytes, port->facts.ranks);
		return refuse(self, error);
	}
	plaitp_check_leave(self);
	status = self->inner_table->mail_send(self->inner, port->inner, peer,
					      bytes, count, &mine);
	return finish(self, slot, status, false, &mine, error);
}

plait_status plaitp_check_mail_next(plait_backend *backend,
				    plait_backend_port *handle,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error)
{
	static const char slot[] = "mail_next";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_status status;

	if (!port)
		return PLAIT_E_INTERNAL;
	if (!buffer || (port->facts.size &&
			capacity < port->facts.mail_bytes)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "the buffer has %llu bytes, mail up to %u "
				    "(P-N03)", (unsigned long long)capacity,
				    port->facts.mail_bytes);
		return refuse(self, error);
	}
	plaitp_check_leave(self);
	status = self->inner_table->mail_next(self->inner, port->inner,
					      out_peer, buffer, capacity,
					      out_bytes, &mine);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && (!is_peer(port, *out_peer) ||
				   *out_bytes == 0 || *out_bytes > capacity))
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "there is mail of %llu bytes from rank %u "
				    "(P-N03)", (unsigned long long)*out_bytes,
				    *out_peer);
	pthread_mutex_unlock(&self->lock);
	return finish(self, slot, status, true, &mine, error);
}

plait_status plaitp_check_peer_query(plait_backend *backend,
				     plait_backend_port *handle, uint32_t peer,
				     plait_error *error)
{
	static const char slot[] = "peer_query";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_status status;

	if (!port)
		return PLAIT_E_INTERNAL;
	if (!is_peer(port, peer)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "asks for rank %u of %u", peer,
				    port->facts.ranks);
		return refuse(self, error);
	}
	plaitp_check_leave(self);
	status = self->inner_table->peer_query(self->inner, port->inner, peer,
					       &mine);
	return finish(self, slot, status, false, &mine, error);
}
