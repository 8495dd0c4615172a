/* SPDX-License-Identifier: MIT */
/*
 * Lent memory: bytes of a message that MPI moves from where they are, and to
 * where the world wants them.
 *
 * A sending half sends the head of such a message alone; the message is *split*.
 * The receiving half receives the bytes where its world has lent room, or in the
 * slot, and then gives a permit, with its credits; the sending half sends the
 * bytes for it.  Permits come in the order of split messages.
 *
 * So memory is with MPI only while both ends know of the message.  A receiving
 * half that takes its room back waits a little for bytes that have a permit, then
 * receives them in the slot.
 */
#include <string.h>

#include "driven/atomic.h"
#include "port.h"

enum {
	/* Pumps that a split message waits for the world to lend.  The world
	 * may be unable to, until this very message was received. */
	PATIENCE = 64
};

/* Time that a receiving half waits for bytes that have a permit. */
#define RECLAIM_NS UINT64_C(200000000)

/* --- sending -------------------------------------------------------------- */

struct mpi_loan *plaitp_mpi_loan_at(const struct plait_backend_link *link,
				    uint64_t index)
{
	struct mpi_loan *loan = &link->loans[index % link->depth];

	return loan->memory != NULL ? loan : NULL;
}

/* Send the bytes of a message; false: later. */
static bool pay(struct plait_backend_link *link, uint64_t index)
{
	const plait_backend_port *port = link->port;
	struct mpi_loan *loan = &link->loans[index % link->depth];
	int done = 0, code;

	/* The permit says that the head has come. */
	code = port->mpi->Test(&loan->head, &done, MPI_STATUS_IGNORE);
	if (code == MPI_SUCCESS && !done)
		return false;
	if (code == MPI_SUCCESS)
		code = port->mpi->Isend(loan->memory,
					(int)plaitp_mpi_link_slot(link, index)->bytes,
					port->mpi->byte, (int)link->peer,
					(int)link->tag + 2, port->base->comm,
					&link->requests[index % link->depth]);
	if (code != MPI_SUCCESS) {
		plaitp_mpi_link_lose(link, "send of lent memory", code);
		return false;
	}
	loan->is_paid = true;
	link->used++;
	return true;
}

bool plaitp_mpi_loan_pay(struct plait_backend_link *link)
{
	bool moved = false;
	uint64_t i;

	for (i = link->done; i < link->posted && link->used < link->permits;
	     i++) {
		struct mpi_loan *loan = plaitp_mpi_loan_at(link, i);

		if (loan == NULL || loan->is_paid)
			continue;
		if (!pay(link, i))
			break;
		moved = true;
	}
	return moved;
}

void plaitp_mpi_loan_end(struct plait_backend_link *link, uint64_t index)
{
	struct mpi_loan *loan = &link->loans[index % link->depth];

	loan->memory = NULL;
	loan->is_paid = false;
}

/* The world has not filled this slot yet, and has checked that it is free. */
static plait_status lend_send(struct plait_backend_link *link,
			      const void *memory, plait_error *error)
{
	uint64_t index = plaitp_driven_load64(link->ready);

	if (memory == NULL || index - link->done >= link->depth)
		return plaitp_driven_fail(link->port->self->driven.services,
					  error, PLAIT_E_INVALID, 0,
					  MPI_PLUGIN_NAME ": memory %p for "
					  "message %llu, %llu of %u slots are "
					  "in use", memory,
					  (unsigned long long)index,
					  (unsigned long long)(index -
							       link->done),
					  link->depth);
	link->loans[index % link->depth].memory = memory;
	return PLAIT_OK;
}

/* Use the slot for a message that is not on its way.  Returns true if it is. */
static bool reclaim_message(struct plait_backend_link *link, uint64_t index,
			    uint64_t ready)
{
	struct mpi_loan *loan = plaitp_mpi_loan_at(link, index);
	plait_link_slot *slot = plaitp_mpi_link_slot(link, index);

	if (loan == NULL || loan->memory == slot + 1)
		return false;
	if (loan->is_paid)
		return true;
	if (index < ready && slot->bytes <= link->slot_bytes)
		memcpy(slot + 1, loan->memory, slot->bytes);
	loan->memory = index < link->posted ? slot + 1 : NULL;
	return false;
}

static plait_status reclaim_send(struct plait_backend_link *link)
{
	uint64_t ready = plaitp_driven_load64(link->ready);
	bool pending = false;
	uint64_t i;

	/* Memory lent for a message that was not sent comes back, too. */
	for (i = link->done; i <= ready && i - link->done < link->depth; i++)
		if (reclaim_message(link, i, ready))
			pending = true;
	return pending ? PLAIT_PENDING : PLAIT_OK;
}

/* --- receiving ------------------------------------------------------------ */

/* Receive the bytes of the split message. */
static void receive(struct plait_backend_link *link, bool is_direct)
{
	const plait_backend_port *port = link->port;
	plait_link_slot *slot = plaitp_mpi_link_slot(link, link->done);
	int code = port->mpi->Irecv(is_direct ? link->room : slot + 1,
				    (int)slot->bytes, port->mpi->byte,
				    (int)link->peer, (int)link->tag + 2,
				    port->base->comm,
				    plaitp_mpi_slot_request(link));

	if (code != MPI_SUCCESS) {
		plaitp_mpi_link_lose(link, "receive of lent memory", code);
		return;
	}
	link->split = is_direct ? SPLIT_LENT : SPLIT_SLOT;
}

static bool has_room(const struct plait_backend_link *link)
{
	return link->has_room && link->room_index == link->done;
}

bool plaitp_mpi_loan_advance(struct plait_backend_link *link)
{
	uint64_t bytes;

	if (link->split != SPLIT_HEAD ||
	    (!has_room(link) && !link->is_destroyed &&
	     ++link->patience < PATIENCE))
		return false;
	bytes = plaitp_mpi_link_slot(link, link->done)->bytes;
	receive(link, has_room(link) && link->room != NULL &&
		      link->room_bytes == bytes);
	if (link->split == SPLIT_HEAD)
		return false;
	link->permits++;
	return true;
}

void plaitp_mpi_loan_head(struct plait_backend_link *link)
{
	link->split = SPLIT_HEAD;
	link->patience = 0;
}

bool plaitp_mpi_loan_came(struct plait_backend_link *link,
			  const MPI_Status *status, bool *out_is_over)
{
	const struct mpi_calls *mpi = link->port->mpi;
	int bytes = 0, is_cancelled = 0;

	*out_is_over = false;
	mpi->Test_cancelled(status, &is_cancelled);
	if (is_cancelled) {
		receive(link, false);
		return true;
	}
	mpi->Get_count(status, mpi->byte, &bytes);
	if ((uint64_t)bytes != plaitp_mpi_link_slot(link, link->done)->bytes)
		return false;
	if (link->split == SPLIT_LENT)
		/* The store of `ready` publishes it. */
		plaitp_driven_store64(link->lent, link->done + 1);
	link->split = SPLIT_NONE;
	link->has_room = false;
	*out_is_over = true;
	return true;
}

static plait_status lend_receive(struct plait_backend_link *link, void *memory,
				 uint64_t bytes, plait_error *error)
{
	uint64_t taken = plaitp_driven_load64(link->taken);

	if (taken < link->done || link->split > SPLIT_HEAD)
		return plaitp_driven_fail(link->port->self->driven.services,
					  error, PLAIT_E_STATE, 0,
					  MPI_PLUGIN_NAME ": message %llu is "
					  "on its way",
					  (unsigned long long)taken);
	link->has_room = true;
	link->room_index = taken;
	link->room = memory;
	link->room_bytes = bytes;
	return PLAIT_OK;
}

static plait_status reclaim_receive(struct plait_backend_link *link)
{
	const struct driven *driven = &link->port->self->driven;
	uint64_t now;

	link->has_room = false;
	if (link->split != SPLIT_LENT) {
		link->reclaim_ns = 0;
		return PLAIT_OK;
	}
	now = driven->services->clock_ns(driven->host);
	if (link->reclaim_ns == 0)
		link->reclaim_ns = now + RECLAIM_NS;
	/* The pump finds out whether this came in time. */
	if (now >= link->reclaim_ns || link->is_broken)
		link->port->mpi->Cancel(plaitp_mpi_slot_request(link));
	return PLAIT_PENDING;
}

/* --- both ----------------------------------------------------------------- */

plait_status plaitp_mpi_loan_lend(plait_backend_link *link, void *memory,
				  uint64_t bytes, plait_error *error)
{
	if (bytes == 0 || bytes > link->slot_bytes)
		return plaitp_driven_fail(link->port->self->driven.services,
					  error, PLAIT_E_INVALID, 0,
					  MPI_PLUGIN_NAME ": %llu bytes are "
					  "lent, slots have %llu",
					  (unsigned long long)bytes,
					  (unsigned long long)
					  link->slot_bytes);
	return link->direction == PLAIT_LINK_SEND ?
		lend_send(link, memory, error) :
		lend_receive(link, memory, bytes, error);
}

/* MPI may go on with what a lost peer left, until it ends the job. */
plait_status plaitp_mpi_loan_reclaim(plait_backend_link *link)
{
	if (link->direction == PLAIT_LINK_RECEIVE)
		return reclaim_receive(link);
	return link->is_broken ? PLAIT_OK : reclaim_send(link);
}
