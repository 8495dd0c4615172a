/* SPDX-License-Identifier: MIT */
/* Public queries of plans: facts, name bindings, and the plan checker. */
#include "graph/plan/plan_object.h"
#include "graph/plan/temporary_places.h"
#include "graph/plan/unbound_state.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "plan/check/check.h"

#include <string.h>

static void fill_info(plait__plan_object *plan_object, plait_plan_info *info)
{
	const plait__plan *plan = plan_object->plan;

	memset(info, 0, sizeof(*info));
	info->policy = plan->policy;
	info->mode = plan->mode;
	info->devices = plan->devices_count;
	info->nodes = plait__plan_nodes_in(plan);
	info->edges = plan->edge_count;
	info->lanes = plan->lanes_count;
	info->commands = plan->command_count;
	info->waits = plan->waits_count;
	info->signals = plan->signal_count;
	info->regions = plan->regions_count;
	info->makespan = plan->makespan;
	/* The lock: another thread may bind a device. */
	plait__mutex_lock(&plan_object->lock);
	info->scratch_bytes = plait__temporary_places_bytes(
		plan_object,
		plait__context_allocator(plan_object->object.context));
	plait__mutex_unlock(&plan_object->lock);
	info->bytes = plait__plan_bytes(plan);
	info->peak_bytes = plan_object->peak_bytes;
	info->bindings = plait__binding_names_count(plan_object->bindings);
	info->unbound = plait__unbound_count(plan_object);
}

plait_status plait_plan_query(plait_plan *plan, plait_plan_info *info,
			      plait_error *error)
{
	plait_plan_info ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	fill_info(entered, &ours);
	status = PLAIT__STRUCT_WRITE(plait_plan_info, info, &ours, error);
	plait__object_leave(&entered->object);
	return status;
}

plait_status plait_plan_check(plait_plan *plan, plait_error *error)
{
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__check_plan(entered->plan, NULL, 0,
				   plait__context_allocator(
					   entered->object.context),
				   NULL, error);
	plait__mutex_lock(&entered->lock);
	if (status == PLAIT_OK)
		status = plait__temporary_places_check(
			entered, plait__context_allocator(
					 entered->object.context), error);
	plait__mutex_unlock(&entered->lock);
	plait__object_leave(&entered->object);
	return status;
}

/* Fill a binding's description; the strings live as long as the plan. */
static void fill_binding(plait__plan_object *plan_object,
			 const plait__binding *binding, plait_plan_binding *out)
{
	const plait__plan *plan = plan_object->plan;
	uint32_t at = binding->at;

	*out = (plait_plan_binding){ .kind = binding->kind,
				     .flags = binding->flags,
				     .name = binding->name, .detail = "" };
	if (binding->kind == PLAIT_BINDING_KERNEL)
		out->detail = plait__plan_object_string(
			plan_object, plan->kernels[at].signature);
	if (binding->kind == PLAIT_BINDING_SIGNAL)
		out->detail = plait__plan_object_device_name(
			plan_object, plan->signals[at].device);
	if (binding->kind == PLAIT_BINDING_BUFFER) {
		out->detail = plait__plan_object_device_name(
			plan_object, plan->slots[at].device);
		out->bytes = plan->slots[at].bytes;
	}
	out->bound = plait__unbound_state_is_bound(plan_object, binding);
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
				     "index %llu: the plan has %u bindings",
				     (unsigned long long)index, count);
	} else {
		fill_binding(entered, plait__binding_names_at(entered->bindings,
							      (uint32_t)index),
			     &ours);
		status = PLAIT__STRUCT_WRITE(plait_plan_binding, out, &ours,
					     error);
	}
	plait__object_leave(&entered->object);
	return status;
}
