/* SPDX-License-Identifier: MIT */
/*
 * Parking of lanes under every interleaving: the parking and the publishing
 * thread never miss each other, and a lane that another thread has run
 * meanwhile, and parked somewhere else, is not unparked.  lane_park.c as it is;
 * the pool is a word.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/host/lane_park.h"

#include <string.h>

enum { WANTED_0, COUNTER, WANTED_1, WORDS, STEPS = 2 };

static plait__program program;
static plait__context context;
static plait__lane_info lanes[2];
static plait__lane_program lane_program;
static plait__lane_set set;
static plait__lane_task tasks[2];
static at_u64 words[WORDS];
static at_u32 offers; /* advances when there is a reason to look */
static at_u32 done;
static uint32_t progress; /* of the lane that waits; its own */
static uint32_t payload[STEPS]; /* data that the other lane publishes */
static uint32_t workers;

/* --- the pool's part */

void plait__task_offer(plait__task *task)
{
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

bool plait__task_should_yield(const plait__task *task)
{
	(void)task;
	return false;
}

uint32_t plait__pool_worker_count(const plait__pool *pool)
{
	(void)pool;
	return workers;
}

/* --- the lanes */

static void begin_with(uint32_t count)
{
	uint32_t i;

	workers = count;
	memset(&set, 0, sizeof(set));
	memset(tasks, 0, sizeof(tasks));
	program.context = &context;
	lanes[0].parked_count = WANTED_0;
	lanes[1].parked_count = WANTED_1;
	lane_program.program = &program;
	lane_program.lane_count = 2;
	lane_program.lanes = lanes;
	set.compiled = &lane_program;
	set.tasks = tasks;
	set.progress = words;
	set.asymmetric_fence = true;
	for (i = 0; i < WORDS; i++)
		at_init_u64(&words[i], 0);
	for (i = 0; i < 2; i++) {
		tasks[i].set = &set;
		tasks[i].lane = i;
		at_init_u32(&tasks[i].task.ready.state, PLAIT__TASK_IDLE);
	}
	at_init_u32(&tasks[1].task.ready.state, PLAIT__TASK_OFFERED);
	at_init_u32(&offers, 0);
	at_init_u32(&done, 0);
	AT_PLAIN_WRITE(progress) = 0;
	for (i = 0; i < STEPS; i++)
		AT_PLAIN_WRITE(payload[i]) = 0;
}

static void begin(void)
{
	begin_with(0);
}

static void begin_spinning(void)
{
	begin_with(1);
}

static void begin_heavy(void)
{
	begin_with(0);
	set.asymmetric_fence = false;
}

/* Lane 0: publishes one value after the other. */
static void publish_all(void)
{
	uint32_t i;

	for (i = 1; i <= STEPS; i++) {
		AT_PLAIN_WRITE(payload[i - 1]) = i;
		at_store_release_u64(&words[COUNTER], i);
		plait__lane_park_wake(&tasks[0]);
	}
}

/* Lane 1: waits for each; the content of `step` stays true across a wait. */
static void run_lane(void)
{
	uint32_t step;

	while ((step = AT_PLAIN_READ(progress)) < STEPS) {
		const struct plait__lane_wait wanted = { .word = &words[COUNTER],
						      .value = step + 1 };

		if (!plait__lane_park_is_met(&wanted) &&
		    !plait__lane_park_until(&tasks[1], &wanted))
			return;
		MC_CHECK(AT_PLAIN_READ(progress) == step);
		MC_CHECK(AT_PLAIN_READ(payload[step]) == step + 1);
		AT_PLAIN_WRITE(progress) = step + 1;
	}
	at_store_release_u32(&done, 1);
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

static void work(void)
{
	uint32_t key;

	for (;;) {
		key = at_load_acquire_u32(&offers);
		if (at_load_acquire_u32(&done) != 0)
			return;
		if (plait__ready_claim(&tasks[1].task.ready))
			run_lane();
		else
			at_futex_wait(&offers, key, UINT64_MAX);
	}
}

static void run(uint32_t self)
{
	if (self == 0)
		publish_all();
	else
		work();
}

static void end(void)
{
	MC_CHECK(at_load_relaxed_u32(&done) == 1);
	MC_CHECK(progress == STEPS);
	MC_CHECK(set.parked == NULL);
}

#define PARK(id, text, begin, threads, pre, stale)                            \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 8000 }

PARK(park_one, "one thread has the lane", begin, 2, 4, 2);
PARK(park_two, "two threads have it in turn", begin, 3, 3, 1);
PARK(park_spin, "it spins before", begin_spinning, 2, 4, 2);
PARK(park_heavy, "without membarrier", begin_heavy, 2, 4, 2);

static const struct mc_scenario *const scenarios[] = {
	&park_one, &park_two, &park_spin, &park_heavy,
};

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "run/host/lane_park.c", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "parking", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
