/* SPDX-License-Identifier: MIT */
/*
 * Half a link: a stream of slots to a peer, or from a peer, through the view of
 * a transport (plait/transport.h).
 *
 *     sender                               receiver
 *     can_send, fill the slot, push        can_receive, read the slot, pop
 *
 * One thread at a time uses a half.  Counters of the peer are read, never
 * trusted: a slot's index is of the own counter.
 *
 * Sleeping: a thread announces itself, looks at all its links again, sleeps on
 * the bell, and withdraws.  A push or pop rings the bell of a peer that is
 * announced.
 */
#ifndef PLAIT_SRC_WORLD_SLOT_LINK_H
#define PLAIT_SRC_WORLD_SLOT_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/atomic.h"

typedef struct plait__slot_link {
	at_u64 *ready, *taken;
	unsigned char *slots;
	uint64_t stride;
	uint32_t depth;		/* a power of two */
	uint32_t peer;
	uint64_t own;		/* messages sent, or received */
	uint64_t seen;		/* the peer's counter, when it was read last */
	/* Null: memory is not lent; see plait/transport.h. */
	at_u64 *lent;
	uint64_t kept;		/* message whose lent bytes are in its slot now */
	const struct plait__world_port *port; /* for loans: world_port.h */
	struct plait_backend_link *raw;
	/* Null: without bells. */
	at_u32 *bell, *sleeping, *peer_bell, *peer_sleeping;
} plait__slot_link;

/* Wake the peer if it sleeps; behind the store of a counter. */
void plait__slot_link_ring(const plait__slot_link *link);

/* Announce that this thread will sleep; returns the bell's state for
 * plait__slot_link_sleep.  Look at all links behind it. */
uint32_t plait__slot_link_announce(const plait__slot_link *link);
void plait__slot_link_sleep(const plait__slot_link *link, uint32_t state,
			    uint64_t deadline_ns);
void plait__slot_link_withdraw(const plait__slot_link *link);

static inline bool plait__slot_link_can_send(plait__slot_link *link)
{
	if (link->own - link->seen < link->depth)
		return true;
	/* Acquire: pairs with the release in plait__slot_link_pop. */
	link->seen = at_load_acquire_u64(link->taken);
	return link->own - link->seen < link->depth;
}

static inline bool plait__slot_link_can_receive(plait__slot_link *link)
{
	if (link->seen != link->own)
		return true;
	/* Acquire: pairs with the release in plait__slot_link_push. */
	link->seen = at_load_acquire_u64(link->ready);
	return link->seen != link->own;
}

/* Slot at the front: to be filled, or to be read. */
static inline unsigned char *plait__slot_link_front(const plait__slot_link *link)
{
	return link->slots + (link->own & (link->depth - 1)) * link->stride;
}

/* Sender: the transport has let go of the first `count` messages. */
static inline bool plait__slot_link_is_returned(const plait__slot_link *link,
						uint64_t count)
{
	/* Acquire: pairs with the release in the transport, behind its last
	 * access to the memory. */
	return at_load_acquire_u64(link->lent) >= count;
}

/* Receiver: the bytes of the message at the front are in lent memory. */
static inline bool plait__slot_link_is_lent(const plait__slot_link *link)
{
	/* Relaxed: behind the acquire in plait__slot_link_can_receive. */
	return link->lent != NULL && link->kept != link->own + 1 &&
	       at_load_relaxed_u64(link->lent) == link->own + 1;
}

static inline void plait__slot_link_push(plait__slot_link *link)
{
	/* Release: pairs with the acquire in plait__slot_link_can_receive. */
	at_store_release_u64(link->ready, ++link->own);
	plait__slot_link_ring(link);
}

static inline void plait__slot_link_pop(plait__slot_link *link)
{
	/* Release: pairs with the acquire in plait__slot_link_can_send. */
	at_store_release_u64(link->taken, ++link->own);
	plait__slot_link_ring(link);
}

#endif
