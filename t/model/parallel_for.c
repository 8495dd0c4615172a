/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops under every interleaving: each part is done once, by the
 * caller or by a helper that came in time, and no helper is inside when the
 * call returns.  parallel_for.c as it is; lanes are a counter of calls.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "pool/lane.h"
#include "pool/pool.h"
#include "pool/parallel_for.h"
#include "sys/eventcount.h"
#include "sys/thread.h"

#include <string.h>

enum { CALLERS_MAX = 2, PARTS = 2, JOBS = 2, ARENA_BYTES = 1 << 14 };

/* The lane of one place: calls that have not begun. */
struct plait__lane {
	at_u32 calls;
	plait_work work;
};

static plait_allocator allocator;
static plait__parallel_for *team;
static plait__lane lane;
static uint32_t callers;
static int32_t failing;				/* a part, or -1 */
static uint32_t payload[CALLERS_MAX];		/* the number of the job */
static uint32_t results[CALLERS_MAX][PARTS];	/* the job that did it last */
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
	return 1;
}

plait_status plait__lane_create(plait__pool *pool,
				const plait_queue_request *request,
				plait__lane **out, plait_error *error)
{
	(void)pool;
	(void)request;
	(void)error;
	*out = &lane;
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
	MC_CHECK(to == &lane && count == 1 && submissions->work_count == 1);
	to->work = submissions->work[0];
	/* As many as are submitted are run; a lane has its own order. */
	at_add_u32(&to->calls, 1);
	stir();
	return PLAIT_OK;
}

/* --- the threads */

static int32_t do_part(void *data, uint64_t number)
{
	uint32_t caller = *(const uint32_t *)data;
	uint32_t job = AT_PLAIN_READ(payload[caller]);

	MC_CHECK(number < PARTS);
	MC_CHECK(AT_PLAIN_READ(results[caller][number]) < job);
	AT_PLAIN_WRITE(results[caller][number]) = job;
	return (int32_t)number == failing ? 42 : 0;
}

static void call(uint32_t self)
{
	int32_t result;

	for (uint32_t job = 1; job <= JOBS; job++) {
		/* No thread is inside of the job before. */
		AT_PLAIN_WRITE(payload[self]) = job;
		result = plait__parallel_for_run(team, do_part, &self, sizeof(self),
						 PARTS);
		MC_CHECK(result == (failing >= 0 ? 42 : 0));
		for (uint32_t i = 0; failing < 0 && i < PARTS; i++)
			MC_CHECK(AT_PLAIN_READ(results[self][i]) == job);
	}
	at_add_u32(&ended, 1);
	stir();
}

/* The one worker: the lane's calls, until there are no more. */
static void work(void)
{
	uint32_t pending;
	uint32_t key;
	bool all;

	for (;;) {
		key = at_load_acquire_u32(&offers);
		all = at_load_acquire_u32(&ended) == callers;
		pending = at_load_acquire_u32(&lane.calls);
		if (pending != 0) {
			at_sub_u32(&lane.calls, 1);
			MC_CHECK(lane.work.function(lane.work.user_data) == 0);
		} else if (all) {
			return;
		} else {
			at_futex_wait(&offers, key, UINT64_MAX);
		}
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

static void begin_with(uint32_t count, int32_t fails)
{
	callers = count;
	failing = fails;
	arena_used = 0;
	memset(arena, 0, sizeof(arena));
	memset(&plait__thread_own_guards, 0, sizeof(plait__thread_own_guards));
	allocator = (plait_allocator){ sizeof(allocator), 0, resize, NULL };
	memset(&lane.work, 0, sizeof(lane.work));
	at_init_u32(&lane.calls, 0);
	at_init_u32(&offers, 0);
	at_init_u32(&ended, 0);
	for (uint32_t i = 0; i < CALLERS_MAX; i++) {
		AT_PLAIN_WRITE(payload[i]) = 0;
		for (uint32_t part = 0; part < PARTS; part++)
			AT_PLAIN_WRITE(results[i][part]) = 0;
	}
	MC_CHECK(plait__parallel_for_create(NULL, &allocator, &team, NULL) ==
		 PLAIT_OK);
}

static void begin_one(void)
{
	begin_with(1, -1);
}

static void begin_failing(void)
{
	begin_with(1, 0);
}

static void begin_two(void)
{
	begin_with(2, -1);
}

static void end(void)
{
	MC_CHECK(at_load_relaxed_u32(&lane.calls) == 0);
	MC_CHECK(plait__parallel_for_size(team) == 2);
}

#define TEAM(id, text, begin, threads, pre, stale)                            \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 3000 }

TEAM(one, "parts, one caller", begin_one, 2, 3, 1);
TEAM(fails, "parts that fail", begin_failing, 2, 3, 1);
TEAM(two, "parts, two callers for one helper", begin_two, 3, 2, 1);

static const struct mc_scenario *const scenarios[] = { &one, &two, &fails };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "pool/parallel_for.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "parts", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
