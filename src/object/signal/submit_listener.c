/* SPDX-License-Identifier: MIT */
/*
 * Listeners of a signal's submissions, and its sources; see signal.h.
 *
 *     listener thread              submitting thread, or the last source
 *     link, store has_listeners    store submitted, or sources
 *     fence                        fence
 *     submitted, or no source?     has_listeners? call all
 *         unlink
 *
 * At least one of the two sees the other's store.
 */
#include "object/signal/signal.h"

bool plait__submit_listener_add(plait__signal *signal, uint64_t sequence,
				plait__submit_listener *listener)
{
	plait__mutex_lock(&signal->listener_lock);
	listener->linked = true;
	listener->next = signal->listeners;
	signal->listeners = listener;
	/* Relaxed: the fence orders it. */
	at_store_relaxed_u32(&signal->has_listeners, 1);
	plait__mutex_unlock(&signal->listener_lock);
	at_fence_seq_cst();
	return (plait__signal_submitted(signal) < sequence &&
		plait__signal_has_source(signal)) ||
	       !plait__submit_listener_remove(signal, listener);
}

bool plait__submit_listener_remove(plait__signal *signal,
				   plait__submit_listener *listener)
{
	plait__submit_listener **link;
	bool linked;

	plait__mutex_lock(&signal->listener_lock);
	linked = listener->linked;
	if (linked) {
		link = &signal->listeners;
		while (*link != listener)
			link = &(*link)->next;
		*link = listener->next;
		listener->linked = false;
	}
	plait__mutex_unlock(&signal->listener_lock);
	return linked;
}

static plait__submit_listener *take_all(plait__signal *signal)
{
	plait__submit_listener *listeners;

	plait__mutex_lock(&signal->listener_lock);
	listeners = signal->listeners;
	signal->listeners = NULL;
	for (plait__submit_listener *listener = listeners; listener != NULL;
	     listener = listener->next)
		listener->linked = false;
	at_store_relaxed_u32(&signal->has_listeners, 0);
	plait__mutex_unlock(&signal->listener_lock);
	return listeners;
}

void plait__submit_listener_notify(plait__signal *signal)
{
	plait__submit_listener *next;

	at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u32(&signal->has_listeners) == 0)
		return;
	for (plait__submit_listener *listener = take_all(signal);
	     listener != NULL; listener = next) {
		next = listener->next;
		listener->notify(listener);
	}
}

/* --- sources */

void plait__signal_add_source(plait__signal *signal)
{
	at_add_u32(&signal->sources, 1);
}

void plait__signal_drop_source(plait__signal *signal)
{
	if (at_sub_u32(&signal->sources, 1) == 1)
		plait__submit_listener_notify(signal);
}
