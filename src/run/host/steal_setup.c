/* SPDX-License-Identifier: MIT */
/* Plans in mode HELPED made ready, and the band of one instance. */
#include "run/host/steal_claim.h"

#include "run/host/call_op.h"

#include "base/error.h"

#include <string.h>

/* ---- per plan ---- */

bool plait__helped_can(const plait__plan *plan)
{
	if (plan->mode != PLAIT__MODE_HELPED ||
	    plan->bodies[0].track_count < 2 ||
	    plan->bodies[0].track_count > PLAIT__HELPED_LANES)
		return false;
	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plan->commands[i].kind > PLAIT__CMD_MARK ||
		    (plan->commands[i].flags & PLAIT__CMD_MEMBER) != 0 ||
		    plait__op_is_outside(plan, i))
			return false;
	return true;
}

/* ---- on fewer lanes ---- */

static uint32_t preds_count(const plait__plan *plan)
{
	return plan->command_count == 0 ? 0 :
	       plan->commands[plan->command_count].pred_first;
}

/* One more of each: none would be null. */
static bool make_fold_tables(plait__helped *helped)
{
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	helped->folded_tracks = plait__alloc_array(
		allocator, helped->lane_count, sizeof(*helped->folded_tracks));
	helped->folded_commands = plait__alloc_array(
		allocator, helped->op_count + 1ull,
		sizeof(*helped->folded_commands));
	helped->folded_preds = plait__alloc_array(
		allocator, preds_count(helped->program->plan) + 1ull,
		sizeof(*helped->folded_preds));
	return helped->folded_tracks != NULL &&
	       helped->folded_commands != NULL && helped->folded_preds != NULL;
}

static uint32_t number_of(const plait__helped *helped, const plait__fold *fold,
			  uint32_t command)
{
	uint32_t lane = helped->program->plan->commands[command].lane;

	return fold->first[fold->lane_of[lane]] + fold->position[command];
}

static void fill_fold_tables(plait__helped *helped, const plait__fold *fold)
{
	const plait__plan *plan = helped->program->plan;
	uint32_t count = 0;

	for (uint32_t i = 0; i < helped->lane_count; i++)
		helped->folded_tracks[i] = (plait__plan_track){
			.lane = i, .first = fold->first[i],
			.count = plait__fold_count(fold, i),
		};
	for (uint32_t i = 0; i < helped->op_count; i++) {
		const plait__plan_command *at =
			&plan->commands[fold->commands[i]];

		helped->folded_commands[i].pred_first = count;
		for (uint32_t p = at->pred_first; p < at[1].pred_first; p++)
			helped->folded_preds[count++] = number_of(
				helped, fold, plan->preds[p]);
	}
	helped->folded_commands[helped->op_count].pred_first = count;
}

static bool fold_lanes(plait__helped *helped, const plait__fold *fold)
{
	helped->lane_count = fold->lane_count;
	if (!make_fold_tables(helped))
		return false;
	fill_fold_tables(helped, fold);
	helped->tracks = helped->folded_tracks;
	helped->commands = helped->folded_commands;
	helped->preds = helped->folded_preds;
	return true;
}

static void free_fold_tables(plait__helped *helped)
{
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	plait__free(allocator, helped->folded_tracks,
		    helped->lane_count * sizeof(*helped->folded_tracks));
	plait__free(allocator, helped->folded_commands,
		    (helped->op_count + 1ull) *
			    sizeof(*helped->folded_commands));
	plait__free(allocator, helped->folded_preds,
		    (preds_count(helped->program->plan) + 1ull) *
			    sizeof(*helped->folded_preds));
}

/* ---- per plan ---- */

plait_status plait__helped_compile(plait__helped *helped,
				   const plait__program *program,
				   const plait__fold *fold, plait_error *error)
{
	const plait__plan *plan = program->plan;
	bool made = true;

	helped->program = program;
	helped->tracks = plan->tracks + plan->bodies[0].track_first;
	helped->commands = plan->commands;
	helped->preds = plan->preds;
	helped->lane_count = plan->bodies[0].track_count;
	helped->op_count = plan->command_count;
	helped->ops = plait__alloc_array(plait__program_allocator(program),
					 helped->op_count,
					 sizeof(*helped->ops));
	if (fold != NULL)
		made = fold_lanes(helped, fold);
	if (helped->ops == NULL || !made)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	for (uint32_t i = 0; i < helped->op_count; i++)
		plait__op_make(program, NULL,
			       fold != NULL ? fold->commands[i] : i,
			       &helped->ops[i]);
	return PLAIT_OK;
}

void plait__helped_free(plait__helped *helped)
{
	if (helped->program == NULL)
		return;
	free_fold_tables(helped);
	plait__free(plait__program_allocator(helped->program), helped->ops,
		    helped->op_count * sizeof(*helped->ops));
	memset(helped, 0, sizeof(*helped));
}

/* ---- per instance ---- */

static plait__member *member_of(plait__task *task)
{
	return (plait__member *)(void *)task;
}

static void end_band(plait__task *task)
{
	plait__flat_helped_over(member_of(task)->band);
}

/* A function ended its thread: its command failed, and is done. */
static void lose_member(plait__task *task)
{
	plait__member *member = member_of(task);
	plait__band *band = member->band;
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_FAILED, "did not return but ended its "
		    "thread (pthread_exit)");
	plait__instance_fail(band->instance,
			     band->ops[member->command].command, &why);
	member->done++;
	/* Release: pairs with the load in steal_claim.h. */
	at_store_release_u64(&band->words[member->command],
			     plait__claim_done(member));
	plait__task_offer(task);
}

static plait_status make_arrays(plait__band *band, plait_error *error)
{
	const plait__helped *helped = band->helped;
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	band->members = plait__line_alloc(allocator, helped->lane_count *
					  sizeof(*band->members));
	band->words = plait__line_alloc(allocator, helped->op_count *
					sizeof(*band->words));
	if (band->members != NULL && band->words != NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

plait_status plait__band_make(plait__band *band, plait__instance *instance,
			      const plait__helped *helped, bool records,
			      plait_error *error)
{
	plait_status status;

	band->instance = instance;
	band->helped = helped;
	band->ops = helped->ops;
	band->records = records;
	band->light = at_membarrier_available();
	status = make_arrays(band, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < helped->lane_count;
	     i++) {
		plait__member *member = &band->members[i];

		plait__task_init(&member->task,
				 helped->program->context->pool);
		member->task.turn = records ? plait__member_turn_recorded :
				    plait__member_turn;
		member->task.over = end_band;
		member->task.lost = lose_member;
		member->band = band;
		member->lane = i;
		(void)at_or_u64(&band->idle, PLAIT__MEMBER_RESTING << i);
	}
	return status;
}

void plait__band_free(plait__band *band)
{
	const plait__helped *helped = band->helped;
	const plait_allocator *allocator;

	if (helped == NULL)
		return;
	allocator = plait__program_allocator(helped->program);
	for (uint32_t i = 0; band->members != NULL && i < helped->lane_count;
	     i++)
		if (band->members[i].band != NULL)
			plait__task_forget(&band->members[i].task);
	plait__line_free(allocator, band->members,
			 helped->lane_count * sizeof(*band->members));
	plait__line_free(allocator, band->words,
			 helped->op_count * sizeof(*band->words));
	memset(band, 0, sizeof(*band));
}

/* ---- a run ---- */

/* Nobody runs it, and nobody else will offer it: told to rest, or offered for
 * a run that ended without it. */
static bool is_free(plait__band *band, uint32_t lane)
{
	bool rested;

	(void)plait__band_rouse(band, lane, &rested);
	return rested || plait__ready_claim(&band->members[lane].task.ready);
}

/* The number of the next run is told last.  Only one starts at a time. */
static void begin_run(plait__band *band)
{
	const plait__helped *helped = band->helped;
	uint64_t run = at_load_relaxed_u64(&band->run) + 1;
	bool ranged = at_load_relaxed_u32(&band->quick) != 0;

	at_store_relaxed_u32(&band->ranged, ranged);
	for (uint32_t i = 0; ranged && i < helped->lane_count; i++)
		at_store_relaxed_u64(&band->members[i].front,
				     run << 32 | helped->tracks[i].first);
	/* Release: pairs with is_behind. */
	at_store_release_u64(&band->run, run);
}

/* A free member is left for the calling thread, if it stays. */
void plait__band_start(plait__band *band, bool here)
{
	const plait__helped *helped = band->helped;
	bool reserved = !here;

	/* One more, so that it is not over before the last one is offered. */
	at_store_relaxed_u32(&band->remaining, helped->op_count + 1);
	begin_run(band);
	/* Before the looks at `idle`; pairs with the fence in rest. */
	if (band->light)
		at_fence_light();
	else
		at_fence_seq_cst();
	for (uint32_t i = 0; i < helped->lane_count; i++) {
		if (!is_free(band, i))
			continue;
		if (!reserved)
			plait__task_reserve(&band->members[i].task);
		else if (here)
			plait__task_offer_beside(&band->members[i].task);
		else
			plait__task_offer(&band->members[i].task);
		reserved = true;
	}
	/* Acquire and release: as in tell. */
	if (at_sub_u32(&band->remaining, 1) == 1)
		plait__flat_helped_over(band);
}

bool plait__band_drive(plait__band *band)
{
	for (uint32_t i = 0; i < band->helped->lane_count; i++)
		if (plait__task_run_here(&band->members[i].task))
			return true;
	return false;
}
