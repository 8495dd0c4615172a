/* SPDX-License-Identifier: MIT */
/*
 * Cancellation of late tasks that have begun: a wait for a signal ends at once,
 * and its record when the notification comes; a function that the owner of an
 * inbox has not begun is retracted, which brings the notification.
 */
#ifndef PLAIT_SRC_FLOW_LATE_CANCEL_H
#define PLAIT_SRC_FLOW_LATE_CANCEL_H

#include "flow/late_record.h"

/* The task begins, and is cancelled by later cancellations.  PLAIT_E_CANCELLED:
 * it was by an earlier one. */
plait_status plait__late_cancel_begin(plait__late *late, plait_error *error);

/* It ends: the caller ends the op.  Returns false if a cancellation has. */
bool plait__late_cancel_end(plait__late *late);

/* Cancel the begun tasks of the flow, after plait__flow_lanes_cancel.  Caller
 * holds the lock. */
void plait__late_cancel_all(plait__flow *flow);

#endif
