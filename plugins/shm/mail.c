/* SPDX-License-Identifier: MIT */
/*
 * Mail: a ring of records in the receiver's segment for each sender.  Each side
 * counts its bytes in private memory and publishes the count.
 */
#include <string.h>

#include "bell.h"
#include "shm.h"

enum { LENGTH_BYTES = 8 };

static uint64_t padded(uint64_t bytes)
{
	return LENGTH_BYTES + (bytes + 7) / 8 * 8;
}

/* Copy to or from the ring, around its end. */
static void copy_in(unsigned char *ring, uint64_t at, const void *bytes,
		    uint64_t count)
{
	uint64_t start = at % SHM_RING_BYTES;
	uint64_t first = SHM_RING_BYTES - start;

	if (first > count)
		first = count;
	memcpy(ring + start, bytes, first);
	memcpy(ring, (const unsigned char *)bytes + first, count - first);
}

static void copy_out(const unsigned char *ring, uint64_t at, void *bytes,
		     uint64_t count)
{
	uint64_t start = at % SHM_RING_BYTES;
	uint64_t first = SHM_RING_BYTES - start;

	if (first > count)
		first = count;
	memcpy(bytes, ring + start, first);
	memcpy((unsigned char *)bytes + first, ring, count - first);
}

static plait_status check_count(plait_backend_port *port, uint64_t count,
				plait_error *error)
{
	if (count >= 1 && count <= SHM_MAIL_BYTES)
		return PLAIT_OK;
	return plaitp_shm_fail(port->self, error, PLAIT_E_INVALID,
			       "mail of %llu bytes; 1 to %d are possible",
			       (unsigned long long)count, SHM_MAIL_BYTES);
}

plait_status plaitp_shm_mail_send(plait_backend *self,
				  plait_backend_port *port, uint32_t peer,
				  const void *bytes, uint64_t count,
				  plait_error *error)
{
	plait_status status = check_count(port, count, error);
	struct shm_mailbox *box;
	struct shm_peer *state;
	struct shm_head *head;

	if (status == PLAIT_OK)
		status = plaitp_shm_peer_reach(port, peer, NULL, 0, error);
	if (status == PLAIT_PENDING)
		return plaitp_shm_fail(self, error, PLAIT_E_BUSY,
				       "rank %u has not opened its port yet",
				       peer);
	if (status == PLAIT_OK)
		status = plaitp_shm_peer_query(self, port, peer, error);
	if (status != PLAIT_OK)
		return status;
	state = &port->peers[peer];
	head = plaitp_shm_segment_head(state->base);
	box = plaitp_shm_segment_mailbox(state->base, port->rank);
	/* Acquire: pairs with the store in mail_next; the bytes were read. */
	if (state->written - plaitp_driven_load64(&box->read) +
	    padded(count) > SHM_RING_BYTES)
		return plaitp_shm_fail(self, error, PLAIT_E_BUSY,
				       "the mailbox at rank %u is full", peer);
	copy_in(box->ring, state->written, &count, sizeof(count));
	copy_in(box->ring, state->written + LENGTH_BYTES, bytes, count);
	state->written += padded(count);
	/* Release: pairs with the load in take. */
	plaitp_driven_store64(&box->written, state->written);
	plaitp_driven_add64(&head->mails);
	plaitp_shm_bell_ring(head);
	return PLAIT_OK;
}

/* Take the next record of a peer.  PLAIT_PENDING: there is none, or the peer
 * wrote something else and counts as lost. */
static plait_status take(plait_backend_port *port, uint32_t peer,
			 void *buffer, uint64_t *out_bytes)
{
	struct shm_mailbox *box = plaitp_shm_segment_mailbox(port->base, peer);
	struct shm_peer *state = &port->peers[peer];
	uint64_t length, have = plaitp_driven_load64(&box->written) -
		state->read;

	if (have == 0 || state->broken)
		return PLAIT_PENDING;
	copy_out(box->ring, state->read, &length, sizeof(length));
	if (have > SHM_RING_BYTES || length < 1 || length > SHM_MAIL_BYTES ||
	    padded(length) > have) {
		state->broken = true;
		return PLAIT_PENDING;
	}
	copy_out(box->ring, state->read + LENGTH_BYTES, buffer, length);
	state->read += padded(length);
	/* Release: pairs with the load in mail_send. */
	plaitp_driven_store64(&box->read, state->read);
	*out_bytes = length;
	return PLAIT_OK;
}

/* Looks at the mailboxes only after another record has arrived. */
plait_status plaitp_shm_mail_next(plait_backend *self,
				  plait_backend_port *port, uint32_t *out_peer,
				  void *buffer, uint64_t capacity,
				  uint64_t *out_bytes, plait_error *error)
{
	enum { LOOKS = 64 };
	uint64_t mails = plaitp_driven_load64(
		&plaitp_shm_segment_head(port->base)->mails);

	if (capacity < SHM_MAIL_BYTES)
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "a buffer of %llu bytes for mail of up "
				       "to %d", (unsigned long long)capacity,
				       SHM_MAIL_BYTES);
	for (uint32_t i = 0; mails != port->mails_seen && i < port->ranks;
	     i++) {
		uint32_t peer = (port->next_mailbox + i) % port->ranks;

		if (take(port, peer, buffer, out_bytes) != PLAIT_OK)
			continue;
		*out_peer = peer;
		port->next_mailbox = (peer + 1) % port->ranks;
		return PLAIT_OK;
	}
	port->mails_seen = mails;
	if (port->idle_looks++ % LOOKS == 0)
		plaitp_shm_name_drain(port);
	return PLAIT_PENDING;
}
