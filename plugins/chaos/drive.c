/* SPDX-License-Identifier: MIT */
/*
 * Wait and pump: the only slots in which virtual time advances.
 *
 * A wait runs events until its points have happened.  With no event left, a
 * wait with a timeout returns PLAIT_E_TIMEOUT at once, and one without returns
 * PLAIT_E_DEADLOCK.  A wait sleeps in real time only if other threads use this
 * system: while one of them runs a host function, and for up to `patience_ms`
 * for one of them to raise a gate or submit work.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "chaos.h"
#include "port.h"

/* Shortest virtual duration of a wait that times out, so that a loop of waits
 * with timeout 0 makes progress. */
enum { POLL_NS = 1000 };

struct waiting {
	const plait_backend_point *points;
	uint32_t count;
	uint32_t any;
	uint64_t timeout_ns;
	uint64_t deadline_ns;      /* virtual */
	uint64_t real_deadline_ns; /* while other threads run host functions */
};

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t later(uint64_t from_ns, uint64_t by_ns)
{
	uint64_t sum;

	return __builtin_add_overflow(from_ns, by_ns, &sum) ? UINT64_MAX : sum;
}

/* Sleep until `changed` is signalled; returns false at `until_ns`. */
static bool sleep_until(chaos *system, uint64_t until_ns)
{
	struct timespec end;

	if (until_ns == UINT64_MAX) {
		pthread_cond_wait(&system->changed, &system->lock);
		return true;
	}
	end.tv_sec = (time_t)(until_ns / 1000000000u);
	end.tv_nsec = (long)(until_ns % 1000000000u);
	return pthread_cond_timedwait(&system->changed, &system->lock,
				      &end) == 0;
}

/* Return PLAIT_PENDING, or the result of the wait. */
static plait_status check_points(chaos *system, const struct waiting *waiting,
				 plait_error *error)
{
	plait_status answer = PLAIT_OK;

	for (uint32_t i = 0; i < waiting->count; i++) {
		const plait_backend_point *point = &waiting->points[i];
		chaos_signal *signal = point->signal;
		plait_status status = plaitp_chaos_signal_state(
			signal, point->sequence, signal->host_reached);

		if (status < 0) {
			system->services->fail(error, status,
					       signal->error.origin,
					       signal->error.text);
			error->detail = signal->error.detail;
			return status;
		}
		if (status == PLAIT_OK && waiting->any)
			return PLAIT_OK;
		if (status == PLAIT_PENDING)
			answer = PLAIT_PENDING;
	}
	return answer;
}

/* The oldest queue that has work; no event is left, so it cannot start it.
 * Null if there is none. */
static const chaos_queue *first_blocked(const chaos *system)
{
	const chaos_queue *first = NULL;

	for (const chaos_queue *queue = system->queues; queue;
	     queue = queue->next)
		if (queue->head)
			first = queue;
	return first;
}

/* Returns true if the calling thread runs a host function of this system. */
static bool called_from_inside(const chaos *system)
{
	for (const chaos_queue *queue = system->queues; queue;
	     queue = queue->next)
		if (queue->state == CHAOS_QUEUE_CALLING &&
		    pthread_equal(queue->caller, pthread_self()))
			return true;
	return false;
}

static plait_status fail_deadlock(chaos *system, const struct waiting *waiting,
				  plait_error *error)
{
	const chaos_queue *queue = first_blocked(system);
	const plait_backend_point *point = &waiting->points[0];
	char name[96] = "the host";

	if (called_from_inside(system))
		return plaitp_chaos_fail(
			system, error, PLAIT_E_DEADLOCK, 0,
			"a host function must not wait: the awaited work may "
			"need its thread");
	if (queue) {
		plaitp_chaos_run_queue_name(queue, name, sizeof(name));
		if (queue->state != CHAOS_QUEUE_WAITING)
			return plaitp_chaos_fail(
				system, error, PLAIT_E_DEADLOCK, 0,
				"nothing can happen any more: %s of device "
				"chaos:%u was never flushed", name,
				queue->device->index);
		point = &queue->head->waits[queue->wait_index];
	} else {
		while (plaitp_chaos_signal_state(point->signal, point->sequence,
					  point->signal->host_reached) == 0)
			point++;
	}
	return plaitp_chaos_fail(
		system, error, PLAIT_E_DEADLOCK, 0,
		"nothing can happen any more: %s waits for sequence %llu of "
		"s%llu, a %s that is at %llu", name,
		(unsigned long long)point->sequence,
		(unsigned long long)point->signal->number,
		point->signal->flags & PLAIT_BACKEND_SIGNAL_GATE ?
		"gate" : "signal",
		(unsigned long long)point->signal->reached);
}

static plait_status fail_timeout(chaos *system, const struct waiting *waiting,
				 plait_error *error)
{
	if (system->now_ns < waiting->deadline_ns)
		system->now_ns = waiting->deadline_ns;
	plaitp_chaos_log(system, "a wait of %llu ns ran out",
			 (unsigned long long)waiting->timeout_ns);
	return plaitp_chaos_fail(
		system, error, PLAIT_E_TIMEOUT, 0,
		"%llu ns of simulated time have passed",
		(unsigned long long)waiting->timeout_ns);
}

/* No event is left: return the result of the wait, or PLAIT_PENDING to check
 * the points again. */
static plait_status wait_without_events(chaos *system,
					const struct waiting *waiting,
					plait_error *error)
{
	bool forever = waiting->timeout_ns == PLAIT_FOREVER;

	if (waiting->timeout_ns == 0)
		return fail_timeout(system, waiting, error);
	if (system->calls_running > 0 && !called_from_inside(system))
		return sleep_until(system, waiting->real_deadline_ns) ?
			PLAIT_PENDING : fail_timeout(system, waiting, error);
	if (!forever)
		return fail_timeout(system, waiting, error);
	if (system->many_threads &&
	    sleep_until(system, later(real_ns(), system->options.patience_ms *
				      1000000u)))
		return PLAIT_PENDING;
	return fail_deadlock(system, waiting, error);
}

plait_status plaitp_chaos_signal_wait(plait_backend *self,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns,
				      plait_error *error)
{
	chaos *system = chaos_of(self);
	struct waiting waiting = { points, count, any, timeout_ns,
				   UINT64_MAX, UINT64_MAX };
	plait_status status;

	plaitp_chaos_lock(system);
	if (timeout_ns != PLAIT_FOREVER) {
		waiting.real_deadline_ns = later(real_ns(), timeout_ns);
		waiting.deadline_ns = later(system->now_ns,
					    timeout_ns > POLL_NS ?
					    timeout_ns : POLL_NS);
	}
	while ((status = check_points(system, &waiting, error)) ==
	       PLAIT_PENDING) {
		uint64_t next_ns = plaitp_chaos_clock_next_ns(system);

		if (next_ns != UINT64_MAX && next_ns <= waiting.deadline_ns) {
			plaitp_chaos_clock_step(system);
			continue;
		}
		status = wait_without_events(system, &waiting, error);
		if (status != PLAIT_PENDING)
			break;
	}
	plaitp_chaos_unlock(system);
	return status;
}

plait_status plaitp_chaos_pump(plait_backend *self, plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status = PLAIT_OK;

	(void)error;
	plaitp_chaos_lock(system);
	plaitp_chaos_wire_look(system);
	if (system->heap_count > 0)
		plaitp_chaos_clock_step(system);
	else if (system->calls_running > 0 && !called_from_inside(system))
		/* A host function on another thread counts as progress. */
		(void)sleep_until(system, later(real_ns(), 1000000u));
	else
		status = PLAIT_PENDING;
	plaitp_chaos_unlock(system);
	return status;
}
