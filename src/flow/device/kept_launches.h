/* SPDX-License-Identifier: MIT */
/*
 * Records of launches that a flow has submitted twice, for the next time that it submits
 * the same: kernel, geometry and arguments, on the same device.  What a backend has bound
 * may run several times at once; host code in the memory of a device does not: it comes
 * behind all ops in that memory.
 *
 * A record holds its buffers, so whatever releases a buffer of the flow takes all
 * records before.  Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_KEPT_LAUNCHES_H
#define PLAIT_SRC_FLOW_DEVICE_KEPT_LAUNCHES_H

#include "object/queue/launch_record.h"

/* Sets of records, by a hash; records of a set, and launches of a set that had none. */
enum { PLAIT__KEPT_SETS = 1024, PLAIT__KEPT_WAYS = 2, PLAIT__KEPT_SEEN = 4 };

typedef struct plait__kept_set {
	uint64_t hashes[PLAIT__KEPT_WAYS];
	plait__launch_record *records[PLAIT__KEPT_WAYS]; /* held, or null */
	uint32_t seen[PLAIT__KEPT_SEEN]; /* high halves of hashes */
	uint32_t oldest, oldest_seen;
} plait__kept_set;

typedef struct plait__kept_launches {
	plait__kept_set *sets; /* null before the first launch, or without memory */
	uint32_t count; /* of records */
	/* Lists that were taken, and those of them that were dropped since: the records
	 * of others hold buffers. */
	uint64_t taken, dropped;
} plait__kept_launches;

/* Zeroed memory is empty. */
void plait__kept_launches_fini(plait__kept_launches *kept,
			       const plait_allocator *allocator);

/* Find the record of a LAUNCH command on a device of this context, whose kernel and
 * buffers live; `is_bound`: the device has code for it.  Returns it with a hold, or null;
 * *out_hash is for the next call. */
plait__launch_record *
plait__kept_launches_find(plait__kept_launches *kept,
			  const plait__device *device, bool is_bound,
			  const plait__kernel *kernel,
			  const plait_command *command, uint64_t *out_hash);

/* Keep the record that was made where none was found, if the launch was seen before.
 * Returns true then. */
bool plait__kept_launches_note(plait__kept_launches *kept,
			       const plait_allocator *allocator, uint64_t hash,
			       plait__launch_record *made);

/* Take all records, a list by `next`, or null: for plait__kept_launches_drop, after
 * which the caller counts it as dropped. */
plait__launch_record *plait__kept_launches_take(plait__kept_launches *kept);
/* Drop them.  Caller does not hold the lock: launches end. */
void plait__kept_launches_drop(plait__launch_record *list);

#endif
