/* SPDX-License-Identifier: MIT */
/* Series of timed runs; see mode_timer.h. */
#include "run/host/mode_timer.h"

enum {
	/* Runs between the first two series; twice as many after each, up to
	 * a limit. */
	FIRST_PERIOD = 32,
	MAX_DOUBLINGS = 5,
	/* Runs before a series that has to agree with the last one. */
	DOUBT_PERIOD = 16,
	/* Times as many runs, per ratio of the modes' times. */
	PER_RATIO = 4,
	MAX_RATIO = 10000,
	/* The least time of a series' parallel runs: a wake-up takes up
	 * to 1 ms. */
	WAKE_NS = 1000000
};

void plait__mode_timer_restart(plait__mode_timer *timer)
{
	at_store_relaxed_u32(&timer->parallel, 0);
	at_store_relaxed_u32(&timer->doubted, 0);
	at_store_relaxed_u32(&timer->series, 0);
	at_store_relaxed_u32(&timer->timed, 0);
}

void plait__mode_timer_init(plait__mode_timer *timer, uint32_t threads,
			    uint64_t worth_ns)
{
	timer->threads = threads;
	timer->worth_ns = worth_ns;
	plait__mode_timer_restart(timer);
}

/* Returns true if parallel runs that take `parallel_ns` pay.  A choice of
 * parallel runs stays until they save nothing, so small differences change no
 * choice. */
static bool pays(const plait__mode_timer *timer, uint64_t serial_ns,
		 uint64_t parallel_ns)
{
	uint64_t worth_ns = plait__mode_timer_is_parallel(timer) ? 0 :
			    timer->worth_ns;

	return serial_ns > parallel_ns && serial_ns - parallel_ns > worth_ns;
}

/* Returns false for plans so small that no number of lanes saves enough. */
static bool could_pay(const plait__mode_timer *timer, uint64_t serial_ns)
{
	return pays(timer, serial_ns, serial_ns / timer->threads);
}

/* Runs until the next series: more if the other mode takes `ratio` times as
 * long, or if the series was long. */
static uint32_t next_period(plait__mode_timer *timer, uint64_t ratio)
{
	uint32_t series = at_load_relaxed_u32(&timer->series);
	uint32_t tried = at_load_relaxed_u32(&timer->tried);
	uint64_t slower = ratio < 1 ? 0 : ratio > MAX_RATIO ? MAX_RATIO :
			  ratio - 1;
	uint64_t period = ((uint64_t)FIRST_PERIOD << series) *
			  (1 + PER_RATIO * slower);

	if (series < MAX_DOUBLINGS)
		at_store_relaxed_u32(&timer->series, series + 1);
	if (tried > PLAIT__MODE_TIMER_RUNS)
		period = period * tried / PLAIT__MODE_TIMER_RUNS;
	return period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
}

static void store_choice(plait__mode_timer *timer, bool parallel,
			 uint64_t ratio)
{
	bool is_new = at_load_relaxed_u32(&timer->series) == 0 ||
		      plait__mode_timer_is_parallel(timer);
	/* Noise makes no run faster: fast parallel runs are believed at
	 * once. */
	bool waits = is_new && !parallel &&
		     at_load_relaxed_u32(&timer->doubted) == 0;

	at_store_relaxed_u32(&timer->doubted, waits);
	at_store_relaxed_u32(&timer->period, waits ? DOUBT_PERIOD :
			     next_period(timer, ratio));
	if (!waits)
		at_store_relaxed_u32(&timer->parallel, parallel);
	at_store_relaxed_u32(&timer->timed, PLAIT__MODE_TIMER_SERIES);
}

static void end_serial(plait__mode_timer *timer)
{
	at_store_relaxed_u32(&timer->tried, 0);
	if (!could_pay(timer, at_load_relaxed_u64(&timer->serial_ns)))
		store_choice(timer, false, 1);
}

static void end_parallel(plait__mode_timer *timer)
{
	uint64_t serial_ns = at_load_relaxed_u64(&timer->serial_ns);
	uint64_t parallel_ns = at_load_relaxed_u64(&timer->parallel_ns);

	if (pays(timer, serial_ns, parallel_ns))
		store_choice(timer, true, serial_ns / (parallel_ns + 1));
	else
		store_choice(timer, false, parallel_ns / (serial_ns + 1));
}

/* Count a parallel run.  Returns 0 if the last one is repeated, else 1. */
static uint32_t count_run(plait__mode_timer *timer, uint32_t timed, uint64_t ns)
{
	bool first = timed == PLAIT__MODE_TIMER_RUNS;
	uint64_t spent_ns = ns;
	uint32_t tried = 1;

	if (!first) {
		spent_ns += at_load_relaxed_u64(&timer->spent_ns);
		tried += at_load_relaxed_u32(&timer->tried);
	}
	at_store_relaxed_u64(&timer->spent_ns, spent_ns);
	at_store_relaxed_u32(&timer->tried, tried);
	return timed + 1 < PLAIT__MODE_TIMER_SERIES || spent_ns >= WAKE_NS;
}

void plait__mode_timer_end(plait__mode_timer *timer,
			   const plait__timed_run *run, uint64_t ns)
{
	uint32_t timed = at_load_relaxed_u32(&timer->timed);
	uint32_t first = run->parallel ? PLAIT__MODE_TIMER_RUNS : 0;
	at_u64 *best_ns = run->parallel ? &timer->parallel_ns :
					  &timer->serial_ns;

	/* A run that ended late is no part of the series any more. */
	if (timed < first || timed >= first + PLAIT__MODE_TIMER_RUNS)
		return;
	if (timed == first || ns < at_load_relaxed_u64(best_ns))
		at_store_relaxed_u64(best_ns, ns);
	timed += run->parallel ? count_run(timer, timed, ns) : 1;
	at_store_relaxed_u32(&timer->timed, timed);
	if (timed == PLAIT__MODE_TIMER_RUNS && !run->parallel)
		end_serial(timer);
	if (timed == PLAIT__MODE_TIMER_SERIES)
		end_parallel(timer);
}
