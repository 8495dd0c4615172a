/* SPDX-License-Identifier: MIT */
/*
 * Taking an instance of a program, and giving it back.  Without a lock: the
 * first one is a word of its own, the others are a list whose head has a tag.
 *
 *     who finds none                     who gives one back
 *     hungry + 1                         put it back
 *     membarrier                         fence, light
 *     looks again, sleeps                hungry? wake
 *
 * One of the two sees the other.
 */
#include "run/instance_pool.h"

#include "base/error.h"
#include "object/wait/wait_loop.h"
#include "sys/thread.h"

/* Most plans have but one run at a time, which this spares half of it. */
static bool take_first(plait__program *program)
{
	uint32_t there = 1;

	/* Acquire: pairs with the store in put_free. */
	return at_load_relaxed_u32(&program->first_free) != 0 &&
	       at_cas_u32(&program->first_free, &there, 0);
}

static plait__instance *take_listed(plait__program *program)
{
	/* Acquire: pairs with the compare-and-swap in put_listed. */
	uint64_t head = at_load_acquire_u64(&program->free);
	plait__instance *first;
	uint64_t next;

	do {
		if ((uint32_t)head == 0)
			return NULL;
		first = &program->instances[(uint32_t)head - 1];
		/* May be wrong when another one takes it; then so is the tag. */
		next = ((head >> 32) + 1) << 32 |
		       at_load_relaxed_u32(&first->next_free);
	} while (!at_cas_u64(&program->free, &head, next));
	return first;
}

static plait__instance *take_free(plait__program *program)
{
	plait__instance *instance = take_first(program) ?
					    &program->instances[0] :
					    take_listed(program);

	/* Relaxed: what it says of the run before is true until here. */
	if (instance != NULL)
		at_store_relaxed_u32(&instance->ends, 0);
	return instance;
}

static void put_listed(plait__instance *instance)
{
	plait__program *program = instance->program;
	uint64_t head = at_load_relaxed_u64(&program->free);
	uint64_t next;

	do {
		at_store_relaxed_u32(&instance->next_free, (uint32_t)head);
		next = ((head >> 32) + 1) << 32 | (instance->index + 1);
	} while (!at_cas_u64(&program->free, &head, next));
}

static void put_free(plait__instance *instance)
{
	/* Release: pairs with take_first. */
	if (instance->index == 0)
		at_store_release_u32(&instance->program->first_free, 1);
	else
		put_listed(instance);
}

void plait__instance_release(plait__instance *instance)
{
	plait__program *program = instance->program;
	plait__context *context = program->context;

	/* Relaxed: written by who had it before. */
	if (at_load_relaxed_u32(&instance->abandoned) == 0)
		put_free(instance);
	/* Between the list, or `abandoned`, and `waiters`; pairs with the fence in
	 * wait_free. */
	if (program->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	if (at_load_relaxed_u32(&program->waiters) != 0)
		plait__context_notify_waiters(context);
}

/* Null: some instance is free, or will be. */
static const plait_error *find_loss(const plait__program *program)
{
	for (uint32_t i = 0; i < program->instance_count; i++)
		/* Acquire: pairs with the store in plait__instance_abandon. */
		if (at_load_acquire_u32(&program->instances[i].abandoned) == 0)
			return NULL;
	return &program->instances[0].abandoned_why;
}

struct pool_wait {
	plait__program *program;
	plait__instance *instance;
};

static bool find_free(void *arg)
{
	struct pool_wait *pool_wait = arg;

	if (pool_wait->instance == NULL)
		pool_wait->instance = take_free(pool_wait->program);
	return pool_wait->instance != NULL || find_loss(pool_wait->program) != NULL;
}

/* Also of a thread that ends meanwhile. */
static void stop_waiting(void *arg)
{
	plait__program *program = arg;

	at_sub_u32(&program->waiters, 1);
}

static plait_status wait_free(plait__program *program, plait__instance **out,
			      plait_error *error)
{
	struct pool_wait pool_wait = { .program = program };
	plait__wait_request request = {
		.context = program->context,
		.timeout_ns = PLAIT_FOREVER,
		.ready = find_free,
		.arg = &pool_wait,
		/* Runs in flight may call what only this thread runs. */
		.serves = true,
	};
	plait_status status;

	at_add_u32(&program->waiters, 1);
	if (program->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	PLAIT__THREAD_SCOPE waits = { stop_waiting, program };
	status = plait__wait_run(&request, error);
	plait__thread_scope_end(&waits);
	stop_waiting(program);
	*out = pool_wait.instance;
	if (pool_wait.instance != NULL)
		return PLAIT_OK;
	if (find_loss(program) != NULL)
		return plait__error_copy(error, find_loss(program));
	if (status != PLAIT_EVENT_READY)
		return status;
	return plait__fail(error, PLAIT_E_BUSY,
			   "all %u instances of the plan are in flight, and "
			   "an event without a function waits for this "
			   "thread; pull it, then run again",
			   program->instance_count);
}

/* Is one given back in a moment, or was, and is there or taken?  Who saw the
 * end of a run sees this of its instance: it was said before. */
static bool is_one_ending(const plait__program *program)
{
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (at_load_relaxed_u32(&program->instances[i].ends) != 0)
			return true;
	return false;
}

/* There was none. */
static plait_status take_late(plait__program *program, uint32_t flags,
			      plait__instance **out, plait_error *error)
{
	bool comes;

	for (;;) {
		comes = is_one_ending(program);
		*out = take_free(program);
		if (*out != NULL || !comes)
			break;
		plait__thread_yield();
	}
	if (*out != NULL)
		return PLAIT_OK;
	if (find_loss(program) != NULL)
		return plait__error_copy(error, find_loss(program));
	if ((flags & PLAIT_RUN_NO_WAIT) == 0 && !plait__callback_scope_is_active())
		return wait_free(program, out, error);
	return plait__fail(error, PLAIT_E_BUSY,
			   "all %u instances of the plan are in flight; see "
			   "`instances` of plait_freeze_desc",
			   program->instance_count);
}

plait_status plait__instance_acquire(plait__program *program, uint32_t flags,
				     plait__instance **out, plait_error *error)
{
	*out = take_free(program);
	return *out != NULL ? PLAIT_OK :
	       take_late(program, flags, out, error);
}
