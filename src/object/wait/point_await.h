/* SPDX-License-Identifier: MIT */
/* Await of a point: an event of a backend, which notifies. */
#ifndef PLAIT_SRC_OBJECT_WAIT_POINT_AWAIT_H
#define PLAIT_SRC_OBJECT_WAIT_POINT_AWAIT_H

#include "object/context/context.h"
#include "object/wait/suspension.h"

typedef struct plait__point_await {
	plait__await base;	/* object: the owner of the point */
	plait__backend_port *port;
	plait_backend_point point;
} plait__point_await;

/* Await this point of the object. */
void plait__point_await_init(plait__point_await *self, plait__object *object,
			     plait__backend_port *port,
			     plait_backend_signal *signal, uint64_t sequence);

/* For the classes of awaits that begin with a plait__point_await. */
plait_status plait__point_await_poll(plait__await *await, plait_error *error);
plait_status plait__point_await_subscribe(plait__await *await,
					  plait__listener *listener,
					  plait_error *error);
void plait__point_await_explain(const plait__await *await, char *out,
				uint32_t bytes);
void plait__point_await_name(const plait__object *object, uint64_t number,
			     char *out, uint32_t bytes);

#endif
