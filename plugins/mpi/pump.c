/* SPDX-License-Identifier: MIT */
/* Progress of a port: slots and credits to MPI, completed requests, records. */
#include "port.h"

/* Tests in a row; more work is left for the next call. */
enum { MOST_ROUNDS = 16 };

static void fail_request(plait_backend_port *port, uint32_t index,
			 const MPI_Status *status)
{
	struct plait_backend_link *link;
	char text[200];

	plaitp_mpi_explain(port->mpi, status->MPI_ERROR, text, sizeof(text));
	if (index == 0) {
		if (status->MPI_SOURCE >= 0)
			plaitp_mpi_lose(port, (uint32_t)status->MPI_SOURCE,
					"receive of mail: %s", text);
		port->has_record = true;
		port->record_peer = -1;
		return;
	}
	link = port->places[(index - 1) / 2];
	plaitp_mpi_lose(port, link->peer, "link %llu: %s",
			(unsigned long long)link->number, text);
}

static void complete(plait_backend_port *port, uint32_t index,
		     const MPI_Status *status)
{
	struct plait_backend_link *link;

	if (index == 0) {
		plaitp_mpi_record_came(port, status);
		return;
	}
	link = port->places[(index - 1) / 2];
	if (index % 2 == 1)
		plaitp_mpi_stream_slot_done(link, status);
	else
		plaitp_mpi_stream_credit_done(link);
}

/* Returns true if requests were complete. */
static bool test(plait_backend_port *port)
{
	int i, code, count = 0;

	code = port->mpi->Testsome(1 + 2 * (int)port->room, port->requests,
				   &count, port->indices, port->statuses);
	if (count == MPI_UNDEFINED || count <= 0)
		return false;
	for (i = 0; i < count; i++) {
		uint32_t index = (uint32_t)port->indices[i];
		const MPI_Status *status = &port->statuses[i];

		if (code != MPI_SUCCESS && status->MPI_ERROR != MPI_SUCCESS)
			fail_request(port, index, status);
		else
			complete(port, index, status);
	}
	return true;
}

static bool advance_halves(plait_backend_port *port,
			   plait_link_direction direction)
{
	struct plait_backend_link *link, *next;
	bool moved = false;

	for (link = port->links; link != NULL; link = next) {
		next = link->next;
		if (link->direction != direction)
			continue;
		if (plaitp_mpi_stream_advance(link))
			moved = true;
		if (plaitp_mpi_stream_has_ended(link))
			plaitp_mpi_link_free(link);
	}
	return moved;
}

/* Returns true if a link gave something to MPI.  Sends come first: MPI may copy a
 * message while its receive is posted. */
static bool advance(plait_backend_port *port)
{
	bool sent = advance_halves(port, PLAIT_LINK_SEND);

	return advance_halves(port, PLAIT_LINK_RECEIVE) || sent;
}

static plait_status pump_port(plait_backend_port *port, plait_error *error)
{
	plait_status status = PLAIT_OK;
	bool moved = advance(port);
	uint32_t round;

	plaitp_mpi_record_flush(port);
	for (round = 0; round < MOST_ROUNDS && status == PLAIT_OK; round++) {
		if (!port->has_record && !test(port))
			break;
		moved = true;
		if (port->has_record)
			status = plaitp_mpi_record_take(port, error);
	}
	if (status != PLAIT_OK)
		return status;
	return moved ? PLAIT_OK : PLAIT_PENDING;
}

plait_status plaitp_mpi_pump(plait_backend *self, plait_error *error)
{
	plait_status status, all = PLAIT_PENDING;
	plait_backend_port *port;

	for (port = self->ports; port != NULL; port = port->next) {
		status = pump_port(port, error);
		if (status != PLAIT_OK && status != PLAIT_PENDING)
			return status;
		if (status == PLAIT_OK)
			all = PLAIT_OK;
	}
	return all;
}
