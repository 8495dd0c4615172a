/* SPDX-License-Identifier: MIT */
/* Repeats of a flow; see flow_repeats.h. */
#include "flow/flow_repeats.h"

#include "flow/commit.h"
#include "flow/flow_flags.h"
#include "flow/flow_late.h"
#include "flow/held_run.h"
#include "flow/late_record.h"
#include "flow/repeat/period_finder.h"
#include "flow/stretch.h"
#include "flow/task_access.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/wait/suspension.h"

enum {
	/* Stretches that a flow keeps: each has the memory of its data. */
	STRETCHES = 8,
	/* Runs in a row that were not whole: the stretch is given up. */
	BREAKS = 4,
	/* A run has at most this part of the window. */
	WINDOW_PART = 4
};

struct plait__flow_repeats {
	plait__period_finder finder;
	plait__stretch *stretches[STRETCHES];
	uint32_t count;
	/* That is recorded, or null; its tasks; those to come before it begins,
	 * or the next gap; recorded: to be built. */
	plait__stretch *recorded;
	uint32_t period;
	uint32_t ahead;
	bool awaits_gap;
	at_u32 is_recorded;
	/* Of the held run, or the last one. */
	plait__stretch *held;
	plait__late *late;
	uint64_t owner; /* plait__suspension_owner of its submitter */
	uint32_t taken;	/* tasks of it */
	uint64_t all_taken; /* of all runs */
	uint64_t closings; /* of the flow, when the stretches were looked at */
};

/* ---- life ---- */

plait_status plait__flow_repeats_check(const plait_flow_desc *desc,
				       plait_error *error)
{
	char names[PLAIT__FLOW_FLAGS_TEXT_BYTES];

	if ((desc->flags & PLAIT_FLOW_REPEATS) == 0)
		return PLAIT_OK;
	if (desc->device_count != 0 || desc->world != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: %s with "
				   "PLAIT_FLOW_REPEATS, which is for tasks of "
				   "the host alone; leave the flag out%s",
				   desc->world != NULL ? "a world" : "devices",
				   desc->world != NULL ? "" :
				   ", and name the tasks a repetition "
				   "(plait_flow_repeat)");
	if (desc->history != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: a history with "
				   "PLAIT_FLOW_REPEATS, whose runs hide the "
				   "times of kernels; leave one of them out");
	if (desc->flags != PLAIT_FLOW_REPEATS)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: %s with "
				   "PLAIT_FLOW_REPEATS, whose runs hide their "
				   "tasks; leave one of them out",
				   plait__flow_flags_text(
					   desc->flags & ~PLAIT_FLOW_REPEATS,
					   names));
	return PLAIT_OK;
}

plait_status plait__flow_repeats_make(plait__flow *flow, plait_error *error)
{
	flow->repeats = plait__alloc(plait__flow_allocator(flow),
				     sizeof(*flow->repeats));
	return flow->repeats != NULL ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a flow");
}

void plait__flow_repeats_free(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	if (repeats == NULL)
		return;
	for (uint32_t i = 0; i < repeats->count; i++)
		plait__stretch_free(repeats->stretches[i]);
	if (repeats->recorded != NULL)
		plait__stretch_free(repeats->recorded);
	plait__free(plait__flow_allocator(flow), repeats, sizeof(*repeats));
	flow->repeats = NULL;
}

uint64_t plait__flow_repeats_count(const plait__flow *flow)
{
	return flow->repeats != NULL ? flow->repeats->all_taken : 0;
}

/* ---- search ---- */

static void forget_recorded(struct plait__flow_repeats *repeats)
{
	if (repeats->recorded != NULL)
		plait__stretch_free(repeats->recorded);
	repeats->recorded = NULL;
	at_store_relaxed_u32(&repeats->is_recorded, 0);
}

/* Search from here on. */
static void restart(struct plait__flow_repeats *repeats)
{
	forget_recorded(repeats);
	repeats->finder = (plait__period_finder){ .count = 0 };
}

/* Tasks repeat: record a stretch of them.  It lies between two gaps, if there are
 * some; else it begins where the program probably does, behind the last one. */
static void begin_record(plait__flow *flow, uint32_t period)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t since;

	if (repeats->count == STRETCHES ||
	    (uint64_t)period * WINDOW_PART > plait__window_size(&flow->window))
		return;
	since = plait__period_finder_since_gap(&repeats->finder);
	repeats->recorded = plait__stretch_make(plait__flow_allocator(flow));
	repeats->period = period;
	repeats->awaits_gap = since < period;
	repeats->ahead = (uint32_t)((period - since % period) % period);
}

static void end_record(struct plait__flow_repeats *repeats)
{
	if (repeats->recorded->tasks.count >= PLAIT__PERIOD_LEAST)
		/* Relaxed: a hint. */
		at_store_relaxed_u32(&repeats->is_recorded, 1);
	else
		restart(repeats);
}

/* A gap: the tasks before it are the stretch, unless they are too few. */
static void end_segment(struct plait__flow_repeats *repeats)
{
	if (repeats->recorded->tasks.count >= PLAIT__PERIOD_LEAST)
		end_record(repeats);
	else
		plait__stretch_clear(repeats->recorded);
}

static bool is_complete(const struct plait__flow_repeats *repeats)
{
	return at_load_relaxed_u32(&repeats->is_recorded) != 0;
}

/* A task, or null: a gap. */
static void record(struct plait__flow_repeats *repeats,
		   const plait_task_desc *desc)
{
	if (repeats->awaits_gap) {
		repeats->awaits_gap = desc != NULL;
		repeats->ahead = 0;
	} else if (repeats->ahead > 0) {
		repeats->ahead--;
	} else if (desc == NULL) {
		end_segment(repeats);
		return;
	} else if (!plait__stretch_add(repeats->recorded, desc)) {
		restart(repeats);
		return;
	}
	if (repeats->recorded->tasks.count == repeats->period)
		end_record(repeats);
}

static void add_token(plait__flow *flow, const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t token = desc == NULL ? PLAIT__PERIOD_GAP :
			 plait__repeated_task_token(desc);
	uint32_t period = plait__period_finder_add(&repeats->finder, token);

	if (is_complete(repeats))
		return;
	if (repeats->recorded != NULL && period == 0)
		forget_recorded(repeats);
	if (repeats->recorded != NULL)
		record(repeats, desc);
	else if (period != 0)
		begin_record(flow, period);
}

void plait__flow_repeats_note(plait__flow *flow, const plait_task_desc *desc)
{
	bool applies = flow->capture == NULL &&
		       plait__repeated_task_applies(desc);

	if (flow->is_interrupted &&
	    plait__period_finder_since_gap(&flow->repeats->finder) != 0)
		add_token(flow, NULL);
	flow->is_interrupted = !applies;
	if (applies)
		add_token(flow, desc);
}

/* ---- construction ---- */

/* A stretch that begins like it is replaced. */
static void add_stretch(struct plait__flow_repeats *repeats,
			plait__stretch *made)
{
	const plait_task_desc *first = &plait__stretch_at(made, 0)->desc;

	for (uint32_t i = 0; i < repeats->count; i++)
		if (plait__repeated_task_equals(
			    plait__stretch_at(repeats->stretches[i], 0), first))
			repeats->stretches[i]->is_dead = true;
	repeats->stretches[repeats->count++] = made;
}

/* Take the stretch that was recorded; null: another thread has it. */
static plait__stretch *take_recorded(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *made = NULL;

	plait__flow_lock(flow);
	if (is_complete(repeats)) {
		made = repeats->recorded;
		repeats->recorded = NULL;
		restart(repeats);
	}
	plait__flow_unlock(flow);
	return made;
}

void plait__flow_repeats_build(plait__flow *flow,
			       plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait_error error = { .size = sizeof(error) };
	plait__stretch *made;
	bool is_kept;

	/* A planner needs more than the stack of a coroutine, and some time.  Relaxed:
	 * a hint; the lock orders the rest. */
	if (!is_complete(repeats) || plait__callback_scope_is_active() ||
	    plait__suspension_current() != NULL)
		return;
	made = take_recorded(flow);
	if (made == NULL)
		return;
	is_kept = plait__stretch_build(made, flow, prepare, &error) == PLAIT_OK;
	plait__flow_lock(flow);
	is_kept = is_kept && repeats->count < STRETCHES;
	if (is_kept)
		add_stretch(repeats, made);
	plait__flow_unlock(flow);
	if (!is_kept)
		plait__stretch_free(made);
}

/* ---- held runs ---- */

/* Nothing that a run does not know may hold tasks of it back, or poison them. */
static bool may_hold(plait__flow *flow)
{
	return plait__outcomes_are_clean(&flow->lanes.outcomes) &&
	       flow->mappings == NULL &&
	       flow->newest_outside <= plait__flow_settled(flow) &&
	       !plait__callback_scope_is_active() &&
	       plait__suspension_current() == NULL;
}

/* Append the accesses of the run. */
static plait_status add_accesses(plait__flow_task *run)
{
	const plait__vector *accesses = &run->again->accesses;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < accesses->count; i++) {
		const plait__flow_access *at = plait__vector_at(accesses, i);

		status = plait__task_access_append(run, at->whole, &at->box,
						   at->mode, NULL);
	}
	return status;
}

/* Number the run, with what comes before it.  As plait__commit_task. */
static plait_status begin_run(plait__flow *flow, plait__stretch *stretch,
			      plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_PLAN,
		.label = stretch->again->label, .plan = stretch->again->plan,
		.run = &stretch->again->run,
	};
	plait__flow_task run;
	plait_status status;

	plait__flow_task_clear(&run, flow);
	run.again = stretch->again;
	run.is_held = true;
	status = prepare(&run, &desc, NULL);
	if (status == PLAIT_OK)
		status = add_accesses(&run);
	if (status == PLAIT_OK)
		status = plait__commit_task(&run, NULL);
	if (status != PLAIT_OK) {
		if (run.late != NULL)
			plait__late_return(&run);
		return status;
	}
	flow->held_run = run.number;
	flow->held_is_whole = false;
	repeats->held = stretch;
	repeats->late = run.late;
	repeats->late->limit = repeats->taken = 1;
	repeats->all_taken++;
	repeats->owner = plait__suspension_owner();
	return PLAIT_OK;
}

/* Data that was released is no data of a task any more. */
static void look_at_data(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	if (repeats->closings == flow->closings)
		return;
	repeats->closings = flow->closings;
	for (uint32_t i = 0; i < repeats->count; i++)
		repeats->stretches[i]->is_dead |=
			!plait__stretch_is_live(repeats->stretches[i]);
}

/* A kernel that was released is none. */
static bool has_kernel(const plait_task_desc *desc)
{
	return desc->kind != PLAIT_TASK_LAUNCH ||
	       plait__handle_peek(desc->kernel, PLAIT_OBJECT_KERNEL) != NULL;
}

static bool is_next(const plait__stretch *stretch, uint32_t i,
		    const plait_task_desc *desc)
{
	return !stretch->is_dead &&
	       plait__repeated_task_equals(plait__stretch_at(stretch, i),
					   desc) &&
	       has_kernel(desc);
}

/* The last run was published before all of its tasks came. */
static void note_break(struct plait__flow_repeats *repeats)
{
	plait__stretch *stretch = repeats->held;

	repeats->held = NULL;
	if (++stretch->breaks < BREAKS)
		return;
	stretch->is_dead = true;
	restart(repeats);
}

/* The caller has the held run, and the window has room.  No op has failed of those
 * found done for that: a part has no room for the failure of an older op. */
static bool may_add_part(plait__flow *flow)
{
	return flow->repeats->owner == plait__suspension_owner() &&
	       plait__window_has_room(&flow->window, 2, 0) &&
	       plait__outcomes_are_clean(&flow->lanes.outcomes);
}

/* The task equals the next one of the held run. */
static uint64_t take_part(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t number = plait__held_run_add_part(flow);

	repeats->late->limit = ++repeats->taken;
	repeats->all_taken++;
	if (repeats->taken < repeats->held->tasks.count)
		return number;
	flow->held_is_whole = true;
	plait__held_run_publish(flow);
	repeats->held->breaks = 0;
	repeats->held = NULL;
	return number;
}

/* The stretch that the task begins, or null. */
static plait__stretch *find_stretch(plait__flow *flow,
				    const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	for (uint32_t i = repeats->count; i > 0; i--)
		if (is_next(repeats->stretches[i - 1], 0, desc))
			return may_hold(flow) ? repeats->stretches[i - 1] :
						NULL;
	return NULL;
}

/* Begin a run with the task, once there is room for all of its parts. */
static plait_status begin_with(plait__flow_task *task,
			       const plait_task_desc *desc,
			       plait__stretch *stretch,
			       plait__task_split_prepare prepare)
{
	const bool may_wait = (desc->flags & PLAIT_TASK_NO_WAIT) == 0;
	plait__flow *flow = task->flow;
	plait_status status;

	if (flow->window.newest - flow->swept >=
	    plait__window_size(&flow->window))
		plait__flow_reap(flow);
	if (!plait__window_has_room(&flow->window, stretch->tasks.count + 2, 0))
		return may_wait ? PLAIT_PENDING : PLAIT_E_STATE;
	/* Ops that were found done above are no predecessors: none has failed. */
	if (!plait__outcomes_are_clean(&flow->lanes.outcomes))
		return PLAIT_E_STATE;
	status = begin_run(flow, stretch, prepare);
	/* The finder does not see the tasks of the run. */
	flow->is_interrupted |= status == PLAIT_OK;
	task->number = flow->held_run;
	return status == PLAIT_OK || (status == PLAIT_PENDING && may_wait) ?
		       status : PLAIT_E_STATE;
}

plait_status plait__flow_repeats_take(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare)
{
	plait__flow *flow = task->flow;
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *found;

	look_at_data(flow);
	if (flow->held_run != 0 && may_add_part(flow) &&
	    is_next(repeats->held, repeats->taken, desc)) {
		task->number = take_part(flow);
		return PLAIT_OK;
	}
	plait__held_run_publish(flow);
	if (repeats->held != NULL)
		note_break(repeats);
	if (repeats->count == 0 || flow->capture != NULL)
		return PLAIT_E_STATE;
	found = find_stretch(flow, desc);
	return found == NULL ? PLAIT_E_STATE :
			       begin_with(task, desc, found, prepare);
}
