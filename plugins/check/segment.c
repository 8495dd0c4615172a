/* SPDX-License-Identifier: MIT */
/*
 * Slots of segments.  Checks their commands and order, and that only idle
 * segments are patched, submitted or destroyed.  A segment counts as a use of
 * its memory; its launches may be destroyed first.
 */
#include <string.h>

#include "check.h"

static const plait_work *nth(const plait_work *work, uint32_t index)
{
	const unsigned char *bytes = (const void *)work;

	return (const plait_work *)(const void *)
		(bytes + (uint64_t)index * work->size);
}

/* ---- requests ---- */

static const char *find_violation(const check *self, uint32_t device,
				  const plait_segment_request *request)
{
	if (device >= self->device_count)
		return "there is no such device";
	if (!(self->devices[device].capabilities & PLAIT_CAP_SEGMENT))
		return "this device has no segments";
	if (request->size < sizeof(*request) || request->flags)
		return "the request is too short, or has flags that are not "
			"known";
	if (request->work_count == 0 || !request->work ||
	    request->work[0].size < sizeof(plait_work))
		return "its work is empty, null or too short";
	return !request->before_first ? "its order is null" : NULL;
}

/* Every predecessor has a lower number. */
static bool is_order(const plait_segment_request *request)
{
	const uint32_t *first = request->before_first;

	if (first[0] != 0)
		return false;
	for (uint32_t i = 0; i < request->work_count; i++) {
		if (first[i + 1] < first[i] ||
		    (first[i + 1] > first[i] && !request->before))
			return false;
		for (uint32_t b = first[i]; b < first[i + 1]; b++)
			if (request->before[b] >= i)
				return false;
	}
	return true;
}

/* The end of a command with its bodies, which begin behind it; 0 if they exceed
 * `limit`. */
static uint32_t find_end(const plait_segment_request *request, uint32_t command,
			 uint32_t limit)
{
	const plait_work *work = nth(request->work, command);
	uint32_t end = command + 1;

	if (work->kind != PLAIT_WORK_REGION)
		return end;
	for (uint32_t i = 0; i < work->region->body_count; i++) {
		if (work->region->body_work[i] > limit - end)
			return 0;
		end += work->region->body_work[i];
	}
	return end;
}

/* Check that the predecessors of commands [first, end) are commands of the same
 * body. */
static const char *check_order(const plait_segment_request *request,
			       uint32_t first, uint32_t end)
{
	uint32_t next;

	for (uint32_t i = first; i < end; i = next) {
		next = find_end(request, i, end);
		if (next == 0)
			return "a body exceeds its region";
		for (uint32_t b = request->before_first[i];
		     b < request->before_first[i + 1]; b++) {
			uint32_t at = first;

			if (request->before[b] < first)
				return "a command is behind one outside of "
					"its body";
			while (at < request->before[b])
				at = find_end(request, at, end);
			if (at != request->before[b])
				return "a command is behind one inside of a "
					"body";
		}
	}
	return NULL;
}

/* Returns true if the decider is 0, or a launch of the loop's body outside of
 * nested bodies. */
static bool decides(const plait_segment_request *request, uint32_t command)
{
	const plait_work_region *region = nth(request->work, command)->region;
	uint32_t end = command + 1 + region->body_work[0], at = command + 1;

	if (region->decider == 0)
		return true;
	while (at < end && at < region->decider)
		at = find_end(request, at, end);
	return region->kind <= PLAIT_WORK_DO && at < end &&
	       at == region->decider &&
	       nth(request->work, at)->kind == PLAIT_WORK_LAUNCH;
}

/* Check the bodies of all regions; return a description of the violation, or
 * null. */
static const char *find_bad_body(const plait_segment_request *request)
{
	const char *fault = check_order(request, 0, request->work_count);

	for (uint32_t i = 0; i < request->work_count && !fault; i++) {
		const plait_work *work = nth(request->work, i);
		uint32_t first = i + 1;

		if (work->kind != PLAIT_WORK_REGION)
			continue;
		for (uint32_t b = 0; b < work->region->body_count && !fault;
		     b++) {
			if (work->region->body_work[b] >
			    request->work_count - first)
				return "a body has more commands than the "
					"segment";
			fault = check_order(request, first, first +
					    work->region->body_work[b]);
			first += work->region->body_work[b];
		}
		if (!fault && !decides(request, i))
			return "the decider of a loop is no launch of its body";
	}
	return fault;
}

/* False after a report. */
static bool is_right(check *self, uint32_t device,
		     const plait_segment_request *request)
{
	const char *fault = find_violation(self, device, request);

	if (!fault && !is_order(request))
		fault = "a command is behind one that is not lower";
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, self->slot, "%s", fault);
		return false;
	}
	for (uint32_t i = 0; i < request->work_count; i++)
		if (!plaitp_check_submission_segment_work(self, device, i,
					 nth(request->work, i)))
			return false;
	if (!fault)
		fault = find_bad_body(request);
	if (fault)
		plaitp_check_report(self, CHECK_CORE, self->slot, "%s", fault);
	return !fault;
}

/* ---- what a segment has ---- */

static void use(const plait_work *work, bool begins)
{
	check_memory *const both[] = {
		plaitp_check_submit_writes(work) ? work->target : NULL,
		plaitp_check_submit_reads(work) ? work->source : NULL,
	};

	for (int i = 0; i < 2; i++)
		if (both[i] && begins)
			both[i]->uses++;
		else if (both[i])
			both[i]->uses--;
}

/* Caller holds the lock.  A segment that runs is reported. */
void plaitp_check_segment_forget_launch(check *self, const char *slot,
					const check_launch *launch)
{
	for (check_segment *segment = self->segments; segment;
	     segment = segment->next)
		for (uint32_t i = 0; i < segment->work_count; i++) {
			if (segment->work[i].launch != launch)
				continue;
			if (segment->uses > 0 && !self->model_off)
				plaitp_check_report(
					self, CHECK_CORE, slot,
					"segment %llu has it and is not idle",
					(unsigned long long)
						segment->object.number);
			segment->work[i].launch = NULL;
		}
}

/* With the core's handles, whose uses it counts; null without memory. */
static check_segment *add(check *self, uint32_t device,
			  const plait_segment_request *request)
{
	check_segment *segment = plaitp_check_add(
		self, CHECK_SEGMENT, sizeof(*segment) +
		(uint64_t)request->work_count * sizeof(plait_work));

	if (!segment)
		return NULL;
	segment->device = device;
	segment->work_count = request->work_count;
	segment->work = (plait_work *)(void *)(segment + 1);
	for (uint32_t i = 0; i < segment->work_count; i++) {
		memcpy(&segment->work[i], nth(request->work, i),
		       sizeof(plait_work));
		if (segment->work[i].kind != PLAIT_WORK_LAUNCH)
			segment->work[i].launch = NULL;
		use(&segment->work[i], true);
	}
	segment->next = self->segments;
	if (segment->next)
		segment->next->previous = segment;
	self->segments = segment;
	return segment;
}

static void retire_segment(check *self, check_segment *segment)
{
	for (uint32_t i = 0; i < segment->work_count; i++)
		use(&segment->work[i], false);
	if (segment->previous)
		segment->previous->next = segment->next;
	else
		self->segments = segment->next;
	if (segment->next)
		segment->next->previous = segment->previous;
	plaitp_check_retire(self, &segment->object);
}

/* ---- slots ---- */

/* Build with the backend's handles; without the lock. */
static plait_status create(check *self, check_segment *segment,
			   const plait_segment_request *request,
			   plait_error *error)
{
	plait_segment_request changed = *request;
	uint64_t bytes = (uint64_t)request->work_count * sizeof(plait_work);
	plait_work *work = self->services->resize(self->host, NULL, 0, bytes);
	plait_error mine = plaitp_check_record();
	plait_status status;

	if (!work)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	for (uint32_t i = 0; i < request->work_count; i++)
		plaitp_check_submit_translate(&work[i], &segment->work[i]);
	changed.size = sizeof(changed);
	changed.work = work;
	status = self->inner_table->segment_create(
		self->inner, segment->device, &changed, &segment->inner,
		&mine);
	self->services->resize(self->host, work, bytes, 0);
	return plaitp_check_result(self, "segment_create", status, false,
				   &mine, error);
}

plait_status plaitp_check_segment_create(plait_backend *backend,
					 uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error)
{
	static const char slot[] = "segment_create";
	check *self = check_of(backend);
	check_segment *segment = NULL;
	plait_status status;

	*out = NULL;
	plaitp_check_enter(self, slot);
	if (!is_right(self, device, request)) {
		status = plaitp_check_report_error(self, error);
	} else {
		segment = add(self, device, request);
		status = segment ? PLAIT_OK :
			self->services->fail(error, PLAIT_E_NOMEM, 0,
					     "check: no memory");
	}
	plaitp_check_leave(self);
	if (!segment)
		return status;
	status = create(self, segment, request, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !segment->inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				 "succeeded without giving a segment (P-G01)");
		status = plaitp_check_report_error(self, error);
	}
	if (status == PLAIT_OK)
		*out = segment;
	else
		retire_segment(self, segment);
	pthread_mutex_unlock(&self->lock);
	return status;
}

/* A live and idle segment; null after a report. */
static check_segment *find_idle(check *self,
				const plait_backend_segment *handle)
{
	check_segment *segment = plaitp_check_find(self, self->slot,
						   CHECK_SEGMENT, handle);

	if (segment && segment->uses > 0 && !self->model_off) {
		plaitp_check_report(self, CHECK_CORE, self->slot,
				    "segment %llu is in %llu batches that are "
				    "not done",
				    (unsigned long long)segment->object.number,
				    (unsigned long long)segment->uses);
		return NULL;
	}
	return segment;
}

void plaitp_check_segment_destroy(plait_backend *backend,
				  plait_backend_segment *handle)
{
	check *self = check_of(backend);
	plait_backend_segment *inner = NULL;
	check_segment *segment;

	plaitp_check_enter(self, "segment_destroy");
	segment = find_idle(self, handle);
	if (segment) {
		inner = segment->inner;
		retire_segment(self, segment);
	}
	plaitp_check_leave(self);
	if (inner)
		self->inner_table->segment_destroy(self->inner, inner);
}

/* Null after a report. */
static check_segment *find_to_patch(check *self,
				    const plait_backend_segment *handle,
				    uint32_t index, const plait_work *work)
{
	check_segment *segment = find_idle(self, handle);

	if (!segment)
		return NULL;
	if (index >= segment->work_count || !work ||
	    work->size < sizeof(*work) ||
	    work->kind == PLAIT_WORK_REGION ||
	    work->kind != segment->work[index].kind) {
		plaitp_check_report(self, CHECK_CORE, self->slot,
				 "segment %llu has no command %u of that kind",
				    (unsigned long long)segment->object.number,
				    index);
		return NULL;
	}
	return plaitp_check_submission_segment_work(
		self, segment->device, index, work) ? segment : NULL;
}

plait_status plaitp_check_segment_patch(plait_backend *backend,
					plait_backend_segment *handle,
					uint32_t index, const plait_work *work,
					plait_error *error)
{
	static const char slot[] = "segment_patch";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_segment *segment;
	plait_work inner;

	plaitp_check_enter(self, slot);
	segment = find_to_patch(self, handle, index, work);
	if (segment)
		plaitp_check_submit_translate(&inner, work);
	else
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (!segment)
		return status;
	status = self->inner_table->segment_patch(self->inner, segment->inner,
						  index, &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	if (status != PLAIT_OK)
		return status;
	pthread_mutex_lock(&self->lock);
	use(&segment->work[index], false);
	memcpy(&segment->work[index], work, sizeof(*work));
	if (work->kind != PLAIT_WORK_LAUNCH)
		segment->work[index].launch = NULL;
	use(&segment->work[index], true);
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

static plait_backend_segment *find_to_stop(check *self,
					   const plait_backend_segment *handle,
					   uint32_t stop)
{
	check_segment *segment = stop ?
		plaitp_check_find(self, self->slot, CHECK_SEGMENT, handle) :
		find_idle(self, handle);

	if (segment && !(self->devices[segment->device].capabilities &
			 PLAIT_CAP_REGION)) {
		plaitp_check_report(self, CHECK_CORE, self->slot,
				    "this device decides no regions");
		return NULL;
	}
	return segment ? segment->inner : NULL;
}

plait_status plaitp_check_segment_stop(plait_backend *backend,
				       plait_backend_segment *handle,
				       uint32_t stop, plait_error *error)
{
	static const char slot[] = "segment_stop";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_segment *inner;
	plait_status status = PLAIT_OK;

	plaitp_check_enter(self, slot);
	inner = find_to_stop(self, handle, stop);
	if (!inner)
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (!inner)
		return status;
	status = self->inner_table->segment_stop(self->inner, inner, stop,
						 &mine);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}
