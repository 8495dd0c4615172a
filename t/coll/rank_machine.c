/* SPDX-License-Identifier: MIT */
/*
 * Step machines: all ranks in one thread, in random order, over links of depth 1
 * and more, for counts that chunks do not divide; ranks that leave a call;
 * ranks that call with something else.
 */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/machines.h"

static uint64_t seed, calls;

static uint64_t next_random(void)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	return interpret_mix(seed);
}

static plait__schedule *compile(const char *name,
				const plait__chunk_request *how,
				const plait__compile_request *way)
{
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;

	if (plait__known_make(plait__alloc_default(), name, how, &program,
			      NULL) != PLAIT_OK)
		return NULL;
	OK(plait__compile_program(plait__alloc_default(), program, way,
				  &schedule, NULL) == PLAIT_OK);
	plait__chunk_program_free(program);
	return schedule;
}

static plait_status advance(struct machines *at, uint32_t rank, bool *moved)
{
	return plait__rank_machine_advance(&at->machines[rank], moved);
}

/* Advance ranks in random order until all have ended, or none moves.  Returns the
 * number of ranks that have ended. */
static uint32_t run(struct machines *at, plait_status *statuses)
{
	uint32_t idle = 0, ended = 0;

	for (uint32_t i = 0; i < at->ranks; i++)
		statuses[i] = PLAIT_PENDING;
	while (idle < 16 * at->ranks && ended < at->ranks) {
		uint32_t rank = (uint32_t)(next_random() % at->ranks);
		bool moved = false;

		if (statuses[rank] == PLAIT_PENDING) {
			statuses[rank] = advance(at, rank, &moved);
			ended += statuses[rank] == PLAIT_OK;
		}
		idle = moved ? 0 : idle + 1;
	}
	return ended;
}

static bool computes(const plait__schedule *schedule, uint32_t depth,
		     uint64_t slot_bytes, uint64_t count)
{
	plait_status statuses[MACHINES_RANKS];
	struct machines at;
	bool good = machines_make(&at, schedule, depth, slot_bytes);

	for (uint32_t i = 0; i < 2 && good; i++) {
		machines_begin(&at, i + 1, count);
		good = run(&at, statuses) == at.ranks &&
		       machines_are_right(&at, count);
		machines_end(&at);
		calls++;
	}
	machines_free(&at);
	return good;
}

/* ---- known algorithms ---- */

/* Least power of two that is the schedule's depth or more. */
static uint32_t depth_of(const plait__schedule *schedule)
{
	uint32_t depth = 1;

	while (depth < schedule->depth)
		depth *= 2;
	return depth;
}

static void check(const char *name, const plait__chunk_request *how,
		  const plait__compile_request *way)
{
	static const uint64_t counts[] = { 0, 1, 7, 24, 100 };
	plait__schedule *schedule = compile(name, how, way);
	uint64_t slot = 64;

	if (schedule == NULL)
		return;
	for (uint64_t i = 0; i < schedule->step_count; i++)
		while (schedule->steps[i].count * 8ull > slot)
			slot += 64;
	for (uint32_t i = 0; i < 2 * TAP_COUNT(counts); i++) {
		uint32_t depth = depth_of(schedule) << i % 2;

		if (!computes(schedule, depth, slot * (1 + i % 3),
			      counts[i / 2]))
			OK_THAT(false, "%s kind %u ranks %u share %u flags %u "
				"depth %u count %llu", name, how->kind,
				how->rank_count, how->share, how->flags, depth,
				(unsigned long long)counts[i / 2]);
	}
	plait__schedule_free(schedule);
}

static void check_kind(uint32_t number, uint32_t kind)
{
	static const plait__compile_request ways[] = {
		{ .instances = 1 },
		{ .instances = 2, .flags = PLAIT__COMPILE_NO_FUSION },
		{ .instances = 1, .depth = 1 },
	};

	for (uint32_t i = 0; i < 2 * 8 * 3; i++) {
		const plait__chunk_request how = {
			.kind = kind, .flags = i % 2,
			.rank_count = 1 + i / 2 % 8, .share = i / 16,
			.root = i / 16 % (1 + i / 2 % 8),
		};

		check(plait__known_name(number), &how, &ways[i / 2 % 3]);
	}
}

static void executes_known_algorithms(void)
{
	unsigned failed = tap_failed();

	seed = tap_seed();
	for (uint32_t i = 0; plait__known_name(i) != NULL; i++)
		for (uint32_t kind = 0; kind <= PLAIT__COLL_ALLTONEXT; kind++)
			if (plait__known_has(i, kind))
				check_kind(i, kind);
	OK(tap_failed() == failed);
	NOTE("%llu calls", (unsigned long long)calls);
}

/* ---- ranks that leave, and mismatches ---- */

static plait__schedule *make_ring(uint32_t ranks)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_ALLREDUCE,
					   .flags = 1, .rank_count = ranks };
	const plait__compile_request way = { .instances = 1 };

	return compile("ring", &how, &way);
}

/* Rank 1 leaves after each number of turns; the others stop where they are, or
 * see its next call.  The next call is right. */
static void calls_again_after_a_rank_left(void)
{
	plait__schedule *schedule = make_ring(3);
	plait_status statuses[MACHINES_RANKS];
	struct machines at;
	uint32_t named = 0, good = 0;
	bool moved;

	OK(machines_make(&at, schedule, depth_of(schedule), 64));
	for (uint32_t turns = 0; turns < 60; turns++) {
		machines_begin(&at, 3 * turns + 1, 100);
		for (uint32_t i = 0; i < turns; i++)
			(void)advance(&at, i % 3, &moved);
		machines_end(&at);
		machines_begin(&at, 3 * turns + 2, 100);
		at.machines[0].call.number--;
		(void)advance(&at, 1, &moved);
		(void)advance(&at, 2, &moved);
		if (advance(&at, 0, &moved) == PLAIT_E_CANCELLED)
			named += strstr(at.errors[0].text,
					"rank 2 has left call") != NULL;
		at.machines[0].call.number++;
		machines_end(&at);
		machines_begin(&at, 3 * turns + 3, 100);
		good += run(&at, statuses) == 3 && machines_are_right(&at, 100);
		machines_end(&at);
	}
	IS_UINT(good, 60);
	OK(named > 0);
	machines_free(&at);
	plait__schedule_free(schedule);
}

static void names_ranks_that_differ(void)
{
	plait__schedule *schedule = make_ring(2);
	plait_status statuses[MACHINES_RANKS];
	struct machines at;

	OK(machines_make(&at, schedule, depth_of(schedule), 4096));
	machines_begin(&at, 1, 10);
	at.machines[1].call.count = 11;
	(void)run(&at, statuses);
	IS_INT(statuses[0], PLAIT_E_INVALID);
	HAS_STR(at.errors[0].text, "rank 1 calls the collective with count 11");
	HAS_STR(at.errors[1].text, "rank 0 calls the collective with count 10");
	machines_end(&at);
	machines_begin(&at, 2, 10);
	at.machines[0].call.type = plait__rank_message_type(
		PLAIT_ELEMENT_FLOAT, 64, PLAIT_REDUCE_MAX, 0);
	(void)run(&at, statuses);
	IS_INT(statuses[1], PLAIT_E_INVALID);
	HAS_STR(at.errors[1].text, "rank 0 calls the collective with element");
	machines_end(&at);
	machines_begin(&at, 3, 10);
	IS_UINT(run(&at, statuses), 2);
	OK(machines_are_right(&at, 10));
	machines_end(&at);
	machines_free(&at);
	plait__schedule_free(schedule);
}

/* A transport that truncates is found, not believed. */
static void refuses_messages_of_another_size(void)
{
	plait__schedule *schedule = make_ring(2);
	plait_link_slot *head;
	struct machines at;
	bool moved;

	OK(machines_make(&at, schedule, depth_of(schedule), 4096));
	machines_begin(&at, 1, 10);
	IS_INT(advance(&at, 0, &moved), PLAIT_PENDING);
	for (uint32_t i = 0; i < at.link_count; i++) {
		head = (plait_link_slot *)at.links[i].slots;
		if (at.links[i].from == 0)
			head->bytes -= 8;
	}
	IS_INT(advance(&at, 1, &moved), PLAIT_E_INTERNAL);
	HAS_STR(at.errors[1].text, "a message of rank 0 has");
	machines_end(&at);
	machines_free(&at);
	plait__schedule_free(schedule);
}

/* A rank whose peer has sent tiles sends its own between them, and first: the third
 * one, which is damaged, ends the call. */
static void lanes_take_turns(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_ALLTOALL,
					   .rank_count = 2 };
	const plait__compile_request way = { .instances = 1 };
	plait__schedule *schedule = compile("direct", &how, &way);
	enum { DEPTH = 8, SLOT = 64 };
	struct machines at;
	bool moved;

	for (uint32_t late = 0; late < 2; late++) {
		struct machines_link *in, *out;
		plait_link_slot *head;

		OK(machines_make(&at, schedule, DEPTH, SLOT));
		machines_begin(&at, 1, DEPTH * SLOT / 8);
		in = machines_find(&at, 1 - late, late, 0);
		out = machines_find(&at, late, 1 - late, 0);
		IS_INT(advance(&at, 1 - late, &moved), PLAIT_PENDING);
		IS_UINT(at_load_relaxed_u64(&in->ready), DEPTH);
		head = (plait_link_slot *)(void *)
			(in->slots + 2 * (uint64_t)(SLOT + 64));
		head->bytes -= 8;
		IS_INT(advance(&at, late, &moved), PLAIT_E_INTERNAL);
		/* Sends as far as it receives: neither all at once, nor last. */
		IS_UINT(at_load_relaxed_u64(&out->ready), 3);
		machines_end(&at);
		machines_free(&at);
	}
	plait__schedule_free(schedule);
}

static void says_what_is_missing(void)
{
	plait__schedule *schedule = make_ring(3);
	struct machines at;
	uint32_t peer = 9, lane = 0;
	bool receives = false, moved;

	OK(machines_make(&at, schedule, depth_of(schedule), 64));
	machines_begin(&at, 1, 10);
	IS_INT(advance(&at, 1, &moved), PLAIT_PENDING);
	OK(moved);
	OK(plait__rank_machine_blocked(&at.machines[1], &lane, &peer,
				       &receives));
	IS_UINT(peer, 0);
	OK(receives);
	machines_end(&at);
	machines_free(&at);
	plait__schedule_free(schedule);
}

/* ---- calls of one machine ---- */

/* Counts change from call to call; the longest chunk is several blocks of a
 * step that stores and sends. */
static void takes_another_count_each_call(void)
{
	static const uint64_t counts[] = { 100, 7, 0, 6001, 24, 24, 6001, 1 };
	static const char *const names[] = { "ring", "allpairs", "halving" };
	const plait__compile_request way = { .instances = 1 };

	seed = tap_seed();
	for (uint32_t i = 0; i < 2 * TAP_COUNT(names); i++) {
		const plait__chunk_request how = {
			.kind = PLAIT__COLL_ALLREDUCE, .flags = i % 2,
			.rank_count = 4,
		};
		plait__schedule *schedule = compile(names[i / 2], &how, &way);
		plait_status statuses[MACHINES_RANKS];
		struct machines at;

		OK(machines_make(&at, schedule, depth_of(schedule), 1 << 17));
		for (uint32_t k = 0; k < TAP_COUNT(counts); k++) {
			machines_begin(&at, k + 1, counts[k]);
			OK_THAT(run(&at, statuses) == 4 &&
				machines_are_right(&at, counts[k]),
				"%s, count %llu", names[i / 2],
				(unsigned long long)counts[k]);
			machines_end(&at);
		}
		machines_free(&at);
		plait__schedule_free(schedule);
	}
}

/* Output that is streamed: large, and apart from the input. */
static void streams_large_output(void)
{
	const plait__chunk_request how = { .kind = PLAIT__COLL_ALLTOALL,
					   .rank_count = 2 };
	const plait__compile_request way = { .instances = 1 };
	plait__schedule *schedule = compile("direct", &how, &way);
	static const uint64_t counts[] = { (1 << 19) + 3, 100 };
	plait_status statuses[MACHINES_RANKS];
	struct machines at;

	seed = tap_seed();
	OK(machines_make(&at, schedule, 2, 1 << 16));
	for (uint32_t i = 0; i < TAP_COUNT(counts); i++) {
		machines_begin(&at, i + 1, counts[i]);
		OK(at.machines[0].streams == (i == 0));
		OK(run(&at, statuses) == 2 &&
		   machines_are_right(&at, counts[i]));
		machines_end(&at);
	}
	machines_free(&at);
	plait__schedule_free(schedule);
}

/* With a pump, a lane executes at most one step in a call of advance. */
static void returns_to_pump(void)
{
	plait__schedule *schedule = make_ring(2);
	plait_status statuses[2] = { PLAIT_PENDING, PLAIT_PENDING };
	uint64_t before, most = 0;
	struct machines at;
	bool moved;

	OK(machines_make(&at, schedule, 8, 64));
	for (uint32_t i = 0; i < 2; i++)
		at.machines[i].is_pumped = true;
	machines_begin(&at, 1, 100);
	for (uint32_t i = 0; i < 1000; i++) {
		const plait__machine_lane *lane = &at.machines[i % 2].lanes[0];

		before = lane->done;
		statuses[i % 2] = advance(&at, i % 2, &moved);
		most = lane->done - before > most ? lane->done - before : most;
	}
	IS_INT(statuses[0], PLAIT_OK);
	IS_INT(statuses[1], PLAIT_OK);
	IS_UINT(most, 1);
	OK(machines_are_right(&at, 100));
	machines_end(&at);
	machines_free(&at);
	plait__schedule_free(schedule);
}

static const struct tap_scenario all[] = {
	{ "known algorithms", executes_known_algorithms },
	{ "another count", takes_another_count_each_call },
	{ "large output", streams_large_output },
	{ "a pump", returns_to_pump },
	{ "a rank leaves", calls_again_after_a_rank_left },
	{ "ranks that differ", names_ranks_that_differ },
	{ "another size", refuses_messages_of_another_size },
	{ "turns of lanes", lanes_take_turns },
	{ "what is missing", says_what_is_missing },
};

TAP_MAIN(all)
