/* SPDX-License-Identifier: MIT */
/*
 * Who holds the lock does the work of all who could not have it.
 *
 *     enter   lock
 *     leave   notes and marked queues, until there are none
 *             deliver: emissions and host functions, without the lock, one
 *             thread at a time and in order
 *             unlock; a note came meanwhile?  then once more, if nobody else
 *             has the lock
 *
 * A callback of the driver may come on a thread that is inside the driver, in
 * our name, with the lock: it leaves its note and only tries the lock.  When it
 * gets it, it may not call the driver, whose locks it may hold; what needs the
 * driver then goes on on a worker of the core (the parked_lane).
 */
#include <stdio.h>
#include <string.h>

#include "driven.h"

void plaitp_driven_enter(struct driven *self)
{
	pthread_mutex_lock(&self->lock);
}

/* --- notes ---------------------------------------------------------------- */

static void leave_note(struct driven *self, driven_batch *batch, int32_t code)
{
	pthread_mutex_lock(&self->notes_lock);
	self->callbacks++;
	batch->code = code;
	batch->next_note = self->notes;
	self->notes = batch;
	pthread_mutex_unlock(&self->notes_lock);
}

static driven_batch *take_notes(struct driven *self)
{
	driven_batch *notes;

	pthread_mutex_lock(&self->notes_lock);
	notes = self->notes;
	self->notes = NULL;
	pthread_mutex_unlock(&self->notes_lock);
	return notes;
}

static bool has_notes(struct driven *self)
{
	bool some;

	pthread_mutex_lock(&self->notes_lock);
	some = self->notes != NULL || self->left_behind;
	pthread_mutex_unlock(&self->notes_lock);
	return some;
}

/* --- what is delivered ---------------------------------------------------- */

void plaitp_driven_deliver_later(struct driven *self, driven_batch *batch)
{
	batch->next_out = NULL;
	*self->out_last = batch;
	self->out_last = &batch->next_out;
}

static driven_batch *next_delivery(struct driven *self)
{
	driven_batch *batch = self->out_first;

	if (batch == NULL)
		return NULL;
	self->out_first = batch->next_out;
	if (self->out_first == NULL)
		self->out_last = &self->out_first;
	return batch;
}

/* Without the lock.  Once the last emission is out, the queue may be gone. */
static void deliver_emissions(struct driven *self, const driven_batch *batch,
			      const plait_error *failure)
{
	uint32_t i;

	for (i = 0; i < batch->emit_count; i++)
		self->services->counter_emit(self->host,
					     &batch->emits[i].point,
					     batch->failed ? failure : NULL);
}

/* A host function has ended, in whatever way. */
static void end_call(struct driven *self, driven_batch *batch,
		     const plait_error *failure)
{
	plaitp_driven_enter(self);
	batch->calling = false;
	batch->work_index++;
	if (failure != NULL)
		plaitp_driven_fail_queue(self, batch->queue, failure, "");
	plaitp_driven_mark_dirty(self, batch->queue);
	plaitp_driven_leave(self);
}

/* The words are those of every backend. */
static void describe_call(const driven_batch *batch, int64_t origin,
			  const char *what, plait_error *out)
{
	const driven_queue *queue = batch->queue;
	const char *label = batch->works[batch->work_index].label;
	bool named = queue->label[0] != '\0';

	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	plaitp_driven_fail(queue->self->services, out, PLAIT_E_FAILED, origin,
			   "%s%.80s%s %s%s%s%s",
			   label != NULL ? "command \"" : "host function",
			   label != NULL ? label : "",
			   label != NULL ? "\"" : "", what,
			   named ? " in queue \"" : "", queue->label,
			   named ? "\"" : "");
}

/* The function ended its thread instead of returning. */
static void lose_call(void *arg)
{
	driven_batch *batch = arg;
	plait_error failure;

	batch->queue->lost = true;
	describe_call(batch, 0, "did not return but ended its thread "
		      "(pthread_exit)", &failure);
	end_call(batch->queue->self, batch, &failure);
}

/* On a worker of the core. */
static int32_t run_call(void *user_data)
{
	driven_batch *batch = user_data;
	const plait_work *work = &batch->works[batch->work_index];
	plait_error failure;
	char what[32];
	int32_t result;

	pthread_cleanup_push(lose_call, batch);
	result = work->function(work->user_data);
	pthread_cleanup_pop(0);
	if (result != 0) {
		snprintf(what, sizeof(what), "failed with %d", (int)result);
		describe_call(batch, result, what, &failure);
	}
	end_call(batch->queue->self, batch, result != 0 ? &failure : NULL);
	return 0;
}

static plait_status submit_call(struct driven *self, plait_backend_queue *lane,
				int32_t (*function)(void *), void *user_data,
				plait_error *error)
{
	const plait_work work = { .size = sizeof(work),
				  .kind = PLAIT_WORK_CALL,
				  .function = function,
				  .user_data = user_data };
	const plait_submission submission = { .size = sizeof(submission),
					      .work = &work,
					      .work_count = 1 };

	return self->services->lane_submit(self->host, lane, &submission, 1,
					   error);
}

/* The lock is held before, and not after. */
static void hand_out(struct driven *self, driven_batch *batch,
		     struct driven_delivery *out)
{
	plait_backend_queue *lane = batch->queue->lane;

	memset(out, 0, sizeof(*out));
	out->batch = batch;
	out->done = batch->done;
	out->failure.size = sizeof(out->failure);
	if (batch->done && batch->failed)
		out->failure = batch->queue->error;
	pthread_mutex_unlock(&self->lock);
	if (out->done)
		deliver_emissions(self, batch, &out->failure);
	else
		out->refused = submit_call(self, lane, run_call, batch,
					   &out->failure) != PLAIT_OK;
}

/* The lock is held again. */
static void end_delivery(struct driven *self, struct driven_delivery *delivery)
{
	driven_batch *batch = delivery->batch;

	if (delivery->done)
		plaitp_driven_discard(self, batch);
	if (!delivery->refused)
		return;
	batch->calling = false;
	plaitp_driven_fail_queue(self, batch->queue, &delivery->failure, "");
	plaitp_driven_mark_dirty(self, batch->queue);
}

enum delivery { DELIVERY_NONE, DELIVERY_MORE, DELIVERY_LEFT };

/*
 * A callback must not wait for the lock: who has it may be waiting in the
 * driver for this very thread.  He ends what was begun here when he leaves; if
 * he has gone meanwhile, it is ours once more.
 */
static enum delivery leave_behind(struct driven *self,
				  const struct driven_delivery *delivery)
{
	pthread_mutex_lock(&self->notes_lock);
	self->left = *delivery;
	self->left_behind = true;
	pthread_mutex_unlock(&self->notes_lock);
	return pthread_mutex_trylock(&self->lock) == 0 ? DELIVERY_MORE :
							 DELIVERY_LEFT;
}

/* But for DELIVERY_NONE the lock was released meanwhile; of LEFT it still is. */
static enum delivery deliver(struct driven *self, bool may_wait)
{
	struct driven_delivery delivery;
	driven_batch *batch;

	if (self->delivering || self->out_first == NULL)
		return DELIVERY_NONE;
	self->delivering = true;
	while ((batch = next_delivery(self)) != NULL) {
		hand_out(self, batch, &delivery);
		if (may_wait)
			pthread_mutex_lock(&self->lock);
		else if (pthread_mutex_trylock(&self->lock) != 0)
			return leave_behind(self, &delivery);
		end_delivery(self, &delivery);
	}
	self->delivering = false;
	return DELIVERY_MORE;
}

static void end_left_behind(struct driven *self)
{
	struct driven_delivery delivery;
	bool some;

	pthread_mutex_lock(&self->notes_lock);
	some = self->left_behind;
	delivery = self->left;
	self->left_behind = false;
	pthread_mutex_unlock(&self->notes_lock);
	if (!some)
		return;
	end_delivery(self, &delivery);
	self->delivering = false;
}

static void read_notes(struct driven *self)
{
	driven_batch *note = take_notes(self);

	end_left_behind(self);
	while (note != NULL) {
		driven_batch *next = note->next_note;

		note->flying = false;
		plaitp_driven_mark_dirty(self, note->queue);
		note = next;
	}
}

/* --- garbage -------------------------------------------------------------- */

void plaitp_driven_discard(struct driven *self, driven_batch *batch)
{
	batch->next = self->garbage;
	self->garbage = batch;
}

static void collect_garbage(struct driven *self)
{
	driven_batch *batch;

	while ((batch = self->garbage) != NULL) {
		self->garbage = batch->next;
		self->verbs->drop(self, batch);
		self->services->resize(self->host, batch, batch->total_bytes,
				       0);
	}
}

/* --- leaving -------------------------------------------------------------- */

/* The lock is held.  True: the parked_lane is to be called, by who asked. */
static bool needs_pilot(struct driven *self)
{
	bool call = false;

	if (self->held == NULL)
		return false;
	pthread_mutex_lock(&self->notes_lock);
	call = !self->pilot_called;
	self->pilot_called = true;
	pthread_mutex_unlock(&self->notes_lock);
	return call;
}

static void dismiss_pilot(struct driven *self)
{
	pthread_mutex_lock(&self->notes_lock);
	self->pilot_called = false;
	pthread_mutex_unlock(&self->notes_lock);
}

/* Returns what needs_pilot() does; never, if the driver may be called. */
static bool leave(struct driven *self, bool may_call)
{
	enum delivery delivery;
	bool call = false;

	do {
		do {
			read_notes(self);
			plaitp_driven_advance(self, may_call);
			delivery = deliver(self, may_call);
		} while (delivery == DELIVERY_MORE);
		if (delivery == DELIVERY_LEFT)
			break;
		if (may_call)
			collect_garbage(self);
		else if (!call)
			call = needs_pilot(self);
		pthread_mutex_unlock(&self->lock);
	} while (has_notes(self) && pthread_mutex_trylock(&self->lock) == 0);
	return call;
}

void plaitp_driven_leave(struct driven *self)
{
	(void)leave(self, true);
}

static int32_t fly(void *arg)
{
	struct driven *self = arg;

	dismiss_pilot(self);
	plaitp_driven_enter(self);
	plaitp_driven_leave(self);
	return 0;
}

static void call_pilot(struct driven *self)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (submit_call(self, self->parked_lane, fly, self, &ignored) == PLAIT_OK)
		return;
	/* No memory for him.  Whoever has the lock goes on for us; if nobody
	 * has, it is better to call the driver from here than to stop. */
	dismiss_pilot(self);
	if (pthread_mutex_trylock(&self->lock) == 0)
		plaitp_driven_leave(self);
}

static void end_callback(struct driven *self)
{
	pthread_mutex_lock(&self->notes_lock);
	if (--self->callbacks == 0)
		pthread_cond_broadcast(&self->quiet);
	pthread_mutex_unlock(&self->notes_lock);
}

void plaitp_driven_complete(driven_batch *batch, int32_t code)
{
	struct driven *self = batch->queue->self;

	/* From here on the batch may be gone. */
	leave_note(self, batch, code);
	if (pthread_mutex_trylock(&self->lock) == 0 && leave(self, false))
		call_pilot(self);
	end_callback(self);
}

/* --- life ----------------------------------------------------------------- */

plait_status plaitp_driven_open(struct driven *self,
				const struct driven_ops *verbs,
				plait_error *error)
{
	char label[DRIVEN_LABEL_BYTES];
	const plait_queue_request request = { .size = sizeof(request),
					      .label = label };

	self->verbs = verbs;
	snprintf(label, sizeof(label), "%s parked_lane", verbs->name);
	pthread_mutex_init(&self->lock, NULL);
	pthread_mutex_init(&self->notes_lock, NULL);
	pthread_cond_init(&self->quiet, NULL);
	self->out_last = &self->out_first;
	return self->services->lane_create(self->host, &request, &self->parked_lane,
					   error);
}

/* Nobody has work here any more, but somebody may be on his way out. */
static void await_callbacks(struct driven *self)
{
	pthread_mutex_lock(&self->notes_lock);
	while (self->callbacks > 0)
		pthread_cond_wait(&self->quiet, &self->notes_lock);
	pthread_mutex_unlock(&self->notes_lock);
}

/* Without workers nobody else runs the lane. */
static void run_pilot(struct driven *self)
{
	plait_error ignored = { .size = sizeof(ignored) };

	while (self->services->worker_count(self->host) == 0 &&
	       self->services->pump(self->host, &ignored) == PLAIT_OK)
		;
}

void plaitp_driven_close(struct driven *self)
{
	await_callbacks(self);
	if (self->parked_lane != NULL) {
		run_pilot(self);
		self->services->lane_destroy(self->host, self->parked_lane);
	}
	plaitp_driven_enter(self);
	plaitp_driven_leave(self);
	pthread_cond_destroy(&self->quiet);
	pthread_mutex_destroy(&self->notes_lock);
	pthread_mutex_destroy(&self->lock);
}
