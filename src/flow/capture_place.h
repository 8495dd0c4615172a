/* SPDX-License-Identifier: MIT */
/*
 * Devices of captured tasks: where each runs, which values are copied to another
 * memory in between, and which values the captured tasks need before the first of
 * them.  The flow's own coherence is only looked at.  Caller holds the lock, and
 * the flow has devices.
 */
#ifndef PLAIT_SRC_FLOW_CAPTURE_PLACE_H
#define PLAIT_SRC_FLOW_CAPTURE_PLACE_H

#include "flow/capture_state.h"

/* Give zeroed memory of the capture its tables. */
void plait__capture_place_init(plait__flow_capture *capture,
			       const plait_allocator *allocator);
void plait__capture_place_fini(plait__flow_capture *capture);
/* The record has no data yet: it gets a token for each memory.  Returns false
 * without memory. */
bool plait__capture_place_begin(plait__flow_capture *capture);

/* Choose the device of a prepared launch, or the candidates for its pieces.  Other
 * tasks run in the memory of the program.  PLAIT_PENDING: data has no buffer there,
 * and task->lacks_buffers is set.  As plait__place_task. */
plait_status plait__capture_place_task(plait__flow_task *task,
				       plait_error *error);

/* Give a step of the launch its device. */
void plait__capture_place_step(plait__flow_task *step,
			       const plait__flow_task *whole);

/* Add copies of what flow->accesses read and the task's memory lacks, and note what
 * no captured task has written.  The data have indices.  PLAIT_E_NOMEM. */
plait_status plait__capture_place_fetch(const plait__flow_task *task,
					plait_error *error);

/* Append the task's access to the token of its memory. */
void plait__capture_place_order(const plait__flow_task *task);

/* Of a graph of the program: add copies of what its tasks have written to the
 * program's memory.  As plait_graph_add. */
plait_status plait__capture_place_leave(plait__flow_capture *capture,
					plait_error *error);

/* The task was recorded last: its memory has what it writes. */
void plait__capture_place_commit(const plait__flow_task *task);

#endif
