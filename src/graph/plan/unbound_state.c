/* SPDX-License-Identifier: MIT */
/* What a plan with names has been told, and what it still has to be. */
#include "graph/plan/bind_code.h"
#include "graph/plan/verify_commands.h"
#include "graph/plan/plan_object.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "base/text.h"
#include "object/context/device.h"

const char *const plait__bind_kinds[] = { "kernel", "buffer", "signal",
					  "function", "device" };

const char *plait__bind_text(const plait__frozen *frozen, uint32_t string)
{
	return string < frozen->plan->strings_count ?
	       frozen->plan->strings + string : "";
}

const char *plait__bind_device_name(const plait__frozen *frozen,
				    uint32_t device)
{
	return plait__bind_text(frozen, frozen->plan->devices[device].name);
}

/* With the lock held, or before others know the plan. */
static bool is_bound(const plait__frozen *frozen,
		     const plait__binding *binding)
{
	const plait__store_function *function;

	switch (binding->kind) {
	case PLAIT_BINDING_KERNEL:
		return frozen->kernels[binding->at] != NULL;
	case PLAIT_BINDING_BUFFER:
		return frozen->buffers[binding->at] != NULL;
	case PLAIT_BINDING_SIGNAL:
		return frozen->signals[binding->at] != NULL;
	case PLAIT_BINDING_FUNCTION:
		function = &frozen->functions[binding->at];
		return function->function != NULL || function->inbox != NULL;
	default:
		return frozen->devices[binding->at] != NULL;
	}
}

static const plait__binding *first_unbound(const plait__frozen *frozen)
{
	uint32_t count = plait__bindings_count(frozen->bindings);

	for (uint32_t i = 0; i < count; i++) {
		const plait__binding *binding =
			plait__bindings_at(frozen->bindings, i);

		if (!is_bound(frozen, binding))
			return binding;
	}
	return NULL;
}

uint32_t plait__frozen_unbound(plait__frozen *frozen)
{
	uint32_t count = plait__bindings_count(frozen->bindings), unbound = 0;

	if (count == 0)
		return 0;
	plait__mutex_lock(&frozen->lock);
	for (uint32_t i = 0; i < count; i++)
		unbound += !is_bound(frozen, plait__bindings_at(
					     frozen->bindings, i));
	plait__mutex_unlock(&frozen->lock);
	return unbound;
}

bool plait__frozen_is_whole(const plait__frozen *frozen)
{
	const plait__plan *plan = frozen->plan;
	bool whole = true;

	for (uint32_t i = 0; i < plan->kernels_count; i++)
		whole &= frozen->kernels[i] != NULL;
	for (uint32_t i = 0; i < plan->slots_count; i++)
		whole &= frozen->buffers[i] != NULL;
	for (uint32_t i = 0; i < plan->signals_count; i++)
		whole &= frozen->signals[i] != NULL;
	for (uint32_t i = 0; i < plan->lanes_count; i++)
		whole &= frozen->devices[plan->lanes[i].device] != NULL;
	return whole;
}

plait_status plait__frozen_open(plait__frozen *frozen, plait_error *error)
{
	plait__context *context = frozen->object.context;
	plait_status status = plait__bindings_create(
		frozen->plan, plait__context_allocator(context),
		&frozen->bindings, error);

	for (uint32_t i = 0; i < frozen->plan->devices_count; i++)
		if (frozen->devices[i] == NULL)
			frozen->devices[i] = plait__device_named(
				context, plait__bind_device_name(frozen, i));
	return status;
}

/* With the lock held. */
static plait_status check_whole(const plait__frozen *frozen,
				plait_error *error)
{
	const plait__binding *lacking = first_unbound(frozen);

	if (lacking == NULL)
		return plait__fit_check(frozen, error);
	return plait__fail(error, PLAIT_E_STATE,
			   "the plan's %s \"%.*s\" is not bound: call "
			   "plait_plan_bind_%s", plait__bind_kinds[lacking->kind],
			   PLAIT__TEXT_FIT(lacking->name, 90),
			   plait__bind_kinds[lacking->kind]);
}

plait_status plait__frozen_seal(plait__frozen *frozen, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (frozen->bindings == NULL)
		return PLAIT_OK;
	plait__mutex_lock(&frozen->lock);
	if (!frozen->sealed) {
		status = check_whole(frozen, error);
		frozen->sealed = status == PLAIT_OK;
	}
	plait__mutex_unlock(&frozen->lock);
	return status;
}

static void fill_binding(plait__frozen *frozen, const plait__binding *binding,
			 plait_plan_binding *out)
{
	const plait__plan *plan = frozen->plan;
	uint32_t at = binding->at;

	*out = (plait_plan_binding){ .kind = binding->kind,
				     .flags = binding->flags,
				     .name = binding->name, .detail = "" };
	if (binding->kind == PLAIT_BINDING_KERNEL)
		out->detail = plait__bind_text(frozen, plan->kernels[at].signature);
	if (binding->kind == PLAIT_BINDING_SIGNAL)
		out->detail = plait__bind_device_name(frozen, plan->signals[at].device);
	if (binding->kind == PLAIT_BINDING_BUFFER) {
		out->detail = plait__bind_device_name(frozen, plan->slots[at].device);
		out->bytes = plan->slots[at].bytes;
	}
	plait__mutex_lock(&frozen->lock);
	out->bound = is_bound(frozen, binding);
	plait__mutex_unlock(&frozen->lock);
}

plait_status plait_plan_query_binding(plait_plan *plan, uint64_t index,
				      plait_plan_binding *out,
				      plait_error *error)
{
	plait_plan_binding ours;
	plait__frozen *entered;
	plait_status status = plait__frozen_enter(plan, &entered, error);
	uint32_t count;

	if (status != PLAIT_OK)
		return status;
	count = plait__bindings_count(entered->bindings);
	if (index >= count) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "binding %llu: the plan has %u",
				     (unsigned long long)index, count);
	} else {
		fill_binding(entered, plait__bindings_at(entered->bindings,
							 (uint32_t)index),
			     &ours);
		status = PLAIT__WRITE(plait_plan_binding, out, &ours, error);
	}
	plait__object_leave(&entered->object);
	return status;
}
