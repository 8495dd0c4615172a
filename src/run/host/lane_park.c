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
#include "run/host/host_engine.h"

#include "sys/backoff.h"

static at_u64 *wanted_word(const plait__crew *crew, uint32_t lane)
{
	return &crew->words[crew->flat->lanes[lane].wanted];
}

/* ---- who publishes ---- */

/* Those of this lane whose word has come; the others stay, and it is wanted
 * as long as there are any.  The lock is held. */
static plait__hand *collect(plait__crew *crew, uint32_t lane)
{
	plait__hand **link = &crew->parked;
	plait__hand *found = NULL;
	uint64_t left = 0;
	plait__hand *hand;

	while ((hand = *link) != NULL) {
		if (hand->parked.lane != lane ||
		    !plait__parked_met(&hand->parked)) {
			left += hand->parked.lane == lane;
			link = &hand->parked.next;
			continue;
		}
		*link = hand->parked.next;
		hand->parked.next = found;
		found = hand;
	}
	/* Relaxed: others read it after the lock or after their fence. */
	at_store_relaxed_u64(wanted_word(crew, lane), left);
	return found;
}

static void offer_all(plait__crew *crew, uint32_t lane)
{
	plait__hand *next;
	plait__hand *hand;

	plait__mutex_lock(&crew->lock);
	hand = collect(crew, lane);
	plait__mutex_unlock(&crew->lock);
	for (; hand != NULL; hand = next) {
		next = hand->parked.next;
		plait__task_offer_beside(&hand->task);
	}
}

void plait__hand_wake(plait__hand *hand)
{
	plait__crew *crew = hand->crew;

	/* Between the word and `wanted`; pairs with the fence in park. */
	if (crew->light)
		at_fence_light();
	else
		at_fence_seq_cst();
	/* Relaxed: the fence orders it. */
	if (at_load_relaxed_u64(wanted_word(crew, hand->lane)) != 0)
		offer_all(crew, hand->lane);
}

/* ---- who parks ---- */

/* Which parking this is. */
static uint64_t link_hand(plait__crew *crew, plait__hand *hand,
			  const struct plait__parked *wanted)
{
	uint64_t parking;

	plait__mutex_lock(&crew->lock);
	hand->parked = *wanted;
	parking = ++hand->parkings;
	hand->parked.next = crew->parked;
	crew->parked = hand;
	plait__task_rest(&hand->task);
	/* Relaxed: the heavy fence stands behind it. */
	at_store_relaxed_u64(wanted_word(crew, wanted->lane), 1);
	plait__mutex_unlock(&crew->lock);
	return parking;
}

/*
 * True: it is the caller's again, and nobody else has run it meanwhile.  Who
 * did may have parked it somewhere else, which is none of the caller's
 * business.
 */
static bool unlink_hand(plait__crew *crew, plait__hand *hand, uint64_t parking)
{
	plait__hand **link;
	bool mine;

	plait__mutex_lock(&crew->lock);
	link = &crew->parked;
	while (*link != NULL && *link != hand)
		link = &(*link)->parked.next;
	mine = *link != NULL && hand->parkings == parking;
	if (mine) {
		*link = hand->parked.next;
		at_store_relaxed_u32(&hand->task.ready.state,
				     PLAIT__TASK_RUNNING);
	}
	plait__mutex_unlock(&crew->lock);
	return mine;
}

static bool park(plait__hand *hand, const struct plait__parked *wanted)
{
	plait__crew *crew = hand->crew;
	uint64_t parking;

	parking = link_hand(crew, hand, wanted);
	/* Pairs with the fence in wake. */
	if (crew->light)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	/* The caller has pinned the task or the plan, so the crew is there
	 * whatever became of the lane. */
	return plait__parked_met(wanted) && unlink_hand(crew, hand, parking);
}

/* Is there a lane that nobody has begun to run, and this thread could? */
static bool another_offered(const plait__hand *hand)
{
	const plait__crew *crew = hand->crew;

	for (uint32_t i = 0; i < crew->flat->lane_count; i++)
		if (at_load_relaxed_u32(&crew->hands[i].task.ready.state) ==
		    PLAIT__TASK_OFFERED)
			return true;
	return plait__task_should_yield(&hand->task);
}

bool plait__hand_await(plait__hand *hand, const struct plait__parked *wanted)
{
	const plait__program *program = hand->crew->flat->program;
	struct plait__wait ladder;
	bool yields = false;

	if (plait__pool_worker_count(program->context->pool) == 0)
		return park(hand, wanted);
	plait__wait_init(&ladder, PLAIT__WAIT_SHARED);
	while (!plait__parked_met(wanted)) {
		yields = yields || ladder.spins_left == 0;
		if (yields && another_offered(hand))
			return park(hand, wanted);
		if (!plait__wait_step(&ladder))
			return park(hand, wanted);
	}
	return true;
}
