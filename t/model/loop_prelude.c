/* SPDX-License-Identifier: MIT */
/*
 * The end of kernels that decide the loop around them, under every
 * interleaving: src/source/loop.prelude as it is, a thread for each block of a
 * launch.  However many blocks store the word, and whichever thread stops the
 * loop meanwhile: the condition is set once in each launch, to the word's value
 * at its end; and to 0 once the loop is to stop.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_engine.h"
#include "mc_tap.h"
#include "sys/atomic.h"

enum { LAUNCHES = 2, NOT_STOPPED = 0, STOPPED = 1 };

typedef uint32_t u32;
typedef uint64_t u64;

/* ---- the few features of a device that the prelude needs ---- */

struct place {
	uint32_t x, y, z;
};

static struct place gridDim;
static const struct place threadIdx;

static at_u32 loop_word, stop;
static at_u64 arrived;
static at_u32 last_look[2]; /* behind the count: time of the last look, period */
static uint32_t condition;
static uint32_t sets;	/* of the condition, in this launch */
static at_u32 met;	/* blocks, where launches begin and end */
static at_u32 stop_word; /* the loop is to stop, for all launches that begin
			  * later */

/* Atomics of a device order nothing. */
static uint64_t relaxed_add(at_u64 *cell, uint64_t value)
{
	static struct mc_site site = {
		.file = __FILE__, .function = "relaxed_add",
		.name = "atomicAdd", .op = MC_RMW, .line = __LINE__,
		.weakened = MC_NO_ACQUIRE | MC_NO_RELEASE,
	};

	return mc_rmw(&cell->cell, sizeof(cell->cell), MC_ADD, value, &site);
}

static void cudaGraphSetConditional(uint64_t handle, uint32_t value)
{
	(void)handle;
	AT_PLAIN_WRITE(condition) = value;
	AT_PLAIN_WRITE(sets) = AT_PLAIN_READ(sets) + 1;
}

#define FUNCTION static inline __attribute__((unused))
#define PLAIT_COUNT at_u64
#define PLAIT_FLAG at_u32
#define PLAIT_LOOP \
	u64 plait_condition, at_u32 *plait_word, at_u32 *plait_stop, \
	at_u64 *plait_arrived
#define PLAIT_LOOK(pointer) at_load_relaxed_u32(pointer)
#define PLAIT_CLEAR(pointer) at_store_relaxed_u64(pointer, 0)
#define PLAIT_STORE(pointer, value) at_store_relaxed_u32(pointer, value)
#define PLAIT_LOOKED(pointer) ((void)(pointer), last_look)
#define PLAIT_READ_TIMER(into) ((into) = 0) /* stands still */
#define __threadfence() at_fence_seq_cst()
#define __syncthreads() ((void)0)
#define atomicAdd(pointer, value) relaxed_add(pointer, value)

#include "source/loop.prelude"

/* ---- launches, one behind the other ---- */

static void meet(uint32_t *times)
{
	(*times)++;
	at_add_u32(&met, 1);
	while (at_load_acquire_u32(&met) < *times * gridDim.x)
		at_spin_pause();
}

/* Some blocks store the word, or none. */
static void launch(uint32_t self, uint32_t number)
{
	if (mc_choose(2))
		at_store_relaxed_u32(&loop_word, 10 * (number + 1) + self);
	plait_decide(1, &loop_word, &stop, &arrived);
}

/* After it all blocks have left their state. */
static void look(bool stopped)
{
	uint32_t value = AT_PLAIN_READ(condition);

	MC_CHECK(AT_PLAIN_READ(sets) == 1);
	AT_PLAIN_WRITE(sets) = 0;
	MC_CHECK(value == at_load_relaxed_u32(&loop_word) ||
		 (value == 0 && at_load_relaxed_u32(&stop) != 0));
	MC_CHECK(!stopped || value == 0);
}

static void run_block(uint32_t self)
{
	uint32_t times = 0;
	bool stopped = false;

	for (uint32_t i = 0; i < LAUNCHES; i++) {
		if (self == 0)
			stopped = at_load_acquire_u32(&stop_word) != 0;
		meet(&times);
		launch(self, i);
		meet(&times);
		if (self == 0)
			look(stopped);
	}
}

/* The last thread stops the loop, if there is one more than blocks. */
static void run(uint32_t self)
{
	if (self < gridDim.x) {
		run_block(self);
		return;
	}
	at_store_relaxed_u32(&stop, STOPPED);
	at_store_release_u32(&stop_word, 1);
}

static void begin_with(uint32_t blocks)
{
	gridDim = (struct place){ blocks, 1, 1 };
	at_init_u32(&loop_word, 1);
	at_init_u32(&stop, NOT_STOPPED);
	at_init_u64(&arrived, 0);
	at_init_u32(&last_look[0], 0);
	at_init_u32(&last_look[1], 1000);
	at_init_u32(&met, 0);
	at_init_u32(&stop_word, 0);
	AT_PLAIN_WRITE(condition) = 1;
	AT_PLAIN_WRITE(sets) = 0;
}

static void begin_one(void)
{
	begin_with(1);
}

static void begin_two(void)
{
	begin_with(2);
}

static void begin_three(void)
{
	begin_with(3);
}

#define DECIDING(id, text, begin, threads, pre, stale)                        \
	static const struct mc_scenario id = { text, begin,   run, NULL,      \
					       threads, pre, stale, 0, 40000 }

DECIDING(one, "one block, and a thread that stops it", begin_one, 2, 2, 2);
DECIDING(two, "two blocks", begin_two, 2, 3, 2);
DECIDING(stopped, "two blocks, and a thread that stops them", begin_two, 3, 2,
	2);
DECIDING(three, "three blocks", begin_three, 3, 2, 1);

static const struct mc_scenario *const scenarios[] = { &one, &two, &stopped,
						       &three };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "source/loop.prelude", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "deciding", explore },
	{ "weaker orders", mutants },
};
TAP_MAIN(all)
