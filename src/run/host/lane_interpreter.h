/* SPDX-License-Identifier: MIT */
/* Interpreter of a lane's steps. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_INTERPRETER_H
#define PLAIT_SRC_RUN_HOST_LANE_INTERPRETER_H

#include "run/host/lane_set.h"

/* Until the lane is done or parked; true for the last of all lanes. */
bool plait__lane_interpret(plait__task *task);
/* The same, and writes down what it does. */
bool plait__lane_interpret_recorded(plait__task *task);

#endif
