/* SPDX-License-Identifier: MIT */
/*
 * One instance of a plan on queues: its queues, signals and arrays, made once.
 * Runs only change sequences in them.
 */
#include "run/queue/queue_engine.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/backend_result.h"

static const plait_allocator *allocator_of(const plait__queue_instance *state)
{
	return plait__program_allocator(state->queued->program);
}

/* ---- arrays ---- */

/* What is allocated: ARRAY(field, how many). */
#define ARRAYS(ARRAY)						\
	ARRAY(queues, plan->lanes_count)			\
	ARRAY(marks, queued->mark_count)			\
	ARRAY(work, queued->work.count)				\
	ARRAY(submissions, queued->submissions.count)		\
	ARRAY(waits, queued->waits.count)			\
	ARRAY(emits, queued->submissions.count)			\
	ARRAY(calls, plan->command_count)			\
	ARRAY(arguments, state->argument_count)			\
	ARRAY(pointers, state->pointer_count)			\
	ARRAY(launches, plan->command_count)			\
	ARRAY(variants, state->variant_count)			\
	ARRAY(frozen, queued->segments.count)			\
	ARRAY(given, state->given_count)			\
	ARRAY(binding, state->most_arguments)			\
	ARRAY(arenas, plan->devices_count)			\
	ARRAY(predicates, plan->regions_count)			\
	ARRAY(listeners, plait__queue_program_listener_count(queued))		\
	ARRAY(externals, queued->external_count)			\
	ARRAY(times, plait__queue_program_timed_count(queued))	\
	ARRAY(newest, plan->signals_count)			\
	ARRAY(frames, plan->bodies_count)			\
	ARRAY(body_of, plan->regions_count)			\
	ARRAY(before, queued->items.count)			\
	ARRAY(ready, queued->items.count)

static bool make_arrays(plait__queue_instance *state)
{
	const plait__queue_program *queued = state->queued;
	const plait__plan *plan = queued->program->plan;
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
	const plait__queue_program *queued = state->queued;
	const plait__plan *plan = queued->program->plan;
	const plait_allocator *allocator = allocator_of(state);

#define FREE(field, count)						\
	plait__free(allocator, state->field,				\
		    (uint64_t)(count) * sizeof(*state->field));
	ARRAYS(FREE)
#undef FREE
}

static void count_arguments(plait__queue_instance *state)
{
	const plait__queue_program *queued = state->queued;
	uint32_t arguments, pointers, variants;

	for (uint32_t i = 0; i < queued->program->plan->command_count; i++) {
		plait__resolve_counts(queued, i, &arguments, &pointers);
		variants = plait__launch_variants_count(queued, i);
		state->argument_count += arguments;
		state->pointer_count += pointers;
		state->variant_count += variants;
		state->given_count += variants * arguments;
		if (variants > 0 && arguments > state->most_arguments)
			state->most_arguments = arguments;
	}
	state->given_count += state->most_arguments;
}

/* ---- what is submitted ---- */

static void place_variants(plait__queue_instance *state, uint32_t command,
			   uint32_t arguments)
{
	plait__queue_launch *launch = &state->launches[command];

	launch->variant_count = plait__launch_variants_count(state->queued, command);
	if (launch->variant_count == 0)
		return;
	launch->variants = state->variants + state->variant_count;
	for (uint32_t i = 0; i < launch->variant_count; i++) {
		launch->variants[i].given = state->given + state->given_count;
		state->given_count += arguments;
	}
	state->variant_count += launch->variant_count;
}

/* What was counted is counted once more. */
static void place_arguments(plait__queue_instance *state)
{
	const plait__queue_program *queued = state->queued;
	void **argument = state->arguments;
	plait__queue_pointer *pointer = state->pointers;
	uint32_t arguments, pointers;

	state->variant_count = 0;
	state->given_count = state->most_arguments;
	for (uint32_t i = 0; i < queued->program->plan->command_count; i++) {
		plait__resolve_counts(queued, i, &arguments, &pointers);
		state->calls[i].arguments = argument;
		state->calls[i].pointers = pointer;
		place_variants(state, i, arguments);
		/* Of null nothing is counted. */
		if (arguments > 0)
			argument += arguments;
		if (pointers > 0)
			pointer += pointers;
	}
}

static uint32_t lane_of_mark(const plait__queue_program *queued, uint32_t mark)
{
	const plait__plan *plan = queued->program->plan;

	if (mark < plan->command_count)
		return plan->commands[mark].lane;
	mark -= plan->command_count;
	if (mark < plan->regions_count)
		return queued->regions[mark].home;
	return mark - plan->regions_count;
}

static void fill_stretch(plait__queue_instance *state, uint32_t number,
			 uint32_t lane)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_submission *from =
		(const plait__queue_submission *)queued->submissions.items +
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
			state->queues[lane_of_mark(
				queued, plait__queue_program_at(
						&queued->waits,
						from->wait_first + i))].signal;
}

static void fill_stretches(plait__queue_instance *state)
{
	const plait__vector *batches = &state->queued->batches;

	for (uint32_t b = 0; b < batches->count; b++) {
		const plait__queue_batch *batch =
			(const plait__queue_batch *)batches->items + b;

		for (uint32_t i = 0; i < batch->submission_count; i++)
			fill_stretch(state, batch->submission_first + i,
				     batch->lane);
	}
}

static void fill_work(plait__queue_instance *state)
{
	const plait__vector *work = &state->queued->work;

	for (uint32_t i = 0; i < work->count; i++)
		plait__translate_work(state, plait__queue_program_at(work, i),
				      &state->work[i]);
}

/* ---- what is waited for ---- */

static void fill_cell(plait__queue_instance *state, uint32_t number,
		      uint32_t mark, uint32_t link)
{
	plait__queue_listener *cell = &state->listeners[number];

	cell->note.whose = state->pilot;
	cell->mark = mark;
	cell->link = link;
	cell->lane = lane_of_mark(state->queued, mark);
}

static void fill_cells(plait__queue_instance *state)
{
	const plait__queue_program *queued = state->queued;
	const plait__plan *plan = queued->program->plan;
	uint32_t regions = plan->regions_count;

	for (uint32_t i = 0; i < regions; i++)
		fill_cell(state, i, plait__queue_program_region_mark(plan, i), i);
	for (uint32_t i = 0; i < queued->items.count; i++) {
		const plait__queue_stage *stage = plait__queue_program_stage(queued,
									     i);

		if (stage->kind == PLAIT__STAGE_POINT)
			fill_cell(state, regions + stage->cell,
				  plait__queue_program_mark(queued, stage->link),
				  i);
	}
	for (uint32_t i = 0; i < queued->port_count; i++)
		fill_cell(state, regions + queued->point_count + i,
			  plait__queue_program_lane_mark(plan,
							 queued->ports[i].lane), i);
	for (uint32_t i = 0; i < plait__queue_program_timed_count(queued); i++)
		fill_cell(state, plait__queue_program_time_listener(queued, i), i, i);
}

/* ---- who needs somebody else ---- */

/* From any thread, in upcalls too: the driver goes on with it. */
static void offer_outside(plait__external *external)
{
	plait__queue_external *lane = (plait__queue_external *)(void *)external;

	plait__progress_post(external->instance->program->context,
			     &lane->state->listeners[lane->cell].note, PLAIT_OK);
}

static plait_status make_outside(plait__queue_instance *state, uint32_t lane,
				 plait_error *error)
{
	const plait__queue_program *queued = state->queued;
	uint32_t number = queued->lanes[lane].external;
	plait__queue_external *made;

	if (number == PLAIT__NONE)
		return PLAIT_OK;
	made = &state->externals[number];
	made->state = state;
	made->cell = plait__queue_program_mark_listeners(queued) + number;
	state->listeners[made->cell].note.whose = state->pilot;
	state->listeners[made->cell].link = number;
	made->external = (plait__external){
		.instance = state->instance, .lock = &state->lock,
		.newest = state->newest,
		.sibling = number > 0 ? &state->externals[number - 1].external :
			   NULL,
		.device = queued->program->plan->lanes[lane].device,
		.offer = offer_outside,
	};
	return plait__external_make(&made->external, queued->lanes[lane].submits,
				    error);
}

/* ---- queues ---- */

static plait_status make_queue(plait__queue_instance *state, uint32_t lane,
			       plait_error *error)
{
	const plait__queue_lane *made_for = &state->queued->lanes[lane];
	plait__backend_port *port = made_for->device->port;
	plait__backend *backend = port->backend;
	plait__lane_queue *queue = &state->queues[lane];
	const plait_queue_request request = {
		.size = sizeof(request), .capacity = made_for->commands,
		.label = "plan",
	};
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.queue_create(backend->self,
					     made_for->device->index, &request,
					     &queue->raw, &room);
	status = plait__backend_result_check_created(port, status, "queue_create",
						     queue->raw, &room, error);
	if (status != PLAIT_OK) {
		queue->raw = NULL;
		return status;
	}
	room = (plait_error){ .size = sizeof(room) };
	status = backend->table.signal_create(backend->self,
					      made_for->device->index, 0,
					      &queue->signal, &room);
	status = plait__backend_result_check_created(port, status, "signal_create",
						     queue->signal, &room, error);
	if (status != PLAIT_OK)
		queue->signal = NULL;
	return status;
}

static void free_queue(plait__queue_instance *state, uint32_t lane)
{
	plait__backend *backend = state->queued->lanes[lane].device->port
					  ->backend;
	plait__lane_queue *queue = &state->queues[lane];

	if (queue->raw != NULL)
		backend->table.queue_destroy(backend->self, queue->raw);
	if (queue->signal != NULL)
		backend->table.signal_destroy(backend->self, queue->signal);
}

plait_status plait__queue_instance_remake(plait__queue_instance *state, uint32_t lane,
					  plait_error *error)
{
	plait_status status;

	free_queue(state, lane);
	state->queues[lane] = (plait__lane_queue){ .raw = NULL };
	status = make_queue(state, lane, error);
	if (status != PLAIT_OK)
		return status;
	fill_stretches(state);
	plait__device_graphs_select(state);
	return PLAIT_OK;
}

plait_status plait__queue_instance_make(plait__queue_instance *state,
					plait_error *error)
{
	const plait__plan *plan = state->queued->program->plan;
	plait_status status = PLAIT_OK;

	count_arguments(state);
	if (!make_arrays(state))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = make_queue(state, i, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->lanes_count; i++)
		status = make_outside(state, i, error);
	if (status != PLAIT_OK)
		return status;
	place_arguments(state);
	fill_work(state);
	fill_stretches(state);
	fill_cells(state);
	state->stop_listener.note.whose = state->pilot;
	state->stop_listener.mark = PLAIT__NONE;
	state->piloted.advance = plait__run_driver_advance;
	status = plait__launch_variants_make(state, error);
	return status != PLAIT_OK ? status :
	       plait__device_graphs_make(state, error);
}

void plait__queue_instance_free(plait__queue_instance *state)
{
	const plait__plan *plan = state->queued->program->plan;

	plait__device_graphs_free(state);
	for (uint32_t i = 0; state->queues != NULL && i < plan->lanes_count;
	     i++)
		free_queue(state, i);
	for (uint32_t i = 0; state->externals != NULL &&
	     i < state->queued->external_count; i++)
		plait__external_free(&state->externals[i].external);
	plait__launch_variants_free(state);
	free_arrays(state);
}
