/* SPDX-License-Identifier: MIT */
/*
 * Segments of an instance as device graphs of their backends.  Graphs are
 * created with the instance, also where arguments depend on runs: then with
 * placeholders.  A launch that has changed is patched before its graph is
 * submitted; those of unrolled loops are bound and compared for each iteration
 * (unrolled_work.c).  The graph is idle then: an iteration begins after the previous
 * iteration is complete, and a run after the previous run of its instance.
 *
 * A segment without a graph is submitted command by command: the backend
 * refused it, or one of its kernels was exchanged for a host function.  A
 * segment that decides regions cannot be submitted so.  A run that finds one
 * without a graph uses the fallback driver of the instance (host_fallback.c),
 * so these graphs are updated before anything of a run is submitted.  If a
 * backend refuses an update in the middle of a run, the segment is walked
 * (segment_fallback.c).
 */
#include "run/queue/device_graphs.h"

#include "run/command_text.h"
#include "run/queue/bind_work.h"
#include "run/queue/unrolled_work.h"

#include "base/error.h"
#include "object/context/backend_result.h"

#include <stdio.h>

static const plait__queue_segment *segment_at(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_segment *)state->compiled->segments.items +
	       number;
}

static const plait__queue_submission *submission_of(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_submission *)
		       state->compiled->submissions.items +
	       segment_at(state, number)->submission;
}

static plait__device *device_of(const plait__queue_instance *state,
				uint32_t number)
{
	return state->compiled->lanes[segment_at(state, number)->lane].device;
}

/* ---- work of a segment ---- */

static void set_label(const plait__queue_instance *state, uint32_t number,
		      plait__device_graph *graph)
{
	const plait__plan *plan = state->compiled->program->plan;
	const plait__queue_segment *segment = segment_at(state, number);
	uint32_t first = plait__queue_program_at(&state->compiled->members,
						 segment->member_first);
	char room[PLAIT__COMMAND_TEXT_BYTES];

	snprintf(graph->label, sizeof(graph->label),
		 "segment of %u commands from %.60s", segment->member_count,
		 plait__command_text(plan, first, room));
}

/* Let the segment's submission have its device graph, or its commands. */
static void select_work(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_submission *from = submission_of(state, number);
	plait__device_graph *graph = &state->graphs[number];
	plait_submission *to =
		&state->submissions[segment_at(state, number)->submission];

	graph->work = (plait_work){
		.size = sizeof(graph->work),
		.kind = PLAIT_WORK_SEGMENT,
		.label = graph->label,
		.segment = graph->raw,
	};
	to->work = graph->raw != NULL ? &graph->work :
					&state->work[from->work_first];
	to->work_count = graph->raw != NULL ? 1 : from->work_count;
}

void plait__device_graphs_select(plait__queue_instance *state)
{
	for (uint32_t i = 0; i < state->compiled->segments.count; i++)
		select_work(state, i);
}

/* ---- making ---- */

enum { READY, UNBOUND, HOST_FUNCTION };

static int classify(const plait__queue_instance *state, uint32_t number)
{
	const plait__queue_submission *from = submission_of(state, number);
	int found = READY;

	for (uint32_t i = 0; i < from->work_count; i++) {
		const plait_work *work = &state->work[from->work_first + i];

		if (work->kind == PLAIT_WORK_CALL)
			return HOST_FUNCTION;
		if (work->kind == PLAIT_WORK_LAUNCH && work->launch == NULL)
			found = UNBOUND;
	}
	return found;
}

/* Destroy the device graph of a segment, if any; it is idle. */
static void destroy_raw(plait__queue_instance *state, uint32_t number)
{
	plait__backend *backend = device_of(state, number)->port->backend;
	plait__device_graph *graph = &state->graphs[number];

	if (graph->raw != NULL)
		backend->table.segment_destroy(backend->self, graph->raw);
	graph->raw = NULL;
}

/* The commands of a segment; or of its copies, if it has unrolled loops. */
static plait_segment_request request_of(const plait__queue_instance *state,
					uint32_t number)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_segment *segment = segment_at(state, number);
	bool unrolled = segment->copy_count > 0;

	return (plait_segment_request){
		.size = sizeof(plait_segment_request),
		.work = unrolled ? &state->copy_work[segment->copy_first] :
			&state->work[submission_of(state, number)->work_first],
		.work_count = unrolled ? segment->copy_count :
					 segment->member_count,
		.before = compiled->edges.count == 0 ?
				  NULL :
				  (const uint32_t *)compiled->edges.items +
					  (unrolled ? segment->copy_edge_first :
						      segment->edge_first),
		.before_first = (const uint32_t *)compiled->edge_starts.items +
				(unrolled ? segment->copy_start_first :
					    segment->start_first),
		.label = state->graphs[number].label,
	};
}

/* Create the device graph of a segment that has none; its launches are bound.
 * PLAIT_E_UNSUPPORTED is no error: the segment then has no device graph. */
static plait_status create_graph(plait__queue_instance *state, uint32_t number,
				 plait_error *error)
{
	plait__device_graph *graph = &state->graphs[number];
	plait__device *device = device_of(state, number);
	plait_error room = { .size = sizeof(room) };
	const plait_segment_request request = request_of(state, number);
	plait_status status = device->port->backend->table.segment_create(
		device->port->backend->self, device->index, &request,
		&graph->raw, &room);

	if (status != PLAIT_OK)
		graph->raw = NULL;
	graph->refused = status == PLAIT_E_UNSUPPORTED;
	if (graph->refused)
		return PLAIT_OK;
	return plait__backend_result_check_created(device->port, status,
						   "segment_create", graph->raw,
						   &room, error);
}

/* ---- changing ---- */

/* Give segment `number`'s device graph the work as its command `index`.  If the
 * backend cannot: destroy the graph and succeed; update() creates it again.  The
 * graph exists and is idle. */
static plait_status patch_command(plait__queue_instance *state, uint32_t number,
				  uint32_t index, const plait_work *work,
				  plait_error *error)
{
	plait__backend_port *port = device_of(state, number)->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status = port->backend->table.segment_patch(
		port->backend->self, state->graphs[number].raw, index, work,
		&room);

	if (status == PLAIT_E_UNSUPPORTED) {
		destroy_raw(state, number);
		return PLAIT_OK;
	}
	return plait__backend_result_check(port, status, "segment_patch", &room,
					   error);
}

/* Patch stale commands of a device graph until the backend refuses one. */
static plait_status patch_stale(plait__queue_instance *state, uint32_t number,
				plait_error *error)
{
	const plait__queue_segment *segment = segment_at(state, number);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < segment->member_count &&
			     state->graphs[number].raw != NULL;
	     i++) {
		plait__queue_launch *launch =
			&state->launches[plait__queue_program_at(
				&state->compiled->members,
				segment->member_first + i)];

		if (!launch->stale)
			continue;
		status = patch_command(
			state, number, i,
			&state->work[submission_of(state, number)->work_first +
				     i],
			error);
		if (status == PLAIT_OK)
			launch->stale = false;
	}
	return status;
}

/* Patch a copy of an unrolled loop, if there is a device graph. */
static plait_status patch_copy(plait__queue_instance *state, uint32_t number,
			       uint32_t index, plait_error *error)
{
	const plait__queue_segment *segment = segment_at(state, number);

	return state->graphs[number].raw == NULL ? PLAIT_OK :
	       patch_command(state, number, index,
			     &state->copy_work[segment->copy_first + index],
			     error);
}

static void clear_stale(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_segment *segment = segment_at(state, number);

	for (uint32_t i = 0; i < segment->member_count; i++)
		state->launches[plait__queue_program_at(
					&state->compiled->members,
					segment->member_first + i)]
			.stale = false;
}

/* Update an idle device graph: patch, create or destroy it. */
static plait_status update(plait__queue_instance *state, uint32_t number,
			   plait_error *error)
{
	plait__device_graph *graph = &state->graphs[number];
	bool unrolled = segment_at(state, number)->copy_count > 0;
	plait_status status = PLAIT_OK;

	if (classify(state, number) == HOST_FUNCTION)
		destroy_raw(state, number);
	else if (unrolled && classify(state, number) == READY)
		status = plait__unrolled_work_bind(state, number, patch_copy,
						   error);
	else if (graph->raw != NULL && !unrolled)
		status = patch_stale(state, number, error);
	if (status == PLAIT_OK && graph->raw == NULL && !graph->refused &&
	    classify(state, number) == READY) {
		status = create_graph(state, number, error);
		if (status == PLAIT_OK)
			clear_stale(state, number);
	}
	select_work(state, number);
	graph->changed = status != PLAIT_OK;
	if (status != PLAIT_OK)
		plait__error_prefix(error,
				    "%s could not be created: ", graph->label);
	return status;
}

plait_status plait__device_graphs_update(plait__queue_instance *state,
					 uint32_t batch, plait_error *error)
{
	const plait__queue_program *compiled = state->compiled;
	const plait__queue_batch *at =
		(const plait__queue_batch *)compiled->batches.items + batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)compiled->submissions.items +
		at->submission_first;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0;
	     at->has_segments && status == PLAIT_OK && i < at->submission_count;
	     i++)
		if (submission[i].segment != PLAIT__NONE &&
		    state->graphs[submission[i].segment].changed)
			status = update(state, submission[i].segment, error);
	return status;
}

/* ---- device graphs that decide regions ---- */

/* Update a device graph with the arguments that hold at the beginning of the
 * run; a segment within a loop may get others afterwards.  Called before
 * anything of the run is submitted. */
static plait_status prepare(plait__queue_instance *state, uint32_t number,
			    plait_error *error)
{
	const plait__queue_submission *from = submission_of(state, number);

	if (state->graphs[number].raw != NULL && !state->graphs[number].changed)
		return PLAIT_OK;
	plait__bind_work_submission(state, from);
	/* The run has failed and has its error. */
	if (at_load_relaxed_u32(&state->instance->stop) != 0)
		return PLAIT_OK;
	return update(state, number, error);
}

plait_status plait__device_graphs_prepare(plait__queue_instance *state,
					  bool *out_whole, plait_error *error)
{
	plait_status status = PLAIT_OK;

	*out_whole = true;
	for (uint32_t i = 0;
	     status == PLAIT_OK && i < state->compiled->segments.count; i++) {
		if (segment_at(state, i)->regions == 0)
			continue;
		status = prepare(state, i, error);
		*out_whole = *out_whole && state->graphs[i].raw != NULL;
	}
	return status;
}

bool plait__device_graphs_lacks_any(const plait__queue_instance *state)
{
	for (uint32_t i = 0; i < state->compiled->segments.count; i++)
		if (segment_at(state, i)->regions > 0 &&
		    state->graphs[i].raw == NULL &&
		    (state->graphs[i].refused ||
		     classify(state, i) == HOST_FUNCTION))
			return true;
	return false;
}

/* A device graph that does not accept the reset is created again, when it is
 * idle. */
void plait__device_graphs_stop(plait__queue_instance *state, bool stop)
{
	for (uint32_t i = 0; i < state->compiled->segments.count; i++) {
		plait__backend *backend = device_of(state, i)->port->backend;
		plait_error ignored = { .size = sizeof(ignored) };

		if (segment_at(state, i)->regions == 0 ||
		    state->graphs[i].raw == NULL ||
		    backend->table.segment_stop(backend->self,
						state->graphs[i].raw, stop,
						&ignored) == PLAIT_OK ||
		    stop)
			continue;
		destroy_raw(state, i);
		state->graphs[i].changed = true;
		select_work(state, i);
	}
}

/* ---- life ---- */

plait_status plait__device_graphs_make(plait__queue_instance *state,
				       plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0;
	     status == PLAIT_OK && i < state->compiled->segments.count; i++) {
		set_label(state, i, &state->graphs[i]);
		status = update(state, i, error);
		state->graphs[i].changed = state->graphs[i].raw == NULL;
	}
	return status;
}

void plait__device_graphs_free(plait__queue_instance *state)
{
	for (uint32_t i = 0;
	     state->graphs != NULL && i < state->compiled->segments.count; i++)
		destroy_raw(state, i);
}
