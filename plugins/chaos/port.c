/* SPDX-License-Identifier: MIT */
/* Ports and worlds: opening, closing, properties, and the death of a rank. */
#include <string.h>

#include "port.h"

/* --- worlds */

/* The first world in which the rank has not been yet: that of the ranks which
 * opened as many ports before, as programs of one source do. */
static chaos_world *find_world(chaos *system, uint32_t rank, uint32_t ranks)
{
	chaos_world *found = NULL;

	for (chaos_world *world = system->worlds; world; world = world->next)
		if (world->ranks == ranks && !world->ports[rank] &&
		    !world->ended[rank])
			found = world;
	return found;
}

static void free_world(chaos *system, chaos_world *world)
{
	plaitp_chaos_free(system, world->ports,
			  world->ranks * sizeof(*world->ports));
	plaitp_chaos_free(system, world->ended,
			  world->ranks * sizeof(*world->ended));
	plaitp_chaos_free(system, world, sizeof(*world));
}

static chaos_world *add_world(chaos *system, uint32_t ranks)
{
	chaos_world *world = plaitp_chaos_allocate(system, sizeof(*world));

	if (!world)
		return NULL;
	world->ranks = ranks;
	world->ports = plaitp_chaos_allocate(system,
					     ranks * sizeof(*world->ports));
	world->ended = plaitp_chaos_allocate(system,
					     ranks * sizeof(*world->ended));
	if (!world->ports || !world->ended) {
		free_world(system, world);
		return NULL;
	}
	world->next = system->worlds;
	system->worlds = world;
	return world;
}

static void remove_if_empty(chaos *system, chaos_world *world)
{
	chaos_world **place = &system->worlds;

	if (world->open > 0)
		return;
	while (*place != world)
		place = &(*place)->next;
	*place = world->next;
	free_world(system, world);
}

/* --- loss */

plait_status plaitp_chaos_port_fail_lost(const chaos_port *port, uint32_t peer,
					 plait_error *error)
{
	return plaitp_chaos_fail(port->system, error, PLAIT_E_LOST, 0,
				 "chaos: rank %u has %s", peer,
				 port->world->ports[peer] ? "died" :
				 "closed its port");
}

plait_status plaitp_chaos_port_check(const chaos_port *port, uint32_t peer,
				     plait_error *error)
{
	if (peer >= port->world->ranks)
		return plaitp_chaos_fail(port->system, error, PLAIT_E_INVALID,
					 0, "chaos: rank %u of %u", peer,
					 port->world->ranks);
	if (port->dead)
		return plaitp_chaos_port_fail_lost(port, port->rank, error);
	return plaitp_chaos_port_is_gone(port->world, peer) ?
		plaitp_chaos_port_fail_lost(port, peer, error) : PLAIT_OK;
}

static void die(chaos *system, void *owner)
{
	chaos_port *port = owner;

	port->dead = true;
	port->world->ended[port->rank] = true;
	plaitp_chaos_log(system, "rank %u of %u dies", port->rank,
			 port->world->ranks);
}

static void schedule_death(chaos *system, chaos_port *port)
{
	const chaos_options *options = &system->options;

	if (options->dead_rank != port->rank)
		return;
	port->death.callback = die;
	port->death.owner = port;
	plaitp_chaos_clock_schedule(system, &port->death,
				    options->death_ns > system->now_ns ?
				    options->death_ns - system->now_ns : 0);
}

/* --- slots */

static plait_status check_request(chaos *system,
				  const plait_port_request *request,
				  plait_error *error)
{
	if (request->native_kind != 0)
		return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
					 "chaos: takes no communicator of kind "
					 "%u", request->native_kind);
	if (request->ranks > 0 && request->ranks <= CHAOS_MAX_RANKS &&
	    request->rank < request->ranks)
		return PLAIT_OK;
	return plaitp_chaos_fail(system, error, PLAIT_E_INVALID, 0,
				 "chaos: rank %u of %u; the program says both, "
				 "up to %d ranks", request->rank,
				 request->ranks, CHAOS_MAX_RANKS);
}

static void free_port(chaos *system, chaos_port *port, uint32_t ranks)
{
	plaitp_chaos_free(system, port->pairs, ranks * sizeof(*port->pairs));
	plaitp_chaos_free(system, port, sizeof(*port));
}

static plait_status add_port(chaos *system, const plait_port_request *request,
			     chaos_port **out, plait_error *error)
{
	chaos_port *port = plaitp_chaos_allocate(system, sizeof(*port));
	uint32_t ranks = request->ranks;

	if (!port)
		goto no_memory;
	port->pairs = plaitp_chaos_allocate(system,
					    ranks * sizeof(*port->pairs));
	port->world = find_world(system, request->rank, ranks);
	if (port->pairs && !port->world)
		port->world = add_world(system, ranks);
	if (!port->pairs || !port->world)
		goto free_port;
	if (plaitp_chaos_clock_reserve(system, error) != PLAIT_OK) {
		remove_if_empty(system, port->world);
		free_port(system, port, ranks);
		return PLAIT_E_NOMEM;
	}
	port->system = system;
	port->rank = request->rank;
	port->world->ports[port->rank] = port;
	port->world->open++;
	*out = port;
	return PLAIT_OK;

free_port:
	free_port(system, port, ranks);
no_memory:
	return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
				 "chaos: no memory for a port of %u ranks",
				 ranks);
}

plait_status plaitp_chaos_port_open(plait_backend *self,
				    const plait_port_request *request,
				    plait_backend_port **out,
				    plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status = check_request(system, request, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	plaitp_chaos_lock(system);
	status = add_port(system, request, out, error);
	if (status == PLAIT_OK)
		schedule_death(system, *out);
	plaitp_chaos_unlock(system);
	return status;
}

void plaitp_chaos_port_close(plait_backend *self, plait_backend_port *port)
{
	chaos *system = chaos_of(self);
	chaos_world *world = port->world;

	plaitp_chaos_lock(system);
	plaitp_chaos_mail_drop(port);
	plaitp_chaos_wire_drop(port);
	plaitp_chaos_clock_cancel(system, &port->death);
	plaitp_chaos_clock_unreserve(system);
	world->ports[port->rank] = NULL;
	world->ended[port->rank] = true;
	world->open--;
	free_port(system, port, world->ranks);
	remove_if_empty(system, world);
	plaitp_chaos_unlock(system);
}

plait_status plaitp_chaos_port_query(plait_backend *self,
				     plait_backend_port *port, plait_port *out,
				     plait_error *error)
{
	plait_port full = {
		.size = sizeof(full),
		.flags = PLAIT_PORT_KNOWS_RANKS | PLAIT_PORT_NEEDS_PUMP |
			PLAIT_PORT_SAME_PROCESS,
		.rank = port->rank,
		.ranks = port->world->ranks,
		.mail_bytes = CHAOS_MAIL_BYTES,
		.slot_bytes = CHAOS_SLOT_BYTES,
	};

	(void)self;
	(void)error;
	memcpy(full.machine, "chaos", sizeof("chaos"));
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}

plait_status plaitp_chaos_port_peer(plait_backend *self,
				    plait_backend_port *port, uint32_t peer,
				    plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status;

	plaitp_chaos_lock(system);
	status = plaitp_chaos_port_check(port, peer, error);
	plaitp_chaos_unlock(system);
	return status;
}
