/* SPDX-License-Identifier: MIT */
/*
 * Work-stealing loop of mode HELPED: claim a ready command, run it, publish its
 * completion, park.
 *
 * A worker that finds nothing looks again for a while, then parks.  The run
 * does not wait for it: the run is over when all commands are done, and late
 * workers notice afterwards.  A late worker cannot claim anything of the next
 * run before it has seen that run's number, because the states of commands only
 * grow.
 *
 *     parker                            publisher: of a command, or of a run
 *     set IDLE (read-modify-write)      store the state, or the run's number
 *     membarrier                        asymmetric fence
 *     a ready command, a new run?       look for work; an idle worker?
 *     yes: clear IDLE, look again         IDLE: clear it
 *     IDLE to PARKED, if still IDLE;      PARKED: clear it and offer the worker
 *     else look again
 *
 * A worker that has done a command looks for ready commands afterwards, so of
 * two workers that do so at once, one finds what both have made ready.
 */
#include "run/host/steal_claim.h"

#include "run/record/recorder.h"

#include "base/error.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "sys/backoff.h"

enum {
	/* How far ahead of the claimed commands a worker looks for one to
	 * steal. */
	WINDOW = 32,
	/* Least interval between two wake-ups of parked workers. */
	WAKE_NS = 50000,
	/* A busy worker measures its pace once per PACE commands.  Commands are
	 * short below SHORT_NS each, claims included. */
	PACE = 64,
	SHORT_NS = 50,
	/* Backoff: sleep of a worker whose predecessor's thread gets no
	 * processor. */
	NAP_NS = 50000
};

/* Spins: PATIENCE on the worker's own next command before it steals, and
 * PATIENT_LOOKS on a predecessor that another worker runs before it yields.
 * After FAILED_SERIES unsuccessful series in a row the other workers probably
 * have no processor, and the next SKIP_LOOKS searches steal at once.  The
 * explorer needs one spin of each. */
#ifdef PLAIT_EXPLORE
enum { PATIENCE = 1, FAILED_SERIES = 1, SKIP_LOOKS = 1, PATIENT_LOOKS = 0 };
enum { NAPPING_LOOKS = 1 };
#else
enum { PATIENCE = 4, FAILED_SERIES = 4, SKIP_LOOKS = 16, PATIENT_LOOKS = 64 };
enum { NAPPING_LOOKS = 1064 };
#endif

/* ---- search ---- */

static bool is_free(const plait__steal_worker *worker, uint32_t command)
{
	return !plait__claim_is_taken(worker, command) &&
	       plait__claim_is_ready(worker, command);
}

/* The first command of the lane that is ready and not claimed, or none. */
static uint32_t look_at(plait__steal_worker *worker, uint32_t lane)
{
	uint32_t end = plait__claim_end(worker, lane);
	uint32_t head = plait__claim_head(worker, lane, end);

	if (head == end || plait__claim_is_ready(worker, head))
		return head < end ? head : PLAIT__NONE;
	for (uint32_t i = head + 1; i < end && i - head < WINDOW; i++)
		if (is_free(worker, i))
			return i;
	return PLAIT__NONE;
}

static uint32_t look_around(plait__steal_worker *worker)
{
	uint32_t count = worker->set->compiled->lane_count;
	uint32_t found = PLAIT__NONE;
	uint32_t lane = worker->lane;

	for (uint32_t i = 0; found == PLAIT__NONE && i < count; i++) {
		found = look_at(worker, lane);
		worker->from = lane;
		lane = lane + 1 < count ? lane + 1 : 0;
	}
	return found;
}

/* The first command of highest priority among those that are ready within the
 * window of any lane, or none. */
static uint32_t look_urgent(plait__steal_worker *worker)
{
	const plait__steal_program *compiled = worker->set->compiled;
	uint32_t count = compiled->lane_count, best = PLAIT__NONE;
	uint32_t lane = worker->lane;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = plait__claim_end(worker, lane);
		uint32_t head = plait__claim_head(worker, lane, end);

		for (uint32_t c = head; c < end && c - head < WINDOW; c++) {
			if (best != PLAIT__NONE &&
			    compiled->commands[c].priority <=
			    compiled->commands[best].priority)
				continue;
			if (!is_free(worker, c))
				continue;
			best = c;
			worker->from = lane;
		}
		lane = lane + 1 < count ? lane + 1 : 0;
	}
	return best;
}

/* ---- wake-up ---- */

bool plait__steal_worker_wake(plait__steal_set *set, uint32_t lane,
			      bool *was_parked)
{
	uint64_t parked = PLAIT__STEAL_PARKED << lane;
	uint64_t both = parked | PLAIT__STEAL_IDLE << lane;
	uint64_t was = at_and_u64(&set->idle, ~both);

	*was_parked = (was & parked) != 0;
	return (was & both) != 0;
}

/* Returns true if there is work for a second worker.  `look_at` may advance
 * worker->heads, which is this worker's. */
static bool has_work_for_two(plait__steal_worker *worker)
{
	uint32_t count = worker->set->compiled->lane_count;
	/* A batch in progress keeps the worker busy. */
	uint32_t found = worker->next < worker->until;

	for (uint32_t i = 0; found < 2 && i < count; i++) {
		uint32_t lane = (worker->lane + i) % count;
		const plait__plan_track *track =
			&worker->set->compiled->tracks[lane];
		uint32_t first = look_at(worker, lane);

		if (first == PLAIT__NONE)
			continue;
		found++;
		for (uint32_t c = first + 1; found < 2 && c - first < WINDOW &&
		     c < track->first + track->count; c++)
			found += is_free(worker, c);
	}
	return found >= 2;
}

/* Wake an idle worker if there is work for it to steal. */
static void wake_another(plait__steal_worker *worker)
{
	plait__steal_set *set = worker->set;
	uint64_t now = plait__clock_now_ns();
	bool was_parked = false;

	/* Relaxed: two wake-ups at the same time do no harm. */
	if (now - at_load_relaxed_u64(&set->woken_ns) < WAKE_NS ||
	    !has_work_for_two(worker))
		return;
	at_store_relaxed_u64(&set->woken_ns, now);
	for (uint32_t i = 0; i < set->compiled->lane_count; i++) {
		if (!plait__steal_worker_wake(set, i, &was_parked))
			continue;
		if (was_parked)
			plait__task_offer_from_running(&set->workers[i].task);
		return;
	}
}

/* ---- execution ---- */

/* `call` has set worker->command. */
static void fail(plait__steal_worker *worker, int32_t result)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail_origin(&why, PLAIT_E_FAILED, result, "failed with %d",
			   (int)result);
	plait__instance_fail(worker->set->instance,
			     worker->set->ops[worker->command].command, &why);
}

/* sched_yield does not help a thread of lower priority. */
static void nap(plait__steal_set *set)
{
	uint32_t left = at_load_relaxed_u32(&set->remaining);

	(void)at_futex_wait(&set->remaining, left,
			    plait__clock_now_ns() + NAP_NS);
}

/* Wait for the predecessors of a claimed command, which other workers have. */
static __attribute__((noinline)) void await(const plait__steal_worker *worker,
					    uint32_t command)
{
	for (uint32_t looks = 0; !plait__claim_is_ready(worker, command);
	     looks++) {
		at_spin_pause();
		if (looks > NAPPING_LOOKS)
			nap(worker->set);
		else if (looks > PATIENT_LOOKS)
			plait__thread_yield();
	}
}

/* Measure whether the last PACE commands were short; the next run uses
 * that. */
static __attribute__((noinline)) void measure_pace(plait__steal_worker *worker)
{
	at_u32 *known = &worker->set->short_commands;
	uint64_t now = plait__clock_now_ns();
	/* A stopped run is no measurement. */
	bool short_commands = now - worker->paced_ns < PACE * SHORT_NS &&
		     at_load_relaxed_u32(&worker->set->instance->stop) == 0;

	/* Relaxed: a hint.  Stored only if it changes, to keep the line
	 * shared. */
	if (worker->done > PACE && at_load_relaxed_u32(known) != short_commands)
		at_store_relaxed_u32(known, short_commands);
	worker->paced_ns = now;
}

/* A command of a stopped run is done without a call. */
static bool is_stopped(const plait__steal_worker *worker)
{
	/* Relaxed: as in lane_interpreter.c. */
	return at_load_relaxed_u32(&worker->set->instance->stop) != 0;
}

static inline __attribute__((always_inline)) int32_t
call(plait__steal_worker *worker, uint32_t command)
{
	const plait__steal_set *set = worker->set;

	worker->command = command;
	return plait__call_op_invoke(&set->ops[command],
				     set->instance->frame.words);
}

/* Record the wait before a command, and the command.  The run is recorded, and
 * worker->lane is this worker's own ring. */
static void record(plait__steal_worker *worker, uint32_t command,
		   uint64_t start_ns)
{
	const plait__steal_set *set = worker->set;
	uint32_t lane = set->compiled->tracks[worker->lane].lane;
	plait__record_ring *ring = &set->instance->recording->rings[lane];
	plait__record_entry entry = {
		.start_ns = worker->idle_ns, .end_ns = start_ns,
		.kind = PLAIT_RECORD_WAIT,
		.command = set->ops[command].command,
		.other = PLAIT__NONE,
	};

	if (worker->idle_ns != 0)
		plait__recorder_put(ring, &entry);
	worker->idle_ns = 0;
	entry.start_ns = start_ns;
	entry.end_ns = plait__clock_now_ns();
	entry.kind = PLAIT_RECORD_COMMAND;
	plait__recorder_put(ring, &entry);
}

static __attribute__((noinline)) int32_t
call_with_attention(plait__steal_worker *worker, uint32_t command)
{
	bool records = (worker->attention & PLAIT__STEAL_RECORDS) != 0;
	uint64_t start_ns;
	int32_t result;

	if ((worker->attention & PLAIT__STEAL_RECHECKS) != 0)
		await(worker, command);
	if (is_stopped(worker))
		return 0;
	start_ns = records ? plait__clock_now_ns() : 0;
	result = call(worker, command);
	if (records)
		record(worker, command, start_ns);
	return result;
}

static inline __attribute__((always_inline)) void
perform(plait__steal_worker *worker, uint32_t command)
{
	plait__steal_set *set = worker->set;
	int32_t result = 0;

	if (__builtin_expect(worker->attention != 0, 0))
		result = call_with_attention(worker, command);
	else if (!is_stopped(worker))
		result = call(worker, command);
	if (__builtin_expect(result != 0, 0))
		fail(worker, result);
	if (++worker->done % PACE == 0)
		measure_pace(worker);
	/* Release: pairs with the load in steal_claim.h. */
	at_store_release_u64(&set->states[command], plait__claim_done(worker));
	/* Before the load of `idle`; pairs with the fence in park. */
	if (set->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	if (__builtin_expect(at_load_relaxed_u64(&set->idle) != 0, 0))
		wake_another(worker);
}

/* Subtract the worker's commands from `remaining`.  Returns true if they were
 * the last ones. */
static bool subtract_done(plait__steal_worker *worker)
{
	uint32_t done = worker->done;

	worker->done = 0;
	/* Acquire and release: the last one sees what all did. */
	return done > 0 &&
	       at_sub_u32(&worker->set->remaining, done) == done;
}

/* ---- the loop ---- */

/* Returns true if there is a run that this worker has not seen. */
static bool is_behind(const plait__steal_worker *worker)
{
	/* Acquire: pairs with the store in begin_run, steal_setup.c. */
	return at_load_acquire_u64(&worker->set->run) != worker->run;
}

/* Nothing is claimed: the batch of the last run is done, and its commands are
 * subtracted. */
static void enter_run(plait__steal_worker *worker)
{
	const plait__steal_program *compiled = worker->set->compiled;

	worker->run = at_load_acquire_u64(&worker->set->run);
	worker->from = worker->lane;
	worker->next = worker->until = 0;
	/* Relaxed: published with the run. */
	worker->batch_claims =
		at_load_relaxed_u32(&worker->set->batch_claims) != 0;
	worker->attention = at_load_relaxed_u32(&worker->set->records) != 0 ?
			    PLAIT__STEAL_RECORDS : 0;
	worker->idle_ns = 0;
	for (uint32_t i = 0; i < compiled->lane_count; i++)
		worker->heads[i] = compiled->tracks[i].first;
}

/* Returns true if the worker is parked: another thread may have it then. */
static bool park(plait__steal_worker *worker)
{
	plait__steal_set *set = worker->set;
	uint64_t bit = PLAIT__STEAL_IDLE << worker->lane;
	uint64_t was;

	(void)at_or_u64(&set->idle, bit);
	if (set->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	if (is_behind(worker) || look_around(worker) != PLAIT__NONE) {
		(void)at_and_u64(&set->idle, ~bit);
		return false;
	}
	plait__task_set_idle(&worker->task);
	was = at_load_relaxed_u64(&set->idle);
	/* Release: the thread that offers the worker sees that it is parked. */
	while ((was & bit) != 0)
		if (at_cas_u64(&set->idle, &was,
			       (was & ~bit) | bit << PLAIT__STEAL_PARKED_SHIFT))
			return true;
	/* Woken; only a parked worker is offered, so the task stays this
	 * thread's. */
	at_store_relaxed_u32(&worker->task.ready.state, PLAIT__TASK_RUNNING);
	return false;
}

/* The run is over: parks the worker for the start of the next one.  The thread
 * of this worker then ends the run (task.over). */
static bool park_after_run(plait__steal_worker *worker)
{
	plait__steal_set *set = worker->set;

	plait__task_set_idle(&worker->task);
	(void)at_or_u64(&set->idle,
			PLAIT__STEAL_PARKED << worker->lane);
	return true;
}

/* Returns true if an idle worker should go on looking. */
static bool keeps_looking(const plait__steal_worker *worker,
			  struct plait__backoff *ladder)
{
	/* Relaxed: a hint; a run that is over needs no worker. */
	if (at_load_relaxed_u32(&worker->set->remaining) == 0 ||
	    plait__task_should_yield(&worker->task))
		return false;
	return plait__backoff_step(ladder);
}

/* Returns true if the worker should look at its own next command again. */
static bool is_patient(plait__steal_worker *worker, uint32_t looks)
{
	if (looks == 0 && worker->skip_looks > 0) {
		worker->skip_looks--;
		return false;
	}
	if (looks == PATIENCE && ++worker->failed_looks >= FAILED_SERIES)
		worker->skip_looks = SKIP_LOOKS;
	return looks < PATIENCE;
}

/* The next command of the worker's own lane; if that is not ready for long, any
 * ready one, first behind the last one found. */
static uint32_t look(plait__steal_worker *worker, uint32_t looks)
{
	uint32_t own_end = plait__claim_end(worker, worker->lane);
	uint32_t own = plait__claim_head(worker, worker->lane, own_end);
	uint32_t end, head;

	if (worker->set->compiled->has_priorities)
		return look_urgent(worker);
	if (own < own_end) {
		worker->from = worker->lane;
		if (!plait__claim_is_ready(worker, own))
			return is_patient(worker, looks) ? PLAIT__NONE :
							   look_around(worker);
		if (looks > 0)
			worker->failed_looks = 0;
		return own;
	}
	end = plait__claim_end(worker, worker->from);
	head = plait__claim_head(worker, worker->from, end);
	return head < end && plait__claim_is_ready(worker, head) ?
		       head : look_around(worker);
}

/* Run `command` and the rest of the batch. */
static inline __attribute__((always_inline)) void
run_batch(plait__steal_worker *worker, uint32_t command)
{
	for (; command != PLAIT__NONE; command = plait__claim_next(worker))
		perform(worker, command);
}

/* Aligned: where the hot loop lies is worth up to 5 % of an empty command. */
__attribute__((aligned(64))) bool
plait__steal_worker_run(plait__task *task)
{
	plait__steal_worker *worker = (plait__steal_worker *)(void *)task;
	struct plait__backoff ladder;
	uint32_t looks = 0;
	uint32_t found;

	plait__run_instance_enter(worker->set->instance);
	plait__backoff_init(&ladder, PLAIT__BACKOFF_SHARED);
	/* The rest of a batch whose function ended its thread. */
	run_batch(worker, plait__claim_next(worker));
	for (;; looks++) {
		if (is_behind(worker))
			enter_run(worker);
		found = look(worker, looks);
		if (found != PLAIT__NONE) {
			run_batch(worker, plait__claim(worker, worker->from,
						       found));
			/* The increment makes it 0. */
			looks = UINT32_MAX;
			continue;
		}
		if ((worker->attention & PLAIT__STEAL_RECORDS) != 0 &&
		    worker->idle_ns == 0)
			worker->idle_ns = plait__clock_now_ns();
		if (looks < PATIENCE) {
			at_spin_pause();
			continue;
		}
		if (subtract_done(worker))
			return park_after_run(worker);
		if (looks == PATIENCE)
			plait__backoff_init(&ladder, PLAIT__BACKOFF_SHARED);
		if (!keeps_looking(worker, &ladder) && park(worker))
			return false;
	}
}
