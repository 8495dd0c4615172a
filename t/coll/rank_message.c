/* SPDX-License-Identifier: MIT */
/*
 * Messages of step machines: stamps and counters, bytes in heads; all ranks in one
 * thread, in random order.  The protocols compute the same; memory of slots has any
 * content at first; a receiver believes nothing but what its peer has sent.
 */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/machines.h"

enum { SIZES = 9, CALLS = 24 };

/* Elements of 8 bytes; messages around the room of a head, and above. */
static const uint64_t sizes[SIZES] = { 0, 1, 2, 3, 4, 7, 12, 96, 1024 };

static uint64_t seed;

static uint64_t next_random(void)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	return interpret_mix(seed);
}

static plait__schedule *compile(const char *name, uint32_t kind,
				uint32_t ranks, uint32_t protocol)
{
	const plait__chunk_request how = {
		.kind = kind, .rank_count = ranks,
		.flags = kind == PLAIT__COLL_ALLREDUCE,
	};
	const plait__compile_request way = { .instances = 1, .depth = 2,
					     .protocol = protocol };
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;

	if (plait__known_make(plait__alloc_default(), name, &how, &program,
			      NULL) != PLAIT_OK)
		return NULL;
	OK(plait__compile_program(plait__alloc_default(), program, &way,
				  &schedule, NULL) == PLAIT_OK);
	plait__chunk_program_free(program);
	return schedule;
}

/* Fill the slots with heads that have the stamps of their first messages, of call 1,
 * or with other bytes. */
static void spoil(struct machines *at)
{
	for (uint32_t i = 0; i < at->link_count; i++)
		for (uint32_t k = 0; k < at->depth; k++) {
			unsigned char *slot = at->links[i].slots +
					      k * (at->slot_bytes + 64);
			plait_link_slot head = {
				.words = { 1, 1, (k + UINT64_C(1)) << 32 }
			};

			memset(slot, (int)next_random() & 0xff,
			       at->slot_bytes + 64);
			if (next_random() % 2 == 0)
				memcpy(slot, &head, sizeof(head));
		}
}

/* Advance ranks in random order, until all have ended or none moves. */
static bool run(struct machines *at)
{
	bool over[MACHINES_RANKS] = { false };
	uint32_t idle = 0, ended = 0;

	while (idle < 16 * at->ranks && ended < at->ranks) {
		uint32_t rank = (uint32_t)(next_random() % at->ranks);
		plait_status status;
		bool moved = false;

		if (!over[rank]) {
			status = plait__rank_machine_advance(
				&at->machines[rank], &moved);
			over[rank] = status == PLAIT_OK;
			ended += over[rank];
		}
		idle = moved ? 0 : idle + 1;
	}
	return ended == at->ranks;
}

/* ---- all protocols ---- */

static bool computes(const plait__schedule *schedule, uint64_t count)
{
	struct machines at;
	bool good = machines_make(&at, schedule, 2, 4096);

	spoil(&at);
	for (uint32_t i = 0; i < CALLS && good; i++) {
		machines_begin(&at, i + 1, count);
		good = run(&at) && machines_are_right(&at, count);
		machines_end(&at);
	}
	machines_free(&at);
	return good;
}

static void check(const char *name, uint32_t kind, uint32_t ranks)
{
	for (uint32_t protocol = 0; protocol <= PLAIT__PROTOCOL_LL128;
	     protocol++) {
		plait__schedule *schedule = compile(name, kind, ranks,
						    protocol);

		for (uint32_t i = 0; i < SIZES && schedule != NULL; i++)
			if (!computes(schedule, sizes[i]))
				OK_THAT(false, "%s kind %u ranks %u protocol "
					"%u count %llu", name, kind, ranks,
					protocol, (unsigned long long)sizes[i]);
		plait__schedule_free(schedule);
	}
}

static void computes_with_each_protocol(void)
{
	unsigned failed = tap_failed();

	seed = tap_seed();
	for (uint32_t i = 0; plait__known_name(i) != NULL; i++)
		for (uint32_t kind = 0; kind <= PLAIT__COLL_ALLTONEXT; kind++)
			for (uint32_t ranks = 2; ranks <= 4; ranks++)
				if (plait__known_has(i, kind))
					check(plait__known_name(i), kind,
					      ranks);
	OK(tap_failed() == failed);
}

/* ---- what a receiver looks at ---- */

/* Two ranks exchange `count` elements; the counters of messages stand still behind
 * call `last`. */
static uint32_t calls_without_counters(uint32_t protocol, uint64_t count,
				       uint32_t last)
{
	plait__schedule *schedule = compile("onestep", PLAIT__COLL_ALLREDUCE, 2,
					    protocol);
	struct machines at;
	at_u64 still[2];
	uint32_t good = 0;

	OK(machines_make(&at, schedule, 2, 8192));
	for (uint32_t i = 0; i < CALLS; i++) {
		if (i == last)
			for (uint32_t k = 0; k < 2; k++) {
				plait__slot_link *link =
					&at.machines[k].links[0];

				link += ((plait__rank_link *)plait__vector_at(
					&at.programs[k].links, 0))->receives ?
					0 : 1;
				at_init_u64(&still[k], link->own);
				link->ready = &still[k];
			}
		machines_begin(&at, i + 1, count);
		good += run(&at) && machines_are_right(&at, count);
		machines_end(&at);
	}
	machines_free(&at);
	plait__schedule_free(schedule);
	return good;
}

static void waits_for_stamps(void)
{
	seed = tap_seed();
	for (uint32_t i = 1; i < SIZES; i++) {
		/* Each of two slots has had a message behind two calls. */
		IS_UINT(calls_without_counters(PLAIT__PROTOCOL_AUTO, sizes[i],
					       2), CALLS);
		IS_UINT(calls_without_counters(PLAIT__PROTOCOL_LL, sizes[i],
					       2), CALLS);
		IS_UINT(calls_without_counters(PLAIT__PROTOCOL_AUTO, sizes[i],
					       1), 1);
		IS_UINT(calls_without_counters(PLAIT__PROTOCOL_SIMPLE, sizes[i],
					       2), 2);
	}
}

/* ---- bytes in heads ---- */

/* Rank 0 sends `count` elements; returns the slot. */
static plait_link_slot *send_one(struct machines *at,
				 plait__schedule *schedule, uint64_t count)
{
	bool moved;

	OK(machines_make(at, schedule, 2, 4096));
	spoil(at);
	machines_begin(at, 1, count);
	IS_INT(plait__rank_machine_advance(&at->machines[0], &moved),
	       PLAIT_PENDING);
	return (plait_link_slot *)(void *)
		machines_find(at, 0, 1, 0)->slots;
}

static void has_the_smallest_bytes_in_the_head(void)
{
	static const uint32_t protocols[] = { PLAIT__PROTOCOL_AUTO,
					      PLAIT__PROTOCOL_SIMPLE };
	const plait_link_slot *slot;
	struct machines at;

	seed = tap_seed();
	for (uint32_t i = 0; i < 2; i++)
		for (uint64_t count = 1; count < 6; count++) {
			plait__schedule *schedule = compile(
				"onestep", PLAIT__COLL_ALLREDUCE, 2,
				protocols[i]);

			slot = send_one(&at, schedule, count);
			IS_UINT(slot->bytes, 8 * count);
			OK((memcmp(&slot->words[3], at.memory[0][1],
				   8 * (count < 3 ? count : 3)) == 0) ==
			   (i == 0 && count <= 3));
			OK((memcmp(slot + 1, at.memory[0][1], 8 * count) ==
			    0) == (i == 1 || count > 3));
			IS_UINT(slot->words[6], 0);
			machines_end(&at);
			machines_free(&at);
			plait__schedule_free(schedule);
		}
}

/* A message of another size than the step's is found in its head. */
static void refuses_other_bytes(void)
{
	for (uint64_t count = 1; count < 6; count++) {
		plait__schedule *schedule = compile(
			"onestep", PLAIT__COLL_ALLREDUCE, 2,
			PLAIT__PROTOCOL_AUTO);
		struct machines at;
		plait_link_slot *slot = send_one(&at, schedule, count);
		bool moved;

		slot->bytes = next_random() % 2 == 0 ? 0 : UINT64_MAX;
		IS_INT(plait__rank_machine_advance(&at.machines[1], &moved),
		       PLAIT_E_INTERNAL);
		HAS_STR(at.errors[1].text, "a message of rank 0 has");
		machines_end(&at);
		machines_free(&at);
		plait__schedule_free(schedule);
	}
}

static const struct tap_scenario all[] = {
	{ "each protocol", computes_with_each_protocol },
	{ "stamps", waits_for_stamps },
	{ "bytes in heads", has_the_smallest_bytes_in_the_head },
	{ "other bytes", refuses_other_bytes },
};

TAP_MAIN(all)
