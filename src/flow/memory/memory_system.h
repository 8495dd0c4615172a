/* SPDX-License-Identifier: MIT */
/*
 * Memories of a system of devices, and which of them copy to each other.
 * Memory 0 is the host's, in which host functions run, and which all reach.
 * Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_MEMORY_SYSTEM_H
#define PLAIT_SRC_FLOW_MEMORY_MEMORY_SYSTEM_H

#include "flow/policy/links.h"

enum { PLAIT__MEMORY_HOST = 0, PLAIT__MEMORY_DEVICES = 63 };

typedef enum plait__memory_peers {
	PLAIT__MEMORY_PEERS_ALL,
	PLAIT__MEMORY_PEERS_RING, /* each device, the ones beside it */
	PLAIT__MEMORY_PEERS_NONE
} plait__memory_peers;

typedef struct plait__memory_system {
	uint32_t devices;
	uint32_t memories;
	uint32_t memory_of[PLAIT__MEMORY_DEVICES];
	/* Per memory: bits of those that copy to it directly; its own too. */
	uint64_t reaching[PLAIT__MEMORY_DEVICES + 1];
	const plait__links *links; /* null: all are equal */
	uint64_t capacity; /* of each memory but the host's; 0: no limit */
} plait__memory_system;

/* Make a system of 1 to 63 devices, with one memory each, or one in all if
 * `shared`. */
void plait__memory_system_make(plait__memory_system *system, uint32_t devices,
			       plait__memory_peers peers, bool shared);

/* Returns the memory to copy from, of those in the mask `valid`, which is not
 * 0: the one with the fastest link; of equal ones `origin`, then the lowest; ~0
 * if none reaches `target`. */
uint32_t plait__memory_system_source(const plait__memory_system *system,
				     uint64_t valid, uint32_t origin,
				     uint32_t target);

/* Returns the most bytes that the blocks of a memory may have. */
static inline uint64_t
plait__memory_system_capacity(const plait__memory_system *system,
			      uint32_t memory)
{
	return memory == PLAIT__MEMORY_HOST || system->capacity == 0 ?
		       UINT64_MAX : system->capacity;
}

/* In-order lanes: one for the host, and two per device. */
uint32_t plait__memory_system_lanes(const plait__memory_system *system);

/* Lane of the tasks of a device. */
static inline uint32_t plait__memory_system_task_lane(uint32_t device)
{
	return 1 + 2 * device;
}

/* Lane of the copies into the memory of a device, and of those to the host. */
static inline uint32_t plait__memory_system_copy_lane(uint32_t device)
{
	return 2 + 2 * device;
}

/* Returns the lowest device of a memory that is not the host's. */
uint32_t plait__memory_system_device(const plait__memory_system *system,
				     uint32_t memory);

#endif
