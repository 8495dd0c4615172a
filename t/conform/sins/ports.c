/* SPDX-License-Identifier: MIT */
/*
 * The ports of the small backend: an instance is a world of up to eight ranks, and
 * a link is one piece of memory that both halves show.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base.h"

enum { RANKS = 8, MAILS = 64, MAIL_BYTES = 512 };

struct mail {
	uint32_t from;
	uint64_t bytes;
	const void *borrowed; /* SIN_MAIL_BORROWED */
	unsigned char data[MAIL_BYTES];
};

struct plait_backend_port {
	plait_backend *self;
	uint32_t rank;
	uint32_t ranks;
	bool closed;
	uint32_t bell, sleeping;
	uint32_t queries;
	uint32_t first, count; /* in `mails` */
	struct mail mails[MAILS];
};

/* Memory of a link: counters, and slots behind them. */
struct wire {
	struct wire *next;
	uint32_t from, to, depth;
	uint32_t halves; /* that are there */
	uint64_t number, slot_bytes, stride, bytes;
	uint32_t stray_bell;
	_Alignas(64) uint64_t ready;
	_Alignas(64) uint64_t taken;
	_Alignas(64) uint64_t stray;
	_Alignas(64) uint64_t lent[2]; /* of sender, of receiver */
	_Alignas(64) unsigned char slots[];
};

struct plait_backend_link {
	plait_backend_port *port;
	plait_link_direction direction;
	uint32_t peer;
	struct wire *wire;
};

/* A port of another world, for SIN_WORLDS_MIXED; mail of a closed one, for
 * SIN_MAIL_STALE. */
static plait_backend_port *mixed;
static struct mail stale;

static plait_status fail(plait_backend *self, plait_error *error,
			 plait_status status, const char *text)
{
	return self->services->fail(error, status, 0, text);
}

/* --- ports */

plait_status sins_port_open(plait_backend *self,
			    const plait_port_request *request,
			    plait_backend_port **out, plait_error *error)
{
	uint32_t rank = request->rank, ranks = request->ranks;
	plait_backend_port *port;

	*out = NULL;
	if (request->native_kind != 0)
		return fail(self, error, PLAIT_E_UNSUPPORTED,
			    "sins: no communicators");
	if (SINS(PORT_ANYWHERE) && rank >= ranks)
		rank = 0;
	if (ranks > RANKS || rank >= ranks)
		return fail(self, error, PLAIT_E_INVALID, "sins: which rank?");
	port = sins_allocate(self, sizeof(*port));
	if (port == NULL)
		return SINS(PORT_OUT_OF_MEMORY) ?
			fail(self, error, PLAIT_E_FAILED, "sins: oh") :
			sins_no_memory(self, sizeof(*port), error);
	memset(port, 0, sizeof(*port));
	port->self = self;
	port->rank = rank;
	port->ranks = ranks;
	if (SINS(MAIL_STALE) && rank == 1 && stale.bytes != 0)
		port->mails[port->count++] = stale;
	self->ports[rank] = port;
	if (rank == 1)
		mixed = port;
	*out = port;
	return PLAIT_OK;
}

void sins_port_close(plait_backend *self, plait_backend_port *port)
{
	if (port->rank == 1 && port->count > 0)
		stale = port->mails[port->first];
	self->ports[port->rank] = NULL;
	self->ended |= 1u << port->rank;
	if (mixed == port)
		mixed = NULL;
	for (uint32_t i = 0; i < RANKS; i++)
		if (self->ports[i] != NULL)
			goto release;
	self->ended = 0;
release:
	if (!SINS(PORT_LEAKS))
		sins_free(self, port, sizeof(*port));
}

plait_status sins_port_query(plait_backend *self, plait_backend_port *port,
			     plait_port *out, plait_error *error)
{
	plait_port full = {
		.size = sizeof(full), .rank = port->rank,
		.flags = PLAIT_PORT_KNOWS_RANKS | PLAIT_PORT_SAME_PROCESS |
			 PLAIT_PORT_SHARES_MEMORY,
		.ranks = port->ranks, .mail_bytes = MAIL_BYTES,
		.slot_bytes = UINT64_C(1) << 24,
	};

	(void)self;
	(void)error;
	if (SINS(PORT_CHANGES))
		full.mail_bytes += port->queries++;
	if (out->size < full.size)
		full.size = out->size;
	memcpy(out, &full, full.size);
	return PLAIT_OK;
}

static bool has_ended(const plait_backend *self, uint32_t peer)
{
	return (self->ended >> peer & 1) && self->ports[peer] == NULL;
}

static plait_status fail_lost(plait_backend *self, uint32_t peer,
			      plait_error *error)
{
	char text[] = "sins: rank 0 is gone";

	text[11] = (char)('0' + peer);
	return fail(self, error, PLAIT_E_LOST, text);
}

plait_status sins_peer_query(plait_backend *self, plait_backend_port *port,
			     uint32_t peer, plait_error *error)
{
	(void)port;
	if (SINS(PEER_IMMORTAL) || !has_ended(self, peer))
		return PLAIT_OK;
	return fail_lost(self, peer, error);
}

/* --- mail */

plait_status sins_mail_send(plait_backend *self, plait_backend_port *port,
			    uint32_t peer, const void *bytes, uint64_t count,
			    plait_error *error)
{
	plait_backend_port *to = self->ports[peer];
	struct mail *mail;

	if (SINS(WORLDS_MIXED) && mixed != NULL && to != NULL &&
	    mixed->rank == to->rank)
		to = mixed;
	if (has_ended(self, peer))
		return fail_lost(self, peer, error);
	if (to != NULL && to->count == MAILS && SINS(MAIL_LOST))
		return PLAIT_OK;
	if (to == NULL || to->count == MAILS)
		return fail(self, error, PLAIT_E_BUSY, "sins: no room");
	mail = &to->mails[(to->first + to->count++) % MAILS];
	mail->from = port->rank;
	mail->bytes = count;
	mail->borrowed = bytes;
	memcpy(mail->data, bytes, count);
	return PLAIT_OK;
}

plait_status sins_mail_next(plait_backend *self, plait_backend_port *port,
			    uint32_t *out_peer, void *buffer,
			    uint64_t capacity, uint64_t *out_bytes,
			    plait_error *error)
{
	struct mail *mail = &port->mails[port->first];

	(void)self;
	(void)capacity;
	(void)error;
	if (port->count == 0)
		return PLAIT_PENDING;
	*out_peer = SINS(MAIL_ANONYMOUS) ? 0 : mail->from;
	*out_bytes = mail->bytes;
	memcpy(buffer, SINS(MAIL_BORROWED) ? mail->borrowed : mail->data,
	       mail->bytes);
	port->first = (port->first + 1) % MAILS;
	port->count--;
	return PLAIT_OK;
}

/* --- links */

static struct wire *find_wire(plait_backend *self, uint32_t from, uint32_t to,
			      uint64_t number)
{
	struct wire *wire = self->wires;

	while (wire != NULL &&
	       (wire->from != from || wire->to != to ||
		(wire->number != number && !SINS(NUMBERS_IGNORED))))
		wire = wire->next;
	return wire;
}

static struct wire *make_wire(plait_backend *self,
			      const plait_link_request *request, uint32_t from,
			      uint32_t to)
{
	uint64_t stride = sizeof(plait_link_slot) +
		(request->slot_bytes + 63) / 64 * 64;
	uint64_t bytes = sizeof(struct wire) + stride * request->depth;
	struct wire *wire = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (wire == MAP_FAILED)
		return NULL;
	wire->from = from;
	wire->to = to;
	wire->depth = request->depth;
	wire->number = request->number;
	wire->stride = stride;
	wire->bytes = bytes;
	wire->next = self->wires;
	self->wires = wire;
	return wire;
}

plait_status sins_link_create(plait_backend *self, plait_backend_port *port,
			      const plait_link_request *request,
			      plait_backend_link **out, plait_error *error)
{
	bool sends = request->direction == PLAIT_LINK_SEND;
	uint32_t from = sends ? port->rank : request->peer;
	uint32_t to = sends ? request->peer : port->rank;
	plait_backend_link *link;

	*out = NULL;
	if (request->slot_bytes > (SINS(LONG_SLOTS) ? UINT64_MAX :
				   SINS(SLOTS_CUT) ? 65536 :
				   UINT64_C(1) << 24))
		return fail(self, error, PLAIT_E_INVALID, "sins: too long");
	if (has_ended(self, request->peer))
		return fail_lost(self, request->peer, error);
	while (SINS(LINK_WAITS) && find_wire(self, from, to,
					     request->number) == NULL)
		pause();
	link = sins_allocate(self, sizeof(*link));
	if (link == NULL)
		return sins_no_memory(self, sizeof(*link), error);
	link->port = port;
	link->direction = request->direction;
	link->peer = request->peer;
	link->wire = find_wire(self, from, to, request->number);
	if (link->wire == NULL)
		link->wire = make_wire(self, request, from, to);
	if (link->wire == NULL) {
		sins_free(self, link, sizeof(*link));
		return sins_no_memory(self, request->slot_bytes, error);
	}
	link->wire->halves++;
	*out = link;
	return PLAIT_OK;
}

void sins_link_destroy(plait_backend *self, plait_backend_link *link)
{
	struct wire *wire = link->wire, **place = &self->wires;

	if (--wire->halves == 0) {
		while (*place != wire)
			place = &(*place)->next;
		*place = wire->next;
		if (!SINS(WIRES_KEPT))
			munmap(wire, wire->bytes);
	}
	sins_free(self, link, sizeof(*link));
}

plait_status sins_link_view(plait_backend *self, plait_backend_link *link,
			    plait_link_view *out, plait_error *error)
{
	bool sends = link->direction == PLAIT_LINK_SEND;
	plait_backend_port *peer = self->ports[link->peer];
	struct wire *wire = link->wire;
	plait_link_view view = {
		.size = sizeof(view), .depth = wire->depth,
		.slots = wire->slots, .stride = wire->stride,
		.ready = &wire->ready, .taken = &wire->taken,
		.lent = &wire->lent[!sends],
		.bell = &link->port->bell, .sleeping = &link->port->sleeping,
		.peer_bell = peer ? &peer->bell : &wire->stray_bell,
		.peer_sleeping = peer ? &peer->sleeping : &wire->stray_bell,
	};

	(void)error;
	if (SINS(COUNTERS_TOGETHER))
		view.taken = view.ready + 1;
	if (SINS(STRIDE_SHORT) && !sends && wire->depth == 8)
		view.stride -= 64;
	if (SINS(CREDITS_KEPT) && sends)
		view.taken = &wire->stray;
	if (SINS(BELLS_APART))
		view.peer_bell = &wire->stray_bell;
	if (out->size < view.size)
		view.size = out->size;
	memcpy(out, &view, view.size);
	return PLAIT_OK;
}

/* A sender's bytes are copied at once; a receiver's come into the slot. */
static plait_status lend(plait_backend *self, plait_backend_link *link,
			 void *memory, uint64_t bytes, plait_error *error)
{
	struct wire *wire = link->wire;

	(void)self;
	(void)error;
	if (link->direction == PLAIT_LINK_RECEIVE)
		return PLAIT_OK;
	if (!SINS(LOANS_FORGOTTEN))
		memcpy(wire->slots + wire->ready % wire->depth * wire->stride +
		       sizeof(plait_link_slot), memory, bytes);
	wire->lent[0] = wire->ready + 1;
	return PLAIT_OK;
}

static plait_status reclaim(plait_backend *self, plait_backend_link *link,
			    plait_error *error)
{
	(void)self;
	(void)link;
	(void)error;
	return PLAIT_OK;
}

/* --- memory that peers read: anonymous, and kept until the end for those that map
 * it; its place is its address */

static plait_status shared_create(plait_backend *self, plait_backend_port *port,
				  uint64_t bytes, void **out,
				  uint64_t *out_place, plait_error *error)
{
	static void *last;
	void *memory = SINS(PLACES_REUSED) && last != NULL ? last :
		mmap(NULL, (bytes + 4095) / 4096 * 4096,
		     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);

	(void)port;
	if (memory == MAP_FAILED)
		return sins_no_memory(self, bytes, error);
	if (SINS(PLACES_REUSED) && bytes > 65536)
		last = memory;
	*out = memory;
	*out_place = (uintptr_t)memory;
	return PLAIT_OK;
}

static void shared_destroy(plait_backend *self, plait_backend_port *port,
			   void *memory, uint64_t place, uint64_t bytes)
{
	(void)self;
	(void)port;
	(void)memory;
	(void)place;
	(void)bytes;
}

static plait_status shared_map(plait_backend *self, plait_backend_port *port,
			       uint32_t peer, uint64_t place, uint64_t bytes,
			       const void **out, plait_error *error)
{
	(void)port;
	(void)peer;
	(void)bytes;
	if (place == UINT64_C(1) << 60)
		return fail(self, error, PLAIT_E_INVALID, "sins: no memory");
	*out = (const void *)(uintptr_t)place;
	return PLAIT_OK;
}

static void shared_unmap(plait_backend *self, plait_backend_port *port,
			 const void *memory, uint64_t bytes)
{
	(void)self;
	(void)port;
	(void)memory;
	(void)bytes;
}

void sins_ports_lend(plait_backend_table *table)
{
	table->shared_create = shared_create;
	table->shared_destroy = shared_destroy;
	table->shared_map = shared_map;
	table->shared_unmap = shared_unmap;
	table->link_lend = lend;
	table->link_reclaim = reclaim;
}
