/* SPDX-License-Identifier: MIT */
/* Construction and start of an instance's lanes, which are tasks of the
 * pool. */
#include "run/host/lane_tasks.h"

#include "run/host/lane_interpreter.h"

#include "run/external/coroutine_command.h"
#include "run/host/lane_record.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static plait__lane_task *lane_task_of(plait__task *task)
{
	return (plait__lane_task *)(void *)task;
}

/* A function ended its thread: the command failed, and the lane goes on.
 * Called only for a thread that was inside a function, so `command` is set. */
static void on_thread_exit(plait__task *task)
{
	const plait__lane_task *self = lane_task_of(task);
	const uint32_t *command = at_load_relaxed_ptr(&self->command);

	plait__instance_fail(self->set->instance, *command,
			     &plait__instance_exited);
	plait__task_offer(task);
}

/* Called with the task of any lane. */
static void end_run(plait__task *task)
{
	plait__lane_set *set = lane_task_of(task)->set;

	for (uint32_t i = 0; i < set->compiled->lane_count; i++) {
		set->instance->iterations += set->tasks[i].iterations;
		set->tasks[i].iterations = 0;
	}
	set->end(set->instance);
}

static plait_status make_arrays(plait__lane_set *set, plait_error *error)
{
	const plait__lane_program *compiled = set->compiled;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	set->tasks = plait__cacheline_alloc(allocator, compiled->lane_count *
					     sizeof(*set->tasks));
	set->progress = plait__cacheline_alloc(
		allocator, compiled->progress_count * sizeof(*set->progress));
	set->local = plait__cacheline_alloc(allocator, compiled->local_count *
					     sizeof(*set->local));
	if (compiled->program->plan->signals_count > 0)
		set->newest = plait__alloc_array(
			allocator, compiled->program->plan->signals_count,
			sizeof(*set->newest));
	if (set->tasks != NULL && set->progress != NULL && set->local != NULL &&
	    (set->newest != NULL ||
	     compiled->program->plan->signals_count == 0))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the lanes of a plan");
}

/* ---- external commands ---- */

/* `external` is the first member of a plait__lane_external. */
static plait__lane_task *external_task(plait__external *external)
{
	return ((plait__lane_external *)(void *)external)->lane_task;
}

static void set_idle(plait__external *external)
{
	plait__task_set_idle(&external_task(external)->task);
}

/* The calling thread has claimed the lane (plait__completion_claim). */
static void set_running(plait__external *external)
{
	at_store_relaxed_u32(&external_task(external)->task.ready.state,
			     PLAIT__TASK_RUNNING);
}

static void offer(plait__external *external)
{
	plait__bound_task_offer(
		&((plait__lane_external *)(void *)external)->bound);
}

/* A wait for nothing that the plan has. */
static void record_gap(plait__external *external, uint64_t start_ns)
{
	const plait__lane_task *self = external_task(external);
	const plait__record_entry entry = {
		.start_ns = start_ns, .end_ns = plait__clock_now_ns(),
		.iteration = plait__lane_record_iteration(self,
							  external->command),
		.kind = PLAIT_RECORD_WAIT, .command = external->command,
		.other = PLAIT__NONE,
	};

	plait__recorder_put(plait__lane_record_ring(self), &entry);
}

/* Make the state of a lane's external commands, first on set->externals.
 * free_external frees it after a failure, too. */
static plait_status make_external(plait__lane_set *set, plait__lane_task *self,
				  plait_error *error)
{
	const plait__program *program = set->compiled->program;
	plait__lane_external *made = plait__alloc(
		plait__program_allocator(program), sizeof(*made));

	self->external = made;
	self->task.suspends = true;
	if (made == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	made->lane_task = self;
	plait__bound_task_init(&made->bound, &self->task);
	made->external = (plait__external){
		.instance = set->instance, .lock = &set->lock,
		.newest = set->newest, .sibling = set->externals,
		.device = program->plan->lanes[self->lane].device,
		.rest = set_idle, .back = set_running,
		.offer = offer, .gap = record_gap,
	};
	set->externals = &made->external;
	return plait__external_make(&made->external,
				    (set->compiled->lanes[self->lane].external &
				     PLAIT__EXTERNAL_SUBMITS) != 0, error);
}

static void free_external(plait__lane_task *self)
{
	if (self->external == NULL)
		return;
	plait__coroutine_command_free(&self->external->external);
	plait__external_free(&self->external->external);
	plait__free(plait__program_allocator(self->set->compiled->program),
		    self->external, sizeof(*self->external));
	self->external = NULL;
}

/* ---- construction ---- */

plait_status plait__lane_set_make(plait__lane_set *set,
				  plait__instance *instance,
				  const plait__lane_program *compiled,
				  void (*end)(plait__instance *instance),
				  plait_error *error)
{
	plait__pool *pool = compiled->program->context->pool;
	plait_status status;

	set->instance = instance;
	set->compiled = compiled;
	set->end = end;
	set->ops = compiled->ops.items;
	set->asymmetric_fence = at_membarrier_available();
	status = make_arrays(set, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < compiled->lane_count;
	     i++) {
		plait__lane_task *self = &set->tasks[i];

		plait__task_init(&self->task, pool);
		self->task.run = plait__lane_interpret;
		self->task.over = end_run;
		self->task.lost = on_thread_exit;
		self->set = set;
		self->lane = i;
		if (compiled->lanes[i].external != 0)
			status = make_external(set, self, error);
	}
	return status;
}

static void free_task(plait__lane_task *self)
{
	plait__task_forget(&self->task);
	free_external(self);
}

void plait__lane_set_free(plait__lane_set *set)
{
	const plait_allocator *allocator;
	const plait__lane_program *compiled = set->compiled;

	if (compiled == NULL)
		return;
	allocator = plait__program_allocator(compiled->program);
	for (uint32_t i = 0; set->tasks != NULL && i < compiled->lane_count;
	     i++)
		if (set->tasks[i].set != NULL)
			free_task(&set->tasks[i]);
	plait__cacheline_free(allocator, set->tasks,
			      compiled->lane_count * sizeof(*set->tasks));
	plait__cacheline_free(allocator, set->progress,
			      compiled->progress_count *
				      sizeof(*set->progress));
	plait__cacheline_free(allocator, set->local,
			      compiled->local_count * sizeof(*set->local));
	plait__free(allocator, set->newest,
		    compiled->program->plan->signals_count *
			    sizeof(*set->newest));
	memset(set, 0, sizeof(*set));
}

static bool has_work(const plait__lane_set *set, uint32_t lane)
{
	return set->compiled->lanes[lane].part != PLAIT__NONE;
}

/* The lane has a part of body 0; the only lane of a program always does. */
static void rewind_lane(plait__lane_set *set, uint32_t lane)
{
	const plait__part *parts = set->compiled->parts.items;
	const plait__step *steps = set->compiled->steps.items;

	set->tasks[lane].step =
		&steps[parts[set->compiled->lanes[lane].part].step];
}

/* Set each lane to its first step; returns the number of lanes with work. */
static uint32_t rewind_all(plait__lane_set *set)
{
	uint32_t working = 0;

	for (uint32_t i = 0; i < set->compiled->lane_count; i++) {
		if (!has_work(set, i))
			continue;
		rewind_lane(set, i);
		working++;
	}
	return working;
}

/* The first lane with work is the calling thread's, if the caller stays.  All
 * lanes are idle: the last run of the instance is over. */
static void start_all(plait__lane_set *set, bool inline_ok)
{
	plait__task *own = NULL;
	uint32_t working = rewind_all(set);

	at_store_relaxed_u32(&set->remaining, working);
	/* Offered lanes may end, and the run with the last one: the set is not
	 * touched after that. */
	for (uint32_t i = 0; working > 0; i++) {
		if (!has_work(set, i))
			continue;
		working--;
		if (inline_ok && own == NULL)
			own = &set->tasks[i].task;
		else if (inline_ok)
			plait__task_offer_from_running(&set->tasks[i].task);
		else
			plait__task_offer(&set->tasks[i].task);
	}
	/* The run is not over without this lane. */
	if (own != NULL)
		plait__task_run_unshared(own);
}

void plait__lane_set_start(plait__lane_set *set, bool inline_ok)
{
	if (set->newest != NULL)
		plait__external_begin_run(set->compiled->program, set->newest);
	if (!inline_ok || set->compiled->lane_count > 1) {
		start_all(set, inline_ok);
		return;
	}
	rewind_lane(set, 0);
	plait__task_run_unshared(&set->tasks[0].task);
}

/* Sets of more lanes are not searched from the first one on each time. */
enum { LANES_FEW = 16 };

static bool drive_from(plait__lane_set *set, uint32_t first)
{
	const uint32_t count = set->compiled->lane_count;

	for (uint32_t i = 0, at = first; i < count; i++, at++) {
		at = at < count ? at : 0;
		if (!plait__task_run_here(&set->tasks[at].task))
			continue;
		/* Relaxed: a hint. */
		if (count > LANES_FEW)
			at_store_relaxed_u32(&set->driven, at);
		return true;
	}
	return false;
}

bool plait__lane_set_drive(plait__lane_set *set)
{
	return drive_from(set, set->compiled->lane_count > LANES_FEW ?
				       at_load_relaxed_u32(&set->driven) : 0);
}

uint32_t plait__lane_set_find_command(const plait__lane_set *set)
{
	for (uint32_t i = 0; set->tasks != NULL &&
	     i < set->compiled->lane_count; i++) {
		const plait__lane_task *self = &set->tasks[i];
		/* Relaxed: the command itself is constant. */
		const uint32_t *command = at_load_relaxed_ptr(&self->command);

		/* A parked lane has done its last command. */
		if (command != NULL &&
		    at_load_relaxed_u32(&self->task.ready.state) !=
			    PLAIT__TASK_IDLE)
			return *command;
	}
	return PLAIT__NONE;
}
