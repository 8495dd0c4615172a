/* SPDX-License-Identifier: MIT */
/* Suspension of the calling coroutine; see suspension.h. */
#include "object/wait/suspension.h"

#include "base/error.h"
#include "pool/callback_scope.h"
#include "sys/clock.h"
#include "sys/thread.h"

const plait__suspender *
__attribute__((noinline)) plait__suspension_current(void)
{
	const plait__suspender *const *coroutine =
		plait__callback_scope_run.coroutine;

	return coroutine != NULL ? *coroutine : NULL;
}

uint64_t __attribute__((noinline)) plait__suspension_owner(void)
{
	const void *coroutine = plait__callback_scope_run.coroutine;

	/* Tokens of threads are below any address. */
	return coroutine != NULL ? (uint64_t)(uintptr_t)coroutine :
				   plait__thread_token();
}

plait_status plait__suspension_fail(plait_error *error)
{
	return plait__fail(error, PLAIT_E_STATE,
			   "the caller is not directly in a coroutine: set "
			   "PLAIT_CALL_COROUTINE at its node, or wait on a "
			   "thread of the program");
}

plait_status plait__suspension_await(plait__await *await, uint64_t timeout_ns,
				     plait_error *error)
{
	const plait__suspender *suspender = plait__suspension_current();

	if (suspender == NULL)
		return plait__suspension_fail(error);
	await->deadline_ns = plait__clock_deadline(timeout_ns);
	return suspender->await(await, error);
}

static plait_status poll_turn(plait__await *await, plait_error *error)
{
	(void)await;
	(void)error;
	return PLAIT_OK;
}

const plait__await_class plait__suspension_turn = { .poll = poll_turn };

plait_status plait__suspension_yield(plait_error *error)
{
	plait__await await = { .class = &plait__suspension_turn };

	return plait__suspension_await(&await, PLAIT_FOREVER, error);
}
