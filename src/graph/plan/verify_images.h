/* SPDX-License-Identifier: MIT */
/* Images of a loaded plan: the objects bound to its names fit the parameters of
 * kernels and the copies.  plait__verify_commands has accepted the plan. */
#ifndef PLAIT_SRC_GRAPH_PLAN_VERIFY_IMAGES_H
#define PLAIT_SRC_GRAPH_PLAN_VERIFY_IMAGES_H

#include "graph/plan/plan_object.h"

/* All names are bound.  PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED. */
plait_status plait__verify_images(const plait__plan_object *plan_object,
				  plait_error *error);

#endif
