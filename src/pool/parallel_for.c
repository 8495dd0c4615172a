/* SPDX-License-Identifier: MIT */
/* Parallel loops over the pool's workers; see parallel_for.h. */
#include "pool/parallel_for.h"

#include "pool/lane.h"
#include "pool/cacheline.h"
#include "pool/pool.h"
#include "sys/eventcount.h"
#include "sys/thread.h"

#include "base/error.h"

#include <string.h>

/* Concurrent jobs beyond one per worker: of application threads. */
enum { SPARE_JOBS = 4 };

/* One call of plait__parallel_for_run. A job outlives a caller's thread that
 * ends inside a part. */
struct job {
	PLAIT__CACHELINE_ALIGNED at_u64 next; /* the next part */
	at_u32 result; /* the first that is not 0 */
	PLAIT__CACHELINE_ALIGNED at_u32 in_use; /* by a caller */
	at_u32 active; /* slots where the job is posted or being run */
	struct plait__eventcount event; /* `active` decreased */
	/* Written by the caller before the job is posted. */
	plait__parallel_for *team;
	plait__parallel_for_part part;
	uint64_t count;
	struct plait__thread_guard guard; /* of the caller */
	_Alignas(16) unsigned char data[PLAIT__PARALLEL_FOR_DATA_BYTES];
};

/* A slot's state: 0 (idle) or twice the job's index plus 2, plus 1 while a
 * helper runs parts. */
enum { HELPER_INSIDE = 1 };

struct helper_slot {
	PLAIT__CACHELINE_ALIGNED at_u32 state;
	at_u32 call_pending; /* on the lane */
	at_u32 lane_failed; /* a helper's thread ended */
	plait__lane *lane;
	plait__parallel_for *team;
	struct job *job; /* of the helper */
	struct plait__thread_guard guard; /* of the helper */
};

struct plait__parallel_for {
	plait_allocator allocator;
	plait__pool *pool;
	uint32_t slot_count;
	uint32_t job_count;
	struct helper_slot *slots;
	struct job *jobs;
};

/* ---- parts ---- */

static void fail_job(struct job *job, int32_t result)
{
	uint32_t none = 0;

	(void)at_cas_u32(&job->result, &none, (uint32_t)result);
}

static void run_parts(struct job *job)
{
	uint64_t number;
	int32_t result;

	/* Relaxed: one part too many is harmless. */
	while (at_load_relaxed_u32(&job->result) == 0) {
		number = at_add_u64(&job->next, 1);
		if (number >= AT_PLAIN_READ(job->count))
			return;
		result = job->part(job->data, number);
		if (result != 0)
			fail_job(job, result);
	}
}

/* ---- helpers ---- */

/* Free the slot first: after the last helper left, the job may be another
 * caller's. */
static void leave_job(struct helper_slot *slot)
{
	struct job *job = slot->job;

	at_store_release_u32(&slot->state, 0);
	/* Release: pairs with the load in has_no_helpers; the parts are
	 * done. */
	at_sub_u32(&job->active, 1);
	plait__eventcount_notify(&job->event);
}

/* The helper's thread ends inside a part; its lane is about to fail. */
static void lose_helper(void *arg)
{
	struct helper_slot *slot = arg;

	fail_job(slot->job, PLAIT__PARALLEL_FOR_THREAD_LOST);
	at_store_release_u32(&slot->lane_failed, 1);
	leave_job(slot);
}

/* The call that a slot's lane runs. */
static int32_t run_helper(void *user_data)
{
	struct helper_slot *slot = user_data;
	uint32_t state;
	bool guarded;

	/*
	 * An exchange, before `state` is read: the read below sees the state of
	 * every poster that finds 1 here; a later poster finds 0 and calls
	 * again.
	 */
	(void)at_exchange_u32(&slot->call_pending, 0);
	state = at_load_acquire_u32(&slot->state);
	if (state == 0 || (state & HELPER_INSIDE) != 0 ||
	    !at_cas_u32(&slot->state, &state, state | HELPER_INSIDE))
		return 0;
	slot->job = &slot->team->jobs[state / 2 - 1];
	guarded = plait__thread_guard_push(&slot->guard, lose_helper,
					   slot) == 0;
	run_parts(slot->job);
	if (guarded)
		plait__thread_guard_pop(&slot->guard);
	leave_job(slot);
	return 0;
}

/* ---- callers ---- */

static uint32_t posted_state(const struct job *job)
{
	return (uint32_t)(job - job->team->jobs) * 2 + 2;
}

static bool call_helper(struct helper_slot *slot)
{
	plait_work work = { .size = sizeof(work), .kind = PLAIT_WORK_CALL,
			    .function = run_helper, .user_data = slot,
			    .label = "parts" };
	plait_submission submission = { .size = sizeof(submission),
					.work = &work, .work_count = 1 };

	if (at_exchange_u32(&slot->call_pending, 1) != 0)
		return true;
	if (plait__lane_submit(slot->lane, &submission, 1, NULL) == PLAIT_OK)
		return true;
	at_store_release_u32(&slot->call_pending, 0);
	return false;
}

/* A failed lane skips calls until it is recovered, which needs its last call
 * to be over. */
static bool recover_lane(struct helper_slot *slot)
{
	if (at_load_acquire_u32(&slot->lane_failed) == 0)
		return true;
	if (plait__lane_recover(slot->lane, NULL) != PLAIT_OK)
		return false;
	at_store_release_u32(&slot->lane_failed, 0);
	return true;
}

static bool withdraw(struct job *job, struct helper_slot *slot)
{
	uint32_t state = posted_state(job);

	if (!at_cas_u32(&slot->state, &state, 0))
		return false;
	at_sub_u32(&job->active, 1);
	return true;
}

static bool post(struct job *job, struct helper_slot *slot)
{
	uint32_t idle = 0;

	if (at_load_relaxed_u32(&slot->state) != 0)
		return false;
	/* Counted before a helper can come and leave. */
	at_add_u32(&job->active, 1);
	if (!at_cas_u32(&slot->state, &idle, posted_state(job))) {
		at_sub_u32(&job->active, 1);
		return false;
	}
	/* Only the thread that posted here checks the lane. */
	if (recover_lane(slot) && call_helper(slot))
		return true;
	(void)withdraw(job, slot);
	return false;
}

static void post_all(struct job *job)
{
	plait__parallel_for *team = job->team;
	uint64_t wanted = job->count - 1;

	for (uint32_t i = 0; i < team->slot_count && wanted > 0; i++)
		if (post(job, &team->slots[i]))
			wanted--;
}

static bool has_no_helpers(void *arg)
{
	struct job *job = arg;

	return at_load_acquire_u32(&job->active) == 0;
}

/* Withdraw what is still posted and wait until no helper runs this job. */
static void wait_for_helpers(struct job *job)
{
	plait__parallel_for *team = job->team;

	for (uint32_t i = 0; i < team->slot_count; i++)
		if (at_load_relaxed_u32(&team->slots[i].state) ==
		    posted_state(job))
			(void)withdraw(job, &team->slots[i]);
	(void)plait__eventcount_await(&job->event, has_no_helpers, job,
				      PLAIT_FOREVER, PLAIT__BACKOFF_SHARED);
}

static void release_job(struct job *job)
{
	/* Release: pairs with the exchange in acquire_job. */
	at_store_release_u32(&job->in_use, 0);
}

/* The caller's thread ends inside a part. The thread's other guards report
 * it; this one keeps helpers away from data that is about to be freed. */
static void lose_caller(void *arg)
{
	struct job *job = arg;

	fail_job(job, PLAIT__PARALLEL_FOR_THREAD_LOST);
	wait_for_helpers(job);
	release_job(job);
}

static struct job *acquire_job(plait__parallel_for *team)
{
	for (uint32_t i = 0; i < team->job_count; i++) {
		struct job *job = &team->jobs[i];

		if (at_load_relaxed_u32(&job->in_use) == 0 &&
		    at_exchange_u32(&job->in_use, 1) == 0)
			return job;
	}
	return NULL;
}

static int32_t run_serially(plait__parallel_for_part part, const void *data,
			 uint64_t data_bytes, uint64_t count)
{
	_Alignas(16) unsigned char copy[PLAIT__PARALLEL_FOR_DATA_BYTES];
	int32_t result = 0;

	memcpy(copy, data, data_bytes);
	for (uint64_t i = 0; i < count && result == 0; i++)
		result = part(copy, i);
	return result;
}

int32_t plait__parallel_for_run(plait__parallel_for *team,
				plait__parallel_for_part part, const void *data,
				uint64_t data_bytes, uint64_t count)
{
	struct job *job = count > 1 && team != NULL ? acquire_job(team) : NULL;
	int32_t result;
	bool guarded;

	if (job == NULL)
		return run_serially(part, data, data_bytes, count);
	job->part = part;
	AT_PLAIN_WRITE(job->count) = count;
	memcpy(job->data, data, data_bytes);
	at_store_relaxed_u64(&job->next, 0);
	at_store_relaxed_u32(&job->result, 0);
	guarded = plait__thread_guard_push(&job->guard, lose_caller, job) == 0;
	/* Without a guard, a thread that ends is not noticed: no helpers. */
	if (guarded)
		post_all(job);
	run_parts(job);
	if (guarded)
		plait__thread_guard_pop(&job->guard);
	wait_for_helpers(job);
	result = (int32_t)at_load_relaxed_u32(&job->result);
	release_job(job);
	return result;
}

uint32_t plait__parallel_for_size(const plait__parallel_for *team)
{
	return team != NULL ? team->slot_count + 1 : 1;
}

/* ---- creation ---- */

void plait__parallel_for_destroy(plait__parallel_for *team)
{
	if (team == NULL)
		return;
	/* plait__lane_destroy waits for the last call, which reads its slot. */
	for (uint32_t i = 0; i < team->slot_count; i++)
		plait__lane_destroy(team->slots[i].lane);
	plait__cacheline_free(&team->allocator, team->slots,
			      team->slot_count * sizeof(*team->slots));
	plait__cacheline_free(&team->allocator, team->jobs,
			      team->job_count * sizeof(*team->jobs));
	plait__free(&team->allocator, team, sizeof(*team));
}

static plait_status init_slots(plait__parallel_for *team, plait_error *error)
{
	const plait_queue_request request = { .size = sizeof(request),
					      .label = "parts" };
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < team->slot_count;
	     i++) {
		team->slots[i].team = team;
		status = plait__lane_create(team->pool, &request,
					    &team->slots[i].lane, error);
	}
	for (uint32_t i = 0; i < team->job_count; i++) {
		team->jobs[i].team = team;
		plait__eventcount_init(&team->jobs[i].event, 0);
	}
	return status;
}

plait_status plait__parallel_for_create(plait__pool *pool,
					const plait_allocator *allocator,
					plait__parallel_for **out,
					plait_error *error)
{
	uint32_t workers = plait__pool_worker_count(pool);
	plait_status status = PLAIT_E_NOMEM;
	plait__parallel_for *team;

	*out = NULL;
	if (workers == 0)
		return PLAIT_OK;
	team = plait__alloc(allocator, sizeof(*team));
	if (team == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a team of %u", workers);
	team->allocator = *allocator;
	team->pool = pool;
	team->slots = plait__cacheline_alloc(allocator,
					      workers * sizeof(*team->slots));
	team->jobs = plait__cacheline_alloc(allocator, (workers + SPARE_JOBS) *
					    sizeof(*team->jobs));
	team->slot_count = team->slots != NULL ? workers : 0;
	team->job_count = team->jobs != NULL ? workers + SPARE_JOBS : 0;
	if (team->slots == NULL || team->jobs == NULL)
		plait__fail(error, PLAIT_E_NOMEM,
			    "no memory for a team of %u", workers);
	else
		status = init_slots(team, error);
	if (status == PLAIT_OK)
		*out = team;
	else
		plait__parallel_for_destroy(team);
	return status;
}
