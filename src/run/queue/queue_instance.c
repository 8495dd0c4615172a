/* SPDX-License-Identifier: MIT */
/*
 * Backend resources of an instance, created once; runs only change sequences,
 * launches and device graphs in them.
 */
#include "run/queue/queue_instance.h"

#include "run/queue/device_graphs.h"
#include "run/queue/launch_variants.h"
#include "run/queue/variant_cells.h"
#include "run/queue/queue_command.h"
#include "run/queue/scratch_arenas.h"
#include "run/queue/translate_work.h"
#include "run/queue/variant_count.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/plan/plan_object.h"
#include "object/context/backend_result.h"

#include <stdio.h>

static const plait_allocator *allocator_of(const plait__queue_instance *state)
{
	return plait__program_allocator(state->compiled->program);
}

/* ---- arrays ---- */

/* All arrays: ARRAY(field, count). */
#define ARRAYS(ARRAY) \
	ARRAY(queues, plan->lanes_count) \
	ARRAY(work, compiled->work.count) \
	ARRAY(submissions, compiled->submissions.count) \
	ARRAY(repeat_work, compiled->repeat_work) \
	ARRAY(rooms, plan->regions_count) \
	ARRAY(series, compiled->series.count) \
	ARRAY(waits, compiled->waits.count) \
	ARRAY(emits, compiled->submissions.count) \
	ARRAY(callbacks, plan->command_count) \
	ARRAY(arguments, state->argument_count) \
	ARRAY(pointers, state->pointer_count) \
	ARRAY(launches, plan->command_count) \
	ARRAY(variants, state->variant_count) \
	ARRAY(graphs, compiled->segments.count) \
	ARRAY(copy_work, compiled->copies.count) \
	ARRAY(copy_bindings, compiled->copies.count) \
	ARRAY(variant_arguments, state->variant_argument_count) \
	ARRAY(backend_arguments, state->most_arguments) \
	ARRAY(arenas, plan->devices_count) \
	ARRAY(temporaries, temporary_count(plan, compiled)) \
	ARRAY(predicates, plan->regions_count)

static uint64_t temporary_count(const plait__plan *plan,
				const plait__queue_program *compiled)
{
	return compiled->program->layout.temporaries == NULL ? 0 :
	       (uint64_t)plan->slots_count + plan->devices_count;
}

static bool make_arrays(plait__queue_instance *state)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator = allocator_of(state);
	bool good = true;

#define MAKE(field, count)						\
	state->field = plait__alloc_array(allocator, count,		\
					  sizeof(*state->field));	\
	good = good && (state->field != NULL || (count) == 0);
	ARRAYS(MAKE)
#undef MAKE
	return good;
}

static void free_arrays(plait__queue_instance *state)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator = allocator_of(state);

#define FREE(field, count)						\
	plait__free(allocator, state->field,				\
		    (uint64_t)(count) * sizeof(*state->field));
	ARRAYS(FREE)
#undef FREE
}

static void count_arguments(plait__queue_instance *state)
{
	const plait__queue_program *compiled = state->compiled;
	uint32_t arguments, pointers, variants, cells;

	for (uint32_t i = 0; i < compiled->program->plan->command_count; i++) {
		plait__queue_command_counts(compiled, i, &arguments, &pointers);
		variants = plait__variant_count(compiled, i);
		state->argument_count += arguments;
		state->pointer_count += pointers;
		state->variant_count += variants;
		cells = plait__variant_cells_count(compiled, i);
		state->variant_argument_count += variants * cells;
		if (variants > 0 && cells > state->most_arguments)
			state->most_arguments = cells;
	}
	state->variant_argument_count += state->most_arguments;
}

/* ---- submissions ---- */

/* Advances the counts that place_arguments has reset, up to those of
 * count_arguments. */
static void place_variants(plait__queue_instance *state, uint32_t command)
{
	plait__queue_launch *launch = &state->launches[command];

	launch->variant_count =
		plait__variant_count(state->compiled, command);
	if (launch->variant_count == 0)
		return;
	launch->cell_count = plait__variant_cells_count(state->compiled,
							command);
	launch->variants = state->variants + state->variant_count;
	for (uint32_t i = 0; i < launch->variant_count; i++) {
		launch->variants[i].arguments = state->variant_arguments +
						state->variant_argument_count;
		state->variant_argument_count += launch->cell_count;
	}
	state->variant_count += launch->variant_count;
}

/* Assign the ranges that count_arguments counted. */
static void place_arguments(plait__queue_instance *state)
{
	const plait__queue_program *compiled = state->compiled;
	void **argument = state->arguments;
	plait__queue_pointer *pointer = state->pointers;
	uint32_t arguments, pointers;

	state->variant_count = 0;
	state->variant_argument_count = state->most_arguments;
	for (uint32_t i = 0; i < compiled->program->plan->command_count; i++) {
		plait__queue_command_counts(compiled, i, &arguments, &pointers);
		state->callbacks[i].arguments = argument;
		state->callbacks[i].pointers = pointer;
		place_variants(state, i);
		/* Without arguments the arrays are null. */
		if (arguments > 0)
			argument += arguments;
		if (pointers > 0)
			pointer += pointers;
	}
}

/* The queues of all lanes exist. */
static void fill_submission(plait__queue_instance *state, uint32_t number,
			    uint32_t lane)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_submission *from =
		(const plait__queue_submission *)compiled->submissions.items +
		number;
	plait_submission *to = &state->submissions[number];

	*to = (plait_submission){
		.size = sizeof(*to), .work_count = from->work_count,
		.wait_count = from->wait_count,
		.emit_count = from->mark != PLAIT__NONE,
	};
	if (from->work_count > 0)
		to->work = &state->work[from->work_first];
	if (from->wait_count > 0)
		to->waits = &state->waits[from->wait_first];
	to->emits = &state->emits[number];
	state->emits[number].signal = state->queues[lane].signal;
	for (uint32_t i = 0; i < from->wait_count; i++)
		state->waits[from->wait_first + i].signal =
			state->queues[plait__queue_program_mark_lane(
					      compiled,
					      plait__queue_program_at(
						      &compiled->waits,
						      from->wait_first + i))]
				.signal;
}

static void fill_submissions(plait__queue_instance *state)
{
	const plait__vector *batches = &state->compiled->batches;

	for (uint32_t b = 0; b < batches->count; b++) {
		const plait__queue_batch *batch =
			(const plait__queue_batch *)batches->items + b;

		for (uint32_t i = 0; i < batch->submission_count; i++)
			fill_submission(state, batch->submission_first + i,
					batch->lane);
	}
}

static void fill_work(plait__queue_instance *state)
{
	const plait__vector *work = &state->compiled->work;

	for (uint32_t i = 0; i < work->count; i++)
		plait__translate_work(state, plait__queue_program_at(work, i),
				      &state->work[i]);
}

/* ---- queues ---- */

/* For errors and traces. */
static void name_lane(const plait__queue_instance *state, uint32_t lane,
		      char *out, size_t bytes)
{
	const plait__queue_program *compiled = state->compiled;
	char room[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "%.40s instance %u%s lane %u",
		       plait__object_name(
			       &compiled->program->plan_object->object, room),
		       state->instance->index,
		       compiled->records ? " recorded" : "", lane);
}

/* Create the queue and the signal of a lane; after a failure the objects made so
 * far stay in state->queues, for free_queue. */
static plait_status make_queue(plait__queue_instance *state, uint32_t lane,
			       plait_error *error)
{
	const plait__queue_lane *made_for = &state->compiled->lanes[lane];
	plait__backend_port *port = made_for->device->port;
	plait__backend *backend = port->backend;
	plait__lane_queue *queue = &state->queues[lane];
	char label[96];
	const plait_queue_request request = {
		.size = sizeof(request), .capacity = made_for->entries,
		.label = label, .priority = made_for->priority,
	};
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	name_lane(state, lane, label, sizeof(label));
	status = backend->table.queue_create(backend->self,
					     made_for->device->index, &request,
					     &queue->raw, &room);
	status = plait__backend_result_check_created(
		port, status, "queue_create", queue->raw, &room, error);
	if (status != PLAIT_OK) {
		queue->raw = NULL;
		return status;
	}
	room = (plait_error){ .size = sizeof(room) };
	status = backend->table.signal_create(backend->self,
					      made_for->device->index, 0,
					      &queue->signal, &room);
	status = plait__backend_result_check_created(
		port, status, "signal_create", queue->signal, &room, error);
	if (status != PLAIT_OK)
		queue->signal = NULL;
	else
		backend->table.signal_label(backend->self, queue->signal,
					    label);
	return status;
}

/* Nothing is in flight on the queue.  Its handles may be null. */
static void free_queue(plait__queue_instance *state, uint32_t lane)
{
	plait__backend *backend =
		state->compiled->lanes[lane].device->port->backend;
	plait__lane_queue *queue = &state->queues[lane];

	if (queue->raw != NULL)
		backend->table.queue_destroy(backend->self, queue->raw);
	if (queue->signal != NULL)
		backend->table.signal_destroy(backend->self, queue->signal);
}

plait_status plait__queue_instance_remake(plait__queue_instance *state,
					  uint32_t lane, plait_error *error)
{
	plait_status status;

	free_queue(state, lane);
	state->queues[lane] = (plait__lane_queue){ .raw = NULL };
	status = make_queue(state, lane, error);
	if (status != PLAIT_OK)
		return status;
	fill_submissions(state);
	plait__device_graphs_select(state);
	return PLAIT_OK;
}

plait_status plait__queue_instance_make(plait__queue_instance *state,
					plait_error *error)
{
	const plait__plan *plan = state->compiled->program->plan;
	plait_status status = PLAIT_OK;

	count_arguments(state);
	if (!make_arrays(state))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = make_queue(state, i, error);
	if (status != PLAIT_OK)
		return status;
	place_arguments(state);
	status = plait__scratch_arenas_make_temporaries(state, error);
	if (status != PLAIT_OK)
		return status;
	fill_work(state);
	fill_submissions(state);
	status = plait__launch_variants_make(state, error);
	return status != PLAIT_OK ? status :
				    plait__device_graphs_make(state, error);
}

void plait__queue_instance_free(plait__queue_instance *state)
{
	const plait__plan *plan = state->compiled->program->plan;

	plait__device_graphs_free(state);
	for (uint32_t i = 0; state->queues != NULL && i < plan->lanes_count;
	     i++)
		free_queue(state, i);
	plait__launch_variants_free(state);
	free_arrays(state);
}
