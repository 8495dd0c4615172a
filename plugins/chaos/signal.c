/* SPDX-License-Identifier: MIT */
/*
 * Signals: counters that each observer sees with a delay.  Queues see `reached`
 * after a hop; the host sees `host_reached`.
 */
#include <string.h>

#include "chaos.h"

static void add_unseen(chaos *system, chaos_signal *signal)
{
	if (signal->unseen_link)
		return;
	signal->unseen_next = system->unseen;
	signal->unseen_link = &system->unseen;
	if (system->unseen)
		system->unseen->unseen_link = &signal->unseen_next;
	system->unseen = signal;
}

static void drop_unseen(chaos_signal *signal)
{
	if (!signal->unseen_link)
		return;
	*signal->unseen_link = signal->unseen_next;
	if (signal->unseen_next)
		signal->unseen_next->unseen_link = signal->unseen_link;
	signal->unseen_link = NULL;
}

/*
 * Publish all emissions to the host.  A host that sees an emission sees all
 * earlier ones; their order is not recorded, so all become visible.  Their
 * pending events then have no effect.
 */
static void publish_all(chaos *system)
{
	while (system->unseen) {
		system->unseen->host_reached = system->unseen->reached;
		drop_unseen(system->unseen);
	}
}

static void publish_signal(chaos *system, void *owner)
{
	chaos_signal *signal = owner;

	signal->host_reached = signal->reached;
	publish_all(system);
	plaitp_chaos_log(system, "the host sees s%llu at %llu",
			 (unsigned long long)signal->number,
			 (unsigned long long)signal->host_reached);
	pthread_cond_broadcast(&system->changed);
}

plait_status plaitp_chaos_signal_create(plait_backend *self, uint32_t device,
					uint32_t flags,
					plait_backend_signal **out,
					plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status;
	chaos_signal *signal;

	(void)device;
	*out = NULL;
	signal = plaitp_chaos_allocate(system, sizeof(*signal));
	if (!signal)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a signal");
	signal->event.callback = publish_signal;
	signal->event.owner = signal;
	signal->flags = flags;
	signal->error.size = sizeof(signal->error);
	plaitp_chaos_lock(system);
	status = plaitp_chaos_clock_reserve(system, error);
	if (status == PLAIT_OK) {
		signal->number = ++system->signal_number;
		plaitp_chaos_log(system, "s%llu: %s",
				 (unsigned long long)signal->number,
				 flags & PLAIT_BACKEND_SIGNAL_GATE ?
				 "a gate" : "a signal");
		*out = signal;
	}
	plaitp_chaos_unlock(system);
	if (status != PLAIT_OK)
		plaitp_chaos_free(system, signal, sizeof(*signal));
	return status;
}

static void drop_notice(chaos *system, chaos_notice *notice)
{
	chaos_notice **link = &notice->signal->notices;

	while (*link != notice)
		link = &(*link)->next;
	*link = notice->next;
	plaitp_chaos_clock_cancel(system, &notice->event);
	plaitp_chaos_clock_unreserve(system);
	plaitp_chaos_free(system, notice, sizeof(*notice));
}

void plaitp_chaos_signal_destroy(plait_backend *self,
				 plait_backend_signal *signal)
{
	chaos *system = chaos_of(self);

	plaitp_chaos_lock(system);
	if (signal->notices || signal->waiters)
		system->services->log(system->host, PLAIT_LOG_ERROR,
				      "chaos: a signal with waiters or "
				      "notifications was destroyed");
	while (signal->notices)
		drop_notice(system, signal->notices);
	drop_unseen(signal);
	plaitp_chaos_clock_cancel(system, &signal->event);
	plaitp_chaos_clock_unreserve(system);
	plaitp_chaos_unlock(system);
	plaitp_chaos_free(system, signal, sizeof(*signal));
}

plait_status plaitp_chaos_signal_state(const chaos_signal *signal,
				       uint64_t sequence, uint64_t reached)
{
	bool gate = signal->flags & PLAIT_BACKEND_SIGNAL_GATE;

	/* A failed gate is not raised again, so all later points have failed;
	 * the emissions of queues still arrive one by one. */
	if (signal->failed_from && sequence >= signal->failed_from &&
	    (gate || reached >= sequence))
		return signal->error.status;
	return reached >= sequence ? PLAIT_OK : PLAIT_PENDING;
}

static uint64_t host_delay(chaos *system, uint32_t quirk, uint64_t factor)
{
	uint64_t delay = plaitp_chaos_random_delay(system,
						   &system->options.hop_ns);

	return system->options.quirks & quirk ? delay * factor : delay;
}

static void wake_waiters(chaos *system, chaos_signal *signal)
{
	chaos_queue **link = &signal->waiters;

	while (*link) {
		chaos_queue *queue = *link;
		uint64_t sequence =
			queue->head->waits[queue->wait_index].sequence;

		if (plaitp_chaos_signal_state(signal, sequence,
					      signal->reached) ==
		    PLAIT_PENDING) {
			link = &queue->next_waiter;
			continue;
		}
		*link = queue->next_waiter;
		plaitp_chaos_run_wake(system, queue);
	}
}

static void wake_notices(chaos *system, chaos_signal *signal)
{
	for (chaos_notice *notice = signal->notices; notice;
	     notice = notice->next)
		if (notice->event.place == 0 &&
		    plaitp_chaos_signal_state(signal, notice->sequence,
					      signal->reached) != PLAIT_PENDING)
			plaitp_chaos_clock_schedule(
				system, &notice->event,
				host_delay(system, CHAOS_LATE_NOTIFY, 256));
}

void plaitp_chaos_signal_emit(chaos *system, chaos_signal *signal,
			      uint64_t sequence, const plait_error *failure)
{
	if (sequence > signal->reached)
		signal->reached = sequence;
	signal->raised_ns = system->now_ns;
	if (failure && !signal->failed_from) {
		uint64_t size = failure->size;

		if (size == 0 || size > sizeof(*failure))
			size = sizeof(*failure);
		signal->failed_from = sequence;
		memcpy(&signal->error, failure, size);
		signal->error.size = sizeof(signal->error);
	}
	wake_waiters(system, signal);
	wake_notices(system, signal);
	add_unseen(system, signal);
	if (signal->event.place == 0)
		plaitp_chaos_clock_schedule(system, &signal->event,
					    host_delay(system, CHAOS_SLOW_HOST,
						       256));
}

plait_status plaitp_chaos_signal_poll(plait_backend *self,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error)
{
	chaos *system = chaos_of(self);
	chaos_signal *signal = point->signal;
	plait_status status;

	plaitp_chaos_lock(system);
	status = plaitp_chaos_signal_state(signal, point->sequence,
					   signal->host_reached);
	if (out_reached)
		*out_reached = signal->host_reached;
	if (status < 0) {
		system->services->fail(error, status, signal->error.origin,
				       signal->error.text);
		error->detail = signal->error.detail;
	}
	plaitp_chaos_unlock(system);
	return status;
}

/* Make the point visible to the host, which may poll when it is notified. */
static plait_status show_point(chaos *system, chaos_signal *signal,
			       uint64_t sequence)
{
	if (signal->reached >= sequence && signal->host_reached < sequence) {
		signal->host_reached = sequence;
		publish_all(system);
	}
	return plaitp_chaos_signal_state(signal, sequence, signal->reached);
}

static void deliver(chaos *system, void *owner)
{
	chaos_notice *notice = owner;
	plait_notify_function function = notice->function;
	void *user_data = notice->user_data;
	plait_status status = show_point(system, notice->signal,
					 notice->sequence);

	plaitp_chaos_log(system, "the host is told of s%llu at %llu",
			 (unsigned long long)notice->signal->number,
			 (unsigned long long)notice->sequence);
	drop_notice(system, notice);
	pthread_cond_broadcast(&system->changed);
	/* The signal may be destroyed from here on. */
	plaitp_chaos_unlock(system);
	function(user_data, status);
	plaitp_chaos_lock(system);
}

static plait_status add_notice(chaos *system, const chaos_notice *wanted,
			       plait_error *error)
{
	chaos_notice *notice = plaitp_chaos_allocate(system, sizeof(*notice));
	plait_status status;

	if (!notice)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory to notify");
	status = plaitp_chaos_clock_reserve(system, error);
	if (status != PLAIT_OK) {
		plaitp_chaos_free(system, notice, sizeof(*notice));
		return status;
	}
	*notice = *wanted;
	notice->event.callback = deliver;
	notice->event.owner = notice;
	notice->next = notice->signal->notices;
	notice->signal->notices = notice;
	wake_notices(system, notice->signal);
	return PLAIT_OK;
}

plait_status plaitp_chaos_signal_notify(plait_backend *self,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error)
{
	chaos *system = chaos_of(self);
	const chaos_notice wanted = {
		.signal = point->signal, .sequence = point->sequence,
		.function = function, .user_data = user_data,
	};
	plait_status happened, status;

	plaitp_chaos_lock(system);
	if ((system->options.quirks & CHAOS_INLINE_NOTIFY) &&
	    (happened = show_point(system, point->signal,
				   point->sequence)) !=
	    PLAIT_PENDING) {
		plaitp_chaos_unlock(system);
		function(user_data, happened);
		return PLAIT_OK;
	}
	status = add_notice(system, &wanted, error);
	plaitp_chaos_unlock(system);
	return status;
}

plait_status plaitp_chaos_signal_raise(plait_backend *self,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error)
{
	chaos *system = chaos_of(self);
	chaos_signal *signal = point->signal;
	plait_status status = PLAIT_OK;

	plaitp_chaos_lock(system);
	if (signal->failed_from) {
		status = plaitp_chaos_fail(
			system, error, PLAIT_E_STATE, 0,
			"gate s%llu has failed at %llu; reset it first",
			(unsigned long long)signal->number,
			(unsigned long long)signal->failed_from);
	} else if (point->sequence < signal->reached) {
		status = plaitp_chaos_fail(
			system, error, PLAIT_E_INVALID, 0,
			"gate s%llu is at %llu and cannot go back to %llu",
			(unsigned long long)signal->number,
			(unsigned long long)signal->reached,
			(unsigned long long)point->sequence);
	} else {
		plaitp_chaos_log(system, "the host raises s%llu to %llu%s",
				 (unsigned long long)signal->number,
				 (unsigned long long)point->sequence,
				 failure ? ", failed" : "");
		plaitp_chaos_signal_emit(system, signal, point->sequence,
					 failure);
		/* The host sees a gate that it raised at once. */
		signal->host_reached = signal->reached;
		pthread_cond_broadcast(&system->changed);
	}
	plaitp_chaos_unlock(system);
	return status;
}

plait_status plaitp_chaos_signal_reset(plait_backend *self,
				       plait_backend_signal *signal,
				       plait_error *error)
{
	chaos *system = chaos_of(self);

	(void)error;
	plaitp_chaos_lock(system);
	signal->failed_from = 0;
	signal->error = (plait_error){ .size = sizeof(signal->error) };
	plaitp_chaos_unlock(system);
	return PLAIT_OK;
}
