/* SPDX-License-Identifier: MIT */
/* Short runs of repetitions, called instead of submitted to a queue. */
#ifndef PLAIT_SRC_FLOW_SHORT_RUN_H
#define PLAIT_SRC_FLOW_SHORT_RUN_H

#include "flow/repetitions.h"

#include "run/run_instance.h"

/*
 * Run a repetition on the calling worker, if that is the faster way.  Runs of one
 * repetition come one after another.
 *
 * PLAIT_PENDING: the run is to be shared; null, too.  PLAIT_OK, or the failure of
 * the run.  `end`: see plait__start_call.
 */
plait_status plait__short_run_call(plait__repetition *again,
				   plait__run_end *end, plait_error *error);

/* A shared run is over.  Null is ignored. */
void plait__short_run_end_shared(plait__repetition *again);

#endif
