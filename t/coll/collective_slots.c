/* SPDX-License-Identifier: MIT */
/*
 * Slots of collectives: bounds of their memory, room for each message, and
 * transports that need a pump.
 */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/project/collective_object.h"
#include "lib/tap.h"

#include "base/alloc.h"

#include <string.h>

enum { PUMPED = 1, SHORT_SLOTS = 2, MANY_MACHINES = 4, FAR_PUMP = 8 };

static uint64_t slot_bytes;
static plait__collective_part part;

/* Choose slots for a known allreduce, in a world with these properties. */
static plait_status choose(const char *name, uint32_t ranks, uint32_t chunks,
			   uint32_t how, plait_error *error)
{
	const plait__chunk_request request = { .kind = PLAIT__COLL_ALLREDUCE,
					       .rank_count = ranks };
	const plait__compile_request way = { .instances = 1 };
	plait__world_port ports[2];
	plait__world world;
	plait__chunk_program *program;
	plait__schedule *schedule;
	plait_status status;

	memset(&world, 0, sizeof(world));
	memset(ports, 0, sizeof(ports));
	memset(&part, 0, sizeof(part));
	world.ports = ports;
	world.port_count = 2;
	world.machines = how & MANY_MACHINES ? 2 : 1;
	world.slot_limit = how & SHORT_SLOTS ? 256 : UINT64_MAX;
	ports[0].info.flags = how & PUMPED ? PLAIT_PORT_NEEDS_PUMP : 0;
	ports[1].info.flags = how & FAR_PUMP ? PLAIT_PORT_NEEDS_PUMP : 0;
	OK(plait__known_make(plait__alloc_default(), name, &request, &program,
			     NULL) == PLAIT_OK);
	OK(plait__compile_program(plait__alloc_default(), program, &way,
				  &schedule, NULL) == PLAIT_OK);
	part.program.message_chunks = chunks;
	status = plait__collective_slots_choose(&world, schedule, &part,
						&slot_bytes, error);
	plait__chunk_program_free(program);
	plait__schedule_free(schedule);
	return status;
}

static void bounds_memory(void)
{
	for (uint32_t ranks = 2; ranks <= 33; ranks += 31)
		for (uint32_t how = 0; how < 16; how++) {
			uint64_t links = ranks - 1;

			if (how & SHORT_SLOTS)
				continue;
			OK(choose("allpairs", ranks, 1, how, NULL) == PLAIT_OK);
			OK((part.depth & (part.depth - 1)) == 0);
			OK(slot_bytes % 64 == 0 && slot_bytes >= 1 << 15);
			OK_THAT(links * part.depth * slot_bytes <= 32 << 20,
				"%u ranks, world %u: %u slots of %llu", ranks,
				how, part.depth,
				(unsigned long long)slot_bytes);
		}
}

static void has_room_for_messages(void)
{
	plait_error error = { .size = sizeof(error) };

	OK(choose("ring", 2, 5000, 0, NULL) == PLAIT_OK);
	IS_UINT(slot_bytes, 5001 * 64);
	OK(choose("ring", 2, 1, SHORT_SLOTS, NULL) == PLAIT_OK);
	IS_UINT(slot_bytes, 256);
	IS_INT(choose("ring", 2, 4, SHORT_SLOTS, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "need slots of 320 bytes, the transports have 256");
}

/* Long slots where a transport copies messages, many where ranks share memory. */
static void depends_on_transports(void)
{
	uint64_t shared, pumped;

	OK(choose("ring", 2, 1, 0, NULL) == PLAIT_OK);
	shared = slot_bytes;
	OK(part.depth > 2);
	OK(choose("ring", 2, 1, PUMPED, NULL) == PLAIT_OK);
	pumped = slot_bytes;
	IS_UINT(part.depth, 2);
	OK(pumped > shared);
	OK(choose("ring", 2, 1, FAR_PUMP, NULL) == PLAIT_OK);
	IS_UINT(slot_bytes, shared);
	OK(choose("ring", 2, 1, FAR_PUMP | MANY_MACHINES, NULL) == PLAIT_OK);
	IS_UINT(slot_bytes, pumped);
}

static const struct tap_scenario all[] = {
	{ "memory", bounds_memory },
	{ "messages", has_room_for_messages },
	{ "transports", depends_on_transports },
};

TAP_MAIN(all)
