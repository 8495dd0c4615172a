/* SPDX-License-Identifier: MIT */
/* Records of a run: plait_plan_record, plait_run_records, plait_run_write. */
#include "run/run.h"

#include "run/api/prepare.h"
#include "run/record/recorder.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"
#include "render/trace_model.h"

#include <string.h>

enum {
	LEAST_RECORDS = 1024,
	MOST_CHOSEN = 65536
};

/* Limit of one lane, and of all together. */
static const uint64_t most_records = UINT64_C(1) << 28;

/* ---- capacity ---- */

/* Any lane may run any command, and waits before it. */
static uint64_t choose_helped(const plait__plan *plan, uint64_t lanes)
{
	uint64_t all = plan->command_count * 2ull;

	return all <= MOST_CHOSEN ? all : (4 * all + lanes) / lanes;
}

/* Entries of the longest lane of each body: a wait before each command, and two
 * for a decision; for each expected run of the body, up to MOST_CHOSEN. */
static uint64_t choose_strict(const plait__plan *plan)
{
	double most = 0;
	uint64_t once = 0;

	for (uint32_t b = 0; b < plan->bodies_count; b++) {
		const plait__plan_body *body = &plan->bodies[b];
		double longest = 0;

		for (uint32_t t = 0; t < body->track_count; t++) {
			double count = plan->tracks[body->track_first +
						    t].count * 3.0 + 4;

			longest = count > longest ? count : longest;
		}
		once += (uint64_t)longest;
		most += longest * plait__recorder_expected_runs(plan, b);
	}
	return most < MOST_CHOSEN ? (uint64_t)most :
	       once > MOST_CHOSEN ? once : MOST_CHOSEN;
}

static uint64_t choose_records(const plait__plan *plan, uint64_t records)
{
	uint64_t lanes = plan->lanes_count > 0 ? plan->lanes_count : 1;
	uint64_t least = choose_strict(plan);

	if (records > 0)
		return records;
	if (plan->mode == PLAIT__MODE_HELPED)
		least += choose_helped(plan, lanes);
	return least > LEAST_RECORDS ? least : LEAST_RECORDS;
}

/* Make the program's recorder under `preparing`.  PLAIT_E_STATE: it has one of
 * another size. */
static plait_status make_recorder(plait__program *program, uint64_t records,
				  plait_error *error)
{
	plait__recorder *recorder;
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&program->plan_object->preparing);
	recorder = plait__program_recorder(program);
	if (recorder == NULL)
		status = plait__program_make_recorder(
			program, (uint32_t)records, error);
	else if (recorder->ring_capacity != records)
		status = plait__fail(error, PLAIT_E_STATE,
				     "the plan keeps %u records a lane "
				     "already, which cannot become %llu",
				     recorder->ring_capacity,
				     (unsigned long long)records);
	plait__mutex_unlock(&program->plan_object->preparing);
	return status;
}

PLAIT_API plait_status plait_plan_record(plait_plan *plan, uint64_t records,
					 plait_error *error)
{
	plait__program *program;
	plait__plan_object *plan_object;
	plait_status status = plait__plan_object_enter(plan, &plan_object,
						       error);

	if (status != PLAIT_OK)
		return status;
	status = plait__prepare_program(plan_object, &program, error);
	if (status == PLAIT_OK && program->engine->make_record == NULL)
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "runs on %s cannot be recorded yet",
				     program->engine->name);
	if (status == PLAIT_OK)
		records = choose_records(plan_object->plan, records);
	if (status == PLAIT_OK &&
	    (records > most_records ||
	     records * (plan_object->plan->lanes_count + 1ull) > most_records))
		status = plait__fail(error, PLAIT_E_INVALID,
				     "%llu records for each of %u lanes; %llu "
				     "in all are possible",
				     (unsigned long long)records,
				     plan_object->plan->lanes_count,
				     (unsigned long long)most_records);
	if (status == PLAIT_OK)
		status = make_recorder(program, records, error);
	plait__object_leave(&plan_object->object);
	return status;
}

/* ---- a run's records ---- */

/* The records of a run that is over are final. */
static plait_status find_recording(const plait__run *run,
				   const plait__recording **out,
				   plait_error *error)
{
	*out = NULL;
	/* Acquire: pairs with the store in run_instance.c. */
	if (at_load_acquire_u32(&run->outcome.done) == 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "the run is not done yet");
	if (run->recording == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "the run was not recorded: "
				   "PLAIT_RUN_RECORD was not set");
	*out = run->recording;
	return PLAIT_OK;
}

static uint64_t other_of(const plait__record_entry *entry)
{
	if (entry->kind == PLAIT_RECORD_DECISION)
		return entry->other == 0 ? UINT64_MAX : entry->other - 1;
	return entry->other == PLAIT__NONE ? UINT64_MAX : entry->other;
}

static plait_status write_record(const plait__plan *plan, uint32_t lane,
				 const plait__record_entry *entry, void *given,
				 plait_error *error)
{
	const plait_record ours = {
		.kind = entry->kind, .lane = lane,
		.planned_lane = plan->commands[entry->command].lane,
		.command = entry->command, .other = other_of(entry),
		.iteration = entry->iteration, .thread = entry->thread,
		.start_ns = entry->start_ns, .end_ns = entry->end_ns,
	};

	return PLAIT__STRUCT_WRITE(plait_record, given, &ours, error);
}

/* `pull` has checked that there is room for all records. */
static plait_status write_records(const plait__run *run,
				  const plait__recording *recording,
				  plait_record *records, plait_error *error)
{
	uint32_t stride = records->size;
	char *at = (char *)records;
	plait_status status = PLAIT_OK;

	if (stride % sizeof(uint64_t) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_record: size %u; set it to "
				   "sizeof(plait_record)", stride);
	for (uint32_t l = 0; l < recording->ring_count; l++) {
		const plait__record_ring *ring = &recording->rings[l];
		uint32_t kept = plait__recorder_entry_count(ring);

		for (uint32_t i = 0; status == PLAIT_OK && i < kept; i++) {
			memcpy(at, &stride, sizeof(stride));
			status = write_record(run->program->plan, l,
					      plait__recorder_entry_at(ring, i),
					      at, error);
			at += stride;
		}
	}
	return status;
}

/* Write the records of a run that is over; `records` null: count them. */
static plait_status pull(const plait__run *run, plait_record *records,
			 uint64_t count, uint64_t *out_count,
			 uint64_t *out_dropped, plait_error *error)
{
	const plait__recording *recording;
	plait_status status = find_recording(run, &recording, error);
	uint64_t there;

	if (status != PLAIT_OK)
		return status;
	there = plait__recorder_count(recording);
	if (out_count != NULL)
		*out_count = there;
	if (out_dropped != NULL)
		*out_dropped = plait__recorder_dropped(recording);
	if (records == NULL || there == 0)
		return PLAIT_OK;
	if (count < there)
		return plait__fail(error, PLAIT_E_INVALID,
				   "room for %llu records, there are %llu",
				   (unsigned long long)count,
				   (unsigned long long)there);
	return write_records(run, recording, records, error);
}

PLAIT_API plait_status plait_run_records(plait_run *run,
					 plait_record *records, uint64_t count,
					 uint64_t *out_count,
					 uint64_t *out_dropped,
					 plait_error *error)
{
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = pull(self, records, count, out_count, out_dropped, error);
	plait__object_leave(&self->object);
	return status;
}

/* ---- as text ---- */

static void fill_span(const plait__recording *recording, uint32_t lane,
		      const plait__record_entry *entry, plait__trace_span *span)
{
	static const uint8_t kinds[] = {
		[PLAIT_RECORD_COMMAND] = PLAIT__SPAN_COMMAND,
		[PLAIT_RECORD_WAIT] = PLAIT__SPAN_WAIT,
		[PLAIT_RECORD_DECISION] = PLAIT__SPAN_DECISION,
	};

	*span = (plait__trace_span){
		.start = entry->start_ns - recording->begin_ns,
		.end = entry->end_ns - recording->begin_ns,
		.iteration = entry->iteration, .thread = entry->thread,
		.kind = kinds[entry->kind], .lane = lane,
		.command = entry->command, .other = entry->other,
	};
}

/* The trace has room for all entries of the rings. */
static void fill_trace(const plait__recording *recording, plait__trace *trace)
{
	plait__trace_span *span = trace->spans;

	for (uint32_t l = 0; l < recording->ring_count; l++) {
		const plait__record_ring *ring = &recording->rings[l];
		uint32_t kept = plait__recorder_entry_count(ring);

		for (uint32_t i = 0; i < kept; i++)
			fill_span(recording, l,
				  plait__recorder_entry_at(ring, i), span++);
	}
	/* One ring: one thread ran all lanes.  A plan of nothing has no
	 * lanes. */
	trace->lane_count = recording->ring_count == 1 &&
			    trace->plan->lanes_count > 1 ? 1 :
			    trace->plan->lanes_count;
	trace->folded = recording->ring_count < trace->lane_count ?
			recording->ring_count : 0;
	trace->begin_ns = recording->begin_ns;
	trace->makespan = recording->end_ns - recording->begin_ns;
	trace->dropped = plait__recorder_dropped(recording);
}

static plait_status draw(plait__trace *trace, plait__text *text,
			 plait_error *error)
{
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(trace->plan, NULL,
						   text->allocator, &timeline,
						   error);

	if (status != PLAIT_OK)
		return status;
	plait__trace_svg(trace, timeline, text);
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

/* Write the run as JSON or SVG to `text`.  PLAIT_E_NOMEM, or what draw
 * returns. */
static plait_status write_trace(const plait__run *run,
				const plait__recording *recording,
				int32_t format, plait__text *text,
				plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__trace trace;

	if (plait__trace_init(&trace, run->program->plan, (uint32_t)
			      plait__recorder_count(recording),
			      text->allocator)) {
		fill_trace(recording, &trace);
		text->failed = !plait__trace_finish(&trace);
	} else {
		text->failed = true;
	}
	if (!text->failed && format == PLAIT_TRACE_JSON)
		plait__trace_json(&trace, text);
	else if (!text->failed)
		status = draw(&trace, text, error);
	plait__trace_fini(&trace);
	if (status == PLAIT_OK && text->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to write what a run did");
	return status;
}

static plait_status hand_out(const plait__text *text, void *buffer,
			     uint64_t capacity_bytes, uint64_t *out_bytes,
			     plait_error *error)
{
	if (out_bytes != NULL)
		*out_bytes = text->length;
	if (buffer == NULL)
		return PLAIT_OK;
	if (capacity_bytes < text->length)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the text needs %llu bytes, the buffer has "
				   "%llu", (unsigned long long)text->length,
				   (unsigned long long)capacity_bytes);
	memcpy(buffer, plait__text_get(text), text->length);
	return PLAIT_OK;
}

static plait_status write_run(const plait__run *run, int32_t format,
			      void *buffer, uint64_t capacity_bytes,
			      uint64_t *out_bytes, plait_error *error)
{
	const plait__recording *recording;
	plait__text text;
	plait_status status = find_recording(run, &recording, error);

	if (status == PLAIT_OK && format != PLAIT_TRACE_JSON &&
	    format != PLAIT_TRACE_SVG)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "format %d is not one of PLAIT_TRACE_...",
				     format);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__program_allocator(run->program));
	status = write_trace(run, recording, format, &text, error);
	if (status == PLAIT_OK)
		status = hand_out(&text, buffer, capacity_bytes, out_bytes,
				  error);
	plait__text_fini(&text);
	return status;
}

PLAIT_API plait_status plait_run_write(plait_run *run, int32_t format,
				       void *buffer, uint64_t capacity_bytes,
				       uint64_t *out_bytes, plait_error *error)
{
	plait__run *self;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__run_enter(run, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = write_run(self, format, buffer, capacity_bytes, out_bytes,
			   error);
	plait__object_leave(&self->object);
	return status;
}
