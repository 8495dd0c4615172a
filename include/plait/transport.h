/* SPDX-License-Identifier: MIT */
/*
 * plait/transport.h - the interface of transports: how ranks reach each other.
 *
 * A transport is a plugin whose table has the slots of ports (plait/plugin.h,
 * port_open and what follows it).  A world opens it by name, after its context
 * is open; it appears in no list of devices.  With PLAIT_PLUGIN_TRANSPORT in
 * its flags the plugin is nothing but a transport: it has no devices, and of the
 * other slots `open`, `close` and `pump` alone.
 *
 * A *port* is one rank's end of a transport.  Ports exchange two things:
 *
 * Mail - short records, copied, in order for each pair of ports.  Worlds begin
 * with mail, and send rare or small records by it.
 *
 * Links - streams of slots from one port to another one.  Both ends create
 * their half with the same number.  A *view* of a half shows its slots and its
 * two counters; the world fills and reads slots itself, and a transport whose
 * peers share no memory moves them in `pump`, or on a thread of its own.
 *
 *     sender                               receiver
 *     wait until sent - *taken < depth     wait until *ready > received
 *     fill slot (sent % depth)             read slot (received % depth)
 *     store ++sent to *ready (release)     store ++received to *taken (release)
 *
 * A slot begins with a plait_link_slot; `bytes` says how many of the bytes
 * behind it the transport moves.  Counters never decrease.
 *
 * Progress.  No slot waits for a peer.  A world whose ranks wait calls `pump`
 * of each transport with PLAIT_PORT_NEEDS_PUMP, on one thread at a time, and
 * the slots of ports are called under the same lock, so that a transport may
 * need one thread.
 *
 * Waiting.  If both views have bells (words in memory that both processes
 * map), a thread that wants to sleep stores 1 to its own `*sleeping`, with
 * sequential consistency, looks once more, and waits on `*bell` by futex; the
 * peer that has stored a counter adds 1 to `*peer_bell` and wakes it if
 * `*peer_sleeping` is not 0.  Without bells the world polls.
 *
 * Lent memory.  If the view has `lent`, the transport can move the bytes of a
 * message from and to memory of the world instead of slots (plait/plugin.h,
 * link_lend).  A sender lends the bytes of the message that it sends next, fills
 * the head alone, and leaves both as they are until *lent is above the number of
 * messages sent before.  A receiver lends room for the message that it takes
 * next; if *lent is the number of that, from 1, the bytes are there, else in the
 * slot.  Either end may lend alone.
 *
 * Shared memory.  A port may allocate memory that peers map to read it
 * (shared_create, shared_map).  A message then tells where its bytes are, by
 * words of the world, and is taken when they have been read.  Both ends change
 * these words, and a receiver looks for a message in its head before *ready tells
 * of it, so the world does both only where the slots of both ends are the same
 * memory, which the world alone writes: neither port has PLAIT_PORT_NEEDS_PUMP,
 * and the view has no `lent`.
 *
 * Loss.  peer_query answers PLAIT_E_LOST once a transport knows that a peer
 * has ended; the text names the rank.  Counters of its links then stand still.
 *
 * Trust.  A transport reads what a peer writes within its own bounds only.  A
 * world does the same: counters and heads of slots are the peer's.
 *
 * Example: a world's send of up to `slot_bytes` bytes; false without a credit.
 *
 *     static int try_send(const plait_link_view *view, uint64_t *sent,
 *                         const void *bytes, uint64_t count)
 *     {
 *             unsigned char *slot = view->slots +
 *                     (*sent & (view->depth - 1)) * view->stride;
 *
 *             if (*sent - __atomic_load_n(view->taken, __ATOMIC_ACQUIRE) >=
 *                 view->depth)
 *                     return 0;
 *             memcpy(slot, &(plait_link_slot){ .bytes = count },
 *                    sizeof(plait_link_slot));
 *             memcpy(slot + sizeof(plait_link_slot), bytes, count);
 *             __atomic_store_n(view->ready, ++*sent, __ATOMIC_RELEASE);
 *             return 1;
 *     }
 */
#ifndef PLAIT_TRANSPORT_H
#define PLAIT_TRANSPORT_H

#include "plait/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of a transport, opaque to the core. */
typedef struct plait_backend_port plait_backend_port;
typedef struct plait_backend_link plait_backend_link;

/* Flags of plait_port. */
typedef uint32_t plait_port_flags;
enum {
	/* The transport knows the ranks: `rank` and `ranks` are valid, and mail
	 * reaches each of them without an address. */
	PLAIT_PORT_KNOWS_RANKS = 1 << 0,
	/* Nothing arrives unless `pump` is called. */
	PLAIT_PORT_NEEDS_PUMP = 1 << 1,
	/* Links reach ports of the same `machine` only. */
	PLAIT_PORT_SAME_MACHINE = 1 << 2,
	/* Links reach ports of the same process only. */
	PLAIT_PORT_SAME_PROCESS = 1 << 3,
	/* Peers read memory that the port has allocated in place (plait/plugin.h,
	 * shared_create). */
	PLAIT_PORT_SHARES_MEMORY = 1 << 4
};

/* Request of port_open.  Zeros: what the launcher or the options say. */
typedef struct plait_port_request {
	uint32_t size;
	uint32_t flags;
	/* Rank of this port and number of ranks, if the world knows them. */
	uint32_t rank;
	uint32_t ranks;
	/* Existing communicator of this kind, borrowed; 0: none. */
	uint32_t native_kind;
	uint32_t reserved0;
	uint64_t native;
} plait_port_request;

/* Properties of a port. */
typedef struct plait_port {
	uint32_t size;
	plait_port_flags flags;
	uint32_t rank;
	uint32_t ranks;
	/* Longest record of mail, at least 256. */
	uint32_t mail_bytes;
	/* Bytes of `address` in use. */
	uint32_t address_bytes;
	/* Longest slot. */
	uint64_t slot_bytes;
	/* Ports with equal numbers are on one machine. */
	uint8_t machine[16];
	/* Data that peers need to create links to this port. */
	uint8_t address[64];
} plait_port;

/* Direction of half a link. */
typedef uint32_t plait_link_direction;
enum {
	PLAIT_LINK_SEND = 0,
	PLAIT_LINK_RECEIVE = 1
};

/* Flags of plait_link_request: hints, which both ends need not have alike. */
typedef uint32_t plait_link_request_flags;
enum {
	/* The machine of this port has more ranks than CPUs that they may use, so
	 * the next `pump` may be a time slice away. */
	PLAIT_LINK_CROWDED = 1 << 0
};

/* Request of link_create. */
typedef struct plait_link_request {
	uint32_t size;
	plait_link_direction direction;
	/* Rank of the other port, and its address. */
	uint32_t peer;
	uint32_t address_bytes;
	const uint8_t *address;
	/* Which link of this direction between the two ports; both ends say the
	 * same, and use no number twice while the ports are open. */
	uint64_t number;
	/* Slots, a power of two, and bytes behind the head of each. */
	uint32_t depth;
	plait_link_request_flags flags;
	uint64_t slot_bytes;
} plait_link_request;

/* Head of a slot; the bytes follow it. */
typedef struct plait_link_slot {
	/* Bytes behind the head that are moved. */
	uint64_t bytes;
	/* The world's; moved as they are. */
	uint64_t words[7];
} plait_link_slot;

/* View of half a link; valid until link_destroy. */
typedef struct plait_link_view {
	uint32_t size;
	uint32_t depth;
	/* Slot i begins at slots + i * stride, aligned to 64 bytes. */
	uint8_t *slots;
	uint64_t stride;
	/* Messages sent and messages taken since the link was made; each has a
	 * cache line of its own. */
	uint64_t *ready;
	uint64_t *taken;
	/* Bells of this port and of its peer, or all null. */
	uint32_t *bell;
	uint32_t *sleeping;
	uint32_t *peer_bell;
	uint32_t *peer_sleeping;
	/* Null: no memory can be lent.  Sender: messages whose slot and memory
	 * the transport has let go of.  Receiver: the last message, counted from
	 * 1, that came into lent memory. */
	uint64_t *lent;
} plait_link_view;

#ifdef __cplusplus
}
#endif

#endif
