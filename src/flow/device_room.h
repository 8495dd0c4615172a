/* SPDX-License-Identifier: MIT */
/*
 * Room for blocks in the memories of a flow's devices: supply of those that a
 * launch lacks, and eviction of others, whole, within a limit.
 *
 *     attempt    the launch lacks buffers        -> PLAIT_PENDING
 *     supply     lock `supplying`: the submission owns the room
 *     attempt    evict until all of them fit     -> PLAIT_PENDING
 *     supply     release what was evicted, make what is missing
 *     attempt    the launch is committed
 *     leave
 *
 * A victim is data that the launch does not use: data that the program has
 * released, else the one whose next use is predicted to be farthest
 * (memory/reuse.h).  Data is passed over whose tasks something outside of the flow
 * has to end, as long as there is other data; then the caller's own mappings and
 * tasks.  The victim's values are copied to the program's memory by ops of the
 * flow.  If ops use its buffer, supply leaves the room, the submission waits for
 * one of them, and begins anew.  Whether a buffer is idle does not count: the
 * copies of equal programs do not depend on times.
 * So the owner never waits for an op, and nothing that it has made is evicted
 * before its next attempt has ended.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_ROOM_H
#define PLAIT_SRC_FLOW_DEVICE_ROOM_H

#include "flow/device_split.h"
#include "flow/flow_devices.h"

/* Begin a list of the data that a task uses in its memory (room_plan.h).  Returns false if its
 * submission does not own the room.  Caller holds the lock, as for the next
 * four. */
bool plait__device_room_begin(const plait__flow_task *task);
/* Make room for the list.  PLAIT_PENDING: with task->lacks_buffers a call of
 * supply is due, else there is no room for an op.  PLAIT_E_NOMEM: it does not
 * fit alone. */
plait_status plait__device_room_make(plait__flow_task *task,
				     plait_error *error);
/* Fail because the data of a task needs more than the limit, and say so in it. */
plait_status plait__device_room_fail(plait__flow_task *task, uint64_t needed,
				     plait_error *error);
/* Returns true if the list fits without evictions; the next supply makes it. */
bool plait__device_room_fits(plait__flow *flow);
/* Returns true if the data has a buffer in the owner's memory, and an op may release
 * it, with that of a larger block that is to take its place. */
bool plait__device_room_can_release(const plait__flow *flow,
				    const plait__data *whole);
/* Take the buffer, which op `number` releases; its values are elsewhere
 * (room_releases.h). */
plait__buffer *plait__device_room_detach(plait__flow *flow, plait__data *whole,
					 uint64_t number);
/* Append the evictions for the task to why it is where it is. */
void plait__device_room_explain(const plait__flow_task *task,
				plait__text *out);
/* A launch that is committed uses data in its memory: behind a tick of that
 * memory's clock. */
void plait__device_room_note(const plait__flow_task *task, plait__data *whole);
/* The data ends. */
void plait__device_room_forget(const plait__data *whole);

#endif
