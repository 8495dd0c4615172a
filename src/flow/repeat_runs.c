/* SPDX-License-Identifier: MIT */
/* Tasks of a flow as runs of its stretches; see repeat_runs.h. */
#include "flow/repeat_runs.h"

#include "flow/commit.h"
#include "flow/flow_devices.h"
#include "flow/flow_late.h"
#include "flow/held_run.h"
#include "flow/plain_task.h"
#include "flow/repeats_state.h"
#include "flow/repetition_place.h"
#include "flow/repetition_prefix.h"
#include "flow/task_access.h"

#include "object/wait/suspension.h"

enum {
	/* Runs in a row that were not whole: the stretch is given up. */
	BREAKS = 4,
	/* Runs of a stretch before it grows. */
	GROWN_RUNS = 8,
	/* Runs before it is judged: the first ones find out how many threads they are
	 * for (run_times.h). */
	WARM_RUNS = 40,
	/* As many times the longest run: a row of periods that goes on. */
	ENDLESS = 4
};

/* ---- rows ---- */

static uint32_t most_times(const plait__flow *flow, const plait__stretch *base)
{
	return (uint32_t)plait__repeats_longest_run(flow) / base->tasks.count;
}

/* A row begins, or goes on for long, and rows are long enough: build a run of several
 * periods. */
static void grow(plait__flow *flow, plait__stretch *base)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint32_t most = most_times(flow, base);
	uint32_t left = plait__repeat_row_left(&base->row, ENDLESS * most);
	uint32_t times = plait__repeat_row_times(left, most);

	if (base->has_grown || base->runs < GROWN_RUNS || times < 2 ||
	    repeats->growing != NULL ||
	    (base->row.now != 0 && left != PLAIT__REPEAT_ROW_ENDLESS) ||
	    !plait__repeat_row_is_steady(&base->row, ENDLESS * most))
		return;
	base->has_grown = true;
	repeats->growing = base;
	repeats->times = times;
	/* Relaxed: a hint. */
	at_store_relaxed_u32(&repeats->is_growing, 1);
}

static bool is_over(const plait__stretch *stretch)
{
	return plait__repetition_prefix_is_over(stretch->again);
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
	if (longer == NULL || longer->is_dead || is_over(longer))
		return base;
	times = longer->tasks.count / base->tasks.count;
	return plait__repeat_row_left(&base->row, endless) >= times ?
		       base->longer : base;
}

/* Tasks of the held run came, all or fewer. */
static void note_tasks(const plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	repeats->repeated += flow->held_tasks;
	repeats->base->row.now += flow->held_tasks / repeats->base->tasks.count;
	repeats->held = NULL;
	/* Relaxed: a hint. */
	at_store_relaxed_u32(&repeats->is_held, 0);
}

/* ---- held runs ---- */

/* Nothing that a run does not know may hold tasks of it back, or poison them. */
static bool may_hold(plait__flow *flow)
{
	return plait__outcomes_are_clean(&flow->lanes.outcomes) &&
	       flow->mappings == NULL &&
	       flow->newest_outside <= plait__flow_settled(flow) &&
	       !plait__repeats_are_in_task();
}

/* Append the accesses of the run, which looks at fewer fronts if many came alone. */
static plait_status add_accesses(plait__flow_task *run)
{
	const plait__vector *accesses = &run->again->accesses;
	plait_status status = PLAIT_OK;

	plait__repetitions_count_run(run->flow, run->again);
	for (uint32_t i = 0; status == PLAIT_OK && i < accesses->count; i++) {
		const plait__flow_access *at = plait__vector_at(accesses, i);

		status = plait__task_access_append(run, at->whole, &at->box,
						   at->mode, NULL);
		if (status == PLAIT_OK)
			run->flow->accesses[i].map = at->map;
	}
	return status;
}

/* The same, behind the copies that the run lacks. */
static plait_status place_run(plait__flow_task *run)
{
	plait_status status = PLAIT_OK;

	run->flow->submitter = run;
	status = plait__repetition_place_fetch(run, NULL);
	if (status == PLAIT_OK)
		status = add_accesses(run);
	return status == PLAIT_OK ? plait__repetition_place_task(run, NULL) :
				    status;
}

/* The words of the first task of the stretch come next. */
static void begin_row(struct plait__flow_repeats *repeats,
		      const plait__stretch *stretch)
{
	repeats->next = stretch->compared->items;
	repeats->left = repeats->base->tasks.count;
}

/* Go on behind the words of some tasks, or of one that is compared with its copy. */
static void pass(struct plait__flow_repeats *repeats, const uint64_t *behind,
		 uint64_t count)
{
	repeats->next = behind;
	repeats->left -= (uint32_t)count;
	if (repeats->left == 0)
		begin_row(repeats, repeats->held);
}

/* Number the run, with what comes before it.  As plait__commit_task. */
static plait_status begin_run(plait__flow *flow, plait__stretch *stretch,
			      plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__flow_task run;
	plait_status status;

	plait__flow_task_clear(&run, flow);
	run.again = stretch->again;
	run.is_held = true;
	status = prepare(&run, &stretch->again->desc, NULL);
	if (status == PLAIT_OK)
		status = flow->devices != NULL ? place_run(&run) :
						 add_accesses(&run);
	if (status == PLAIT_OK)
		status = plait__commit_task(&run, NULL);
	if (status == PLAIT_OK && flow->devices != NULL)
		plait__repetition_place_commit(&run);
	if (status != PLAIT_OK) {
		if (run.late != NULL)
			plait__late_return(&run);
		return status;
	}
	plait__held_run_begin(flow, run.number, run.late);
	repeats->held = stretch;
	repeats->room = 1;
	begin_row(repeats, stretch);
	pass(repeats, plait__repeated_words_behind(repeats->next), 1);
	repeats->owner = plait__suspension_owner();
	/* Relaxed: a hint. */
	at_store_relaxed_u32(&repeats->is_held, 1);
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
static void note_break(const plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *stretch = repeats->held;

	note_tasks(flow);
	repeats->row_end = 0;
	if (++stretch->breaks < BREAKS)
		return;
	stretch->is_dead = true;
	if (stretch == repeats->base)
		plait__repeat_search_restart(&repeats->search);
}

/* The caller has the held run, if there is one. */
static bool may_add_parts(plait__flow *flow)
{
	const struct plait__flow_repeats *repeats = flow->repeats;

	look_at_data(flow);
	return flow->held_run != 0 && !repeats->held->is_dead &&
	       repeats->owner == plait__suspension_owner();
}

/* Find room for the rest of the held run, or at least for a part.  No op has failed of
 * those found done for that: a part has no room for the failure of an older op. */
static bool find_room(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	const uint32_t all = repeats->held->tasks.count;
	uint32_t room = flow->held_tasks;

	if (plait__window_has_room(&flow->window, all, 0))
		room = all;
	else if (plait__window_has_room(&flow->window, room + 1, 0))
		room++;
	if (room > flow->held_tasks &&
	    plait__outcomes_are_clean(&flow->lanes.outcomes))
		repeats->room = room;
	return repeats->room > flow->held_tasks;
}

/* Returns how many of the tasks the held run has next. */
static uint64_t match(plait__flow *flow, const plait_task_desc *descs,
		      uint64_t count)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	const uint64_t *at = repeats->next;
	uint64_t done;

	if (plait__repeated_words_are_other(at)) {
		done = is_next(repeats->held, flow->held_tasks, descs);
		at = plait__repeated_words_behind(at);
	} else {
		done = plait__repeated_words_match(
			&at, descs, count < repeats->left ? count : repeats->left);
	}
	if (done > 0)
		pass(repeats, at, done);
	return done;
}

/* All tasks of the held run came. */
static void end_whole(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	flow->held_is_whole = true;
	plait__held_run_publish(flow);
	repeats->held->breaks = 0;
	repeats->row_end = flow->window.newest;
	note_tasks(flow);
}

/* Add the first ones of the tasks to the held run, as far as it has them next and there
 * is room.  Returns how many. */
static uint64_t add_parts(plait__flow *flow, const plait_task_desc *descs,
			  uint64_t count)
{
	const struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t room, done;

	if (flow->held_tasks == repeats->room && !find_room(flow))
		return 0;
	room = repeats->room - flow->held_tasks;
	done = match(flow, descs, count < room ? count : room);
	plait__held_run_add_parts(flow, (uint32_t)done);
	if (flow->held_tasks == repeats->held->tasks.count)
		end_whole(flow);
	return done;
}

uint64_t plait__repeat_runs_extend(plait__flow *flow,
				    const plait_task_desc *descs, uint64_t count,
				    plait_task *out)
{
	uint64_t first, done = 0, now;

	if (flow->held_run == 0 || !may_add_parts(flow))
		return 0;
	first = plait__held_run_next_part(flow);
	do {
		now = add_parts(flow, descs + done, count - done);
		done += now;
	} while (now > 0 && done < count && flow->held_run != 0);
	/* A task that is no part gets its number later. */
	if (done > 0)
		*out = first;
	return done;
}

uint64_t plait__repeat_runs_extend_alone(plait__flow *flow,
					  const plait_task_desc *descs,
					  uint64_t count, plait_task *out)
{
	uint64_t done;
	bool ends;

	/* Relaxed: a hint. */
	if (at_load_relaxed_u32(&flow->repeats->is_held) == 0 ||
	    descs == NULL || descs->size != sizeof(*descs))
		return 0;
	plait__flow_lock(flow);
	done = plait__repeat_runs_extend(flow, descs, count, out);
	ends = flow->held_run == 0;
	plait__flow_unlock(flow);
	if (done > 0 && ends)
		plait__flow_devices_offer(flow);
	return done;
}

/* The stretch that the task begins, or null. */
static plait__stretch *find_stretch(plait__flow *flow,
				    const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;

	for (uint32_t i = repeats->count; i > 0; i--) {
		plait__stretch *at = repeats->stretches[i - 1];

		if (!is_next(at, 0, desc))
			continue;
		at->is_dead = is_over(at);
		return !at->is_dead && may_hold(flow) ? at : NULL;
	}
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

	/* The submission builds the longer one next, which would cut the run short. */
	if (flow->repeats->growing == base)
		return PLAIT_E_STATE;
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

plait_status plait__repeat_runs_take(plait__flow_task *task,
				      const plait_task_desc *desc,
				      plait__task_split_prepare prepare,
				      bool is_begun)
{
	plait__flow *flow = task->flow;
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *found;

	if (!is_begun &&
	    plait__repeat_runs_extend(flow, desc, 1, &task->number) != 0)
		return PLAIT_OK;
	look_at_data(flow);
	plait__held_run_publish(flow);
	if (repeats->held != NULL)
		note_break(flow);
	plait__repeat_phases_look(flow, &repeats->phases);
	if (repeats->count == 0 || flow->capture != NULL || is_begun ||
	    plait__plain_task_may_come(flow))
		return PLAIT_E_STATE;
	found = find_stretch(flow, desc);
	if (found == NULL || is_plain_interval(flow, found))
		return PLAIT_E_STATE;
	return begin_with(task, desc, found, prepare);
}
