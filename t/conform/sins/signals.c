/* SPDX-License-Identifier: MIT */
/* Signals of the backend that sins; see base.h. */
#include "base.h"

#include <string.h>
#include <time.h>

plait_status sins_state(const plait_backend_point *point)
{
	const plait_backend_signal *signal = point->signal;

	bool happened = signal->reached >= point->sequence;

	/* A failed gate is not raised further; emissions of queues still
	 * come. */
	if (signal->failed_from != 0 &&
	    (happened || signal->gate || SINS(FAILS_AHEAD)) &&
	    (point->sequence >= signal->failed_from ||
	     SINS(FAILS_BACKWARDS)))
		return signal->failure.status;
	return happened ? PLAIT_OK : PLAIT_PENDING;
}

void sins_raise(plait_backend *self, plait_backend_signal *signal,
		uint64_t sequence, const plait_error *failure,
		struct note **told)
{
	struct note **link = &signal->notes, *note;
	plait_backend_point point = { signal, 0 };

	if (failure != NULL && signal->failed_from == 0) {
		signal->failed_from = sequence;
		signal->failure = *failure;
	}
	signal->reached = sequence;
	while ((note = *link) != NULL) {
		point.sequence = note->sequence;
		note->status = sins_state(&point);
		if (note->status == PLAIT_PENDING) {
			link = &note->next;
			continue;
		}
		*link = note->next;
		note->next = *told;
		*told = note;
	}
	pthread_cond_broadcast(&self->work);
	if (SINS(WAKES_ONE))
		pthread_cond_signal(&self->changed);
	else
		pthread_cond_broadcast(&self->changed);
}

void sins_tell(plait_backend *self, struct note *told)
{
	struct note *next;

	for (; told != NULL; told = next) {
		next = told->next;
		told->function(told->user_data, told->status);
		if (SINS(NOTIFIES_TWICE))
			told->function(told->user_data, told->status);
		sins_free(self, told, sizeof(*told));
	}
}

/* --- slots */

plait_status sins_signal_create(plait_backend *self, uint32_t device,
				uint32_t flags, plait_backend_signal **out,
				plait_error *error)
{
	(void)device;
	*out = sins_allocate(self, sizeof(**out));
	if (*out == NULL)
		return sins_no_memory(self, sizeof(**out), error);
	(*out)->gate = flags & PLAIT_BACKEND_SIGNAL_GATE;
	return PLAIT_OK;
}

void sins_signal_destroy(plait_backend *self, plait_backend_signal *signal)
{
	struct note *next;

	for (; signal->notes != NULL; signal->notes = next) {
		next = signal->notes->next;
		sins_free(self, signal->notes, sizeof(*signal->notes));
	}
	sins_free(self, signal, sizeof(*signal));
}

static plait_status report(plait_status state,
			   const plait_backend_point *point,
			   plait_error *error)
{
	if (state < 0)
		*error = point->signal->failure;
	return state;
}

plait_status sins_signal_poll(plait_backend *self,
			      const plait_backend_point *point,
			      uint64_t *out_reached, plait_error *error)
{
	plait_status state;

	pthread_mutex_lock(&self->lock);
	*out_reached = point->signal->reached;
	state = self->dead ?
		self->services->fail(error, PLAIT_E_LOST, 0, "sins: gone") :
		report(sins_state(point), point, error);
	pthread_mutex_unlock(&self->lock);
	return state;
}

/* Caller holds the lock.  Returns the state of a wait for these. */
static plait_status points_state(const plait_backend_point *points,
				 uint32_t count, uint32_t any,
				 plait_error *error)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < count; i++) {
		plait_status state = sins_state(&points[i]);

		if (state < 0)
			return report(state, &points[i], error);
		done += state == PLAIT_OK;
	}
	if (SINS(ANY_IS_ALL))
		any = 0;
	if (done == count || (any && done > 0))
		return PLAIT_OK;
	return PLAIT_PENDING;
}

/* Returns false when the deadline is beyond all clocks. */
static bool deadline(uint64_t timeout_ns, struct timespec *out)
{
	uint64_t sum;

	if (timeout_ns > UINT64_MAX / 4 || SINS(NEVER_TIMES_OUT))
		return false;
	if (SINS(TIMES_OUT_EARLY))
		timeout_ns /= 2;
	clock_gettime(CLOCK_MONOTONIC, out);
	sum = (uint64_t)out->tv_nsec + timeout_ns % 1000000000u;
	out->tv_sec += (time_t)(timeout_ns / 1000000000u + sum / 1000000000u);
	out->tv_nsec = (long)(sum % 1000000000u);
	return true;
}

/* The worker runs a host function then, and others may need this thread to go
 * on. */
static bool is_own_thread(plait_backend *self)
{
	bool own = false;

	pthread_mutex_lock(&self->lock);
	for (uint32_t i = 0; i < self->thread_count; i++)
		own |= pthread_equal(self->seats[i].thread, pthread_self()) != 0;
	pthread_mutex_unlock(&self->lock);
	return own;
}

plait_status sins_signal_wait(plait_backend *self,
			      const plait_backend_point *points,
			      uint32_t count, uint32_t any,
			      uint64_t timeout_ns, plait_error *error)
{
	struct timespec end;
	bool ends = deadline(timeout_ns, &end), late;
	bool inside = is_own_thread(self) && !SINS(WAITS_INSIDE);
	plait_status state;

	pthread_mutex_lock(&self->lock);
	late = inside;
	while ((state = points_state(points, count, any, error)) ==
	       PLAIT_PENDING && !late) {
		if (ends)
			late = pthread_cond_timedwait(&self->changed,
						      &self->lock, &end) != 0;
		else
			pthread_cond_wait(&self->changed, &self->lock);
	}
	pthread_mutex_unlock(&self->lock);
	if (state == PLAIT_PENDING && inside)
		return self->services->fail(error, PLAIT_E_DEADLOCK, 0,
					    "sins: waits in a host function");
	if (state == PLAIT_PENDING)
		return self->services->fail(error, PLAIT_E_TIMEOUT, 0,
					    "sins: not in time");
	return state;
}

plait_status sins_signal_notify(plait_backend *self,
				const plait_backend_point *point,
				plait_notify_function function,
				void *user_data, plait_error *error)
{
	struct note *note = sins_allocate(self, sizeof(*note));
	plait_status state;

	if (note == NULL)
		return sins_no_memory(self, sizeof(*note), error);
	note->sequence = point->sequence;
	note->function = function;
	note->user_data = user_data;
	pthread_mutex_lock(&self->lock);
	state = sins_state(point);
	if (state == PLAIT_PENDING || SINS(NOTIFIES_LATER_ONLY)) {
		note->next = point->signal->notes;
		point->signal->notes = note;
		note = NULL;
	}
	pthread_mutex_unlock(&self->lock);
	if (note != NULL) {
		note->status = state;
		note->next = NULL;
		sins_tell(self, note);
	}
	return PLAIT_OK;
}

plait_status sins_signal_raise(plait_backend *self,
			       const plait_backend_point *point,
			       const plait_error *failure, plait_error *error)
{
	struct note *told = NULL;

	(void)error;
	pthread_mutex_lock(&self->lock);
	sins_raise(self, point->signal, point->sequence, failure, &told);
	pthread_mutex_unlock(&self->lock);
	sins_tell(self, told);
	return PLAIT_OK;
}

plait_status sins_signal_reset(plait_backend *self,
			       plait_backend_signal *signal,
			       plait_error *error)
{
	(void)error;
	pthread_mutex_lock(&self->lock);
	if (!SINS(RESET_NOTHING))
		signal->failed_from = 0;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}
