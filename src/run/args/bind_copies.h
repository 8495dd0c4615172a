/* SPDX-License-Identifier: MIT */
/* Range checks of copies and fills whose memory a run binds. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_COPIES_H
#define PLAIT_SRC_RUN_ARGS_BIND_COPIES_H

#include "run/args/frame.h"

/* List the commands to check, once per plan, when the layout is made.  Returns
 * false without memory; the list is freed with the layout in any case. */
bool plait__bind_copies_find(plait__frame_layout *layout);
void plait__bind_copies_free(plait__frame_layout *layout);
/* Check, once per run, that bound memory is long enough and that no copy
 * overlaps itself: PLAIT_E_INVALID.  All parameters are bound. */
plait_status plait__bind_copies_check(const plait__frame *frame,
				      plait_error *error);

#endif
