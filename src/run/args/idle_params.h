/* SPDX-License-Identifier: MIT */
/* Parameters that no command of a plan uses: those of nodes that were removed,
 * or that a plan of a part leaves out.  Runs need not bind them. */
#ifndef PLAIT_SRC_RUN_ARGS_IDLE_PARAMS_H
#define PLAIT_SRC_RUN_ARGS_IDLE_PARAMS_H

#include "run/args/frame.h"

/* Find them, in `idle_params` of the layout.  Returns false without memory. */
bool plait__idle_params_find(plait__frame_layout *layout);
void plait__idle_params_free(plait__frame_layout *layout);

#endif
