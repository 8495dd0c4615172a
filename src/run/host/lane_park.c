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

static at_u64 *parked_count_word(const plait__lane_set *crew, uint32_t lane)
{
	return &crew->words[crew->flat->lanes[lane].wanted];
}

/* ---- who publishes ---- */

/* Those of this lane whose word has come; the others stay, and it is wanted
 * as long as there are any.  The lock is held. */
static plait__lane_task *collect(plait__lane_set *crew, uint32_t lane)
{
	plait__lane_task **link = &crew->parked;
	plait__lane_task *found = NULL;
	uint64_t left = 0;
	plait__lane_task *hand;

	while ((hand = *link) != NULL) {
		if (hand->parked.lane != lane ||
		    !plait__lane_park_is_met(&hand->parked)) {
			left += hand->parked.lane == lane;
			link = &hand->parked.next;
			continue;
		}
		*link = hand->parked.next;
		hand->parked.next = found;
		found = hand;
	}
	/* Relaxed: others read it after the lock or after their fence. */
	at_store_relaxed_u64(parked_count_word(crew, lane), left);
	return found;
}

static void offer_all(plait__lane_set *crew, uint32_t lane)
{
	plait__lane_task *next;
	plait__lane_task *hand;

	plait__mutex_lock(&crew->lock);
	hand = collect(crew, lane);
	plait__mutex_unlock(&crew->lock);
	for (; hand != NULL; hand = next) {
		next = hand->parked.next;
		plait__task_offer_from_running(&hand->task);
	}
}

void plait__lane_park_wake(plait__lane_task *hand)
{
	plait__lane_set *crew = hand->crew;

	/* Between the word and `wanted`; pairs with the fence in park. */
	if (crew->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u64(parked_count_word(crew, hand->lane)) != 0)
		offer_all(crew, hand->lane);
}

/* ---- who parks ---- */

/* Which parking this is. */
static uint64_t link_hand(plait__lane_set *crew, plait__lane_task *hand,
			  const struct plait__lane_wait *wanted)
{
	uint64_t park_number;

	plait__mutex_lock(&crew->lock);
	hand->parked = *wanted;
	park_number = ++hand->park_count;
	hand->parked.next = crew->parked;
	crew->parked = hand;
	plait__task_set_idle(&hand->task);
	/* Relaxed: the heavy fence stands behind it. */
	at_store_relaxed_u64(parked_count_word(crew, wanted->lane), 1);
	plait__mutex_unlock(&crew->lock);
	return park_number;
}

/*
 * True: it is the caller's again, and nobody else has run it meanwhile.  Who
 * did may have parked it somewhere else, which is none of the caller's
 * business.
 */
static bool unlink_hand(plait__lane_set *crew, plait__lane_task *hand, uint64_t park_number)
{
	plait__lane_task **link;
	bool mine;

	plait__mutex_lock(&crew->lock);
	link = &crew->parked;
	while (*link != NULL && *link != hand)
		link = &(*link)->parked.next;
	mine = *link != NULL && hand->park_count == park_number;
	if (mine) {
		*link = hand->parked.next;
		at_store_relaxed_u32(&hand->task.ready.state,
				     PLAIT__TASK_RUNNING);
	}
	plait__mutex_unlock(&crew->lock);
	return mine;
}

static bool park(plait__lane_task *hand, const struct plait__lane_wait *wanted)
{
	plait__lane_set *crew = hand->crew;
	uint64_t park_number;

	park_number = link_hand(crew, hand, wanted);
	/* Pairs with the fence in wake. */
	if (crew->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	/* The caller has pinned the task or the plan, so the crew is there
	 * whatever became of the lane. */
	return plait__lane_park_is_met(wanted) && unlink_hand(crew, hand, park_number);
}

/* Is there a lane that nobody has begun to run, and this thread could? */
static bool another_offered(const plait__lane_task *hand)
{
	const plait__lane_set *crew = hand->crew;

	for (uint32_t i = 0; i < crew->flat->lane_count; i++)
		if (at_load_relaxed_u32(&crew->tasks[i].task.ready.state) ==
		    PLAIT__TASK_OFFERED)
			return true;
	return plait__task_should_yield(&hand->task);
}

bool plait__lane_park_until(plait__lane_task *hand, const struct plait__lane_wait *wanted)
{
	const plait__program *program = hand->crew->flat->program;
	struct plait__backoff ladder;
	bool yields = false;

	if (plait__pool_worker_count(program->context->pool) == 0)
		return park(hand, wanted);
	plait__backoff_init(&ladder, PLAIT__BACKOFF_SHARED);
	while (!plait__lane_park_is_met(wanted)) {
		yields = yields || ladder.spins_left == 0;
		if (yields && another_offered(hand))
			return park(hand, wanted);
		if (!plait__backoff_step(&ladder))
			return park(hand, wanted);
	}
	return true;
}
