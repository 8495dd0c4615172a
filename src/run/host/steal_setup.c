/* SPDX-License-Identifier: MIT */
/* Plans in mode HELPED made ready, and the band of one instance. */
#include "run/host/steal_setup.h"

#include "run/host/steal_claim.h"

#include "run/host/call_op.h"
#include "run/args/payload_util.h"

#include "base/error.h"

#include <string.h>

/* ---- per plan ---- */

bool plait__steal_program_applies(const plait__plan *plan)
{
	if (plan->mode != PLAIT__MODE_HELPED ||
	    plan->bodies[0].track_count < 2 ||
	    plan->bodies[0].track_count > PLAIT__STEAL_LANES)
		return false;
	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plan->commands[i].kind > PLAIT__CMD_MARK ||
		    (plan->commands[i].flags & PLAIT__CMD_MEMBER) != 0 ||
		    plait__payload_is_external(plan, i))
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
static bool make_fold_tables(plait__steal_program *helped)
{
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	helped->merged_tracks = plait__alloc_array(
		allocator, helped->lane_count, sizeof(*helped->merged_tracks));
	helped->merged_commands = plait__alloc_array(
		allocator, helped->op_count + 1ull,
		sizeof(*helped->merged_commands));
	helped->merged_preds = plait__alloc_array(
		allocator, preds_count(helped->program->plan) + 1ull,
		sizeof(*helped->merged_preds));
	return helped->merged_tracks != NULL &&
	       helped->merged_commands != NULL && helped->merged_preds != NULL;
}

static uint32_t number_of(const plait__steal_program *helped, const plait__lane_merge *merge,
			  uint32_t command)
{
	uint32_t lane = helped->program->plan->commands[command].lane;

	return merge->first[merge->lane_of[lane]] + merge->position[command];
}

static void fill_fold_tables(plait__steal_program *helped, const plait__lane_merge *merge)
{
	const plait__plan *plan = helped->program->plan;
	uint32_t count = 0;

	for (uint32_t i = 0; i < helped->lane_count; i++)
		helped->merged_tracks[i] = (plait__plan_track){
			.lane = i, .first = merge->first[i],
			.count = plait__lane_merge_count(merge, i),
		};
	for (uint32_t i = 0; i < helped->op_count; i++) {
		const plait__plan_command *at =
			&plan->commands[merge->commands[i]];

		helped->merged_commands[i].pred_first = count;
		for (uint32_t p = at->pred_first; p < at[1].pred_first; p++)
			helped->merged_preds[count++] = number_of(
				helped, merge, plan->preds[p]);
	}
	helped->merged_commands[helped->op_count].pred_first = count;
}

static bool fold_lanes(plait__steal_program *helped, const plait__lane_merge *merge)
{
	helped->lane_count = merge->lane_count;
	if (!make_fold_tables(helped))
		return false;
	fill_fold_tables(helped, merge);
	helped->tracks = helped->merged_tracks;
	helped->commands = helped->merged_commands;
	helped->preds = helped->merged_preds;
	return true;
}

static void free_fold_tables(plait__steal_program *helped)
{
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	plait__free(allocator, helped->merged_tracks,
		    helped->lane_count * sizeof(*helped->merged_tracks));
	plait__free(allocator, helped->merged_commands,
		    (helped->op_count + 1ull) *
			    sizeof(*helped->merged_commands));
	plait__free(allocator, helped->merged_preds,
		    (preds_count(helped->program->plan) + 1ull) *
			    sizeof(*helped->merged_preds));
}

/* ---- per plan ---- */

plait_status plait__steal_program_compile(plait__steal_program *helped,
					  const plait__program *program,
					  const plait__lane_merge *merge, plait_error *error)
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
	if (merge != NULL)
		made = fold_lanes(helped, merge);
	if (helped->ops == NULL || !made)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	for (uint32_t i = 0; i < helped->op_count; i++)
		plait__call_op_make(program, NULL,
				    merge != NULL ? merge->commands[i] : i,
				    &helped->ops[i]);
	return PLAIT_OK;
}

void plait__steal_program_free(plait__steal_program *helped)
{
	if (helped->program == NULL)
		return;
	free_fold_tables(helped);
	plait__free(plait__program_allocator(helped->program), helped->ops,
		    helped->op_count * sizeof(*helped->ops));
	memset(helped, 0, sizeof(*helped));
}

/* ---- per instance ---- */

static plait__steal_worker *member_of(plait__task *task)
{
	return (plait__steal_worker *)(void *)task;
}

static void end_band(plait__task *task)
{
	plait__instance_complete(member_of(task)->band->instance);
}

/* A function ended its thread: its command failed, and is done. */
static void lose_member(plait__task *task)
{
	plait__steal_worker *worker = member_of(task);
	plait__steal_set *band = worker->band;
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_FAILED, "did not return but ended its "
		    "thread (pthread_exit)");
	plait__instance_fail(band->instance,
			     band->ops[worker->command].command, &why);
	worker->done++;
	/* Release: pairs with the load in steal_claim.h. */
	at_store_release_u64(&band->words[worker->command],
			     plait__claim_done(worker));
	plait__task_offer(task);
}

static plait_status make_arrays(plait__steal_set *band, plait_error *error)
{
	const plait__steal_program *helped = band->helped;
	const plait_allocator *allocator =
		plait__program_allocator(helped->program);

	band->workers = plait__cacheline_alloc(allocator, helped->lane_count *
					       sizeof(*band->workers));
	band->words = plait__cacheline_alloc(allocator, helped->op_count *
					     sizeof(*band->words));
	if (band->workers != NULL && band->words != NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

plait_status plait__steal_set_make(plait__steal_set *band, plait__instance *instance,
				   const plait__steal_program *helped, bool records,
				   plait_error *error)
{
	plait_status status;

	band->instance = instance;
	band->helped = helped;
	band->ops = helped->ops;
	band->records = records;
	band->asymmetric_fence = at_membarrier_available();
	status = make_arrays(band, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < helped->lane_count;
	     i++) {
		plait__steal_worker *worker = &band->workers[i];

		plait__task_init(&worker->task,
				 helped->program->context->pool);
		worker->task.run = records ? plait__steal_worker_run_recorded :
				    plait__steal_worker_run;
		worker->task.over = end_band;
		worker->task.lost = lose_member;
		worker->band = band;
		worker->lane = i;
		(void)at_or_u64(&band->idle, PLAIT__STEAL_PARKED << i);
	}
	return status;
}

void plait__steal_set_free(plait__steal_set *band)
{
	const plait__steal_program *helped = band->helped;
	const plait_allocator *allocator;

	if (helped == NULL)
		return;
	allocator = plait__program_allocator(helped->program);
	for (uint32_t i = 0; band->workers != NULL && i < helped->lane_count;
	     i++)
		if (band->workers[i].band != NULL)
			plait__task_forget(&band->workers[i].task);
	plait__cacheline_free(allocator, band->workers,
			      helped->lane_count * sizeof(*band->workers));
	plait__cacheline_free(allocator, band->words,
			      helped->op_count * sizeof(*band->words));
	memset(band, 0, sizeof(*band));
}

/* ---- a run ---- */

/* Nobody runs it, and nobody else will offer it: told to rest, or offered for
 * a run that ended without it. */
static bool is_free(plait__steal_set *band, uint32_t lane)
{
	bool rested;

	(void)plait__steal_worker_wake(band, lane, &rested);
	return rested || plait__ready_claim(&band->workers[lane].task.ready);
}

/* The number of the next run is told last.  Only one starts at a time. */
static void begin_run(plait__steal_set *band)
{
	const plait__steal_program *helped = band->helped;
	uint64_t run = at_load_relaxed_u64(&band->run) + 1;
	bool batch_claims = at_load_relaxed_u32(&band->short_commands) != 0;

	at_store_relaxed_u32(&band->batch_claims, batch_claims);
	for (uint32_t i = 0; batch_claims && i < helped->lane_count; i++)
		at_store_relaxed_u64(&band->workers[i].front,
				     run << 32 | helped->tracks[i].first);
	/* Release: pairs with is_behind. */
	at_store_release_u64(&band->run, run);
}

/* A free member is left for the calling thread, if it stays. */
void plait__steal_set_start(plait__steal_set *band, bool inline_ok)
{
	const plait__steal_program *helped = band->helped;
	bool reserved = !inline_ok;

	/* One more, so that it is not over before the last one is offered. */
	at_store_relaxed_u32(&band->remaining, helped->op_count + 1);
	begin_run(band);
	/* Before the looks at `idle`; pairs with the fence in rest. */
	if (band->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	for (uint32_t i = 0; i < helped->lane_count; i++) {
		if (!is_free(band, i))
			continue;
		if (!reserved)
			plait__task_reserve(&band->workers[i].task);
		else if (inline_ok)
			plait__task_offer_from_running(&band->workers[i].task);
		else
			plait__task_offer(&band->workers[i].task);
		reserved = true;
	}
	/* Acquire and release: as in tell. */
	if (at_sub_u32(&band->remaining, 1) == 1)
		plait__instance_complete(band->instance);
}

bool plait__steal_set_drive(plait__steal_set *band)
{
	for (uint32_t i = 0; i < band->helped->lane_count; i++)
		if (plait__task_run_here(&band->workers[i].task))
			return true;
	return false;
}
