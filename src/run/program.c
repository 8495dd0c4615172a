/* SPDX-License-Identifier: MIT */
/* Construction and destruction of prepared plans; see program.h. */
#include "run/program.h"

#include "run/command_text.h"
#include "run/args/frame_layout.h"
#include "run/instance_pool.h"
#include "run/kernel_versions.h"
#include "run/record/recorder.h"
#include "run/rehearse.h"
#include "run/run.h"
#include "run/skipped_calls.h"

#include "base/error.h"
#include "graph/plan/local_memory.h"
#include "graph/plan/unbound_state.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "pool/counter.h"
#include "pool/cacheline.h"

/* ---- construction and destruction ---- */

static uint64_t instances_bytes(const plait__program *program)
{
	return program->instance_count * sizeof(plait__instance);
}

/* No run is in flight; members may be missing after a failure of `make`. */
static void destroy(plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);

	for (uint32_t i = 0; program->instances != NULL &&
	     i < program->instance_count; i++) {
		plait__instance *instance = &program->instances[i];

		if (instance->program == NULL)
			continue;
		program->engine->unmake(instance);
		plait__frame_free(&instance->frame);
		plait__section_pool_free(&instance->sections);
		plait__skipped_calls_free(instance);
	}
	plait__recorder_free(plait__program_recorder(program));
	plait__kernel_versions_free(program);
	program->engine->discard(program);
	plait__rehearse_free(program, program->rehearsal);
	plait__run_free_all(program);
	plait__run_conflicts_free(program);
	plait__run_races_free(program);
	plait__counter_unreserve_callbacks(program->context->pool,
					   program->callbacks);
	plait__frame_layout_free(&program->layout);
	plait__cacheline_free(allocator, program->instances,
			      instances_bytes(program));
	plait__cacheline_free(allocator, program, sizeof(*program));
}

static void end_program(void *program)
{
	destroy(program);
}

/* Check that every launch has code for its device.  The plan is sealed. */
static plait_status check_kernels(const plait__plan_object *plan_object,
				  plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];
		const char *lacks;

		if (at->kind != PLAIT__CMD_LAUNCH || at->link == PLAIT__NONE)
			continue;
		lacks = plait__kernel_lacks(
			(const plait__kernel *)plan_object->kernels[
				plan->payloads[at->link].kernel],
			plan_object->devices[plan->lanes[at->lane].device]);
		if (lacks != NULL)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "%s: its kernel %s",
					   plait__command_text(plan, i, room),
					   lacks);
	}
	return PLAIT_OK;
}

/* Check that all objects of the plan are bound and its kernels can run. */
static plait_status check_whole(plait__plan_object *plan_object,
				plait_error *error)
{
	plait_status status = plait__unbound_state_seal(plan_object, error);

	if (status == PLAIT_OK)
		status = check_kernels(plan_object, error);
	if (status == PLAIT_OK)
		status = plait__local_memory_check(plan_object, error);
	return status;
}

static plait_status make_instance(plait__program *program, uint32_t index,
				  plait_error *error)
{
	plait__instance *instance = &program->instances[index];
	plait_status status;

	instance->program = program;
	instance->index = index;
	status = plait__frame_make(&instance->frame, &program->layout, error);
	if (status == PLAIT_OK)
		status = plait__skipped_calls_make(instance, error);
	if (status == PLAIT_OK)
		status = program->engine->make(instance, error);
	return status;
}

/* Make the instances, none of which has a run, and put them on the free list,
 * number 0 last. */
static plait_status make_instances(plait__program *program,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;

	program->instances = plait__cacheline_alloc(
		plait__program_allocator(program), instances_bytes(program));
	if (program->instances == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u instances of a plan",
				   program->instance_count);
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->instance_count; i++)
		status = make_instance(program, i, error);
	if (program->conflicts.kind != PLAIT__CONFLICTS_NEVER)
		at_init_u32(&program->first_free, PLAIT__PROGRAM_TURN);
	for (uint32_t i = program->instance_count;
	     status == PLAIT_OK && i-- > 0;)
		plait__instance_release(&program->instances[i]);
	return status;
}

static plait_status reserve_callbacks(plait__program *program, uint32_t count,
				      plait_error *error)
{
	plait_status status = plait__counter_reserve_callbacks(
		program->context->pool, count, error);

	if (status == PLAIT_OK)
		program->callbacks += count;
	return status;
}

static plait_status make_sections(plait__program *program,
				  const plait__device *device,
				  plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->instance_count; i++)
		status = plait__section_pool_add(
			&program->instances[i].sections, device, error);
	return status;
}

/* Reserve the memory of runs, so that starting a run allocates nothing. */
static plait_status reserve_run_resources(plait__program *program,
					  plait_error *error)
{
	const plait__plan_object *plan_object = program->plan_object;
	plait_status status = plait__run_reserve_all(program, error);

	if (status == PLAIT_OK)
		status = reserve_callbacks(program, program->instance_count,
					   error);
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->plan->devices_count; i++)
		if (plan_object->devices[i] != NULL)
			return make_sections(program, plan_object->devices[i],
					     error);
	return status;
}

/* Caller holds `preparing`. Conflicts need the rehearsal; instances need the
 * conflicts and the engine's program. */
static plait_status make(plait__plan_object *plan_object,
			 const plait__engine *engine, plait__program **out,
			 plait_error *error)
{
	plait__context *context = plan_object->object.context;
	plait__program *program = plait__cacheline_alloc(
		plait__context_allocator(context), sizeof(*program));
	plait_status status;

	if (program == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	program->plan_object = plan_object;
	program->plan = plan_object->plan;
	program->context = context;
	program->engine = engine;
	program->instance_count = plan_object->instances != 0 ?
				  plan_object->instances : 2;
	program->asymmetric_fence = at_membarrier_available();
	program->on_turn = plait__instance_start_deferred;
	program->counts_runs =
		!engine->needs_others && context->driver.counts_pool_runs;
	status = plait__frame_layout_make(&program->layout, plan_object,
					  program->engine->maps, error);
	if (status == PLAIT_OK)
		status = plait__rehearse_make(program, &program->rehearsal,
					      error);
	if (status == PLAIT_OK)
		status = plait__run_conflicts_find(program, error);
	program->plain_calls =
		!program->counts_runs &&
		program->conflicts.kind == PLAIT__CONFLICTS_NEVER;
	if (status == PLAIT_OK)
		status = program->engine->prepare(program, error);
	if (status == PLAIT_OK)
		status = make_instances(program, error);
	if (status == PLAIT_OK)
		status = reserve_run_resources(program, error);
	if (status != PLAIT_OK) {
		destroy(program);
		return status;
	}
	plait__log_line(&context->settings.log, PLAIT_LOG_DEBUG,
			"plan: ready on %s, %u lanes, %u instances%s",
			engine->name, program->plan->lanes_count,
			program->instance_count,
			program->rehearsal != NULL ? ", a rehearsal" : "");
	*out = program;
	return PLAIT_OK;
}

plait_status plait__program_make(plait__plan_object *plan_object,
				 plait__engine_choice *choose,
				 plait__program **out, plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&plan_object->preparing);
	*out = at_load_acquire_ptr(&plan_object->program);
	if (*out == NULL) {
		status = plan_object->rehearses ? PLAIT_OK :
			 check_whole(plan_object, error);
		if (status == PLAIT_OK)
			status = make(plan_object, choose(plan_object), out,
				      error);
		plan_object->end_program = end_program;
		/* Release: pairs with the load in plait__prepare_program. */
		if (status == PLAIT_OK)
			at_store_release_ptr(&plan_object->program, *out);
	}
	plait__mutex_unlock(&plan_object->preparing);
	return status;
}

/* ---- recording ---- */

/* Have the engine make each instance recordable.  Caller holds `preparing`. */
static plait_status publish_recorder(plait__program *program,
				     plait__recorder *recorder,
				     plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->instance_count; i++)
		status = program->engine->make_record(&program->instances[i],
						      error);
	/* Release: pairs with the load in plait__program_recorder. */
	if (status == PLAIT_OK)
		at_store_release_ptr(&program->recorder, recorder);
	return status;
}

plait_status plait__program_make_recorder(plait__program *program,
					  uint32_t capacity,
					  plait_error *error)
{
	plait__recorder *recorder;
	plait_status status = plait__recorder_make(
		&recorder, program->plan, plait__program_allocator(program),
		program->instance_count, capacity, error);

	if (status == PLAIT_OK)
		status = publish_recorder(program, recorder, error);
	if (status != PLAIT_OK)
		plait__recorder_free(recorder);
	return status;
}

/* ---- regions ---- */

const plait__store_function *
plait__program_predicate(const plait__program *program, uint32_t region)
{
	const plait__plan *plan = program->plan;
	uint32_t payload = program->rehearsal != NULL ? PLAIT__NONE :
			   plan->regions[region].predicate;
	uint32_t object = payload < plan->payloads_count ?
			  plan->payloads[payload].object : PLAIT__NONE;

	return object < plan->functions_count ?
	       &program->plan_object->functions[object] : NULL;
}
