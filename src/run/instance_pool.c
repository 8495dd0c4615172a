/* SPDX-License-Identifier: MIT */
/*
 * Lock-free pool of a program's instances.  Instance 0 has a flag of its own;
 * the others are on a free list whose head carries a tag against ABA.
 *
 *     acquire, pool empty                release
 *     waiters + 1                        put the instance back
 *     membarrier                         asymmetric fence
 *     look again, sleep                  waiters? wake
 *
 * One of the two sees the other.
 */
#include "run/instance_pool.h"

#include "run/outer_runs.h"
#include "run/run_turns.h"

#include "base/error.h"
#include "object/wait/wait_loop.h"
#include "pool/callback_scope.h"
#include "sys/thread.h"

/* Fast path: most plans have one run at a time; saves half of the cost. */
static bool take_first(plait__program *program, uint32_t bits)
{
	uint32_t there = at_load_relaxed_u32(&program->first_free);

	/* Acquire: pairs with put_first and plait__instance_release. */
	while ((there & PLAIT__PROGRAM_FREE) != 0) {
		if (!at_cas_u32(&program->first_free, &there, there & ~bits))
			continue;
		if ((there & bits & PLAIT__PROGRAM_TURN) != 0)
			at_store_relaxed_u32(&program->instances[0].turn,
					     PLAIT__TURN_ALONE);
		return true;
	}
	return false;
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
		/* The link may be stale if another thread takes `first`; then
		 * the tag has changed and the compare-and-swap fails. */
		next = ((head >> 32) + 1) << 32 |
		       at_load_relaxed_u32(&first->next_free);
	} while (!at_cas_u64(&program->free, &head, next));
	return first;
}

static plait__instance *take_free(plait__program *program, uint32_t bits)
{
	plait__instance *instance = take_first(program, bits) ?
					    &program->instances[0] :
					    take_listed(program);

	/* Relaxed: `ending` describes the previous run, up to here. */
	if (instance != NULL)
		at_store_relaxed_u32(&instance->ending, 0);
	return instance;
}

/* The instance is the caller's, and not number 0. */
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

static bool has_turn_alone(const plait__instance *instance)
{
	uint32_t turn = at_load_relaxed_u32(&instance->turn);

	return turn == PLAIT__TURN_ALONE || turn == PLAIT__TURN_PUBLISHED;
}

/* Put instance 0 back, and end its turn before or with that.  Returns true if
 * members may have to be started.  The instance is the caller's. */
static bool put_first(plait__instance *instance)
{
	plait__program *program = instance->program;

	if (has_turn_alone(instance)) {
		at_store_relaxed_u32(&instance->turn, PLAIT__TURN_NONE);
		/* Release: pairs with take_first.  A run that has both bits
		 * has the word to itself. */
		at_store_release_u32(&program->first_free,
				     PLAIT__PROGRAM_FREE | PLAIT__PROGRAM_TURN);
		return true;
	}
	plait__run_turns_give(instance);
	(void)at_or_u32(&program->first_free, PLAIT__PROGRAM_FREE);
	return false;
}

/* As put_first, for any instance. */
static bool put_free(plait__instance *instance)
{
	if (instance->index == 0)
		return put_first(instance);
	plait__run_turns_give(instance);
	put_listed(instance);
	return false;
}

/* The instance is put back. */
static inline void wake_waiters(plait__program *program)
{
	plait__context *context = program->context;

	/* Between the free list, or `abandoned`, and `waiters`; pairs with the
	 * fence in wait_free. */
	if (program->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	if (at_load_relaxed_u32(&program->waiters) != 0)
		plait__context_notify_waiters(context);
}

/* Any instance of any plan.  Not inline: saves registers on the fast path. */
static __attribute__((noinline)) void release_any(plait__instance *instance)
{
	plait__program *program = instance->program;
	bool had_turn = false;

	/* Relaxed: written by the thread that had the instance before. */
	if (at_load_relaxed_u32(&instance->abandoned) == 0)
		had_turn = put_free(instance);
	else
		plait__run_turns_give(instance);
	wake_waiters(program);
	if (had_turn && at_load_relaxed_u32(&program->turns.members) != 0)
		plait__run_turns_pass_on(program);
}

void plait__instance_release(plait__instance *instance)
{
	plait__program *program = instance->program;

	/* Relaxed: as in release_any. */
	if (program->conflicts.kind != PLAIT__CONFLICTS_NEVER ||
	    instance->index != 0 ||
	    at_load_relaxed_u32(&instance->abandoned) != 0) {
		release_any(instance);
		return;
	}
	/* Release: pairs with take_first. */
	at_store_release_u32(&program->first_free, PLAIT__PROGRAM_FREE);
	wake_waiters(program);
}

/* Returns the error if all instances are abandoned; null if one is free, or
 * will be. */
static const plait_error *find_abandoned_error(const plait__program *program)
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
		pool_wait->instance = take_free(pool_wait->program,
						PLAIT__PROGRAM_FREE);
	return pool_wait->instance != NULL ||
	       find_abandoned_error(pool_wait->program) != NULL;
}

/* Also runs when the waiting thread ends meanwhile. */
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
		/* Runs in flight may call functions that only this thread
		 * serves. */
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
	if (find_abandoned_error(program) != NULL)
		return plait__error_copy(error, find_abandoned_error(program));
	if (status != PLAIT_EVENT_READY)
		return status;
	return plait__fail(error, PLAIT_E_BUSY,
			   "all %u instances of the plan are in flight, and "
			   "an event without a function waits for this "
			   "thread; pull it, then run again",
			   program->instance_count);
}

/* Returns true if an instance is about to be released, or was since its last
 * run ended.  A thread that has seen the end of a run sees `ending` of its
 * instance, which was stored before. */
static bool is_one_ending(const plait__program *program)
{
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (at_load_relaxed_u32(&program->instances[i].ending) != 0)
			return true;
	return false;
}

/* Slow path of acquire: the pool was empty. */
static __attribute__((noinline)) plait_status
take_late(plait__program *program, uint32_t flags, plait__instance **out,
	  plait_error *error)
{
	bool comes;

	for (;;) {
		comes = is_one_ending(program);
		*out = take_free(program, PLAIT__PROGRAM_FREE);
		if (*out != NULL || !comes)
			break;
		plait__thread_yield();
	}
	if (*out != NULL)
		return PLAIT_OK;
	if (find_abandoned_error(program) != NULL)
		return plait__error_copy(error, find_abandoned_error(program));
	if ((flags & PLAIT_RUN_NO_WAIT) == 0 &&
	    plait__outer_runs_has_all(program))
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "the caller is a function of the plan, whose "
				   "runs around this call have all %u instances; "
				   "set `instances` of plait_freeze_desc to %u or "
				   "more", program->instance_count,
				   program->instance_count + 1);
	if ((flags & PLAIT_RUN_NO_WAIT) == 0 &&
	    !plait__callback_scope_is_active())
		return wait_free(program, out, error);
	return plait__fail(error, PLAIT_E_BUSY,
			   "all %u instances of the plan are in flight; see "
			   "`instances` of plait_freeze_desc",
			   program->instance_count);
}

plait__instance *plait__instance_take(plait__program *program)
{
	return take_free(program, PLAIT__PROGRAM_FREE);
}

plait_status plait__instance_acquire(plait__program *program, uint32_t bits,
				     uint32_t flags, plait__instance **out,
				     plait_error *error)
{
	*out = take_free(program, bits);
	return *out != NULL ? PLAIT_OK :
	       take_late(program, flags, out, error);
}
