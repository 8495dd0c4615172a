/* SPDX-License-Identifier: MIT */
/*
 * Small messages over transports: each size around the room of a head and of cache
 * lines, with each protocol, over and over; the protocols give the same bits.  Ranks
 * that differ, or leave, when all slots have had messages.
 */
#include "lib/objects.h"
#include "world/threads.h"

enum { MOST = 8192, ROUNDS = 3, WARM = 80, PAUSES = 15 };

static struct rank ranks[THREADS_MAX];

/* Bytes of a rank's share. */
static const uint32_t sizes[] = {
	0, 1, 7, 8, 9, 16, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 72,
	73, 96, 97, 127, 128, 129, 192, 193, 1000, 2048, 4095, 4096, 4097, 8192
};

static const plait_coll_protocol protocols[] = {
	PLAIT_PROTOCOL_AUTO, PLAIT_PROTOCOL_SIMPLE, PLAIT_PROTOCOL_LL
};

enum { PROTOCOLS = 3 };

struct algorithm {
	const char *name;
	plait_coll_kind kind;
	plait_coll_flags flags;
};

static const struct algorithm algorithms[] = {
	{ "onestep", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE },
	{ "ring", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE },
	{ "allpairs", PLAIT_COLL_ALLREDUCE, PLAIT_COLL_IN_PLACE },
	{ "ring", PLAIT_COLL_ALLGATHER, 0 },
	{ "direct", PLAIT_COLL_ALLTOALL, 0 },
};

/* By rank and protocol. */
static unsigned char outputs[THREADS_MAX][PROTOCOLS][THREADS_MAX * MOST];
static unsigned char inputs[THREADS_MAX][THREADS_MAX * MOST];

static unsigned char byte_of(uint32_t rank, uint32_t round, uint32_t i)
{
	return (unsigned char)(((rank + 1) * 2654435761u + round * 40503u +
				i * 2246822519u) >> 13);
}

static plait_collective *make(struct rank *rank, const struct algorithm *how,
			      plait_coll_protocol protocol)
{
	const plait_coll_desc desc = { .size = sizeof(desc), .kind = how->kind,
				       .flags = how->flags,
				       .ranks = rank->ranks };
	const plait_compile_desc way = { .size = sizeof(way),
					 .protocol = protocol };
	plait_collective *out = NULL;
	plait_schedule *schedule = NULL;
	plait_coll *coll = NULL;

	if (rank_did(rank, plait_coll_known(rank->context, how->name, &desc,
					    &coll, &rank->error)) &&
	    rank_did(rank, plait_coll_compile(coll, &way, &schedule,
					      &rank->error)))
		rank_did(rank, plait_collective_create(rank->world, &schedule,
						       1, &out, &rank->error));
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return out;
}

/* Element i of the output of a rank. */
static unsigned char wanted(const struct rank *rank, plait_coll_kind kind,
			    uint32_t round, uint32_t bytes, uint32_t i)
{
	unsigned char sum = 0;

	if (kind == PLAIT_COLL_ALLGATHER)
		return byte_of(i / bytes, round, i % bytes);
	if (kind == PLAIT_COLL_ALLTOALL)
		return byte_of(i / bytes, round,
			       rank->rank * bytes + i % bytes);
	for (uint32_t p = 0; p < rank->ranks; p++)
		sum = (unsigned char)(sum + byte_of(p, round, i));
	return sum;
}

/* Call one collective; returns false after a failure, or if the bytes are wrong. */
static bool call(struct rank *rank, plait_collective *collective,
		 plait_coll_kind kind, uint32_t number, uint32_t round,
		 uint32_t bytes)
{
	unsigned char *in = inputs[rank->rank];
	unsigned char *out = outputs[rank->rank][number];
	bool reduces = kind == PLAIT_COLL_ALLREDUCE;
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_UINT,
		.element_bits = 8, .count = bytes,
		.input_memory = reduces ? NULL : in, .output_memory = out,
	};
	uint32_t all = reduces ? bytes : rank->ranks * bytes;

	for (uint32_t i = 0; i < rank->ranks * bytes; i++)
		(reduces ? out : in)[i] = byte_of(rank->rank, round, i);
	if (!rank_did(rank, plait_collective_call(collective, &run,
						  &rank->error)))
		return false;
	for (uint32_t i = 0; i < all; i++)
		if (out[i] != wanted(rank, kind, round, bytes, i))
			return rank_did(rank, PLAIT_E_FAILED);
	return true;
}

static void run_sizes(struct rank *rank)
{
	const struct algorithm *how = rank->arg;
	plait_collective *each[PROTOCOLS];
	bool good = true;

	for (uint32_t k = 0; k < PROTOCOLS; k++)
		good &= (each[k] = make(rank, how, protocols[k])) != NULL;
	for (uint32_t round = 0; good && round < ROUNDS; round++)
		for (uint32_t i = 0; good && i < TAP_COUNT(sizes); i++)
			for (uint32_t k = 0; good && k < PROTOCOLS; k++)
				good = call(rank, each[k], how->kind, k, round,
					    sizes[i]);
	for (uint32_t k = 0; k < PROTOCOLS; k++)
		plait_collective_release(each[k]);
}

static int rules_broken; /* atomic */

static void count_rules(void *unused, plait_log_level level, const char *line)
{
	(void)unused;
	(void)level;
	if (strstr(line, "broke a rule") == NULL)
		return;
	NOTE("%s", line);
	__atomic_fetch_add(&rules_broken, 1, __ATOMIC_RELAXED);
}

static uint32_t run_all(const struct algorithm *how, uint32_t count,
			const char *transport, const char *wrap)
{
	memset(ranks, 0, sizeof(ranks));
	for (uint32_t i = 0; i < count; i++) {
		ranks[i].arg = (void *)(uintptr_t)how;
		ranks[i].wrap = wrap;
		ranks[i].log = wrap != NULL ? count_rules : NULL;
	}
	return ranks_run(ranks, count, transport, run_sizes);
}

static void moves_each_size(void)
{
	static const char *const transports[] = { "loopback", "shm" };

	for (uint32_t i = 0; i < TAP_COUNT(algorithms); i++)
		for (uint32_t count = 2; count <= 4; count++)
			for (uint32_t k = 0; k < 2; k++)
				OK_THAT(run_all(&algorithms[i], count,
						transports[k], NULL) == count,
					"%s, kind %u, %u ranks over %s: %s",
					algorithms[i].name, algorithms[i].kind,
					count, transports[k],
					ranks[0].error.text);
}

static void moves_each_size_through_interposers(void)
{
	static const char *const wraps[] = { "check", "fault", "trace",
					     "trace,check,fault" };

	for (uint32_t i = 0; i < TAP_COUNT(wraps); i++)
		OK_THAT(run_all(&algorithms[i], 2, "shm", wraps[i]) == 2,
			"%s: %s", wraps[i], ranks[0].error.text);
	IS_INT(rules_broken, 0);
}

/* ---- failures, when slots have had messages ---- */

static plait_status statuses[THREADS_MAX][3];
static char texts[THREADS_MAX][3][PLAIT_ERROR_TEXT_BYTES];

static void try(struct rank *rank, plait_collective *collective,
		uint32_t number, uint32_t bytes, plait_element element)
{
	const plait_collective_run run = {
		.size = sizeof(run), .element = element, .element_bits = 8,
		.count = bytes, .output_memory = outputs[rank->rank][0],
	};

	statuses[rank->rank][number] = plait_collective_call(
		collective, &run, &rank->error);
	memcpy(texts[rank->rank][number], rank->error.text,
	       sizeof(rank->error.text));
}

/* Behind many calls, rank 1 has another count, so that one message is in a head
 * and one is not; then another type; then all are right. */
static void run_mismatches(struct rank *rank)
{
	plait_collective *collective = make(rank, &algorithms[0],
					    PLAIT_PROTOCOL_AUTO);
	bool good = collective != NULL;

	for (uint32_t i = 0; good && i < WARM; i++)
		good = call(rank, collective, PLAIT_COLL_ALLREDUCE, 0, i, 24);
	if (good) {
		try(rank, collective, 0, rank->rank == 1 ? 25 : 24,
		    PLAIT_ELEMENT_UINT);
		try(rank, collective, 1, 24, rank->rank == 1 ?
		    PLAIT_ELEMENT_INT : PLAIT_ELEMENT_UINT);
		(void)call(rank, collective, PLAIT_COLL_ALLREDUCE, 0, 1, 24);
		(void)call(rank, collective, PLAIT_COLL_ALLREDUCE, 0, 2, 25);
	}
	plait_collective_release(collective);
}

static void names_ranks_that_differ(void)
{
	memset(ranks, 0, sizeof(ranks));
	IS_UINT(ranks_run(ranks, 2, "shm", run_mismatches), 2);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 2; k++)
			OK_THAT((statuses[i][k] == PLAIT_E_INVALID &&
				 strstr(texts[i][k], k == 0 ? "with count" :
					"with element") != NULL) ||
				(statuses[i][k] == PLAIT_E_CANCELLED &&
				 strstr(texts[i][k], "left call") != NULL),
				"%s", texts[i][k]);
	OK(statuses[0][0] == PLAIT_E_INVALID || statuses[1][0] ==
	   PLAIT_E_INVALID);
}

/* A rank ends behind many calls; the other one waits for its stamp. */
static void run_lost(struct rank *rank)
{
	plait_collective *collective = make(rank, &algorithms[0],
					    PLAIT_PROTOCOL_AUTO);
	bool good = collective != NULL;

	for (uint32_t i = 0; good && i < WARM; i++)
		good = call(rank, collective, PLAIT_COLL_ALLREDUCE, 0, i, 8);
	if (good && rank->rank == 0)
		try(rank, collective, 0, 8, PLAIT_ELEMENT_UINT);
	plait_collective_release(collective);
}

static void names_a_rank_that_ended(void)
{
	memset(ranks, 0, sizeof(ranks));
	IS_UINT(ranks_run(ranks, 2, "shm", run_lost), 2);
	IS_INT(statuses[0][0], PLAIT_E_LOST);
	HAS_STR(texts[0][0], "rank 1");
}

/* A rank is late by more than the other one spins: that one sleeps on its bell.  A
 * wake-up that is lost costs 2 ms only; t/model/slot_link has none. */
static void run_late(struct rank *rank)
{
	plait_collective *collective = make(rank, &algorithms[0],
					    PLAIT_PROTOCOL_AUTO);
	bool good = collective != NULL;

	for (uint32_t i = 0; good && i < WARM; i++) {
		for (uint32_t k = 0; k < PAUSES && i % 8 == 7 &&
		     rank->rank == i / 8 % 2; k++)
			pause_a_little();
		good = call(rank, collective, PLAIT_COLL_ALLREDUCE, 0, i, 16);
	}
	plait_collective_release(collective);
}

static void wakes_a_rank_that_sleeps(void)
{
	memset(ranks, 0, sizeof(ranks));
	OK_THAT(ranks_run(ranks, 2, "shm", run_late) == 2, "%s",
		ranks[0].error.text);
}

static const struct tap_scenario all[] = {
	{ "each size", moves_each_size },
	{ "interposers", moves_each_size_through_interposers },
	{ "ranks that differ", names_ranks_that_differ },
	{ "a rank that ended", names_a_rank_that_ended },
	{ "a rank that sleeps", wakes_a_rank_that_sleeps },
};

TAP_MAIN(all)
