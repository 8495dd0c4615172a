/* SPDX-License-Identifier: MIT */
/*
 * Queue state machine: enqueues batches with the driver and retires them.
 *
 *     head ... next ... tail
 *     `------'  enqueued: the driver runs them, or nothing of them is left
 *               `--------'  held back: behind a wait or a host function
 *
 * A batch is enqueued as soon as the driver can do the waiting: each of its
 * waits has been reached, or is for an emission of a batch that another queue
 * has enqueued.
 *
 * A batch retires when it is the oldest of its queue, all of it has happened,
 * and every batch it waited for has retired.  Emissions therefore follow the
 * order of the work, not that of the driver's callbacks.
 *
 * All functions here require self->lock.
 */
#include <string.h>

#include "driven.h"

static const char not_run[] = "not run: ";

void plaitp_driven_mark_dirty(struct driven *self, driven_queue *queue)
{
	if (queue->dirty)
		return;
	queue->dirty = true;
	queue->next_dirty = self->dirty;
	self->dirty = queue;
}

void plaitp_driven_fail_queue(struct driven *self, driven_queue *queue,
			      const plait_error *cause, const char *prefix)
{
	if (queue->failed && queue->failed_from == NULL)
		return;
	queue->failed_from = NULL;
	if (strncmp(cause->text, prefix, strlen(prefix)) == 0)
		prefix = "";
	queue->failed = true;
	memset(&queue->error, 0, sizeof(queue->error));
	queue->error.size = sizeof(queue->error);
	plaitp_driven_fail(self->services, &queue->error, cause->status,
			   cause->origin, "%s%s", prefix, cause->text);
	queue->error.detail = cause->detail;
}

void plaitp_driven_fail_from(struct driven *self, const driven_batch *batch,
			     const plait_error *cause, const char *prefix)
{
	driven_queue *queue = batch->queue;

	if (queue->failed)
		return;
	plaitp_driven_fail_queue(self, queue, cause, prefix);
	queue->failed_from = batch == queue->head ? NULL : batch;
}

/* --- waits ---------------------------------------------------------------- */

/* Returns the batch that will emit the point and has an event, or null. */
static driven_batch *find_source(const struct driven_wait *wait)
{
	const struct driven_emit *emit = wait->signal->newest;
	driven_batch *found = NULL;

	for (; emit != NULL && emit->point.sequence >= wait->sequence;
	     emit = emit->older)
		found = emit->batch;
	return found != NULL && !found->queue->failed ? found : NULL;
}

static void attach_source(struct driven_wait *wait, driven_batch *source)
{
	wait->in_driver = true;
	/* The in-order queue already waits for its own earlier batches. */
	if (source->queue == wait->batch->queue)
		return;
	wait->source = source;
	wait->next = source->dependents;
	source->dependents = wait;
	wait->batch->sources++;
}

static void detach_dependents(struct driven *self, driven_batch *source)
{
	struct driven_wait *wait;

	while ((wait = source->dependents) != NULL) {
		source->dependents = wait->next;
		wait->source = NULL;
		wait->batch->sources--;
		plaitp_driven_mark_dirty(self, wait->batch->queue);
	}
}

static void wait_for(struct driven *self, driven_queue *queue,
		     const struct driven_wait *wait)
{
	driven_signal *signal = wait->signal;

	queue->waits_for = signal;
	queue->next_waiter = signal->waiters;
	signal->waiters = queue;
	plaitp_driven_await(self, signal, wait->sequence);
}

/* The queue is on the dirty list and will look at its waits again, so it leaves
 * the signal's list of waiters. */
static void stop_waiting(driven_queue *queue)
{
	driven_queue **link;

	if (queue->waits_for == NULL)
		return;
	link = &queue->waits_for->waiters;
	while (*link != queue)
		link = &(*link)->next_waiter;
	*link = queue->next_waiter;
	queue->waits_for = NULL;
}

/* Returns true if the wait no longer holds the batch back.  A pending one is
 * left to the driver if it can wait for the emitting batch; else the queue
 * becomes a waiter of the signal. */
static bool resolve_wait(struct driven *self, struct driven_wait *wait)
{
	driven_queue *queue = wait->batch->queue;
	driven_batch *source;

	switch (plaitp_driven_signal_state(wait->signal, wait->sequence)) {
	case DRIVEN_REACHED:
		return true;
	case DRIVEN_FAILED:
		plaitp_driven_fail_from(self, wait->batch,
					&wait->signal->error, not_run);
		return true;
	case DRIVEN_PENDING:
		break;
	}
	/* A gate may never be raised for a failed queue.  Emissions of other
	 * queues are still awaited, because the emissions of this queue follow
	 * them. */
	if (queue->failed && wait->signal->gate)
		return true;
	source = queue->failed ? NULL : find_source(wait);
	if (source != NULL)
		attach_source(wait, source);
	else
		wait_for(self, queue, wait);
	return source != NULL;
}

static bool resolve_waits(struct driven *self, driven_batch *batch)
{
	for (; batch->wait_index < batch->wait_count; batch->wait_index++)
		if (!resolve_wait(self, &batch->waits[batch->wait_index]))
			return false;
	return true;
}

/* --- enqueuing ------------------------------------------------------------ */

static bool has_happened(const driven_batch *batch)
{
	return batch->sources == 0 && !batch->in_flight && !batch->calling;
}

/* Fail the queue if the batch, or an emission that the driver waited for, has
 * failed.  Before a host function too: waits that the driver kept are over
 * then. */
static void collect_failures(struct driven *self, driven_batch *batch)
{
	driven_queue *queue = batch->queue;
	plait_error failure = { .size = sizeof(failure) };
	uint32_t i;

	for (i = 0; i < batch->wait_index; i++) {
		const struct driven_wait *wait = &batch->waits[i];

		if (wait->in_driver &&
		    plaitp_driven_signal_state(wait->signal, wait->sequence) ==
		    DRIVEN_FAILED)
			plaitp_driven_fail_queue(self, queue,
						 &wait->signal->error,
						 not_run);
	}
	if (batch->code == 0)
		return;
	self->ops->describe(self, batch, &failure);
	plaitp_driven_fail_queue(self, queue, &failure, "");
}

/* Nothing but the end of the sources lets the host function run. */
static void await_sources(struct driven *self, const driven_batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->wait_index; i++)
		if (batch->waits[i].source != NULL)
			plaitp_driven_await(self, batch->waits[i].signal,
					    batch->waits[i].sequence);
}

/* The next work is a host function: it runs once all work before it has
 * happened. */
static void begin_call(struct driven *self, driven_batch *batch)
{
	if (batch->queue->head != batch || !has_happened(batch)) {
		await_sources(self, batch);
		return;
	}
	collect_failures(self, batch);
	if (batch->queue->failed)
		return;
	batch->calling = true;
	plaitp_driven_deliver_later(self, batch);
}

enum step { STEP_DONE, STEP_BLOCKED, STEP_DEFERRED };

/* Enqueue the works of a batch when its waits are over or left to the driver.
 * STEP_BLOCKED: until a host function has ended; STEP_DEFERRED: until a thread
 * that may call the driver. */
static enum step enqueue_batch(struct driven *self, driven_batch *batch,
			       bool may_call)
{
	driven_queue *queue = batch->queue;

	while (batch->work_index < batch->work_count) {
		if (batch->calling)
			return STEP_BLOCKED;
		if (queue->failed) {
			batch->work_index = batch->work_count;
		} else if (batch->works[batch->work_index].kind ==
			   PLAIT_WORK_CALL) {
			begin_call(self, batch);
			if (!queue->failed)
				return STEP_BLOCKED;
		} else if (may_call) {
			self->ops->enqueue(self, batch);
		} else {
			return STEP_DEFERRED;
		}
	}
	return STEP_DONE;
}

/*
 * Give an event to a batch without commands: that of a marker, if the driver
 * waits for other queues, or that of the batch before it.
 */
static void share_event(struct driven *self, driven_batch *batch,
			const driven_batch *before)
{
	if (batch->event != NULL || batch->queue->failed)
		return;
	if (batch->sources > 0) {
		self->ops->enqueue(self, batch);
	} else if (before != NULL && before->event != NULL) {
		self->ops->share_event(self, batch, before);
	}
}

/* From here on the driver can wait for these emissions. */
static void list_emits(driven_batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->emit_count && batch->event != NULL; i++) {
		struct driven_emit *emit = &batch->emits[i];

		emit->listed = true;
		emit->older = emit->signal->newest;
		if (emit->older != NULL)
			emit->older->newer = emit;
		emit->signal->newest = emit;
	}
}

static void unlist_emit(struct driven_emit *emit)
{
	if (!emit->listed)
		return;
	if (emit->older != NULL)
		emit->older->newer = emit->newer;
	if (emit->newer != NULL)
		emit->newer->older = emit->older;
	else
		emit->signal->newest = emit->older;
	emit->listed = false;
}

/* Enqueue from `next` on, as long as nothing holds a batch back.  Without
 * `may_call` only batches pass that need no call of the driver. */
static enum step enqueue_batches(struct driven *self, driven_queue *queue,
				 bool may_call)
{
	driven_batch *batch;
	enum step step;

	while ((batch = queue->next) != NULL) {
		if (!resolve_waits(self, batch))
			return STEP_BLOCKED;
		step = enqueue_batch(self, batch, may_call);
		if (step != STEP_DONE)
			return step;
		if (may_call)
			share_event(self, batch, queue->last_enqueued);
		else if (batch->sources > 0 && batch->event == NULL)
			return STEP_DEFERRED;
		list_emits(batch);
		queue->last_enqueued = batch;
		queue->next = batch->next;
	}
	return STEP_DONE;
}

/* --- retirement ----------------------------------------------------------- */

static void emit_all(struct driven *self, driven_batch *batch)
{
	const plait_error *failure =
		batch->failed ? &batch->queue->error : NULL;
	uint32_t i;

	for (i = 0; i < batch->emit_count; i++) {
		struct driven_emit *emit = &batch->emits[i];

		unlist_emit(emit);
		plaitp_driven_signal_advance(self, emit->signal,
					     emit->point.sequence, failure);
	}
}

/* Take batches that have happened off the head, in order; advance their
 * signals, and hand them to the deliveries, or to the garbage if they emit
 * nothing.  Returns false without `may_call` if the driver has to be asked for
 * times first. */
static bool retire(struct driven *self, driven_queue *queue, bool may_call)
{
	bool asks = queue->timed && self->ops->measure != NULL;
	driven_batch *batch;

	while ((batch = queue->head) != queue->next && has_happened(batch)) {
		if (asks && !may_call)
			return false;
		if (asks)
			self->ops->measure(self, batch);
		collect_failures(self, batch);
		queue->head = batch->next;
		if (queue->last_enqueued == batch)
			queue->last_enqueued = NULL;
		queue->pending -= batch->work_count;
		if (queue->failed_from == batch)
			queue->failed_from = NULL;
		batch->failed = queue->failed && queue->failed_from == NULL;
		batch->done = true;
		emit_all(self, batch);
		detach_dependents(self, batch);
		if (batch->emit_count > 0)
			plaitp_driven_deliver_later(self, batch);
		else
			plaitp_driven_discard(self, batch);
	}
	return true;
}

/* --- advancing ------------------------------------------------------------ */

static void flush(struct driven *self, driven_queue *queue)
{
	if (!queue->unflushed)
		return;
	queue->unflushed = false;
	self->ops->flush(self, queue);
}

static void defer(struct driven *self, driven_queue *queue)
{
	queue->dirty = true;
	queue->next_dirty = self->deferred;
	self->deferred = queue;
}

static void advance(struct driven *self, driven_queue *queue, bool may_call)
{
	enum step step = STEP_BLOCKED;
	bool is_told;
	driven_batch *head;

	do {
		stop_waiting(queue);
		(void)retire(self, queue, may_call);
		head = queue->head;
		step = enqueue_batches(self, queue, may_call);
		is_told = retire(self, queue, may_call);
	} while (queue->head != head && queue->next != NULL);
	if (may_call)
		flush(self, queue);
	if (step == STEP_DEFERRED || !is_told)
		defer(self, queue);
}

void plaitp_driven_advance(struct driven *self, bool may_call)
{
	driven_queue *queue;

	while (may_call && (queue = self->deferred) != NULL) {
		self->deferred = queue->next_dirty;
		queue->dirty = false;
		plaitp_driven_mark_dirty(self, queue);
	}
	while ((queue = self->dirty) != NULL) {
		self->dirty = queue->next_dirty;
		queue->dirty = false;
		advance(self, queue, may_call);
	}
}
