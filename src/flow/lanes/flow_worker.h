/* SPDX-License-Identifier: MIT */
/* The loop of a lane's worker; see flow_worker.c. */
#ifndef PLAIT_SRC_FLOW_LANES_FLOW_WORKER_H
#define PLAIT_SRC_FLOW_LANES_FLOW_WORKER_H

#include "flow/lanes/flow_lanes.h"

/* Run ops until there is none: the `run` of a task. */
bool plait__flow_worker_run(plait__task *task);

/* The thread ends inside a function of the program: the `lost` of a task. */
void plait__flow_worker_lose(plait__task *task);

/* Run op `number` on the calling thread, which is no worker, if it is ready and not
 * taken.  The op may go on elsewhere afterwards.  Returns false if it is not run. */
bool plait__flow_worker_call_here(plait__flow_lanes *lanes, uint64_t number);

/* The calling thread ends in a function of the op that it runs.  Another thread finishes
 * the op: it does not end with the thread. */
void plait__flow_worker_keep_op(void);

/* Returns true if op `number` is not to be run: it was cancelled, or a true
 * predecessor has failed.  Its failure is stored then. */
bool plait__flow_worker_spoils(plait__flow_lanes *lanes, uint64_t number);

#endif
