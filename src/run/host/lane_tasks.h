/* SPDX-License-Identifier: MIT */
/* Lanes of one instance as tasks of the pool. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_TASKS_H
#define PLAIT_SRC_RUN_HOST_LANE_TASKS_H

#include "run/host/lane_set.h"

/* `end` is called when all lanes are done. */
plait_status plait__lane_set_make(plait__lane_set *set,
				  plait__instance *instance,
				  const plait__lane_program *compiled,
				  void (*end)(plait__instance *instance),
				  plait_error *error);
void plait__lane_set_free(plait__lane_set *set);
void plait__lane_set_start(plait__lane_set *set, bool inline_ok);
bool plait__lane_set_drive(plait__lane_set *set);

#endif
