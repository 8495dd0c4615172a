/* SPDX-License-Identifier: MIT */
/*
 * Slot queue_submit: enters the batches into the model and passes them on with
 * the backend's handles and wrapped host functions.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"

/* Submissions for the backend, in one block. */
struct copy {
	void *block;
	uint64_t bytes;
	plait_submission *submissions;
	plait_backend_point *points;
	plait_work *work;
};

/* Returns true if work->source counts for the kind. */
bool plaitp_check_submit_reads(const plait_work *work)
{
	return work->kind == PLAIT_WORK_COPY ||
		work->kind == PLAIT_WORK_READ ||
		work->kind == PLAIT_WORK_REGION;
}

/* Returns true if work->target counts for the kind. */
bool plaitp_check_submit_writes(const plait_work *work)
{
	return work->kind == PLAIT_WORK_COPY ||
		work->kind == PLAIT_WORK_FILL || work->kind == PLAIT_WORK_WRITE;
}

static uint32_t count_calls(const plait_submission *submission)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < submission->work_count; i++)
		count += plaitp_check_work(submission, i)->kind ==
			PLAIT_WORK_CALL;
	return count;
}

/* A zeroed batch with room for the submission, or null. */
static check_batch *allocate_batch(check *self,
				   const plait_submission *submission)
{
	uint64_t calls = count_calls(submission);
	uint64_t points = (uint64_t)submission->wait_count +
		submission->emit_count;
	uint64_t launches = submission->work_count;
	uint64_t segments = launches, memories = 2 * launches;
	uint64_t bytes = sizeof(check_batch) +
		points * sizeof(plait_backend_point) +
		(memories + launches + segments + calls) * sizeof(void *);
	check_batch *batch = self->services->resize(self->host, NULL, 0,
						    bytes);

	if (!batch)
		return NULL;
	memset(batch, 0, bytes);
	batch->bytes = bytes;
	batch->provisional = true;
	batch->waits = (plait_backend_point *)(void *)(batch + 1);
	batch->emits = batch->waits + submission->wait_count;
	batch->memories = (check_memory **)(void *)
		(batch->emits + submission->emit_count);
	batch->launches = (check_launch **)(void *)
		(batch->memories + memories);
	batch->segments = (check_segment **)(void *)
		(batch->launches + launches);
	batch->calls = (check_call **)(void *)(batch->segments + segments);
	return batch;
}

static bool add_call(check *self, check_queue *queue, check_batch *batch,
		     const plait_work *work)
{
	check_call *call = plaitp_check_add(self, CHECK_CALL, sizeof(*call));

	if (!call)
		return false;
	call->self = self;
	call->queue = queue;
	call->batch = batch;
	call->index = batch->call_count;
	call->function = work->function;
	call->user_data = work->user_data;
	if (work->label)
		snprintf(call->label, sizeof(call->label), "%s", work->label);
	batch->calls[batch->call_count++] = call;
	return true;
}

static void add_memory(check_batch *batch, plait_backend_memory *memory)
{
	if (!memory)
		return;
	memory->uses++;
	batch->memories[batch->memory_count++] = memory;
}

static void add_launch(check_batch *batch, plait_backend_launch *launch)
{
	launch->uses++;
	batch->launches[batch->launch_count++] = launch;
}

static void add_segment(check_batch *batch, plait_backend_segment *segment)
{
	segment->uses++;
	batch->segments[batch->segment_count++] = segment;
}

/* Appends the batch, and counts uses of its signals. */
static void append(check_queue *queue, check_batch *batch,
		   const plait_submission *submission)
{
	for (uint32_t i = 0; i < submission->wait_count; i++) {
		batch->waits[i] = submission->waits[i];
		batch->waits[i].signal->uses++;
	}
	for (uint32_t i = 0; i < submission->emit_count; i++) {
		batch->emits[i] = submission->emits[i];
		batch->emits[i].signal->uses++;
	}
	batch->wait_count = submission->wait_count;
	batch->emit_count = submission->emit_count;
	if (queue->head)
		queue->tail->next = batch;
	else
		queue->head = batch;
	batch->previous = queue->head == batch ? NULL : queue->tail;
	queue->tail = batch;
}

/* Append to the model; false without memory.  The batch is in the queue then,
 * too; the caller retracts it. */
static bool enter_model(check *self, check_queue *queue,
			const plait_submission *submission,
			check_batch **out)
{
	check_batch *batch = allocate_batch(self, submission);

	if (!batch)
		return false;
	append(queue, batch, submission);
	*out = batch;
	for (uint32_t i = 0; i < submission->work_count; i++) {
		const plait_work *work = plaitp_check_work(submission, i);

		add_memory(batch, plaitp_check_submit_writes(work) ?
			   work->target : NULL);
		add_memory(batch, plaitp_check_submit_reads(work) ?
			   work->source : NULL);
		if (work->kind == PLAIT_WORK_LAUNCH)
			add_launch(batch, work->launch);
		if (work->kind == PLAIT_WORK_SEGMENT)
			add_segment(batch, work->segment);
		if (work->kind == PLAIT_WORK_CALL &&
		    !add_call(self, queue, batch, work))
			return false;
	}
	return true;
}

/* Copy with the backend's handles; a host function stays the core's. */
void plaitp_check_submit_translate(plait_work *to, const plait_work *from)
{
	memcpy(to, from, sizeof(*to));
	to->size = sizeof(*to);
	/* Fields that the kind does not use may be uninitialised. */
	to->target = plaitp_check_submit_writes(from) && from->target ?
		from->target->inner : NULL;
	to->source = plaitp_check_submit_reads(from) && from->source ?
		from->source->inner : NULL;
	to->launch = NULL;
	to->segment = NULL;
	if (from->kind == PLAIT_WORK_LAUNCH)
		to->launch = from->launch->inner;
	if (from->kind == PLAIT_WORK_SEGMENT)
		to->segment = from->segment->inner;
}

static void translate_work(plait_work *to, const plait_work *from,
			   check_call **calls, uint32_t *call)
{
	plaitp_check_submit_translate(to, from);
	if (from->kind != PLAIT_WORK_CALL)
		return;
	to->function = plaitp_check_call_run;
	to->user_data = calls[(*call)++];
}

static plait_backend_point *translate_points(struct copy *copy,
					     const plait_backend_point *from,
					     uint32_t count)
{
	plait_backend_point *to = copy->points;

	for (uint32_t i = 0; i < count; i++)
		to[i] = (plait_backend_point){ from[i].signal->inner,
					       from[i].sequence };
	copy->points += count;
	return count > 0 ? to : NULL;
}

static void translate_one(struct copy *copy, const plait_submission *from,
			  const check_batch *batch, plait_submission *to)
{
	uint32_t call = 0;

	memcpy(to, from, sizeof(*to));
	to->size = sizeof(*to);
	to->waits = translate_points(copy, from->waits, from->wait_count);
	to->emits = translate_points(copy, from->emits, from->emit_count);
	to->work = from->work_count > 0 ? copy->work : NULL;
	for (uint32_t i = 0; i < from->work_count; i++)
		translate_work(copy->work++, plaitp_check_work(from, i),
			       batch->calls, &call);
}

/* Copy the submissions with the backend's handles; false without memory. */
static bool translate(check *self, const plait_submission *submissions,
		      uint32_t count, const check_batch *batch,
		      struct copy *copy)
{
	uint64_t points = 0, work = 0;

	for (uint32_t i = 0; i < count; i++) {
		const plait_submission *from =
			plaitp_check_nth(submissions, i);

		points += (uint64_t)from->wait_count + from->emit_count;
		work += from->work_count;
	}
	copy->bytes = count * sizeof(plait_submission) +
		points * sizeof(plait_backend_point) +
		work * sizeof(plait_work);
	copy->block = self->services->resize(self->host, NULL, 0,
					     copy->bytes);
	if (!copy->block)
		return false;
	copy->submissions = copy->block;
	copy->points = (plait_backend_point *)(void *)
		(copy->submissions + count);
	copy->work = (plait_work *)(void *)(copy->points + points);
	for (uint32_t i = 0; i < count; i++, batch = batch->next)
		translate_one(copy, plaitp_check_nth(submissions, i), batch,
			      &copy->submissions[i]);
	return true;
}

/* Append all; false if memory ran out.  `out` is the first batch. */
static bool enter_all(check *self, check_queue *queue,
		      const plait_submission *submissions, uint32_t count,
		      check_batch **out)
{
	*out = NULL;
	for (uint32_t i = 0; i < count; i++) {
		check_batch *batch = NULL;
		bool whole = enter_model(self, queue,
					 plaitp_check_nth(submissions, i),
					 &batch);

		if (!*out)
			*out = batch;
		if (!whole)
			return false;
	}
	return true;
}

/* Confirm or retract the batches, as the backend has accepted them or not. */
static void confirm_or_retract(check *self, check_queue *queue, bool accepted)
{
	check_batch *batch = queue->unanswered;

	queue->unanswered = NULL;
	if (accepted)
		for (; batch; batch = batch->next)
			batch->provisional = false;
	else if (batch)
		plaitp_check_model_retract(self, queue, batch);
	plaitp_check_model_advance(self, queue);
	queue->inside = false;
}

/* Report an answer that some work is more than the queue holds at all, if it
 * does not count repeated work once.  Caller holds the lock. */
static void check_refusal(check *self, const check_queue *queue,
			  const plait_submission *submissions, uint32_t count)
{
	uint64_t work = 0;
	bool repeats = false;

	for (uint32_t i = 0; i < count; i++) {
		const plait_submission *one = plaitp_check_nth(submissions, i);

		work += one->work_count;
		repeats |= one->times > 1;
	}
	if (repeats && queue->capacity > 0 && work <= queue->capacity)
		plaitp_check_report(self, CHECK_BACKEND, "queue_submit",
				    "refused %llu commands in a queue for "
				    "%llu; repeated ones count once (P-Q11)",
				    (unsigned long long)work,
				    (unsigned long long)queue->capacity);
}

/* Enter the model, then call the backend; returns its result.  Caller holds the
 * lock, which is released. */
static plait_status submit(check *self, check_queue *queue,
			   const plait_submission *submissions,
			   uint32_t count, plait_error *error)
{
	plait_error mine = plaitp_check_record();
	struct copy copy = { 0 };
	check_batch *batch = NULL;
	plait_status status;
	bool ready;

	ready = enter_all(self, queue, submissions, count, &batch) &&
		translate(self, submissions, count, batch, &copy);
	queue->unanswered = batch;
	plaitp_check_leave(self);
	if (ready)
		status = self->inner_table->queue_submit(
			self->inner, queue->inner, copy.submissions, count,
			&mine);
	else
		status = self->services->fail(&mine, PLAIT_E_NOMEM, 0,
					      "check: no memory");
	if (copy.block)
		self->services->resize(self->host, copy.block, copy.bytes, 0);
	status = plaitp_check_result(self, "queue_submit", status, false,
				     &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_E_INVALID)
		check_refusal(self, queue, submissions, count);
	if (status != PLAIT_OK)
		plaitp_check_submission_uncount(
			submissions, count,
			plaitp_check_nth(submissions, count - 1)->emit_count);
	confirm_or_retract(self, queue, status == PLAIT_OK);
	pthread_mutex_unlock(&self->lock);
	return status;
}

plait_status plaitp_check_queue_submit(plait_backend *backend,
				       plait_backend_queue *handle,
				       const plait_submission *submissions,
				       uint32_t count, plait_error *error)
{
	static const char slot[] = "queue_submit";
	check *self = check_of(backend);
	check_queue *queue =
		plaitp_check_queue_enter(self, slot, handle, error);
	plait_status status = PLAIT_OK;

	if (!queue)
		return PLAIT_E_INTERNAL;
	if (!plaitp_check_submission_validate(self, queue, submissions, count))
		status = plaitp_check_report_error(self, error);
	else if (count > 0)
		return submit(self, queue, submissions, count, error);
	queue->inside = false;
	plaitp_check_leave(self);
	return status;
}
