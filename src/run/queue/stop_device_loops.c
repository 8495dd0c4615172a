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

static void halt(plait__queued_state *state)
{
	if (state->queued->has_loops && at_exchange_u32(&state->halting, 1) == 0)
		plait__pilot_note_down(state->instance->program->context,
				       &state->halt.note, PLAIT_OK);
}

/* It may be of a run that was over already. */
void plait__queued_hear_halt(plait__queued_state *state)
{
	plait__queued_state *whose =
		(plait__queued_state *)(void *)state->pilot;

	/* Acquire: whoever found it noted has stopped the run before. */
	(void)at_exchange_u32(&whose->halting, 0);
}

/* Once, and loops that were begun end. */
void plait__queued_stop_loops(plait__queued_state *state)
{
	/* Relaxed: it never goes back during a run. */
	if (!state->queued->has_loops || state->halted ||
	    at_load_relaxed_u32(&state->instance->stop) == 0)
		return;
	state->halted = true;
	plait__queued_frozen_stop(state, true);
}

void plait__queued_set_decider(plait__queued_state *state,
			       plait__queued_state *decider)
{
	/* Release: pairs with the load in plait__queued_cancel. */
	at_store_release_ptr(&state->decider, decider);
	/* Between this and what it begins, which looks at `stop`; pairs with the
	 * fence in plait__queued_cancel. */
	at_fence_seq_cst();
}

static void cancel_outside(plait__queued_state *state)
{
	uint32_t count = state->queued->outside_count;

	if (count > 0)
		plait__outside_cancel(&state->outsides[count - 1].outside);
}

void plait__queued_cancel(plait__queued_state *state)
{
	plait__queued_state *decider;

	halt(state);
	/* Between `stop` and this; pairs with plait__queued_set_decider. */
	at_fence_seq_cst();
	decider = at_load_acquire_ptr(&state->decider);
	if (decider != NULL)
		cancel_outside(decider);
	cancel_outside(state);
}
