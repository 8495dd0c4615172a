/* SPDX-License-Identifier: MIT */
/* Device graphs: the segments of an instance as their backends have them. */
#ifndef PLAIT_SRC_RUN_QUEUE_DEVICE_GRAPHS_H
#define PLAIT_SRC_RUN_QUEUE_DEVICE_GRAPHS_H

#include "run/queue/queue_instance.h"

/* Make the device graphs of an instance, with the arguments that runs do not
 * bind.  A segment that its backend refuses gets none.  Free them after a
 * failure of a backend, too. */
plait_status plait__device_graphs_make(plait__queue_instance *state,
				       plait_error *error);
void plait__device_graphs_free(plait__queue_instance *state);
/* Let each segment's submission have its device graph, or its commands without
 * one.  Called after the submissions were filled (again), while nothing of the
 * instance is in flight. */
void plait__device_graphs_select(plait__queue_instance *state);
/* Update the changed device graphs of a batch, which are idle. */
plait_status plait__device_graphs_update(plait__queue_instance *state,
					 uint32_t batch, plait_error *error);
/* Before a run: update the device graphs that decide regions. `out_whole` is
 * false if one of them does not exist. */
plait_status plait__device_graphs_prepare(plait__queue_instance *state,
					  bool *out_whole, plait_error *error);
/* Returns true if a device graph that decides regions cannot exist for any
 * arguments of a run. */
bool plait__device_graphs_lacks_any(const plait__queue_instance *state);
/* Tell the loops of all device graphs to end (`stop`), or to run again: then
 * they are idle.  By the driver; failures are ignored. */
void plait__device_graphs_stop(plait__queue_instance *state, bool stop);

#endif
