/* SPDX-License-Identifier: MIT */
/* The lanes of one instance, as tasks of the pool. */
#include "run/host/host_engine.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static plait__hand *hand_of(plait__task *task)
{
	return (plait__hand *)(void *)task;
}

static void end_crew(plait__task *task)
{
	plait__flat_over(hand_of(task)->crew);
}

/* A function ended its thread: its command failed, and the lane goes on. */
static void lose_hand(plait__task *task)
{
	plait__hand *hand = hand_of(task);
	plait__instance *instance = hand->crew->instance;
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_FAILED, "did not return but ended its "
		    "thread (pthread_exit)");
	plait__instance_fail(instance, *hand->command, &why);
	plait__task_offer(task);
}

static plait_status make_arrays(plait__crew *crew, plait_error *error)
{
	const plait__flat *flat = crew->flat;
	const plait_allocator *allocator =
		plait__program_allocator(flat->program);

	crew->hands = plait__line_alloc(allocator, flat->lane_count *
					sizeof(*crew->hands));
	crew->words = plait__line_alloc(allocator, flat->word_count *
					sizeof(*crew->words));
	crew->private = plait__line_alloc(allocator, flat->private_count *
					  sizeof(*crew->private));
	if (flat->program->plan->signals_count > 0)
		crew->newest = plait__alloc_array(
			allocator, flat->program->plan->signals_count,
			sizeof(*crew->newest));
	if (crew->hands != NULL && crew->words != NULL &&
	    crew->private != NULL &&
	    (crew->newest != NULL || flat->program->plan->signals_count == 0))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

/* ---- what needs somebody else ---- */

static plait__hand *hand_outside(plait__outside *outside)
{
	return ((plait__lane_outside *)(void *)outside)->hand;
}

static void rest_hand(plait__outside *outside)
{
	plait__task_rest(&hand_outside(outside)->task);
}

static void take_hand_back(plait__outside *outside)
{
	at_store_relaxed_u32(&hand_outside(outside)->task.ready.state,
			     PLAIT__TASK_RUNNING);
}

static void offer_hand(plait__outside *outside)
{
	plait__task_offer(&hand_outside(outside)->task);
}

static plait_status make_outside(plait__crew *crew, plait__hand *hand,
				 plait_error *error)
{
	const plait__program *program = crew->flat->program;
	plait__lane_outside *made = plait__alloc(
		plait__program_allocator(program), sizeof(*made));

	hand->outside = made;
	if (made == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	made->hand = hand;
	made->outside = (plait__outside){
		.instance = crew->instance, .lock = &crew->lock,
		.newest = crew->newest, .sibling = crew->outsides,
		.device = program->plan->lanes[hand->lane].device,
		.rest = rest_hand, .back = take_hand_back,
		.offer = offer_hand,
	};
	crew->outsides = &made->outside;
	return plait__outside_make(&made->outside,
				   (crew->flat->lanes[hand->lane].outside &
				    PLAIT__OUTSIDE_SUBMITS) != 0, error);
}

static void free_outside(plait__hand *hand)
{
	if (hand->outside == NULL)
		return;
	plait__outside_free(&hand->outside->outside);
	plait__free(plait__program_allocator(hand->crew->flat->program),
		    hand->outside, sizeof(*hand->outside));
	hand->outside = NULL;
}

/* ---- crews ---- */

plait_status plait__crew_make(plait__crew *crew, plait__instance *instance,
			      const plait__flat *flat, bool records,
			      plait_error *error)
{
	plait__pool *pool = flat->program->context->pool;
	plait_status status;

	crew->instance = instance;
	crew->flat = flat;
	crew->ops = flat->ops.items;
	crew->records = records;
	crew->light = at_membarrier_available();
	status = make_arrays(crew, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < flat->lane_count; i++) {
		plait__hand *hand = &crew->hands[i];

		plait__task_init(&hand->task, pool);
		hand->task.turn = records ? plait__hand_turn_recorded :
				  plait__hand_turn;
		hand->task.over = end_crew;
		hand->task.lost = lose_hand;
		hand->crew = crew;
		hand->lane = i;
		if (flat->lanes[i].outside != 0)
			status = make_outside(crew, hand, error);
	}
	return status;
}

static void forget_hand(plait__hand *hand)
{
	plait__task_forget(&hand->task);
	free_outside(hand);
}

void plait__crew_free(plait__crew *crew)
{
	const plait_allocator *allocator;
	const plait__flat *flat = crew->flat;

	if (flat == NULL)
		return;
	allocator = plait__program_allocator(flat->program);
	for (uint32_t i = 0; crew->hands != NULL && i < flat->lane_count; i++)
		if (crew->hands[i].crew != NULL)
			forget_hand(&crew->hands[i]);
	plait__line_free(allocator, crew->hands,
			 flat->lane_count * sizeof(*crew->hands));
	plait__line_free(allocator, crew->words,
			 flat->word_count * sizeof(*crew->words));
	plait__line_free(allocator, crew->private,
			 flat->private_count * sizeof(*crew->private));
	plait__free(allocator, crew->newest,
		    flat->program->plan->signals_count *
			    sizeof(*crew->newest));
	memset(crew, 0, sizeof(*crew));
}

static bool works(const plait__crew *crew, uint32_t lane)
{
	return crew->flat->lanes[lane].part != PLAIT__NONE;
}

static void rewind_hand(plait__crew *crew, uint32_t lane)
{
	const plait__part *parts = crew->flat->parts.items;
	const plait__step *steps = crew->flat->steps.items;

	crew->hands[lane].step =
		&steps[parts[crew->flat->lanes[lane].part].step];
}

/* How many lanes work, all of them at their beginning. */
static uint32_t rewind_all(plait__crew *crew)
{
	uint32_t working = 0;

	for (uint32_t i = 0; i < crew->flat->lane_count; i++) {
		if (!works(crew, i))
			continue;
		rewind_hand(crew, i);
		working++;
	}
	return working;
}

/* The first lane that works is the calling thread's, if it stays. */
static void start_all(plait__crew *crew, bool here)
{
	plait__task *own = NULL;
	uint32_t working = rewind_all(crew);

	at_store_relaxed_u32(&crew->remaining, working);
	/* Offered lanes may end, and with the last one the run: it is not
	 * touched after that. */
	for (uint32_t i = 0; working > 0; i++) {
		if (!works(crew, i))
			continue;
		working--;
		if (here && own == NULL)
			own = &crew->hands[i].task;
		else if (here)
			plait__task_offer_beside(&crew->hands[i].task);
		else
			plait__task_offer(&crew->hands[i].task);
	}
	/* Without it the run is not over. */
	if (own != NULL)
		plait__task_run_own(own);
}

void plait__crew_start(plait__crew *crew, bool here)
{
	plait__outside_begin(crew->flat->program, crew->newest);
	if (!here || crew->flat->lane_count > 1) {
		start_all(crew, here);
		return;
	}
	rewind_hand(crew, 0);
	plait__task_run_own(&crew->hands[0].task);
}

bool plait__crew_drive(plait__crew *crew)
{
	for (uint32_t i = 0; i < crew->flat->lane_count; i++)
		if (plait__task_run_here(&crew->hands[i].task))
			return true;
	return false;
}
