/* SPDX-License-Identifier: MIT */
/* Compilation of plans in mode HELPED; construction and start of their
 * workers. */
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

/* ---- merged lanes ---- */

static uint32_t preds_count(const plait__plan *plan)
{
	return plan->command_count == 0 ? 0 :
	       plan->commands[plan->command_count].pred_first;
}

/* One entry more: an empty table would be null. */
static bool make_merged_tables(plait__steal_program *compiled)
{
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	compiled->merged_tracks =
		plait__alloc_array(allocator, compiled->lane_count,
				   sizeof(*compiled->merged_tracks));
	compiled->merged_commands = plait__alloc_array(
		allocator, compiled->op_count + 1ull,
		sizeof(*compiled->merged_commands));
	compiled->merged_preds = plait__alloc_array(
		allocator, preds_count(compiled->program->plan) + 1ull,
		sizeof(*compiled->merged_preds));
	return compiled->merged_tracks != NULL &&
	       compiled->merged_commands != NULL &&
	       compiled->merged_preds != NULL;
}

/* plait__steal_program_applies: the plan has one body, of which every lane has
 * a track. */
static uint32_t number_of(const plait__steal_program *compiled,
			  const plait__lane_merge *merge, uint32_t command)
{
	uint32_t lane = compiled->program->plan->commands[command].lane;

	return merge->tracks[merge->lane_of[lane]].first +
	       merge->position[command];
}

static void fill_merged_tables(plait__steal_program *compiled,
			       const plait__lane_merge *merge)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t count = 0;

	/* Such a plan has one body: its tracks are the lanes. */
	for (uint32_t i = 0; i < compiled->lane_count; i++)
		compiled->merged_tracks[i] = merge->tracks[i];
	for (uint32_t i = 0; i < compiled->op_count; i++) {
		const plait__plan_command *at =
			&plan->commands[merge->commands[i]];

		compiled->merged_commands[i].pred_first = count;
		compiled->merged_commands[i].priority = at->priority;
		for (uint32_t p = at->pred_first; p < at[1].pred_first; p++)
			compiled->merged_preds[count++] = number_of(
				compiled, merge, plan->preds[p]);
	}
	compiled->merged_commands[compiled->op_count].pred_first = count;
}

static bool merge_lanes(plait__steal_program *compiled,
			const plait__lane_merge *merge)
{
	compiled->lane_count = merge->lane_count;
	if (!make_merged_tables(compiled))
		return false;
	fill_merged_tables(compiled, merge);
	compiled->tracks = compiled->merged_tracks;
	compiled->commands = compiled->merged_commands;
	compiled->preds = compiled->merged_preds;
	return true;
}

static void free_merged_tables(plait__steal_program *compiled)
{
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	plait__free(allocator, compiled->merged_tracks,
		    compiled->lane_count * sizeof(*compiled->merged_tracks));
	plait__free(allocator, compiled->merged_commands,
		    (compiled->op_count + 1ull) *
			    sizeof(*compiled->merged_commands));
	plait__free(allocator, compiled->merged_preds,
		    (preds_count(compiled->program->plan) + 1ull) *
			    sizeof(*compiled->merged_preds));
}

/* ---- per plan ---- */

plait_status plait__steal_program_compile(plait__steal_program *compiled,
					  const plait__program *program,
					  const plait__lane_merge *merge,
					  plait_error *error)
{
	const plait__plan *plan = program->plan;
	bool made = true;

	compiled->program = program;
	compiled->tracks = plan->tracks + plan->bodies[0].track_first;
	compiled->commands = plan->commands;
	compiled->preds = plan->preds;
	compiled->lane_count = plan->bodies[0].track_count;
	compiled->op_count = plan->command_count;
	compiled->ops = plait__alloc_array(plait__program_allocator(program),
					 compiled->op_count,
					 sizeof(*compiled->ops));
	if (merge != NULL)
		made = merge_lanes(compiled, merge);
	if (compiled->ops == NULL || !made)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	for (uint32_t i = 0; i < compiled->op_count; i++) {
		plait__call_op_make(program, NULL,
				    merge != NULL ? merge->commands[i] : i,
				    &compiled->ops[i]);
		compiled->has_priorities = compiled->has_priorities ||
					   compiled->commands[i].priority != 0;
	}
	return PLAIT_OK;
}

void plait__steal_program_free(plait__steal_program *compiled)
{
	if (compiled->program == NULL)
		return;
	free_merged_tables(compiled);
	plait__free(plait__program_allocator(compiled->program), compiled->ops,
		    compiled->op_count * sizeof(*compiled->ops));
	memset(compiled, 0, sizeof(*compiled));
}

/* ---- per instance ---- */

static plait__steal_worker *worker_of(plait__task *task)
{
	return (plait__steal_worker *)(void *)task;
}

static void end_run(plait__task *task)
{
	const plait__steal_set *set = worker_of(task)->set;

	set->end(set->instance);
}

/* A function ended its thread: its command failed, and is done.  Called only
 * for a thread that was inside `call`, which has set worker->command. */
static void on_thread_exit(plait__task *task)
{
	plait__steal_worker *worker = worker_of(task);
	plait__steal_set *set = worker->set;

	plait__instance_fail(set->instance, set->ops[worker->command].command,
			     &plait__instance_exited);
	worker->done++;
	/* Release: pairs with the load in steal_claim.h. */
	at_store_release_u64(&set->states[worker->command],
			     plait__claim_done(worker));
	plait__task_offer(task);
}

static plait_status make_arrays(plait__steal_set *set, plait_error *error)
{
	const plait__steal_program *compiled = set->compiled;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	set->workers = plait__cacheline_alloc(allocator, compiled->lane_count *
					       sizeof(*set->workers));
	set->states = plait__cacheline_alloc(allocator, compiled->op_count *
					     sizeof(*set->states));
	if (set->workers != NULL && set->states != NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

plait_status plait__steal_set_make(plait__steal_set *set,
				   plait__instance *instance,
				   const plait__steal_program *compiled,
				   void (*end)(plait__instance *instance),
				   plait_error *error)
{
	plait_status status;

	set->instance = instance;
	set->compiled = compiled;
	set->end = end;
	set->ops = compiled->ops;
	set->asymmetric_fence = at_membarrier_available();
	status = make_arrays(set, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < compiled->lane_count;
	     i++) {
		plait__steal_worker *worker = &set->workers[i];

		plait__task_init(&worker->task,
				 compiled->program->context->pool);
		worker->task.run = plait__steal_worker_run;
		worker->task.over = end_run;
		worker->task.lost = on_thread_exit;
		worker->set = set;
		worker->lane = i;
		(void)at_or_u64(&set->idle, PLAIT__STEAL_PARKED << i);
	}
	return status;
}

void plait__steal_set_free(plait__steal_set *set)
{
	const plait__steal_program *compiled = set->compiled;
	const plait_allocator *allocator;

	if (compiled == NULL)
		return;
	allocator = plait__program_allocator(compiled->program);
	for (uint32_t i = 0; set->workers != NULL && i < compiled->lane_count;
	     i++)
		if (set->workers[i].set != NULL)
			plait__task_forget(&set->workers[i].task);
	plait__cacheline_free(allocator, set->workers,
			      compiled->lane_count * sizeof(*set->workers));
	plait__cacheline_free(allocator, set->states,
			      compiled->op_count * sizeof(*set->states));
	memset(set, 0, sizeof(*set));
}

/* ---- a run ---- */

/* Returns true if the caller may offer the worker: it was parked, or is still
 * offered from a run that ended without it. */
static bool is_free(plait__steal_set *set, uint32_t lane)
{
	bool was_parked;

	(void)plait__steal_worker_wake(set, lane, &was_parked);
	return was_parked || plait__ready_claim(&set->workers[lane].task.ready);
}

/* Publish the run's number last.  Only one run starts at a time.  The last run
 * is over, but late workers may still read the set. */
static void begin_run(plait__steal_set *set)
{
	const plait__steal_program *compiled = set->compiled;
	uint64_t run = at_load_relaxed_u64(&set->run) + 1;
	bool batch_claims = at_load_relaxed_u32(&set->short_commands) != 0;

	at_store_relaxed_u32(&set->batch_claims, batch_claims);
	at_store_relaxed_u32(&set->records, set->instance->recording != NULL);
	for (uint32_t i = 0; batch_claims && i < compiled->lane_count; i++)
		at_store_relaxed_u64(&set->workers[i].front,
				     run << 32 | compiled->tracks[i].first);
	/* Release: pairs with is_behind. */
	at_store_release_u64(&set->run, run);
}

/* One free worker is left to the calling thread, if the caller stays. */
void plait__steal_set_start(plait__steal_set *set, bool inline_ok)
{
	const plait__steal_program *compiled = set->compiled;
	bool reserved = !inline_ok;

	/* One more, so that the run is not over before the last worker is
	 * offered. */
	at_store_relaxed_u32(&set->remaining, compiled->op_count + 1);
	begin_run(set);
	/* Before the loads of `idle`; pairs with the fence in park. */
	if (set->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	for (uint32_t i = 0; i < compiled->lane_count; i++) {
		if (!is_free(set, i))
			continue;
		if (!reserved)
			plait__task_reserve(&set->workers[i].task);
		else if (inline_ok)
			plait__task_offer_from_running(&set->workers[i].task);
		else
			plait__task_offer(&set->workers[i].task);
		reserved = true;
	}
	/* Acquire and release: as in subtract_done. */
	if (at_sub_u32(&set->remaining, 1) == 1)
		set->end(set->instance);
}

bool plait__steal_set_drive(plait__steal_set *set)
{
	for (uint32_t i = 0; i < set->compiled->lane_count; i++)
		if (plait__task_run_here(&set->workers[i].task))
			return true;
	return false;
}
