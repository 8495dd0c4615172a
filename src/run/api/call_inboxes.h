/* SPDX-License-Identifier: MIT */
/* Inboxes of the thread that calls a plan. */
#ifndef PLAIT_SRC_RUN_API_CALL_INBOXES_H
#define PLAIT_SRC_RUN_API_CALL_INBOXES_H

#include "run/program.h"

/* The wait of a call was told of an event that is not of its run.
 * PLAIT_EVENT_READY if the run does not need this thread's inboxes; else
 * PLAIT_E_STATE. */
plait_status plait__call_inboxes_check(const plait__instance *instance,
				       plait_error *error);

#endif
