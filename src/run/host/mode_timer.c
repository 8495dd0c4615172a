/* SPDX-License-Identifier: MIT */
/* Series of timed runs; see mode_timer.h. */
#include "run/host/mode_timer.h"

enum {
	/* Runs between the first two series; twice as many after each, up to
	 * a limit. */
	FIRST_PERIOD = 32,
	MAX_DOUBLINGS = 5,
	/* Series in a row that parallel runs must not win before runs become serial:
	 * few if these lose so much, 1/8, in the last one.  Those that neither lose
	 * nor save cost nothing; most likely another program has the processor, for
	 * some ms. */
	LEAST_LOSS = 8,
	FEW_SERIES = 2,
	MANY_SERIES = 6,
	/* Runs before a series that has to agree with the last one; twice as many
	 * after each. */
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
 * long, or if the series had `tried` parallel runs too many. */
static uint32_t next_period(plait__mode_timer *timer, uint64_t ratio,
			    uint32_t tried)
{
	uint32_t series = at_load_relaxed_u32(&timer->series);
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

static void store_parallel(plait__mode_timer *timer, uint64_t ratio,
			   uint32_t tried)
{
	at_store_relaxed_u32(&timer->doubted, 0);
	at_store_relaxed_u32(&timer->period, next_period(timer, ratio, tried));
	at_store_relaxed_u32(&timer->parallel, 1);
}

/* So many series in a row must not call for parallel runs, with this one, if the
 * choice is another one or the first. */
static void store_serial(plait__mode_timer *timer, uint64_t ratio,
			 uint32_t tried, uint32_t agreeing)
{
	uint32_t doubts = at_load_relaxed_u32(&timer->doubted);
	bool is_new = at_load_relaxed_u32(&timer->series) == 0 ||
		      plait__mode_timer_is_parallel(timer);

	if (is_new && doubts + 1 < agreeing) {
		at_store_relaxed_u32(&timer->doubted, doubts + 1);
		at_store_relaxed_u32(&timer->period, DOUBT_PERIOD << doubts);
		return;
	}
	at_store_relaxed_u32(&timer->doubted, 0);
	at_store_relaxed_u32(&timer->period, next_period(timer, ratio, tried));
	at_store_relaxed_u32(&timer->parallel, 0);
}

/* The lower quartile of 1 or more: half of the runs may have been disturbed. */
static uint64_t find_quartile(const at_u64 *times, uint32_t count)
{
	uint64_t sorted[PLAIT__MODE_TIMER_TIMES];

	for (uint32_t i = 0, at; i < count; i++) {
		uint64_t ns = at_load_relaxed_u64(&times[i]);

		for (at = i; at > 0 && sorted[at - 1] > ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ns;
	}
	return sorted[count / 4];
}

/* The first serial runs are over. */
static void end_first(plait__mode_timer *timer)
{
	if (could_pay(timer, find_quartile(timer->serial_ns,
					   PLAIT__MODE_TIMER_RUNS)))
		return;
	store_serial(timer, 1, 0, FEW_SERIES);
	at_store_relaxed_u32(&timer->timed, PLAIT__MODE_TIMER_SERIES);
}

static void end_series(plait__mode_timer *timer)
{
	uint32_t tried = at_load_relaxed_u32(&timer->tried);
	uint64_t serial_ns, parallel_ns;

	/* The parallel runs were another thread's, whose stores are late. */
	if (tried == 0)
		return;
	serial_ns = find_quartile(timer->serial_ns, PLAIT__MODE_TIMER_TIMES);
	parallel_ns = find_quartile(timer->parallel_ns,
				    tried < PLAIT__MODE_TIMER_TIMES ?
					    tried :
					    PLAIT__MODE_TIMER_TIMES);
	/* Noise makes no run faster: fast parallel runs are believed at once. */
	if (pays(timer, serial_ns, parallel_ns))
		store_parallel(timer, serial_ns / (parallel_ns + 1),
			       tried / LEAST_LOSS);
	else if (parallel_ns > serial_ns + serial_ns / LEAST_LOSS)
		store_serial(timer, parallel_ns / (serial_ns + 1), tried,
			     FEW_SERIES);
	else
		store_serial(timer, 1, tried / LEAST_LOSS, MANY_SERIES);
}

/* Count a parallel run.  Returns 0 if the last one is repeated, else 1. */
static uint32_t count_parallel(plait__mode_timer *timer, uint32_t timed,
			       uint64_t ns)
{
	bool first = timed == PLAIT__MODE_TIMER_RUNS;
	uint32_t tried = first ? 0 : at_load_relaxed_u32(&timer->tried);
	uint64_t spent_ns = ns;

	if (!first)
		spent_ns += at_load_relaxed_u64(&timer->spent_ns);
	at_store_relaxed_u64(
		&timer->parallel_ns[tried % PLAIT__MODE_TIMER_TIMES], ns);
	at_store_relaxed_u64(&timer->spent_ns, spent_ns);
	at_store_relaxed_u32(&timer->tried, tried + 1);
	return timed + 1 < 2 * PLAIT__MODE_TIMER_RUNS || spent_ns >= WAKE_NS;
}

static uint32_t count_serial(plait__mode_timer *timer, uint32_t timed,
			     uint64_t ns)
{
	uint32_t at = timed < PLAIT__MODE_TIMER_RUNS ?
			      timed :
			      timed - PLAIT__MODE_TIMER_RUNS;

	at_store_relaxed_u64(&timer->serial_ns[at], ns);
	return 1;
}

void plait__mode_timer_end(plait__mode_timer *timer,
			   const plait__timed_run *run, uint64_t ns)
{
	uint32_t timed = at_load_relaxed_u32(&timer->timed);

	/* A run that ended late is no part of the series any more. */
	if (timed >= PLAIT__MODE_TIMER_SERIES ||
	    run->parallel != (timed / PLAIT__MODE_TIMER_RUNS == 1))
		return;
	timed += run->parallel ? count_parallel(timer, timed, ns) :
				 count_serial(timer, timed, ns);
	at_store_relaxed_u32(&timer->timed, timed);
	if (timed == PLAIT__MODE_TIMER_RUNS)
		end_first(timer);
	if (timed == PLAIT__MODE_TIMER_SERIES)
		end_series(timer);
}
