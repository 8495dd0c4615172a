/* SPDX-License-Identifier: MIT */
/* Preparation of a plan: chooses its engine and makes its program, once, at the
 * first call that needs it. */
#ifndef PLAIT_SRC_RUN_API_PREPARE_H
#define PLAIT_SRC_RUN_API_PREPARE_H

#include "run/program.h"

/* Slow path of plait__prepare_program. */
plait_status plait__prepare_new_program(plait__plan_object *plan_object,
					plait__program **out,
					plait_error *error);

/* Get the plan's program; make it if there is none. */
static inline plait_status
plait__prepare_program(plait__plan_object *plan_object,
		       plait__program **out, plait_error *error)
{
	/* Acquire: pairs with the store in plait__program_make. */
	*out = at_load_acquire_ptr(&plan_object->program);
	return *out != NULL ? PLAIT_OK :
	       plait__prepare_new_program(plan_object, out, error);
}

#endif
