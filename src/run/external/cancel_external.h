/* SPDX-License-Identifier: MIT */
/* Cancellation of commands that complete outside their lane. */
#ifndef PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H
#define PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H

#include "run/external/external_command.h"

/* Cancellation: resume this lane and its siblings if they are parked. */
void plait__cancel_external(plait__external *first);

#endif
