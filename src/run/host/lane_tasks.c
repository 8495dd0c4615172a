/* SPDX-License-Identifier: MIT */
/* The lanes of one instance, as tasks of the pool. */
#include "run/host/lane_tasks.h"

#include "run/host/lane_interpreter.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static plait__lane_task *hand_of(plait__task *task)
{
	return (plait__lane_task *)(void *)task;
}

/* A function ended its thread: its command failed, and the lane goes on. */
static void lose_hand(plait__task *task)
{
	plait__lane_task *hand = hand_of(task);
	plait__instance *instance = hand->crew->instance;
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_FAILED, "did not return but ended its "
		    "thread (pthread_exit)");
	plait__instance_fail(instance, *hand->command, &why);
	plait__task_offer(task);
}

static plait_status make_arrays(plait__lane_set *crew, plait_error *error)
{
	const plait__lane_program *flat = crew->flat;
	const plait_allocator *allocator =
		plait__program_allocator(flat->program);

	crew->tasks = plait__cacheline_alloc(allocator, flat->lane_count *
					     sizeof(*crew->tasks));
	crew->words = plait__cacheline_alloc(allocator, flat->progress_count *
					     sizeof(*crew->words));
	crew->local = plait__cacheline_alloc(allocator, flat->local_count *
					     sizeof(*crew->local));
	if (flat->program->plan->signals_count > 0)
		crew->newest = plait__alloc_array(
			allocator, flat->program->plan->signals_count,
			sizeof(*crew->newest));
	if (crew->tasks != NULL && crew->words != NULL &&
	    crew->local != NULL &&
	    (crew->newest != NULL || flat->program->plan->signals_count == 0))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

/* ---- what needs somebody else ---- */

static plait__lane_task *hand_outside(plait__external *external)
{
	return ((plait__lane_external *)(void *)external)->hand;
}

static void rest_hand(plait__external *external)
{
	plait__task_set_idle(&hand_outside(external)->task);
}

static void take_hand_back(plait__external *external)
{
	at_store_relaxed_u32(&hand_outside(external)->task.ready.state,
			     PLAIT__TASK_RUNNING);
}

static void offer_hand(plait__external *external)
{
	plait__task_offer(&hand_outside(external)->task);
}

static plait_status make_outside(plait__lane_set *crew, plait__lane_task *hand,
				 plait_error *error)
{
	const plait__program *program = crew->flat->program;
	plait__lane_external *made = plait__alloc(
		plait__program_allocator(program), sizeof(*made));

	hand->external = made;
	if (made == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	made->hand = hand;
	made->external = (plait__external){
		.instance = crew->instance, .lock = &crew->lock,
		.newest = crew->newest, .sibling = crew->externals,
		.device = program->plan->lanes[hand->lane].device,
		.rest = rest_hand, .back = take_hand_back,
		.offer = offer_hand,
	};
	crew->externals = &made->external;
	return plait__external_make(&made->external,
				    (crew->flat->lanes[hand->lane].external &
				     PLAIT__EXTERNAL_SUBMITS) != 0, error);
}

static void free_outside(plait__lane_task *hand)
{
	if (hand->external == NULL)
		return;
	plait__external_free(&hand->external->external);
	plait__free(plait__program_allocator(hand->crew->flat->program),
		    hand->external, sizeof(*hand->external));
	hand->external = NULL;
}

/* ---- crews ---- */

plait_status plait__lane_set_make(plait__lane_set *crew, plait__instance *instance,
				  const plait__lane_program *flat, bool records,
				  void (*over)(plait__task *task),
				  plait_error *error)
{
	plait__pool *pool = flat->program->context->pool;
	plait_status status;

	crew->instance = instance;
	crew->flat = flat;
	crew->ops = flat->ops.items;
	crew->records = records;
	crew->asymmetric_fence = at_membarrier_available();
	status = make_arrays(crew, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < flat->lane_count; i++) {
		plait__lane_task *hand = &crew->tasks[i];

		plait__task_init(&hand->task, pool);
		hand->task.run = records ? plait__lane_interpret_recorded :
				  plait__lane_interpret;
		hand->task.over = over;
		hand->task.lost = lose_hand;
		hand->crew = crew;
		hand->lane = i;
		if (flat->lanes[i].external != 0)
			status = make_outside(crew, hand, error);
	}
	return status;
}

static void forget_hand(plait__lane_task *hand)
{
	plait__task_forget(&hand->task);
	free_outside(hand);
}

void plait__lane_set_free(plait__lane_set *crew)
{
	const plait_allocator *allocator;
	const plait__lane_program *flat = crew->flat;

	if (flat == NULL)
		return;
	allocator = plait__program_allocator(flat->program);
	for (uint32_t i = 0; crew->tasks != NULL && i < flat->lane_count; i++)
		if (crew->tasks[i].crew != NULL)
			forget_hand(&crew->tasks[i]);
	plait__cacheline_free(allocator, crew->tasks,
			      flat->lane_count * sizeof(*crew->tasks));
	plait__cacheline_free(allocator, crew->words,
			      flat->progress_count * sizeof(*crew->words));
	plait__cacheline_free(allocator, crew->local,
			      flat->local_count * sizeof(*crew->local));
	plait__free(allocator, crew->newest,
		    flat->program->plan->signals_count *
			    sizeof(*crew->newest));
	memset(crew, 0, sizeof(*crew));
}

static bool works(const plait__lane_set *crew, uint32_t lane)
{
	return crew->flat->lanes[lane].part != PLAIT__NONE;
}

static void rewind_hand(plait__lane_set *crew, uint32_t lane)
{
	const plait__part *parts = crew->flat->parts.items;
	const plait__step *steps = crew->flat->steps.items;

	crew->tasks[lane].step =
		&steps[parts[crew->flat->lanes[lane].part].step];
}

/* How many lanes work, all of them at their beginning. */
static uint32_t rewind_all(plait__lane_set *crew)
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
static void start_all(plait__lane_set *crew, bool inline_ok)
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
		if (inline_ok && own == NULL)
			own = &crew->tasks[i].task;
		else if (inline_ok)
			plait__task_offer_from_running(&crew->tasks[i].task);
		else
			plait__task_offer(&crew->tasks[i].task);
	}
	/* Without it the run is not over. */
	if (own != NULL)
		plait__task_run_unshared(own);
}

void plait__lane_set_start(plait__lane_set *crew, bool inline_ok)
{
	if (crew->newest != NULL)
		plait__external_begin_run(crew->flat->program, crew->newest);
	if (!inline_ok || crew->flat->lane_count > 1) {
		start_all(crew, inline_ok);
		return;
	}
	rewind_hand(crew, 0);
	plait__task_run_unshared(&crew->tasks[0].task);
}

bool plait__lane_set_drive(plait__lane_set *crew)
{
	for (uint32_t i = 0; i < crew->flat->lane_count; i++)
		if (plait__task_run_here(&crew->tasks[i].task))
			return true;
	return false;
}
