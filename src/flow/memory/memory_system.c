/* SPDX-License-Identifier: MIT */
/* Memories and their peers; see memory_system.h. */
#include "flow/memory/memory_system.h"

#include <stddef.h>

static uint64_t bit(uint32_t i)
{
	return UINT64_C(1) << i;
}

static uint64_t ring_of(uint32_t device, uint32_t devices)
{
	return bit(1 + (device + 1) % devices) |
	       bit(1 + (device + devices - 1) % devices);
}

void plait__memory_system_make(plait__memory_system *system, uint32_t devices,
			       plait__memory_peers peers, bool shared)
{
	uint64_t all;

	*system = (plait__memory_system){ .devices = devices,
					  .memories = shared ? 2 :
							       devices + 1 };
	all = ~UINT64_C(0) >> (64 - system->memories);
	for (uint32_t device = 0; device < devices; device++)
		system->memory_of[device] = shared ? 1 : 1 + device;
	system->reaching[PLAIT__MEMORY_HOST] = all;
	for (uint32_t memory = 1; memory < system->memories; memory++) {
		uint64_t with = bit(PLAIT__MEMORY_HOST) | bit(memory);

		if (peers == PLAIT__MEMORY_PEERS_ALL)
			with = all;
		else if (peers == PLAIT__MEMORY_PEERS_RING && !shared)
			with |= ring_of(memory - 1, devices);
		system->reaching[memory] = with;
	}
}

/* Returns those of `direct` with the fastest link; the target itself is none. */
static uint64_t fastest(const plait__memory_system *system, uint64_t direct,
			uint32_t target)
{
	uint64_t best = 0, most = 0;

	for (uint64_t left = direct; left != 0; left &= left - 1) {
		uint32_t from = (uint32_t)__builtin_ctzll(left);
		uint64_t rate = plait__links_get(system->links, from,
						 target)->rate;

		if (best == 0 || rate > most)
			best = 0;
		if (best == 0)
			most = rate;
		if (rate == most)
			best |= bit(from);
	}
	return best;
}

uint32_t plait__memory_system_source(const plait__memory_system *system,
				     uint64_t valid, uint32_t origin,
				     uint32_t target)
{
	uint64_t direct = valid & system->reaching[target];

	if (direct == 0)
		return UINT32_MAX;
	if (system->links != NULL)
		direct = fastest(system, direct, target);
	return (direct >> origin & 1) != 0 ? origin :
					     (uint32_t)__builtin_ctzll(direct);
}

uint32_t plait__memory_system_lanes(const plait__memory_system *system)
{
	return 1 + 2 * system->devices;
}

uint32_t plait__memory_system_device(const plait__memory_system *system,
				     uint32_t memory)
{
	uint32_t device = 0;

	while (system->memory_of[device] != memory)
		device++;
	return device;
}
