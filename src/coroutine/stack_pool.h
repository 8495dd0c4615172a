/* SPDX-License-Identifier: MIT */
/*
 * Pool of the stacks of coroutines.  A stack that is returned keeps its pages
 * for the next coroutine.  Any thread may take and return stacks.
 */
#ifndef PLAIT_SRC_COROUTINE_STACK_POOL_H
#define PLAIT_SRC_COROUTINE_STACK_POOL_H

#include "plait/base.h"

#include "sys/mutex.h"

#include <stddef.h>

typedef struct plait__stack plait__stack;

typedef struct plait__stack_pool {
	size_t stack_bytes;	/* of each stack, whole pages */
	uint64_t limit;		/* stacks that may exist */
	struct plait__mutex lock; /* guards the fields below */
	plait__stack *free;
	uint64_t count;		/* stacks that exist */
} plait__stack_pool;

/* Initialize zeroed memory. */
void plait__stack_pool_init(plait__stack_pool *pool, uint64_t stack_bytes,
			    uint64_t limit);

/* Unmap all stacks; all were returned, or are lost with a thread that ended on
 * one. */
void plait__stack_pool_fini(plait__stack_pool *pool);

/* Take a stack; the lowest usable byte.  PLAIT_E_NOMEM, PLAIT_E_BUSY (the limit
 * is reached). */
plait_status plait__stack_pool_take(plait__stack_pool *pool, void **out_low,
				    plait_error *error);

/* Return a stack on which no flow of control is left. */
void plait__stack_pool_return(plait__stack_pool *pool, void *low);

#endif
