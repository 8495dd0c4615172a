/* SPDX-License-Identifier: MIT */
/* Name of a command's node in error texts: node 7 "saxpy" (file:3). */
#ifndef PLAIT_SRC_RUN_COMMAND_TEXT_H
#define PLAIT_SRC_RUN_COMMAND_TEXT_H

#include "plan/plan.h"

enum { PLAIT__COMMAND_TEXT_BYTES = 120 };

/* Write the name of the node that `command` belongs to; returns `room`. */
const char *plait__command_text(const plait__plan *plan, uint32_t command,
				char room[PLAIT__COMMAND_TEXT_BYTES]);

#endif
