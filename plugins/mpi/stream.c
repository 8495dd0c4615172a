/* SPDX-License-Identifier: MIT */
/*
 * Movement of slots and credits between the two halves of a link.
 *
 * Slots carry their head and their bytes as one message.  A receiving half has a
 * receive posted for each free slot; MPI stores nothing in between, and copies a
 * long slot once.  The receiving half tells how many slots were taken, each time
 * that half of the depth was, and else when nothing more is taken for some pumps.
 *
 * Open MPI copies a long message inside the call that finds it, for each message
 * that has its receive.  A rank that has a message to send would send it behind
 * these copies, and its peer would wait meanwhile.  There, if each rank has a
 * CPU, a receiving half has one receive posted, from the second pump behind the
 * take of a message on, and all of them once no message was taken for some pumps.
 */
#include <string.h>

#include "driven/atomic.h"
#include "port.h"

enum {
	/* Pumps until a credit that nothing requires is sent, and until receives
	 * for all free slots are posted. */
	IDLE_PUMPS = 32
};
/* Slots taken, and permits for split messages. */
enum { CREDIT_BYTES = 2 * sizeof(uint64_t) };
/* Mark of the last credit: the receiving half needs the sender no more. */
#define LAST_CREDIT (UINT64_C(1) << 63)

/* Let the pump test the oldest slot. */
static void test_oldest(struct plait_backend_link *link)
{
	MPI_Request *tested = plaitp_mpi_slot_request(link);
	MPI_Request *oldest = &link->requests[link->done % link->depth];

	if (*tested != link->port->mpi->no_request ||
	    link->done == link->posted)
		return;
	*tested = *oldest;
	*oldest = link->port->mpi->no_request;
}

/* --- sending -------------------------------------------------------------- */

static void expect_credit(struct plait_backend_link *link)
{
	const plait_backend_port *port = link->port;
	int code = port->mpi->Irecv(link->credit_words, CREDIT_BYTES,
				    port->mpi->byte, (int)link->peer,
				    (int)link->tag + 1, port->base->comm,
				    plaitp_mpi_credit_request(link));

	if (code != MPI_SUCCESS)
		plaitp_mpi_link_lose(link, "receive of credits", code);
}

void plaitp_mpi_stream_connect(plait_backend_link *link,
			       const struct mpi_record *record)
{
	if (record->depth != link->depth ||
	    record->slot_bytes != link->slot_bytes) {
		plaitp_mpi_lose(link->port, link->peer, "link %llu has %u "
				"slots of %llu bytes there, %u of %llu here",
				(unsigned long long)link->number,
				record->depth,
				(unsigned long long)record->slot_bytes,
				link->depth,
				(unsigned long long)link->slot_bytes);
		return;
	}
	link->tag = record->tag;
	link->is_connected = true;
	expect_credit(link);
}

static bool send_slot(struct plait_backend_link *link)
{
	const plait_backend_port *port = link->port;
	const plait_link_slot *slot = plaitp_mpi_link_slot(link, link->posted);
	struct mpi_loan *loan = plaitp_mpi_loan_at(link, link->posted);
	uint64_t bytes = loan != NULL ? 0 : slot->bytes;
	int code;

	if (slot->bytes > link->slot_bytes) {
		plaitp_mpi_lose(link->port, link->peer, "link %llu: a slot "
				"with %llu bytes in room for %llu",
				(unsigned long long)link->number,
				(unsigned long long)slot->bytes,
				(unsigned long long)link->slot_bytes);
		return false;
	}
	code = port->mpi->Isend(slot, (int)(sizeof(*slot) + bytes),
				port->mpi->byte, (int)link->peer,
				(int)link->tag, port->base->comm,
				loan != NULL ? &loan->head :
				&link->requests[link->posted % link->depth]);
	if (code != MPI_SUCCESS) {
		plaitp_mpi_link_lose(link, "send", code);
		return false;
	}
	link->posted++;
	return true;
}

/* Send END; returns false if that has to be tried again. */
static bool tell_end(struct plait_backend_link *link)
{
	plait_error later;
	struct mpi_record record;

	memset(&record, 0, offsetof(struct mpi_record, body));
	record.kind = RECORD_END;
	record.tag = link->tag;
	record.number = link->posted;
	link->is_end_told = plaitp_mpi_record_send(link->port, link->peer,
						   &record, &later) ==
			    PLAIT_OK;
	return link->is_end_told;
}

/* Returns true if it gave slots to MPI.  Slots wait for their receives: the
 * credit says how many were taken. */
static bool advance_send(struct plait_backend_link *link)
{
	/* Acquire: pairs with the world's store of `ready`. */
	uint64_t ready = plaitp_driven_load64(link->ready);
	bool moved = false;

	while (link->is_connected && link->posted < ready &&
	       link->posted - link->credit < link->depth && send_slot(link))
		moved = true;
	if (plaitp_mpi_loan_pay(link))
		moved = true;
	if (link->is_destroyed && link->is_connected && !link->is_end_told &&
	    link->done == ready && tell_end(link))
		moved = true;
	return moved;
}

/* A slot is free when it was taken, and MPI has sent it. */
static void free_slots(struct plait_backend_link *link)
{
	plaitp_driven_store64(link->lent, link->done);
	plaitp_driven_store64(link->taken, link->credit < link->done
					 ? link->credit : link->done);
}

/* --- receiving ------------------------------------------------------------ */

static bool receive_slot(struct plait_backend_link *link)
{
	const plait_backend_port *port = link->port;
	uint64_t bytes = sizeof(plait_link_slot) + link->slot_bytes;
	int code = port->mpi->Irecv(plaitp_mpi_link_slot(link, link->posted), (int)bytes,
				    port->mpi->byte, (int)link->peer,
				    (int)link->tag, port->base->comm,
				    &link->requests[link->posted %
						    link->depth]);

	if (code != MPI_SUCCESS) {
		plaitp_mpi_link_lose(link, "receive", code);
		return false;
	}
	link->posted++;
	return true;
}

/* Number of receives that shall have been posted since the link was made. */
static uint64_t count_receives(struct plait_backend_link *link, uint64_t taken)
{
	if (!link->has_few_receives || link->is_destroyed)
		return taken + link->depth;
	if (link->noticed != taken) {
		link->noticed = taken;
		link->calm = 0;
		return link->posted;
	}
	if (link->calm >= IDLE_PUMPS)
		return taken + link->depth;
	link->calm++;
	return taken + 1;
}

/* Returns true if all that the peer has sent is here. */
static bool is_complete(const struct plait_backend_link *link)
{
	return link->has_total && link->done == link->total;
}

static bool is_credit_due(struct plait_backend_link *link, uint64_t taken)
{
	uint64_t untold = taken - link->credit;

	if (link->is_end_told || *plaitp_mpi_credit_request(link) !=
					 link->port->mpi->no_request)
		return false;
	if (link->used != link->permits)
		return true;
	if (untold == 0 || is_complete(link))
		return is_complete(link);
	return untold >= (link->depth + 1) / 2 || ++link->idle >= IDLE_PUMPS;
}

static bool send_credit(struct plait_backend_link *link, uint64_t taken)
{
	const plait_backend_port *port = link->port;
	int code;

	link->is_end_told = is_complete(link);
	link->credit_words[0] = link->is_end_told ? taken | LAST_CREDIT : taken;
	link->credit_words[1] = link->permits;
	code = port->mpi->Isend(link->credit_words, CREDIT_BYTES,
				port->mpi->byte, (int)link->peer,
				(int)link->tag + 1, port->base->comm,
				plaitp_mpi_credit_request(link));
	if (code != MPI_SUCCESS) {
		plaitp_mpi_link_lose(link, "send of credits", code);
		return false;
	}
	link->credit = taken;
	link->used = link->permits;
	link->idle = 0;
	return true;
}

/* Returns true if it posted receives or sent a credit.  A credit promises free
 * slots. */
static bool advance_receive(struct plait_backend_link *link)
{
	/* Acquire: pairs with the world's store of `taken`. */
	uint64_t taken = plaitp_driven_load64(link->taken);
	bool moved = false;
	uint64_t most;

	if (link->is_destroyed)
		taken = link->done;
	most = count_receives(link, taken);
	while (link->posted < most) {
		if (!receive_slot(link))
			return moved;
		moved = true;
	}
	if (plaitp_mpi_loan_advance(link))
		moved = true;
	if (is_credit_due(link, taken) && send_credit(link, taken))
		moved = true;
	return moved;
}

/* --- both ----------------------------------------------------------------- */

bool plaitp_mpi_stream_advance(plait_backend_link *link)
{
	bool moved;

	if (link->is_broken)
		return false;
	moved = link->direction == PLAIT_LINK_SEND ? advance_send(link)
						   : advance_receive(link);
	test_oldest(link);
	return moved;
}

/* A message has come, whole, or its last part. */
static void finish_slot(struct plait_backend_link *link)
{
	uint64_t index = link->done++;

	if (link->direction == PLAIT_LINK_SEND) {
		plaitp_mpi_loan_end(link, index);
		free_slots(link);
	} else if (!link->is_destroyed) {
		/* Release: pairs with the world's load of `ready`. */
		plaitp_driven_store64(link->ready, link->done);
	}
	test_oldest(link);
}

/* Take a head and what came with it; false: not as many bytes as it says. */
static bool take_head(struct plait_backend_link *link, const MPI_Status *status,
		      bool *out_is_over)
{
	const plait_link_slot *slot = plaitp_mpi_link_slot(link, link->done);
	int bytes = 0;

	link->port->mpi->Get_count(status, link->port->mpi->byte, &bytes);
	if (bytes < (int)sizeof(*slot))
		return false;
	*out_is_over = slot->bytes == (uint64_t)bytes - sizeof(*slot);
	if (*out_is_over)
		return true;
	plaitp_mpi_loan_head(link);
	return bytes == (int)sizeof(*slot) && slot->bytes <= link->slot_bytes;
}

void plaitp_mpi_stream_slot_done(plait_backend_link *link,
				 const MPI_Status *status)
{
	bool is_over = true, is_sane = true;

	if (link->direction == PLAIT_LINK_RECEIVE)
		is_sane = link->split == SPLIT_NONE ?
			take_head(link, status, &is_over) :
			plaitp_mpi_loan_came(link, status, &is_over);
	if (!is_sane)
		plaitp_mpi_lose(link->port, link->peer, "link %llu: slot %llu "
				"came with another length",
				(unsigned long long)link->number,
				(unsigned long long)link->done);
	else if (is_over)
		finish_slot(link);
	else
		plaitp_mpi_stream_advance(link);
}

/* Credits and permits never decrease, and are for what was sent. */
static bool are_credits_sane(const struct plait_backend_link *link)
{
	uint64_t credit = link->credit_words[0] & ~LAST_CREDIT;

	return credit <= link->posted && credit >= link->credit &&
	       link->credit_words[1] >= link->permits &&
	       link->credit_words[1] <= link->posted;
}

void plaitp_mpi_stream_credit_done(plait_backend_link *link)
{
	uint64_t credit = link->credit_words[0] & ~LAST_CREDIT;

	if (link->direction == PLAIT_LINK_RECEIVE)
		return;
	if (!are_credits_sane(link)) {
		plaitp_mpi_lose(link->port, link->peer, "link %llu: credit "
				"%llu after %llu, %llu permits after %llu, and "
				"%llu slots sent",
				(unsigned long long)link->number,
				(unsigned long long)credit,
				(unsigned long long)link->credit,
				(unsigned long long)link->credit_words[1],
				(unsigned long long)link->permits,
				(unsigned long long)link->posted);
		return;
	}
	link->credit = credit;
	link->permits = link->credit_words[1];
	free_slots(link);
	link->has_last = (link->credit_words[0] & LAST_CREDIT) != 0;
	if (!link->has_last)
		expect_credit(link);
	if (plaitp_mpi_loan_pay(link))
		test_oldest(link);
}

/* A broken link ends with its port. */
bool plaitp_mpi_stream_has_ended(const plait_backend_link *link)
{
	if (!link->is_destroyed || link->is_broken)
		return false;
	if (link->direction == PLAIT_LINK_SEND)
		return link->has_last;
	return link->is_end_told &&
	       link->port->requests[2 + 2 * link->place] ==
		       link->port->mpi->no_request;
}
