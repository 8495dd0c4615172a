/* SPDX-License-Identifier: MIT */
/* Log lines on the regions of a plan. */
#ifndef PLAIT_SRC_RUN_QUEUE_LOG_DECISIONS_H
#define PLAIT_SRC_RUN_QUEUE_LOG_DECISIONS_H

#include "run/queue/queue_program.h"

/* Log for each region whether its device or the host decides it, and why. */
void plait__log_decisions(const plait__queue_program *compiled);

#endif
