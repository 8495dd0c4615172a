/* SPDX-License-Identifier: MIT */
/*
 * Submissions: each host function is replaced by a wrapper that records it;
 * other commands get the backend's times, or stand between two markers where the
 * device is the host or a simulation; with emissions=1, a marker behind the work
 * records when the queue reaches its emissions.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "trace.h"

/* Changed submissions in one block, and the calls that they refer to. */
struct copy {
	void *block;
	uint64_t bytes;
	plait_submission *submissions;
	plait_work *work;
	trace_call *calls; /* not in the list of the trace yet */
	uint64_t ticket;
	trace_name *marked; /* the queue if markers measure its commands */
	plait_backend_point *emits; /* room for those of the last submission */
};

static const plait_submission *nth(const plait_submission *submissions,
				   uint32_t index)
{
	const unsigned char *bytes = (const void *)submissions;

	return (const plait_submission *)(const void *)
		(bytes + (uint64_t)index * submissions[0].size);
}

static uint64_t call_bytes(const trace_call *call)
{
	return sizeof(*call) + call->emit_count * sizeof(call->emits[0]);
}

static void free_call(trace *self, trace_call *call)
{
	forward_resize(&self->base, call, call_bytes(call), 0);
}

static void unlink_call(trace *self, trace_call *call)
{
	if (call->previous)
		call->previous->next = call->next;
	else
		self->calls = call->next;
	if (call->next)
		call->next->previous = call->previous;
}

void plaitp_trace_submit_free_calls(trace *self)
{
	while (self->calls) {
		trace_call *call = self->calls;

		self->calls = call->next;
		free_call(self, call);
	}
}

static int32_t run_call(void *user_data)
{
	trace_call *call = user_data;
	trace *self = call->self;
	trace_event event = {
		.kind = TRACE_CALL, .subject = call->queue,
		.start_ns = plaitp_trace_record_now(self),
	};

	memcpy(event.label, call->label, sizeof(event.label));
	event.status = call->function(call->user_data);
	event.end_ns = plaitp_trace_record_now(self);
	plaitp_trace_record(self, &event);
	pthread_mutex_lock(&self->lock);
	unlink_call(self, call);
	pthread_mutex_unlock(&self->lock);
	free_call(self, call);
	return event.status;
}

static int32_t run_marker(void *user_data)
{
	trace_call *call = user_data;
	trace *self = call->self;
	uint64_t now_ns = plaitp_trace_record_now(self);

	for (uint32_t i = 0; i < call->emit_count; i++) {
		trace_event event = {
			.kind = TRACE_EMIT, .subject = call->queue,
			.value = call->emits[i].sequence,
			.start_ns = now_ns, .end_ns = now_ns,
		};

		snprintf(event.label, sizeof(event.label), "s%llu",
			 (unsigned long long)(uintptr_t)call->emits[i].signal);
		plaitp_trace_record(self, &event);
	}
	pthread_mutex_lock(&self->lock);
	unlink_call(self, call);
	pthread_mutex_unlock(&self->lock);
	free_call(self, call);
	return 0;
}

static trace_call *add_call(trace *self, struct copy *copy, uint64_t queue,
			    uint32_t emit_count)
{
	uint64_t bytes = sizeof(trace_call) +
		emit_count * sizeof(plait_backend_point);
	trace_call *call = forward_resize(&self->base, NULL, 0, bytes);

	if (!call)
		return NULL;
	memset(call, 0, bytes);
	call->self = self;
	call->queue = queue;
	call->ticket = copy->ticket;
	call->emit_count = emit_count;
	call->next = copy->calls;
	copy->calls = call;
	return call;
}

/* Put a wrapper in place of the host function; returns false without memory. */
static bool replace_call(trace *self, struct copy *copy, uint64_t queue,
			 plait_work *work)
{
	trace_call *call = add_call(self, copy, queue, 0);

	if (!call)
		return false;
	call->function = work->function;
	call->user_data = work->user_data;
	snprintf(call->label, sizeof(call->label), "%s",
		 work->label ? work->label : "host function");
	work->function = run_call;
	work->user_data = call;
	return true;
}

/* --- commands --------------------------------------------------------------- */

/* A command for which the queue has a span in the file. */
static bool is_measured(const plait_work *work)
{
	return work->kind != PLAIT_WORK_NOP && work->kind != PLAIT_WORK_CALL;
}

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t mark_start(void *user_data)
{
	trace_event *event = user_data;

	event->times.start_ns = real_ns();
	return 0;
}

static int32_t mark_end(void *user_data)
{
	trace_event *event = user_data;

	event->times.end_ns = real_ns();
	return 0;
}

static void add_mark(struct copy *copy, int32_t (*function)(void *),
		     trace_event *event)
{
	*copy->work++ = (plait_work){
		.size = sizeof(plait_work), .kind = PLAIT_WORK_CALL,
		.function = function, .user_data = event,
	};
}

static trace_event *record_work(trace *self, uint64_t queue,
				const plait_work *work)
{
	trace_event event = { .kind = TRACE_WORK, .subject = queue,
			      .value = work->bytes, .work = work->kind };

	if (work->label)
		snprintf(event.label, sizeof(event.label), "%s", work->label);
	return plaitp_trace_record(self, &event);
}

/* Add a command with its times, or between two markers, which are works too. */
static void add_measured(trace *self, struct copy *copy, uint64_t queue,
			 plait_work *work)
{
	trace_event *event = record_work(self, queue, work);

	if (event && copy->marked)
		add_mark(copy, mark_start, event);
	if (event && !copy->marked)
		work->times = &event->times;
	*copy->work++ = *work;
	if (event && copy->marked)
		add_mark(copy, mark_end, event);
}

/* Append the marker that records the emissions of `from` when the queue reaches
 * them; returns false without memory. */
static bool append_marker(trace *self, struct copy *copy, uint64_t queue,
			  const plait_submission *from)
{
	trace_call *call = add_call(self, copy, queue, from->emit_count);

	if (!call)
		return false;
	for (uint32_t i = 0; i < from->emit_count; i++) {
		uint64_t number = plaitp_trace_name_number(self,
						      from->emits[i].signal);

		call->emits[i].signal = (void *)(uintptr_t)number;
		call->emits[i].sequence = from->emits[i].sequence;
	}
	*copy->work++ = (plait_work){
		.size = sizeof(plait_work), .kind = PLAIT_WORK_CALL,
		.function = run_marker, .user_data = call,
	};
	return true;
}

/* The caller's records may be shorter or longer. */
static plait_work work_at(const plait_submission *from, uint32_t index)
{
	const unsigned char *bytes = (const void *)from->work;
	size_t size = from->work[0].size;
	plait_work work = { .size = 0 };

	memcpy(&work, bytes + index * size,
	       size < sizeof(work) ? size : sizeof(work));
	work.size = sizeof(work);
	return work;
}

/* Returns true if the submission gets a marker. */
static bool is_marked(const trace *self, const plait_submission *from)
{
	return self->emissions && from->emit_count > 0;
}

static bool change_one(trace *self, struct copy *copy, uint64_t queue,
		       const plait_submission *from, plait_submission *to)
{
	memcpy(to, from, sizeof(*to));
	to->size = sizeof(*to);
	to->work = copy->work;
	for (uint32_t i = 0; i < from->work_count; i++) {
		plait_work work = work_at(from, i);

		if (work.kind == PLAIT_WORK_CALL &&
		    !replace_call(self, copy, queue, &work))
			return false;
		if (is_measured(&work))
			add_measured(self, copy, queue, &work);
		else
			*copy->work++ = work;
	}
	if (is_marked(self, from) && !append_marker(self, copy, queue, from))
		return false;
	to->work_count = (uint32_t)(copy->work - to->work);
	return true;
}

/* The last submission raises the queue's own signal, too. */
static void raise_done(struct copy *copy, plait_submission *last)
{
	if (last->emit_count > 0)
		memcpy(copy->emits, last->emits,
		       last->emit_count * sizeof(*copy->emits));
	copy->emits[last->emit_count++] = (plait_backend_point){
		copy->marked->done, copy->marked->submitted
	};
	last->emits = copy->emits;
}

/* Make the changed copy of all submissions.  Returns false without memory; the
 * caller frees the block, and links or drops the calls, in any case. */
static bool change(trace *self, struct copy *copy, uint64_t queue,
		   const plait_submission *submissions, uint32_t count)
{
	uint64_t work = 0, emits = 0;

	for (uint32_t i = 0; i < count; i++) {
		const plait_submission *from = nth(submissions, i);

		work += (copy->marked ? 3 : 1) * (uint64_t)from->work_count +
			is_marked(self, from);
		emits = (uint64_t)from->emit_count + 1;
	}
	copy->bytes = 1 + count * sizeof(plait_submission) +
		work * sizeof(plait_work) + emits * sizeof(plait_backend_point);
	copy->block = forward_resize(&self->base, NULL, 0, copy->bytes);
	if (!copy->block)
		return false;
	copy->submissions = copy->block;
	copy->work = (plait_work *)(void *)(copy->submissions + count);
	copy->emits = (plait_backend_point *)(void *)(copy->work + work);
	for (uint32_t i = 0; i < count; i++)
		if (!change_one(self, copy, queue, nth(submissions, i),
				&copy->submissions[i]))
			return false;
	if (copy->marked && count > 0)
		raise_done(copy, &copy->submissions[count - 1]);
	return true;
}

/* Add to the list of pending calls; each call removes itself when it runs. */
static void link_calls(trace *self, trace_call *calls)
{
	pthread_mutex_lock(&self->lock);
	while (calls) {
		trace_call *next = calls->next;

		calls->next = self->calls;
		calls->previous = NULL;
		if (calls->next)
			calls->next->previous = calls;
		self->calls = calls;
		calls = next;
	}
	pthread_mutex_unlock(&self->lock);
}

void plaitp_trace_submit_drop_calls(trace *self, uint64_t queue,
				    uint64_t ticket)
{
	trace_call *next;

	pthread_mutex_lock(&self->lock);
	for (trace_call *call = self->calls; call; call = next) {
		next = call->next;
		if (call->queue != queue || (ticket && call->ticket != ticket))
			continue;
		unlink_call(self, call);
		free_call(self, call);
	}
	pthread_mutex_unlock(&self->lock);
}

static uint64_t count_work(const plait_submission *submissions, uint32_t count)
{
	uint64_t work = 0;

	for (uint32_t i = 0; i < count; i++)
		work += nth(submissions, i)->work_count;
	return work;
}

/* Markers have room of their own, so the backend does not limit the work to the
 * capacity that the core asked for.  Adds the work to `submitted`, or returns
 * PLAIT_E_BUSY, or PLAIT_E_INVALID if it exceeds the capacity by itself. */
static plait_status admit(trace *self, trace_name *queue, uint64_t work,
			  plait_error *error)
{
	const plait_backend_point all = { queue->done, queue->submitted };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached = 0;
	char line[160];

	if (queue->submitted > 0)
		(void)self->base.inner_table->signal_poll(
			self->base.inner, &all, &reached, &ignored);
	if (queue->capacity == 0 ||
	    work <= queue->capacity - (queue->submitted - reached)) {
		queue->submitted += work;
		return PLAIT_OK;
	}
	snprintf(line, sizeof(line), "queue: %llu commands more, %llu of at "
		 "most %llu are pending", (unsigned long long)work,
		 (unsigned long long)(queue->submitted - reached),
		 (unsigned long long)queue->capacity);
	return self->base.services->fail(error, work > queue->capacity ?
					 PLAIT_E_INVALID : PLAIT_E_BUSY, 0,
					 line);
}

/* The label is that of the first command that has one. */
static void describe_submit(const plait_submission *submissions, uint32_t count,
			    trace_event *event)
{
	for (uint32_t i = 0; i < count; i++) {
		const plait_submission *from = nth(submissions, i);

		for (uint32_t k = 0; k < from->work_count; k++) {
			plait_work work = work_at(from, k);

			if (!work.label)
				continue;
			snprintf(event->label, sizeof(event->label), "%s",
				 work.label);
			return;
		}
	}
}

plait_status plaitp_trace_submit(plait_backend *backend,
				 plait_backend_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, plait_error *error)
{
	trace *self = trace_of(backend);
	struct copy copy = { 0 };
	trace_event event = { .kind = TRACE_SUBMIT };
	trace_name *name = plaitp_trace_name_find(self, queue);
	uint64_t before = name->submitted;
	bool changed;

	event.subject = name->number;
	copy.marked = name->done ? name : NULL;
	describe_submit(submissions, count, &event);
	event.start_ns = plaitp_trace_record_now(self);
	event.value = count_work(submissions, count);
	pthread_mutex_lock(&self->lock);
	copy.ticket = ++self->ticket;
	pthread_mutex_unlock(&self->lock);
	if (copy.marked)
		event.status = admit(self, name, event.value, error);
	if (event.status != PLAIT_OK)
		return event.status;
	changed = change(self, &copy, event.subject, submissions, count);
	link_calls(self, copy.calls);
	if (changed)
		event.status = plaitp_forward_slots.queue_submit(
			backend, queue, copy.submissions, count, error);
	else
		event.status = self->base.services->fail(
			error, PLAIT_E_NOMEM, 0, "trace: no memory");
	if (event.status != PLAIT_OK) {
		name->submitted = before;
		plaitp_trace_submit_drop_calls(self, event.subject,
					       copy.ticket);
	}
	if (copy.block)
		forward_resize(&self->base, copy.block, copy.bytes, 0);
	event.end_ns = plaitp_trace_record_now(self);
	plaitp_trace_record(self, &event);
	return event.status;
}
