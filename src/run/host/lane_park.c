/* SPDX-License-Identifier: MIT */
/*
 * Lanes that wait too long for another one: they are parked, and the thread
 * does something else; the lane that they wait for offers them again.
 *
 *     who parks                          who publishes
 *     lock; link; store wanted; unlock   store the word (release)
 *     membarrier                         fence, light
 *     has it come?                       wanted? lock, offer those whose
 *     yes: lock, unlink if still linked          word has come, unlock
 *
 * One of the two sees the other: the heavy fence on the left makes the light
 * one on the right as good as a full one.  Where there is no membarrier both
 * fences are full.  Who unlinks a lane owns it; who parked it takes it back
 * only if it is parked as it was left.
 */
#include "run/host/lane_park.h"

#include "sys/backoff.h"

static at_u64 *parked_count_word(const plait__lane_set *set, uint32_t lane)
{
	return &set->progress[set->compiled->lanes[lane].parked_count];
}

/* ---- who publishes ---- */

/* Those of this lane whose word has come; the others stay, and it is wanted
 * as long as there are any.  The lock is held. */
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
	/* Relaxed: others read it after the lock or after their fence. */
	at_store_relaxed_u64(parked_count_word(set, lane), left);
	return found;
}

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

	/* Between the word and `wanted`; pairs with the fence in park. */
	if (set->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u64(parked_count_word(set, self->lane)) != 0)
		offer_all(set, self->lane);
}

/* ---- who parks ---- */

/* Which parking this is. */
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
	/* Relaxed: the heavy fence stands behind it. */
	at_store_relaxed_u64(parked_count_word(set, wanted->lane), 1);
	plait__mutex_unlock(&set->lock);
	return park_number;
}

/*
 * True: it is the caller's again, and nobody else has run it meanwhile.  Who
 * did may have parked it somewhere else, which is none of the caller's
 * business.
 */
static bool unlink_task(plait__lane_set *set, plait__lane_task *self, uint64_t park_number)
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
	/* Pairs with the fence in wake. */
	if (set->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	/* The caller has pinned the task or the plan, so the crew is there
	 * whatever became of the lane. */
	return plait__lane_park_is_met(wanted) && unlink_task(set, self, park_number);
}

/* Is there a lane that nobody has begun to run, and this thread could? */
static bool another_offered(const plait__lane_task *self)
{
	const plait__lane_set *set = self->set;

	for (uint32_t i = 0; i < set->compiled->lane_count; i++)
		if (at_load_relaxed_u32(&set->tasks[i].task.ready.state) ==
		    PLAIT__TASK_OFFERED)
			return true;
	return plait__task_should_yield(&self->task);
}

bool plait__lane_park_until(plait__lane_task *self, const struct plait__lane_wait *wanted)
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
