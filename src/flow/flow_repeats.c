/* SPDX-License-Identifier: MIT */
/* Repeats of a flow; see flow_repeats.h. */
#include "flow/flow_repeats.h"

#include "flow/flow_devices.h"
#include "flow/flow_flags.h"
#include "flow/repeats_state.h"

#include "base/alloc.h"
#include "base/error.h"

/* Stretches of which no repetition can be made, before no more are searched. */
enum { REFUSED = 4 };

/* And those for which the window had no room for copies: later it may. */
enum { PUT_OFF = 60 };

/* ---- life ---- */

plait_status plait__flow_repeats_check(const plait_flow_desc *desc,
				       plait_error *error)
{
	char names[PLAIT__FLOW_FLAGS_TEXT_BYTES];

	if ((desc->flags & PLAIT_FLOW_REPEATS) == 0)
		return PLAIT_OK;
	if (desc->world != NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: a world with "
				   "PLAIT_FLOW_REPEATS, which is for one rank; "
				   "leave the flag out");
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

/* Blocks of repetitions are not evicted: the memories have room for all data. */
static bool may_be_built(const plait__flow *flow)
{
	const struct plait__flow_repeats *repeats = flow->repeats;
	const plait__flow_devices *devices = flow->devices;

	return repeats->count < PLAIT__REPEATS_STRETCHES &&
	       repeats->refused < REFUSED &&
	       (devices == NULL ||
		(!devices->gives_way &&
		 flow->data_bytes <= devices->room.limit));
}

/* A task, or null: a gap. */
static void search(plait__flow *flow, const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	uint64_t most = may_be_built(flow) ?
				plait__repeats_longest_run(flow) : 0;

	if (!plait__repeat_search_add(&repeats->search, desc, most))
		rest(flow);
}

void plait__flow_repeats_note(plait__flow *flow, const plait_task_desc *desc)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	bool applies;

	repeats->phases.tasks++;
	if (!plait__repeat_phases_search(&repeats->phases))
		return;
	applies = flow->capture == NULL && !plait__repeats_are_in_task() &&
		  plait__repeated_task_applies(desc) &&
		  (flow->devices != NULL || (desc->split | desc->pieces) == 0);
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
	       repeats->repeated + (repeats->held != NULL ? flow->held_tasks : 0);
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
	plait_status status;
	bool is_kept;

	plait__flow_lock(flow);
	made = plait__repeat_search_take(&repeats->search);
	plait__flow_unlock(flow);
	/* Another thread has it. */
	if (made == NULL)
		return;
	status = plait__stretch_build(made, flow, prepare, &error);
	plait__flow_lock(flow);
	is_kept = status == PLAIT_OK &&
		  repeats->count < PLAIT__REPEATS_STRETCHES;
	if (is_kept)
		add_stretch(repeats, made);
	else if (status != PLAIT_E_BUSY || ++repeats->put_off > PUT_OFF)
		repeats->refused++;
	plait__flow_unlock(flow);
	if (!is_kept)
		plait__stretch_free(made);
}

/* Make the longer one of the stretch that grows, which the caller has then; null: another
 * thread has it, or there is no memory. */
static plait__stretch *take_growing(plait__flow *flow)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *made = NULL;

	plait__flow_lock(flow);
	/* Relaxed: the lock orders it. */
	if (at_load_relaxed_u32(&repeats->is_growing) != 0) {
		made = plait__stretch_make_longer(repeats->growing,
						  repeats->times);
		at_store_relaxed_u32(&repeats->is_growing, 0);
		if (made == NULL)
			repeats->growing = NULL;
	}
	plait__flow_unlock(flow);
	return made;
}

static void build_longer(plait__flow *flow, plait__task_split_prepare prepare)
{
	plait_error error = { .size = sizeof(error) };
	struct plait__flow_repeats *repeats = flow->repeats;
	plait__stretch *base, *made = take_growing(flow);
	plait_status status;
	bool is_kept;

	if (made == NULL)
		return;
	status = plait__stretch_build(made, flow, prepare, &error);
	plait__flow_lock(flow);
	base = repeats->growing;
	repeats->growing = NULL;
	is_kept = status == PLAIT_OK;
	if (is_kept) {
		base->longer = made;
		base->runs = 0;
		base->choice = (plait__repeat_choice){ .left = 0 };
	} else if (status == PLAIT_E_BUSY && ++repeats->put_off <= PUT_OFF) {
		base->has_grown = false;
	}
	plait__flow_unlock(flow);
	if (!is_kept)
		plait__stretch_free(made);
}

void plait__flow_repeats_build(plait__flow *flow,
			       plait__task_split_prepare prepare)
{
	struct plait__flow_repeats *repeats = flow->repeats;
	/* Relaxed: a hint; the lock orders the rest. */
	bool grows = at_load_relaxed_u32(&repeats->is_growing) != 0;
	bool is_recorded = plait__repeat_search_has_stretch(&repeats->search);

	if (!(grows || is_recorded) || plait__repeats_are_in_task())
		return;
	if (is_recorded)
		build_recorded(flow, prepare);
	if (grows)
		build_longer(flow, prepare);
}
