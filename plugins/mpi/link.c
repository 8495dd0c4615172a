/* SPDX-License-Identifier: MIT */
/*
 * Halves of links: create, destroy, view.
 *
 * The receiving half chooses the tag and tells it to the peer with a LINK
 * record, once its receives are posted.  A sending half that the world has
 * destroyed stays until what was filled is sent, says END with the number of
 * slots, and waits for the last credit; the receiving half stays until it has
 * received as many and said so.  No request is left then but receives that
 * nothing will match.
 */
#include <string.h>

#include "port.h"

enum {
	LINE_BYTES = 128,
	HEADER_BYTES = 4 * LINE_BYTES,
	LINK_TAGS = 3 /* slots, credits, lent memory */
};

static plait_status check_request(const plait_backend_port *port,
				  const plait_link_request *request,
				  plait_error *error)
{
	if (request->peer < (uint32_t)port->base->ranks &&
	    request->direction <= PLAIT_LINK_RECEIVE && request->depth > 0 &&
	    (request->depth & (request->depth - 1)) == 0 &&
	    request->depth <= 1 << 16 && request->slot_bytes <= SLOT_MOST)
		return PLAIT_OK;
	return plaitp_driven_fail(port->self->driven.services, error,
				  PLAIT_E_INVALID, 0, MPI_PLUGIN_NAME ": a "
				  "link with rank %u of %d, depth %u, slots "
				  "of %llu bytes; a depth is a power of two "
				  "up to 65536, a slot has %d bytes at most",
				  request->peer,
				  port->base->ranks, request->depth,
				  (unsigned long long)request->slot_bytes,
				  SLOT_MOST);
}

/* Counters on cache lines of their own, then the slots. */
static bool map_slots(struct plait_backend_link *link)
{
	link->stride = (sizeof(plait_link_slot) + link->slot_bytes + 63) / 64 *
		       64;
	link->memory_bytes = HEADER_BYTES + link->depth * link->stride;
	link->memory = plaitp_mpi_map(link->memory_bytes);
	if (link->memory == NULL)
		return false;
	link->ready = (uint64_t *)(void *)link->memory;
	link->taken = (uint64_t *)(void *)(link->memory + LINE_BYTES);
	link->lent = (uint64_t *)(void *)(link->memory + 2 * LINE_BYTES);
	link->credit_words = (uint64_t *)(void *)(link->memory +
						  3 * LINE_BYTES);
	link->slots = link->memory + HEADER_BYTES;
	return true;
}

static uint64_t count_bytes(uint32_t depth)
{
	return sizeof(struct plait_backend_link) +
	       depth * (sizeof(struct mpi_loan) + sizeof(MPI_Request));
}

/* With more ranks than CPUs a pump may be a time slice away. */
static bool has_few_receives(const plait_link_request *request)
{
#ifdef OPEN_MPI
	return !(request->flags & PLAIT_LINK_CROWDED);
#else
	(void)request;
	return false;
#endif
}

static struct plait_backend_link *make(plait_backend_port *port,
				       const plait_link_request *request)
{
	const plait_host_services *services = port->self->driven.services;
	plait_host *host = port->self->driven.host;
	uint64_t bytes = count_bytes(request->depth);
	struct plait_backend_link *link = services->resize(host, NULL, 0,
							   bytes);
	uint32_t i;

	if (link == NULL)
		return NULL;
	memset(link, 0, sizeof(*link));
	link->port = port;
	link->direction = request->direction;
	link->peer = request->peer;
	link->number = request->number;
	link->depth = request->depth;
	link->slot_bytes = request->slot_bytes;
	link->has_few_receives = has_few_receives(request);
	link->loans = (struct mpi_loan *)(void *)(link + 1);
	link->requests = (MPI_Request *)(void *)(link->loans + link->depth);
	for (i = 0; i < link->depth; i++) {
		link->requests[i] = port->mpi->no_request;
		link->loans[i] = (struct mpi_loan){
			.head = port->mpi->no_request
		};
	}
	if (!map_slots(link)) {
		services->resize(host, link, bytes, 0);
		return NULL;
	}
	link->is_broken = plaitp_mpi_is_lost(port, link->peer);
	return link;
}

/* Post the receives, then tell the peer. */
static plait_status announce(struct plait_backend_link *link,
			     plait_error *error)
{
	plait_backend_port *port = link->port;
	uint32_t index = plaitp_mpi_process_next_link();
	struct mpi_record record;

	if (index >= (port->base->tags - MAIL_TAGS) / LINK_TAGS)
		return plaitp_driven_fail(port->self->driven.services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  MPI_PLUGIN_NAME ": the process has "
					  "made %u links, and MPI has no tag "
					  "for another one", index);
	link->tag = MAIL_TAGS + LINK_TAGS * index;
	link->is_connected = true;
	plaitp_mpi_stream_advance(link);
	memset(&record, 0, offsetof(struct mpi_record, body));
	record.kind = RECORD_LINK;
	record.tag = link->tag;
	record.number = link->number;
	record.slot_bytes = link->slot_bytes;
	record.depth = link->depth;
	return plaitp_mpi_record_send(port, link->peer, &record, error);
}

plait_status plaitp_mpi_link_create(plait_backend_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out,
				    plait_error *error)
{
	plait_status status = check_request(port, request, error);
	struct plait_backend_link *link;
	struct mpi_record record;

	if (status != PLAIT_OK)
		return status;
	link = make(port, request);
	if (link == NULL)
		return plaitp_driven_fail(port->self->driven.services, error,
					  PLAIT_E_NOMEM, 0, MPI_PLUGIN_NAME
					  ": no memory for %u slots of %llu "
					  "bytes", request->depth,
					  (unsigned long long)
					  request->slot_bytes);
	link->next = port->links;
	port->links = link;
	status = plaitp_mpi_places_take(port, link, error);
	if (status == PLAIT_OK && link->direction == PLAIT_LINK_RECEIVE)
		status = announce(link, error);
	else if (status == PLAIT_OK &&
		 plaitp_mpi_record_find(port, link->peer, link->number,
					&record))
		plaitp_mpi_stream_connect(link, &record);
	if (status != PLAIT_OK) {
		plaitp_mpi_link_free(link);
		return status;
	}
	*out = link;
	return PLAIT_OK;
}

/* Returns true if MPI has let go of the memory.  A request that does not settle is
 * dropped from the table, whose place may be given to another link. */
static bool settle_requests(struct plait_backend_link *link)
{
	bool receives = link->direction == PLAIT_LINK_RECEIVE, out = true;
	plait_backend_port *port = link->port;
	uint32_t i;

	if (!plaitp_mpi_settle(port, plaitp_mpi_slot_request(link), receives))
		out = false;
	if (!plaitp_mpi_settle(port, plaitp_mpi_credit_request(link),
			       !receives))
		out = false;
	for (i = 0; i < link->depth; i++) {
		if (!plaitp_mpi_settle(port, &link->requests[i], receives))
			out = false;
		if (!plaitp_mpi_settle(port, &link->loans[i].head, receives))
			out = false;
	}
	*plaitp_mpi_slot_request(link) = port->mpi->no_request;
	*plaitp_mpi_credit_request(link) = port->mpi->no_request;
	return out;
}

void plaitp_mpi_link_free(plait_backend_link *link)
{
	plait_backend_port *port = link->port;
	struct plait_backend_link **place = &port->links;
	bool has_place = link->place < port->room &&
			 port->places[link->place] == link;

	while (*place != link)
		place = &(*place)->next;
	*place = link->next;
	if (!has_place || settle_requests(link))
		plaitp_mpi_unmap(link->memory, link->memory_bytes);
	if (has_place)
		port->places[link->place] = NULL;
	port->self->driven.services->resize(port->self->driven.host, link,
					    count_bytes(link->depth), 0);
}

void plaitp_mpi_link_destroy(plait_backend_link *link)
{
	link->is_destroyed = true;
	if (plaitp_mpi_is_initialized(link->port->mpi))
		plaitp_mpi_stream_advance(link);
}

/* --- both halves ---------------------------------------------------------- */

plait_link_slot *plaitp_mpi_link_slot(const plait_backend_link *link,
				      uint64_t index)
{
	return (plait_link_slot *)(void *)(link->slots + index % link->depth *
					   link->stride);
}

void plaitp_mpi_link_lose(plait_backend_link *link, const char *what, int code)
{
	char text[200];

	plaitp_mpi_explain(link->port->mpi, code, text, sizeof(text));
	plaitp_mpi_lose(link->port, link->peer, "link %llu, %s: %s",
			(unsigned long long)link->number, what, text);
}
