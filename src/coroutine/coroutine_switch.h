/* SPDX-License-Identifier: MIT */
/* Resume and suspend a coroutine: part of the caller, as machine_switch.h says. */
#ifndef PLAIT_SRC_COROUTINE_COROUTINE_SWITCH_H
#define PLAIT_SRC_COROUTINE_COROUTINE_SWITCH_H

#include "coroutine/coroutine.h"
#include "coroutine/fiber_notes.h"

/* Run the coroutine until it suspends itself or ends; returns true if it
 * ended, and has given its stack back. */
static inline __attribute__((always_inline)) bool
plait__coroutine_resume(plait__coroutine *coroutine)
{
	plait__fiber_note_resume(coroutine);
	plait__machine_context_switch(&coroutine->resumer,
				      coroutine->suspended);
	plait__fiber_note_resumed(coroutine);
	if (!coroutine->ended)
		return false;
	plait__fiber_note_ended(coroutine);
	plait__stack_pool_return(coroutine->pool, coroutine->stack);
	return true;
}

/* Suspend the coroutine, which the caller is in.  Returns on the thread that
 * resumes it; nothing of the former thread may be kept across. */
static inline __attribute__((always_inline)) void
plait__coroutine_suspend(plait__coroutine *coroutine)
{
	plait__fiber_note_leave(coroutine, false);
	plait__machine_context_switch(&coroutine->suspended,
				      coroutine->resumer);
	plait__fiber_note_entered(coroutine);
}

#endif
