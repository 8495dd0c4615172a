/* SPDX-License-Identifier: MIT */
/* The lanes of one instance, as tasks of the pool. */
#include "run/outside.h"

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
			status = plait__outside_make(hand, error);
	}
	return status;
}

static void forget_hand(plait__hand *hand)
{
	plait__task_forget(&hand->task);
	plait__outside_free(hand);
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
		else
			plait__task_offer(&crew->hands[i].task);
	}
	/* Without it the run is not over. */
	if (own != NULL)
		plait__task_run_own(own);
}

void plait__crew_start(plait__crew *crew, bool here)
{
	if (crew->newest != NULL)
		plait__outside_begin(crew);
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
