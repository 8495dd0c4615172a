/* SPDX-License-Identifier: MIT */
/* Warnings of copies and evictions of a flow's devices; see traffic.h. */
#include "flow/show/traffic.h"

#include "plan/io/escape.h"

#include <inttypes.h>

uint32_t plait__traffic_run(const plait__traffic_evictions *evictions,
			    uint32_t task)
{
	const uint32_t horizon = 1 + task / PLAIT__WARNING_HORIZON;

	if (horizon == evictions->horizon)
		return evictions->run;
	return evictions->horizon + 1 == horizon ? evictions->run + 1 : 1;
}

void plait__traffic_evict(plait__traffic_evictions *evictions, uint32_t task)
{
	evictions->run = plait__traffic_run(evictions, task);
	evictions->horizon = 1 + task / PLAIT__WARNING_HORIZON;
}

static plait__traffic_warning *find_evictions(const plait__record *record,
					      uint32_t memory)
{
	for (uint32_t i = 0; i < record->traffic.count; i++) {
		plait__traffic_warning *at = plait__vector_at(&record->traffic,
							      i);

		if (at->kind == PLAIT__TRAFFIC_EVICTIONS &&
		    at->memory == memory)
			return at;
	}
	return NULL;
}

void plait__traffic_warn(plait__record *record,
			 const plait__traffic_warning *warning)
{
	plait__traffic_warning *same =
		warning->kind == PLAIT__TRAFFIC_EVICTIONS ?
			find_evictions(record, warning->memory) : NULL;

	if (same == NULL)
		record->failed |= PLAIT__VECTOR_ADD(&record->traffic,
						    warning) == NULL;
	else if (warning->count > same->count)
		same->count = warning->count;
}

/* ---- forms ---- */

static const char *name_of(const plait__record *record,
			   const plait__traffic_warning *warning)
{
	return plait__record_name(
		record, plait__record_data_at(record, warning->data)->label);
}

static void add_text(const plait__record *record,
		     const plait__traffic_warning *warning, plait__text *out)
{
	const plait__record_task *task;

	if (warning->kind == PLAIT__TRAFFIC_EVICTIONS) {
		plait__text_add(out, "warning: memory %" PRIu32 " evicts "
				"buffers in %" PRIu32 " horizons of %d tasks "
				"in a row\n", warning->memory, warning->count,
				PLAIT__WARNING_HORIZON);
		return;
	}
	task = plait__record_task_at(record, warning->task);
	plait__text_add(out, "warning: task %" PRIu64 " \"%s\" needs %" PRIu32
			" copies of %s of less than %d bytes to memory %"
			PRIu32 "\n", task->number,
			plait__record_name(record, task->label),
			warning->count, name_of(record, warning),
			PLAIT__WARNING_COPY_BYTES, warning->memory);
}

void plait__traffic_text(const plait__record *record, plait__text *out)
{
	for (uint32_t i = 0; i < record->traffic.count; i++)
		add_text(record, plait__vector_at(&record->traffic, i), out);
}

void plait__traffic_json(const plait__record *record, bool begun,
			 plait__text *out)
{
	for (uint32_t i = 0; i < record->traffic.count; i++) {
		const plait__traffic_warning *at =
			plait__vector_at(&record->traffic, i);
		const bool is_copies = at->kind == PLAIT__TRAFFIC_COPIES;

		plait__text_add(out, "%s\n{\"warning\":\"%s\",\"memory\":%"
				PRIu32 ",\"count\":%" PRIu32,
				i > 0 || begun ? "," : "",
				is_copies ? "copies" : "evictions", at->memory,
				at->count);
		if (is_copies) {
			plait__text_add(out, ",\"task\":%" PRIu64 ",\"data\":",
					plait__record_task_at(
						record, at->task)->number);
			plait__escape_json_string(name_of(record, at), out);
		}
		plait__text_add(out, "}");
	}
}
