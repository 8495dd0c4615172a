/* SPDX-License-Identifier: MIT */
/* Signals: create, query, reset; see signal.h. */
#include "object/signal/signal.h"

#include "plait/queue.h"
#include "object/context/device.h"
#include "object/context/backend_result.h"
#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

#include <string.h>

static void destroy_signal(plait__object *object)
{
	plait__signal *signal = (plait__signal *)(void *)object;
	plait__backend *backend = signal->port->backend;

	if (plait__context_races(object->context) != NULL)
		plait__races_end_signal(plait__context_races(object->context),
					&signal->race);
	backend->table.signal_destroy(backend->self, signal->raw);
	plait__free(plait__context_allocator(object->context), signal,
		    sizeof(*signal));
}

/* The user can emit it no more. */
static void close_signal(plait__object *object)
{
	plait__submit_drop_source((plait__signal *)(void *)object);
}

static const plait__class signal_class = {
	.type = PLAIT_OBJECT_SIGNAL,
	.abandon = plait__gate_abandon,
	.close = close_signal,
	.destroy = destroy_signal
};

static plait_status read_desc(plait_signal_desc *out,
			      const plait_signal_desc *desc,
			      plait_error *error)
{
	const plait_signal_desc all_defaults = { .size = sizeof(*desc) };
	plait_status status;

	status = PLAIT__STRUCT_READ(plait_signal_desc, out,
				    desc != NULL ? desc : &all_defaults, error);
	if (status != PLAIT_OK)
		return status;
	if ((out->flags & ~(uint32_t)PLAIT_SIGNAL_GATE) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_signal_desc: flags 0x%x are not "
				   "known", (unsigned)out->flags);
	return PLAIT_OK;
}

static plait_status create_raw(plait__signal *signal, plait__device *device,
			       plait_error *error)
{
	plait__backend *backend = device->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_create(
		backend->self, device->index,
		signal->is_gate ? PLAIT_BACKEND_SIGNAL_GATE : 0, &signal->raw,
		&room);
	status = plait__backend_result_check_created(device->port, status,
						     "signal_create",
						     signal->raw, &room,
						     error);
	if (status == PLAIT_OK && signal->object.label[0] != '\0')
		backend->table.signal_label(backend->self, signal->raw,
					    signal->object.label);
	return status;
}

static plait_status create(plait__device *device,
			   const plait_signal_desc *desc, bool is_internal,
			   plait__signal **out, plait_error *error)
{
	plait__context *context = device->object.context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__backend *backend = device->port->backend;
	plait__signal *signal = NULL;
	plait_status status;

	signal = plait__alloc(allocator, sizeof(*signal));
	if (signal == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a signal of %zu bytes",
				   sizeof(*signal));
	signal->port = device->port;
	signal->object.is_internal = is_internal;
	at_init_u32(&signal->sources, 1);
	signal->is_gate = (desc->flags & PLAIT_SIGNAL_GATE) != 0;
	plait__object_set_label(&signal->object, desc->label);
	plait__signal_watch_init(&signal->watch, &signal->object);
	status = create_raw(signal, device, error);
	if (status != PLAIT_OK)
		goto free_signal;
	status = plait__object_init(&signal->object, &signal_class, context,
				    error);
	if (status != PLAIT_OK)
		goto destroy_raw;
	*out = signal;
	return PLAIT_OK;

destroy_raw:
	backend->table.signal_destroy(backend->self, signal->raw);
free_signal:
	plait__free(allocator, signal, sizeof(*signal));
	return status;
}

plait_status plait__signal_make(plait__device *device, plait__signal **out,
				plait_error *error)
{
	const plait_signal_desc all_defaults = { .size = sizeof(all_defaults) };

	return create(device, &all_defaults, true, out, error);
}

PLAIT_API plait_status plait_signal_create(plait_device *device,
					   const plait_signal_desc *desc,
					   plait_signal **out,
					   plait_error *error)
{
	plait_signal_desc known;
	plait__signal *signal = NULL;
	plait__device *where;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__device_enter(device, &where, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = read_desc(&known, desc, error);
	if (status == PLAIT_OK && (known.flags & PLAIT_SIGNAL_GATE) != 0)
		status = plait__device_check_can(where, PLAIT_CAP_GATE,
						 "raise gates", error);
	if (status == PLAIT_OK)
		status = create(where, &known, false, &signal, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&signal->object);
	plait__device_leave(where);
	return status;
}

PLAIT__OBJECT_REFERENCES(signal, PLAIT_OBJECT_SIGNAL);

/* --- query */

plait_status plait__signal_resolve(const plait__signal *signal,
				   uint64_t *sequence, plait_error *error)
{
	uint64_t submitted = plait__signal_submitted(signal);
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (*sequence == UINT64_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: sequences end below %llu",
				   plait__object_name(&signal->object, room),
				   (unsigned long long)*sequence);
	if (*sequence == 0)
		*sequence = submitted;
	if (*sequence <= submitted || signal->is_gate)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "sequence %llu of %s was not submitted; the newest "
			   "is %llu. A task or run submits its emissions when "
			   "it begins: wait for it first", (unsigned long long)*sequence,
			   plait__object_name(&signal->object, room),
			   (unsigned long long)submitted);
}

plait_status plait__signal_poll(const plait__signal *signal,
				uint64_t sequence, uint64_t *out_reached,
				plait_error *error)
{
	plait__backend *backend = signal->port->backend;
	const plait_backend_point point = { signal->raw, sequence };
	plait_error room = { .size = sizeof(room) };
	uint64_t reached = 0;
	plait_status status;

	status = backend->table.signal_poll(backend->self, &point, &reached,
					    &room);
	if (out_reached != NULL)
		*out_reached = reached;
	return plait__backend_result_check_poll(signal->port, status, &room,
						error);
}

/* A backend may look at its commands only for a thread that polls a point that has
 * not happened. */
static void look_for_next(plait__signal *signal, uint64_t *reached)
{
	uint64_t now = 0;

	if (signal->is_gate || *reached >= plait__signal_submitted(signal))
		return;
	(void)plait__signal_poll(signal, *reached + 1, &now, NULL);
	if (now > *reached)
		*reached = now;
}

/* A queue's failure is at a sequence that was reached, a gate's where it
 * stopped. */
static plait_status query(plait__signal *signal, uint64_t *out_reached,
			  plait_error *error)
{
	plait_status status;

	status = plait__signal_poll(signal, 0, out_reached, NULL);
	if (status < 0)
		return plait__signal_poll(signal, 0, NULL, error);
	look_for_next(signal, out_reached);
	status = plait__signal_poll(signal,
				    signal->is_gate
					    ? plait__signal_submitted(signal)
					    : *out_reached,
				    NULL, error);
	return status < 0 ? status : PLAIT_OK;
}

PLAIT_API plait_status plait_signal_query(plait_signal *signal,
					  uint64_t *out_reached,
					  uint64_t *out_submitted,
					  plait_error *error)
{
	plait__signal *self;
	plait_status status;
	uint64_t reached;

	if (out_reached != NULL)
		*out_reached = 0;
	if (out_submitted != NULL)
		*out_submitted = 0;
	status = plait__signal_enter(signal, &self, error);
	if (status != PLAIT_OK)
		return status;
	status = query(self, &reached, error);
	if (plait__context_races(self->object.context) != NULL)
		plait__races_host_saw(
			plait__context_races(self->object.context),
			&self->race, reached, false);
	/* Both are valid also when the signal has failed. */
	if (out_reached != NULL)
		*out_reached = reached;
	if (out_submitted != NULL)
		*out_submitted = plait__signal_submitted(self);
	plait__object_leave(&self->object);
	return status;
}

/* --- reset */

static plait_status fail_used(const plait__signal *signal, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_BUSY,
			   "%s is in use: emissions are pending or a "
			   "thread waits for it",
			   plait__object_name(&signal->object, room));
}

/* Work in flight and notifications hold the signal; waiting threads are inside.
 * Caller is inside the signal, and holds the lock that guards its emissions. */
static bool is_used(plait__signal *signal)
{
	uint64_t reached;

	(void)plait__signal_poll(signal, 0, &reached, NULL);
	if (!signal->is_gate && reached < plait__signal_submitted(signal))
		return true;
	return plait__handle_is_shared(signal->object.slot) ||
	       plait__object_uses(&signal->object) != 0;
}

/* The signal is not used. */
static plait_status reset_raw(plait__signal *signal, plait_error *error)
{
	plait__backend *backend = signal->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_reset(backend->self, signal->raw,
					     &room);
	return plait__backend_result_check(signal->port, status, "signal_reset",
					   &room, error);
}

static plait_status reset(plait__signal *signal, plait_error *error)
{
	struct plait__mutex *lock = signal->is_gate ? &signal->gate
						    : &signal->port->order;
	plait_status status;

	/* Finished work does not count as use. */
	if (plait__object_uses(&signal->object) != 0)
		plait__reclaim_now(signal->object.context);
	plait__mutex_lock(lock);
	status = is_used(signal) ? fail_used(signal, error)
				 : reset_raw(signal, error);
	if (status == PLAIT_OK)
		signal->failed = false;
	plait__mutex_unlock(lock);
	return status;
}

PLAIT_API plait_status plait_signal_reset(plait_signal *signal,
					  plait_error *error)
{
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = reset(self, error);
	plait__object_leave(&self->object);
	return status;
}
