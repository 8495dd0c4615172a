/* SPDX-License-Identifier: MIT */
/*
 * Ranks of the simulated system: ports of one instance, mail and links between
 * them, which take virtual time.  Peers share no memory: each half of a link has
 * slots of its own, and an event moves each message.
 */
#ifndef PLAIT_PLUGINS_CHAOS_PORT_H
#define PLAIT_PLUGINS_CHAOS_PORT_H

#include "chaos.h"

enum {
	CHAOS_MAX_RANKS = 1024,
	CHAOS_MAIL_BYTES = 4096,
	CHAOS_MAILS = 64 /* of one pair on their way, or not read */
};

#define CHAOS_SLOT_BYTES (UINT64_C(1) << 30)

typedef struct chaos_mail chaos_mail;
typedef struct chaos_wire chaos_wire;
typedef struct plait_backend_port chaos_port;

/* Ranks that reach each other.  Each rank opens its port once. */
struct chaos_world {
	chaos_world *next;
	uint32_t ranks;
	uint32_t open; /* ports */
	chaos_port **ports;
	bool *ended; /* the port was closed, or the rank died */
	chaos_mail *flying; /* on their way */
	chaos_wire *wires;
};

/* State of the mail of a port to one rank. */
struct chaos_pair {
	uint64_t last_ns; /* arrival of the last record */
	uint32_t pending;
};

struct plait_backend_port {
	chaos_event death;
	chaos *system;
	chaos_world *world;
	uint32_t rank;
	bool dead;
	struct chaos_pair *pairs;
	chaos_mail *first; /* that arrived */
	chaos_mail *last;
};

struct chaos_mail {
	chaos_event event;
	chaos_mail *next;
	chaos_mail **link; /* in `flying` */
	chaos_world *world;
	uint32_t from;
	uint32_t to;
	uint64_t bytes;
	unsigned char data[];
};

/* Returns true if the rank has closed its port or died. */
static inline bool plaitp_chaos_port_is_gone(const chaos_world *world,
					     uint32_t rank)
{
	return world->ended[rank];
}

/* port.c; caller holds the lock. */
plait_status plaitp_chaos_port_fail_lost(const chaos_port *port, uint32_t peer,
					 plait_error *error);
/* PLAIT_E_INVALID for a rank that is none, PLAIT_E_LOST if this port's rank or
 * the peer is gone. */
plait_status plaitp_chaos_port_check(const chaos_port *port, uint32_t peer,
				     plait_error *error);
/* mail.c: drop what is on its way to the port, or has arrived. */
void plaitp_chaos_mail_drop(chaos_port *port);
/* wire.c: drop messages to or from the port for which no receiver came. */
void plaitp_chaos_wire_drop(chaos_port *port);
/* wire.c: schedule what halves have sent and taken since the last look. */
void plaitp_chaos_wire_look(chaos *system);

/* Slots. */
plait_status plaitp_chaos_port_open(plait_backend *self,
				    const plait_port_request *request,
				    plait_backend_port **out,
				    plait_error *error);
void plaitp_chaos_port_close(plait_backend *self, plait_backend_port *port);
plait_status plaitp_chaos_port_query(plait_backend *self,
				     plait_backend_port *port, plait_port *out,
				     plait_error *error);
plait_status plaitp_chaos_port_peer(plait_backend *self,
				    plait_backend_port *port, uint32_t peer,
				    plait_error *error);
plait_status plaitp_chaos_mail_send(plait_backend *self,
				    plait_backend_port *port, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error);
plait_status plaitp_chaos_mail_next(plait_backend *self,
				    plait_backend_port *port,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error);
plait_status plaitp_chaos_wire_create(plait_backend *self,
				      plait_backend_port *port,
				      const plait_link_request *request,
				      plait_backend_link **out,
				      plait_error *error);
void plaitp_chaos_wire_destroy(plait_backend *self, plait_backend_link *link);
plait_status plaitp_chaos_wire_view(plait_backend *self,
				    plait_backend_link *link,
				    plait_link_view *out, plait_error *error);

#endif
