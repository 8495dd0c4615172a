/* SPDX-License-Identifier: MIT */
/*
 * Callback scope: the thread-local state of a thread that runs a lane, a task or
 * a callback of a backend.  Scopes nest; the outer state comes back when the
 * inner scope is left.
 */
#ifndef PLAIT_SRC_POOL_CALLBACK_SCOPE_H
#define PLAIT_SRC_POOL_CALLBACK_SCOPE_H

#include "pool/fpstate.h"
#include "sys/atomic.h"
#include "sys/thread.h"

#include <stdbool.h>

typedef struct plait__pool plait__pool;

/* The run of which a thread executes functions. */
struct plait__callback_run {
	const at_u32 *stop;	/* nonzero: the run was stopped; or null */
	void *instance;		/* plait__instance, or null */
	void *coroutine;	/* plait__coroutine_command that the thread is
				 * directly in, or null */
	void *event;		/* plait__inbox_event whose function the thread
				 * executes as the owner of the inbox, or
				 * null */
	/* The run whose function waits and meanwhile executes this one; or
	 * null. */
	struct plait__callback_run *around;
};

/* The state that a thread restores when it leaves a scope. */
struct plait__callback_scope {
	plait__pool *outer;
	struct plait__callback_run outer_run;
	struct plait__fpstate fpstate;
};

/* The pool of the lane or task that the calling thread runs, or null. */
extern PLAIT__THREAD_LOCAL plait__pool *plait__callback_scope_pool;

/* The run of the function that the calling thread executes; null outside. */
extern PLAIT__THREAD_LOCAL struct plait__callback_run plait__callback_scope_run;

/* Enter and leave the scope in which a thread runs items, with the default
 * floating-point state and without a run. */
static inline void plait__callback_scope_enter(
	struct plait__callback_scope *inside, plait__pool *pool)
{
	inside->outer = plait__callback_scope_pool;
	inside->outer_run = plait__callback_scope_run;
	plait__callback_scope_pool = pool;
	plait__callback_scope_run = (struct plait__callback_run){ 0 };
	plait__fpstate_query(&inside->fpstate);
	plait__fpstate_clean_from(&inside->fpstate);
}

static inline void plait__callback_scope_leave(
	const struct plait__callback_scope *inside)
{
	plait__fpstate_restore(&inside->fpstate);
	plait__callback_scope_run = inside->outer_run;
	plait__callback_scope_pool = inside->outer;
}

/* Forget the run of the item that the thread has run: the next item in the same
 * scope, such as a lane of a queue, belongs to no run. */
static inline void plait__callback_scope_clean(void)
{
	plait__callback_scope_run = (struct plait__callback_run){ 0 };
}

/* Returns true if the calling thread is inside a host function or a callback
 * of any pool. Such a thread must not wait. */
static inline bool plait__callback_scope_is_active(void)
{
	return plait__callback_scope_pool != NULL;
}

#endif
