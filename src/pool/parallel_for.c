/* SPDX-License-Identifier: MIT */
/* Parallel loops over the pool's workers; see parallel_for.h. */
#include "pool/parallel_for.h"

#include "pool/loop_helper.h"
#include "pool/loop_share.h"
#include "pool/pool.h"
#include "sys/clock.h"
#include "sys/cpu.h"

#include "base/error.h"

#include <string.h>

enum {
	/* Concurrent jobs beyond one per worker: of application threads. */
	SPARE_JOBS = 4,
	/* From this duration on, in ns, the wake-up of a worker pays. */
	ASLEEP_NS = 30000,
	/* Loops with at most this time between them, in ns, are close; after so
	 * many close ones a wake-up is worth its price. */
	CLOSE_NS = 30000,
	CLOSE_LOOPS = 4,
	/* Part of the pieces that the caller runs first, to measure them: a 4th
	 * to confirm that a loop is short, a 16th if nothing is known. */
	CONFIRM_PART = 4,
	MEASURE_PART = 16
};

struct plait__parallel_for {
	plait_allocator allocator;
	plait__pool *pool;
	uint32_t slot_count;
	uint32_t helper_limit; /* processors beside the caller's */
	uint32_t job_count;
	struct plait__helper_slot *slots;
	struct plait__loop_share *shares; /* of the slots */
	struct plait__loop_job *jobs;
	/* Hints, of all callers together. */
	PLAIT__CACHELINE_ALIGNED at_u64 last_end;
	at_u32 close_loops;
};

/* One call of plait__parallel_for_run. */
struct loop {
	plait__parallel_for *team;
	plait__parallel_for_part part;
	void *data;
	uint64_t data_bytes;
	uint64_t begin; /* pieces that are not run yet */
	uint64_t count;
	uint64_t left_ns; /* expected for these */
	bool close; /* to the loop before */
};

/* ---- decision ---- */

static void note_begin(struct loop *loop, uint64_t now)
{
	at_u32 *close_loops = &loop->team->close_loops;
	uint64_t end = at_load_relaxed_u64(&loop->team->last_end);
	uint32_t count = at_load_relaxed_u32(close_loops);

	/* Another caller's loop may have ended later than this one begins. */
	loop->close = now < end + CLOSE_NS;
	if (!loop->close && count != 0)
		at_store_relaxed_u32(close_loops, 0);
	if (loop->close && count < CLOSE_LOOPS)
		at_store_relaxed_u32(close_loops, count + 1);
}

/* Returns the number of workers worth calling; *present: only those that wait
 * in their slots. */
static uint64_t count_helpers(const struct loop *loop, bool *present)
{
	const plait__parallel_for *team = loop->team;
	uint64_t wanted = loop->left_ns / PLAIT__PARALLEL_FOR_ALONE_NS;

	*present = loop->left_ns < ASLEEP_NS &&
		   at_load_relaxed_u32(&team->close_loops) < CLOSE_LOOPS;
	if (*present && !plait__loop_helper_is_present(&team->slots[0]))
		return 0;
	if (wanted > team->helper_limit)
		wanted = team->helper_limit;
	if (wanted > loop->count - loop->begin - 1)
		wanted = loop->count - loop->begin - 1;
	return wanted;
}

/* ---- jobs ---- */

static bool has_no_helpers(void *arg)
{
	struct plait__loop_job *job = arg;

	return at_load_acquire_u32(&job->active) == 0;
}

/* Withdraw what is still posted and wait until no helper runs this job. */
static void wait_for_helpers(struct plait__loop_job *job)
{
	plait__parallel_for *team = job->team;

	for (uint32_t i = 0; i < team->slot_count &&
			     at_load_relaxed_u32(&job->active) != 0; i++)
		plait__loop_helper_withdraw(&team->slots[i], job);
	(void)plait__eventcount_await(&job->event, has_no_helpers, job,
				      PLAIT_FOREVER, PLAIT__BACKOFF_SHARED);
}

/* A failed job leaves pieces behind; the next one with this id must not find
 * them. A share that is another job's by now is left alone. */
static void clear_shares(struct plait__loop_job *job)
{
	for (uint32_t i = 0; i < job->share_count; i++) {
		at_u64 *share = &job->shares[i].word;
		uint64_t word = at_load_relaxed_u64(share);

		if (plait__loop_share_unpack(word, job->id).end != 0)
			(void)at_cas_u64(share, &word, 0);
	}
}

static void release_job(struct plait__loop_job *job)
{
	if (at_load_relaxed_u32(&job->result) != 0)
		clear_shares(job);
	/* Release: pairs with the exchange in acquire_job. */
	at_store_release_u32(&job->in_use, 0);
}

/* The caller's thread ends inside a part. The thread's other guards report
 * it; this one keeps helpers away from data that is about to be freed. */
static void lose_caller(void *arg)
{
	struct plait__loop_job *job = arg;

	plait__loop_job_fail(job, PLAIT__PARALLEL_FOR_THREAD_LOST);
	wait_for_helpers(job);
	release_job(job);
}

static struct plait__loop_job *acquire_job(plait__parallel_for *team)
{
	for (uint32_t i = 0; i < team->job_count; i++) {
		struct plait__loop_job *job = &team->jobs[i];

		if (at_load_relaxed_u32(&job->in_use) == 0 &&
		    at_exchange_u32(&job->in_use, 1) == 0)
			return job;
	}
	return NULL;
}

/* ---- runs ---- */

/* Reserve slots, deal shares to the caller and to each, and post the job. */
static void post(struct plait__loop_job *job, const struct loop *loop,
		 uint64_t wanted, bool present)
{
	plait__parallel_for *team = loop->team;
	uint64_t count = loop->count - loop->begin, got = 0, dealt = 0;
	uint32_t i;

	for (i = 0; i < team->slot_count && got < wanted; i++)
		got += plait__loop_helper_reserve(&team->slots[i], job,
						  present);
	plait__loop_job_give(job, 0, loop->begin,
			     loop->begin + count / (got + 1));
	for (i = 0; dealt < got; i++) {
		if (!plait__loop_helper_has_job(&team->slots[i], job))
			continue;
		dealt++;
		plait__loop_job_give(job, i + 1,
				     loop->begin + count * dealt / (got + 1),
				     loop->begin +
					     count * (dealt + 1) / (got + 1));
		plait__loop_helper_publish(&team->slots[i], job);
	}
}

/* Run the pieces that are left with `wanted` helpers; *own is the number of
 * those that the caller ran, *end the time at which it found no more. */
static int32_t run_shared(struct plait__loop_job *job, const struct loop *loop,
			  uint64_t wanted, bool present, uint64_t *own,
			  uint64_t *end)
{
	int32_t result;

	AT_PLAIN_WRITE(job->part) = loop->part;
	job->run = plait__callback_scope_run;
	job->run.coroutine = NULL;
	job->helpers_stay = loop->close;
	job->caller_cpu = present ? -1 : plait__cpu_here();
	memcpy(job->data, loop->data, loop->data_bytes);
	at_store_relaxed_u32(&job->result, 0);
	/* Without a guard, a thread that ends is not noticed: no helpers. */
	if (plait__thread_guard_push(&job->guard, lose_caller, job) != 0) {
		result = loop->part(loop->data, loop->begin, loop->count);
		*own = loop->count - loop->begin;
		*end = plait__clock_now_ns();
		release_job(job);
		return result;
	}
	post(job, loop, wanted, present);
	*own = plait__loop_job_run(job, 0);
	plait__thread_guard_pop(&job->guard);
	*end = plait__clock_now_ns();
	wait_for_helpers(job);
	result = (int32_t)at_load_relaxed_u32(&job->result);
	release_job(job);
	return result;
}

static int32_t run_alone(struct loop *loop, uint64_t end)
{
	uint64_t begin = loop->begin;

	loop->begin = end;
	return loop->part(loop->data, begin, end);
}

/* Run the first pieces alone, for what is left to be expected. */
static int32_t run_first(struct loop *loop, uint64_t start)
{
	uint64_t part = loop->left_ns != 0 ? CONFIRM_PART : MEASURE_PART;
	uint64_t first = loop->count / part + 1;
	int32_t result = run_alone(loop, first);

	loop->left_ns = (plait__clock_now_ns() - start) *
			(loop->count - first) / first;
	return result;
}

int32_t plait__parallel_for_run(plait__parallel_for *team,
				plait__parallel_for_part part, void *data,
				uint64_t data_bytes, uint64_t count,
				uint64_t *duration_ns)
{
	struct loop loop = { .team = team, .part = part, .data = data,
			     .data_bytes = data_bytes, .count = count,
			     .left_ns = *duration_ns };
	uint64_t start, end, wanted, own;
	struct plait__loop_job *job = NULL;
	bool present;
	int32_t result = 0;

	if (team == NULL || count < 2)
		return run_alone(&loop, count);
	start = plait__clock_now_ns();
	note_begin(&loop, start);
	wanted = count_helpers(&loop, &present);
	if (wanted == 0) {
		result = run_first(&loop, start);
		if (result != 0)
			return result;
		wanted = loop.begin < count ? count_helpers(&loop, &present) :
					      0;
	}
	own = count;
	if (wanted != 0)
		job = acquire_job(team);
	if (job != NULL) {
		uint64_t first = loop.begin;

		result = run_shared(job, &loop, wanted, present, &own, &end);
		own += first;
	} else {
		if (loop.begin < count)
			result = run_alone(&loop, count);
		end = plait__clock_now_ns();
	}
	at_store_relaxed_u64(&team->last_end, end);
	if (own != 0)
		*duration_ns = (end - start) * count / own + 1;
	return result;
}

uint32_t plait__parallel_for_size(const plait__parallel_for *team)
{
	return team != NULL ? team->helper_limit + 1 : 1;
}

/* ---- creation ---- */

void plait__parallel_for_destroy(plait__parallel_for *team)
{
	plait_allocator allocator;

	if (team == NULL)
		return;
	allocator = team->allocator;
	/* plait__lane_destroy waits for the last call, which reads its slot. */
	for (uint32_t i = 0; team->slots != NULL && i < team->slot_count; i++)
		plait__lane_destroy(team->slots[i].lane);
	plait__cacheline_free(&allocator, team->slots,
			      team->slot_count * sizeof(*team->slots));
	plait__cacheline_free(&allocator, team->shares,
			      team->slot_count * sizeof(*team->shares));
	plait__cacheline_free(&allocator, team->jobs,
			      team->job_count * sizeof(*team->jobs));
	plait__cacheline_free(&allocator, team, sizeof(*team));
}

static void init_jobs(plait__parallel_for *team)
{
	for (uint32_t i = 0; i < team->job_count; i++) {
		struct plait__loop_job *job = &team->jobs[i];

		job->team = team;
		job->shares = team->shares;
		job->share_count = team->slot_count;
		job->id = i + 1;
		plait__eventcount_init(&job->event, 0);
	}
}

static plait_status init_slots(plait__parallel_for *team, plait_error *error)
{
	const plait_queue_request request = { .size = sizeof(request),
					      .label = "parts" };
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < team->slot_count; i++) {
		team->slots[i].pool = team->pool;
		team->slots[i].jobs = team->jobs;
		team->slots[i].index = i;
		status = plait__lane_create(team->pool, &request,
					    &team->slots[i].lane, error);
	}
	return status;
}

static bool allocate_arrays(plait__parallel_for *team)
{
	const plait_allocator *allocator = &team->allocator;

	team->slots = plait__cacheline_alloc(
		allocator, team->slot_count * sizeof(*team->slots));
	team->shares = plait__cacheline_alloc(
		allocator, team->slot_count * sizeof(*team->shares));
	team->jobs = plait__cacheline_alloc(
		allocator, team->job_count * sizeof(*team->jobs));
	return team->slots != NULL && team->shares != NULL &&
	       team->jobs != NULL;
}

plait_status plait__parallel_for_create(plait__pool *pool,
					const plait_allocator *allocator,
					plait__parallel_for **out,
					plait_error *error)
{
	uint32_t workers = plait__pool_worker_count(pool);
	uint32_t others = plait__pool_processor_count(pool) - 1;
	plait_status status;
	plait__parallel_for *team;

	*out = NULL;
	if (workers == 0)
		return PLAIT_OK;
	team = plait__cacheline_alloc(allocator, sizeof(*team));
	if (team == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a team of %u", workers);
	team->allocator = *allocator;
	team->pool = pool;
	team->slot_count = workers;
	team->job_count = workers + SPARE_JOBS;
	team->helper_limit = workers < others ? workers : others;
	if (allocate_arrays(team)) {
		init_jobs(team);
		status = init_slots(team, error);
	} else {
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a team of %u", workers);
	}
	if (status == PLAIT_OK)
		*out = team;
	else
		plait__parallel_for_destroy(team);
	return status;
}
