/* SPDX-License-Identifier: MIT */
/* Entry point that exchanges a kernel of a plan; see kernel_versions.h. */
#include "run/kernel_versions.h"

#include "run/api/prepare.h"

#include "base/error.h"
#include "object/kernel/kernel.h"

static plait_status prepare(plait__plan_object *plan_object,
			    plait__program **out, plait_error *error)
{
	plait_status status = plait__prepare_program(plan_object, out, error);

	if (status == PLAIT_OK && (*out)->rehearsal != NULL)
		status = plait__fail(error, PLAIT_E_STATE,
				     "the plan is rehearsed, so it calls no "
				     "kernels");
	if (status == PLAIT_OK && (*out)->engine->recode == NULL)
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "kernels of plans that run on %s cannot "
				     "be exchanged yet", (*out)->engine->name);
	return status;
}

/* All three objects are entered. */
static plait_status exchange_in(plait__plan_object *plan_object,
				const plait__kernel *old,
				plait__kernel *kernel, plait_error *error)
{
	plait__program *program;
	plait_status status = plait__context_check_same(
		&plan_object->object, &kernel->object, error);

	if (status == PLAIT_OK && old->suspends != kernel->suspends)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "one of the kernels is a coroutine "
				     "(PLAIT_KERNEL_COROUTINE), the other is "
				     "not");
	if (status == PLAIT_OK && old->is_bound != kernel->is_bound)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "one of the kernels has "
				     "PLAIT_KERNEL_FIRST_WORKER, the other has "
				     "not");
	if (status == PLAIT_OK)
		status = prepare(plan_object, &program, error);
	if (status == PLAIT_OK)
		status = plait__kernel_versions_exchange(program, old, kernel,
							 error);
	return status;
}

PLAIT_API plait_status plait_plan_exchange(plait_plan *plan, plait_kernel *old,
					   plait_kernel *kernel,
					   plait_error *error)
{
	plait__plan_object *plan_object;
	plait__kernel *from, *to;
	plait_status status = plait__plan_object_enter(plan, &plan_object,
						       error);

	if (status != PLAIT_OK)
		return status;
	status = plait__kernel_enter(old, &from, error);
	if (status == PLAIT_OK) {
		status = plait__kernel_enter(kernel, &to, error);
		if (status == PLAIT_OK) {
			status = exchange_in(plan_object, from, to, error);
			plait__object_leave(&to->object);
		}
		plait__object_leave(&from->object);
	}
	plait__object_leave(&plan_object->object);
	return status;
}
