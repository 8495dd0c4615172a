/* SPDX-License-Identifier: MIT */
/* Layout of the arguments in each frame of a plan. */
#ifndef PLAIT_SRC_RUN_ARGS_FRAME_LAYOUT_H
#define PLAIT_SRC_RUN_ARGS_FRAME_LAYOUT_H

#include "run/args/frame.h"

/* Make the layout of a program's frames, in zeroed memory.  `maps`: map the
 * buffers of the plan, which is sealed, until the layout is freed.  Free it
 * after a failure, too: PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED (a device that does
 * not map), or what memory_map returns. */
plait_status plait__frame_layout_make(plait__frame_layout *layout,
				      const plait__plan_object *plan_object,
				      bool maps, plait_error *error);
void plait__frame_layout_free(plait__frame_layout *layout);

#endif
