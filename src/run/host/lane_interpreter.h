/* SPDX-License-Identifier: MIT */
/* Interpreter of a lane's steps. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_INTERPRETER_H
#define PLAIT_SRC_RUN_HOST_LANE_INTERPRETER_H

#include "run/host/lane_set.h"

/* Run the lane until it is done or parked.  Returns true if it was the last
 * lane of the run. */
bool plait__lane_interpret(plait__task *task);

#endif
