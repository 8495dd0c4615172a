/* SPDX-License-Identifier: MIT */
/*
 * Validation of submissions: handles, ranges, kinds, waits that can end,
 * emissions in order.
 */
#include "check.h"

const plait_submission *plaitp_check_nth(const plait_submission *submissions,
					 uint32_t index)
{
	const unsigned char *bytes = (const void *)submissions;

	return (const plait_submission *)(const void *)
		(bytes + (uint64_t)index * submissions[0].size);
}

const plait_work *plaitp_check_work(const plait_submission *submission,
				    uint32_t index)
{
	const unsigned char *bytes = (const void *)submission->work;

	return (const plait_work *)(const void *)
		(bytes + (uint64_t)index * submission->work[0].size);
}

static bool reject(check *self, uint32_t index, const char *what)
{
	plaitp_check_report(self, CHECK_CORE, self->slot, "command %u: %s",
			    index, what);
	return false;
}

static bool check_range(check *self, uint32_t index, const char *side,
			const plait_backend_memory *handle, uint64_t offset,
			uint64_t bytes)
{
	const check_memory *memory =
		plaitp_check_find(self, self->slot, CHECK_MEMORY, handle);
	uint64_t end;

	if (!memory)
		return false;
	if (!__builtin_add_overflow(offset, bytes, &end) &&
	    end <= memory->bytes)
		return true;
	plaitp_check_report(self, CHECK_CORE, self->slot,
			 "command %u: %s range %llu+%llu is outside its %llu "
			    "bytes", index, side, (unsigned long long)offset,
			    (unsigned long long)bytes,
			    (unsigned long long)memory->bytes);
	return false;
}

/* Check that a side is no part of a row of an image. */
static bool check_whole_rows(check *self, uint32_t index,
			     const check_memory *memory, uint64_t offset,
			     const plait_work *work)
{
	uint64_t row = memory->row_bytes;

	if (row == 0)
		return true;
	if (work->kind == PLAIT_WORK_FILL || work->rows)
		return reject(self, index, "an image takes no fills and rows");
	return (offset % row == 0 && work->bytes % row == 0) ||
		reject(self, index, "an image is moved by whole rows");
}

/* Bytes from the first to the last byte of the rows, each of work->bytes;
 * UINT64_MAX if they are not valid. One row is a plain copy. */
static uint64_t rows_bytes(const plait_work *work, uint64_t row, uint64_t slice)
{
	uint64_t rows = work->rows->rows, slices = work->rows->slices;
	uint64_t least, bytes;

	if (rows < 2 || slices == 0 || row < work->bytes || row == 0 ||
	    __builtin_mul_overflow(rows, row, &least) || slice < least ||
	    slice % row != 0 ||
	    __builtin_mul_overflow(slices - 1, slice, &bytes) ||
	    __builtin_add_overflow(bytes, least - row + work->bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

static uint64_t target_bytes(const plait_work *work)
{
	return !work->rows ? work->bytes :
		rows_bytes(work, work->rows->target_row,
			   work->rows->target_slice);
}

static uint64_t source_bytes(const plait_work *work)
{
	return !work->rows ? work->bytes :
		rows_bytes(work, work->rows->source_row,
			   work->rows->source_slice);
}

static bool check_target(check *self, uint32_t index, const plait_work *work)
{
	return check_range(self, index, "target", work->target,
			   work->target_offset, target_bytes(work)) &&
		check_whole_rows(self, index, work->target,
				 work->target_offset, work);
}

static bool check_source(check *self, uint32_t index, const plait_work *work)
{
	return check_range(self, index, "source", work->source,
			   work->source_offset, source_bytes(work)) &&
		check_whole_rows(self, index, work->source,
				 work->source_offset, work);
}

/* Check that the kind and the device take rows, and that the rows are valid. */
static bool check_rows(check *self, uint32_t device, uint32_t index,
		       const plait_work *work)
{
	if (!work->rows)
		return true;
	if (work->kind != PLAIT_WORK_COPY && work->kind != PLAIT_WORK_READ &&
	    work->kind != PLAIT_WORK_WRITE)
		return reject(self, index, "its kind has no rows");
	if (!(self->devices[device].capabilities & PLAIT_CAP_ROWS))
		return reject(self, index, "this device takes no rows");
	if (work->rows->size < sizeof(*work->rows))
		return reject(self, index, "its rows are too short");
	if (target_bytes(work) == UINT64_MAX ||
	    source_bytes(work) == UINT64_MAX)
		return reject(self, index, "its rows are not valid");
	return true;
}

static bool check_host(check *self, uint32_t index, const plait_work *work)
{
	return work->host || work->bytes == 0 ||
		reject(self, index, "its host pointer is null");
}

static bool check_copy(check *self, uint32_t index, const plait_work *work)
{
	uint64_t a = work->target_offset, b = work->source_offset;

	if (!check_target(self, index, work) ||
	    !check_source(self, index, work))
		return false;
	if (work->target == work->source && work->bytes > 0 && !work->rows &&
	    a < b + work->bytes && b < a + work->bytes)
		return reject(self, index, "source and target overlap");
	return true;
}

static bool check_fill(check *self, uint32_t index, const plait_work *work)
{
	uint32_t bytes = work->pattern_bytes;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return reject(self, index, "a pattern has 1, 2, 4 or 8 bytes");
	return check_target(self, index, work);
}

static bool check_function(check *self, const check_queue *queue,
			   uint32_t index, const plait_work *work)
{
	if (!work->function)
		return reject(self, index, "its function is null");
	if (!(self->devices[queue->device].capabilities &
	      PLAIT_CAP_HOST_CALL))
		return reject(self, index,
			      "this device runs no host functions");
	return true;
}

static bool check_launch_work(check *self, uint32_t device, uint32_t index,
			      const plait_work *work)
{
	check_launch *launch = plaitp_check_find(self, self->slot,
						 CHECK_LAUNCH, work->launch);

	if (!launch)
		return false;
	if (launch->kernel->device != device)
		return reject(self, index, "its launch is for another device");
	return true;
}

static bool check_segment_work(check *self, uint32_t device, uint32_t index,
			       const plait_work *work)
{
	check_segment *segment = plaitp_check_find(
		self, self->slot, CHECK_SEGMENT, work->segment);

	if (!segment)
		return false;
	if (segment->device != device)
		return reject(self, index, "its segment is of another device");
	if (segment->uses > 0 && !self->model_off)
		return reject(self, index, "its segment is not idle");
	for (uint32_t i = 0; i < segment->work_count; i++)
		if (segment->work[i].kind == PLAIT_WORK_LAUNCH &&
		    !segment->work[i].launch)
			return reject(self, index, "its segment has a launch "
				      "that was destroyed");
	return true;
}

static bool is_on_device(const plait_backend_memory *memory, uint32_t device)
{
	return memory->device == device;
}

static bool check_region(check *self, uint32_t device, uint32_t index,
			 const plait_work *work)
{
	const plait_work_region *region = work->region;

	if (!(self->devices[device].capabilities & PLAIT_CAP_REGION))
		return reject(self, index, "this device decides no regions");
	if (!region || region->size < sizeof(*region) ||
	    (region->kind > PLAIT_WORK_CASE && region->kind != PLAIT_WORK_IF) ||
	    !region->body_work || region->body_count == 0 ||
	    (region->kind != PLAIT_WORK_CASE && region->body_count > 1))
		return reject(self, index, "its region is not valid");
	if (work->bytes != 4 || work->source_offset % 4 != 0)
		return reject(self, index,
			      "its predicate is not 4 aligned bytes");
	return check_source(self, index, work) &&
		(is_on_device(work->source, device) ||
		 reject(self, index, "is in memory of another device"));
}

/* Returns false after a report.  Caller holds the lock. */
bool plaitp_check_submission_segment_work(check *self, uint32_t device,
					  uint32_t index,
					  const plait_work *work)
{
	if (!check_rows(self, device, index, work))
		return false;
	switch (work->kind) {
	case PLAIT_WORK_NOP:
		return true;
	case PLAIT_WORK_LAUNCH:
		return check_launch_work(self, device, index, work);
	case PLAIT_WORK_COPY:
		return check_copy(self, index, work) &&
			((is_on_device(work->target, device) &&
			  is_on_device(work->source, device)) ||
			 reject(self, index, "is in memory of another device"));
	case PLAIT_WORK_FILL:
		return check_fill(self, index, work) &&
			(is_on_device(work->target, device) ||
			 reject(self, index, "is in memory of another device"));
	case PLAIT_WORK_REGION:
		return check_region(self, device, index, work);
	default:
		return reject(self, index, "a segment holds no such kind");
	}
}

/* False after a report. */
static bool check_work(check *self, const check_queue *queue, uint32_t index,
		       const plait_work *work)
{
	switch (work->kind) {
	case PLAIT_WORK_NOP:
		return true;
	case PLAIT_WORK_CALL:
		return check_function(self, queue, index, work);
	case PLAIT_WORK_LAUNCH:
		return check_launch_work(self, queue->device, index, work);
	case PLAIT_WORK_SEGMENT:
		return check_segment_work(self, queue->device, index, work);
	case PLAIT_WORK_COPY:
		return check_copy(self, index, work);
	case PLAIT_WORK_FILL:
		return check_fill(self, index, work);
	case PLAIT_WORK_READ:
		return check_source(self, index, work) &&
			check_host(self, index, work);
	case PLAIT_WORK_WRITE:
		return check_target(self, index, work) &&
			check_host(self, index, work);
	default:
		return reject(self, index, "its kind is not known");
	}
}

/* Count the emission if it is the next one. */
static bool check_emission(check *self, const plait_submission *submission,
			   uint32_t index)
{
	const plait_backend_point *point = &submission->emits[index];
	check_signal *signal = plaitp_check_find(
		self, self->slot, CHECK_SIGNAL, point->signal);

	if (!signal)
		return false;
	if (signal->gate) {
		plaitp_check_report(self, CHECK_CORE, self->slot,
				    "gate %llu is emitted by a queue",
				    (unsigned long long)signal->object.number);
		return false;
	}
	if (point->sequence == signal->submitted + 1) {
		signal->submitted++;
		return true;
	}
	plaitp_check_report(self, CHECK_CORE, self->slot,
			    "signal %llu emits %llu, next is %llu",
			    (unsigned long long)signal->object.number,
			    (unsigned long long)point->sequence,
			    (unsigned long long)signal->submitted + 1);
	return false;
}

static bool check_arrays(check *self, const plait_submission *submission)
{
	const char *what = NULL;

	if (submission->flags)
		what = "its flags are not known";
	else if (submission->work_count > 0 &&
		 (!submission->work ||
		  submission->work[0].size < sizeof(plait_work)))
		what = "its work is null or too short";
	else if ((submission->wait_count > 0 && !submission->waits) ||
		 (submission->emit_count > 0 && !submission->emits))
		what = "its waits or emissions are null";
	if (what)
		plaitp_check_report(self, CHECK_CORE, self->slot,
				    "submission: %s", what);
	return !what;
}

/* Returns true for a series of an argument of a launch of the submission. */
static bool is_series(const plait_submission *submission, uint32_t index)
{
	const unsigned char *bytes = (const void *)submission->series;
	const plait_work_series *series = (const void *)
		(bytes + (uint64_t)index * submission->series->size);

	return series->work < submission->work_count &&
		plaitp_check_work(submission, series->work)->kind ==
			PLAIT_WORK_LAUNCH;
}

static bool can_repeat(const plait_work *work)
{
	return work->kind == PLAIT_WORK_NOP || work->kind == PLAIT_WORK_COPY ||
		work->kind == PLAIT_WORK_FILL ||
		work->kind == PLAIT_WORK_LAUNCH;
}

static bool check_times(check *self, const check_queue *queue,
			const plait_submission *submission)
{
	const char *what = NULL;

	if (submission->times < 2 && submission->series_count == 0)
		return true;
	if (submission->series_count > 0 &&
	    (!submission->series ||
	     submission->series->size < sizeof(plait_work_series)))
		what = "its series are null or too short";
	for (uint32_t i = 0; !what && i < submission->series_count; i++)
		if (!is_series(submission, i))
			what = "a series of it is of no launch";
	for (uint32_t i = 0; !what && submission->times > 1 &&
	     i < submission->work_count; i++)
		if (!can_repeat(plaitp_check_work(submission, i)))
			what = "work of it cannot be repeated";
	if (!what && !self->devices[queue->device].repeats)
		what = "its device does not repeat work";
	if (what)
		plaitp_check_report(self, CHECK_CORE, self->slot,
				    "submission: %s", what);
	return !what;
}

/* `out_emitted`: number of emissions that were counted.  A false answer comes
 * after a report; the caller uncounts. */
static bool check_one(check *self, const check_queue *queue,
		      const plait_submission *submission,
		      uint32_t *out_emitted)
{
	*out_emitted = 0;
	if (!check_arrays(self, submission) ||
	    !check_times(self, queue, submission))
		return false;
	for (uint32_t i = 0; i < submission->work_count; i++)
		if (!check_rows(self, queue->device, i,
				plaitp_check_work(submission, i)) ||
		    !check_work(self, queue, i,
				plaitp_check_work(submission, i)))
			return false;
	for (uint32_t i = 0; i < submission->wait_count; i++)
		if (!plaitp_check_signal_point(self, self->slot,
					       &submission->waits[i]))
			return false;
	for (; *out_emitted < submission->emit_count; ++*out_emitted)
		if (!check_emission(self, submission, *out_emitted))
			return false;
	return true;
}

void plaitp_check_submission_uncount(const plait_submission *submissions,
				     uint32_t count, uint32_t emitted)
{
	while (count-- > 0) {
		const plait_submission *submission =
			plaitp_check_nth(submissions, count);

		for (uint32_t i = emitted; i > 0; i--)
			submission->emits[i - 1].signal->submitted--;
		if (count > 0)
			emitted = plaitp_check_nth(submissions,
						   count - 1)->emit_count;
	}
}

/* Counts emissions in signal->submitted; none after a report.  Caller holds the
 * lock. */
bool plaitp_check_submission_validate(check *self, const check_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count)
{
	uint32_t emitted;

	if (count > 0 && (!submissions ||
			  submissions[0].size < sizeof(*submissions)))
		return reject(self, 0, "its submissions are null or too short");
	for (uint32_t i = 0; i < count; i++)
		if (!check_one(self, queue, plaitp_check_nth(submissions, i),
			       &emitted)) {
			plaitp_check_submission_uncount(submissions, i + 1,
							emitted);
			return false;
		}
	return true;
}
