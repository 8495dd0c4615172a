/* SPDX-License-Identifier: MIT */
/*
 * Devices of a flow: their memories, which copy to each other, and their lanes.
 * Guarded by the lock of the flow; constant, but for the engine, choices and the
 * room for a task in preparation.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_DEVICES_H
#define PLAIT_SRC_FLOW_FLOW_DEVICES_H

#include "flow/device/data_copies.h"
#include "flow/device/device_engine.h"
#include "flow/device/kept_launches.h"
#include "flow/flow_object.h"
#include "flow/memory/memory_system.h"
#include "flow/show/traffic.h"

#include "base/text.h"

/* Queues for launches, of a device. */
enum { PLAIT__FLOW_QUEUES = 8 };

/* One of the flow's devices: memory 0 is that of the program, and its tasks run
 * on the lanes of the flow. */
typedef struct plait__flow_device {
	plait__device *device;
	uint32_t memory;
	/* The first one of its launches.  Behind those is one of copies, and of
	 * launches of host code. */
	uint32_t lane;
	uint64_t newest[PLAIT__FLOW_QUEUES + 1]; /* ops of these */
	/* The newest ones that had not begun when they were committed, less
	 * launches of host code: ops behind them in the lane may be done. */
	uint64_t waiting[PLAIT__FLOW_QUEUES + 1];
	/* Per memory: the newest of its copies that reads another one's. */
	uint64_t fetched[PLAIT__MEMORY_DEVICES + 1];
} plait__flow_device;

/* An op that releases a buffer, as advice has it. */
typedef struct plait__buffer_release {
	uint64_t number;
	uint32_t memory;
} plait__buffer_release;

/* Data of an argument: `is_plain` if the kernel gets a pointer alone, with which it
 * addresses elements from the first one of all. */
typedef struct plait__data_argument {
	plait__data *data;
	bool is_plain;
} plait__data_argument;

/* Room for blocks in the memories of devices; see device_room.h. */
typedef struct plait__device_room {
	/* Locked before all others, by a submission that makes buffers; no op
	 * runs and nothing waits for one while it is held. */
	struct plait__mutex supplying;
	const void *owner;  /* that submission, or null */
	uint64_t limit;	    /* bytes in each memory, at most */
	uint64_t bytes[PLAIT__MEMORY_DEVICES + 1];
	plait__reuse_clock clocks[PLAIT__MEMORY_DEVICES + 1];
	plait__vector releases; /* plait__buffer_release: those that are due */
	/* Of the owner's task. */
	uint64_t request;
	uint32_t memory;
	plait__vector wanted; /* plait__data *, held: what it uses */
	uint64_t needed;      /* bytes that it needs of them */
	uint64_t lacking;     /* and of blocks to be made for it, */
	bool is_generous;     /* which are larger than they must be, if so */
	bool is_tight;	      /* no block is */
	plait__vector trash;   /* plait__buffer *: evicted, to be released */
	uint64_t behind;       /* an op to wait for, or 0 */
	bool is_refused;       /* the device has no memory, as `refusal` says */
	plait_error refusal;
	plait__text evictions; /* for the record */
} plait__device_room;

/* Of a submission: the most small copies of one data that its task needs. */
typedef struct plait__small_copies {
	const void *submitter;
	plait__data *whole; /* which the task uses */
	uint32_t memory;
	uint32_t count;
} plait__small_copies;

struct plait__flow_devices {
	plait__device_engine engine;
	plait__device_room room;
	plait__memory_system system;
	uint32_t count;
	uint32_t queues; /* of each device, for launches */
	struct plait__device_choices *choices; /* or null */
	plait__flow_device items[PLAIT__MEMORY_DEVICES];
	/* Per memory: the newest launch of host code.  It maps buffers, and may
	 * write all of them back, so it overlaps no other op there. */
	uint64_t last_mapped[PLAIT__MEMORY_DEVICES + 1];
	/* Per memory: the newest run of a repetition that accesses it. */
	uint64_t last_run[PLAIT__MEMORY_DEVICES + 1];
	/* Of the task in preparation: the data of its pointers, and its
	 * accesses, while those of copies are in their place. */
	plait__vector arguments; /* plait__data_argument */
	plait__vector accesses;	 /* plait__flow_access */
	plait__vector missing;	 /* plait__version */
	plait__vector users;	 /* uint64_t: ops that use a block */
	plait__vector launch;	 /* plait_argument */
	plait__kept_launches kept;
	/* For the record. */
	plait__small_copies small_copies;
	plait__traffic_evictions evictions[PLAIT__MEMORY_DEVICES + 1];
	uint64_t order[(PLAIT__FLOW_QUEUES + 1) * PLAIT__MEMORY_DEVICES + 1];
	bool gives_way; /* no repeats are found: repetition_prefix.h */
};

/* Make the devices of a descriptor, which has some.  PLAIT_E_INVALID,
 * PLAIT_E_UNSUPPORTED, PLAIT_E_NOMEM, and as plait_queue_create. */
plait_status plait__flow_devices_make(plait__flow *flow,
				      const plait_flow_desc *desc,
				      plait_error *error);
/* No op is in flight.  Null is fine. */
void plait__flow_devices_free(plait__flow *flow);

/* Submit what has begun.  Caller does not hold the lock. */
static inline void plait__flow_devices_flush(plait__flow *flow)
{
	if (flow->devices != NULL)
		plait__device_engine_flush(&flow->devices->engine);
}

/* The same, unless more ops may come before a device needs these. */
static inline void plait__flow_devices_offer(plait__flow *flow)
{
	if (flow->devices != NULL)
		plait__device_engine_offer(&flow->devices->engine);
}

/* Before a buffer or a kernel is released: drop the records of launches that are kept,
 * which hold them.  Caller does not hold the lock; of the second it does, and they end
 * later. */
void plait__flow_devices_drop_launches(plait__flow *flow);
void plait__flow_devices_drop_launches_deferred(plait__flow *flow);
/* Free the copies of data that ends, or null.  Caller holds no lock. */
void plait__flow_devices_free_copies(plait__flow *flow,
				     plait__data_copies *copies);

/* Returns true if one of the device's lanes could not be replaced: it gets no
 * launches, and what is valid elsewhere is not copied from it. */
static inline bool plait__flow_devices_is_lost(const plait__flow *flow,
					       const plait__flow_device *device)
{
	const plait__device_engine *engine = &flow->devices->engine;

	for (uint32_t k = 0; k <= flow->devices->queues; k++)
		if (plait__device_engine_is_dead(engine, device->lane + k))
			return true;
	return false;
}

#endif
