/* SPDX-License-Identifier: MIT */
/*
 * Pool of the stacks of coroutines.  Any thread may take and return stacks.
 *
 * Stacks are carved from slabs: one mapping with a header, then for each stack a
 * guard page and the stack above it.  An overflow meets the guard page of its
 * own stack; above a stack lies the guard page of the next one, or the end of
 * the slab.  A slab is unmapped with the pool only.
 *
 *     | header | guard | stack 0 | guard | stack 1 | ...
 *
 * Stacks that are returned keep their pages for the next coroutine, the last one
 * first; those above a fixed number of bytes give them back to the kernel.
 */
#ifndef PLAIT_SRC_COROUTINE_STACK_POOL_H
#define PLAIT_SRC_COROUTINE_STACK_POOL_H

#include "plait/base.h"

#include "sys/mutex.h"

#include <stdbool.h>
#include <stddef.h>

/* Record of a stack; lies in the header of its slab. */
typedef struct plait__stack plait__stack;
struct plait__stack {
	plait__stack *next;	/* of a free list */
	char *low;		/* the lowest byte */
	bool guarded;		/* false until it was taken once */
	uint32_t note;		/* its number in valgrind */
};

typedef struct plait__stack_slab plait__stack_slab;

typedef struct plait__stack_pool {
	size_t stack_bytes;	/* of each stack, whole pages */
	uint64_t keep;		/* free stacks that keep their pages */
	uint64_t bytes;		/* that all stacks may have; 0: any number */
	struct plait__mutex lock; /* guards the fields below */
	uint64_t limit;		/* stacks that may exist; 0: not decided yet */
	plait__stack *warm;	/* free, with pages */
	plait__stack *cold;	/* free, without pages */
	plait__stack_slab *slab; /* newest first; carved from the newest */
	uint64_t warm_count;
	uint64_t count;		/* stacks that exist */
} plait__stack_pool;

/* Initialize zeroed memory.  `limit`: stacks that may exist at once; 0: a
 * million, or 16,384 where each takes mappings of the process.  `bytes`: that
 * they may have together, without guard pages; 0: any number. */
void plait__stack_pool_init(plait__stack_pool *pool, uint64_t stack_bytes,
			    uint64_t limit, uint64_t bytes);

/* Unmap all stacks; all were returned, or are lost with a thread that ended on
 * one. */
void plait__stack_pool_fini(plait__stack_pool *pool);

/* Take a stack.  PLAIT_E_NOMEM, PLAIT_E_BUSY (a limit is reached). */
plait_status plait__stack_pool_take(plait__stack_pool *pool,
				    plait__stack **out, plait_error *error);

/* Return a stack on which no flow of control is left. */
void plait__stack_pool_return(plait__stack_pool *pool, plait__stack *stack);

#endif
