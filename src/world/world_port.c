/* SPDX-License-Identifier: MIT */
/* Calls of the slots of ports, and checks of their results. */
#include "world/world_port.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plugin/load.h"

#include <string.h>

static plait_backend_table *table_of(const plait__world_port *port)
{
	return &port->transport->backend.table;
}

static plait_backend *self_of(const plait__world_port *port)
{
	return port->transport->backend.self;
}

/* Turn what a slot returned into a valid status, and copy its text. */
static plait_status check(const plait__world_port *port, plait_status status,
			  const char *slot, plait_error *room,
			  plait_error *error)
{
	if (status == PLAIT_OK)
		return status;
	status = plait__load_check_status(status, port->name, slot, room);
	plait__error_copy(error, room);
	return status;
}

/* ---- opening ---- */

plait_status plait__world_port_load(plait__world_port *port,
				    plait__registry *registry,
				    const char *name, plait_error *error)
{
	plait_status status;

	status = plait__transport_open(registry, name, &port->transport, error);
	if (status != PLAIT_OK)
		return status;
	port->registry = registry;
	port->name = port->transport->backend.name;
	return PLAIT_OK;
}

/* Facts of a port that others rely on. */
static plait_status check_info(const plait__world_port *port,
			       plait_error *error)
{
	const plait_port *info = &port->info;
	const char *wrong = NULL;

	if (info->mail_bytes < PLAIT__WORLD_MAIL_BYTES)
		wrong = "mail_bytes";
	else if (info->address_bytes > sizeof(info->address))
		wrong = "address_bytes";
	else if ((info->flags & PLAIT_PORT_KNOWS_RANKS) &&
		 info->rank >= info->ranks)
		wrong = "rank";
	if (wrong == NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INTERNAL,
			   "plugin %s: port_query returned a wrong %s",
			   port->name, wrong);
}

plait_status plait__world_port_open(plait__world_port *port,
				    const plait_port_request *request,
				    plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->port_open(self_of(port), request, &port->raw,
					   &room);
	if (status != PLAIT_OK)
		port->raw = NULL;
	status = check(port, status, "port_open", &room, error);
	if (status == PLAIT_OK && port->raw == NULL)
		status = plait__fail(error, PLAIT_E_INTERNAL,
				     "plugin %s: port_open returned no port",
				     port->name);
	memset(&port->info, 0, sizeof(port->info));
	port->info.size = sizeof(port->info);
	if (status == PLAIT_OK) {
		status = table_of(port)->port_query(self_of(port), port->raw,
						    &port->info, &room);
		status = check(port, status, "port_query", &room, error);
	}
	plait__mutex_unlock(&port->transport->lock);
	if (status == PLAIT_OK)
		status = check_info(port, error);
	if (status != PLAIT_OK)
		return status;
	port->room = plait__alloc(port->allocator, port->info.mail_bytes);
	return port->room != NULL ? PLAIT_OK :
		       plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for mail of transport %s",
				   port->name);
}

void plait__world_port_close(plait__world_port *port)
{
	if (port->raw != NULL) {
		plait__mutex_lock(&port->transport->lock);
		table_of(port)->port_close(self_of(port), port->raw);
		plait__mutex_unlock(&port->transport->lock);
	}
	if (port->transport != NULL)
		plait__transport_close(port->registry, port->transport);
	plait__free(port->allocator, port->room, port->info.mail_bytes);
	port->raw = NULL;
	port->transport = NULL;
	port->room = NULL;
}

/* ---- mail ---- */

plait_status plait__world_port_send(const plait__world_port *port,
				    uint32_t peer, const void *bytes,
				    uint64_t count, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->mail_send(self_of(port), port->raw, peer,
					   bytes, count, &room);
	plait__mutex_unlock(&port->transport->lock);
	return check(port, status, "mail_send", &room, error);
}

plait_status plait__world_port_next(const plait__world_port *port,
				    uint32_t *out_peer,
				    unsigned char out[PLAIT__WORLD_MAIL_BYTES],
				    uint64_t *out_bytes, plait_error *error)
{
	plait_error record = { .size = sizeof(record) };
	plait_status status;

	*out_bytes = 0;
	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->mail_next(self_of(port), port->raw, out_peer,
					   port->room, port->info.mail_bytes,
					   out_bytes, &record);
	/* A longer record is none of a world's: its beginning tells. */
	if (*out_bytes > PLAIT__WORLD_MAIL_BYTES)
		*out_bytes = PLAIT__WORLD_MAIL_BYTES;
	if (status == PLAIT_OK)
		memcpy(out, port->room, *out_bytes);
	plait__mutex_unlock(&port->transport->lock);
	if (status == PLAIT_PENDING)
		return status;
	return check(port, status, "mail_next", &record, error);
}

void plait__world_port_pump(const plait__world_port *port)
{
	plait_error room = { .size = sizeof(room) };

	if (!(port->info.flags & PLAIT_PORT_NEEDS_PUMP) ||
	    !plait__mutex_trylock(&port->transport->lock))
		return;
	/* A failure shows in the slots that wait for progress. */
	(void)table_of(port)->pump(self_of(port), &room);
	plait__mutex_unlock(&port->transport->lock);
}

/* ---- links ---- */

static plait_status read_view(const plait__world_port *port,
			      const plait_link_request *request,
			      const plait_link_view *view,
			      plait__slot_link *link, plait_error *error)
{
	bool bells = view->bell != NULL && view->sleeping != NULL &&
		     view->peer_bell != NULL && view->peer_sleeping != NULL;

	if (view->slots == NULL || view->ready == NULL || view->taken == NULL ||
	    view->depth != request->depth || view->stride % 64 != 0 ||
	    view->stride < sizeof(plait_link_slot) + request->slot_bytes)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: link_view returned a view that "
				   "is not what was requested", port->name);
	*link = (plait__slot_link){
		.ready = (at_u64 *)view->ready, .taken = (at_u64 *)view->taken,
		.slots = view->slots, .stride = view->stride,
		.depth = view->depth, .peer = request->peer,
		.lent = (at_u64 *)view->lent, .port = port,
		.bell = bells ? (at_u32 *)view->bell : NULL,
		.sleeping = bells ? (at_u32 *)view->sleeping : NULL,
		.peer_bell = bells ? (at_u32 *)view->peer_bell : NULL,
		.peer_sleeping = bells ? (at_u32 *)view->peer_sleeping : NULL,
	};
	return PLAIT_OK;
}

bool plait__world_port_lend(const plait__slot_link *link, const void *memory,
			    uint64_t bytes)
{
	const plait__world_port *port = link->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->link_lend(self_of(port), link->raw,
					   (void *)(uintptr_t)memory, bytes,
					   &room);
	plait__mutex_unlock(&port->transport->lock);
	return status == PLAIT_OK;
}

plait_status plait__world_port_reclaim(const plait__slot_link *link)
{
	const plait__world_port *port = link->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->link_reclaim(self_of(port), link->raw, &room);
	plait__mutex_unlock(&port->transport->lock);
	return status;
}

/* ---- shared memory ---- */

plait_status plait__world_port_share(const plait__world_port *port,
				     uint64_t bytes, void **out,
				     uint64_t *out_place, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	*out = NULL;
	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->shared_create(self_of(port), port->raw, bytes,
					       out, out_place, &room);
	plait__mutex_unlock(&port->transport->lock);
	status = check(port, status, "shared_create", &room, error);
	if (status == PLAIT_OK && (*out == NULL || *out_place == 0))
		status = plait__fail(error, PLAIT_E_INTERNAL,
				     "plugin %s: shared_create returned no "
				     "memory", port->name);
	return status;
}

void plait__world_port_unshare(const plait__world_port *port, void *memory,
			       uint64_t place, uint64_t bytes)
{
	plait__mutex_lock(&port->transport->lock);
	table_of(port)->shared_destroy(self_of(port), port->raw, memory, place,
				       bytes);
	plait__mutex_unlock(&port->transport->lock);
}

const unsigned char *plait__world_port_map(const plait__slot_link *link,
					   uint64_t place, uint64_t bytes)
{
	const plait__world_port *port = link->port;
	plait_error room = { .size = sizeof(room) };
	const void *memory = NULL;
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->shared_map(self_of(port), port->raw,
					    link->peer, place, bytes, &memory,
					    &room);
	plait__mutex_unlock(&port->transport->lock);
	return status == PLAIT_OK ? memory : NULL;
}

void plait__world_port_unmap(const plait__slot_link *link,
			     const unsigned char *memory, uint64_t bytes)
{
	const plait__world_port *port = link->port;

	plait__mutex_lock(&port->transport->lock);
	table_of(port)->shared_unmap(self_of(port), port->raw, memory, bytes);
	plait__mutex_unlock(&port->transport->lock);
}

/* ---- ends of links ---- */

void plait__world_port_unlink(const plait__world_port *port,
			      plait_backend_link *raw)
{
	if (raw == NULL)
		return;
	plait__mutex_lock(&port->transport->lock);
	table_of(port)->link_destroy(self_of(port), raw);
	plait__mutex_unlock(&port->transport->lock);
}

plait_status plait__world_port_link(const plait__world_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out_raw,
				    plait__slot_link *link, plait_error *error)
{
	plait_link_view view = { .size = sizeof(view) };
	plait_error room = { .size = sizeof(room) };
	plait_backend_link *raw = NULL;
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->link_create(self_of(port), port->raw, request,
					     &raw, &room);
	if (status != PLAIT_OK)
		raw = NULL;
	*out_raw = raw;
	if (raw != NULL)
		status = table_of(port)->link_view(self_of(port), raw, &view,
						   &room);
	plait__mutex_unlock(&port->transport->lock);
	if (status == PLAIT_PENDING && raw == NULL)
		return status;
	status = check(port, status, "link_create or link_view", &room, error);
	if (status == PLAIT_OK)
		status = read_view(port, request, &view, link, error);
	link->raw = raw;
	if (status != PLAIT_OK) {
		plait__world_port_unlink(port, raw);
		*out_raw = NULL;
	}
	return status;
}

plait_status plait__world_port_check_peer(const plait__world_port *port,
					  uint32_t peer, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	plait__mutex_lock(&port->transport->lock);
	status = table_of(port)->peer_query(self_of(port), port->raw, peer,
					    &room);
	plait__mutex_unlock(&port->transport->lock);
	return check(port, status, "peer_query", &room, error);
}
