/* SPDX-License-Identifier: MIT */
/*
 * Loop of a lane's worker: claim a ready op, run it, mark it as done, park.
 *
 *     parking worker                    submitter, or finisher of an op
 *     set IDLE (read-modify-write)      store the word
 *     the lock was free, or             the submitter has the lock;
 *       membarrier                        asymmetric fence
 *     a ready op?                       a spinning worker? then nothing
 *     yes: clear IDLE, look again       an idle worker?
 *     IDLE to PARKED, if still IDLE;      IDLE: clear it
 *     else look again                     PARKED: clear it and offer the worker
 *
 * A worker that spins leaves `spinning` before it sets IDLE, so a submitter that
 * still sees it spin has stored the word before the worker's last look.  A
 * worker that has run an op looks for ready ops afterwards, so none is needed
 * for the ops that are behind it.
 */
#include "flow/lanes/flow_worker.h"

#include "flow/lanes/flow_claim.h"
#include "flow/lanes/flow_share.h"
#include "flow/lanes/held_ops.h"
#include "flow/lanes/op_run.h"

#include "base/error.h"
#include "pool/time_slice.h"
#include "sys/backoff.h"
#include "sys/clock.h"

enum { NEAR_LOOKS = 16 };

/* Looks at an op that is reserved before a worker takes it: some us. */
#ifdef PLAIT_EXPLORE
enum { RESERVED_LOOKS = 2 };
#else
enum { RESERVED_LOOKS = 32 };
#endif

/* Looks of a worker before it counts as one that spins. */
#ifdef PLAIT_EXPLORE
enum { PATIENCE = 0 };
#else
enum { PATIENCE = 4 };
#endif

/* Of links, before the next look at ops. */
enum { POLLS = 4 };

/* ---- search ---- */

/* A look at all held ops that finds none ready costs 10 us with a full window, so
 * some that reach less far follow it. */
static uint64_t look_at_held(plait__flow_worker *worker, bool at_all)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint64_t found;

	if (lanes->held != NULL)
		return at_all ? plait__held_ops_peek(lanes) :
				plait__held_ops_take(lanes);
	if (!at_all && worker->near_looks > 0) {
		worker->near_looks--;
		return plait__flow_claim_look(worker, lanes->count + 1,
					      PLAIT__CLAIM_REACH);
	}
	found = plait__flow_claim_look(worker, lanes->count + 1,
				       lanes->ring.mask + 1);
	if (found == 0)
		worker->near_looks = NEAR_LOOKS;
	return found;
}

/* The lane that a look begins with: that of the last op found.  Near its end the
 * worker changes to another one: rows of a wavefront that advance together end
 * together, else the last thread would run the rest of its row alone. */
static uint32_t first_lane(const plait__flow_worker *worker)
{
	uint32_t lane = worker->from;

	if (!worker->near_end || worker->follows > 0)
		return lane;
	return lane + 1 < worker->lanes->count ? lane + 1 : 0;
}

/* The worker takes the ops behind the one that a scan of the lane found. */
static void follow(plait__flow_worker *worker, uint32_t lane)
{
	worker->from = lane;
	worker->next = worker->place + 1;
	worker->near_end =
		plait__flow_claim_is_near_end(worker, lane, worker->place);
	worker->follows = worker->near_end ? PLAIT__CLAIM_END_FOLLOWS :
					     PLAIT__CLAIM_FOLLOWS;
}

static uint64_t look_around(plait__flow_worker *worker, bool at_all)
{
	uint32_t count = worker->lanes->count;
	uint64_t found = plait__flow_claim_next(worker);
	uint32_t lane = first_lane(worker);

	for (uint32_t i = 0; found == 0 && i <= count; i++) {
		found = plait__flow_claim_look(worker, lane,
					       PLAIT__CLAIM_REACH);
		if (found != 0)
			follow(worker, lane);
		lane = lane < count ? lane + 1 : 0;
	}
	return found != 0 ? found : look_at_held(worker, at_all);
}

static void collect(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;

	/* Relaxed: the function acquires. */
	if (at_load_relaxed_u32(&lanes->arrived) != 0)
		lanes->collect(lanes->arg);
}

/* The op that is reserved for a waiting thread, if none has taken it for a while; 0:
 * none.  At all: also if it may still take it.  The op's own line is that thread's
 * meanwhile. */
static uint64_t look_at_reserved(plait__flow_worker *worker, bool at_all)
{
	const plait__flow_lanes *lanes = worker->lanes;
	/* Acquire: pairs with the store in plait__flow_lanes_reserve. */
	uint64_t number = at_load_acquire_u64(&lanes->reserved);

	if (number != worker->reserved) {
		worker->reserved = number;
		worker->reserved_looks = RESERVED_LOOKS;
		worker->is_stirred = true;
	}
	if (worker->reserved_looks == 0)
		return 0;
	if (!at_all && --worker->reserved_looks > 0)
		return 0;
	number = plait__flow_claim_open(lanes, (uint32_t)number);
	if (number == 0)
		worker->reserved_looks = 0;
	return number;
}

/* A ready op, or 0: urgent ones first, then the one behind the last one found, then
 * those of its lane.  Of held ones some may be missed, unless it looks at all. */
static uint64_t look(plait__flow_worker *worker, bool at_all)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint32_t urgent = lanes->count;
	uint64_t found = 0;

	collect(worker);
	/* Relaxed: a hint. */
	if (at_load_relaxed_u64(&lanes->lanes[urgent].tail) !=
	    worker->heads[urgent])
		found = plait__flow_claim_look(worker, urgent,
					       PLAIT__CLAIM_REACH);
	if (found == 0)
		found = look_around(worker, at_all);
	return found != 0 ? found : look_at_reserved(worker, at_all);
}

/* ---- execution ---- */

bool plait__flow_worker_spoils(plait__flow_lanes *lanes, uint64_t number)
{
	const plait__op *op = plait__op_at(&lanes->ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	bool spoiled = (meta & PLAIT__OP_SPOILED) != 0;

	if (!spoiled && plait__op_kind(meta) != PLAIT__OP_MARK &&
	    (meta & PLAIT__OP_ALWAYS) == 0 &&
	    /* Acquire: pairs with the store of the cancelling thread. */
	    at_load_acquire_u64(&lanes->cancelled) >= number)
		spoiled = plait__outcomes_follow(
			&lanes->outcomes,
			at_load_acquire_u64(&lanes->cancel_cause), number);
	for (uint32_t i = 0; !spoiled && i < plait__op_pred_count(meta); i++)
		spoiled = plait__op_pred_is_true(meta, i) &&
			  plait__outcomes_follow(
				  &lanes->outcomes,
				  plait__op_pred(op, number, i), number);
	return spoiled;
}

/* The op is not run. */
static void skip(plait__flow_lanes *lanes, uint64_t number)
{
	const plait__op *op = plait__op_at(&lanes->ring, number);

	/* Relaxed: written before the claim. */
	if (plait__op_kind(at_load_relaxed_u64(&op->meta)) == PLAIT__OP_ASYNC)
		(void)op->call.begin(op->user_data, 0, NULL);
	plait__flow_lanes_complete(lanes, number);
}

static inline bool is_spoiled(plait__flow_lanes *lanes, uint64_t number)
{
	/* Relaxed: a cancelled op may have begun. */
	return (!plait__outcomes_are_clean(&lanes->outcomes) ||
		at_load_relaxed_u64(&lanes->cancelled) >= number) &&
	       plait__flow_worker_spoils(lanes, number);
}

static void perform(plait__flow_worker *worker, uint64_t number)
{
	plait__flow_lanes *lanes = worker->lanes;

	worker->number = number;
	/* Relaxed: hints. */
	at_store_relaxed_u32(&worker->looks, 0);
	if (at_load_relaxed_u64(&lanes->idle) != 0 || lanes->poll_wake != NULL)
		plait__flow_share(worker);
	if (__builtin_expect(is_spoiled(lanes, number), 0))
		skip(lanes, number);
	else if (!plait__op_run(worker, number))
		plait__flow_lanes_complete(lanes, number);
	plait__flow_share_end(worker);
}

/* The op of the thread, which ends, is another's. */
static PLAIT__THREAD_LOCAL bool op_is_kept;

void plait__flow_worker_keep_op(void)
{
	op_is_kept = true;
}

static void lose(plait__flow_lanes *lanes, uint64_t number)
{
	plait_error why = { .size = sizeof(why) };
	bool is_kept = op_is_kept;

	op_is_kept = false;
	if (is_kept)
		return;
	plait__fail(&why, PLAIT_E_FAILED,
		    "did not return but ended its thread (pthread_exit)");
	plait__outcomes_fail(&lanes->outcomes, number,
			     plait__op_at(&lanes->ring, number)->label, &why);
	plait__flow_lanes_complete(lanes, number);
}

void plait__flow_worker_lose(plait__task *task)
{
	plait__flow_worker *worker = (plait__flow_worker *)(void *)task;

	if (worker->number != 0)
		lose(worker->lanes, worker->number);
	plait__flow_share_end(worker);
	plait__task_offer(task);
}

/* ---- on a thread that is no worker ---- */

struct here {
	plait__flow_lanes *lanes;
	uint64_t number;
};

/* The thread ends in a function of the op. */
static void lose_here(void *arg)
{
	const struct here *here = arg;

	lose(here->lanes, here->number);
}

bool plait__flow_worker_call_here(plait__flow_lanes *lanes, uint64_t number)
{
	struct here here = { lanes, number };

	if (plait__flow_claim_open(lanes, (uint32_t)number) != number ||
	    !plait__flow_claim_is_ready(lanes, number) ||
	    !plait__flow_claim_take(lanes, number))
		return false;
	PLAIT__THREAD_SCOPE inside = { lose_here, &here };
	if (is_spoiled(lanes, number))
		skip(lanes, number);
	else if (!plait__op_run_call(lanes, number))
		plait__flow_lanes_complete(lanes, number);
	plait__thread_scope_end(&inside);
	return true;
}

/* ---- parking ---- */

static void stop_spinning(plait__flow_worker *worker)
{
	if (!worker->spins)
		return;
	worker->spins = false;
	/* Ordered before the bit IDLE, which is set after it. */
	(void)at_sub_u32(&worker->lanes->spinning, 1);
}

/* The same; another worker may poll. */
static void end_poll(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;

	stop_spinning(worker);
	if (lanes->poll != NULL && at_load_relaxed_u32(&lanes->spinning) == 0)
		lanes->poll_end(lanes->arg);
}

/* Order the bit IDLE before the last look.  membarrier interrupts the other
 * processors, for 5 to 15 us.  A lock that is free does the same: either the look
 * comes behind the submission, or the submitter sees the bit. */
static void fence(const plait__flow_lanes *lanes)
{
	if (!lanes->asymmetric_fence || plait__mutex_trylock(lanes->lock)) {
		if (lanes->asymmetric_fence)
			plait__mutex_unlock(lanes->lock);
		/* Pairs with the fence in plait__flow_lanes_stir, or in
		 * plait__flow_lanes_publish. */
		at_fence_seq_cst();
	} else {
		/* Pairs with the fences in flow_lanes_words.c. */
		(void)at_membarrier();
	}
}

/* Returns true if the worker is parked: another thread may have it then. */
static bool park(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;
	uint64_t bit = PLAIT__FLOW_IDLE << worker->index;
	uint64_t was;

	end_poll(worker);
	at_store_relaxed_u32(&worker->looks, 0);
	(void)at_or_u64(&lanes->idle, bit);
	fence(lanes);
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u32(&lanes->arrived) != 0 ||
	    look(worker, true) != 0) {
		(void)at_and_u64(&lanes->idle, ~bit);
		return false;
	}
	plait__task_set_idle(&worker->task);
	was = at_load_relaxed_u64(&lanes->idle);
	/* Release: the thread that offers the worker sees that it is parked. */
	while ((was & bit) != 0)
		if (at_cas_u64(&lanes->idle, &was, (was & ~bit) | bit << 32))
			return true;
	/* Woken; only a parked worker is offered, so the task stays this
	 * thread's. */
	at_store_relaxed_u32(&worker->task.ready.state, PLAIT__TASK_RUNNING);
	return false;
}

/* Returns true if the thread has to leave: the op that it waits for is done, or
 * its time slice is over.  The clock takes 25 ns, and the next op may take long. */
static bool must_leave(const plait__flow_worker *worker, uint64_t awaited,
		       bool limited)
{
	if (awaited != 0 && plait__op_is_done(&worker->lanes->ring, awaited))
		return true;
	return limited && plait__time_slice_is_over();
}

/* Leave the worker to another thread. */
static bool leave(plait__flow_worker *worker)
{
	if (!park(worker))
		plait__task_offer(&worker->task);
	return false;
}

/* Returns true if the flow polls, and another worker does. */
static bool is_spare(plait__flow_worker *worker)
{
	plait__flow_lanes *lanes = worker->lanes;

	if (lanes->poll == NULL || worker->spins)
		return false;
	if (at_load_relaxed_u32(&lanes->spinning) != 0)
		return true;
	worker->spins = worker->has_found = true;
	if (at_add_u32(&lanes->spinning, 1) == 0)
		return false;
	stop_spinning(worker);
	return true;
}

static void start_ladder(const plait__flow_worker *worker,
			 struct plait__backoff *ladder)
{
	plait__backoff_init(ladder, PLAIT__BACKOFF_SHARED);
	if (worker->lanes->poll_sleep == NULL)
		return;
	/* Another process may have to run before anything comes. */
	ladder->spins_left = 0;
	ladder->yields_left = worker->lanes->poll_yields;
	ladder->yields_until_ns = PLAIT__CLOCK_NEVER;
}

static bool keeps_looking(plait__flow_worker *worker,
			  struct plait__backoff *ladder)
{
	return !plait__task_should_yield(&worker->task) &&
	       plait__backoff_step(ladder);
}

/* Returns true if a held op is ready, or may be. */
static bool is_one_held(const plait__flow_worker *worker)
{
	const plait__flow_lanes *lanes = worker->lanes;
	uint32_t held = lanes->count + 1;

	/* Relaxed: a hint. */
	return lanes->held != NULL ?
		       plait__held_ops_peek(lanes) != 0 :
		       at_load_relaxed_u64(&lanes->lanes[held].tail) !=
			       worker->tails[held];
}

/* Returns true if ops were ended, or published since the last look: a look at all
 * ops costs more than these. */
static bool poll_some(plait__flow_worker *worker, struct plait__backoff *ladder)
{
	plait__flow_lanes *lanes = worker->lanes;

	for (int i = 0; lanes->poll != NULL && i < POLLS; i++) {
		if (lanes->poll(lanes->arg)) {
			start_ladder(worker, ladder);
			return true;
		}
		/* Relaxed: hints. */
		if (at_load_relaxed_u32(&lanes->arrived) != 0 ||
		    is_one_held(worker) ||
		    !keeps_looking(worker, ladder))
			break;
	}
	return false;
}

/* A plait__flow_lanes.poll_sleep's has_op. */
static bool has_op(plait__flow_worker *worker)
{
	return at_load_relaxed_u32(&worker->lanes->arrived) != 0 ||
	       look(worker, true) != 0;
}

/* Sleep where the worker polls, if its thread has nothing else to do.  Returns false if
 * it is to park. */
static bool sleep_some(plait__flow_worker *worker, uint64_t awaited)
{
	plait__flow_lanes *lanes = worker->lanes;
	bool stays;

	if (lanes->poll_sleep == NULL || awaited != 0 ||
	    plait__task_should_yield(&worker->task))
		return false;
	at_store_relaxed_u32(&lanes->sleeping, 1);
	/* Before the last look; pairs with the fence in plait__flow_poller_sleeps. */
	at_fence_seq_cst();
	stays = lanes->poll_sleep(lanes->arg, has_op, worker);
	at_store_relaxed_u32(&lanes->sleeping, 0);
	return stays;
}

/* Returns true if the thread had better run another item, for which there is no other
 * thread: of the run that was reserved, most likely. */
static bool is_called_away(const plait__flow_worker *worker)
{
	return worker->reserved != 0 && plait__task_should_yield(&worker->task);
}

/* Returns false: it seeks no item. */
static bool end_seek(const plait__flow_worker *worker)
{
	plait__task_end_seek(&worker->task);
	return false;
}

bool plait__flow_worker_run(plait__task *task)
{
	plait__flow_worker *worker = (plait__flow_worker *)(void *)task;
	struct plait__backoff ladder;
	const bool limited = plait__time_slice_is_limited();
	uint64_t awaited = worker->awaited;
	int32_t looks = 0;
	bool seeks = false;
	uint64_t found;

	worker->awaited = 0;
	start_ladder(worker, &ladder);
	for (;;) {
		at_store_relaxed_u32(&worker->looks, 1);
		found = look(worker, false);
		if (found != 0) {
			seeks = seeks && end_seek(worker);
			stop_spinning(worker);
			looks = 0;
			start_ladder(worker, &ladder);
			if (plait__flow_claim_take(worker->lanes, found))
				perform(worker, found);
			if (must_leave(worker, awaited, limited))
				return leave(worker);
			continue;
		}
		if (must_leave(worker, awaited, limited))
			return leave(worker);
		if (worker->is_stirred && !seeks)
			seeks = plait__task_begin_seek(&worker->task);
		if (is_called_away(worker) || is_spare(worker)) {
			if (park(worker))
				return false;
			continue;
		}
		if (poll_some(worker, &ladder)) {
			looks = 0;
			continue;
		}
		if (looks++ < PATIENCE) {
			at_spin_pause();
			continue;
		}
		if (!worker->spins) {
			worker->spins = true;
			at_add_u32(&worker->lanes->spinning, 1);
			start_ladder(worker, &ladder);
		}
		/* More of them may come as soon. */
		if (worker->is_stirred)
			start_ladder(worker, &ladder);
		worker->is_stirred = false;
		if (keeps_looking(worker, &ladder))
			continue;
		seeks = seeks && end_seek(worker);
		if (sleep_some(worker, awaited))
			start_ladder(worker, &ladder);
		else if (park(worker))
			return false;
	}
}
