/* SPDX-License-Identifier: MIT */
/* Checks of images and samplers that a run binds. */
#ifndef PLAIT_SRC_RUN_ARGS_BIND_IMAGES_H
#define PLAIT_SRC_RUN_ARGS_BIND_IMAGES_H

#include "run/args/frame.h"

/* Returns true for a launch with images or samplers whose kernel is bound. */
bool plait__bind_images_are_used(const plait__plan_object *plan_object,
				 uint32_t command);

/* Check such a launch.  PLAIT_E_INVALID; the text names parameter and node. */
plait_status plait__bind_images_check_launch(const plait__frame *frame,
					     uint32_t command,
					     plait_error *error);

#endif
