/* SPDX-License-Identifier: MIT */
/*
 * Waits without a limit inside functions of owners: two threads, each in a function
 * that the other one's wait needs to end, would wait for ever.  Such a wait is in a
 * list of the process with the functions around it; one that would close a cycle
 * is refused.  A wait with a limit breaks a cycle by itself, and is in no list.
 */
#ifndef PLAIT_SRC_OBJECT_INBOX_FUNCTION_WAITS_H
#define PLAIT_SRC_OBJECT_INBOX_FUNCTION_WAITS_H

#include "object/wait/wait_loop.h"

/* plait__wait_run for a wait without a limit by a thread that is inside a function
 * of an owner: PLAIT_E_DEADLOCK if the wait closes a cycle.  The request has
 * `blocked`. */
plait_status plait__function_waits_run(plait__wait_request *request,
				       plait_error *error);

#endif
