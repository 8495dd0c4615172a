/* SPDX-License-Identifier: MIT */
/* Repeats of a flow; see flow_repeats.h. */
#include "flow/flow_repeats.h"

#include "flow/commit.h"
#include "flow/flow_flags.h"
#include "flow/flow_late.h"
#include "flow/held_run.h"
#include "flow/late_record.h"
#include "flow/plain_task.h"
#include "flow/repeat_phases.h"
#include "flow/repeat_search.h"
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
	WINDOW_PART = 4,
	/* Runs of a stretch before it grows. */
	GROWN_RUNS = 8,
	/* Runs before it is judged: the first ones find out how many threads they are
	 * for (run_times.h). */
	WARM_RUNS = 40,
	/* As many times the longest run: a row of periods that goes on. */
	ENDLESS = 4
};

struct plait__flow_repeats {
	plait__repeat_search search;
	plait__stretch *stretches[STRETCHES];
	uint32_t count;
	/* The stretch that grows, or null; a hint of it; periods of its runs then. */
	plait__stretch *growing;
	at_u32 is_growing;
	uint32_t times;
	plait__repeat_phases phases;
	uint64_t repeated; /* tasks of runs, but for the held one */
	/* Of the held run, or the last one.  `base`: of `held`, which may be its
	 * longer one; `row_end`: the last op, or 0: the run was not whole. */
	plait__stretch *held;
	plait__stretch *base;
	uint64_t row_end;
	plait__late *late;
	uint64_t owner; /* plait__suspension_owner of its submitter */
	uint32_t taken;	/* tasks of it */
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
	if (flow->repeats == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a flow");
	flow->repeats->search.allocator = plait__flow_allocator(flow);
	flow->phases = &flow->repeats->phases;
	return PLAIT_OK;
}

void plait__flow_repeats_free(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	if (repeats == NULL)
		return;
	for (uint32_t i = 0; i < repeats->count; i++)
		plait__stretch_free(repeats->stretches[i]);
	if (repeats->search.recorded != NULL)
		plait__stretch_free(repeats->search.recorded);
	plait__free(plait__flow_allocator(flow), repeats, sizeof(*repeats));
	flow->repeats = NULL;
	flow->phases = NULL;
}

/* ---- search ---- */

/* Tasks of a run, at most. */
static uint64_t longest_run(const plait__flow *flow)
{
	uint64_t part = plait__window_size(&flow->window) / WINDOW_PART;

	return part < PLAIT__PERIOD_MOST ? part : PLAIT__PERIOD_MOST;
}

static bool has_stretches(const struct plait__flow_repeats *repeats)
{
	for (uint32_t i = 0; i < repeats->count; i++)
		if (!repeats->stretches[i]->is_dead)
			return true;
	return false;
}

/* Nothing repeats: end the search for a while. */
static void rest(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	plait__repeat_search_restart(&repeats->search);
	plait__repeat_phases_rest(flow, &repeats->phases,
				  !has_stretches(repeats));
}

/* A task, or null: a gap. */
static void search(plait__flow *flow, const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t most = repeats->count == STRETCHES ? 0 : longest_run(flow);

	if (!plait__repeat_search_add(&repeats->search, desc, most))
		rest(flow);
}

void plait__flow_repeats_note(plait__flow *flow, const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	bool applies;

	if (!plait__repeat_phases_search(&repeats->phases))
		return;
	applies = flow->capture == NULL && plait__repeated_task_applies(desc);
	if ((flow->is_interrupted || repeats->phases.is_hidden) &&
	    plait__period_finder_since_gap(&repeats->search.finder) != 0)
		search(flow, NULL);
	repeats->phases.is_hidden = false;
	flow->is_interrupted = !applies;
	if (applies)
		search(flow, desc);
}

uint64_t plait__flow_repeats_tasks(const plait__flow *flow)
{
	const struct plait__flow_repeats *repeats = flow->repeats;

	return repeats == NULL ? 0 :
	       repeats->repeated + (repeats->held != NULL ? repeats->taken : 0);
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
	repeats->phases.rest = 0;
}

static void build_recorded(plait__flow *flow, plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait_error error = { .size = sizeof(error) };
	plait__stretch *made;
	bool is_kept;

	plait__flow_lock(flow);
	made = plait__repeat_search_take(&repeats->search);
	plait__flow_unlock(flow);
	/* Another thread has it. */
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

/* Take the stretch that grows, and make its longer one; null: another thread has it,
 * or there is no memory. */
static plait__stretch *take_growing(plait__flow *flow, plait__stretch **base)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *made = NULL;

	plait__flow_lock(flow);
	*base = repeats->growing;
	if (*base != NULL)
		made = plait__stretch_make_longer(*base, repeats->times);
	repeats->growing = NULL;
	/* Relaxed: a hint. */
	at_store_relaxed_u32(&repeats->is_growing, 0);
	plait__flow_unlock(flow);
	return made;
}

static void build_longer(plait__flow *flow, plait__task_split_prepare prepare)
{
	plait_error error = { .size = sizeof(error) };
	plait__stretch *base, *made = take_growing(flow, &base);

	if (made == NULL)
		return;
	if (plait__stretch_build(made, flow, prepare, &error) != PLAIT_OK) {
		plait__stretch_free(made);
		return;
	}
	plait__flow_lock(flow);
	base->longer = made;
	base->runs = 0;
	base->choice = (plait__repeat_choice){ .left = 0 };
	plait__flow_unlock(flow);
}

void plait__flow_repeats_build(plait__flow *flow,
			       plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	/* Relaxed: a hint; the lock orders the rest. */
	bool grows = at_load_relaxed_u32(&repeats->is_growing) != 0;
	bool is_recorded = plait__repeat_search_has_stretch(&repeats->search);

	/* A planner needs more than the stack of a coroutine, and some time. */
	if (!(grows || is_recorded) || plait__callback_scope_is_active() ||
	    plait__suspension_current() != NULL)
		return;
	if (is_recorded)
		build_recorded(flow, prepare);
	if (grows)
		build_longer(flow, prepare);
}

/* ---- rows ---- */

static uint32_t most_times(const plait__flow *flow, const plait__stretch *base)
{
	return (uint32_t)longest_run(flow) / base->tasks.count;
}

/* Rows are long enough: build a run of several periods. */
static void grow(plait__flow *flow, plait__stretch *base)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint32_t most = most_times(flow, base);
	uint32_t left = plait__repeat_row_left(&base->row, ENDLESS * most);
	uint32_t times = plait__repeat_row_times(left, most);

	if (base->has_grown || base->runs < GROWN_RUNS || times < 2 ||
	    repeats->growing != NULL)
		return;
	base->has_grown = true;
	repeats->growing = base;
	repeats->times = times;
	/* Relaxed: a hint. */
	at_store_relaxed_u32(&repeats->is_growing, 1);
}

/* A run begins: of the stretch, or of several periods if as many are expected. */
static plait__stretch *pick(plait__flow *flow, plait__stretch *base)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	const plait__stretch *longer = base->longer;
	uint32_t endless = ENDLESS * most_times(flow, base), times;

	if (repeats->base != NULL &&
	    (repeats->base != base || flow->is_interrupted ||
	     repeats->row_end != flow->window.newest))
		plait__repeat_row_end(&repeats->base->row);
	repeats->base = base;
	repeats->row_end = flow->window.newest;
	grow(flow, base);
	if (longer == NULL || longer->is_dead)
		return base;
	times = longer->tasks.count / base->tasks.count;
	return plait__repeat_row_left(&base->row, endless) >= times ?
		       base->longer : base;
}

/* Tasks of the held run came, all or fewer. */
static void note_tasks(struct plait__flow_repeats *repeats)
{
	repeats->repeated += repeats->taken;
	repeats->base->row.now += repeats->taken / repeats->base->tasks.count;
	repeats->held = NULL;
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
	for (uint32_t i = 0; i < repeats->count; i++) {
		plait__stretch *at = repeats->stretches[i];

		at->is_dead |= !plait__stretch_is_live(at);
		if (at->longer != NULL)
			at->longer->is_dead |= at->is_dead;
	}
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

	note_tasks(repeats);
	repeats->row_end = 0;
	if (++stretch->breaks < BREAKS)
		return;
	stretch->is_dead = true;
	if (stretch == repeats->base)
		plait__repeat_search_restart(&repeats->search);
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
	if (repeats->taken < repeats->held->tasks.count)
		return number;
	flow->held_is_whole = true;
	plait__held_run_publish(flow);
	repeats->held->breaks = 0;
	repeats->row_end = flow->window.newest;
	note_tasks(repeats);
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
			       plait__stretch *base,
			       plait__task_split_prepare prepare)
{
	const bool may_wait = (desc->flags & PLAIT_TASK_NO_WAIT) == 0;
	plait__flow *flow = task->flow;
	plait__stretch *stretch = pick(flow, base);
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
	if (status == PLAIT_OK) {
		flow->is_interrupted = false;
		flow->repeats->phases.is_hidden = true;
		base->runs++;
	}
	task->number = flow->held_run;
	return status == PLAIT_OK || (status == PLAIT_PENDING && may_wait) ?
		       status : PLAIT_E_STATE;
}

/* A task begins a stretch.  Returns true if it is to be a plain one. */
static bool is_plain_interval(plait__flow *flow, plait__stretch *stretch)
{
	return stretch->runs >= WARM_RUNS &&
	       plait__repeat_phases_begin(flow, flow->phases, &stretch->choice);
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
	plait__repeat_phases_look(flow, &repeats->phases);
	if (repeats->count == 0 || flow->capture != NULL ||
	    plait__plain_task_may_come(flow))
		return PLAIT_E_STATE;
	found = find_stretch(flow, desc);
	if (found == NULL || is_plain_interval(flow, found))
		return PLAIT_E_STATE;
	return begin_with(task, desc, found, prepare);
}
