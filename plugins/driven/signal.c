/* SPDX-License-Identifier: MIT */
/*
 * Signals: a counter of the core for the host to poll and wait for, and the
 * state that queues need: the value reached for them, and the emissions the
 * driver can wait for.
 */
#include <sched.h>
#include <string.h>

#include "driven.h"

/* Points that are passed to the core without an allocation. */
enum { STACK_POINTS = 8 };

/* Slices of a wait without a limit of time, between which the thread waits in
 * the driver: the first, and those while the driver executes nothing. */
enum { AWAKE_NS = 50000, SLICE_NS = 1000000 };

/* Polls of a thread that waits, with a yield between two, before it asks the
 * driver for a callback: 50 us on a device, whose callback takes 9 us and wakes
 * a thread. */
enum { POLLS = 100 };

static plait_status signal_create(plait_backend *backend, uint32_t device,
				  uint32_t flags, plait_backend_signal **out,
				  plait_error *error)
{
	struct driven *self = driven_of(backend);
	driven_signal *signal;
	plait_status status;

	(void)device;
	*out = NULL;
	signal = self->services->resize(self->host, NULL, 0, sizeof(*signal));
	if (signal == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "%s: no memory for a signal",
					  self->ops->name);
	memset(signal, 0, sizeof(*signal));
	signal->gate = (flags & PLAIT_BACKEND_SIGNAL_GATE) != 0;
	status = self->services->counter_create(self->host, flags,
						&signal->counter, error);
	if (status == PLAIT_OK)
		*out = signal;
	else
		self->services->resize(self->host, signal, sizeof(*signal), 0);
	return status;
}

static void signal_destroy(plait_backend *backend, plait_backend_signal *signal)
{
	struct driven *self = driven_of(backend);

	self->services->counter_destroy(self->host, signal->counter);
	self->services->resize(self->host, signal, sizeof(*signal), 0);
}

/* --- as queues see them --------------------------------------------------- */

enum driven_state plaitp_driven_signal_state(const driven_signal *signal,
					     uint64_t sequence)
{
	bool failed = signal->failed_from != 0 &&
		      sequence >= signal->failed_from;

	/* A failed gate is not raised again; emissions of queues still
	 * arrive. */
	if (failed && (signal->gate || signal->reached >= sequence))
		return DRIVEN_FAILED;
	return signal->reached >= sequence ? DRIVEN_REACHED : DRIVEN_PENDING;
}

/* Waiters look again; each may wait for a later point of this signal. */
static void wake_waiters(struct driven *self, driven_signal *signal)
{
	driven_queue *queue;

	while ((queue = signal->waiters) != NULL) {
		signal->waiters = queue->next_waiter;
		queue->waits_for = NULL;
		plaitp_driven_mark_dirty(self, queue);
	}
}

static void copy_error(plait_error *out, const plait_error *error)
{
	size_t bytes = error->size;

	if (bytes == 0 || bytes > sizeof(*out))
		bytes = sizeof(*out);
	memset(out, 0, sizeof(*out));
	memcpy(out, error, bytes);
	out->size = sizeof(*out);
}

void plaitp_driven_signal_advance(struct driven *self, driven_signal *signal,
				  uint64_t sequence, const plait_error *failure)
{
	if (sequence > signal->reached)
		signal->reached = sequence;
	if (failure != NULL && signal->failed_from == 0) {
		signal->failed_from = sequence;
		copy_error(&signal->error, failure);
	}
	wake_waiters(self, signal);
}

/* --- as the host sees them: the counter ----------------------------------- */

static plait_backend_point to_counter(const plait_backend_point *point)
{
	plait_backend_point out = { point->signal->counter, point->sequence };

	return out;
}

static plait_status signal_poll(plait_backend *backend,
				const plait_backend_point *point,
				uint64_t *out_reached, plait_error *error)
{
	struct driven *self = driven_of(backend);
	const plait_backend_point own = to_counter(point);
	plait_status status = self->services->counter_poll(
		self->host, &own, out_reached, error);

	if (status != PLAIT_PENDING ||
	    !plaitp_driven_poll(self, point->signal, point->sequence))
		return status;
	return self->services->counter_poll(self->host, &own, out_reached,
					    error);
}

static bool has_happened(plait_backend *backend,
			 const plait_backend_point *points, uint32_t count,
			 uint32_t any)
{
	plait_error ignored = { .size = sizeof(ignored) };
	bool pending = false;
	uint64_t reached;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (signal_poll(backend, &points[i], &reached,
					      &ignored) == PLAIT_PENDING)
			pending = true;
		else if (any)
			return true;
	}
	return !pending;
}

/* Poll for a moment, where the device writes its progress into memory. */
static void poll_first(plait_backend *backend,
		       const plait_backend_point *points, uint32_t count,
		       uint32_t any)
{
	uint32_t i;

	if (!driven_of(backend)->ops->polls_first || count > STACK_POINTS)
		return;
	for (i = 0; i < POLLS && !has_happened(backend, points, count, any);
	     i++)
		(void)sched_yield();
}

/* The calling thread is about to sleep for the points. */
static void await(struct driven *self, const plait_backend_point *points,
		  uint32_t count)
{
	uint32_t i;

	if (self->ops->await == NULL)
		return;
	for (i = 0; i < count; i++)
		plaitp_driven_await(self, points[i].signal,
				    points[i].sequence);
	plaitp_driven_poke(self);
}

/* --- waiting in the driver ------------------------------------------------ */

/* Without workers a thread in the driver would delay host functions.  Caller
 * holds self->lock. */
static bool needs_host(struct driven *self)
{
	const driven_queue *queue;

	if (self->services->worker_count(self->host) > 0)
		return false;
	for (queue = self->queues; queue != NULL; queue = queue->next_queue)
		if (queue->next != NULL)
			return true;
	return false;
}

bool plaitp_driven_emits(const driven_batch *batch,
			 const plait_backend_point *point)
{
	uint32_t i;

	for (i = 0; i < batch->emit_count; i++)
		if (batch->emits[i].signal == point->signal &&
		    batch->emits[i].point.sequence >= point->sequence)
			return true;
	return false;
}

/* Returns true if a batch of the queue emits the point: most often the last. */
static bool will_emit(const driven_queue *queue,
		      const plait_backend_point *point)
{
	const driven_batch *batch = queue->head;

	if (batch == NULL || plaitp_driven_emits(queue->tail, point))
		return batch != NULL;
	while (batch != NULL && !plaitp_driven_emits(batch, point))
		batch = batch->next;
	return batch != NULL;
}

/* Returns the last enqueued batch of the queue that the point depends on: the one
 * that emits it, if that is enqueued.  Null: there is none. */
static const driven_batch *find_enqueued(const driven_queue *queue,
					 const plait_backend_point *point)
{
	const driven_batch *batch = queue->head, *found = NULL;

	for (; batch != NULL; batch = batch->next) {
		if (batch->event != NULL)
			found = batch;
		if (plaitp_driven_emits(batch, point))
			break;
	}
	return found;
}

/* Returns the event, held, of a command in flight that the point depends on.
 * Null: there is none now.  Caller holds self->lock. */
static void *find_event(struct driven *self, const plait_backend_point *point)
{
	const driven_queue *queue = needs_host(self) ? NULL : self->queues;
	const driven_batch *batch;

	/* A later batch would be of another wait. */
	if (plaitp_driven_signal_state(point->signal, point->sequence) !=
	    DRIVEN_PENDING)
		return NULL;
	while (queue != NULL && !will_emit(queue, point))
		queue = queue->next_queue;
	batch = queue != NULL ? find_enqueued(queue, point) : NULL;
	return batch != NULL ? self->ops->hold_event(self, batch) : NULL;
}

/* No callback may tell of the end.  Caller holds self->lock. */
static void look(struct driven *self)
{
	if (self->ops->poll != NULL)
		self->ops->poll(self, NULL);
}

static plait_status wait_in_driver(plait_backend *backend,
				   const plait_backend_point *point, plait_error *error)
{
	struct driven *self = driven_of(backend);
	void *event;

	if (!self->waits_in_driver)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNSUPPORTED, 0,
					  "%s: the driver does not need it",
					  self->ops->name);
	plaitp_driven_enter(self);
	event = find_event(self, point);
	if (event == NULL)
		look(self);
	plaitp_driven_leave(self);
	if (event == NULL)
		return PLAIT_PENDING;
	self->ops->await_event(self, event);
	plaitp_driven_enter(self);
	look(self);
	plaitp_driven_leave(self);
	return PLAIT_OK;
}

/* Returns true if this thread has waited in the driver for one of the points. */
static bool enter_driver(plait_backend *backend,
			 const plait_backend_point *points, uint32_t count)
{
	plait_error ignored = { .size = sizeof(ignored) };
	uint32_t i;

	for (i = 0; i < count; i++)
		if (wait_in_driver(backend, &points[i],
						 &ignored) == PLAIT_OK)
			return true;
	return false;
}

/* Wait for points, `own` those of the core's counters.  A thread that waits for
 * any of several stays outside: a command of another point may end first. */
static plait_status wait_for(plait_backend *backend,
			     const plait_backend_point *points,
			     const plait_backend_point *own, uint32_t count,
			     uint32_t any, uint64_t timeout_ns,
			     plait_error *error)
{
	struct driven *self = driven_of(backend);
	uint64_t slice_ns = AWAKE_NS;
	plait_status status;

	if (!self->waits_in_driver || timeout_ns != UINT64_MAX ||
	    (any && count > 1))
		return self->services->counter_wait(self->host, own, count, any,
						    timeout_ns, error);
	while ((status = self->services->counter_wait(
			self->host, own, count, any, slice_ns, error)) ==
	       PLAIT_E_TIMEOUT)
		slice_ns = enter_driver(backend, points, count) ? AWAKE_NS :
								  SLICE_NS;
	return status;
}

static plait_status signal_wait(plait_backend *backend,
				const plait_backend_point *points,
				uint32_t count, uint32_t any,
				uint64_t timeout_ns, plait_error *error)
{
	struct driven *self = driven_of(backend);
	const uint64_t bytes = count * sizeof(*points);
	plait_backend_point stack_points[STACK_POINTS] = { { NULL, 0 } };
	plait_backend_point *own = stack_points;
	plait_status status;
	uint32_t i;

	if (count > STACK_POINTS)
		own = self->services->resize(self->host, NULL, 0, bytes);
	if (own == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "%s: no memory to wait for "
					  "%u points", self->ops->name,
					  count);
	for (i = 0; i < count; i++)
		own[i] = to_counter(&points[i]);
	if (timeout_ns > 0)
		poll_first(backend, points, count, any);
	await(self, points, count);
	status = wait_for(backend, points, own, count, any, timeout_ns,
			  error);
	if (own != stack_points)
		self->services->resize(self->host, own, bytes, 0);
	return status;
}

static plait_status signal_notify(plait_backend *backend,
				  const plait_backend_point *point,
				  plait_notify_function function,
				  void *user_data, plait_error *error)
{
	struct driven *self = driven_of(backend);
	const plait_backend_point own = to_counter(point);

	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	if (self->services->counter_poll(self->host, &own, &reached,
					 &ignored) == PLAIT_PENDING)
		await(self, point, 1);
	return self->services->counter_notify(self->host, &own, function,
					      user_data, error);
}

/* Raise the counter first: a host that sees a queue advance must see the gate
 * open. */
static plait_status signal_raise(plait_backend *backend,
				 const plait_backend_point *point,
				 const plait_error *failure, plait_error *error)
{
	struct driven *self = driven_of(backend);
	const plait_backend_point own = to_counter(point);
	plait_status status = self->services->counter_raise(
		self->host, &own, failure, error);

	if (status != PLAIT_OK)
		return status;
	plaitp_driven_enter(self);
	plaitp_driven_signal_advance(self, point->signal, point->sequence,
				     failure);
	plaitp_driven_leave(self);
	return PLAIT_OK;
}

static plait_status signal_reset(plait_backend *backend,
				 plait_backend_signal *signal, plait_error *error)
{
	struct driven *self = driven_of(backend);
	plait_status status = self->services->counter_reset(
		self->host, signal->counter, error);

	if (status != PLAIT_OK)
		return status;
	plaitp_driven_enter(self);
	signal->failed_from = 0;
	plaitp_driven_leave(self);
	return PLAIT_OK;
}

static plait_status pump(plait_backend *backend, plait_error *error)
{
	struct driven *self = driven_of(backend);

	return self->services->pump(self->host, error);
}

void plaitp_driven_fill_slots(plait_backend_table *table)
{
	table->queue_create = plaitp_driven_queue_create;
	table->queue_destroy = plaitp_driven_queue_destroy;
	table->queue_submit = plaitp_driven_queue_submit;
	table->queue_recover = plaitp_driven_queue_recover;
	table->signal_create = signal_create;
	table->signal_destroy = signal_destroy;
	table->signal_poll = signal_poll;
	table->signal_wait = signal_wait;
	table->signal_notify = signal_notify;
	table->signal_raise = signal_raise;
	table->signal_reset = signal_reset;
	table->pump = pump;
	table->wait_in_driver = wait_in_driver;
}
