/* SPDX-License-Identifier: MIT */
/*
 * Collectives of queues: plait_collective_submit.  A collective owns a plan of one
 * node; a submission is a run of it, with the record of its call as the memory
 * that the node's function gets.  That function is called once, also in a run
 * that was stopped, and frees the record.
 */
#include "plait/run.h"

#include "coll/node/held_call.h"
#include "base/alloc.h"
#include "base/error.h"
#include "graph/build/graph.h"
#include "graph/plan/freeze.h"
#include "graph/plan/plan_object.h"

enum { INSTANCES = 64 };

/* The plan of a collective; its only parameter is number 0. */
struct plait__collective_submits {
	plait_plan *plan;
};

/* ---- records ---- */

static void free_record(plait__held_call *record)
{
	const plait_allocator *allocator = plait__context_allocator(
		record->collective->object.context);

	plait__held_call_drop(record);
	plait__free(allocator, record, sizeof(*record));
}

static int32_t execute(void *user_data)
{
	plait__held_call *record = user_data;
	int32_t result = plait__held_call_execute(record);

	free_record(record);
	return result;
}

/* ---- the plan ---- */

static plait_status add_node(plait__graph *graph, plait_error *error)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_COLLECTIVE,
		.label = "collective",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = execute, .user_data_parameter = "call",
	};
	plait_node node;
	plait_status status = plait__held_call_device(
		graph->object.context, &desc.device, error);

	return status == PLAIT_OK ? plait__add_node(graph, &desc, NULL, 0,
						    &node, error) : status;
}

static plait_status make_plan(plait__context *context, plait_plan **out,
			      plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 1,
					 .instances = INSTANCES };
	plait__plan_object *plan_object;
	plait__graph *graph;
	plait_status status = plait__graph_make(context, &graph, error);

	if (status != PLAIT_OK)
		return status;
	status = add_node(graph, error);
	if (status == PLAIT_OK)
		status = plait__freeze_exact(
			plait__object_handle(&graph->object), &desc, out,
			error);
	plait__object_release(plait__object_handle(&graph->object),
			      PLAIT_OBJECT_GRAPH);
	if (status == PLAIT_OK)
		status = plait__plan_object_enter(*out, &plan_object, error);
	if (status != PLAIT_OK)
		return status;
	plait__object_make_internal(&plan_object->object);
	plait__object_leave(&plan_object->object);
	return PLAIT_OK;
}

static void free_submits(plait__collective *collective)
{
	struct plait__collective_submits *submits = collective->submits;

	plait__object_release(submits->plan, PLAIT_OBJECT_PLAN);
	plait__free(plait__world_allocator(collective->world), submits,
		    sizeof(*submits));
}

/* Caller holds the lock. */
static plait_status make_submits(plait__collective *collective,
				 plait_error *error)
{
	const plait_allocator *allocator =
		plait__world_allocator(collective->world);
	struct plait__collective_submits *submits;
	plait_status status;

	submits = plait__alloc(allocator, sizeof(*submits));
	if (submits == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to submit a collective");
	status = make_plan(collective->object.context, &submits->plan, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, submits, sizeof(*submits));
		return status;
	}
	collective->submits = submits;
	collective->free_submits = free_submits;
	return PLAIT_OK;
}

static plait_status find_submits(plait__collective *collective,
				 struct plait__collective_submits **out,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&collective->submit_lock);
	if (collective->submits == NULL)
		status = make_submits(collective, error);
	*out = collective->submits;
	plait__mutex_unlock(&collective->submit_lock);
	return status;
}

/* ---- submission ---- */

/* With PLAIT_SYNC a run that was submitted may have failed. */
static plait_status run_plan(plait_plan *plan, plait_queue *queue,
			     plait__held_call *record, plait_run **out,
			     plait_error *error)
{
	const plait_binding binding = PLAIT_BIND_HOST(0, record,
						      sizeof(*record));
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };
	plait_run *run = NULL;
	plait_status status = plait_plan_run(plan, queue, &desc, &run, error);

	if (run == NULL)
		free_record(record);
	if (run != NULL && out != NULL)
		*out = run;
	else
		plait_run_release(run);
	return status;
}

static plait_status submit(plait__collective *collective, plait_queue *queue,
			   const plait_collective_run *run, plait_run **out,
			   plait_error *error)
{
	const plait_allocator *allocator =
		plait__world_allocator(collective->world);
	struct plait__collective_submits *submits;
	plait__held_call *record;
	plait_status status = find_submits(collective, &submits, error);

	if (status != PLAIT_OK)
		return status;
	record = plait__alloc(allocator, sizeof(*record));
	if (record == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to submit a collective");
	status = plait__held_call_make(record, collective, run, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, record, sizeof(*record));
		return status;
	}
	return run_plan(submits->plan, queue, record, out, error);
}

PLAIT_API plait_status plait_collective_submit(plait_collective *collective,
					       plait_queue *queue,
					       const plait_collective_run *run,
					       plait_run **out,
					       plait_error *error)
{
	plait__collective *entered;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__collective_enter(collective, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = submit(entered, queue, run, out, error);
	plait__object_leave(&entered->object);
	return status;
}
