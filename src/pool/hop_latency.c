/* SPDX-License-Identifier: MIT */
/*
 * Ping-pong with a worker. No worker is guaranteed to come: the words of both
 * sides live in the pool, and the caller waits for a bounded time. The caller
 * then claims the task back; if a worker has claimed it, that worker clears
 * `in_use`.
 */
#include "pool/hop_latency.h"

#include "pool/pool_internal.h"

#include "sys/clock.h"

enum {
	ROUNDS = 16,
	BLOCKS = 8,
	MAX_FAILED_TRIES = 4,
	/* Polls between two clock reads. */
	POLLS_PER_CLOCK_READ = 32,
	ARRIVAL_TIMEOUT_NS = 100000,
	MEASURE_TIMEOUT_NS = 200000,
	/* How long a measurement is valid, and the weight (1 /
	 * SLOWER_WEIGHT) of a new one that is slower. */
	VALID_NS = 1000000000,
	SLOWER_WEIGHT = 4,
	/* Above this, both threads shared one processor: not a latency. */
	MAX_LATENCY_NS = 1000
};

#define STOP UINT32_MAX

static struct plait__hop_latency *latency_of(plait__task *task)
{
	return (struct plait__hop_latency *)(void *)task;
}

static void finish_task(plait__task *task)
{
	plait__task_set_idle(task);
	/* Release: the next caller sees that the task is idle. */
	at_store_release_u32(&latency_of(task)->in_use, 0);
}

/* The worker's side. */
static bool answer_pings(plait__task *task)
{
	struct plait__hop_latency *latency = latency_of(task);
	uint32_t seen = 0, polls = 0, now;

	while ((now = at_load_acquire_u32(&latency->ping)) != STOP) {
		if (now != seen) {
			seen = now;
			at_store_release_u32(&latency->pong, seen);
			polls = 0;
		} else if (++polls % POLLS_PER_CLOCK_READ == 0) {
			plait__thread_yield();
		}
	}
	finish_task(task);
	return false;
}

/* Returns false at the deadline. */
static bool await_pong(const struct plait__hop_latency *latency, uint32_t round,
		       uint64_t deadline_ns)
{
	uint32_t polls = 0;

	while (at_load_acquire_u32(&latency->pong) != round) {
		if (++polls % POLLS_PER_CLOCK_READ != 0)
			continue;
		if (plait__clock_now_ns() >= deadline_ns)
			return false;
		/* The worker may need the processor of this thread. */
		plait__thread_yield();
	}
	return true;
}

/* Returns the one-way time of the fastest block; 0: no block was completed. */
static uint64_t measure_rounds(struct plait__hop_latency *latency)
{
	uint64_t deadline_ns = plait__clock_deadline(MEASURE_TIMEOUT_NS);
	uint64_t best = 0, start_ns, ns;
	uint32_t round = 1;

	for (uint32_t block = 0; block < BLOCKS; block++) {
		start_ns = plait__clock_now_ns();
		for (uint32_t i = 0; i < ROUNDS; i++) {
			at_store_release_u32(&latency->ping, ++round);
			if (!await_pong(latency, round, deadline_ns))
				return best;
		}
		ns = (plait__clock_now_ns() - start_ns) / (2 * ROUNDS) + 1;
		best = best == 0 || ns < best ? ns : best;
	}
	return best;
}

/* Caller has set `in_use`. */
static uint64_t measure(plait__pool *pool)
{
	struct plait__hop_latency *latency = &pool->latency;
	uint64_t ns = 0;

	at_store_relaxed_u32(&latency->pong, 0);
	/* Relaxed: published with the offer. */
	at_store_relaxed_u32(&latency->ping, 1);
	plait__task_offer(&latency->task);
	if (await_pong(latency, 1, plait__clock_deadline(ARRIVAL_TIMEOUT_NS)))
		ns = measure_rounds(latency);
	at_store_release_u32(&latency->ping, STOP);
	if (plait__ready_claim(&latency->task.ready))
		finish_task(&latency->task);
	return ns;
}

void plait__hop_latency_init(struct plait__hop_latency *latency,
			     plait__pool *pool)
{
	plait__task_init(&latency->task, pool);
	latency->task.run = answer_pings;
	latency->task.lost = finish_task;
	latency->measure = measure;
}

uint64_t plait__hop_latency_known_ns(const plait__pool *pool)
{
	uint64_t ns = at_load_relaxed_u64(&pool->latency.ns);

	return ns != 0 ? ns : PLAIT__HOP_LATENCY_DEFAULT_NS;
}

/* Store a result; 0: none. Another thread may do so at the same time: one of
 * the two results is then lost. */
static void store_result(struct plait__hop_latency *latency, uint64_t ns)
{
	uint64_t old = at_load_relaxed_u64(&latency->ns);
	bool good = ns != 0 && ns <= MAX_LATENCY_NS;

	if (good && old != 0 && ns > old)
		ns = old + (ns - old + SLOWER_WEIGHT - 1) / SLOWER_WEIGHT;
	if (good)
		at_store_relaxed_u64(&latency->ns, ns);
	if (!good && old == 0 &&
	    at_add_u32(&latency->failed_tries, 1) + 1 < MAX_FAILED_TRIES)
		return;
	at_store_relaxed_u64(&latency->due_ns, plait__clock_deadline(VALID_NS));
}

static bool is_due(plait__pool *pool)
{
	const struct plait__hop_latency *latency = &pool->latency;

	/* Inside a callback the caller may be the only worker. */
	return pool->worker_count != 0 && !plait__callback_scope_is_active() &&
	       plait__clock_now_ns() >= at_load_relaxed_u64(&latency->due_ns) &&
	       (at_load_relaxed_u64(&latency->ns) == 0 ||
		plait__ready_is_idle(&pool->ready));
}

uint64_t plait__hop_latency_ns(plait__pool *pool)
{
	struct plait__hop_latency *latency = &pool->latency;

	if (is_due(pool) && at_exchange_u32(&latency->in_use, 1) == 0)
		store_result(latency, latency->measure(pool));
	return plait__hop_latency_known_ns(pool);
}
