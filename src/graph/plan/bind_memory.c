/* SPDX-License-Identifier: MIT */
/* Binding of buffers, signals and devices to the names of a plan.  Objects that
 * the plan puts on one device must be of one backend. */
#include "graph/plan/bind_code.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device.h"
#include "object/memory/buffer.h"
#include "object/memory/buffer_check.h"
#include "object/signal/signal.h"

/* Check that an object of `port` may be on device `at` of the plan.  Caller
 * holds the lock. */
static plait_status check_port(const plait__plan_object *plan_object,
			       uint32_t at, const plait__backend_port *port,
			       const char *what, plait_error *error)
{
	const plait__device *device = plan_object->devices[at];

	if (device == NULL || device->port == port)
		return PLAIT_OK;
	return plait__fail(
		error, PLAIT_E_INVALID,
		"%s is of backend %s, but the plan's device "
		"\"%.*s\" is %s",
		what, port->backend->name,
		PLAIT__TEXT_FIT(plait__plan_object_device_name(plan_object, at),
				40),
		device->object.label);
}

/* ---- buffers ---- */

static plait_status check_bytes(const plait__plan_object *plan_object,
				uint32_t at, const char *name,
				const plait__buffer *buffer, plait_error *error)
{
	uint64_t wanted = plan_object->plan->slots[at].bytes;

	if (buffer->bytes >= wanted)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID, "the plan's \"%.*s\" needs "
			   "%llu bytes, this buffer has %llu",
			   PLAIT__TEXT_FIT(name, 60),
			   (unsigned long long)wanted,
			   (unsigned long long)buffer->bytes);
}

static bool overlap(const plait__buffer *one, const plait__buffer *other)
{
	return one->root == other->root && one->bytes > 0 &&
	       other->bytes > 0 &&
	       one->offset < other->offset + other->bytes &&
	       other->offset < one->offset + one->bytes;
}

/* Refuse a buffer that overlaps another bound one: the plan was checked with
 * disjoint buffers.  Caller holds the lock. */
static plait_status check_apart(const plait__plan_object *plan_object,
				uint32_t at, const char *name,
				const plait__buffer *buffer, plait_error *error)
{
	uint32_t count = plait__binding_names_count(plan_object->bindings);

	for (uint32_t i = 0; i < count; i++) {
		const plait__binding *other =
			plait__binding_names_at(plan_object->bindings, i);

		if (other->kind != PLAIT_BINDING_BUFFER || other->at == at ||
		    plan_object->buffers[other->at] == NULL ||
		    !overlap(buffer, (const plait__buffer *)
			     plan_object->buffers[other->at]))
			continue;
		return plait__fail(error, PLAIT_E_INVALID,
				   "\"%.*s\" would share memory with "
				   "\"%.*s\", which the plan keeps apart",
				   PLAIT__TEXT_FIT(name, 60),
				   PLAIT__TEXT_FIT(other->name, 60));
	}
	return PLAIT_OK;
}

/* Refuse a read-only buffer that the plan writes; a loaded plan has no buffers
 * before. */
static plait_status check_written(const plait__plan_object *plan_object,
				  uint32_t at, const plait__buffer *buffer,
				  plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_status status = PLAIT_OK;

	if (!buffer->root->read_only)
		return PLAIT_OK;
	for (uint32_t i = 0; status == PLAIT_OK && i < plan->accesses_count;
	     i++)
		if (plan->accesses[i].object == at &&
		    plan->accesses[i].mode != PLAIT__ACCESS_READ)
			status = plait__buffer_check_write(buffer, error);
	/* A rotation's buffers are all written, one per iteration. */
	for (uint32_t i = 0;
	     status == PLAIT_OK && i < plan->rotation_slots_count; i++)
		if (plan->rotation_slots[i] == at)
			status = plait__buffer_check_write(buffer, error);
	return status;
}

/* Bind a buffer; the plan holds it.  Caller has entered both. */
static plait_status bind_buffer(plait__plan_object *plan_object,
				const char *name, plait__buffer *buffer,
				plait_error *error)
{
	plait__object *old = NULL;
	uint32_t at;
	plait_status status = plait__bind_find(
		plan_object, PLAIT_BINDING_BUFFER, name, &at, error);

	if (status == PLAIT_OK)
		status = check_bytes(plan_object, at, name, buffer, error);
	if (status == PLAIT_OK)
		status = check_written(plan_object, at, buffer, error);
	if (status == PLAIT_OK)
		status = plait__bind_begin(plan_object, error);
	if (status != PLAIT_OK)
		return status;
	status = check_port(plan_object, plan_object->plan->slots[at].device,
			    buffer->device->port, "the buffer", error);
	if (status == PLAIT_OK)
		status = check_apart(plan_object, at, name, buffer, error);
	if (status == PLAIT_OK)
		old = plait__bind_exchange(&plan_object->buffers[at],
					   &buffer->object);
	plait__bind_end(plan_object, old);
	return status;
}

plait_status plait_plan_bind_buffer(plait_plan *plan, const char *name,
				    plait_buffer *buffer, plait_error *error)
{
	plait__plan_object *entered;
	plait__buffer *memory;
	plait_status status = plait__bind_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__buffer_enter(buffer, &memory, error);
	if (status == PLAIT_OK) {
		status = plait__context_check_same(&entered->object,
						   &memory->object, error);
		if (status == PLAIT_OK)
			status = bind_buffer(entered, name, memory, error);
		plait__object_leave(&memory->object);
	}
	plait__object_leave(&entered->object);
	return status;
}

/* ---- signals ---- */

/* plait__bind_find has found the name. */
static bool is_emitted(const plait__plan_object *plan_object, const char *name)
{
	return plait__binding_names_find(plan_object->bindings,
					 PLAIT_BINDING_SIGNAL, name)
		       ->flags &
	       PLAIT_BINDING_IS_EMITTED;
}

static uint32_t count_emissions(const plait__plan *plan, uint32_t signal)
{
	uint32_t count = 0;

	/* Commands of a plan that was read may have no payload. */
	for (uint32_t i = 0; i < plan->command_count; i++)
		count += plan->commands[i].kind == PLAIT__CMD_EMIT &&
			 plan->commands[i].link < plan->payloads_count &&
			 plan->payloads[plan->commands[i].link].object == signal;
	return count;
}

/* Bind a signal, of which the plan becomes a source once per emission before it
 * is visible in the table.  The old one is dropped without the lock. */
static plait_status bind_signal(plait__plan_object *plan_object,
				const char *name, plait__signal *signal,
				plait_error *error)
{
	plait__object *old = NULL;
	uint32_t emits;
	uint32_t at;
	plait_status status = plait__bind_find(
		plan_object, PLAIT_BINDING_SIGNAL, name, &at, error);

	if (status == PLAIT_OK && signal->is_gate &&
	    is_emitted(plan_object, name))
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the plan emits \"%.*s\", and a gate is "
				     "raised by the host alone",
				     PLAIT__TEXT_FIT(name, 60));
	if (status == PLAIT_OK)
		status = plait__bind_begin(plan_object, error);
	if (status != PLAIT_OK)
		return status;
	status = check_port(plan_object, plan_object->plan->signals[at].device,
			    signal->port, "the signal", error);
	emits = count_emissions(plan_object->plan, at);
	for (uint32_t i = 0; status == PLAIT_OK && i < emits; i++)
		plait__submit_add_source(signal);
	if (status == PLAIT_OK)
		old = plait__bind_exchange(&plan_object->signals[at],
					   &signal->object);
	plait__bind_end(plan_object, NULL);
	for (uint32_t i = 0; old != NULL && i < emits; i++)
		plait__submit_drop_source((plait__signal *)(void *)old);
	if (old != NULL)
		plait__object_drop(old);
	return status;
}

plait_status plait_plan_bind_signal(plait_plan *plan, const char *name,
				    plait_signal *signal, plait_error *error)
{
	plait__plan_object *entered;
	plait__signal *counter;
	plait_status status = plait__bind_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__signal_enter(signal, &counter, error);
	if (status == PLAIT_OK) {
		status = plait__context_check_same(&entered->object,
						   &counter->object, error);
		if (status == PLAIT_OK)
			status = bind_signal(entered, name, counter, error);
		plait__object_leave(&counter->object);
	}
	plait__object_leave(&entered->object);
	return status;
}

/* ---- devices ---- */

static plait_status fail_backend(const plait__binding *binding,
				 const plait__device *device,
				 plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan's %s \"%.*s\" is on this device and "
			   "bound to another backend than that of %s",
			   plait__binding_kinds[binding->kind],
			   PLAIT__TEXT_FIT(binding->name, 60),
			   device->object.label);
}

/* Check that objects bound on device `at` of the plan are of its backend.
 * Caller holds the lock. */
static plait_status check_residents(const plait__plan_object *plan_object,
				    uint32_t at, const plait__device *device,
				    plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	uint32_t count = plait__binding_names_count(plan_object->bindings);

	for (uint32_t i = 0; i < count; i++) {
		const plait__binding *binding =
			plait__binding_names_at(plan_object->bindings, i);
		const plait__backend_port *port = device->port;
		uint32_t k = binding->at;

		if (binding->kind == PLAIT_BINDING_BUFFER &&
		    plan->slots[k].device == at &&
		    plan_object->buffers[k] != NULL)
			port = ((plait__buffer *)plan_object->buffers[k])
				       ->device->port;
		if (binding->kind == PLAIT_BINDING_SIGNAL &&
		    plan->signals[k].device == at &&
		    plan_object->signals[k] != NULL)
			port = ((plait__signal *)plan_object->signals[k])->port;
		if (port != device->port)
			return fail_backend(binding, device, error);
	}
	return PLAIT_OK;
}

static plait_status bind_device(plait__plan_object *plan_object,
				const char *name, plait__device *device,
				plait_error *error)
{
	uint32_t at;
	plait_status status = plait__bind_find(
		plan_object, PLAIT_BINDING_DEVICE, name, &at, error);

	if (status == PLAIT_OK)
		status = plait__bind_begin(plan_object, error);
	if (status != PLAIT_OK)
		return status;
	status = check_residents(plan_object, at, device, error);
	if (status == PLAIT_OK)
		plan_object->devices[at] = device;
	plait__bind_end(plan_object, NULL);
	return status;
}

plait_status plait_plan_bind_device(plait_plan *plan, const char *name,
				    plait_device *device, plait_error *error)
{
	plait__plan_object *entered;
	plait__device *place;
	plait_status status = plait__bind_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__device_enter(device, &place, error);
	if (status == PLAIT_OK) {
		status = plait__context_check_same(&entered->object,
						   &place->object, error);
		if (status == PLAIT_OK)
			status = bind_device(entered, name, place, error);
		plait__device_leave(place);
	}
	plait__object_leave(&entered->object);
	return status;
}
