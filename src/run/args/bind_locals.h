/* SPDX-License-Identifier: MIT */
/* Checks of local memory whose size a run binds. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_LOCALS_H
#define PLAIT_SRC_RUN_ARGS_BIND_LOCALS_H

#include "run/args/frame.h"

/* List the launches to check, as plait__bind_copies_find does copies. */
bool plait__bind_locals_find(plait__frame_layout *layout);
void plait__bind_locals_free(plait__frame_layout *layout);
/* Check that bound sizes, which are in the frame's blob, are whole elements and
 * within the devices' limits. */
plait_status plait__bind_locals_check(const plait__frame *frame,
				      plait_error *error);

#endif
