/* SPDX-License-Identifier: MIT */
/* Ports: opening, closing, properties. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "shm.h"

/* Rank and ranks come from the request, the options, or both alike. */
static plait_status choose_rank(plait_backend_port *port,
				const plait_port_request *request,
				plait_error *error)
{
	const struct shm_settings *settings = &port->self->settings;

	if (request->native_kind != 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNSUPPORTED,
				       "takes no communicator of kind %u",
				       request->native_kind);
	if (request->ranks == 0 && settings->ranks == 0)
		return plaitp_shm_fail(
			port->self, error, PLAIT_E_INVALID,
			"which rank is this? Under mpirun set PLAIT_TRANSPORT="
			"%s,mpi, which asks the MPI; else set PLAIT_OPTIONS="
			"%s:rank=0,ranks=2,name=x", port->self->transport,
			port->self->transport);
	if (request->ranks > SHM_MAX_RANKS ||
	    (request->ranks != 0 && request->rank >= request->ranks))
		return plaitp_shm_fail(port->self, error, PLAIT_E_INVALID,
				       "rank %u of %u; up to %d ranks are "
				       "possible", request->rank,
				       request->ranks, SHM_MAX_RANKS);
	if (request->ranks != 0 && settings->ranks != 0 &&
	    (request->ranks != settings->ranks ||
	     request->rank != settings->rank))
		return plaitp_shm_fail(port->self, error, PLAIT_E_INVALID,
				       "rank %u of %u by the options, %u of %u "
				       "by the world", settings->rank,
				       settings->ranks, request->rank,
				       request->ranks);
	port->named = settings->has_name;
	port->rank = settings->ranks ? settings->rank : request->rank;
	port->ranks = settings->ranks ? settings->ranks : request->ranks;
	return PLAIT_OK;
}

static plait_status choose_token(plait_backend_port *port, plait_error *error)
{
	while (port->token == 0)
		if (getrandom(&port->token, sizeof(port->token), 0) !=
		    sizeof(port->token))
			return plaitp_shm_fail(port->self, error,
					       PLAIT_E_UNAVAILABLE,
					       "getrandom: %s",
					       strerror(errno));
	return PLAIT_OK;
}

static plait_status allocate_tables(plait_backend_port *port,
				    plait_error *error)
{
	plait_backend *self = port->self;

	port->peers = plaitp_shm_allocate(self,
					  port->ranks * sizeof(*port->peers));
	port->places = plaitp_shm_allocate(self,
					   SHM_LINKS * sizeof(*port->places));
	if (!port->peers || !port->places)
		return plaitp_shm_fail(self, error, PLAIT_E_NOMEM,
				       "no memory for a port of %u ranks",
				       port->ranks);
	for (uint32_t i = 0; i < port->ranks; i++) {
		port->peers[i].watch = -1;
		port->peers[i].segment = -1;
	}
	return PLAIT_OK;
}

static plait_status build(plait_backend_port *port,
			  const plait_port_request *request,
			  plait_error *error)
{
	plait_status status = choose_rank(port, request, error);

	if (status == PLAIT_OK)
		status = choose_token(port, error);
	if (status == PLAIT_OK)
		status = allocate_tables(port, error);
	if (status == PLAIT_OK && port->named)
		status = plaitp_shm_name_take(port, error);
	if (status == PLAIT_OK)
		status = plaitp_shm_segment_create(port, error);
	/* Peers find the port when its segment is complete. */
	if (status == PLAIT_OK && port->named)
		status = plaitp_shm_name_publish(port, error);
	return status;
}

plait_status plaitp_shm_port_open(plait_backend *self,
				  const plait_port_request *request,
				  plait_backend_port **out,
				  plait_error *error)
{
	plait_backend_port *port = plaitp_shm_allocate(self, sizeof(*port));
	plait_status status;

	*out = NULL;
	if (!port)
		return plaitp_shm_fail(self, error, PLAIT_E_NOMEM,
				       "no memory for a port");
	port->self = self;
	port->socket = -1;
	port->segment = -1;
	status = build(port, request, error);
	if (status != PLAIT_OK) {
		plaitp_shm_port_close(self, port);
		return status;
	}
	*out = port;
	return PLAIT_OK;
}

/* Peers see `closed`; the segment lasts until they have unmapped it. */
void plaitp_shm_port_close(plait_backend *self, plait_backend_port *port)
{
	plaitp_shm_name_release(port);
	if (port->base)
		plaitp_driven_store(
			&plaitp_shm_segment_head(port->base)->closed, 1);
	if (port->peers)
		plaitp_shm_peer_forget_all(port);
	plaitp_shm_segment_unmap(port->base, port->base_bytes);
	if (port->segment >= 0)
		(void)close(port->segment);
	plaitp_shm_free(self, port->places, SHM_LINKS * sizeof(*port->places));
	plaitp_shm_free(self, port->peers, port->ranks * sizeof(*port->peers));
	plaitp_shm_free(self, port, sizeof(*port));
}

plait_status plaitp_shm_port_query(plait_backend *self,
				   plait_backend_port *port, plait_port *out,
				   plait_error *error)
{
	plait_port full = {
		.size = sizeof(full),
		.flags = self->settings.one_process ?
			PLAIT_PORT_SAME_MACHINE | PLAIT_PORT_SAME_PROCESS |
				PLAIT_PORT_SHARES_MEMORY :
			PLAIT_PORT_SAME_MACHINE | PLAIT_PORT_SHARES_MEMORY,
		.rank = port->rank,
		.ranks = port->ranks,
		.mail_bytes = SHM_MAIL_BYTES,
		.address_bytes = SHM_ADDRESS_BYTES,
		.slot_bytes = SHM_MAX_SLOT_BYTES,
	};

	(void)error;
	if (port->named)
		full.flags |= PLAIT_PORT_KNOWS_RANKS;
	memcpy(full.machine, self->machine, sizeof(full.machine));
	plaitp_shm_peer_address(port, full.address);
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}
