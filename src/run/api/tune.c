/* SPDX-License-Identifier: MIT */
/*
 * Replanning with measured costs: a new plan from the times of the old plan's
 * commands in recorded runs.  The old plan is only read.
 */
#include "run/record/recorder.h"

#include "run/program.h"

#include "graph/plan/temporary_places.h"
#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "graph/plan/unbound_state.h"
#include "plan/check/check.h"
#include "plan/schedule/planner.h"
#include "plan/simulate/simulate.h"
#include "plan/schedule/plan_to_input.h"

#include <string.h>

enum {
	/* As in freezing: most over mean cost of a node that means "uneven". */
	UNEVEN = 8,
	/* Least samples for a verdict on whether times change. */
	ENOUGH = 3,
	/* Resolution of the clock, in doubt. */
	UNSURE_NS = 100
};

struct tuning {
	plait__plan_object *plan_object;
	plait__program *program;
	const plait_allocator *allocator;
	plait_tune_desc desc;
	plait_tune_info info;
	uint64_t *costs;	/* ns, by command of the old plan */
	uint64_t *node_costs;	/* ns, by node */
	uint64_t hop_ns;
	double steady_ns;	/* medians of all commands */
	double changing_ns;	/* how far some runs exceed them */
	plait_error *error;
};

/* ---- measurement ---- */

static const double as_they_are[PLAIT__COST_SAMPLES] = { 1, 1, 1, 1, 1, 1, 1 };

/* Sort ascending; returns the number of samples. */
static uint32_t sort_sample(const plait__cost_sample *sample,
			    const double scale[], double sorted[])
{
	uint32_t count = 0;

	for (; count < PLAIT__COST_SAMPLES && count < sample->count; count++) {
		double ns = (double)sample->ns[count] * scale[count];
		uint32_t at = count;

		for (; at > 0 && sorted[at - 1] > ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ns;
	}
	return count;
}

/* The lower median. */
static uint64_t median(const plait__cost_sample *sample)
{
	double sorted[PLAIT__COST_SAMPLES];
	uint32_t count = sort_sample(sample, as_they_are, sorted);

	return count > 0 ? (uint64_t)sorted[(count - 1) / 2] : 0;
}

/* Scale factors that normalize runs in which everything took longer, such as
 * those with more data.  Only of commands that every run has, since only their
 * k-th sample is of a known run.  Caller holds recorder->lock. */
static void find_scale(const plait__recorder *recorder, uint32_t count,
		       double scale[])
{
	double all[PLAIT__COST_SAMPLES] = { 0 }, most = 0;

	for (uint32_t i = 0; i < count; i++) {
		const plait__cost_sample *sample = &recorder->samples[i];

		for (uint32_t k = 0; sample->count == recorder->runs &&
		     k < PLAIT__COST_SAMPLES && k < sample->count; k++)
			all[k] += (double)sample->ns[k];
	}
	for (uint32_t k = 0; k < PLAIT__COST_SAMPLES; k++)
		most = all[k] > most ? all[k] : most;
	for (uint32_t k = 0; k < PLAIT__COST_SAMPLES; k++)
		scale[k] = all[k] > 0 ? most / all[k] : 1;
}

/* The longest time does not count: any command may be disturbed once.  Caller
 * holds recorder->lock. */
static void note_change(struct tuning *tuning, const plait__recorder *recorder,
			const plait__cost_sample *sample,
			const double scale[])
{
	double sorted[PLAIT__COST_SAMPLES];
	uint32_t count = sort_sample(sample, sample->count == recorder->runs ?
				     scale : as_they_are, sorted);
	double middle;

	if (count < ENOUGH)
		return;
	middle = sorted[(count - 1) / 2];
	tuning->steady_ns += middle;
	if (sorted[count - 2] > middle + UNSURE_NS)
		tuning->changing_ns += sorted[count - 2] - middle;
}

static void copy_medians(struct tuning *tuning, plait__recorder *recorder)
{
	uint32_t count = tuning->program->plan->command_count;
	double scale[PLAIT__COST_SAMPLES];

	plait__mutex_lock(&recorder->lock);
	find_scale(recorder, count, scale);
	for (uint32_t i = 0; i < count; i++) {
		const plait__cost_sample *sample = &recorder->samples[i];

		tuning->costs[i] = sample->count > 0 ? median(sample) :
				   UINT64_MAX;
		tuning->info.measured += sample->count > 0;
		note_change(tuning, recorder, sample, scale);
	}
	tuning->info.runs = recorder->runs;
	plait__mutex_unlock(&recorder->lock);
}

/* ns per unit of cost, averaged over the measured commands. */
static double find_unit(const struct tuning *tuning)
{
	const plait__plan *plan = tuning->program->plan;
	double ns = 0, cost = 0;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		if (tuning->costs[i] == UINT64_MAX)
			continue;
		ns += (double)tuning->costs[i];
		cost += (double)plait__plan_own_cost(plan, i);
	}
	return ns > 0 && cost > 0 ? ns / cost : 1;
}

static uint64_t scale(uint64_t cost, double unit)
{
	double ns = (double)cost * unit;

	return ns < 1e15 ? (uint64_t)ns : UINT64_C(1000000000000000);
}

/* The cost of a node is that of its longest command. */
static void fill_costs(struct tuning *tuning)
{
	const plait__plan *plan = tuning->program->plan;
	double unit = find_unit(tuning);

	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint64_t *node = &tuning->node_costs[plan->commands[i].node];

		if (tuning->costs[i] == UINT64_MAX)
			tuning->costs[i] = scale(
				plait__plan_own_cost(plan, i), unit);
		if (tuning->costs[i] > *node)
			*node = tuning->costs[i];
	}
	tuning->hop_ns = tuning->desc.hop_ns != 0 ? tuning->desc.hop_ns :
			 scale(plan->hop_cost, unit);
}

/* Fill the costs of commands and nodes from the recorder's samples.
 * PLAIT_E_STATE: no run was recorded yet. */
static plait_status measure(struct tuning *tuning)
{
	plait__recorder *recorder = plait__program_recorder(tuning->program);
	const plait__plan *plan = tuning->program->plan;

	tuning->costs = plait__alloc_array(tuning->allocator,
					   plan->command_count + 1ull,
					   sizeof(uint64_t));
	tuning->node_costs = plait__alloc_array(tuning->allocator,
						plan->node_count + 1ull,
						sizeof(uint64_t));
	if (tuning->costs == NULL || tuning->node_costs == NULL)
		return plait__fail(tuning->error, PLAIT_E_NOMEM,
				   "no memory for the costs of %u commands",
				   plan->command_count);
	copy_medians(tuning, recorder);
	if (tuning->info.measured == 0 && plan->command_count > 0)
		return plait__fail(tuning->error, PLAIT_E_STATE,
				   "no run of the plan was recorded yet");
	fill_costs(tuning);
	return PLAIT_OK;
}

/* ---- planning ---- */

static uint32_t choose_mode(const struct tuning *tuning)
{
	const plait__plan *plan = tuning->program->plan;
	double sum = 0, most = 0;

	if (tuning->desc.mode != PLAIT_MODE_AUTO)
		return tuning->desc.mode;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		double cost = (double)tuning->node_costs[i];

		sum += cost;
		most = cost > most ? cost : most;
	}
	/* No fixed order suits times that change from run to run. */
	return most * plan->node_count > sum * UNEVEN ||
	       tuning->changing_ns > tuning->steady_ns / 2 ?
	       PLAIT_MODE_HELPED : PLAIT_MODE_STRICT;
}

/* Simulate a plan with measured costs: the old plan's are given, the new plan
 * has them. */
static plait_status predict(const struct tuning *tuning,
			    const plait__plan *plan, const uint64_t *costs,
			    uint64_t *out)
{
	const plait__simulate_system system = { .hop_cost = tuning->hop_ns,
						.costs = costs };
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(plan, &system,
						   tuning->allocator,
						   &timeline, tuning->error);

	if (status != PLAIT_OK)
		return status;
	*out = timeline->makespan;
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

/* Plan with the measured costs, check the plan, and predict the times of both.
 * After a failure *out is released. */
static plait_status build(struct tuning *tuning,
			  const plait__plan_to_input *rebuilt,
			  plait__plan **out)
{
	const plait__plan *old = tuning->program->plan;
	const plait__input_options options = {
		.policy = old->policy, .mode = choose_mode(tuning),
		.lanes = tuning->desc.lanes, .hop_cost = tuning->hop_ns,
		.costs = tuning->node_costs,
	};
	plait_status status = plait__planner_run(&rebuilt->input, &options,
						 tuning->allocator, NULL, out,
						 tuning->error);

	if (status != PLAIT_OK)
		return status;
	/* The new plan is checked, as the old one was. */
	status = plait__check_plan(*out, &rebuilt->input, 0, tuning->allocator,
				   NULL, tuning->error);
	if (status == PLAIT_OK)
		status = predict(tuning, old, tuning->costs,
				 &tuning->info.before_ns);
	if (status == PLAIT_OK)
		status = predict(tuning, *out, NULL, &tuning->info.after_ns);
	if (status != PLAIT_OK)
		plait__plan_release(*out);
	return status;
}

/* A lane limit applies to every device. */
static plait_status plan_anew(struct tuning *tuning, plait__plan **out)
{
	plait__plan_to_input rebuilt;
	plait_status status = plait__plan_to_input_init(&rebuilt,
							tuning->program->plan,
							tuning->allocator,
							tuning->error);

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < rebuilt.input.device_count; i++) {
		rebuilt.devices[i].alignment_bytes =
			plait__temporary_places_alignment(
				tuning->program->plan_object->devices[i]);
		if (tuning->desc.lanes > 0)
			rebuilt.devices[i].lane_limit = tuning->desc.lanes;
	}
	if (status == PLAIT_OK)
		status = build(tuning, &rebuilt, out);
	plait__plan_to_input_fini(&rebuilt);
	return status;
}

/* ---- plan object ---- */

/* `to` has room, and holds nothing yet. */
static void hold_all(plait__object **to, plait__object *const *from,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		to[i] = from[i];
		if (to[i] != NULL)
			plait__object_hold(to[i]);
	}
}

/* The new plan has the old plan's tables, so it binds the same objects; kernels
 * are the current version's. */
static void bind_same(const struct tuning *tuning,
		      plait__plan_object *plan_object)
{
	const plait__plan_object *old = tuning->plan_object;
	const plait__plan *plan = old->plan;
	plait__kernel_version *version;

	plait__mutex_lock(&tuning->program->exchanging);
	version = at_load_acquire_ptr(&tuning->program->version);
	hold_all(plan_object->kernels, version != NULL ? version->kernels :
		 old->kernels, plan->kernels_count);
	plait__mutex_unlock(&tuning->program->exchanging);
	hold_all(plan_object->buffers, old->buffers, plan->slots_count);
	hold_all(plan_object->signals, old->signals, plan->signals_count);
	for (uint32_t i = 0; i < plan->functions_count; i++) {
		plan_object->functions[i] = old->functions[i];
		if (plan_object->functions[i].inbox != NULL)
			plait__object_hold(plan_object->functions[i].inbox);
	}
	for (uint32_t i = 0; i < plan->devices_count; i++)
		plan_object->devices[i] = old->devices[i];
	plait__plan_object_each_emitted(plan_object, plait__submit_add_source);
	plan_object->on_queues = old->on_queues;
	plan_object->instances = old->instances;
	plan_object->graph = old->graph;
	plan_object->rehearses = old->rehearses;
	/* The new plan's costs are times. */
	plan_object->rehearsal_unit_ns = old->rehearsal_unit_ns > 0;
}

/* Make the plan object, which takes over `plan`, also after a failure. */
static plait_status wrap(const struct tuning *tuning, plait__plan *plan,
			 plait_plan **out)
{
	plait__plan_object *plan_object;
	plait_status status = plait__plan_object_create(
		tuning->plan_object->object.context, plan, &plan_object,
		tuning->error);

	if (status != PLAIT_OK)
		return status;
	bind_same(tuning, plan_object);
	if (!plait__unbound_is_none(plan_object))
		status = plait__unbound_state_open(plan_object, tuning->error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&plan_object->object);
	else
		plait__object_release(plait__object_handle(&plan_object->object),
				      PLAIT_OBJECT_PLAN);
	return status;
}

static plait_status tune(struct tuning *tuning, plait_plan **out)
{
	plait__plan *plan = NULL;
	plait_status status = measure(tuning);

	if (status == PLAIT_OK)
		status = plan_anew(tuning, &plan);
	if (status == PLAIT_OK)
		status = wrap(tuning, plan, out);
	plait__free(tuning->allocator, tuning->costs,
		    (tuning->program->plan->command_count + 1ull) *
		    sizeof(uint64_t));
	plait__free(tuning->allocator, tuning->node_costs,
		    (tuning->program->plan->node_count + 1ull) *
		    sizeof(uint64_t));
	return status;
}

/* ---- the call ---- */

/* Read the description; `given` null: the mode of the plan. */
static plait_status read_desc(struct tuning *tuning,
			      const plait_tune_desc *given)
{
	plait_tune_desc *desc = &tuning->desc;
	plait_status status;

	if (given == NULL) {
		desc->mode = tuning->plan_object->plan->mode;
		return PLAIT_OK;
	}
	status =
		PLAIT__STRUCT_READ(plait_tune_desc, desc, given, tuning->error);
	if (status == PLAIT_OK && desc->flags != 0)
		status = plait__fail(tuning->error, PLAIT_E_UNSUPPORTED,
				     "plait_tune_desc: flags 0x%x are not "
				     "known", desc->flags);
	if (status == PLAIT_OK && desc->mode > PLAIT_MODE_AUTO)
		status = plait__fail(tuning->error, PLAIT_E_INVALID,
				     "plait_tune_desc: mode %u", desc->mode);
	return status;
}

static plait_status tune_entered(struct tuning *tuning, plait_plan **out)
{
	/* Acquire: pairs with the store in program.c. */
	tuning->program = at_load_acquire_ptr(&tuning->plan_object->program);
	if (tuning->program == NULL ||
	    plait__program_recorder(tuning->program) == NULL)
		return plait__fail(tuning->error, PLAIT_E_STATE,
				   "no run of the plan was recorded; see "
				   "plait_plan_record");
	return tune(tuning, out);
}

PLAIT_API plait_status plait_plan_tune(plait_plan *plan,
				       const plait_tune_desc *desc,
				       plait_plan **out, plait_tune_info *info,
				       plait_error *error)
{
	struct tuning tuning = { .error = error };
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__plan_object_enter(plan, &tuning.plan_object, error);
	if (status != PLAIT_OK)
		return status;
	tuning.allocator = plait__context_allocator(
		tuning.plan_object->object.context);
	status = read_desc(&tuning, desc);
	if (status == PLAIT_OK)
		status = tune_entered(&tuning, out);
	if (status == PLAIT_OK && info != NULL)
		status = PLAIT__STRUCT_WRITE(plait_tune_info, info,
					     &tuning.info, error);
	if (status != PLAIT_OK && *out != NULL) {
		plait__object_release(*out, PLAIT_OBJECT_PLAN);
		*out = NULL;
	}
	plait__object_leave(&tuning.plan_object->object);
	return status;
}
