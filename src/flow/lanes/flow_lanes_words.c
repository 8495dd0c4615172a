/* SPDX-License-Identifier: MIT */
/* Words of a flow's lanes: publication and end of ops, wake-ups; see
 * flow_lanes.h. */
#include "flow/lanes/flow_lanes.h"

#include "flow/lanes/flow_claim.h"
#include "flow/lanes/held_ops.h"

#include "object/context/context_notify.h"
#include "sys/clock.h"

/* ---- wake-ups ---- */

bool plait__flow_lanes_wake(plait__flow_lanes *lanes, uint32_t index,
			    bool *was_parked)
{
	uint64_t parked = PLAIT__FLOW_PARKED << index;
	uint64_t both = parked | PLAIT__FLOW_IDLE << index;
	uint64_t was = at_and_u64(&lanes->idle, ~both);

	*was_parked = (was & parked) != 0;
	return (was & both) != 0;
}

static void fence(const plait__flow_lanes *lanes)
{
	/* Between the store of a word and the load of `idle` or `awaited`;
	 * pairs with membarrier in park and plait__flow_lanes_await. */
	if (lanes->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
}

static __attribute__((noinline)) void wake_one(plait__flow_lanes *lanes)
{
	bool was_parked;

	for (uint32_t i = 0; i < lanes->count; i++) {
		if (!plait__flow_lanes_wake(lanes, i, &was_parked))
			continue;
		if (was_parked)
			plait__task_offer_from_running(&lanes->workers[i].task);
		return;
	}
}

/* The worker that spins may sleep where it polls. */
static inline void wake_poller(plait__flow_lanes *lanes)
{
	if (lanes->poll_wake != NULL)
		lanes->poll_wake(lanes->arg);
}

void plait__flow_lanes_stir(plait__flow_lanes *lanes)
{
	/* Pairs with the fence in park, which need not be membarrier. */
	at_fence_seq_cst();
	if (at_load_relaxed_u32(&lanes->spinning) != 0)
		wake_poller(lanes);
	else if (at_load_relaxed_u64(&lanes->idle) != 0)
		wake_one(lanes);
}

/* Returns true if looks have found the op for longer than a brief one takes.  The first
 * look reads no clock: most ops are brief. */
static bool is_late(plait__flow_lanes *lanes, uint64_t number)
{
	if (number != lanes->unshared_seen) {
		lanes->unshared_seen = number;
		lanes->unshared_since = 0;
	} else if (lanes->unshared_since == 0) {
		lanes->unshared_since = plait__clock_now_ns();
	} else {
		return plait__clock_now_ns() - lanes->unshared_since >=
		       PLAIT__BRIEF_NS;
	}
	return false;
}

void plait__flow_lanes_share_late(plait__flow_lanes *lanes)
{
	/* Relaxed: a later call sees it. */
	uint64_t number = at_load_relaxed_u64(&lanes->unshared);

	if (number == 0 || number == lanes->unshared_woken ||
	    at_load_relaxed_u64(&lanes->idle) == 0 || !is_late(lanes, number))
		return;
	lanes->unshared_woken = number;
	/* Before the fence of the stir: the worker that wakes up wakes others for ops
	 * that may take as long. */
	plait__brief_ops_forget(&lanes->brief);
	plait__flow_lanes_stir(lanes);
}

/* ---- late ops, cancellation ---- */

void plait__flow_lanes_arrive(plait__flow_lanes *lanes,
			      plait__flow_arrival *arrival)
{
	void *first = at_load_relaxed_ptr(&lanes->arrivals);

	do
		AT_PLAIN_WRITE(arrival->next) = first;
	while (!at_cas_ptr(&lanes->arrivals, &first, arrival));
	/* Release: a worker that sees it takes the arrival. */
	at_store_release_u32(&lanes->arrived, 1);
	plait__flow_lanes_stir(lanes);
}

plait__flow_arrival *plait__flow_lanes_take_arrivals(plait__flow_lanes *lanes)
{
	/* First: a later arrival sets the word again. */
	(void)at_exchange_u32(&lanes->arrived, 0);
	return at_exchange_ptr(&lanes->arrivals, NULL);
}

void plait__flow_lanes_cancel(plait__flow_lanes *lanes, uint64_t newest,
			      uint64_t cause)
{
	at_store_release_u64(&lanes->cancel_cause, cause);
	/* Release: a thread that sees it sees the cause. */
	at_store_release_u64(&lanes->cancelled, newest);
}

/* ---- publication ---- */

/* Returns true if no worker is awake. */
static bool is_asleep(const plait__flow_lanes *lanes, uint64_t idle)
{
	uint64_t both = idle | idle >> 32;

	return (both & (((uint64_t)1 << lanes->count) - 1)) ==
	       ((uint64_t)1 << lanes->count) - 1;
}

/* Returns true if an awake worker will look for an op before it runs another
 * one.  If it has just found one, it may miss the new op until that has run, as a
 * worker that spins may. */
static bool is_looked_for(const plait__flow_lanes *lanes, uint64_t idle)
{
	uint64_t both = idle | idle >> 32;

	for (uint32_t i = 0; i < lanes->count; i++)
		if ((both >> i & 1) == 0 &&
		    at_load_relaxed_u32(&lanes->workers[i].looks) != 0)
			return true;
	return false;
}

/* The op may be claimed. */
static inline void open_op(plait__flow_lanes *lanes, uint64_t number)
{
	if (lanes->driver != NULL)
		plait__progress_begin_pool_run(lanes->driver);
	/* Release: pairs with plait__flow_claim_open. */
	at_store_release_u64(&plait__op_at(&lanes->ring, number)->word,
			     4 * number + PLAIT__OP_PUBLISHED);
}

/* Workers can find the op, of a flow whose workers poll.  Returns true if one of
 * them spins, or sleeps where it polls. */
static bool wake_ready(plait__flow_lanes *lanes, uint64_t number)
{
	/* The op before the words of its predecessors; pairs with the fence of
	 * poll_sleep. */
	at_fence_seq_cst();
	if (at_load_relaxed_u32(&lanes->spinning) == 0)
		return false;
	if (plait__flow_claim_is_ready(lanes, number))
		wake_poller(lanes);
	return true;
}

/* Workers can find the op: wake one that has to. */
static inline void wake_for(plait__flow_lanes *lanes, uint64_t number)
{
	uint64_t idle;

	fence(lanes);
	if (lanes->poll_wake != NULL && wake_ready(lanes, number))
		return;
	idle = at_load_relaxed_u64(&lanes->idle);
	if (idle == 0 || at_load_relaxed_u32(&lanes->spinning) != 0)
		return;
	/* A worker that is awake finds the op behind its predecessors. */
	if (is_asleep(lanes, idle) ||
	    (plait__flow_claim_is_ready(lanes, number) &&
	     !is_looked_for(lanes, idle)))
		wake_one(lanes);
}

/* Append the op to a lane. */
static inline void append(plait__flow_lanes *lanes, uint32_t lane,
			  uint64_t number)
{
	plait__flow_lane *at = &lanes->lanes[lane];
	uint64_t tail = at_load_relaxed_u64(&at->tail);

	at_store_relaxed_u32(plait__flow_lane_number(lanes, lane, tail),
			     (uint32_t)number);
	/* Release: pairs with plait__flow_claim_look. */
	at_store_release_u64(&at->tail, tail + 1);
}

void plait__flow_lanes_publish(plait__flow_lanes *lanes, uint32_t lane,
			       uint64_t number)
{
	open_op(lanes, number);
	if (lanes->held != NULL && lane == lanes->count + 1)
		plait__held_ops_add(lanes, number);
	else
		append(lanes, lane, number);
	wake_for(lanes, number);
}

bool plait__flow_lanes_reserve(plait__flow_lanes *lanes, uint64_t number)
{
	/* Relaxed: only publishers store it. */
	uint64_t older = at_load_relaxed_u64(&lanes->reserved);

	if (older != 0 &&
	    plait__flow_claim_open(lanes, (uint32_t)older) == older)
		return false;
	open_op(lanes, number);
	/* Release: pairs with look_at_reserved. */
	at_store_release_u64(&lanes->reserved, number);
	wake_for(lanes, number);
	return true;
}

/* Not inline: most ops end unawaited. */
static __attribute__((noinline)) void notify(plait__flow_lanes *lanes)
{
	plait__context *context = lanes->context;

	if (lanes->ended != NULL)
		lanes->ended(lanes->arg);
	plait__context_notify_waiters(context);
}

void plait__flow_lanes_finish(plait__flow_lanes *lanes, uint64_t number)
{
	plait__op_set_done(&lanes->ring, number);
	if (lanes->held != NULL)
		plait__held_ops_end(lanes, number);
	fence(lanes);
	/* Relaxed: the entry may be another op's by now, whose waiter looks
	 * once more. */
	if (at_load_relaxed_u64(
		    &plait__op_at(&lanes->ring, number)->awaited) >= number)
		notify(lanes);
}

/* ---- waits ---- */

/* The entry may have a newer op, for which another thread waits. */
static void announce(plait__op *op, uint64_t number)
{
	uint64_t newest = at_load_relaxed_u64(&op->awaited);

	while (newest < number && !at_cas_u64(&op->awaited, &newest, number))
		;
}

bool plait__flow_lanes_await(plait__flow_lanes *lanes, uint64_t number,
			     bool *announced)
{
	if (plait__op_is_done(&lanes->ring, number) || *announced)
		return plait__op_is_done(&lanes->ring, number);
	*announced = true;
	announce(plait__op_at(&lanes->ring, number), number);
	/* Pairs with the fence in plait__flow_lanes_finish.  Each thread has
	 * its own, also if another one has set the word. */
	if (lanes->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	return plait__op_is_done(&lanes->ring, number);
}
