/* SPDX-License-Identifier: MIT */
/*
 * Slots of ports.  Each holds the process's lock: instances have locks of their
 * own, and one thread at a time calls MPI.
 */
#include <string.h>

#include "slots.h"

static plait_status port_open(plait_backend *self,
			      const plait_port_request *request,
			      plait_backend_port **out, plait_error *error)
{
	plait_status status;

	plaitp_mpi_process_lock();
	status = plaitp_mpi_port_open(self, request, out, error);
	plaitp_mpi_process_unlock();
	return status;
}

static void port_close(plait_backend *self, plait_backend_port *port)
{
	plaitp_mpi_process_lock();
	plaitp_mpi_port_close(self, port);
	plaitp_mpi_process_unlock();
}

/* An older core has a shorter record. */
static plait_status port_query(plait_backend *self, plait_backend_port *port,
			       plait_port *out, plait_error *error)
{
	plait_port all = { .size = out->size };

	(void)self;
	(void)error;
	plaitp_mpi_port_describe(port, &all);
	memcpy(out, &all, out->size < sizeof(all) ? out->size : sizeof(all));
	return PLAIT_OK;
}

static plait_status mail_send(plait_backend *self, plait_backend_port *port,
			      uint32_t peer, const void *bytes,
			      uint64_t count, plait_error *error)
{
	plait_status status = plaitp_mpi_process_enter(self, error);

	if (status != PLAIT_OK)
		return status;
	status = plaitp_mpi_record_mail(port, peer, bytes, count, error);
	plaitp_mpi_process_unlock();
	return status;
}

static plait_status mail_next(plait_backend *self, plait_backend_port *port,
			      uint32_t *out_peer, void *buffer,
			      uint64_t capacity, uint64_t *out_bytes,
			      plait_error *error)
{
	(void)self;
	return plaitp_mpi_record_next(port, out_peer, buffer, capacity,
				      out_bytes, error);
}

static plait_status link_create(plait_backend *self, plait_backend_port *port,
				const plait_link_request *request,
				plait_backend_link **out, plait_error *error)
{
	plait_status status = plaitp_mpi_process_enter(self, error);

	if (status != PLAIT_OK)
		return status;
	status = plaitp_mpi_link_create(port, request, out, error);
	plaitp_mpi_process_unlock();
	return status;
}

static void link_destroy(plait_backend *self, plait_backend_link *link)
{
	(void)self;
	plaitp_mpi_process_lock();
	plaitp_mpi_link_destroy(link);
	plaitp_mpi_process_unlock();
}

static plait_status link_view(plait_backend *self, plait_backend_link *link,
			      plait_link_view *out, plait_error *error)
{
	plait_link_view all = {
		.size = out->size,
		.depth = link->depth,
		.slots = link->slots,
		.stride = link->stride,
		.ready = link->ready,
		.taken = link->taken,
		.lent = link->lent,
	};

	(void)self;
	(void)error;
	memcpy(out, &all, out->size < sizeof(all) ? out->size : sizeof(all));
	return PLAIT_OK;
}

static plait_status link_lend(plait_backend *self, plait_backend_link *link,
			      void *memory, uint64_t bytes, plait_error *error)
{
	plait_status status = plaitp_mpi_process_enter(self, error);

	if (status != PLAIT_OK)
		return status;
	status = plaitp_mpi_loan_lend(link, memory, bytes, error);
	if (status == PLAIT_OK && link->direction == PLAIT_LINK_RECEIVE)
		plaitp_mpi_stream_advance(link);
	plaitp_mpi_process_unlock();
	return status;
}

/* Once MPI has ended it uses no memory. */
static plait_status link_reclaim(plait_backend *self, plait_backend_link *link,
				 plait_error *error)
{
	plait_status status = plaitp_mpi_process_enter(self, error);

	if (status != PLAIT_OK)
		return PLAIT_OK;
	status = plaitp_mpi_loan_reclaim(link);
	plaitp_mpi_process_unlock();
	return status;
}

static plait_status peer_query(plait_backend *self, plait_backend_port *port,
			       uint32_t peer, plait_error *error)
{
	(void)self;
	return plaitp_mpi_port_peer(port, peer, error);
}

static plait_status pump(plait_backend *self, plait_error *error)
{
	plait_status status = plaitp_mpi_process_enter(self, error);

	if (status != PLAIT_OK)
		return status;
	status = plaitp_mpi_pump(self, error);
	plaitp_mpi_process_unlock();
	return status;
}

void plaitp_mpi_slots_fill(plait_backend_table *table)
{
	table->pump = pump;
	table->port_open = port_open;
	table->port_close = port_close;
	table->port_query = port_query;
	table->mail_send = mail_send;
	table->mail_next = mail_next;
	table->link_create = link_create;
	table->link_destroy = link_destroy;
	table->link_view = link_view;
	table->peer_query = peer_query;
	table->link_lend = link_lend;
	table->link_reclaim = link_reclaim;
}
