/* SPDX-License-Identifier: MIT */
/*
 * Combining lock: the holder does the work of threads that did not get it.
 *
 *     enter   lock
 *     leave   apply completions and advance dirty queues, until none is left
 *             deliver emissions and host functions: unlocked, in order, one
 *             thread at a time
 *             unlock; repeat if a completion arrived and the lock is free
 *
 * A callback of the driver may arrive on a thread that is inside a driver call
 * of this backend and holds the lock.  It pushes its completion and only tries
 * the lock.  If it gets the lock it must not call the driver, because it may
 * hold locks of the driver; a worker of the core then makes those calls
 * (worker_lane).
 */
#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "driven.h"

void plaitp_driven_enter(struct driven *self)
{
	pthread_mutex_lock(&self->lock);
}

/* --- completions ---------------------------------------------------------- */

static void push_completion(struct driven *self, driven_batch *batch,
			    int32_t code)
{
	pthread_mutex_lock(&self->completion_lock);
	self->callbacks++;
	batch->code = code;
	batch->next_completion = self->completions;
	self->completions = batch;
	pthread_mutex_unlock(&self->completion_lock);
}

static driven_batch *take_completions(struct driven *self)
{
	driven_batch *completions;

	pthread_mutex_lock(&self->completion_lock);
	completions = self->completions;
	self->completions = NULL;
	self->has_news = false;
	pthread_mutex_unlock(&self->completion_lock);
	return completions;
}

static bool has_completions(struct driven *self)
{
	bool some;

	pthread_mutex_lock(&self->completion_lock);
	some = self->completions != NULL || self->has_unended ||
	       self->has_news || self->sleepers.count > 0;
	pthread_mutex_unlock(&self->completion_lock);
	return some;
}

/* --- deliveries ----------------------------------------------------------- */

void plaitp_driven_deliver_later(struct driven *self, driven_batch *batch)
{
	batch->next_delivery = NULL;
	*self->delivery_tail = batch;
	self->delivery_tail = &batch->next_delivery;
}

static driven_batch *pop_delivery(struct driven *self)
{
	driven_batch *batch = self->delivery_head;

	if (batch == NULL)
		return NULL;
	self->delivery_head = batch->next_delivery;
	if (self->delivery_head == NULL)
		self->delivery_tail = &self->delivery_head;
	return batch;
}

/* Called without the lock.  After the last emission the queue may be freed. */
static void deliver_emissions(struct driven *self, const driven_batch *batch,
			      const plait_error *failure)
{
	uint32_t i;

	for (i = 0; i < batch->emit_count; i++)
		self->services->counter_emit(self->host,
					     &batch->emits[i].point,
					     batch->failed ? failure : NULL);
}

/* Resume the batch after a host function, however it ended. */
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

/* The text is the same in every backend. */
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

/* The host function ended its thread instead of returning. */
static void lose_call(void *arg)
{
	driven_batch *batch = arg;
	plait_error failure;

	batch->queue->lost = true;
	describe_call(batch, -1, "did not return but ended its thread "
		      "(pthread_exit)", &failure);
	end_call(batch->queue->self, batch, &failure);
}

/* Runs on a worker of the core. */
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

plait_status plaitp_driven_submit_call(struct driven *self,
				       plait_backend_queue *lane,
				       int32_t (*function)(void *),
				       void *user_data, plait_error *error)
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

/* Caller holds the lock; returns without it. */
static void hand_over(struct driven *self, driven_batch *batch,
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
		out->refused = plaitp_driven_submit_call(
				       self, lane, run_call, batch,
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

enum delivery { DELIVERY_NONE, DELIVERY_MORE, DELIVERY_UNENDED };

/*
 * A callback must not block on the lock: its holder may be waiting in the
 * driver for this very thread.  The holder ends this delivery when it unlocks;
 * if it has unlocked meanwhile, this thread has the lock again.
 */
static enum delivery leave_unended(struct driven *self,
				   const struct driven_delivery *delivery)
{
	pthread_mutex_lock(&self->completion_lock);
	self->unended = *delivery;
	self->has_unended = true;
	pthread_mutex_unlock(&self->completion_lock);
	return pthread_mutex_trylock(&self->lock) == 0 ? DELIVERY_MORE :
							 DELIVERY_UNENDED;
}

/* Unless it returns DELIVERY_NONE it has released the lock in between.  After
 * DELIVERY_UNENDED the lock is not held. */
static enum delivery deliver(struct driven *self, bool may_wait)
{
	struct driven_delivery delivery;
	driven_batch *batch;

	if (self->delivering || self->delivery_head == NULL)
		return DELIVERY_NONE;
	self->delivering = true;
	while ((batch = pop_delivery(self)) != NULL) {
		hand_over(self, batch, &delivery);
		if (may_wait)
			pthread_mutex_lock(&self->lock);
		else if (pthread_mutex_trylock(&self->lock) != 0)
			return leave_unended(self, &delivery);
		end_delivery(self, &delivery);
	}
	self->delivering = false;
	return DELIVERY_MORE;
}

/* End the delivery that a callback has left unended.  Caller holds self->lock. */
static void end_unended(struct driven *self)
{
	struct driven_delivery delivery;
	bool some;

	pthread_mutex_lock(&self->completion_lock);
	some = self->has_unended;
	delivery = self->unended;
	self->has_unended = false;
	pthread_mutex_unlock(&self->completion_lock);
	if (!some)
		return;
	end_delivery(self, &delivery);
	self->delivering = false;
}

static void await_sleepers(struct driven *self)
{
	struct driven_sleepers sleepers;

	pthread_mutex_lock(&self->completion_lock);
	sleepers = self->sleepers;
	self->sleepers.count = 0;
	pthread_mutex_unlock(&self->completion_lock);
	if (sleepers.count > 0)
		self->ops->await(self, &sleepers);
}

static void apply_completions(struct driven *self)
{
	driven_batch *completed = take_completions(self);

	end_unended(self);
	while (completed != NULL) {
		driven_batch *next = completed->next_completion;

		completed->in_flight = false;
		self->has_ended = true;
		plaitp_driven_mark_dirty(self, completed->queue);
		completed = next;
	}
	if (self->ops->collect != NULL)
		self->ops->collect(self);
	if (self->ops->await != NULL)
		await_sleepers(self);
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

	for (batch = self->garbage; batch != NULL; batch = batch->next)
		self->ops->drop(self, batch);
	plaitp_driven_spares_give(self, self->garbage);
	self->garbage = NULL;
}

/* --- leaving -------------------------------------------------------------- */

/* Returns true if the caller must request a worker. */
static bool claim_request(struct driven *self)
{
	bool call;

	pthread_mutex_lock(&self->completion_lock);
	call = !self->worker_requested;
	self->worker_requested = true;
	pthread_mutex_unlock(&self->completion_lock);
	return call;
}

/* Caller holds the lock.  Returns true if the caller must request a worker. */
static bool needs_worker(struct driven *self)
{
	if (self->deferred == NULL &&
	    (self->ops->needs_driver == NULL || !self->ops->needs_driver(self)))
		return false;
	return claim_request(self);
}

static void clear_worker_request(struct driven *self)
{
	pthread_mutex_lock(&self->completion_lock);
	self->worker_requested = false;
	pthread_mutex_unlock(&self->completion_lock);
}

/* Apply completions, advance and deliver until nothing is left. */
static enum delivery go_on(struct driven *self, bool may_call)
{
	enum delivery delivery;

	do {
		apply_completions(self);
		plaitp_driven_advance(self, may_call);
		if (may_call && self->ops->settle != NULL)
			self->ops->settle(self);
		delivery = deliver(self, may_call);
	} while (delivery == DELIVERY_MORE ||
		 (delivery == DELIVERY_NONE && self->dirty != NULL));
	return delivery;
}

/* Returns true if a worker must be requested. */
static bool leave(struct driven *self, bool may_call)
{
	bool call = false;

	do {
		if (go_on(self, may_call) == DELIVERY_UNENDED)
			break;
		if (may_call)
			collect_garbage(self);
		else if (!call)
			call = needs_worker(self);
		pthread_mutex_unlock(&self->lock);
	} while (has_completions(self) &&
		 pthread_mutex_trylock(&self->lock) == 0);
	return call;
}

void plaitp_driven_leave(struct driven *self)
{
	(void)leave(self, true);
}

static int32_t run_on_worker(void *arg)
{
	struct driven *self = arg;

	clear_worker_request(self);
	plaitp_driven_enter(self);
	plaitp_driven_leave(self);
	return 0;
}

static void request_worker(struct driven *self)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (plaitp_driven_submit_call(self, self->worker_lane, run_on_worker,
				      self, &ignored) == PLAIT_OK)
		return;
	/* No memory for the request.  The holder of the lock makes the driver
	 * calls; if the lock is free, calling the driver here is better than
	 * stopping. */
	clear_worker_request(self);
	if (pthread_mutex_trylock(&self->lock) == 0)
		(void)leave(self, true);
	clear_worker_request(self);
}

static void end_callback(struct driven *self)
{
	pthread_mutex_lock(&self->completion_lock);
	if (--self->callbacks == 0)
		pthread_cond_broadcast(&self->no_callbacks);
	pthread_mutex_unlock(&self->completion_lock);
}

/* The thread is inside a callback of the driver. */
static _Thread_local bool in_callback;

void plaitp_driven_end_callback(struct driven *self)
{
	in_callback = true;
	if (pthread_mutex_trylock(&self->lock) == 0 && leave(self, false))
		request_worker(self);
	in_callback = false;
	end_callback(self);
}

void plaitp_driven_poke(struct driven *self)
{
	if (pthread_mutex_trylock(&self->lock) == 0 &&
	    leave(self, !in_callback))
		request_worker(self);
}

bool plaitp_driven_poll(struct driven *self, driven_signal *signal,
			uint64_t sequence)
{
	const struct driven_emit *newest;

	if (self->ops->poll == NULL || signal->gate)
		return false;
	if (plaitp_driven_load64(&signal->polled) != sequence) {
		plaitp_driven_store64(&signal->polled, sequence);
		return false;
	}
	if (pthread_mutex_trylock(&self->lock) != 0)
		return false;
	newest = signal->newest;
	self->ops->poll(self, newest != NULL &&
				      newest->point.sequence > sequence ?
			      newest->batch->queue : NULL);
	if (leave(self, !in_callback))
		request_worker(self);
	return true;
}

void plaitp_driven_await(struct driven *self, driven_signal *signal,
			 uint64_t sequence)
{
	if (self->ops->await == NULL || signal->gate)
		return;
	plaitp_driven_raise64(&signal->awaited, sequence);
	pthread_mutex_lock(&self->completion_lock);
	if (self->sleepers.count < DRIVEN_SLEEPERS)
		self->sleepers.points[self->sleepers.count] =
			(plait_backend_point){ signal, sequence };
	if (self->sleepers.count <= DRIVEN_SLEEPERS)
		self->sleepers.count++;
	pthread_mutex_unlock(&self->completion_lock);
}

bool plaitp_driven_is_awaited(const driven_batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->emit_count; i++)
		if (plaitp_driven_load64(&batch->emits[i].signal->awaited) >=
		    batch->emits[i].point.sequence)
			return true;
	return false;
}

void plaitp_driven_begin_callback(struct driven *self)
{
	pthread_mutex_lock(&self->completion_lock);
	self->callbacks++;
	self->has_news = true;
	pthread_mutex_unlock(&self->completion_lock);
}

void plaitp_driven_complete(driven_batch *batch, int32_t code)
{
	struct driven *self = batch->queue->self;

	/* The batch may be freed from here on. */
	push_completion(self, batch, code);
	plaitp_driven_end_callback(self);
}

/* --- opening and closing -------------------------------------------------- */

plait_status plaitp_driven_open(struct driven *self,
				const struct driven_ops *ops,
				plait_error *error)
{
	char label[DRIVEN_LABEL_BYTES];
	const plait_queue_request request = { .size = sizeof(request),
					      .label = label };
	plait_status status;

	self->ops = ops;
	snprintf(label, sizeof(label), "%s driver calls", ops->name);
	pthread_mutex_init(&self->lock, NULL);
	pthread_mutex_init(&self->completion_lock, NULL);
	pthread_cond_init(&self->no_callbacks, NULL);
	self->delivery_tail = &self->delivery_head;
	status = self->services->lane_create(self->host, &request,
					     &self->worker_lane, error);
	return status != PLAIT_OK ? status :
				    plaitp_driven_watch_open(self, error);
}

/* No queue is left, but a callback may not have returned yet. */
static void await_callbacks(struct driven *self)
{
	pthread_mutex_lock(&self->completion_lock);
	while (self->callbacks > 0)
		pthread_cond_wait(&self->no_callbacks, &self->completion_lock);
	pthread_mutex_unlock(&self->completion_lock);
}

/* Without workers no other thread runs the lane. */
static void pump_worker_lane(struct driven *self)
{
	plait_error ignored = { .size = sizeof(ignored) };

	while (self->services->worker_count(self->host) == 0 &&
	       self->services->pump(self->host, &ignored) == PLAIT_OK)
		;
}

void plaitp_driven_close(struct driven *self)
{
	plaitp_driven_watch_close(self);
	await_callbacks(self);
	if (self->worker_lane != NULL) {
		pump_worker_lane(self);
		self->services->lane_destroy(self->host, self->worker_lane);
	}
	plaitp_driven_enter(self);
	plaitp_driven_leave(self);
	plaitp_driven_spares_free(self);
	pthread_cond_destroy(&self->no_callbacks);
	pthread_mutex_destroy(&self->completion_lock);
	pthread_mutex_destroy(&self->lock);
}
