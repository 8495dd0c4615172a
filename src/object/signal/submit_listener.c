/* SPDX-License-Identifier: MIT */
/*
 * Being told that an emission was submitted; see signal.h.
 *
 *     who hopes                   who submits
 *     link, store hoped           store submitted
 *     fence                       fence
 *     submitted? give it up       hoped? tell all
 *
 * One of the two sees the other.
 */
#include "object/signal/signal.h"

bool plait__signal_hope(plait__signal *signal, uint64_t sequence,
			plait__hope *hope)
{
	plait__mutex_lock(&signal->hope_lock);
	hope->linked = true;
	hope->next = signal->hopes;
	signal->hopes = hope;
	/* Relaxed: the fence orders it. */
	at_store_relaxed_u32(&signal->hoped, 1);
	plait__mutex_unlock(&signal->hope_lock);
	at_fence_seq_cst();
	return plait__signal_submitted(signal) < sequence ||
	       !plait__signal_give_up(signal, hope);
}

bool plait__signal_give_up(plait__signal *signal, plait__hope *hope)
{
	plait__hope **link;
	bool linked;

	plait__mutex_lock(&signal->hope_lock);
	linked = hope->linked;
	if (linked) {
		link = &signal->hopes;
		while (*link != hope)
			link = &(*link)->next;
		*link = hope->next;
		hope->linked = false;
	}
	plait__mutex_unlock(&signal->hope_lock);
	return linked;
}

static plait__hope *take_all(plait__signal *signal)
{
	plait__hope *hopes;

	plait__mutex_lock(&signal->hope_lock);
	hopes = signal->hopes;
	signal->hopes = NULL;
	for (plait__hope *hope = hopes; hope != NULL; hope = hope->next)
		hope->linked = false;
	at_store_relaxed_u32(&signal->hoped, 0);
	plait__mutex_unlock(&signal->hope_lock);
	return hopes;
}

void plait__signal_fulfil(plait__signal *signal)
{
	plait__hope *next;

	at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u32(&signal->hoped) == 0)
		return;
	for (plait__hope *hope = take_all(signal); hope != NULL; hope = next) {
		next = hope->next;
		hope->told(hope);
	}
}
