/* SPDX-License-Identifier: MIT */
/*
 * Stopping a run whose loops devices decide.  Who stops it has set the run's
 * `stop` before; then
 *
 *     loops	a note for the driver, which tells their segments.  There is one
 *		note, so it is written down only where it is not on its way yet
 *     decider	what it has parked is offered again.  It may be made at this
 *		very moment; so one of the two looks behind the other's fence:
 *		who stops finds it, or it finds the run stopped
 */
#include "run/queue/queue_engine.h"

#include "run/external/cancel_external.h"

static void notify_stop(plait__queue_instance *state)
{
	if (state->queued->has_loops && at_exchange_u32(&state->stop_posted, 1) == 0)
		plait__progress_post(state->instance->program->context,
				     &state->stop_listener.note, PLAIT_OK);
}

/* It may be of a run that was over already. */
void plait__device_loops_ack_stop(plait__queue_instance *state)
{
	plait__queue_instance *whose =
		(plait__queue_instance *)(void *)state->pilot;

	/* Acquire: whoever found it noted has stopped the run before. */
	(void)at_exchange_u32(&whose->stop_posted, 0);
}

/* Once, and loops that were begun end. */
void plait__stop_device_loops(plait__queue_instance *state)
{
	/* Relaxed: it never goes back during a run. */
	if (!state->queued->has_loops || state->loops_stopped ||
	    at_load_relaxed_u32(&state->instance->stop) == 0)
		return;
	state->loops_stopped = true;
	plait__device_graphs_stop(state, true);
}

void plait__device_loops_set_host_decided(plait__queue_instance *state,
					  plait__queue_instance *decider)
{
	/* Release: pairs with the load in plait__device_loops_cancel. */
	at_store_release_ptr(&state->decider, decider);
	/* Between this and what it begins, which looks at `stop`; pairs with the
	 * fence in plait__device_loops_cancel. */
	at_fence_seq_cst();
}

static void cancel_outside(plait__queue_instance *state)
{
	uint32_t count = state->queued->external_count;

	if (count > 0)
		plait__cancel_external(&state->externals[count - 1].external);
}

void plait__device_loops_cancel(plait__queue_instance *state)
{
	plait__queue_instance *decider;

	notify_stop(state);
	/* Between `stop` and this; pairs with plait__device_loops_set_host_decided. */
	at_fence_seq_cst();
	decider = at_load_acquire_ptr(&state->decider);
	if (decider != NULL)
		cancel_outside(decider);
	cancel_outside(state);
}
