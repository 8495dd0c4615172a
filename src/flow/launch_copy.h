/* SPDX-License-Identifier: MIT */
/*
 * Copies of prepared pieces of a launch: the next launch with the same key
 * (launch_key.h) gets its pieces from them, with its own values, label and priority.
 * Without reductions, devices and a history, and of kernels that are host functions.
 * Caller holds the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_LAUNCH_COPY_H
#define PLAIT_SRC_FLOW_LAUNCH_COPY_H

#include "flow/flow_object.h"

#include "base/vector.h"

enum { PLAIT__LAUNCH_COPIES_MOST = 16 };

typedef struct plait__launch_copy {
	plait__mapper_chunk chunk;
	plait_launch geometry;
	uint32_t first, count; /* accesses */
} plait__launch_copy;

typedef struct plait__launch_copies {
	bool is_whole;
	uint32_t pieces; /* of the launch */
	plait__vector items; /* plait__launch_copy, of consecutive pieces */
	plait__vector accesses; /* plait__flow_access, of all */
	plait__vector cells;	/* uint64_t, of arguments; the same */
	plait__vector handles;	/* plait_data *, that the accesses name */
} plait__launch_copies;

void plait__launch_copies_init(plait__launch_copies *copies,
			       const plait_allocator *allocator);
void plait__launch_copies_fini(plait__launch_copies *copies);

/* Forget all copies. */
void plait__launch_copies_restart(plait__launch_copies *copies);

/* Keep a prepared piece of a launch, the next of those from `first` up to `end`, the last one of
 * which makes the copies whole. */
void plait__launch_copies_keep(plait__launch_copies *copies,
			       const plait__flow_task *task,
			       const plait_task_desc *desc, uint32_t first,
			       uint32_t end);

/* Returns true if the pieces of a launch with the key of the copies may be taken from
 * them: its values fit, and no object was released. */
bool plait__launch_copies_fit(const plait__launch_copies *copies,
			      plait__flow *flow, const plait_task_desc *desc);

/* Prepare a piece of a launch that fits.  PLAIT_PENDING: no room.  PLAIT_E_HANDLE: an
 * object was released since, and the preparation knows which. */
plait_status plait__launch_copies_take(const plait__launch_copies *copies,
				       plait__flow *flow, uint32_t piece,
				       const plait_task_desc *desc,
				       plait__flow_task *out);

#endif
