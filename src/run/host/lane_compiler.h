/* SPDX-License-Identifier: MIT */
/* Compiler from a plan to a lane program. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_COMPILER_H
#define PLAIT_SRC_RUN_HOST_LANE_COMPILER_H

#include "run/host/lane_merge.h"
#include "run/host/lane_program.h"

/* Compile into zeroed memory.  `serial`: one lane, and `merge` is null; else
 * `merge` null: each lane of the plan is a lane of the program.  Free after a
 * failure, too: PLAIT_E_NOMEM. */
plait_status plait__lane_program_compile(plait__lane_program *compiled,
					 const plait__program *program,
					 bool serial,
					 const plait__lane_merge *merge,
					 plait_error *error);
void plait__lane_program_free(plait__lane_program *compiled);

#endif
