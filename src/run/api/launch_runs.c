/* SPDX-License-Identifier: MIT */
/*
 * Runs of launches of coroutine kernels on queues; see object/queue/launch_runs.h.
 *
 * A kernel owns plans of one node, a coroutine that executes the launch record of
 * its run.  The first launch makes a plan; another one follows when all
 * instances are in flight, each with more instances than the one before.
 */
#include "run/api/prepare.h"
#include "run/api/run_section.h"
#include "run/instance_pool.h"

#include "base/error.h"
#include "graph/build/graph.h"
#include "graph/plan/freeze.h"
#include "object/queue/launch_runs.h"

enum { FIRST_INSTANCES = 4, INSTANCES_FACTOR = 4, MAX_INSTANCES = 1024 };

/* ---- plans ---- */

/* The function of the node.  The instance's record is the same until the run
 * is over. */
static int32_t execute(void *user_data)
{
	(void)user_data;
	return plait__launch_record_execute(
		plait__run_instance_current()->launch);
}

static plait_status add_node(plait__graph *graph, const plait__kernel *kernel,
			     plait__device *device, plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc),
		.kind = PLAIT_NODE_CALL,
		.label = kernel->signature->name,
		.device = plait__object_handle(&device->object),
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE |
			 (kernel->is_bound ? PLAIT_CALL_FIRST_WORKER : 0),
		.function = execute,
	};
	plait_node node;

	return plait__add_node(graph, &desc, NULL, 0, &node, error);
}

static plait_status freeze(const plait__kernel *kernel, plait__device *device,
			   uint32_t instances, plait_plan **out,
			   plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 1,
					 .instances = instances };
	plait__graph *graph;
	plait_status status = plait__graph_make(kernel->object.context, &graph,
						error);

	if (status != PLAIT_OK)
		return status;
	status = add_node(graph, kernel, device, error);
	if (status == PLAIT_OK)
		status = plait__freeze_exact(
			plait__object_handle(&graph->object), &desc, out,
			error);
	plait__object_release(plait__object_handle(&graph->object),
			      PLAIT_OBJECT_GRAPH);
	return status;
}

/* Make a plan with its program; the caller gets the reference. */
static plait_status make(const plait__kernel *kernel, plait__device *device,
			 uint32_t instances, plait__plan_object **out,
			 plait_error *error)
{
	plait__program *program;
	plait_plan *plan;
	plait_status status = freeze(kernel, device, instances, &plan, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__plan_object_enter(plan, out, error);
	if (status == PLAIT_OK) {
		status = plait__prepare_program(*out, &program, error);
		plait__object_leave(&(*out)->object);
	}
	if (status == PLAIT_OK)
		plait__object_make_internal(&(*out)->object);
	else
		plait__object_release(plan, PLAIT_OBJECT_PLAN);
	return status;
}

/* Add a plan at the place, unless another thread was faster. */
static plait_status add(plait__kernel *kernel, uint32_t place,
			plait__device *device, plait_error *error)
{
	uint32_t instances = FIRST_INSTANCES;
	plait__plan_object *made;
	plait_status status;
	bool is_first;

	for (uint32_t i = 0; i < place && instances < MAX_INSTANCES; i++)
		instances *= INSTANCES_FACTOR;
	status = make(kernel, device, instances, &made, error);
	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&kernel->launch_lock);
	is_first = at_load_relaxed_ptr(&kernel->launch_plans[place]) == NULL;
	/* Release: pairs with the load in find. */
	if (is_first)
		at_store_release_ptr(&kernel->launch_plans[place], made);
	plait__mutex_unlock(&kernel->launch_lock);
	if (!is_first)
		plait__object_release(plait__object_handle(&made->object),
				      PLAIT_OBJECT_PLAN);
	return PLAIT_OK;
}

/* Take an instance of the newest plan that has one; *out is null if none has.
 * Returns the number of plans. */
static uint32_t find(plait__kernel *kernel, plait__instance **out)
{
	const plait__plan_object *plan_object;
	uint32_t count = 0;

	*out = NULL;
	/* Acquire: pairs with the store in add. */
	while (count < PLAIT__KERNEL_LAUNCH_PLANS &&
	       at_load_acquire_ptr(&kernel->launch_plans[count]) != NULL)
		count++;
	for (uint32_t i = count; i > 0 && *out == NULL; i--) {
		plan_object = at_load_acquire_ptr(&kernel->launch_plans[i - 1]);
		*out = plait__instance_take(
			at_load_acquire_ptr(&plan_object->program));
	}
	return count;
}

static plait_status acquire(plait__kernel *kernel, plait__device *device,
			    plait__instance **out, plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t count = find(kernel, out);

	while (*out == NULL && status == PLAIT_OK) {
		if (count == PLAIT__KERNEL_LAUNCH_PLANS)
			return plait__fail(error, PLAIT_E_BUSY,
					   "too many launches of %.60s, which "
					   "is a coroutine, are in flight: "
					   "finish a queue first",
					   kernel->signature->name);
		status = add(kernel, count, device, error);
		if (status == PLAIT_OK)
			count = find(kernel, out);
	}
	return status;
}

/* ---- runs ---- */

/* A run holds its plan. */
static plait__object *plan_of(const plait__instance *instance)
{
	return &instance->program->plan_object->object;
}

static plait_status begin(plait__launch_record *record, plait__queue *queue,
			  plait_error *error)
{
	const plait_run_desc desc = { .size = sizeof(desc) };
	plait__instance *instance;
	plait_status status = acquire(record->kernel, queue->device, &instance,
				      error);

	if (status != PLAIT_OK)
		return status;
	status = plait__instance_begin(instance, &desc, error);
	if (status != PLAIT_OK) {
		plait__instance_release(instance);
		return status;
	}
	instance->launch = record;
	status = plait__run_section_acquire(instance, queue, error);
	if (status != PLAIT_OK) {
		plait__instance_undo_begin(instance);
		plait__instance_release(instance);
		return status;
	}
	plait__object_hold(plan_of(instance));
	plait__program_expect(instance->program);
	record->section = instance->section;
	return PLAIT_OK;
}

static void cancel(plait__launch_record *record)
{
	plait__instance *instance = record->section->arg;
	plait__object *plan_object = plan_of(instance);

	plait__program_unexpect(instance->program);
	plait__section_cancel(record->section);
	record->section = NULL;
	plait__instance_undo_begin(instance);
	plait__instance_release(instance);
	plait__object_drop(plan_object);
}

const plait__launch_runs plait__launch_runs_of_plans = {
	.begin = begin, .cancel = cancel,
};
