/* SPDX-License-Identifier: MIT */
/* Execution of one command by the backend that sins; see base.h. */
#include "base.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

static void fill(const plait_work *work)
{
	char *target = work->target->data + work->target_offset;
	uint64_t bytes = work->bytes;
	unsigned char pattern[8];

	memcpy(pattern, &work->pattern, sizeof(pattern));
	if (SINS(FILL_TAIL))
		bytes -= bytes % work->pattern_bytes;
	for (uint64_t i = 0; i < bytes; i++)
		target[i] = (char)pattern[i % work->pattern_bytes];
}

static void copy_rows(const plait_work_rows *rows, char *to, const char *from,
		      uint64_t bytes)
{
	uint64_t count = rows->rows - (SINS(ROW_LOST) && rows->slices > 1);

	for (uint64_t i = 0; i < rows->slices; i++)
		for (uint64_t k = 0; k < count; k++)
			memcpy(to + i * rows->target_slice +
				       k * rows->target_row,
			       from + i * rows->source_slice +
				       k * rows->source_row, bytes);
}

static void copy(const plait_work *work)
{
	char *to = work->host, *from = work->host;
	uint64_t bytes = work->bytes;

	if (work->kind != PLAIT_WORK_READ)
		to = work->target->data + work->target_offset;
	if (work->kind != PLAIT_WORK_WRITE)
		from = work->source->data + work->source_offset;
	if (SINS(ROWS_AT_TOP) && work->kind == PLAIT_WORK_COPY &&
	    work->target->image)
		to = work->target->data;
	if (bytes == 0)
		return;
	if (work->rows) {
		copy_rows(work->rows, to, from, bytes);
		return;
	}
	if (SINS(COPY_SHORT) && work->kind == PLAIT_WORK_COPY)
		bytes--;
	if (SINS(FAR_COPY) && work->kind == PLAIT_WORK_COPY &&
	    work->target->device != work->source->device)
		return;
	memcpy(to, from, bytes);
	if (SINS(PAST_END) && work->kind != PLAIT_WORK_READ &&
	    work->target_offset + bytes < work->target->bytes)
		to[bytes] = 0;
}

void sins_blame(const plait_work *work, const char *what, int32_t origin,
		plait_error *error)
{
	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	error->status = PLAIT_E_FAILED;
	error->origin = SINS(LOSES_ORIGIN) ? 0 : origin;
	if (SINS(LOSES_TEXT))
		snprintf(error->text, sizeof(error->text), "failed");
	else
		snprintf(error->text, sizeof(error->text),
			 "host function '%s' %s",
			 work->label ? work->label : "", what);
}

static plait_status call(const plait_work *work, plait_error *error)
{
	char what[32];
	int32_t value;

	if (SINS(MODES_DIRTY))
		fesetround(FE_DOWNWARD);
	value = work->function(work->user_data);
	if (SINS(CALLS_TWICE))
		value = work->function(work->user_data);
	if (value == 0 || SINS(SUCCEEDS_ALWAYS))
		return PLAIT_OK;
	snprintf(what, sizeof(what), "returned %d", value);
	sins_blame(work, what, value, error);
	return PLAIT_E_FAILED;
}

plait_status sins_work(plait_backend *self, const plait_work *work,
		       plait_error *error)
{
	switch (work->kind) {
	case PLAIT_WORK_LAUNCH:
		if (!SINS(LAUNCHES_EARLY))
			sins_launch_run(self, work);
		break;
	case PLAIT_WORK_SEGMENT:
		return sins_segment_run(self, work, error);
	case PLAIT_WORK_CALL:
		return call(work, error);
	case PLAIT_WORK_FILL:
		fill(work);
		break;
	case PLAIT_WORK_COPY:
	case PLAIT_WORK_READ:
	case PLAIT_WORK_WRITE:
		copy(work);
		break;
	}
	return PLAIT_OK;
}
