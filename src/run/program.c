/* SPDX-License-Identifier: MIT */
/* How programs are made and end; see program.h. */
#include "run/program.h"

#include "run/record/recorder.h"
#include "run/rehearse.h"
#include "run/run.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/plan/unbound_state.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "pool/counter.h"
#include "pool/cacheline.h"

#include <stdio.h>

/* ---- making and ending ---- */

static uint64_t instances_bytes(const plait__program *program)
{
	return program->instance_count * sizeof(plait__instance);
}

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
		plait__section_pool_free(&instance->passages);
	}
	plait__recorder_free(plait__program_recorder(program));
	plait__kernel_versions_free(program);
	program->engine->discard(program);
	plait__rehearse_free(program, program->rehearsal);
	plait__run_free_all(program);
	plait__counter_unreserve_callbacks(program->context->pool, program->notes);
	plait__frame_layout_free(&program->layout);
	plait__cacheline_free(allocator, program->instances,
			      instances_bytes(program));
	plait__cacheline_free(allocator, program, sizeof(*program));
}

static void end_program(void *program)
{
	destroy(program);
}

/* Lanes of the host as functions that call one another, unless queues are
 * asked for; all else on queues. */
static const plait__engine *choose_engine(const plait__plan_object *frozen)
{
	const plait__plan *plan = frozen->plan;

	/* Without what it names there is nothing to be submitted. */
	if (frozen->rehearses)
		return &plait__host_engine;
	if (frozen->on_queues)
		return &plait__queue_engine;
	for (uint32_t i = 0; i < plan->devices_count; i++) {
		const plait__device *device = frozen->devices[i];

		/* Nothing is there: a plan that is sealed has the others. */
		if (device != NULL && !plait__device_is_host(device))
			return &plait__queue_engine;
	}
	return &plait__host_engine;
}

/* Every launch has code for where it runs. */
static plait_status check_kernels(const plait__plan_object *frozen,
				  plait_error *error)
{
	const plait__plan *plan = frozen->plan;
	char room[PLAIT__NODE_ROOM];

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];
		const char *lacks;

		if (at->kind != PLAIT__CMD_LAUNCH || at->link == PLAIT__NONE)
			continue;
		lacks = plait__kernel_lacks(
			(const plait__kernel *)frozen->kernels[
				plan->payloads[at->link].kernel],
			frozen->devices[plan->lanes[at->lane].device]);
		if (lacks != NULL)
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "%s: its kernel %s",
					   plait__program_node(plan, i, room),
					   lacks);
	}
	return PLAIT_OK;
}

/* All that is called is there, and can be called. */
static plait_status check_whole(plait__plan_object *frozen, plait_error *error)
{
	plait_status status = plait__unbound_state_seal(frozen, error);

	if (status == PLAIT_OK)
		status = check_kernels(frozen, error);
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
		status = program->engine->make(instance, error);
	return status;
}

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
	for (uint32_t i = program->instance_count;
	     status == PLAIT_OK && i-- > 0;)
		plait__instance_release(&program->instances[i]);
	return status;
}

static plait_status reserve_notes(plait__program *program, uint32_t count,
				  plait_error *error)
{
	plait_status status = plait__counter_reserve_callbacks(program->context->pool,
							       count, error);

	if (status == PLAIT_OK)
		program->notes += count;
	return status;
}

static plait_status make_passages(plait__program *program,
				  const plait__device *device,
				  plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->instance_count; i++)
		status = plait__section_pool_add(&program->instances[i].passages,
						 device, error);
	return status;
}

/* What runs have beside their instances, so that they need no memory. */
static plait_status make_rest(plait__program *program, plait_error *error)
{
	const plait__plan_object *frozen = program->frozen;
	plait_status status = plait__run_reserve_all(program, error);

	if (status == PLAIT_OK)
		status = reserve_notes(program, program->instance_count,
				       error);
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < program->plan->devices_count; i++)
		if (frozen->devices[i] != NULL)
			return make_passages(program, frozen->devices[i],
					     error);
	return status;
}

static plait_status make(plait__plan_object *frozen, plait__program **out,
			 plait_error *error)
{
	plait__context *context = frozen->object.context;
	plait__program *program = plait__cacheline_alloc(
		plait__context_allocator(context), sizeof(*program));
	plait_status status;

	if (program == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	program->frozen = frozen;
	program->plan = frozen->plan;
	program->context = context;
	program->engine = choose_engine(frozen);
	program->instance_count = frozen->instances != 0 ?
				  frozen->instances : 2;
	program->asymmetric_fence = at_membarrier_available();
	status = plait__frame_layout_make(&program->layout, frozen,
					  program->engine->maps, error);
	if (status == PLAIT_OK)
		status = plait__rehearse_make(program, &program->rehearsal,
					      error);
	if (status == PLAIT_OK)
		status = program->engine->prepare(program, error);
	if (status == PLAIT_OK)
		status = make_instances(program, error);
	if (status == PLAIT_OK)
		status = make_rest(program, error);
	if (status == PLAIT_OK)
		*out = program;
	else
		destroy(program);
	return status;
}

plait_status plait__program_make(plait__plan_object *frozen, plait__program **out,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&frozen->preparing);
	*out = at_load_acquire_ptr(&frozen->program);
	if (*out == NULL) {
		status = frozen->rehearses ? PLAIT_OK :
			 check_whole(frozen, error);
		if (status == PLAIT_OK)
			status = make(frozen, out, error);
		frozen->end_program = end_program;
		/* Release: pairs with the load in plait__program_of. */
		if (status == PLAIT_OK)
			at_store_release_ptr(&frozen->program, *out);
	}
	plait__mutex_unlock(&frozen->preparing);
	return status;
}

/* ---- messages ---- */

const char *plait__program_node(const plait__plan *plan, uint32_t command,
				char room[PLAIT__NODE_ROOM])
{
	uint32_t node = plan->commands[command].node;
	const char *label = plait__plan_node_label(plan, node);
	uint32_t file = plan->nodes[node].file;
	int length;

	length = snprintf(room, PLAIT__NODE_ROOM, "node %u%s%.48s%s", node,
			  label[0] != '\0' ? " \"" : "", label,
			  label[0] != '\0' ? "\"" : "");
	if (file < plan->strings_count && length < PLAIT__NODE_ROOM)
		(void)snprintf(room + length,
			       (size_t)(PLAIT__NODE_ROOM - length),
			       " (%.40s:%u)", plan->strings + file,
			       plan->nodes[node].line);
	return room;
}
