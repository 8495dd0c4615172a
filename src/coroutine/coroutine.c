/* SPDX-License-Identifier: MIT */
/* Coroutines: begin, end; see coroutine.h. */
#include "coroutine/coroutine_switch.h"

#include "coroutine/foreign_exception.h"

#include "base/error.h"

/* The last note lets AddressSanitizer free the memory in which it keeps variables
 * of functions that it looks at. */
#define NOT_ADDRESS_SANITIZED __attribute__((no_sanitize_address))

/* The last switch of a coroutine never returns; part of its caller, as it has a
 * note. */
static inline __attribute__((always_inline)) NOT_ADDRESS_SANITIZED void
end(plait__coroutine *coroutine)
{
	coroutine->ended = true;
	plait__fiber_note_leave(coroutine, true);
	plait__machine_context_switch(&coroutine->suspended,
				      coroutine->resumer);
	__builtin_unreachable();
}

static NOT_ADDRESS_SANITIZED void run(void *arg)
{
	plait__coroutine *coroutine = arg;

	plait__fiber_note_entered(coroutine);
	coroutine->result = coroutine->function(coroutine->user_data);
	end(coroutine);
}

static NOT_ADDRESS_SANITIZED void end_with(void *arg, void *exception)
{
	plait__coroutine *coroutine = arg;

	plait__foreign_exception_drop(exception);
	coroutine->threw = true;
	coroutine->result = -1;
	end(coroutine);
}

static const plait__machine_entry entry = { .run = run, .caught = end_with };

plait_status plait__coroutine_init(plait__coroutine *coroutine,
				   plait__stack_pool *pool,
				   int32_t (*function)(void *user_data),
				   void *user_data, plait_error *error)
{
	plait_status status;

	if (!plait__machine_context_is_supported())
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "coroutines need a process without shadow "
				   "stacks");
	status = plait__stack_pool_take(pool, &coroutine->stack, error);
	if (status != PLAIT_OK)
		return status;
	coroutine->pool = pool;
	coroutine->function = function;
	coroutine->user_data = user_data;
	coroutine->ended = coroutine->threw = false;
	coroutine->suspended = plait__machine_context_make(
		coroutine->stack->low, pool->stack_bytes, &entry,
		coroutine);
	plait__fiber_note_made(coroutine);
	return PLAIT_OK;
}

void plait__coroutine_lose(plait__coroutine *coroutine)
{
	coroutine->stack = NULL;
	coroutine->ended = true;
}
