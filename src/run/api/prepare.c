/* SPDX-License-Identifier: MIT */
/* Choice of a plan's engine; plait_plan_prepare and plait_plan_rehearse. */
#include "run/api/prepare.h"

#include "run/host/host_engine.h"
#include "run/queue/queue_engine.h"

#include "base/error.h"
#include "object/context/device.h"

/* The host engine, if all devices are the host and queues were not asked
 * for. */
static const plait__engine *choose_engine(const plait__plan_object *plan_object)
{
	const plait__plan *plan = plan_object->plan;

	/* A rehearsal submits nothing. */
	if (plan_object->rehearses)
		return &plait__host_engine;
	if (plan_object->on_queues)
		return &plait__queue_engine;
	for (uint32_t i = 0; i < plan->devices_count; i++) {
		const plait__device *device = plan_object->devices[i];

		/* Null: no command uses the device; a sealed plan has all
		 * others. */
		if (device != NULL && !plait__device_is_host(device))
			return &plait__queue_engine;
	}
	return &plait__host_engine;
}

plait_status plait__prepare_new_program(plait__plan_object *plan_object,
					plait__program **out,
					plait_error *error)
{
	return plait__program_make(plan_object, choose_engine, out, error);
}

PLAIT_API plait_status plait_plan_prepare(plait_plan *plan, plait_error *error)
{
	plait__program *program;
	plait__plan_object *plan_object;
	bool was_ready;
	plait_status status = plait__plan_object_enter(plan, &plan_object,
						       error);

	if (status != PLAIT_OK)
		return status;
	was_ready = at_load_acquire_ptr(&plan_object->program) != NULL;
	status = plait__prepare_program(plan_object, &program, error);
	if (status == PLAIT_OK && was_ready &&
	    program->engine->recalibrate != NULL)
		program->engine->recalibrate(program);
	plait__object_leave(&plan_object->object);
	return status;
}

PLAIT_API plait_status plait_plan_rehearse(plait_plan *plan, uint64_t unit_ns,
					   plait_error *error)
{
	plait__plan_object *plan_object;
	plait_status status = plait__plan_object_enter(plan, &plan_object,
						       error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&plan_object->preparing);
	if (at_load_acquire_ptr(&plan_object->program) != NULL) {
		status = plait__fail(error, PLAIT_E_STATE,
				     "the plan was prepared to run already; "
				     "rehearse another one");
	} else {
		plan_object->rehearses = true;
		plan_object->rehearsal_unit_ns = unit_ns;
	}
	plait__mutex_unlock(&plan_object->preparing);
	plait__object_leave(&plan_object->object);
	return status;
}
