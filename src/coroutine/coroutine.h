/* SPDX-License-Identifier: MIT */
/*
 * Coroutine: a function on a stack of its own, which suspends itself and is
 * resumed by any thread.  One thread at a time resumes it; the caller orders the
 * threads.  Contains no plait object and decides nothing: src/run/external has
 * the awaits.  coroutine_switch.h has what suspends and resumes it.
 */
#ifndef PLAIT_SRC_COROUTINE_COROUTINE_H
#define PLAIT_SRC_COROUTINE_COROUTINE_H

#include "coroutine/machine_context.h"
#include "coroutine/stack_pool.h"

#include <stdbool.h>

typedef struct plait__coroutine plait__coroutine;

struct plait__coroutine {
	int32_t (*function)(void *user_data);
	void *user_data;
	int32_t result;		/* of the function, once `ended` */
	bool ended;
	bool threw;		/* an exception has ended it; the result is -1 */
	plait__machine_context suspended; /* of the coroutine */
	plait__machine_context resumer;
	plait__stack *stack;	/* of `pool` */
	plait__stack_pool *pool;
	/* Of sanitizers: the resumer's stack, and its fiber. */
	void *fake_stack, *fake_resumer;
	const void *resumer_low;
	size_t resumer_bytes;
	void *fiber, *resumer_fiber;
};

/* Make a coroutine of zeroed memory; nothing runs before the first resume.
 * PLAIT_E_UNSUPPORTED (no switches of stacks in this process), PLAIT_E_NOMEM,
 * PLAIT_E_BUSY (the pool's limit is reached). */
plait_status plait__coroutine_init(plait__coroutine *coroutine,
				   plait__stack_pool *pool,
				   int32_t (*function)(void *user_data),
				   void *user_data, plait_error *error);

/* Forget a coroutine whose thread has ended in it: its stack is lost. */
void plait__coroutine_lose(plait__coroutine *coroutine);

#endif
