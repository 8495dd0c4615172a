/* SPDX-License-Identifier: MIT */
/*
 * Worlds: the ranks of a program, the ports that reach them, their mail.
 *
 * The ports are those of the list of transports, in its order; `mail` is the
 * first one that knows ranks.  Each peer has a route, the first port that reaches
 * it; both ends compute the same one.  A world without transports has one rank
 * and no ports.
 */
#ifndef PLAIT_SRC_WORLD_WORLD_H
#define PLAIT_SRC_WORLD_WORLD_H

#include "plait/world.h"

#include "world/world_mail.h"
#include "world/world_port.h"
#include "object/context/context.h"

enum { PLAIT__WORLD_NO_ROUTE = UINT32_MAX };

/* A peer's port, as its hello describes it. */
typedef struct plait__world_end {
	bool is_known;
	plait_port_flags flags;
	uint64_t slot_bytes;
	uint32_t address_bytes;
	unsigned char address[64];
	unsigned char machine[16];
	uint64_t process;	/* equal for the ports of one process */
	uint64_t cpu_set;	/* equal for equal affinity masks */
	uint32_t cpus;		/* in it, or of a quota */
} plait__world_end;

typedef struct plait__world {
	plait__object object;
	uint32_t rank, ranks;
	uint32_t machines;
	bool is_crowded;	/* more ranks on this machine than CPUs */
	uint32_t port_count;
	plait__world_port *ports;
	uint32_t mail;		/* port that carries it */
	plait__world_end *ends;	/* by rank, then by port */
	uint32_t *routes;	/* by rank: a port, or NO_ROUTE */
	uint64_t open_ns, silence_ns;
	uint64_t slot_limit;	/* longest slot that all ports of all ranks take */
	uint32_t shared_port;	/* shares memory with peers, or NO_ROUTE */
	at_u32 memory_count;	/* of the list below */
	struct plait__mutex memory_lock; /* guards the list; world_buffer.c */
	struct plait__world_memory *memories;
	plait__world_mailbox mailbox;
	struct plait__mutex order_lock; /* guards the next field */
	uint64_t next_collective; /* number of the next one */
	bool has_exit;		/* guarded by the lock of rank_exit.c */
} plait__world;

PLAIT__OBJECT_ENTER(world, PLAIT_OBJECT_WORLD);

static inline const plait_allocator *
plait__world_allocator(const plait__world *world)
{
	return plait__context_allocator(world->object.context);
}

static inline plait__world_end *plait__world_end_at(const plait__world *world,
						    uint32_t rank,
						    uint32_t port)
{
	return &world->ends[(uint64_t)rank * world->port_count + port];
}

/* Returns the port that reaches a peer. */
static inline plait__world_port *
plait__world_route(const plait__world *world, uint32_t peer)
{
	return &world->ports[world->routes[peer]];
}

/* Make progress: ports that need it, and mail.  PLAIT_E_...: a slot failed. */
plait_status plait__world_progress(plait__world *world, plait_error *error);

/* Sleep for a moment between two looks. */
void plait__world_rest(void);

/* Send a record to a peer; waits for room until `deadline_ns`. */
plait_status plait__world_send(plait__world *world, uint32_t peer,
			       plait__world_mail *mail, uint64_t deadline_ns,
			       plait_error *error);

/*
 * Send a record to each peer, and receive one of the same kind and number from
 * each; `take` (with `arg`) receives them.  PLAIT_E_TIMEOUT names ranks that did
 * not send; PLAIT_E_LOST; or what `take` returns.
 */
plait_status plait__world_exchange(
	plait__world *world, plait__world_mail *mail, const char *what,
	plait_status (*take)(void *arg, uint32_t peer,
			     const plait__world_mail *mail, plait_error *error),
	void *arg, plait_error *error);

/* ---- hello.c ---- */

/* Exchange hellos, and choose the routes. */
plait_status plait__hello_exchange(plait__world *world, plait_error *error);

/* Say in a few words why a port does not reach a peer; null: it does. */
const char *plait__hello_why_not(const plait__world *world, uint32_t peer,
				 uint32_t port);

#endif
