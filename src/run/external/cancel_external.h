/* SPDX-License-Identifier: MIT */
/* Cancellation of commands that complete outside their lane. */
#ifndef PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H
#define PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H

#include "run/external/external_command.h"

/* The run was stopped: it and its siblings go on, if they wait for
 * somebody else. */
void plait__cancel_external(plait__external *first);

#endif
