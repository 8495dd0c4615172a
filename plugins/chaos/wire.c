/* SPDX-License-Identifier: MIT */
/*
 * Links between ranks.  A wire joins two halves, each with slots and counters of
 * its own.  A look schedules the next message and the next credits; their events
 * copy them.
 */
#include <string.h>

#include "driven/atomic.h"

#include "port.h"

struct half {
	uint64_t *counters; /* `ready`, and on another line `taken` */
	unsigned char *slots;
	void *block; /* null: the half is gone, and nothing of it is needed */
	bool here;
};

struct chaos_wire {
	chaos_event message; /* the next one arrives */
	chaos_event credits;
	chaos_wire *next;
	chaos_world *world;
	uint32_t from, to, depth;
	uint64_t number, slot_bytes, stride, block_bytes;
	struct half sender, receiver;
	bool was_received; /* the receiver's half was made */
	uint64_t moved; /* messages that arrived */
	uint64_t returned; /* credits */
};

struct plait_backend_link {
	chaos_port *port;
	chaos_wire *wire;
	struct half *half;
	uint32_t peer;
};

enum { COUNTER_BYTES = 256, TAKEN = 16 };

/* --- events */

static bool is_dead(const chaos_world *world, uint32_t rank)
{
	return world->ports[rank] && world->ports[rank]->dead;
}

/* A sender may have destroyed its half: what it sent arrives. */
static bool moves(const chaos_wire *wire)
{
	return wire->sender.block && wire->receiver.here &&
		!is_dead(wire->world, wire->from) &&
		!is_dead(wire->world, wire->to);
}

static void arrive(chaos *system, void *owner)
{
	chaos_wire *wire = owner;
	uint64_t offset = wire->moved % wire->depth * wire->stride;
	const plait_link_slot *head;
	uint64_t bytes;

	if (!moves(wire))
		return;
	head = (const plait_link_slot *)(const void *)
		(wire->sender.slots + offset);
	bytes = head->bytes;
	if (bytes > wire->slot_bytes)
		bytes = wire->slot_bytes;
	memcpy(wire->receiver.slots + offset, head, sizeof(*head) + bytes);
	plaitp_driven_store64(&wire->receiver.counters[0], ++wire->moved);
	plaitp_chaos_log(system, "message %llu of link %llu from rank %u to %u",
			 (unsigned long long)wire->moved,
			 (unsigned long long)wire->number, wire->from,
			 wire->to);
}

static void give_back(chaos *system, void *owner)
{
	chaos_wire *wire = owner;

	(void)system;
	if (wire->sender.here)
		plaitp_driven_store64(&wire->sender.counters[TAKEN],
				      wire->returned);
}

static void look_at(chaos *system, chaos_wire *wire)
{
	const chaos_range *delay = &system->options.wire_ns;
	uint64_t taken;

	if (!moves(wire))
		return;
	if (wire->message.place == 0 &&
	    plaitp_driven_load64(&wire->sender.counters[0]) > wire->moved)
		plaitp_chaos_clock_schedule(
			system, &wire->message,
			plaitp_chaos_random_delay(system, delay));
	taken = plaitp_driven_load64(&wire->receiver.counters[TAKEN]);
	if (wire->credits.place == 0 && taken > wire->returned) {
		wire->returned = taken;
		plaitp_chaos_clock_schedule(
			system, &wire->credits,
			plaitp_chaos_random_delay(system, delay));
	}
}

void plaitp_chaos_wire_look(chaos *system)
{
	for (chaos_world *world = system->worlds; world; world = world->next)
		for (chaos_wire *wire = world->wires; wire; wire = wire->next)
			look_at(system, wire);
}

/* --- creation and destruction */

/* Returns true if the sender has left messages, and its half is not to be used
 * again. */
static bool is_left(const chaos_wire *wire)
{
	return wire->sender.block && !wire->sender.here;
}

/* A sender joins the wire whose sender has not left; a receiver the oldest one that
 * has no receiver, else the newest one.  The newest wire is the first. */
static chaos_wire *find_wire(const chaos_world *world, uint32_t from,
			     uint32_t to, uint64_t number, bool sends)
{
	chaos_wire *wire, *found = NULL;

	for (wire = world->wires; wire; wire = wire->next) {
		if (wire->from != from || wire->to != to ||
		    wire->number != number || (sends && is_left(wire)))
			continue;
		if (!found || (!sends && !wire->receiver.here))
			found = wire;
	}
	return found;
}

static void unreserve(chaos *system, uint32_t events)
{
	while (events-- > 0)
		plaitp_chaos_clock_unreserve(system);
}

static chaos_wire *add_wire(chaos_port *port, const plait_link_request *request,
			    uint32_t from, uint32_t to, plait_error *error)
{
	chaos *system = port->system;
	chaos_wire *wire = plaitp_chaos_allocate(system, sizeof(*wire));
	uint32_t reserved = 0;

	while (wire && reserved < 2 &&
	       plaitp_chaos_clock_reserve(system, error) == PLAIT_OK)
		reserved++;
	if (reserved < 2) {
		unreserve(system, reserved);
		plaitp_chaos_free(system, wire, sizeof(*wire));
		return NULL;
	}
	wire->world = port->world;
	wire->from = from;
	wire->to = to;
	wire->depth = request->depth;
	wire->number = request->number;
	wire->slot_bytes = request->slot_bytes;
	wire->stride = sizeof(plait_link_slot) +
		(request->slot_bytes + 63) / 64 * 64;
	wire->block_bytes = 64 + COUNTER_BYTES + wire->stride * wire->depth;
	wire->message.callback = arrive;
	wire->message.owner = wire;
	wire->credits.callback = give_back;
	wire->credits.owner = wire;
	wire->next = port->world->wires;
	port->world->wires = wire;
	return wire;
}

static void free_half(chaos *system, chaos_wire *wire, struct half *half)
{
	plaitp_chaos_free(system, half->block, wire->block_bytes);
	half->block = NULL;
}

static void remove_wire(chaos *system, chaos_wire *wire)
{
	chaos_wire **place = &wire->world->wires;

	free_half(system, wire, &wire->sender);
	while (*place != wire)
		place = &(*place)->next;
	*place = wire->next;
	plaitp_chaos_clock_cancel(system, &wire->message);
	plaitp_chaos_clock_cancel(system, &wire->credits);
	unreserve(system, 2);
	plaitp_chaos_free(system, wire, sizeof(*wire));
}

/* Messages wait for a receiver that has not come yet. */
static void remove_if_unused(chaos *system, chaos_wire *wire)
{
	bool waits = wire->sender.block && !wire->was_received &&
		plaitp_driven_load64(&wire->sender.counters[0]) > 0;

	if (!wire->sender.here && !wire->receiver.here && !waits)
		remove_wire(system, wire);
}

void plaitp_chaos_wire_drop(chaos_port *port)
{
	chaos_wire *wire, *next;

	for (wire = port->world->wires; wire; wire = next) {
		next = wire->next;
		if (wire->from == port->rank || wire->to == port->rank)
			if (!wire->sender.here && !wire->receiver.here)
				remove_wire(port->system, wire);
	}
}

static plait_status check_request(const chaos_port *port,
				  const plait_link_request *request,
				  plait_error *error)
{
	plait_status status = plaitp_chaos_port_check(port, request->peer,
						      error);
	uint64_t bytes;

	if (status != PLAIT_OK)
		return status;
	if (request->direction <= PLAIT_LINK_RECEIVE && request->depth > 0 &&
	    (request->depth & (request->depth - 1)) == 0 &&
	    request->slot_bytes > 0 &&
	    request->slot_bytes <= CHAOS_SLOT_BYTES &&
	    !__builtin_mul_overflow(request->slot_bytes + 128, request->depth,
				    &bytes))
		return PLAIT_OK;
	return plaitp_chaos_fail(port->system, error, PLAIT_E_INVALID, 0,
				 "chaos: link %llu, direction %u, %u slots of "
				 "%llu bytes",
				 (unsigned long long)request->number,
				 request->direction, request->depth,
				 (unsigned long long)request->slot_bytes);
}

/* The other half's depth and bytes are these, and this half is not there. */
static plait_status check_wire(const chaos_port *port, const chaos_wire *wire,
			       const struct half *half,
			       const plait_link_request *request,
			       plait_error *error)
{
	if (!half->block && wire->depth == request->depth &&
	    wire->slot_bytes == request->slot_bytes)
		return PLAIT_OK;
	return plaitp_chaos_fail(port->system, error, PLAIT_E_INVALID, 0,
				 "chaos: link %llu between ranks %u and %u %s",
				 (unsigned long long)wire->number, wire->from,
				 wire->to, half->block ? "exists already" :
				 "has other slots at the other end");
}

static plait_status add_half(chaos *system, chaos_wire *wire,
			     struct half *half, plait_error *error)
{
	half->block = plaitp_chaos_allocate(system, wire->block_bytes);
	if (!half->block)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "chaos: no memory for a link of %llu "
					 "bytes",
					 (unsigned long long)wire->block_bytes);
	half->counters = (uint64_t *)(void *)
		(((uintptr_t)half->block + 63) / 64 * 64);
	half->slots = (unsigned char *)half->counters + COUNTER_BYTES;
	half->here = true;
	return PLAIT_OK;
}

static plait_status make(chaos_port *port, const plait_link_request *request,
			 plait_backend_link *link, plait_error *error)
{
	bool sends = request->direction == PLAIT_LINK_SEND;
	uint32_t from = sends ? port->rank : request->peer;
	uint32_t to = sends ? request->peer : port->rank;
	plait_status status;

	link->port = port;
	link->peer = request->peer;
	link->wire = find_wire(port->world, from, to, request->number, sends);
	if (!link->wire)
		link->wire = add_wire(port, request, from, to, error);
	if (!link->wire)
		return plaitp_chaos_fail(port->system, error, PLAIT_E_NOMEM, 0,
					 "chaos: no memory for a link");
	link->half = sends ? &link->wire->sender : &link->wire->receiver;
	status = check_wire(port, link->wire, link->half, request, error);
	if (status == PLAIT_OK)
		status = add_half(port->system, link->wire, link->half, error);
	if (status == PLAIT_OK && !sends)
		link->wire->was_received = true;
	if (status != PLAIT_OK)
		remove_if_unused(port->system, link->wire);
	return status;
}

plait_status plaitp_chaos_wire_create(plait_backend *self,
				      plait_backend_port *port,
				      const plait_link_request *request,
				      plait_backend_link **out,
				      plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_backend_link *link;
	plait_status status;

	*out = NULL;
	plaitp_chaos_lock(system);
	status = check_request(port, request, error);
	if (status != PLAIT_OK)
		goto unlock;
	link = plaitp_chaos_allocate(system, sizeof(*link));
	if (!link) {
		status = plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					   "chaos: no memory for a link");
		goto unlock;
	}
	status = make(port, request, link, error);
	if (status == PLAIT_OK)
		*out = link;
	else
		plaitp_chaos_free(system, link, sizeof(*link));
unlock:
	plaitp_chaos_unlock(system);
	return status;
}

/* Messages that a sender leaves behind arrive: its slots stay until then. */
void plaitp_chaos_wire_destroy(plait_backend *self, plait_backend_link *link)
{
	chaos *system = chaos_of(self);
	chaos_wire *wire = link->wire;

	plaitp_chaos_lock(system);
	link->half->here = false;
	if (link->half == &wire->receiver) {
		plaitp_chaos_clock_cancel(system, &wire->message);
		free_half(system, wire, link->half);
	}
	remove_if_unused(system, wire);
	plaitp_chaos_free(system, link, sizeof(*link));
	plaitp_chaos_unlock(system);
}

plait_status plaitp_chaos_wire_view(plait_backend *self,
				    plait_backend_link *link,
				    plait_link_view *out, plait_error *error)
{
	plait_link_view view = {
		.size = sizeof(view), .depth = link->wire->depth,
		.slots = link->half->slots, .stride = link->wire->stride,
		.ready = &link->half->counters[0],
		.taken = &link->half->counters[TAKEN],
	};

	(void)self;
	(void)error;
	if (out->size < view.size)
		view.size = out->size;
	memcpy(out, &view, view.size);
	return PLAIT_OK;
}
