/* SPDX-License-Identifier: MIT */
/* Bells of links: sleep until a peer has stored a counter. */
#include "world/slot_link.h"

#include <stddef.h>

void plait__slot_link_ring(const plait__slot_link *link)
{
	if (link->peer_sleeping == NULL)
		return;
	/* Pairs with the fence in plait__slot_link_announce: the peer sees the
	 * counter, or this thread sees that the peer sleeps. */
	at_fence_seq_cst();
	if (at_load_relaxed_u32(link->peer_sleeping) == 0)
		return;
	(void)at_add_u32(link->peer_bell, 1);
	at_futex_wake_shared(link->peer_bell);
}

uint32_t plait__slot_link_announce(const plait__slot_link *link)
{
	uint32_t state = at_load_relaxed_u32(link->bell);

	/* A count: several threads of a process may sleep on one bell. */
	(void)at_add_u32(link->sleeping, 1);
	/* Pairs with the fence in plait__slot_link_ring. */
	at_fence_seq_cst();
	return state;
}

void plait__slot_link_sleep(const plait__slot_link *link, uint32_t state,
			    uint64_t deadline_ns)
{
	(void)at_futex_wait_shared(link->bell, state, deadline_ns);
}

void plait__slot_link_withdraw(const plait__slot_link *link)
{
	(void)at_sub_u32(link->sleeping, 1);
}
