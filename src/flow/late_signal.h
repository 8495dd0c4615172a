/* SPDX-License-Identifier: MIT */
/*
 * Late tasks with a signal.  An emission gets its sequence when it is submitted to a
 * queue, which cannot be before its task begins: those behind it in other queues
 * would wait for a task that may never run.  So the emissions of one signal by a flow
 * come in the order of their tasks, and a wait for one that was not submitted comes
 * behind them.
 */
#ifndef PLAIT_SRC_FLOW_LATE_SIGNAL_H
#define PLAIT_SRC_FLOW_LATE_SIGNAL_H

#include "flow/late_record.h"

/* Take the signal of the descriptor: the record holds it.  Caller holds the lock. */
plait_status plait__late_signal_take(plait__flow_task *task, plait__late *late,
				     const plait_task_desc *desc,
				     plait_error *error);

/* A wait begins.  PLAIT_PENDING: it waits for late->sequence; PLAIT_OK: for nothing,
 * or the failure of an emission before it is stored as its own. */
plait_status plait__late_signal_begin(plait__late *late, plait_error *error);

#endif
