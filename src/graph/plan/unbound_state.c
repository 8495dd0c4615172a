/* SPDX-License-Identifier: MIT */
/* What a plan with names has been told, and what it still has to be. */
#include "graph/plan/bind_code.h"
#include "graph/plan/verify_commands.h"
#include "graph/plan/plan_object.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device_lookup.h"

const char *const plait__bind_kinds[] = { "kernel", "buffer", "signal",
					  "function", "device" };

const char *plait__unbound_string(const plait__plan_object *plan_object, uint32_t string)
{
	return string < plan_object->plan->strings_count ?
	       plan_object->plan->strings + string : "";
}

const char *plait__unbound_device_name(const plait__plan_object *plan_object,
				       uint32_t device)
{
	return plait__unbound_string(plan_object, plan_object->plan->devices[device].name);
}

/* With the lock held, or before others know the plan. */
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

static const plait__binding *first_unbound(const plait__plan_object *plan_object)
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

uint32_t plait__unbound_count(plait__plan_object *plan_object)
{
	uint32_t count = plait__binding_names_count(plan_object->bindings), unbound = 0;

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
	bool whole = true;

	for (uint32_t i = 0; i < plan->kernels_count; i++)
		whole &= plan_object->kernels[i] != NULL;
	for (uint32_t i = 0; i < plan->slots_count; i++)
		whole &= plan_object->buffers[i] != NULL;
	for (uint32_t i = 0; i < plan->signals_count; i++)
		whole &= plan_object->signals[i] != NULL;
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		whole &= plan_object->devices[plan->lanes[i].device] != NULL;
	return whole;
}

plait_status plait__unbound_state_open(plait__plan_object *plan_object, plait_error *error)
{
	plait__context *context = plan_object->object.context;
	plait_status status = plait__binding_names_create(
		plan_object->plan, plait__context_allocator(context),
		&plan_object->bindings, error);

	for (uint32_t i = 0; i < plan_object->plan->devices_count; i++)
		if (plan_object->devices[i] == NULL)
			plan_object->devices[i] = plait__device_find(
				context, plait__unbound_device_name(plan_object, i));
	return status;
}

/* With the lock held. */
static plait_status check_whole(const plait__plan_object *plan_object,
				plait_error *error)
{
	const plait__binding *lacking = first_unbound(plan_object);

	if (lacking == NULL)
		return plait__verify_commands(plan_object, error);
	return plait__fail(error, PLAIT_E_STATE,
			   "the plan's %s \"%.*s\" is not bound: call "
			   "plait_plan_bind_%s", plait__bind_kinds[lacking->kind],
			   PLAIT__TEXT_FIT(lacking->name, 90),
			   plait__bind_kinds[lacking->kind]);
}

plait_status plait__unbound_state_seal(plait__plan_object *plan_object, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (plan_object->bindings == NULL)
		return PLAIT_OK;
	plait__mutex_lock(&plan_object->lock);
	if (!plan_object->sealed) {
		status = check_whole(plan_object, error);
		plan_object->sealed = status == PLAIT_OK;
	}
	plait__mutex_unlock(&plan_object->lock);
	return status;
}

static void fill_binding(plait__plan_object *plan_object, const plait__binding *binding,
			 plait_plan_binding *out)
{
	const plait__plan *plan = plan_object->plan;
	uint32_t at = binding->at;

	*out = (plait_plan_binding){ .kind = binding->kind,
				     .flags = binding->flags,
				     .name = binding->name, .detail = "" };
	if (binding->kind == PLAIT_BINDING_KERNEL)
		out->detail = plait__unbound_string(plan_object, plan->kernels[at].signature);
	if (binding->kind == PLAIT_BINDING_SIGNAL)
		out->detail = plait__unbound_device_name(plan_object, plan->signals[at].device);
	if (binding->kind == PLAIT_BINDING_BUFFER) {
		out->detail = plait__unbound_device_name(plan_object, plan->slots[at].device);
		out->bytes = plan->slots[at].bytes;
	}
	plait__mutex_lock(&plan_object->lock);
	out->bound = is_bound(plan_object, binding);
	plait__mutex_unlock(&plan_object->lock);
}

plait_status plait_plan_query_binding(plait_plan *plan, uint64_t index,
				      plait_plan_binding *out,
				      plait_error *error)
{
	plait_plan_binding ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);
	uint32_t count;

	if (status != PLAIT_OK)
		return status;
	count = plait__binding_names_count(entered->bindings);
	if (index >= count) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "binding %llu: the plan has %u",
				     (unsigned long long)index, count);
	} else {
		fill_binding(entered, plait__binding_names_at(entered->bindings,
							      (uint32_t)index),
			     &ours);
		status = PLAIT__STRUCT_WRITE(plait_plan_binding, out, &ours, error);
	}
	plait__object_leave(&entered->object);
	return status;
}
