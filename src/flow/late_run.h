/* SPDX-License-Identifier: MIT */
/*
 * Runs of plans that late tasks start.  The end of a run tells its record: a run
 * that has started needs no memory to be awaited, so no task is over while its
 * run goes on.
 */
#ifndef PLAIT_SRC_FLOW_LATE_RUN_H
#define PLAIT_SRC_FLOW_LATE_RUN_H

#include "flow/late_record.h"

/* Run a repetition on the calling thread: see plait__short_run_call.  If the thread ends in
 * a function of the run, the end of the run posts the record. */
plait_status plait__late_run_call(plait__late *late, plait_error *error);

/* Start the run.  PLAIT_PENDING: its end posts the record, or has, and the record
 * is not the caller's any more. */
plait_status plait__late_run_start(plait__late *late, plait_error *error);

/* Execute work of a run that has started, until there is none now, on the calling
 * thread, which waits for op `number`, or with `prefix` for all up to it: that is
 * the run, or one of them.  Takes the lock. */
void plait__late_run_help(plait__flow *flow, uint64_t number, bool prefix,
			  uint64_t deadline_ns);

#endif
