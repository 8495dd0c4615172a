/* SPDX-License-Identifier: MIT */
/* Gates: signals that the host raises or fails; see signal.h. */
#include "plait/queue.h"

#include "object/context/backend_result.h"
#include "object/signal/signal.h"

#include "base/error.h"

/* Attempts to cancel the waiters of a released gate. */
enum { RAISE_TRIES = 8 };

/* Raise the backend's counter. Caller holds signal->gate. */
static plait_status raise_raw(plait__signal *signal, uint64_t sequence,
			      const plait_error *failure, plait_error *error)
{
	plait__backend *backend = signal->port->backend;
	const plait_backend_point point = { signal->raw, sequence };
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_raise(backend->self, &point, failure,
					     &room);
	if (status != PLAIT_OK)
		return plait__backend_result_check(signal->port, status,
						   "signal_raise", &room,
						   error);
	/* Release: pairs with the load in plait__signal_submitted. */
	at_store_release_u64(&signal->submitted, sequence);
	if (plait__context_races(signal->object.context) != NULL)
		plait__races_raise(plait__context_races(signal->object.context),
				   &signal->race, sequence);
	return PLAIT_OK;
}

/* Caller holds signal->gate. */
static plait_status check_open(const plait__signal *signal,
			       plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (!signal->is_gate)
		return plait__fail(error, PLAIT_E_STATE,
				   "%s is not a gate; only queues emit it",
				   plait__object_name(&signal->object, room));
	if (signal->failed)
		return plait__fail(error, PLAIT_E_STATE,
				   "%s has failed; plait_signal_reset makes "
				   "it usable again",
				   plait__object_name(&signal->object, room));
	return PLAIT_OK;
}

/* Caller holds signal->gate. */
static plait_status raise_gate(plait__signal *signal, uint64_t sequence,
			       plait_error *error)
{
	uint64_t now = plait__signal_submitted(signal);
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (sequence < now)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is at %llu and cannot go back to %llu",
				   plait__object_name(&signal->object, room),
				   (unsigned long long)now,
				   (unsigned long long)sequence);
	if (sequence == UINT64_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: sequences end below %llu",
				   plait__object_name(&signal->object, room),
				   (unsigned long long)sequence);
	if (sequence == now)
		return PLAIT_OK;
	return raise_raw(signal, sequence, NULL, error);
}

PLAIT_API plait_status plait_signal_raise(plait_signal *signal,
					  uint64_t sequence,
					  plait_error *error)
{
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&self->gate);
	status = check_open(self, error);
	if (status == PLAIT_OK)
		status = raise_gate(self, sequence, error);
	plait__mutex_unlock(&self->gate);
	plait__context_notify_waiters(self->object.context);
	plait__object_leave(&self->object);
	return status;
}

/* The failure begins one above the present value; lower sequences stay good.
 * Caller holds signal->gate. */
static plait_status fail_gate(plait__signal *signal,
			      const plait_error *failure, plait_error *error)
{
	uint64_t next = plait__signal_submitted(signal) + 1;
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status;

	if (next == UINT64_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s is at the end of its range: no wait can "
				   "be for more, so it cannot fail",
				   plait__object_name(&signal->object, room));
	status = raise_raw(signal, next, failure, error);
	if (status == PLAIT_OK)
		signal->failed = true;
	return status;
}

PLAIT_API plait_status plait_signal_fail(plait_signal *signal, int64_t origin,
					 const char *text, plait_error *error)
{
	plait_error failure = { .size = sizeof(failure) };
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	if (text != NULL && text[0] != '\0')
		plait__fail_origin(&failure, PLAIT_E_FAILED, origin, "%s",
				   text);
	else
		plait__fail_origin(&failure, PLAIT_E_FAILED, origin,
				   "%s was failed with %lld",
				   plait__object_name(&self->object, room),
				   (long long)origin);
	plait__mutex_lock(&self->gate);
	status = check_open(self, error);
	if (status == PLAIT_OK)
		status = fail_gate(self, &failure, error);
	plait__mutex_unlock(&self->gate);
	plait__context_notify_waiters(self->object.context);
	plait__object_leave(&self->object);
	return status;
}

void plait__gate_abandon(plait__object *object)
{
	plait__signal *signal = (plait__signal *)(void *)object;
	plait_error failure = { .size = sizeof(failure) };
	char room[PLAIT__OBJECT_NAME_BYTES];
	int tries;

	/* A thread inside takes a hold before it leaves, so the holds are read
	 * after the threads. */
	if (!signal->is_gate || (!plait__handle_is_shared(object->slot) &&
				 plait__object_uses(object) == 0))
		return;
	plait__fail(&failure, PLAIT_E_CANCELLED,
		    "%s was released, so it cannot be raised any more",
		    plait__object_name(object, room));
	plait__mutex_lock(&signal->gate);
	/* A failed raise has changed nothing, and no caller is left to try
	 * again. */
	for (tries = 0; tries < RAISE_TRIES && !signal->failed; tries++)
		(void)fail_gate(signal, &failure, NULL);
	plait__mutex_unlock(&signal->gate);
	plait__context_notify_waiters(object->context);
}
