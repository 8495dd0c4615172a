/* SPDX-License-Identifier: MIT */
/*
 * An instance's segments as its backends have them.  They are made with the
 * instance, also where runs have to tell something: then with anything in its
 * place, which runs replace.  A launch that changed since is patched before the
 * segment is submitted, which is idle then: an iteration begins behind all of the
 * last one, a run behind the last run of its instance.
 *
 * What a backend will not have as one, or what became a function of the host,
 * is submitted command by command.  A segment that decides regions cannot be:
 * a run that finds it so is carried out by another state of its instance, which
 * decides all of them on the host.  So these are made before anything of a run
 * is submitted.  Where one changes in a run, and is refused then, it is walked
 * (segment_fallback.c).
 */
#include "run/queue/queue_engine.h"

#include "base/error.h"
#include "object/context/backend_result.h"

#include <stdio.h>

static const plait__queue_segment *segment_at(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_segment *)
		       state->queued->segments.items + number;
}

static const plait__queue_submission *stretch_of(
	const plait__queue_instance *state, uint32_t number)
{
	return (const plait__queue_submission *)state->queued->submissions.items +
	       segment_at(state, number)->submission;
}

static plait__device *device_of(const plait__queue_instance *state,
				uint32_t number)
{
	return state->queued->lanes[segment_at(state, number)->lane].device;
}

/* ---- what is submitted ---- */

static void name_it(const plait__queue_instance *state, uint32_t number,
		    plait__device_graph *frozen)
{
	const plait__plan *plan = state->queued->program->plan;
	const plait__queue_segment *segment = segment_at(state, number);
	uint32_t first = plait__queue_program_at(&state->queued->members,
						 segment->member_first);
	char room[PLAIT__COMMAND_TEXT_BYTES];

	snprintf(frozen->label, sizeof(frozen->label),
		 "segment of %u from %.60s on", segment->member_count,
		 plait__command_text(plan, first, room));
}

/* As one command, or one by one. */
static void use(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_submission *from = stretch_of(state, number);
	plait__device_graph *frozen = &state->frozen[number];
	plait_submission *to =
		&state->submissions[segment_at(state, number)->submission];

	frozen->work = (plait_work){
		.size = sizeof(frozen->work), .kind = PLAIT_WORK_SEGMENT,
		.label = frozen->label, .segment = frozen->raw,
	};
	to->work = frozen->raw != NULL ? &frozen->work :
		   &state->work[from->work_first];
	to->work_count = frozen->raw != NULL ? 1 : from->work_count;
}

void plait__device_graphs_select(plait__queue_instance *state)
{
	for (uint32_t i = 0; i < state->queued->segments.count; i++)
		use(state, i);
}

/* ---- making ---- */

enum { READY, UNBOUND, OF_THE_HOST };

static int look_over(const plait__queue_instance *state, uint32_t number)
{
	const plait__queue_submission *from = stretch_of(state, number);
	int found = READY;

	for (uint32_t i = 0; i < from->work_count; i++) {
		const plait_work *work = &state->work[from->work_first + i];

		if (work->kind == PLAIT_WORK_CALL)
			return OF_THE_HOST;
		if (work->kind == PLAIT_WORK_LAUNCH && work->launch == NULL)
			found = UNBOUND;
	}
	return found;
}

static void destroy_raw(plait__queue_instance *state, uint32_t number)
{
	plait__backend *backend = device_of(state, number)->port->backend;
	plait__device_graph *frozen = &state->frozen[number];

	if (frozen->raw != NULL)
		backend->table.segment_destroy(backend->self, frozen->raw);
	frozen->raw = NULL;
}

/* PLAIT_E_UNSUPPORTED is fine: then it has none. */
static plait_status make(plait__queue_instance *state, uint32_t number,
			 plait_error *error)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_segment *segment = segment_at(state, number);
	plait__device_graph *frozen = &state->frozen[number];
	plait__device *device = device_of(state, number);
	plait_error room = { .size = sizeof(room) };
	const plait_segment_request request = {
		.size = sizeof(request),
		.work = &state->work[stretch_of(state, number)->work_first],
		.work_count = segment->member_count,
		.before = queued->edges.count == 0 ? NULL :
			  (const uint32_t *)queued->edges.items +
			  segment->edge_first,
		.before_first = (const uint32_t *)queued->edge_starts.items +
				segment->start_first,
		.label = frozen->label,
	};
	plait_status status = device->port->backend->table.segment_create(
		device->port->backend->self, device->index, &request,
		&frozen->raw, &room);

	if (status != PLAIT_OK)
		frozen->raw = NULL;
	frozen->refused = status == PLAIT_E_UNSUPPORTED;
	if (frozen->refused)
		return PLAIT_OK;
	return plait__backend_result_check_created(device->port, status, "segment_create",
						   frozen->raw, &room, error);
}

/* ---- changing ---- */

void plait__device_graphs_launch_changed(plait__queue_instance *state, uint32_t command)
{
	const plait__queue_program *queued = state->queued;

	if (plait__queue_program_segment(queued, command) == NULL)
		return;
	state->frozen[queued->segment_of[command]].changed = true;
	state->launches[command].stale = true;
}

static plait_status patch(plait__queue_instance *state, uint32_t number,
			  uint32_t index, plait_error *error)
{
	plait__backend_port *port = device_of(state, number)->port;
	plait_error room = { .size = sizeof(room) };
	plait_status status = port->backend->table.segment_patch(
		port->backend->self, state->frozen[number].raw, index,
		&state->work[stretch_of(state, number)->work_first + index],
		&room);

	/* It has to be made anew. */
	if (status == PLAIT_E_UNSUPPORTED) {
		destroy_raw(state, number);
		return PLAIT_OK;
	}
	return plait__backend_result_check(port, status, "segment_patch", &room, error);
}

/* Until there is nothing left that it could be patched in. */
static plait_status patch_all(plait__queue_instance *state, uint32_t number,
			      plait_error *error)
{
	const plait__queue_segment *segment = segment_at(state, number);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < segment->member_count &&
	     state->frozen[number].raw != NULL; i++) {
		plait__queue_launch *launch = &state->launches[
			plait__queue_program_at(&state->queued->members,
						segment->member_first + i)];

		if (!launch->stale)
			continue;
		status = patch(state, number, i, error);
		if (status == PLAIT_OK)
			launch->stale = false;
	}
	return status;
}

static void forget_stale(plait__queue_instance *state, uint32_t number)
{
	const plait__queue_segment *segment = segment_at(state, number);

	for (uint32_t i = 0; i < segment->member_count; i++)
		state->launches[plait__queue_program_at(
			&state->queued->members,
			segment->member_first + i)].stale = false;
}

/* Idle, and to be submitted next. */
static plait_status freshen(plait__queue_instance *state, uint32_t number,
			    plait_error *error)
{
	plait__device_graph *frozen = &state->frozen[number];
	plait_status status = PLAIT_OK;

	if (look_over(state, number) == OF_THE_HOST)
		destroy_raw(state, number);
	else if (frozen->raw != NULL)
		status = patch_all(state, number, error);
	if (status == PLAIT_OK && frozen->raw == NULL && !frozen->refused &&
	    look_over(state, number) == READY) {
		status = make(state, number, error);
		if (status == PLAIT_OK)
			forget_stale(state, number);
	}
	use(state, number);
	frozen->changed = status != PLAIT_OK;
	if (status != PLAIT_OK)
		plait__error_prefix(error, "%s could not be frozen: ",
				    frozen->label);
	return status;
}

plait_status plait__device_graphs_update(plait__queue_instance *state, uint32_t batch,
					 plait_error *error)
{
	const plait__queue_program *queued = state->queued;
	const plait__queue_batch *at =
		(const plait__queue_batch *)queued->batches.items + batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)queued->submissions.items +
		at->submission_first;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; at->has_segments && status == PLAIT_OK &&
	     i < at->submission_count; i++)
		if (submission[i].segment != PLAIT__NONE &&
		    state->frozen[submission[i].segment].changed)
			status = freshen(state, submission[i].segment, error);
	return status;
}

/* ---- what decides regions ---- */

/* With what they are given at the beginning of the run; a segment within a
 * loop may be given something else afterwards. */
static plait_status ready(plait__queue_instance *state, uint32_t number,
			  plait_error *error)
{
	const plait__queue_submission *from = stretch_of(state, number);

	if (state->frozen[number].raw != NULL && !state->frozen[number].changed)
		return PLAIT_OK;
	plait__launch_variants_bind_submission(state, from);
	/* The run has failed, and is told. */
	if (at_load_relaxed_u32(&state->instance->stop) != 0)
		return PLAIT_OK;
	return freshen(state, number, error);
}

plait_status plait__device_graphs_prepare(plait__queue_instance *state,
					  bool *out_whole, plait_error *error)
{
	plait_status status = PLAIT_OK;

	*out_whole = true;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < state->queued->segments.count; i++) {
		if (segment_at(state, i)->regions == 0)
			continue;
		status = ready(state, i, error);
		*out_whole = *out_whole && state->frozen[i].raw != NULL;
	}
	return status;
}

bool plait__device_graphs_lacks_any(const plait__queue_instance *state)
{
	for (uint32_t i = 0; i < state->queued->segments.count; i++)
		if (segment_at(state, i)->regions > 0 &&
		    state->frozen[i].raw == NULL &&
		    (state->frozen[i].refused ||
		     look_over(state, i) == OF_THE_HOST))
			return true;
	return false;
}

/* What cannot be told is made anew, when it is idle. */
void plait__device_graphs_stop(plait__queue_instance *state, bool stop)
{
	for (uint32_t i = 0; i < state->queued->segments.count; i++) {
		plait__backend *backend = device_of(state, i)->port->backend;
		plait_error ignored = { .size = sizeof(ignored) };

		if (segment_at(state, i)->regions == 0 ||
		    state->frozen[i].raw == NULL ||
		    backend->table.segment_stop(backend->self,
						state->frozen[i].raw, stop,
						&ignored) == PLAIT_OK || stop)
			continue;
		destroy_raw(state, i);
		state->frozen[i].changed = true;
		use(state, i);
	}
}

/* ---- life ---- */

plait_status plait__device_graphs_make(plait__queue_instance *state,
				       plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < state->queued->segments.count; i++) {
		name_it(state, i, &state->frozen[i]);
		status = freshen(state, i, error);
		state->frozen[i].changed = state->frozen[i].raw == NULL;
	}
	return status;
}

void plait__device_graphs_free(plait__queue_instance *state)
{
	for (uint32_t i = 0; state->frozen != NULL &&
	     i < state->queued->segments.count; i++)
		destroy_raw(state, i);
}
