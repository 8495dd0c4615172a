/* SPDX-License-Identifier: MIT */
/* Unbound names of a plan that was read, and the seal before its first run. */
#include "graph/plan/unbound_state.h"

#include "graph/plan/verify_backends.h"
#include "graph/plan/verify_commands.h"
#include "graph/plan/verify_images.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device_lookup.h"

/* Caller holds the lock, or the plan is not published yet. */
static bool is_bound(const plait__plan_object *plan_object,
		     const plait__binding *binding)
{
	const plait__store_function *function;

	switch (binding->kind) {
	case PLAIT_BINDING_KERNEL:
		return plan_object->kernels[binding->at] != NULL;
	case PLAIT_BINDING_BUFFER:
		return plan_object->buffers[binding->at] != NULL;
	case PLAIT_BINDING_SIGNAL:
		return plan_object->signals[binding->at] != NULL;
	case PLAIT_BINDING_FUNCTION:
		function = &plan_object->functions[binding->at];
		return function->function != NULL || function->inbox != NULL;
	default:
		return plan_object->devices[binding->at] != NULL;
	}
}

/* Caller holds the lock. */
static const plait__binding *
first_unbound(const plait__plan_object *plan_object)
{
	uint32_t count = plait__binding_names_count(plan_object->bindings);

	for (uint32_t i = 0; i < count; i++) {
		const plait__binding *binding =
			plait__binding_names_at(plan_object->bindings, i);

		if (!is_bound(plan_object, binding))
			return binding;
	}
	return NULL;
}

bool plait__unbound_state_is_bound(plait__plan_object *plan_object,
				   const plait__binding *binding)
{
	bool bound;

	plait__mutex_lock(&plan_object->lock);
	bound = is_bound(plan_object, binding);
	plait__mutex_unlock(&plan_object->lock);
	return bound;
}

uint32_t plait__unbound_count(plait__plan_object *plan_object)
{
	uint32_t count = plait__binding_names_count(plan_object->bindings),
		 unbound = 0;

	if (count == 0)
		return 0;
	plait__mutex_lock(&plan_object->lock);
	for (uint32_t i = 0; i < count; i++)
		unbound += !is_bound(plan_object, plait__binding_names_at(
					     plan_object->bindings, i));
	plait__mutex_unlock(&plan_object->lock);
	return unbound;
}

bool plait__unbound_is_none(const plait__plan_object *plan_object)
{
	const plait__plan *plan = plan_object->plan;
	bool complete = true;

	for (uint32_t i = 0; i < plan->kernels_count; i++)
		complete &= plan_object->kernels[i] != NULL;
	for (uint32_t i = 0; i < plan->slots_count; i++)
		complete &= plan_object->buffers[i] != NULL ||
			    plan->slots[i].kind == PLAIT__SLOT_ARENA;
	for (uint32_t i = 0; i < plan->signals_count; i++)
		complete &= plan_object->signals[i] != NULL;
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		complete &= plan_object->devices[plan->lanes[i].device] != NULL;
	return complete;
}

plait_status plait__unbound_state_open(plait__plan_object *plan_object,
				       plait_error *error)
{
	plait__context *context = plan_object->object.context;
	plait_status status = plait__binding_names_create(
		plan_object->plan, plait__context_allocator(context),
		&plan_object->bindings, error);

	for (uint32_t i = 0; i < plan_object->plan->devices_count; i++)
		if (plan_object->devices[i] == NULL)
			plan_object->devices[i] = plait__device_find(
				context,
				plait__plan_object_device_name(plan_object, i));
	return status;
}

/* Caller holds the lock. */
static plait_status check_bound(const plait__plan_object *plan_object,
				plait_error *error)
{
	const plait__binding *unbound = first_unbound(plan_object);
	plait_status status;

	if (unbound == NULL) {
		status = plait__verify_commands(plan_object, error);
		if (status == PLAIT_OK)
			status = plait__verify_images(plan_object, error);
		return status != PLAIT_OK ? status :
		       plait__verify_backends(plan_object, error);
	}
	return plait__fail(error, PLAIT_E_STATE,
			   "the plan's %s \"%.*s\" is not bound: call "
			   "plait_plan_bind_%s",
			   plait__binding_kinds[unbound->kind],
			   PLAIT__TEXT_FIT(unbound->name, 90),
			   plait__binding_kinds[unbound->kind]);
}

plait_status plait__unbound_state_seal(plait__plan_object *plan_object,
				       plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (plan_object->bindings == NULL)
		return PLAIT_OK;
	plait__mutex_lock(&plan_object->lock);
	if (!plan_object->sealed) {
		status = check_bound(plan_object, error);
		plan_object->sealed = status == PLAIT_OK;
	}
	plait__mutex_unlock(&plan_object->lock);
	return status;
}
