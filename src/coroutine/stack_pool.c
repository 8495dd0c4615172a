/* SPDX-License-Identifier: MIT */
/* Slabs and free lists of stacks; see stack_pool.h. */
#include "coroutine/stack_pool.h"

#include "coroutine/fiber_notes.h"

#include "base/error.h"
#include "sys/stack_memory.h"

/* Header of a slab, at its lowest byte. */
struct plait__stack_slab {
	plait__stack_slab *next;
	size_t bytes;
	uint64_t count, carved;
	plait__stack stacks[];
};

enum {
	LIMIT_OF_MARKS = 1 << 20,
	/* Half of the mappings that Linux allows a process by default. */
	LIMIT_OF_MAPPINGS = 16384,
	FIRST_SLAB = 16, LARGEST_SLAB = 1024	/* stacks */
};

static const uint64_t slab_limit_bytes = UINT64_C(1) << 28;
static const uint64_t keep_bytes = UINT64_C(1) << 28;

static size_t round_up(size_t bytes)
{
	const size_t page = plait__stack_memory_page_bytes();

	return (bytes + page - 1) / page * page;
}

static size_t header_bytes(uint64_t count)
{
	return round_up(sizeof(plait__stack_slab) +
			count * sizeof(plait__stack));
}

void plait__stack_pool_init(plait__stack_pool *pool, uint64_t stack_bytes,
			    uint64_t limit, uint64_t bytes)
{
	pool->stack_bytes = round_up((size_t)stack_bytes);
	pool->keep = keep_bytes / pool->stack_bytes + FIRST_SLAB;
	pool->limit = limit;
	pool->bytes = bytes;
}

void plait__stack_pool_fini(plait__stack_pool *pool)
{
	plait__stack_slab *next;

	for (; pool->slab != NULL; pool->slab = next) {
		next = pool->slab->next;
		for (uint64_t i = 0; i < pool->slab->carved; i++)
			plait__fiber_note_unmap(&pool->slab->stacks[i]);
		plait__stack_memory_unmap(pool->slab, pool->slab->bytes);
	}
}

/* ---- free lists; the caller holds the lock ---- */

static void push(plait__stack **list, plait__stack *stack)
{
	stack->next = *list;
	*list = stack;
}

static plait__stack *pop(plait__stack **list)
{
	plait__stack *stack = *list;

	*list = stack->next;
	return stack;
}

/* ---- slabs; the caller holds the lock ---- */

/* Returns null if the kernel refuses. */
static plait__stack_slab *map_slab(const plait__stack_pool *pool,
				   uint64_t count)
{
	const size_t guard = plait__stack_memory_page_bytes();
	const size_t head = header_bytes(count);
	const size_t bytes = head + count * (guard + pool->stack_bytes);
	plait__stack_slab *slab = plait__stack_memory_map(bytes);

	if (slab == NULL)
		return NULL;
	slab->bytes = bytes;
	slab->count = count;
	return slab;
}

/* Slabs double, so that few stacks take little address space and many take few
 * mappings. */
static uint64_t choose_count(const plait__stack_pool *pool)
{
	uint64_t count = pool->slab != NULL ? pool->slab->count * 2 :
					      FIRST_SLAB;

	if (count > LARGEST_SLAB)
		count = LARGEST_SLAB;
	if (count > slab_limit_bytes / pool->stack_bytes)
		count = slab_limit_bytes / pool->stack_bytes;
	return count > 0 ? count : 1;
}

static bool add_slab(plait__stack_pool *pool)
{
	plait__stack_slab *slab = NULL;
	uint64_t count = choose_count(pool);

	for (; slab == NULL && count > 0; count /= 2)
		slab = map_slab(pool, count);
	if (slab == NULL)
		return false;
	slab->next = pool->slab;
	pool->slab = slab;
	return true;
}

/* The newest slab has a stack left. */
static plait__stack *carve(plait__stack_pool *pool)
{
	const size_t guard = plait__stack_memory_page_bytes();
	plait__stack_slab *slab = pool->slab;
	const uint64_t i = slab->carved++;

	pool->count++;
	slab->stacks[i].low = (char *)slab + header_bytes(slab->count) +
			      i * (guard + pool->stack_bytes) + guard;
	plait__fiber_note_stack(&slab->stacks[i], pool->stack_bytes);
	return &slab->stacks[i];
}

static void *guard_page_of(const plait__stack *stack)
{
	return stack->low - plait__stack_memory_page_bytes();
}

/* ---- limits; the caller holds the lock ---- */

/* There is a slab of which nothing is carved yet. */
static void decide_limit(plait__stack_pool *pool)
{
	char *page = (char *)pool->slab + header_bytes(pool->slab->count);

	pool->limit = plait__stack_memory_guards_by_mark(page) ?
		      LIMIT_OF_MARKS : LIMIT_OF_MAPPINGS;
}

static plait_status check_limits(const plait__stack_pool *pool,
				 plait_error *error)
{
	if (pool->bytes != 0 &&
	    pool->count >= pool->bytes / pool->stack_bytes)
		return plait__fail(error, PLAIT_E_BUSY,
				   "%llu coroutines are suspended, whose "
				   "stacks of %zu bytes come to the %llu of "
				   "PLAIT_COROUTINE_BYTES",
				   (unsigned long long)pool->count,
				   pool->stack_bytes,
				   (unsigned long long)pool->bytes);
	if (pool->limit != 0 && pool->count >= pool->limit)
		return plait__fail(error, PLAIT_E_BUSY,
				   "%llu coroutines are suspended, as many as "
				   "PLAIT_COROUTINES allows",
				   (unsigned long long)pool->limit);
	return PLAIT_OK;
}

static plait_status add(plait__stack_pool *pool, plait__stack **out,
			plait_error *error)
{
	plait_status status = check_limits(pool, error);

	if (status != PLAIT_OK)
		return status;
	if ((pool->slab == NULL || pool->slab->carved == pool->slab->count) &&
	    !add_slab(pool))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a stack of %zu bytes",
				   pool->stack_bytes);
	if (pool->limit == 0)
		decide_limit(pool);
	*out = carve(pool);
	return PLAIT_OK;
}

/* ---- take, return ---- */

/* Guard the stack, which was taken for the first time. */
static plait_status guard(plait__stack_pool *pool, plait__stack *stack,
			  plait_error *error)
{
	stack->guarded = plait__stack_memory_guard(guard_page_of(stack));
	if (stack->guarded)
		return PLAIT_OK;
	plait__mutex_lock(&pool->lock);
	push(&pool->cold, stack);
	plait__mutex_unlock(&pool->lock);
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no guard page for the stack of a coroutine: the "
			   "process may have no more mappings; see "
			   "/proc/sys/vm/max_map_count");
}

plait_status plait__stack_pool_take(plait__stack_pool *pool,
				    plait__stack **out, plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&pool->lock);
	if (pool->warm != NULL) {
		*out = pop(&pool->warm);
		pool->warm_count--;
	} else if (pool->cold != NULL) {
		*out = pop(&pool->cold);
	} else {
		status = add(pool, out, error);
	}
	plait__mutex_unlock(&pool->lock);
	return status != PLAIT_OK || (*out)->guarded ?
	       status : guard(pool, *out, error);
}

void plait__stack_pool_return(plait__stack_pool *pool, plait__stack *stack)
{
	bool kept;

	plait__mutex_lock(&pool->lock);
	kept = pool->warm_count < pool->keep;
	if (kept) {
		push(&pool->warm, stack);
		pool->warm_count++;
	}
	plait__mutex_unlock(&pool->lock);
	if (kept)
		return;
	plait__stack_memory_discard(stack->low, pool->stack_bytes);
	plait__mutex_lock(&pool->lock);
	push(&pool->cold, stack);
	plait__mutex_unlock(&pool->lock);
}
