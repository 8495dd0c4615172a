/* SPDX-License-Identifier: MIT */
/* Awaits of points of backends. */
#include "object/wait/point_await.h"

#include "object/context/backend_result.h"
#include "object/progress/notification.h"

#include "base/error.h"

#include <stdio.h>

static plait__point_await *point_of(plait__await *await)
{
	return (plait__point_await *)(void *)await;
}

plait_status plait__point_await_poll(plait__await *await, plait_error *error)
{
	const plait__point_await *self = point_of(await);
	plait__backend *backend = self->port->backend;
	plait_error room = { .size = sizeof(room) };
	uint64_t reached;

	return plait__backend_result_check_poll(
		self->port,
		backend->table.signal_poll(backend->self, &self->point,
					   &reached, &room),
		&room, error);
}

plait_status plait__point_await_subscribe(plait__await *await,
					  plait__listener *listener,
					  plait_error *error)
{
	const plait__point_await *self = point_of(await);
	plait_error room = { .size = sizeof(room) };
	plait_status status = plait__notification_arm(
		self->port, &self->point, plait__listener_notify, listener,
		&room);

	return plait__backend_result_check(self->port, status, "signal_notify",
					   &room, error);
}

void plait__point_await_explain(const plait__await *await, char *out,
				uint32_t bytes)
{
	char name[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "%s is to come to %llu",
		       plait__object_name(await->object, name),
		       (unsigned long long)await->number);
}

void plait__point_await_name(const plait__object *object, uint64_t number,
			     char *out, uint32_t bytes)
{
	char name[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "%s to come to %llu",
		       plait__object_name(object, name),
		       (unsigned long long)number);
}

void plait__point_await_init(plait__point_await *self, plait__object *object,
			     plait__backend_port *port,
			     plait_backend_signal *signal, uint64_t sequence)
{
	static const plait__await_class class = {
		.poll = plait__point_await_poll,
		.subscribe = plait__point_await_subscribe,
		.explain = plait__point_await_explain,
		.name = plait__point_await_name,
	};

	self->base.class = &class;
	self->base.object = object;
	self->base.number = sequence;
	self->port = port;
	self->point.signal = signal;
	self->point.sequence = sequence;
}
