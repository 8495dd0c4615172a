/* SPDX-License-Identifier: MIT */
/*
 * Listeners of a signal's submissions, and its sources; see signal.h.
 *
 *     listener thread              submitting thread, or the last source
 *     link, store has_listeners    store submitted, or sources
 *     fence                        fence
 *     submitted, or no source?     has_listeners? call those of what is
 *                                  submitted; all, without a source
 *         unlink
 *
 * At least one of the two sees the other's store.
 */
#include "object/signal/signal.h"

bool plait__submit_listener_add(plait__signal *signal, uint64_t sequence,
				plait__listener *listener)
{
	plait__mutex_lock(&signal->listener_lock);
	plait__listener_insert(&signal->listeners, listener, sequence);
	/* Relaxed: the fence orders it. */
	at_store_relaxed_u32(&signal->has_listeners, 1);
	plait__mutex_unlock(&signal->listener_lock);
	at_fence_seq_cst();
	return (plait__signal_submitted(signal) < sequence &&
		plait__signal_has_source(signal)) ||
	       !plait__submit_listener_remove(signal, listener);
}

bool plait__submit_listener_remove(plait__signal *signal,
				   plait__listener *listener)
{
	bool linked;

	plait__mutex_lock(&signal->listener_lock);
	linked = plait__listener_unlink(&signal->listeners, listener);
	plait__mutex_unlock(&signal->listener_lock);
	return linked;
}

/* Take the listeners of what was submitted, or all if there is no source. */
static plait__listener *take(plait__signal *signal)
{
	plait__listener *taken;

	plait__mutex_lock(&signal->listener_lock);
	taken = plait__signal_has_source(signal) ?
		plait__listener_take(&signal->listeners,
				     plait__signal_submitted(signal)) :
		plait__listener_take_all(&signal->listeners);
	/* Relaxed: as in add. */
	at_store_relaxed_u32(&signal->has_listeners,
			     signal->listeners != NULL);
	plait__mutex_unlock(&signal->listener_lock);
	return taken;
}

void plait__submit_listener_notify(plait__signal *signal)
{
	at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u32(&signal->has_listeners) != 0)
		plait__listener_call_all(take(signal), PLAIT_OK);
}

/* --- sources */

void plait__submit_add_source(plait__signal *signal)
{
	at_add_u32(&signal->sources, 1);
}

void plait__submit_drop_source(plait__signal *signal)
{
	if (at_sub_u32(&signal->sources, 1) == 1)
		plait__submit_listener_notify(signal);
}
