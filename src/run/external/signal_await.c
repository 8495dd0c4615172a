/* SPDX-License-Identifier: MIT */
/* Awaits of emissions; a submission counts before the point exists. */
#include "run/external/signal_await.h"

#include "object/queue/external_section.h"

#include "base/error.h"

#include <stdio.h>

static plait__signal_await *self_of(plait__await *await)
{
	return (plait__signal_await *)(void *)await;
}

static plait_status check_can_be_emitted(const plait__signal *signal,
					 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (plait__signal_has_source(signal))
		return PLAIT_PENDING;
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s was released, so it can never be emitted",
			   plait__object_name(&signal->object, room));
}

plait_status plait__signal_await_check(const plait__instance *instance,
				       const plait__signal *signal,
				       uint64_t sequence, plait_error *error)
{
	const plait__section *section = instance->section;
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (section == NULL ||
	    !plait__section_precedes_emission(section, &signal->object,
					      sequence))
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "emission %llu of %s does not come before the end of "
			   "the run, because the queue of the run makes it, or "
			   "an earlier one, behind the run",
			   (unsigned long long)sequence,
			   plait__object_name(&signal->object, room));
}

/* PLAIT_PENDING: the emission was not submitted yet. */
static plait_status look(plait__signal_await *self, plait_error *error)
{
	const plait__signal *signal = self->signal;
	uint64_t sequence = self->at.base.number;

	if (!signal->is_gate && sequence > plait__signal_submitted(signal))
		return check_can_be_emitted(signal, error);
	self->submitted = true;
	return signal->is_gate ? PLAIT_OK :
				 plait__signal_await_check(self->instance,
							   signal, sequence,
							   error);
}

static plait_status poll(plait__await *await, plait_error *error)
{
	plait__signal_await *self = self_of(await);
	plait_status status = PLAIT_OK;

	if (!self->submitted)
		status = look(self, error);
	return status == PLAIT_OK ? plait__point_await_poll(await, error) :
				    status;
}

static plait_status subscribe(plait__await *await, plait__listener *listener,
			      plait_error *error)
{
	plait__signal_await *self = self_of(await);

	if (self->submitted)
		return plait__point_await_subscribe(await, listener, error);
	if (!plait__submit_listener_add(self->signal, await->number, listener))
		listener->notify(listener, PLAIT_OK);
	return PLAIT_OK;
}

/* A point that was armed is not in the list of submissions. */
static bool withdraw(plait__await *await, plait__listener *listener)
{
	return plait__submit_listener_remove(self_of(await)->signal, listener);
}

static uint64_t reached_of(const plait__signal *signal)
{
	uint64_t reached = 0;

	(void)plait__signal_poll(signal, 0, &reached, NULL);
	return reached;
}

static void explain(const plait__await *await, char *out, uint32_t bytes)
{
	const plait__signal *signal = (const void *)await->object;
	char room[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "%s is to come to %llu, and is at %llu",
		       plait__object_name(&signal->object, room),
		       (unsigned long long)await->number,
		       (unsigned long long)reached_of(signal));
}

static void name(const plait__object *object, uint64_t number, char *out,
		 uint32_t bytes)
{
	const plait__signal *signal = (const void *)object;
	char room[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "%s to come to %llu, which is at %llu",
		       plait__object_name(object, room),
		       (unsigned long long)number,
		       (unsigned long long)reached_of(signal));
}

void plait__signal_await_init(plait__signal_await *self, plait__signal *signal,
			      uint64_t sequence,
			      const plait__instance *instance)
{
	static const plait__await_class class = {
		.poll = poll, .subscribe = subscribe, .withdraw = withdraw,
		.explain = explain, .name = name,
	};

	plait__point_await_init(&self->at, &signal->object, signal->port,
				signal->raw, sequence);
	self->at.base.class = &class;
	self->signal = signal;
	self->instance = instance;
	self->submitted = false;
}
