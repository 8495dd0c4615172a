/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests of the explorer: it must show the outcomes of weak memory that
 * C11 allows, and no others, on the classical small programs.
 */
#include "lib/tap.h"

#include "mc.h"
#include "sys/atomic.h"

#include <string.h>

enum { RELAXED, RELEASE_ACQUIRE, FENCED };

static at_u32 x;
static at_u32 y;
static uint32_t plain;
static uint32_t seen[8];
static uint32_t outcomes; /* bit of each outcome that was observed */

static void clear(void)
{
	at_init_u32(&x, 0);
	at_init_u32(&y, 0);
	AT_PLAIN_WRITE(plain) = 0;
	memset(seen, 0, sizeof(seen));
}

static void put(at_u32 *word)
{
	if (mc_variant == RELAXED)
		at_store_relaxed_u32(word, 1);
	else
		at_store_release_u32(word, 1);
}

static uint32_t get(const at_u32 *word)
{
	if (mc_variant == RELAXED)
		return at_load_relaxed_u32(word);
	return at_load_acquire_u32(word);
}

static void fence(void)
{
	if (mc_variant == FENCED)
		at_fence_seq_cst();
}

static void store_buffering(uint32_t self)
{
	put(self == 0 ? &x : &y);
	fence();
	seen[self] = get(self == 0 ? &y : &x);
}

static void message_passing(uint32_t self)
{
	if (self == 0) {
		at_store_relaxed_u32(&x, 1);
		fence();
		put(&y);
	} else {
		seen[0] = get(&y);
		fence();
		seen[1] = at_load_relaxed_u32(&x);
	}
}

static void independent_reads(uint32_t self)
{
	if (self < 2) {
		put(self == 0 ? &x : &y);
		return;
	}
	seen[2 * self - 4] = get(self == 2 ? &x : &y);
	fence();
	seen[2 * self - 3] = get(self == 2 ? &y : &x);
}

static void coherent_reads(uint32_t self)
{
	if (self == 0) {
		at_store_relaxed_u32(&x, 1);
		at_store_relaxed_u32(&x, 2);
	} else {
		seen[0] = at_load_relaxed_u32(&x);
		seen[1] = at_load_relaxed_u32(&x);
	}
}

static void hand_over(uint32_t self)
{
	if (self == 0) {
		AT_PLAIN_WRITE(plain) = 7;
		fence();
		put(&y);
	} else if (get(&y) == 1) {
		fence();
		MC_CHECK(AT_PLAIN_READ(plain) == 7);
	}
}

/* A pending store of one thread, a read by the other, all with one fence. */
static void one_sided(uint32_t self)
{
	if (self == 0) {
		at_store_release_u32(&x, 1);
		at_fence_asymmetric();
		seen[0] = at_load_relaxed_u32(&y);
	} else {
		at_store_release_u32(&y, 1);
		if (mc_variant == FENCED)
			at_membarrier();
		seen[1] = at_load_relaxed_u32(&x);
	}
}

/* Two adders never lose one, with any memory order. */
static void adding(uint32_t self)
{
	(void)self;
	at_add_u32(&x, 1);
	at_add_u32(&x, 1);
}

static void check_sum(void)
{
	MC_CHECK(at_load_relaxed_u32(&x) == 4);
}

/* Two values of two reads, and of two more, as one bit. */
static void note_outcome(void)
{
	uint32_t at = seen[0] + 3 * seen[1];

	if (seen[2] + seen[3] != 0)
		at = seen[0] == 1 && seen[1] == 0 && seen[2] == 1 &&
				     seen[3] == 0 ?
			     30 :
			     31;
	outcomes |= 1u << at;
}

#define PAIR(a, b) (1u << ((a) + 3 * (b)))
#define DISAGREE (1u << 30)

static bool explore(const char *name, void (*run)(uint32_t),
		    void (*end)(void), uint32_t threads, uint32_t variant,
		    struct mc_result *result)
{
	struct mc_scenario scenario = { 0 };
	struct mc_options options = { 0 };

	scenario.name = name;
	scenario.begin = clear;
	scenario.run = run;
	scenario.end = end;
	scenario.threads = threads;
	scenario.preemptions = 100;
	scenario.stale = 100;
	mc_variant = variant;
	outcomes = 0;
	return mc_search(&scenario, &options, result);
}

static struct mc_result result;

static void litmus(const char *name, void (*run)(uint32_t), uint32_t threads,
		   uint32_t bit, const bool *allowed)
{
	static const char *const names[] = { "relaxed", "release/acquire",
					     "fenced" };
	uint32_t variant;

	for (variant = RELAXED; variant <= FENCED; variant++) {
		explore(name, run, note_outcome, threads, variant, &result);
		OK_THAT(result.complete && !result.failed,
			"%s %s: %d executions", name, names[variant],
			(int)result.executions);
		OK_THAT(((outcomes & bit) != 0) == allowed[variant],
			"%s %s: the weak outcome is %s", name, names[variant],
			allowed[variant] ? "seen" : "not seen");
	}
}

static void sb(void)
{
	static const bool allowed[] = { true, true, false };

	litmus("store buffering", store_buffering, 2, PAIR(0, 0), allowed);
	OK(outcomes == (PAIR(1, 0) | PAIR(0, 1) | PAIR(1, 1)));
}

static void mp(void)
{
	static const bool allowed[] = { true, false, false };

	litmus("message passing", message_passing, 2, PAIR(1, 0), allowed);
	OK(outcomes == (PAIR(0, 0) | PAIR(0, 1) | PAIR(1, 1)));
}

static void iriw(void)
{
	static const bool allowed[] = { true, true, false };

	litmus("independent reads", independent_reads, 4, DISAGREE, allowed);
}

static void corr(void)
{
	explore("coherent reads", coherent_reads, note_outcome, 2, RELAXED,
		&result);
	OK(result.complete);
	/* Every pair that does not go back, no other. */
	OK(outcomes == (PAIR(0, 0) | PAIR(0, 1) | PAIR(0, 2) | PAIR(1, 1) |
			PAIR(1, 2) | PAIR(2, 2)));
}

static void races(void)
{
	OK(!explore("relaxed hand-over", hand_over, NULL, 2, RELAXED,
		    &result));
	HAS_STR(result.reason, "race");
	OK(explore("release and acquire", hand_over, NULL, 2, RELEASE_ACQUIRE,
		   &result));
	OK(result.complete);
}

static void barrier(void)
{
	explore("no barrier", one_sided, note_outcome, 2, RELAXED, &result);
	OK(outcomes & PAIR(0, 0));
	explore("barrier", one_sided, note_outcome, 2, FENCED, &result);
	OK(result.complete);
	OK(outcomes == (PAIR(1, 0) | PAIR(0, 1) | PAIR(1, 1)));
}

static void additions(void)
{
	OK(explore("adding", adding, check_sum, 2, RELAXED, &result));
	OK(result.complete);
	IS_INT(result.executions, 6); /* 4 over 2 interleavings */
}

/* A failure is found again by its path, and says what happened. */
static void replays(void)
{
	struct mc_scenario scenario = { 0 };
	char text[4096] = "";
	FILE *trace = fmemopen(text, sizeof(text) - 1, "w");

	explore("relaxed hand-over", hand_over, NULL, 2, RELAXED, &result);
	scenario.name = "hand-over";
	scenario.begin = clear;
	scenario.run = hand_over;
	scenario.threads = 2;
	scenario.preemptions = 100;
	scenario.stale = 100;
	mc_replay(&scenario, &result, trace);
	fclose(trace);
	HAS_STR(text, "race: AT_PLAIN_READ");
	HAS_STR(text, "thread 1");
}

static void sleep_once(uint32_t self)
{
	if (self == 0) {
		while (at_load_acquire_u32(&x) == 0)
			at_futex_wait(&x, 0, UINT64_MAX);
	} else {
		at_store_release_u32(&x, 1);
		if (mc_variant == 1)
			at_futex_wake_all(&x);
	}
}

static void deadlocks(void)
{
	OK(!explore("no wake", sleep_once, NULL, 2, 0, &result));
	HAS_STR(result.reason, "deadlock: thread 0 sleeps");
	OK(explore("wake", sleep_once, NULL, 2, 1, &result));
	OK(result.complete);
}

static void use_freed(uint32_t self)
{
	static at_u32 *block;

	if (self == 0) {
		block = mc_alloc(sizeof(*block));
		at_init_u32(block, 3);
		at_store_release_u32(&x, 1);
		if (at_load_acquire_u32(&y) == 0)
			mc_free(block);
	} else if (at_load_acquire_u32(&x) == 1) {
		at_store_release_u32(&y, 1);
		at_load_acquire_u32(block);
	}
}

static void freed(void)
{
	OK(!explore("freed", use_freed, NULL, 2, 0, &result));
	HAS_STR(result.reason, "freed memory");
}

/* An equal seed draws the same executions. */
static void seeds(void)
{
	struct mc_scenario scenario = { 0 };
	struct mc_options options = { 0 };
	uint64_t first;

	scenario.name = "hand-over";
	scenario.begin = clear;
	scenario.run = hand_over;
	scenario.threads = 2;
	mc_variant = RELAXED;
	options.random = true;
	options.seed = tap_seed();
	options.executions = 10000;
	OK(!mc_search(&scenario, &options, &result));
	first = result.executions;
	OK(!mc_search(&scenario, &options, &result));
	IS_INT(result.executions, first);
}

static const struct tap_scenario all[] = {
	{ "store buffering", sb },
	{ "message passing", mp },
	{ "independent reads of independent writes", iriw },
	{ "coherent reads", corr },
	{ "races on plain fields", races },
	{ "membarrier", barrier },
	{ "read-modify-write", additions },
	{ "a failure is replayed", replays },
	{ "deadlocks", deadlocks },
	{ "freed memory", freed },
	{ "seeds", seeds },
};

TAP_MAIN(all)
