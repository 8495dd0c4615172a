/* SPDX-License-Identifier: MIT */
/*
 * Records between ports: mail of the world, and what the two halves of a link
 * tell each other.
 *
 * All records of a world have its tag, and arrive in the order in which a peer
 * has sent them.  Some receives are always posted; the oldest one is tested by
 * the pump.
 */
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "port.h"

enum { HEAD_BYTES = offsetof(struct mpi_record, body) };

/* --- lists ---------------------------------------------------------------- */

static struct mpi_note *make_note(plait_backend_port *port,
				  const struct mpi_record *record,
				  plait_error *error)
{
	const plait_host_services *services = port->self->driven.services;
	uint32_t room = HEAD_BYTES + record->bytes;
	struct mpi_note *note = services->resize(
		port->self->driven.host, NULL, 0,
		offsetof(struct mpi_note, record) + room);

	if (note == NULL) {
		plaitp_driven_fail(services, error, PLAIT_E_NOMEM, 0,
				   MPI_PLUGIN_NAME ": no memory for mail of "
				   "%u bytes", record->bytes);
		return NULL;
	}
	note->next = NULL;
	note->request = port->mpi->no_request;
	note->room = room;
	memcpy(&note->record, record, room);
	return note;
}

static void free_note(plait_backend_port *port, struct mpi_note *note)
{
	port->self->driven.services->resize(
		port->self->driven.host, note,
		offsetof(struct mpi_note, record) + note->room, 0);
}

static void append(struct mpi_notes *notes, struct mpi_note *note)
{
	if (notes->first == NULL)
		notes->last = &notes->first;
	*notes->last = note;
	notes->last = &note->next;
	notes->count++;
}

/* Unlink the note that `place` points to. */
static struct mpi_note *take(struct mpi_notes *notes, struct mpi_note **place)
{
	struct mpi_note *note = *place;

	*place = note->next;
	if (notes->last == &note->next)
		notes->last = place;
	notes->count--;
	return note;
}

/* --- sending -------------------------------------------------------------- */

static struct mpi_note *make_sent(plait_backend_port *port,
				  const struct mpi_record *record,
				  plait_error *error)
{
	struct mpi_note *note = plaitp_mpi_sent_take();

	if (note == NULL) {
		plaitp_driven_fail(port->self->driven.services, error,
				   PLAIT_E_NOMEM, 0, MPI_PLUGIN_NAME ": no "
				   "memory to send a record");
		return NULL;
	}
	note->next = NULL;
	note->request = port->mpi->no_request;
	note->room = HEAD_BYTES + record->bytes;
	memcpy(&note->record, record, note->room);
	return note;
}

plait_status plaitp_mpi_record_send(plait_backend_port *port, uint32_t peer,
				    const struct mpi_record *record,
				    plait_error *error)
{
	struct mpi_note *note = make_sent(port, record, error);
	int code;

	if (note == NULL)
		return PLAIT_E_NOMEM;
	note->peer = peer;
	code = port->mpi->Isend(&note->record, (int)note->room,
				port->mpi->byte, (int)peer, port->mail_tag,
				port->base->comm, &note->request);
	if (code != MPI_SUCCESS) {
		plaitp_mpi_sent_give(note);
		return plaitp_mpi_fail(port->self, error, "Isend", code);
	}
	append(&port->sending, note);
	return PLAIT_OK;
}

void plaitp_mpi_record_flush(plait_backend_port *port)
{
	struct mpi_note **place = &port->sending.first;
	char text[200];
	int code, done;

	while (*place != NULL) {
		done = 0;
		code = port->mpi->Test(&(*place)->request, &done,
				       MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS) {
			plaitp_mpi_explain(port->mpi, code, text,
					   sizeof(text));
			plaitp_mpi_lose(port, (*place)->peer,
					"mail was not sent: %s", text);
		} else if (!done) {
			place = &(*place)->next;
			continue;
		}
		plaitp_mpi_sent_give(take(&port->sending, place));
	}
}

/* --- receiving ------------------------------------------------------------ */

static plait_status post(plait_backend_port *port, uint32_t i,
			 plait_error *error)
{
	int code = port->mpi->Irecv(&port->records[i],
				    (int)sizeof(port->records[i]),
				    port->mpi->byte, MPI_ANY_SOURCE,
				    port->mail_tag, port->base->comm,
				    &port->record_requests[i]);

	if (code == MPI_SUCCESS)
		return PLAIT_OK;
	port->record_requests[i] = port->mpi->no_request;
	return plaitp_mpi_fail(port->self, error, "Irecv", code);
}

/* The pump tests the oldest receive where all tested requests are. */
static void test_oldest(plait_backend_port *port)
{
	port->requests[0] = port->record_requests[port->oldest_record];
	port->record_requests[port->oldest_record] = port->mpi->no_request;
}

plait_status plaitp_mpi_records_open(plait_backend_port *port,
				     plait_error *error)
{
	plait_status status;
	uint32_t i;

	for (i = 0; i < MAIL_RECEIVES; i++)
		port->record_requests[i] = port->mpi->no_request;
	status = plaitp_mpi_places_open(port, error);
	port->records = plaitp_mpi_map(MAIL_RECEIVES *
				       sizeof(*port->records));
	if (status == PLAIT_OK && port->records == NULL)
		status = plaitp_driven_fail(port->self->driven.services, error,
					    PLAIT_E_NOMEM, 0, MPI_PLUGIN_NAME
					    ": no memory for mail");
	for (i = 0; status == PLAIT_OK && i < MAIL_RECEIVES; i++)
		status = post(port, i, error);
	if (status == PLAIT_OK)
		test_oldest(port);
	return status;
}

static void free_notes(plait_backend_port *port, struct mpi_notes *notes)
{
	while (notes->first != NULL)
		free_note(port, take(notes, &notes->first));
}

/* Returns true if MPI reads the note no more. */
static bool await_sent(plait_backend_port *port, struct mpi_note *note)
{
	const struct driven *driven = &port->self->driven;
	int done = 0;

	while (plaitp_mpi_is_initialized(port->mpi)) {
		if (port->mpi->Test(&note->request, &done, MPI_STATUS_IGNORE) !=
			    MPI_SUCCESS || done)
			return true;
		if (driven->services->clock_ns(driven->host) > port->close_ns)
			return false;
		sched_yield();
	}
	return true;
}

static void close_sending(plait_backend_port *port)
{
	struct mpi_note *note;

	while (port->sending.first != NULL) {
		note = take(&port->sending, &port->sending.first);
		if (await_sent(port, note))
			plaitp_mpi_sent_give(note);
		else
			plaitp_mpi_sent_leave(note);
	}
}

void plaitp_mpi_records_close(plait_backend_port *port)
{
	bool is_free = true;
	uint32_t i;

	close_sending(port);
	if (port->requests != NULL)
		is_free = plaitp_mpi_settle(port, &port->requests[0], true);
	for (i = 0; i < MAIL_RECEIVES; i++)
		if (!plaitp_mpi_settle(port, &port->record_requests[i], true))
			is_free = false;
	free_notes(port, &port->mail);
	free_notes(port, &port->announced);
	plaitp_mpi_places_close(port);
	if (is_free && port->records != NULL)
		plaitp_mpi_unmap(port->records, MAIL_RECEIVES *
				 sizeof(*port->records));
}

void plaitp_mpi_record_came(plait_backend_port *port,
			    const MPI_Status *status)
{
	port->has_record = true;
	port->record_peer = status->MPI_SOURCE;
	port->record_bytes = 0;
	port->mpi->Get_count(status, port->mpi->byte, &port->record_bytes);
}

/* --- contents ------------------------------------------------------------- */

static struct plait_backend_link *find_half(plait_backend_port *port,
					    uint32_t peer, uint64_t number)
{
	struct plait_backend_link *link = port->links;

	while (link != NULL && (link->direction != PLAIT_LINK_SEND ||
				link->peer != peer || link->number != number ||
				link->is_connected))
		link = link->next;
	return link;
}

static void end_half(plait_backend_port *port, uint32_t peer,
		     const struct mpi_record *record)
{
	struct plait_backend_link *link;

	for (link = port->links; link != NULL; link = link->next)
		if (link->direction == PLAIT_LINK_RECEIVE &&
		    link->peer == peer && link->tag == record->tag) {
			link->has_total = true;
			link->total = record->number;
		}
}

/* Keep a record for later. */
static plait_status keep(plait_backend_port *port, struct mpi_notes *notes,
			 uint32_t peer, const struct mpi_record *record,
			 plait_error *error)
{
	struct mpi_note *note = make_note(port, record, error);

	if (note == NULL)
		return PLAIT_E_NOMEM;
	note->peer = peer;
	append(notes, note);
	return PLAIT_OK;
}

static plait_status handle(plait_backend_port *port, uint32_t peer,
			   const struct mpi_record *record,
			   plait_error *error)
{
	struct plait_backend_link *link;

	if (port->record_bytes < HEAD_BYTES ||
	    record->bytes > MAIL_BYTES ||
	    record->bytes != (uint32_t)port->record_bytes - HEAD_BYTES ||
	    record->kind < RECORD_MAIL || record->kind > RECORD_END) {
		plaitp_mpi_lose(port, peer, "a record of %d bytes makes no "
				"sense; the rank runs another version or has "
				"another byte order", port->record_bytes);
		return PLAIT_OK;
	}
	if (record->kind == RECORD_MAIL)
		return keep(port, &port->mail, peer, record, error);
	if (record->kind == RECORD_END) {
		end_half(port, peer, record);
		return PLAIT_OK;
	}
	link = find_half(port, peer, record->number);
	if (link == NULL)
		return keep(port, &port->announced, peer, record, error);
	plaitp_mpi_stream_connect(link, record);
	return PLAIT_OK;
}

plait_status plaitp_mpi_record_take(plait_backend_port *port,
				    plait_error *error)
{
	uint32_t i = port->oldest_record;
	plait_status status = PLAIT_OK;

	if (port->record_peer >= 0)
		status = handle(port, (uint32_t)port->record_peer,
				&port->records[i], error);
	if (status != PLAIT_OK)
		return status;
	port->has_record = false;
	status = post(port, i, error);
	port->oldest_record = (i + 1) % MAIL_RECEIVES;
	test_oldest(port);
	return status;
}

bool plaitp_mpi_record_find(plait_backend_port *port, uint32_t peer,
			    uint64_t number, struct mpi_record *out)
{
	struct mpi_note **place = &port->announced.first;

	while (*place != NULL && ((*place)->peer != peer ||
				  (*place)->record.number != number))
		place = &(*place)->next;
	if (*place == NULL)
		return false;
	memcpy(out, &(*place)->record, HEAD_BYTES);
	free_note(port, take(&port->announced, place));
	return true;
}

/* --- mail ----------------------------------------------------------------- */

static plait_status check_mail(plait_backend_port *port, uint32_t peer,
			       uint64_t count, plait_error *error)
{
	const plait_host_services *services = port->self->driven.services;

	if (peer >= (uint32_t)port->base->ranks || count > MAIL_BYTES)
		return plaitp_driven_fail(services, error, PLAIT_E_INVALID, 0,
					  MPI_PLUGIN_NAME ": mail of %llu "
					  "bytes to rank %u of %d; the most "
					  "are %d", (unsigned long long)count,
					  peer, port->base->ranks, MAIL_BYTES);
	if (plaitp_mpi_is_lost(port, peer))
		return plaitp_mpi_port_peer(port, peer, error);
	if (port->sending.count >= MAIL_MOST)
		plaitp_mpi_record_flush(port);
	if (port->sending.count >= MAIL_MOST)
		return plaitp_driven_fail(services, error, PLAIT_E_BUSY, 0,
					  MPI_PLUGIN_NAME ": %d records are in "
					  "flight", MAIL_MOST);
	return PLAIT_OK;
}

plait_status plaitp_mpi_record_mail(plait_backend_port *port, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error)
{
	struct mpi_record record;
	plait_status status = check_mail(port, peer, count, error);

	if (status != PLAIT_OK)
		return status;
	memset(&record, 0, HEAD_BYTES);
	record.kind = RECORD_MAIL;
	record.bytes = (uint32_t)count;
	if (count > 0)
		memcpy(record.body, bytes, count);
	return plaitp_mpi_record_send(port, peer, &record, error);
}

plait_status plaitp_mpi_record_next(plait_backend_port *port,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error)
{
	struct mpi_note *note = port->mail.first;

	if (note == NULL)
		return PLAIT_PENDING;
	*out_bytes = note->record.bytes;
	if (capacity < note->record.bytes)
		return plaitp_driven_fail(port->self->driven.services, error,
					  PLAIT_E_INVALID, 0, MPI_PLUGIN_NAME
					  ": mail of %u bytes, room for %llu",
					  note->record.bytes,
					  (unsigned long long)capacity);
	*out_peer = note->peer;
	if (note->record.bytes > 0)
		memcpy(buffer, note->record.body, note->record.bytes);
	free_note(port, take(&port->mail, &port->mail.first));
	return PLAIT_OK;
}
