/* SPDX-License-Identifier: MIT */
/* An event for each command, as enqueue.c asks for it; see watch.c. */
#ifndef PLAITP_OPENCL_WATCH_H
#define PLAITP_OPENCL_WATCH_H

#include "opencl.h"

struct opencl_watch;

/* For the commands of a batch from work_index to `end`; it is the batch's load
 * from then on.  Null: no memory. */
struct opencl_watch *plaitp_opencl_watch_begin(driven_batch *batch,
					       uint32_t end);
/* Null is ignored. */
void plaitp_opencl_watch_drop(plait_backend *self, struct opencl_watch *watch);
/* Where the event of the next command goes. */
cl_event *plaitp_opencl_watch_next(struct opencl_watch *watch);
/* All have their events: be told of them.  Not CL_SUCCESS: of some of them,
 * and the batch flies only if it is told of any. */
cl_int plaitp_opencl_watch_all(struct opencl_watch *watch);
/* Of the first command that failed, or null. */
const char *plaitp_opencl_watch_label(const struct opencl_watch *watch);

#endif
