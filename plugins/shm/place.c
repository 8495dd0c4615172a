/* SPDX-License-Identifier: MIT */
/*
 * Regions of links in the segment of the receiver, and the directory by which
 * senders find them.  A region is used again when both halves are gone.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "shm.h"

static struct shm_entry *entry_of(const plait_backend_port *port,
				  uint32_t place)
{
	return plaitp_shm_segment_entry(port->base, port->ranks, place);
}

/* Returns true if no sender uses the region any more. */
static bool is_free(plait_backend_port *port, uint32_t place)
{
	const struct shm_place *mine = &port->places[place];
	plait_error unused = { .size = sizeof(unused) };
	uint64_t state = plaitp_driven_load64(&entry_of(port, place)->state);

	if (mine->used)
		return false;
	return state == SHM_ENTRY_FREE || state == SHM_ENTRY_LEFT ||
	       plaitp_shm_peer_query(port->self, port, mine->peer, &unused) ==
		       PLAIT_E_LOST;
}

static bool fits(const struct shm_place *place, uint64_t bytes)
{
	return place->bytes >= bytes && place->bytes / 2 <= bytes;
}

plait_status plaitp_shm_place_take(plait_backend_port *port, uint64_t bytes,
				   uint32_t *out, plait_error *error)
{
	plait_status status;
	uint32_t i;

	for (i = 0; i < port->place_count; i++)
		if (fits(&port->places[i], bytes) && is_free(port, i))
			break;
	if (i == SHM_LINKS)
		return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
				       "a port receives by %d links at most",
				       SHM_LINKS);
	if (i == port->place_count) {
		status = plaitp_shm_segment_allocate(port, port->end, bytes,
						     "the slots of a link",
						     error);
		if (status != PLAIT_OK)
			return status;
		port->places[i].offset = port->end;
		port->places[i].bytes = bytes;
		port->end += bytes;
		port->place_count++;
		/* Release: pairs with the load in accept. */
		plaitp_driven_store64(
			&plaitp_shm_segment_head(port->base)->links,
			port->place_count);
	}
	plaitp_driven_store64(&entry_of(port, i)->state, SHM_ENTRY_FREE);
	port->places[i].used = true;
	*out = i;
	return PLAIT_OK;
}

void plaitp_shm_place_offer(plait_backend_port *port, uint32_t place,
			    const plait_link_request *request)
{
	struct shm_entry *entry = entry_of(port, place);
	struct shm_place *mine = &port->places[place];

	mine->peer = request->peer;
	mine->number = request->number;
	entry->number = request->number;
	entry->peer = request->peer;
	entry->depth = request->depth;
	entry->slot_bytes = request->slot_bytes;
	entry->offset = mine->offset;
	/* Release: pairs with the load in accept. */
	plaitp_driven_store64(&entry->state, SHM_ENTRY_OFFERED);
}

/* An offer that no sender took is withdrawn; a sender that is about to map it may
 * not offer it again. */
void plaitp_shm_place_give_back(plait_backend_port *port, uint32_t place)
{
	struct shm_entry *entry = entry_of(port, place);

	if (!plaitp_driven_replace64(&entry->state, SHM_ENTRY_OFFERED,
				     SHM_ENTRY_FREE))
		(void)plaitp_driven_replace64(&entry->state, SHM_ENTRY_TAKEN,
					      SHM_ENTRY_GIVEN);
	port->places[place].used = false;
}

void plaitp_shm_place_refuse(struct shm_entry *entry)
{
	if (!plaitp_driven_replace64(&entry->state, SHM_ENTRY_TAKEN,
				     SHM_ENTRY_OFFERED))
		plaitp_driven_store64(&entry->state, SHM_ENTRY_LEFT);
}

/* --- the sender's side */

static plait_status check_offer(plait_backend_port *port,
				const plait_link_request *request,
				const struct shm_entry *offer,
				uint64_t region_bytes, plait_error *error)
{
	struct shm_peer *peer = &port->peers[request->peer];
	struct stat facts;

	if (offer->depth != request->depth ||
	    offer->slot_bytes != request->slot_bytes)
		return plaitp_shm_fail(
			port->self, error, PLAIT_E_INVALID,
			"link %llu: rank %u receives by %u slots of %llu bytes, "
			"rank %u sends by %u of %llu",
			(unsigned long long)request->number, request->peer,
			offer->depth, (unsigned long long)offer->slot_bytes,
			port->rank, request->depth,
			(unsigned long long)request->slot_bytes);
	if (offer->offset % SHM_PAGE == 0 &&
	    offer->offset >= port->base_bytes &&
	    fstat(peer->segment, &facts) == 0 &&
	    offer->offset <= (uint64_t)facts.st_size &&
	    region_bytes <= (uint64_t)facts.st_size - offer->offset)
		return PLAIT_OK;
	peer->broken = true;
	return plaitp_shm_peer_fail_lost(port, request->peer, error);
}

/* The entry is copied before it is checked: the peer may change it. */
plait_status plaitp_shm_place_accept(plait_backend_port *port,
				     const plait_link_request *request,
				     uint64_t region_bytes,
				     uint32_t *out_place, uint64_t *out_offset,
				     plait_error *error)
{
	unsigned char *base = port->peers[request->peer].base;
	uint64_t count = plaitp_driven_load64(
		&plaitp_shm_segment_head(base)->links);

	for (uint32_t i = 0; i < SHM_LINKS && i < count; i++) {
		struct shm_entry *entry =
			plaitp_shm_segment_entry(base, port->ranks, i);
		struct shm_entry offer;
		plait_status status;

		if (plaitp_driven_load64(&entry->state) != SHM_ENTRY_OFFERED)
			continue;
		memcpy(&offer, entry, sizeof(offer));
		if (offer.peer != port->rank || offer.number != request->number)
			continue;
		status = check_offer(port, request, &offer, region_bytes,
				     error);
		if (status != PLAIT_OK)
			return status;
		if (!plaitp_driven_replace64(&entry->state, SHM_ENTRY_OFFERED,
					     SHM_ENTRY_TAKEN))
			continue;
		*out_place = i;
		*out_offset = offer.offset;
		return PLAIT_OK;
	}
	return PLAIT_PENDING;
}
