/* SPDX-License-Identifier: MIT */
/* Checks of launches with arguments that a run binds. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_LAUNCHES_H
#define PLAIT_SRC_RUN_ARGS_BIND_LAUNCHES_H

#include "run/args/frame.h"

/* List the launches to check, as plait__bind_copies_find does copies. */
bool plait__bind_launches_find(plait__frame_layout *layout);
void plait__bind_launches_free(plait__frame_layout *layout);
/* All parameters are bound, and values are in the frame's blob: sizes of local
 * memory are whole elements and within the devices' limits, samplers are flags,
 * and no launch reads an image that it writes. */
plait_status plait__bind_launches_check(const plait__frame *frame,
					plait_error *error);

#endif
