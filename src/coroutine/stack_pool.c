/* SPDX-License-Identifier: MIT */
/* Free list of stacks; the link of a free stack is its topmost word. */
#include "coroutine/stack_pool.h"

#include "base/error.h"
#include "sys/stack_memory.h"

#include <string.h>

struct plait__stack {
	plait__stack *next;
	void *low;
};

static plait__stack *link_of(const plait__stack_pool *pool, void *low)
{
	return (plait__stack *)(void *)((char *)low + pool->stack_bytes -
					sizeof(plait__stack));
}

void plait__stack_pool_init(plait__stack_pool *pool, uint64_t stack_bytes,
			    uint64_t limit)
{
	pool->stack_bytes = plait__stack_memory_round((size_t)stack_bytes);
	pool->limit = limit;
}

void plait__stack_pool_fini(plait__stack_pool *pool)
{
	plait__stack *next;

	for (; pool->free != NULL; pool->free = next) {
		next = pool->free->next;
		plait__stack_memory_unmap(pool->free->low, pool->stack_bytes);
	}
}

/* Returns a free stack, or null: then the caller maps one if *out_may. */
static plait__stack *pop(plait__stack_pool *pool, int *out_may)
{
	plait__stack *stack;

	plait__mutex_lock(&pool->lock);
	stack = pool->free;
	if (stack != NULL)
		pool->free = stack->next;
	*out_may = stack == NULL && pool->count < pool->limit;
	pool->count += (uint64_t)*out_may;
	plait__mutex_unlock(&pool->lock);
	return stack;
}

plait_status plait__stack_pool_take(plait__stack_pool *pool, void **out_low,
				    plait_error *error)
{
	int may;
	plait__stack *stack = pop(pool, &may);

	if (stack != NULL) {
		*out_low = stack->low;
		return PLAIT_OK;
	}
	if (!may)
		return plait__fail(error, PLAIT_E_BUSY,
				   "%llu coroutines are suspended, as many as "
				   "there may be stacks",
				   (unsigned long long)pool->limit);
	*out_low = plait__stack_memory_map(pool->stack_bytes);
	if (*out_low != NULL)
		return PLAIT_OK;
	plait__mutex_lock(&pool->lock);
	pool->count--;
	plait__mutex_unlock(&pool->lock);
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for a stack of %zu bytes",
			   pool->stack_bytes);
}

void plait__stack_pool_return(plait__stack_pool *pool, void *low)
{
	plait__stack *stack = link_of(pool, low);

	stack->low = low;
	plait__mutex_lock(&pool->lock);
	stack->next = pool->free;
	pool->free = stack;
	plait__mutex_unlock(&pool->lock);
}
