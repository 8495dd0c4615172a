/* SPDX-License-Identifier: MIT */
/* Known algorithms: each for all its collectives, compiled in many ways and run
 * by the interpreter. */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/schedule/schedule_bytes.h"
#include "base/alloc.h"
#include "coll/interpret.h"

/* Hash of all schedules of compiles_all(), the same for every compiler and
 * machine; it changes with the passes. */
#define BYTES "2a0218c01b489080fdb60a0e02b01f2b"

static uint64_t compiled, seed;
static plait__hash bytes;

static void add_bytes(const plait__schedule *schedule)
{
	unsigned char one[PLAIT__HASH_BYTES];

	plait__schedule_bytes_hash(schedule, one);
	plait__hash_add(&bytes, one, sizeof(one));
}

static plait__schedule *compile(const char *name,
				const plait__chunk_request *request,
				const plait__compile_request *how,
				plait_error *error)
{
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;

	if (plait__known_make(plait__alloc_default(), name, request, &program,
			      error) != PLAIT_OK)
		return NULL;
	if (plait__compile_program(plait__alloc_default(), program, how,
				   &schedule, error) != PLAIT_OK)
		schedule = NULL;
	plait__chunk_program_free(program);
	return schedule;
}

static bool needs_power(const char *name, const plait__chunk_request *request)
{
	return strcmp(name, "halving") == 0 &&
	       request->kind != PLAIT__COLL_ALLREDUCE &&
	       (request->rank_count & (request->rank_count - 1)) != 0;
}

static void check(const char *name, const plait__chunk_request *request,
		  const plait__compile_request *how, uint32_t times)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule = compile(name, request, how, &error);
	const char *why;

	if (schedule == NULL) {
		OK_THAT(needs_power(name, request), "%s kind %u ranks %u "
			"share %u flags %u instances %u: %s", name,
			request->kind, request->rank_count, request->share,
			request->flags, how->instances, error.text);
		return;
	}
	add_bytes(schedule);
	why = interpret(schedule, seed + compiled++, times);
	if (*why != 0)
		OK_THAT(false, "%s kind %u ranks %u root %u share %u flags %u "
			"instances %u depth %u: %s", name, request->kind,
			request->rank_count, request->root, request->share,
			request->flags, how->instances, how->depth, why);
	plait__schedule_free(schedule);
}

static void check_ways(const char *name, plait__chunk_request *request)
{
	static const plait__compile_request ways[] = {
		{ .protocol = PLAIT__PROTOCOL_SIMPLE },
		{ .protocol = PLAIT__PROTOCOL_LL },
		{ .instances = 2 },
		{ .instances = 3, .depth = 1 },
		{ .flags = PLAIT__COMPILE_NO_FUSION, .lanes = 1 },
		{ .flags = PLAIT__COMPILE_AGGREGATE },
	};

	for (uint32_t in_place = 0; in_place < 2; in_place++)
		for (size_t i = 0; i < TAP_COUNT(ways); i++) {
			request->flags = in_place;
			check(name, request, &ways[i],
			      request->rank_count < 6 ? 3 : 1);
		}
}

static void check_sizes(uint32_t number, uint32_t kind, uint32_t ranks)
{
	const char *name = plait__known_name(number);
	plait__chunk_request request = { .kind = kind, .rank_count = ranks };

	for (uint32_t share = 0; share < 4; share++) {
		request.share = share == 3 ? 5 : share;
		request.root = share % ranks;
		if (ranks < 10 || share < 1)
			check_ways(name, &request);
	}
}

static void compiles_all(void)
{
	unsigned failed = tap_failed();
	char text[PLAIT__HASH_TEXT_BYTES];

	seed = tap_seed();
	plait__hash_init(&bytes);
	for (uint32_t i = 0; plait__known_name(i) != NULL; i++)
		for (uint32_t kind = 0; kind <= PLAIT__COLL_ALLTONEXT; kind++)
			for (uint32_t ranks = 1; ranks <= 17 &&
			     plait__known_has(i, kind); ranks++)
				check_sizes(i, kind, ranks);
	OK(tap_failed() == failed);
	plait__hash_text(&bytes, text);
	IS_STR(text, BYTES);
	NOTE("%llu schedules", (unsigned long long)compiled);
}

/* Executors take at most 71 chunks a step. */
static void splits_large_counts(void)
{
	const plait__chunk_request request = { .kind = PLAIT__COLL_ALLTOALL,
					       .rank_count = 3, .share = 200 };
	const plait__compile_request how = { .target = PLAIT__TARGET_MSCCL };
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule = compile("allpairs", &request, &how, &error);
	uint32_t most = 0;

	if (!OK_THAT(schedule != NULL, "%s", error.text))
		return;
	for (uint64_t i = 0; i < schedule->step_count; i++)
		if (schedule->steps[i].count > most)
			most = schedule->steps[i].count;
	IS_UINT(most, 71);
	IS_STR(interpret(schedule, tap_seed(), 2), "");
	plait__schedule_free(schedule);
}

/* A ring of k chunks a rank fuses all that it can, at any depth. */
static void rings_need_one_slot(void)
{
	for (uint32_t k = 1; k < 9; k++)
		for (uint32_t depth = 1; depth < 4; depth++) {
			const plait__chunk_request request = {
				.kind = PLAIT__COLL_ALLREDUCE, .flags = 1,
				.rank_count = 4, .share = 4 * k,
			};
			const plait__compile_request how = { .depth = depth };
			plait__schedule *schedule = compile("ring", &request,
							    &how, NULL);

			IS_UINT(schedule->step_count, 28 * k);
			IS_UINT(schedule->lane_count, 4);
			IS_STR(interpret(schedule, 1, 3), "");
			plait__schedule_free(schedule);
		}
}

static const struct tap_scenario all[] = {
	{ "splits large counts", splits_large_counts },
	{ "rings need one slot", rings_need_one_slot },
	{ "compiles all", compiles_all },
};
TAP_MAIN(all)
