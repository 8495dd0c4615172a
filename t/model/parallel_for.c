/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops under every interleaving: each part is done once, by the
 * caller, by a helper that came in time, or by one that stayed, and no helper is
 * inside when the call returns.  parallel_for.c, loop_helper.c and loop_job.c as
 * they are; lanes are a counter of calls.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "pool/lane.h"
#include "pool/pool.h"
#include "pool/parallel_for.h"
#include "sys/clock.h"
#include "sys/eventcount.h"
#include "sys/thread.h"

#include <string.h>

enum {
	CALLERS_MAX = 2,
	SLOTS_MAX = 2,
	PARTS_MAX = 3,
	JOBS = 2,
	ARENA_BYTES = 1 << 14
};

/* The lane of one place: calls that have not begun. */
struct plait__lane {
	at_u32 calls;
	plait_work work;
};

static plait_allocator allocator;
static plait__parallel_for *team;
static plait__lane lanes[SLOTS_MAX];
static uint32_t slots, lanes_made;
static uint32_t callers;
static int32_t failing;				/* a part, or -1 */
static uint32_t payload[CALLERS_MAX];		/* the number of the job */
static uint32_t parts;
static uint32_t results[CALLERS_MAX][PARTS_MAX]; /* the job that did it last */
static uint64_t now_ns, step_ns;		/* between two looks at the clock */
static at_u32 offers;
static at_u32 ended;

/* --- the other functions that the source is linked with */

static _Alignas(64) char arena[ARENA_BYTES];
static uint32_t arena_used;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *block = arena + arena_used;

	(void)user_data;
	(void)pointer;
	(void)old_bytes;
	if (new_bytes == 0)
		return NULL;
	arena_used += (uint32_t)(new_bytes + 63) / 64 * 64;
	MC_CHECK(arena_used <= ARENA_BYTES);
	return block;
}

PLAIT__THREAD_LOCAL struct plait__thread_guard_stack plait__thread_own_guards;

int plait__thread_arm(struct plait__thread_guard_stack *self)
{
	(void)self;
	return 0;
}

uint32_t plait__pool_worker_count(const plait__pool *pool)
{
	(void)pool;
	return slots;
}

uint32_t plait__pool_processor_count(const plait__pool *pool)
{
	(void)pool;
	return slots + 1;
}

bool plait__pool_has_ready_items(const plait__pool *pool)
{
	(void)pool;
	return false;
}

/* As in pool_internal.h, whose lanes are not these. */
void plait__affinity_migrate(plait__pool *pool);

void plait__affinity_migrate(plait__pool *pool)
{
	(void)pool;
}

uint64_t plait__clock_now_ns(void)
{
	return now_ns += step_ns;
}

plait_status plait__lane_create(plait__pool *pool,
				const plait_queue_request *request,
				plait__lane **out, plait_error *error)
{
	(void)pool;
	(void)request;
	(void)error;
	*out = &lanes[lanes_made++];
	return PLAIT_OK;
}

void plait__lane_destroy(plait__lane *of)
{
	(void)of;
}

plait_status plait__lane_recover(plait__lane *of, plait_error *error)
{
	(void)of;
	(void)error;
	return PLAIT_OK;
}

static void stir(void)
{
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

plait_status plait__lane_submit(plait__lane *to,
				const plait_submission *submissions,
				uint32_t count, plait_error *error)
{
	(void)error;
	MC_CHECK(count == 1 && submissions->work_count == 1);
	to->work = submissions->work[0];
	/* As many as are submitted are run; a lane has its own order. */
	at_add_u32(&to->calls, 1);
	stir();
	return PLAIT_OK;
}

/* --- the threads */

static int32_t do_part(void *data, uint64_t begin, uint64_t end)
{
	uint32_t caller = *(const uint32_t *)data;
	uint32_t job = AT_PLAIN_READ(payload[caller]);
	int32_t result = 0;

	MC_CHECK(begin < end);
	MC_CHECK(end <= (failing >= 0 && job > 1 ? parts - 1 : parts));
	for (; begin < end; begin++) {
		MC_CHECK(AT_PLAIN_READ(results[caller][begin]) < job);
		AT_PLAIN_WRITE(results[caller][begin]) = job;
		if ((int32_t)begin == failing && job == 1)
			result = 42;
	}
	return result;
}

static void call(uint32_t self)
{
	uint64_t duration_ns;
	int32_t result;

	for (uint32_t job = 1; job <= JOBS; job++) {
		bool fails = failing >= 0 && job == 1;
		/* Fewer: what a failed job left behind would be too many. */
		uint32_t count = failing >= 0 && job > 1 ? parts - 1 : parts;

		/* No thread is inside of the job before. */
		AT_PLAIN_WRITE(payload[self]) = job;
		duration_ns = 1000000000;
		result = plait__parallel_for_run(team, do_part, &self,
						 sizeof(self), count,
						 &duration_ns);
		MC_CHECK(result == (fails ? 42 : 0));
		for (uint32_t i = 0; !fails && i < count; i++)
			MC_CHECK(AT_PLAIN_READ(results[self][i]) == job);
	}
	at_add_u32(&ended, 1);
	stir();
}

static bool serve(plait__lane *lane)
{
	if (at_load_acquire_u32(&lane->calls) == 0)
		return false;
	at_sub_u32(&lane->calls, 1);
	MC_CHECK(lane->work.function(lane->work.user_data) == 0);
	return true;
}

/* The one worker: the lanes' calls, until there are no more. */
static void work(void)
{
	uint32_t key;
	bool all;

	for (;;) {
		key = at_load_acquire_u32(&offers);
		all = at_load_acquire_u32(&ended) == callers;
		if (serve(&lanes[0]) || (slots > 1 && serve(&lanes[1])))
			continue;
		if (all)
			return;
		at_futex_wait(&offers, key, UINT64_MAX);
	}
}

static void run(uint32_t self)
{
	if (self < callers)
		call(self);
	else
		work();
}

/* --- scenarios */

static void begin_with(uint32_t count, int32_t fails, uint32_t pieces,
		       uint64_t step)
{
	callers = count;
	failing = fails;
	parts = pieces;
	now_ns = step == 0 ? 0 : 1000000000;
	step_ns = step;
	arena_used = 0;
	memset(arena, 0, sizeof(arena));
	memset(&plait__thread_own_guards, 0, sizeof(plait__thread_own_guards));
	allocator = (plait_allocator){ sizeof(allocator), 0, resize, NULL };
	slots = fails >= 0 ? 2 : 1;
	lanes_made = 0;
	for (uint32_t i = 0; i < SLOTS_MAX; i++) {
		memset(&lanes[i].work, 0, sizeof(lanes[i].work));
		at_init_u32(&lanes[i].calls, 0);
	}
	at_init_u32(&offers, 0);
	at_init_u32(&ended, 0);
	for (uint32_t i = 0; i < CALLERS_MAX; i++) {
		AT_PLAIN_WRITE(payload[i]) = 0;
		for (uint32_t part = 0; part < PARTS_MAX; part++)
			AT_PLAIN_WRITE(results[i][part]) = 0;
	}
	MC_CHECK(plait__parallel_for_create(NULL, &allocator, &team, NULL) ==
		 PLAIT_OK);
}

/* Loops that follow each other closely: the helper stays. */
static void begin_one(void)
{
	begin_with(1, -1, 2, 0);
}

static void begin_apart(void)
{
	begin_with(1, -1, 2, 1000000000);
}

static void begin_failing(void)
{
	begin_with(1, 0, 3, 0);
}

static void begin_thief(void)
{
	begin_with(1, -1, 3, 0);
}

static void begin_two(void)
{
	begin_with(2, -1, 2, 0);
}

static void begin_two_apart(void)
{
	begin_with(2, -1, 2, 1000000000);
}

static void end(void)
{
	for (uint32_t i = 0; i < slots; i++)
		MC_CHECK(at_load_relaxed_u32(&lanes[i].calls) == 0);
	MC_CHECK(plait__parallel_for_size(team) == slots + 1);
}

#define TEAM(id, text, begin, threads, pre, stale)                            \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 3000 }

TEAM(one, "parts, one caller, a helper that stays", begin_one, 2, 3, 1);
TEAM(apart, "parts, one caller, loops apart", begin_apart, 2, 3, 1);
TEAM(thief, "parts, stolen", begin_thief, 2, 3, 1);
TEAM(fails, "parts that fail", begin_failing, 2, 3, 1);
TEAM(two, "parts, two callers for one helper that stays", begin_two, 3, 2, 1);
TEAM(two_apart, "parts, two callers, loops apart", begin_two_apart, 3, 2, 1);

static const struct mc_scenario *const scenarios[] = {
	&one, &apart, &thief, &two, &two_apart, &fails
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "pool/parallel_for.c",
					     "pool/loop_helper.c",
					     "pool/loop_job.c",
					     "pool/loop_share.h", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "parts", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
