/* SPDX-License-Identifier: MIT */
/*
 * Table of the requests that the pump tests: the oldest record, and for each
 * link its oldest slot and its credit.
 */
#include <string.h>

#include "port.h"

enum { FIRST_ROOM = 8 };

/* All arrays are in one allocation. */
static uint64_t count_bytes(uint64_t room)
{
	return (1 + 2 * room) * (sizeof(MPI_Request) + sizeof(MPI_Status) +
				 sizeof(int)) +
	       room * sizeof(struct plait_backend_link *);
}

static void set_pointers(plait_backend_port *port, void *block, uint32_t room)
{
	uint64_t i, count = 1 + 2 * (uint64_t)room;

	/* In the order of their alignment. */
	port->places = block;
	port->statuses = (void *)(port->places + room);
	port->requests = (void *)(port->statuses + count);
	port->indices = (void *)(port->requests + count);
	port->room = room;
	for (i = 0; i < count; i++)
		port->requests[i] = port->mpi->no_request;
	for (i = 0; i < room; i++)
		port->places[i] = NULL;
}

static plait_status grow(plait_backend_port *port, uint32_t room,
			 plait_error *error)
{
	const plait_host_services *services = port->self->driven.services;
	struct plait_backend_link **places = port->places;
	MPI_Request *requests = port->requests;
	uint32_t old = port->room;
	void *block = services->resize(port->self->driven.host, NULL, 0,
				       count_bytes(room));

	if (block == NULL)
		return plaitp_driven_fail(services, error, PLAIT_E_NOMEM, 0,
					  MPI_PLUGIN_NAME ": no memory for "
					  "%u links", room);
	set_pointers(port, block, room);
	if (places == NULL)
		return PLAIT_OK;
	memcpy(port->places, places, old * sizeof(*places));
	memcpy(port->requests, requests, (1 + 2 * (uint64_t)old) *
	       sizeof(*requests));
	services->resize(port->self->driven.host, places, count_bytes(old), 0);
	return PLAIT_OK;
}

plait_status plaitp_mpi_places_open(plait_backend_port *port,
				    plait_error *error)
{
	return grow(port, FIRST_ROOM, error);
}

void plaitp_mpi_places_close(plait_backend_port *port)
{
	if (port->places != NULL)
		port->self->driven.services->resize(
			port->self->driven.host, port->places,
			count_bytes(port->room), 0);
}

plait_status plaitp_mpi_places_take(plait_backend_port *port,
				    struct plait_backend_link *link,
				    plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t place = 0;

	while (place < port->room && port->places[place] != NULL)
		place++;
	if (place == port->room)
		status = grow(port, 2 * port->room, error);
	if (status != PLAIT_OK)
		return status;
	port->places[place] = link;
	link->place = place;
	return PLAIT_OK;
}
