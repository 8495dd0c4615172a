/* SPDX-License-Identifier: MIT */
/* Work in parts; see parallel_for.h. */
#include "pool/parallel_for.h"

#include "pool/lane.h"
#include "pool/cacheline.h"
#include "pool/pool.h"
#include "sys/eventcount.h"
#include "sys/thread.h"

#include "base/error.h"

#include <string.h>

/* Jobs at the same time beyond one a worker: threads of the user's. */
enum { SPARE_JOBS = 4 };

/* What is being done.  It outlives a caller's thread that ends inside. */
struct job {
	PLAIT__CACHELINE_ALIGNED at_u64 next; /* the part to be done next */
	at_u32 result;			 /* the first that is not 0 */
	PLAIT__CACHELINE_ALIGNED at_u32 in_use; /* by a caller */
	at_u32 active; /* slots where it is posted or being done */
	struct plait__eventcount event; /* `active` fell */
	/* Written by the caller before it is posted. */
	plait__parallel_for *team;
	plait__parallel_for_part part;
	uint64_t count;
	struct plait__thread_guard guard; /* of the caller */
	_Alignas(16) unsigned char data[PLAIT__PARALLEL_FOR_DATA_BYTES];
};

/* Where a helper finds a job: 0, or twice the job's number plus 2, plus 1 when
 * a helper is inside. */
enum { HELPER_INSIDE = 1 };

struct helper_slot {
	PLAIT__CACHELINE_ALIGNED at_u32 state;
	at_u32 call_pending; /* a call is pending on the lane */
	at_u32 lane_failed; /* the last helper's thread ended; the lane failed */
	plait__lane *lane;
	plait__parallel_for *team;
	struct job *job; /* the helper's */
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

/* ---- doing parts ---- */

static void fail_job(struct job *job, int32_t result)
{
	uint32_t none = 0;

	(void)at_cas_u32(&job->result, &none, (uint32_t)result);
}

static void run_parts(struct job *job)
{
	uint64_t number;
	int32_t result;

	/* Relaxed: a part too many does no harm. */
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

/* The slot first: after the last one is out, the job is another's. */
static void leave_job(struct helper_slot *slot)
{
	struct job *job = slot->job;

	at_store_release_u32(&slot->state, 0);
	/* Release: pairs with the load in has_no_helpers; the parts are done. */
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

/* The call on a slot's lane. */
static int32_t run_helper(void *user_data)
{
	struct helper_slot *slot = user_data;
	uint32_t state;
	bool guarded;

	/* Before the look at the state, and an exchange: a poster that finds
	 * 1 here is seen by this look, one that comes later finds 0. */
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

/* A lane that failed skips calls until it has recovered, which it cannot
 * before its last call is over. */
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
	/* Before a helper may come to take it away again. */
	at_add_u32(&job->active, 1);
	if (!at_cas_u32(&slot->state, &idle, posted_state(job))) {
		at_sub_u32(&job->active, 1);
		return false;
	}
	/* Only who has posted_state here asks whether the lane is whole. */
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

/* Nobody else is inside when this is over. */
static void wait_for_helpers(struct job *job)
{
	plait__parallel_for *team = job->team;

	for (uint32_t i = 0; i < team->slot_count; i++)
		if (at_load_relaxed_u32(&team->slots[i].state) == posted_state(job))
			(void)withdraw(job, &team->slots[i]);
	(void)plait__eventcount_await(&job->event, has_no_helpers, job, PLAIT_FOREVER,
				      PLAIT__BACKOFF_SHARED);
}

static void release_job(struct job *job)
{
	/* Release: pairs with the exchange in acquire_job. */
	at_store_release_u32(&job->in_use, 0);
}

/* The caller's own thread ends inside a part.  Who ran the caller says so;
 * here the helpers are kept from what is about to go. */
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

int32_t plait__parallel_for_run(plait__parallel_for *team, plait__parallel_for_part part,
				const void *data, uint64_t data_bytes, uint64_t count)
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
	/* A thread that may end unnoticed gets no helpers. */
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

/* ---- making ---- */

void plait__parallel_for_destroy(plait__parallel_for *team)
{
	if (team == NULL)
		return;
	/* Waits for the last call of each, which looks at its slot. */
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
					plait__parallel_for **out, plait_error *error)
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
