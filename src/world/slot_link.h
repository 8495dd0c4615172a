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
 * Stamps.  Where both halves have the same slots (plait/transport.h, "Shared memory"),
 * a receiver need not look at `ready`: the sender stores the stamp last, a word of the
 * slot whose upper half is the number of the message.  So one cache line tells that
 * there is a message, and what it is.  Until each slot has had a message, memory of
 * slots may have any content, and the receiver looks at `ready`.
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
	uint64_t seen;		/* the peer's counter, as far as it is known */
	uint32_t stamp;		/* receiver: its offset in a slot; 0: none */
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

/* Slot at the front: to be filled, or to be read. */
static inline unsigned char *plait__slot_link_front(const plait__slot_link *link)
{
	return link->slots + (link->own & (link->depth - 1)) * link->stride;
}

static inline at_u64 *plait__slot_link_stamp(const plait__slot_link *link,
					     uint32_t offset)
{
	return (at_u64 *)(void *)(plait__slot_link_front(link) + offset);
}

static inline bool plait__slot_link_is_stamped(const plait__slot_link *link)
{
	/* Acquire: pairs with the release in plait__slot_link_push_stamped. */
	uint64_t stamp = at_load_acquire_u64(
		plait__slot_link_stamp(link, link->stamp));

	return stamp >> 32 == (uint32_t)(link->own + 1);
}

static inline bool plait__slot_link_can_receive(plait__slot_link *link)
{
	if (link->seen != link->own)
		return true;
	if (link->stamp != 0 && link->own >= link->depth) {
		link->seen += plait__slot_link_is_stamped(link);
		return link->seen != link->own;
	}
	/* Acquire: pairs with the release in plait__slot_link_push. */
	link->seen = at_load_acquire_u64(link->ready);
	return link->seen != link->own;
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

/* The same, of a message with a stamp, whose lower half is `value`. */
static inline void plait__slot_link_push_stamped(plait__slot_link *link,
						 uint32_t offset,
						 uint32_t value)
{
	/* Release: pairs with the acquire in plait__slot_link_is_stamped. */
	at_store_release_u64(plait__slot_link_stamp(link, offset),
			     (link->own + 1) << 32 | value);
	plait__slot_link_push(link);
}

static inline void plait__slot_link_pop(plait__slot_link *link)
{
	/* Release: pairs with the acquire in plait__slot_link_can_send. */
	at_store_release_u64(link->taken, ++link->own);
	plait__slot_link_ring(link);
}

/* The same, of a sender that sleeps only while the link is full. */
static inline void plait__slot_link_pop_full(plait__slot_link *link)
{
	/* Release: pairs with the acquire in plait__slot_link_can_send. */
	at_store_release_u64(link->taken, ++link->own);
	/* Pairs with the fence in plait__slot_link_announce: the sender sees the
	 * counter, or this thread sees that the link was full. */
	at_fence_seq_cst();
	if (at_load_relaxed_u64(link->ready) - (link->own - 1) >= link->depth)
		plait__slot_link_ring(link);
}

#endif
