/* SPDX-License-Identifier: MIT */
/*
 * Parking of lanes.  A lane that has waited too long is parked and its thread
 * does other work; the lane that it waits for puts it back into the ready
 * queue.
 *
 *     waiter                             publisher
 *     lock; link; store parked_count;    store the word (release)
 *       unlock
 *     membarrier                         asymmetric fence
 *     condition met?                     parked_count? lock, unlink and offer
 *     yes: lock, unlink if still linked    lanes whose condition is met, unlock
 *
 * One of the two sees the other: the waiter's membarrier makes the publisher's
 * asymmetric fence as good as a full one.  Without membarrier both sides have
 * a full fence.  The thread that unlinks a lane owns it.  The waiter takes its
 * lane back only if the lane is still in the parking that the waiter began.
 */
#include "run/host/lane_park.h"

#include "sys/backoff.h"

static at_u64 *parked_count_word(const plait__lane_set *set, uint32_t lane)
{
	return &set->progress[set->compiled->lanes[lane].parked_count];
}

/* ---- publisher ---- */

/* Unlink the lanes that wait for `lane` and whose condition is met.  Count
 * the others: parked_count stays non-zero while there are any.  Caller holds
 * the lock. */
static plait__lane_task *collect(plait__lane_set *set, uint32_t lane)
{
	plait__lane_task **link = &set->parked;
	plait__lane_task *found = NULL;
	uint64_t left = 0;
	plait__lane_task *self;

	while ((self = *link) != NULL) {
		if (self->parked.lane != lane ||
		    !plait__lane_park_is_met(&self->parked)) {
			left += self->parked.lane == lane;
			link = &self->parked.next;
			continue;
		}
		*link = self->parked.next;
		self->parked.next = found;
		found = self;
	}
	/* Relaxed: read under the lock or after a fence. */
	at_store_relaxed_u64(parked_count_word(set, lane), left);
	return found;
}

/* The publishing lane is not done, so the set outlives the loop; an offered
 * task may be parked again at once, which writes its link.  Caller runs
 * `lane`. */
static void offer_all(plait__lane_set *set, uint32_t lane)
{
	plait__lane_task *next;
	plait__lane_task *self;

	plait__mutex_lock(&set->lock);
	self = collect(set, lane);
	plait__mutex_unlock(&set->lock);
	for (; self != NULL; self = next) {
		next = self->parked.next;
		plait__task_offer_from_running(&self->task);
	}
}

void plait__lane_park_wake(plait__lane_task *self)
{
	plait__lane_set *set = self->set;

	/* Between the word and `parked_count`; pairs with the fence in park. */
	if (set->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u64(parked_count_word(set, self->lane)) != 0)
		offer_all(set, self->lane);
}

/* ---- waiter ---- */

/* Returns the number of this parking.  The calling thread runs the lane, until
 * this has unlocked. */
static uint64_t link_task(plait__lane_set *set, plait__lane_task *self,
			  const struct plait__lane_wait *wanted)
{
	uint64_t park_number;

	plait__mutex_lock(&set->lock);
	self->parked = *wanted;
	park_number = ++self->park_count;
	self->parked.next = set->parked;
	set->parked = self;
	plait__task_set_idle(&self->task);
	/* Relaxed: the membarrier follows. */
	at_store_relaxed_u64(parked_count_word(set, wanted->lane), 1);
	plait__mutex_unlock(&set->lock);
	return park_number;
}

/* Returns true if the lane is the caller's again, and no other thread has run
 * it meanwhile.  Another thread may have parked it elsewhere: then it is not
 * the caller's. */
static bool unlink_task(plait__lane_set *set, plait__lane_task *self,
			uint64_t park_number)
{
	plait__lane_task **link;
	bool mine;

	plait__mutex_lock(&set->lock);
	link = &set->parked;
	while (*link != NULL && *link != self)
		link = &(*link)->parked.next;
	mine = *link != NULL && self->park_count == park_number;
	if (mine) {
		*link = self->parked.next;
		at_store_relaxed_u32(&self->task.ready.state,
				     PLAIT__TASK_RUNNING);
	}
	plait__mutex_unlock(&set->lock);
	return mine;
}

static bool park(plait__lane_task *self, const struct plait__lane_wait *wanted)
{
	plait__lane_set *set = self->set;
	uint64_t park_number;

	park_number = link_task(set, self, wanted);
	/* Pairs with the fence in plait__lane_park_wake. */
	if (set->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	/* The caller has pinned the task or the plan, so the set exists, in any
	 * state of the lane. */
	return plait__lane_park_is_met(wanted) &&
	       unlink_task(set, self, park_number);
}

/* Returns true if this thread could run another lane that is offered. */
static bool another_offered(const plait__lane_task *self)
{
	const plait__lane_set *set = self->set;

	for (uint32_t i = 0; i < set->compiled->lane_count; i++)
		if (at_load_relaxed_u32(&set->tasks[i].task.ready.state) ==
		    PLAIT__TASK_OFFERED)
			return true;
	return plait__task_should_yield(&self->task);
}

bool plait__lane_park_until(plait__lane_task *self,
			    const struct plait__lane_wait *wanted)
{
	const plait__program *program = self->set->compiled->program;
	struct plait__backoff ladder;
	bool yields = false;

	if (plait__pool_worker_count(program->context->pool) == 0)
		return park(self, wanted);
	plait__backoff_init(&ladder, PLAIT__BACKOFF_SHARED);
	while (!plait__lane_park_is_met(wanted)) {
		yields = yields || ladder.spins_left == 0;
		if (yields && another_offered(self))
			return park(self, wanted);
		if (!plait__backoff_step(&ladder))
			return park(self, wanted);
	}
	return true;
}
