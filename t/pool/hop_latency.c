/* SPDX-License-Identifier: MIT */
/* The latency of a hop: measured for one caller and for many, with workers that
 * come in time, workers that cannot, and none; and its use by runs. */
#include "pool/hop_latency.h"

#include "base/alloc.h"
#include "pool/pool_internal.h"
#include "run/host/speedup_model.h"
#include "sys/thread.h"

#include <string.h>

#include "lib/tap.h"

enum { ASKERS = 4, ROUNDS = 5 };

static plait_error error = { .size = sizeof(error) };

static plait__pool *make_pool(uint32_t workers)
{
	plait__pool *pool = NULL;

	OK(plait__pool_create(plait__alloc_default(), workers, &pool,
			      &error) == PLAIT_OK);
	return pool;
}

static void without_workers(void)
{
	plait__pool *pool = make_pool(0);

	IS_UINT(plait__hop_latency_ns(pool), PLAIT__HOP_LATENCY_DEFAULT_NS);
	plait__pool_destroy(pool);
}

/* The machine decides whether a worker comes in time; the pool may end with a
 * late one. */
static void asked_before_the_end(void)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		plait__pool *pool = make_pool(1 + i % 3);
		uint64_t ns = 0;

		for (uint32_t k = 0; k < i; k++) {
			ns = plait__hop_latency_ns(pool);
			OK(ns > 0);
		}
		NOTE("%u ns", (unsigned)ns);
		plait__pool_destroy(pool);
	}
}

static void ask(void *arg)
{
	uint64_t *ns = arg;
	plait__pool *pool = (plait__pool *)(uintptr_t)*ns;

	*ns = plait__hop_latency_ns(pool);
}

static void asked_by_many(void)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct plait__thread threads[ASKERS];
		uint64_t answers[ASKERS];
		plait__pool *pool = make_pool(2);
		bool good = true;

		for (uint32_t k = 0; k < ASKERS; k++) {
			answers[k] = (uint64_t)(uintptr_t)pool;
			OK(plait__thread_start(&threads[k], "asker", ask,
					       &answers[k], NULL) == 0);
		}
		for (uint32_t k = 0; k < ASKERS; k++) {
			plait__thread_join(&threads[k]);
			good = good && answers[k] > 0 &&
			       answers[k] < 1000000000;
		}
		OK(good);
		plait__pool_destroy(pool);
	}
}

/* The only worker is busy: the caller does not wait for it. */
struct kept {
	plait__task task;
	at_u32 in, out;
};

static bool stay(plait__task *task)
{
	struct kept *kept = (struct kept *)(void *)task;

	at_store_release_u32(&kept->in, 1);
	while (at_load_acquire_u32(&kept->out) == 0)
		plait__thread_yield();
	plait__task_set_idle(task);
	return false;
}

static void worker_that_cannot_come(void)
{
	plait__pool *pool = make_pool(1);
	struct kept kept;

	memset(&kept, 0, sizeof(kept));
	plait__task_init(&kept.task, pool);
	kept.task.run = stay;
	plait__task_offer(&kept.task);
	while (at_load_acquire_u32(&kept.in) == 0)
		plait__thread_yield();
	for (uint32_t i = 0; i < 6; i++)
		IS_UINT(plait__hop_latency_ns(pool), PLAIT__HOP_LATENCY_DEFAULT_NS);
	at_store_release_u32(&kept.out, 1);
	plait__task_forget(&kept.task);
	plait__pool_destroy(pool);
}

/* ---- recalibration ---- */

/* The next result of the measurement, and how often it was asked for. */
static uint64_t next_ns;
static uint32_t measures;

static uint64_t say(plait__pool *pool)
{
	measures++;
	at_store_relaxed_u32(&pool->latency.in_use, 0);
	return next_ns;
}

/* Regardless of the age of the last one. */
static uint64_t measure_again(plait__pool *pool, uint64_t ns)
{
	next_ns = ns;
	measures = 0;
	at_store_relaxed_u64(&pool->latency.due_ns, 0);
	return plait__hop_latency_ns(pool);
}

static void measured_again(void)
{
	plait__pool *pool = make_pool(1);

	pool->latency.measure = say;
	IS_UINT(measure_again(pool, 900), 900);
	/* Young enough, for the next century. */
	at_store_relaxed_u64(&pool->latency.due_ns, UINT64_MAX);
	next_ns = 100;
	IS_UINT(plait__hop_latency_ns(pool), 900);
	IS_UINT(measures, 1);
	IS_UINT(measure_again(pool, 100), 100);
	IS_UINT(measures, 1);
	/* A larger result is not believed at once, but in the end. */
	IS_UINT(measure_again(pool, 500), 200);
	IS_UINT(measure_again(pool, 500), 275);
	for (uint32_t i = 0; i < 40; i++)
		(void)measure_again(pool, 500);
	IS_UINT(plait__hop_latency_known_ns(pool), 500);
	/* A failed measurement, or a result that is no hop, changes nothing. */
	IS_UINT(measure_again(pool, 0), 500);
	IS_UINT(measure_again(pool, 50000), 500);
	OK(at_load_relaxed_u64(&pool->latency.due_ns) > 0);
	plait__pool_destroy(pool);
}

/* A worker that never came is asked for a few times, and then rarely. */
static void tried_again(void)
{
	plait__pool *pool = make_pool(1);
	uint32_t before;

	pool->latency.measure = say;
	next_ns = 0;
	for (before = 0; before < 100 &&
	     at_load_relaxed_u64(&pool->latency.due_ns) == 0; before++)
		IS_UINT(plait__hop_latency_ns(pool), PLAIT__HOP_LATENCY_DEFAULT_NS);
	OK(before > 1 && before < 100);
	IS_UINT(measure_again(pool, 60), 60);
	plait__pool_destroy(pool);
}

/* ---- use of the figure ---- */

static bool saves(const plait__speedup_model *forecast, uint64_t hop_ns,
		  double wanted)
{
	double saved = plait__speedup_model_saving(forecast, 1000, hop_ns);

	return OK_THAT(saved > wanted - 1e-6 && saved < wanted + 1e-6,
		       "hop %u ns: %f", (unsigned)hop_ns, saved);
}

/* A single lane takes 1000 ns for 100 units, so a unit is 10. */
static void savings(void)
{
	const plait__speedup_model forecast = {
		.total = 100, .hops = { 0, 10, 100 }, .makespans = { 50, 60, 150 },
	};
	const plait__speedup_model nothing = { .total = 0, .hops = { 0, 1, 4 } };

	saves(&forecast, 0, 500);
	saves(&forecast, 50, 450);
	saves(&forecast, 100, 400);
	saves(&forecast, 1000, -500);
	saves(&forecast, 2000, -1500);
	saves(&nothing, 100, 0);
	OK(plait__speedup_model_saving(&forecast, 0, 10) <= 0);
}

static const struct tap_scenario all[] = {
	{ "without workers", without_workers },
	{ "asked before the pool ends", asked_before_the_end },
	{ "asked by many", asked_by_many },
	{ "a worker that cannot come", worker_that_cannot_come },
	{ "measured again", measured_again },
	{ "tried again", tried_again },
	{ "savings", savings },
};

TAP_MAIN(all)
