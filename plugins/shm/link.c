/* SPDX-License-Identifier: MIT */
/* Halves of links: the receiver makes the slots, the sender maps them. */
#include <string.h>

#include "shm.h"

static plait_status check_request(plait_backend_port *port,
				  const plait_link_request *request,
				  plait_error *error)
{
	const plait_backend_link *link;

	if (request->peer >= port->ranks || request->direction > 1 ||
	    request->depth == 0 ||
	    (request->depth & (request->depth - 1)) != 0 ||
	    request->slot_bytes == 0 ||
	    request->slot_bytes > SHM_MAX_SLOT_BYTES)
		return plaitp_shm_fail(
			port->self, error, PLAIT_E_INVALID,
			"link %llu: rank %u of %u, direction %u, %u slots of "
			"%llu bytes; a power of two of slots, of 1 byte to "
			"1 GiB, is possible",
			(unsigned long long)request->number, request->peer,
			port->ranks, request->direction, request->depth,
			(unsigned long long)request->slot_bytes);
	for (link = port->links; link; link = link->next)
		if (link->direction == request->direction &&
		    link->peer == request->peer &&
		    link->number == request->number)
			return plaitp_shm_fail(
				port->self, error, PLAIT_E_INVALID,
				"link %llu %s rank %u exists already",
				(unsigned long long)request->number,
				request->direction == PLAIT_LINK_SEND ?
				"to" : "from", request->peer);
	return PLAIT_OK;
}

static plait_status measure(plait_backend_link *link,
			    const plait_link_request *request,
			    plait_error *error)
{
	uint64_t bytes;

	link->stride = sizeof(plait_link_slot) +
		(request->slot_bytes + 63) / 64 * 64;
	if (__builtin_mul_overflow(link->stride, request->depth, &bytes) ||
	    bytes > SHM_MAX_LINK_BYTES)
		return plaitp_shm_fail(link->port->self, error, PLAIT_E_NOMEM,
				       "link %llu: %u slots of %llu bytes are "
				       "too much",
				       (unsigned long long)request->number,
				       request->depth,
				       (unsigned long long)
				       request->slot_bytes);
	bytes += sizeof(struct shm_region);
	link->region_bytes = (bytes + SHM_PAGE - 1) / SHM_PAGE * SHM_PAGE;
	return PLAIT_OK;
}

static plait_status fail_map(plait_backend_link *link, plait_error *error)
{
	return plaitp_shm_fail(link->port->self, error, PLAIT_E_NOMEM,
			       "mapping %llu bytes of a link",
			       (unsigned long long)link->region_bytes);
}

/* A port with many links leaves pages to the messages that use them. */
static void populate(plait_backend_link *link)
{
	plait_backend_port *port = link->port;

	if (link->region_bytes > SHM_POPULATE_BYTES - port->populated)
		return;
	link->populated = true;
	port->populated += link->region_bytes;
	plaitp_shm_segment_populate(link->region, link->region_bytes);
}

static plait_status make_receiver(plait_backend_link *link,
				  const plait_link_request *request,
				  plait_error *error)
{
	plait_backend_port *port = link->port;
	plait_status status = plaitp_shm_place_take(port, link->region_bytes,
						    &link->place, error);

	if (status != PLAIT_OK)
		return status;
	link->region = plaitp_shm_segment_map(
		port->segment, port->places[link->place].offset,
		link->region_bytes);
	if (!link->region) {
		plaitp_shm_place_give_back(port, link->place);
		return fail_map(link, error);
	}
	populate(link);
	memset(link->region, 0, sizeof(*link->region));
	plaitp_shm_place_offer(port, link->place, request);
	return PLAIT_OK;
}

static struct shm_entry *entry_of(const plait_backend_link *link)
{
	const plait_backend_port *port = link->port;

	return plaitp_shm_segment_entry(port->peers[link->peer].base,
					port->ranks, link->place);
}

static plait_status make_sender(plait_backend_link *link,
				const plait_link_request *request,
				plait_error *error)
{
	plait_backend_port *port = link->port;
	uint64_t offset;
	plait_status status = plaitp_shm_place_accept(
		port, request, link->region_bytes, &link->place, &offset,
		error);

	if (status != PLAIT_OK)
		return status;
	link->region = plaitp_shm_segment_map(
		port->peers[request->peer].segment, offset,
		link->region_bytes);
	if (link->region) {
		populate(link);
		return PLAIT_OK;
	}
	plaitp_shm_place_refuse(entry_of(link));
	return fail_map(link, error);
}

static plait_status make(plait_backend_link *link,
			 const plait_link_request *request, plait_error *error)
{
	plait_status status = measure(link, request, error);

	if (status != PLAIT_OK)
		return status;
	link->direction = request->direction;
	link->peer = request->peer;
	link->number = request->number;
	link->depth = request->depth;
	return request->direction == PLAIT_LINK_RECEIVE ?
		make_receiver(link, request, error) :
		make_sender(link, request, error);
}

/* PLAIT_PENDING until the peer's port is there, and for a sender until the
 * receiver's half is. */
plait_status plaitp_shm_link_create(plait_backend *self,
				    plait_backend_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out,
				    plait_error *error)
{
	plait_status status = check_request(port, request, error);
	plait_backend_link *link;

	*out = NULL;
	if (status == PLAIT_OK)
		status = plaitp_shm_peer_reach(port, request->peer,
					       request->address,
					       request->address_bytes, error);
	if (status == PLAIT_OK)
		status = plaitp_shm_peer_query(self, port, request->peer,
					       error);
	if (status != PLAIT_OK)
		return status;
	link = plaitp_shm_allocate(self, sizeof(*link));
	if (!link)
		return plaitp_shm_fail(self, error, PLAIT_E_NOMEM,
				       "no memory for a link");
	link->port = port;
	status = make(link, request, error);
	if (status != PLAIT_OK) {
		plaitp_shm_free(self, link, sizeof(*link));
		return status;
	}
	link->next = port->links;
	port->links = link;
	*out = link;
	return PLAIT_OK;
}

void plaitp_shm_link_destroy(plait_backend *self, plait_backend_link *link)
{
	plait_backend_link **place = &link->port->links;

	while (*place != link)
		place = &(*place)->next;
	*place = link->next;
	if (link->populated)
		link->port->populated -= link->region_bytes;
	plaitp_shm_segment_unmap(link->region, link->region_bytes);
	if (link->direction == PLAIT_LINK_RECEIVE)
		plaitp_shm_place_give_back(link->port, link->place);
	else
		plaitp_driven_store64(&entry_of(link)->state, SHM_ENTRY_LEFT);
	plaitp_shm_free(self, link, sizeof(*link));
}

plait_status plaitp_shm_link_view(plait_backend *self,
				  plait_backend_link *link,
				  plait_link_view *out, plait_error *error)
{
	plait_backend_port *port = link->port;
	struct shm_head *mine = plaitp_shm_segment_head(port->base);
	struct shm_head *theirs =
		plaitp_shm_segment_head(port->peers[link->peer].base);
	plait_link_view view = {
		.size = sizeof(view),
		.depth = link->depth,
		.slots = (unsigned char *)(link->region + 1),
		.stride = link->stride,
		.ready = &link->region->ready,
		.taken = &link->region->taken,
		.bell = &mine->bell,
		.sleeping = &mine->sleeping,
		.peer_bell = &theirs->bell,
		.peer_sleeping = &theirs->sleeping,
	};

	(void)self;
	(void)error;
	if (out->size < view.size)
		view.size = out->size;
	memcpy(out, &view, view.size);
	return PLAIT_OK;
}
