/* SPDX-License-Identifier: MIT */
/* Values that launches take from memory of the program; see
 * PLAIT_ARGUMENT_HOST.  The pointer of such an argument leads into that memory,
 * so a launch reads the value when it is called or submitted. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_HOST_VALUES_H
#define PLAIT_SRC_RUN_ARGS_BIND_HOST_VALUES_H

#include "run/args/frame.h"

/* List the arguments, once per plan; false: no memory. */
bool plait__bind_host_values_find(plait__frame_layout *layout);
void plait__bind_host_values_free(plait__frame_layout *layout);

/* Check range and alignment in the memory that the run has bound, and set the
 * pointers of the frame.  PLAIT_E_INVALID.  All parameters are bound. */
plait_status plait__bind_host_values_set(plait__frame *frame,
					 plait_error *error);

#endif
