/* SPDX-License-Identifier: MIT */
/* Helper slots of parallel loops; the states are in loop_helper.h. */
#include "pool/loop_helper.h"

#include "pool/pool_internal.h"
#include "sys/cpu.h"

/*
 * A slot's state: the job's id above two flags. IDLE is 0, WAITING is PRESENT,
 * POSTED has an id; RESERVED and INSIDE have an id and BUSY. A worker that was
 * called has set PRESENT when it has left a job, until it leaves the slot.
 */
enum { BUSY = 1, PRESENT = 2, ID_SHIFT = 2 };

static uint32_t state_of(const struct plait__loop_job *job, uint32_t flags)
{
	return job->id << ID_SHIFT | flags;
}

static bool is_posted(uint32_t state)
{
	return state >> ID_SHIFT != 0 && (state & BUSY) == 0;
}

/* ---- the helper's side ---- */

static bool enter(struct plait__helper_slot *slot, uint32_t state)
{
	if (!is_posted(state) ||
	    !at_cas_u32(&slot->state, &state, state | BUSY))
		return false;
	slot->job = &slot->jobs[(state >> ID_SHIFT) - 1];
	return true;
}

/* Free the slot first: after the last helper left, the job may be another
 * caller's. */
static void leave_job(struct plait__helper_slot *slot, uint32_t state)
{
	struct plait__loop_job *job = slot->job;

	at_store_release_u32(&slot->state, state);
	/* Release: pairs with the load in has_no_helpers; the pieces are
	 * done. */
	at_sub_u32(&job->active, 1);
	plait__eventcount_notify(&job->event);
}

/* The helper's thread ends inside a part; its lane is about to fail. */
static void lose_helper(void *arg)
{
	struct plait__helper_slot *slot = arg;

	plait__loop_job_fail(slot->job, PLAIT__PARALLEL_FOR_THREAD_LOST);
	at_store_release_u32(&slot->lane_failed, 1);
	leave_job(slot, 0);
}

/* Run the job that was entered. Returns true if the worker waits for another
 * one. */
static bool run_job(struct plait__helper_slot *slot)
{
	bool guarded = plait__thread_guard_push(&slot->guard, lose_helper,
						slot) == 0;
	bool stays = slot->job->helpers_stay;

	plait__callback_scope_run = slot->job->run;
	(void)plait__loop_job_run(slot->job, slot->index + 1);
	plait__callback_scope_clean();
	if (guarded)
		plait__thread_guard_pop(&slot->guard);
	leave_job(slot, stays ? PRESENT : 0);
	return stays;
}

/* Spin a moment for the next job; enter it, or make the slot idle and return
 * false. */
static bool await_job(struct plait__helper_slot *slot)
{
	struct plait__backoff backoff;
	uint32_t state;

	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	for (;;) {
		state = at_load_acquire_u32(&slot->state);
		if (enter(slot, state))
			return true;
		if (plait__backoff_step(&backoff) &&
		    !plait__pool_has_ready_items(slot->pool))
			continue;
		/* It may have been reserved meanwhile. */
		state = PRESENT;
		if (at_cas_u32(&slot->state, &state, 0))
			return false;
	}
}

/* The call that a slot's lane runs. */
static int32_t run_helper(void *user_data)
{
	struct plait__helper_slot *slot = user_data;
	bool inside;

	/*
	 * An exchange, before `state` is read: the read below sees the state of
	 * every poster that finds 1 here; a later poster finds 0 and calls
	 * again.
	 */
	(void)at_exchange_u32(&slot->call_pending, 0);
	inside = enter(slot, at_load_acquire_u32(&slot->state));
	/* The caller goes on running, on the CPU where it woke this thread. */
	if (inside && slot->job->caller_cpu == plait__cpu_here())
		plait__affinity_migrate(slot->pool);
	while (inside)
		inside = run_job(slot) && await_job(slot);
	return 0;
}

/* ---- the caller's side ---- */

static void call_helper(struct plait__helper_slot *slot)
{
	plait_work work = { .size = sizeof(work), .kind = PLAIT_WORK_CALL,
			    .function = run_helper, .user_data = slot,
			    .label = "parts" };
	plait_submission submission = { .size = sizeof(submission),
					.work = &work, .work_count = 1 };

	if (at_exchange_u32(&slot->call_pending, 1) == 0 &&
	    plait__lane_submit(slot->lane, &submission, 1, NULL) != PLAIT_OK)
		at_store_release_u32(&slot->call_pending, 0);
}

/* A failed lane skips calls until it is recovered, which needs its last call
 * to be over. Only the thread that reserved the slot checks it. */
static bool recover_lane(struct plait__helper_slot *slot)
{
	if (at_load_acquire_u32(&slot->lane_failed) == 0)
		return true;
	if (plait__lane_recover(slot->lane, NULL) != PLAIT_OK)
		return false;
	/* The failed lane skipped a call that was pending. */
	at_store_relaxed_u32(&slot->call_pending, 0);
	at_store_release_u32(&slot->lane_failed, 0);
	return true;
}

bool plait__loop_helper_is_present(const struct plait__helper_slot *slot)
{
	return at_load_relaxed_u32(&slot->state) == PRESENT;
}

bool plait__loop_helper_has_job(const struct plait__helper_slot *slot,
				const struct plait__loop_job *job)
{
	return at_load_relaxed_u32(&slot->state) >> ID_SHIFT == job->id;
}

bool plait__loop_helper_reserve(struct plait__helper_slot *slot,
				struct plait__loop_job *job, bool present)
{
	uint32_t state = at_load_relaxed_u32(&slot->state);

	if (state != PRESENT && (present || state != 0))
		return false;
	/* Counted before a helper can come and leave. */
	at_add_u32(&job->active, 1);
	if (!at_cas_u32(&slot->state, &state, state_of(job, state | BUSY))) {
		at_sub_u32(&job->active, 1);
		return false;
	}
	/* Before pieces are dealt to it. */
	if (state == PRESENT || recover_lane(slot))
		return true;
	at_store_release_u32(&slot->state, 0);
	at_sub_u32(&job->active, 1);
	return false;
}

void plait__loop_helper_publish(struct plait__helper_slot *slot,
				struct plait__loop_job *job)
{
	uint32_t flags = at_load_relaxed_u32(&slot->state) & PRESENT;

	/* Release: pairs with the load in the helper; the job is written. Of a
	 * slot that no worker comes to, the others steal the pieces; the caller
	 * withdraws it afterwards. */
	at_store_release_u32(&slot->state, state_of(job, flags));
	if (flags == 0)
		call_helper(slot);
}

void plait__loop_helper_withdraw(struct plait__helper_slot *slot,
				 struct plait__loop_job *job)
{
	uint32_t state = at_load_relaxed_u32(&slot->state);

	if (is_posted(state) && state >> ID_SHIFT == job->id &&
	    at_cas_u32(&slot->state, &state, state & PRESENT))
		at_sub_u32(&job->active, 1);
}
