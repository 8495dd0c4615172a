/* SPDX-License-Identifier: MIT */
/* Coroutines: begin, suspend, resume, end; see coroutine.h. */
#include "coroutine/coroutine.h"

#include "coroutine/fiber_notes.h"

#include "base/error.h"

/* The last switch of a coroutine never returns. */
static void run(void *arg)
{
	plait__coroutine *coroutine = arg;

	plait__fiber_note_entered(coroutine);
	coroutine->result = coroutine->function(coroutine->user_data);
	coroutine->ended = true;
	plait__fiber_note_leave(coroutine, true);
	plait__machine_context_switch(&coroutine->suspended,
				      coroutine->resumer);
	__builtin_unreachable();
}

plait_status plait__coroutine_init(plait__coroutine *coroutine,
				   plait__stack_pool *pool,
				   int32_t (*function)(void *user_data),
				   void *user_data, plait_error *error)
{
	plait_status status;

	if (!plait__machine_context_is_supported())
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "coroutines need x86-64 or aarch64, and a "
				   "process without shadow stacks");
	status = plait__stack_pool_take(pool, &coroutine->stack, error);
	if (status != PLAIT_OK)
		return status;
	coroutine->pool = pool;
	coroutine->function = function;
	coroutine->user_data = user_data;
	coroutine->ended = false;
	coroutine->suspended = plait__machine_context_make(
		coroutine->stack->low, pool->stack_bytes, run, coroutine);
	plait__fiber_note_made(coroutine);
	return PLAIT_OK;
}

bool plait__coroutine_resume(plait__coroutine *coroutine)
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

void plait__coroutine_suspend(plait__coroutine *coroutine)
{
	plait__fiber_note_leave(coroutine, false);
	plait__machine_context_switch(&coroutine->suspended,
				      coroutine->resumer);
	plait__fiber_note_entered(coroutine);
}

void plait__coroutine_lose(plait__coroutine *coroutine)
{
	coroutine->stack = NULL;
	coroutine->ended = true;
}
