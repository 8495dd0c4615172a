/* SPDX-License-Identifier: MIT */
/* Timing of serial and parallel runs: the choice of a series, and the runs
 * between two series.  Times are made up. */
#include "run/host/mode_timer.h"

#include "sys/thread.h"

#include "lib/tap.h"

enum { LANES = 2, THREADS = 4, SOME_RUNS = 20000 };

/* The times of the next runs, and what they were. */
static uint64_t serial_ns, parallel_ns;
static uint32_t timed, parallel;

static void run_once(plait__mode_timer *timer, plait__timed_run *run)
{
	plait__mode_timer_begin(timer, run);
	timed += run->is_timed;
	parallel += run->parallel;
	if (run->is_timed)
		plait__mode_timer_end(timer, run, run->parallel ? parallel_ns :
				      serial_ns);
}

static void run_some(plait__mode_timer *timer, plait__timed_run *run,
		     uint32_t count)
{
	timed = parallel = 0;
	for (uint32_t i = 0; i < count; i++)
		run_once(timer, run);
}

/* Returns the choice after a series with these times. */
static bool chosen_at_once(plait__mode_timer *timer, plait__timed_run *run,
		   uint64_t serial, uint64_t all)
{
	serial_ns = serial;
	parallel_ns = all;
	at_store_relaxed_u32(&timer->timed, 0);
	run_some(timer, run, PLAIT__MODE_TIMER_SERIES);
	return plait__mode_timer_is_parallel(timer);
}

/* As many series agree as any choice takes. */
static bool chosen(plait__mode_timer *timer, plait__timed_run *run,
		   uint64_t serial, uint64_t all)
{
	for (int i = 0; i < 5; i++)
		(void)chosen_at_once(timer, run, serial, all);
	return chosen_at_once(timer, run, serial, all);
}

/* Each scenario begins with one. */
static plait__mode_timer new_timer(uint64_t worth_ns)
{
	plait__mode_timer timer = { 0 };

	plait__mode_timer_init(&timer, LANES, worth_ns);
	return timer;
}

static void faster_mode(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	OK(!plait__mode_timer_is_parallel(&timer));
	OK(chosen_at_once(&timer, &run, 1000000, 600000));
	IS_UINT(timed, PLAIT__MODE_TIMER_SERIES);
	IS_UINT(parallel, PLAIT__MODE_TIMER_RUNS);
	run_some(&timer, &run, 30);
	IS_UINT(timed, 0);
	IS_UINT(parallel, 30);
	OK(!chosen(&timer, &run, 1000000, 2000000));
	run_some(&timer, &run, 16);
	IS_UINT(timed, 0);
	IS_UINT(parallel, 0);
}

/* Without a choice before. */
static bool fresh(uint64_t worth_ns, uint64_t serial, uint64_t all)
{
	plait__mode_timer timer = new_timer(worth_ns);
	plait__timed_run run = { 0 };

	return chosen_at_once(&timer, &run, serial, all);
}

static void least_saving(void)
{
	OK(!fresh(200000, 1000000, 800000));
	OK(fresh(200000, 1000000, 799900));
	OK(fresh(0, 1000000, 999900));
	OK(!fresh(0, 1000000, 1000000));
	OK(!fresh(0, 1000000, 1000100));
	OK(!fresh(4000000000, 1000000000, 1));
}

/* Two lanes cannot save 200000 ns of 400000. */
static void small_plan(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	OK(!chosen_at_once(&timer, &run, 400000, 1));
	IS_UINT(timed, PLAIT__MODE_TIMER_RUNS);
	IS_UINT(parallel, 0);
	run_some(&timer, &run, SOME_RUNS);
	IS_UINT(parallel, 0);
	/* Its functions take longer now, and a later series finds that. */
	serial_ns = 4000000;
	parallel_ns = 2000000;
	run_some(&timer, &run, SOME_RUNS);
	OK(plait__mode_timer_is_parallel(&timer));
	OK(parallel > 0);
}

static void run_these(plait__mode_timer *timer, const uint64_t *serial,
		      const uint64_t *all)
{
	plait__timed_run run = { 0 };

	at_store_relaxed_u32(&timer->timed, 0);
	for (uint32_t i = 0; i < PLAIT__MODE_TIMER_SERIES; i++) {
		serial_ns = serial[i % 4];
		parallel_ns = all[i % 4];
		run_once(timer, &run);
	}
}

/* Slow runs of a series do not count, nor does a lucky one; only the series does. */
static void disturbed_runs(void)
{
	static const uint64_t serial[] = { 9000000, 1000000, 1000100, 7000000 };
	static const uint64_t all[] = { 80000000, 600000, 50000000, 600100 };
	static const uint64_t lucky[] = { 1200000, 500000, 1300000, 1200000 };
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	run_these(&timer, serial, lucky);
	OK(!plait__mode_timer_is_parallel(&timer));
	run_these(&timer, serial, all);
	OK(plait__mode_timer_is_parallel(&timer));
	/* A series in a bad minute changes nothing, two do; but noise makes
	 * no run faster. */
	OK(chosen_at_once(&timer, &run, 1000000, 90000000));
	OK(chosen_at_once(&timer, &run, 1000000, 600000));
	OK(chosen_at_once(&timer, &run, 1000000, 90000000));
	OK(!chosen_at_once(&timer, &run, 1000000, 90000000));
	OK(chosen_at_once(&timer, &run, 1000000, 600000));
}

/* The machine becomes slow in the middle of a series: serial runs behind the parallel
 * ones tell. */
static void slow_machine(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	serial_ns = 1000000;
	run_some(&timer, &run, PLAIT__MODE_TIMER_RUNS);
	parallel_ns = 1400000;
	serial_ns = 2000000;
	run_some(&timer, &run, 2 * PLAIT__MODE_TIMER_RUNS);
	OK(!plait__mode_timer_is_parallel(&timer));
	IS_UINT(at_load_relaxed_u32(&timer.timed), PLAIT__MODE_TIMER_SERIES);
}

/* Another program has the other processor for some ms: parallel runs take as long as
 * serial ones, and stay the choice, or are tried again soon. */
static void busy_processor(void)
{
	plait__mode_timer timer = new_timer(1000);
	plait__timed_run run = { 0 };

	OK(chosen_at_once(&timer, &run, 400000, 250000));
	for (uint32_t i = 0; i < 5; i++)
		OK(chosen_at_once(&timer, &run, 400000, 404000));
	OK(!chosen_at_once(&timer, &run, 400000, 404000));
	/* Runs of 14 us, of which a series takes 70 for the wake-up. */
	serial_ns = 14000;
	parallel_ns = 14100;
	run_some(&timer, &run, 1000);
	OK(!plait__mode_timer_is_parallel(&timer));
	OK(at_load_relaxed_u32(&timer.period) < 1000);
	parallel_ns = 9000;
	run_some(&timer, &run, 1000);
	OK(plait__mode_timer_is_parallel(&timer));
}

/* A choice changes only if the other mode is better by more than the noise. */
static void no_oscillation(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	OK(!chosen(&timer, &run, 1000000, 900000));
	OK(!chosen(&timer, &run, 1000000, 800100));
	OK(chosen(&timer, &run, 1000000, 700000));
	OK(chosen(&timer, &run, 1000000, 900000));
	OK(chosen(&timer, &run, 1000000, 999900));
	OK(!chosen(&timer, &run, 1000000, 1000100));
	OK(!chosen(&timer, &run, 1000000, 900000));
}

/* Timed runs of the slower mode take little of the time of all, and less and
 * less: returns how many of these runs were timed in that mode. */
static uint32_t count_slower(plait__mode_timer *timer, plait__timed_run *run,
			     uint32_t runs)
{
	run_some(timer, run, runs);
	return parallel;
}

static void rare_series(void)
{
	static const uint32_t ratios[] = { 1, 3, 20, 300 };

	for (uint32_t i = 0; i < TAP_COUNT(ratios); i++) {
		plait__mode_timer timer = new_timer(200000);
		plait__timed_run run = { 0 };
		uint32_t runs = 1000 * ratios[i], slower;

		OK(!chosen_at_once(&timer, &run, 1000000,
				   1000000 * (uint64_t)ratios[i]));
		slower = count_slower(&timer, &run, runs);
		OK_THAT(slower > 0 && slower <= 50,
			"%u slower ones in %u runs", slower, runs);
		slower = count_slower(&timer, &run, 10 * runs);
		OK_THAT(slower > 0 && slower <= 60,
			"%u slower ones in %u runs", slower, 10 * runs);
	}
}

/* A run that ends behind its part of a series is no part of it. */
static void late_run(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 }, late = { 0 };

	plait__mode_timer_begin(&timer, &late);
	OK(late.is_timed && !late.parallel);
	serial_ns = 1000000;
	run_some(&timer, &run, PLAIT__MODE_TIMER_RUNS);
	plait__mode_timer_end(&timer, &late, 5);
	IS_UINT(at_load_relaxed_u32(&timer.timed), PLAIT__MODE_TIMER_RUNS);
	plait__mode_timer_begin(&timer, &late);
	OK(late.is_timed && late.parallel);
	OK(chosen(&timer, &run, 1000000, 600000));
	plait__mode_timer_end(&timer, &late, 5);
	for (uint32_t i = 0; i < PLAIT__MODE_TIMER_RUNS; i++)
		IS_UINT(at_load_relaxed_u64(&timer.parallel_ns[i]), 600000);
	IS_UINT(at_load_relaxed_u32(&timer.timed), PLAIT__MODE_TIMER_SERIES);
}

/* Another run in flight counts parallel runs before the thread of the last serial one
 * goes on: it takes none of them away. */
static void early_parallel_run(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	at_store_relaxed_u32(&timer.tried, 5);
	serial_ns = 1000000;
	run_some(&timer, &run, PLAIT__MODE_TIMER_RUNS);
	IS_UINT(at_load_relaxed_u32(&timer.timed), PLAIT__MODE_TIMER_RUNS);
	IS_UINT(at_load_relaxed_u32(&timer.tried), 5);
}

/* The times of parallel runs are not there yet: the series chooses nothing. */
static void no_parallel_time(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	serial_ns = 1000000;
	run_some(&timer, &run, PLAIT__MODE_TIMER_RUNS);
	at_store_relaxed_u32(&timer.timed, 2 * PLAIT__MODE_TIMER_RUNS);
	run_some(&timer, &run, PLAIT__MODE_TIMER_RUNS);
	IS_UINT(at_load_relaxed_u32(&timer.timed), PLAIT__MODE_TIMER_SERIES);
	OK(!plait__mode_timer_is_parallel(&timer));
	IS_UINT(at_load_relaxed_u32(&timer.doubted), 0);
	IS_UINT(at_load_relaxed_u32(&timer.period), 0);
	parallel_ns = 600000;
	run_some(&timer, &run, PLAIT__MODE_TIMER_SERIES);
	IS_UINT(timed, PLAIT__MODE_TIMER_SERIES);
	OK(plait__mode_timer_is_parallel(&timer));
}

static void restarted(void)
{
	plait__mode_timer timer = new_timer(200000);
	plait__timed_run run = { 0 };

	OK(chosen(&timer, &run, 1000000, 500000));
	plait__mode_timer_restart(&timer);
	OK(!plait__mode_timer_is_parallel(&timer));
	run_some(&timer, &run, 1);
	IS_UINT(timed, 1);
	IS_UINT(parallel, 0);
	/* The choice before does not count: the saving is small. */
	OK(!chosen(&timer, &run, 1000000, 900000));
}

/* Runs in flight at once may lose measurements, but not the choice. */
static plait__mode_timer shared;

static void run_beside_others(void *arg)
{
	plait__timed_run run = { 0 };

	for (uint32_t i = 0; i < SOME_RUNS; i++) {
		plait__mode_timer_begin(&shared, &run);
		if (run.is_timed)
			plait__mode_timer_end(&shared, &run,
					      run.parallel ? 600000 : 1000000);
	}
	*(bool *)arg = plait__mode_timer_is_parallel(&shared);
}

static void runs_in_flight(void)
{
	struct plait__thread threads[THREADS];
	bool choices[THREADS];

	plait__mode_timer_init(&shared, LANES, 200000);
	for (uint32_t i = 0; i < THREADS; i++)
		OK(plait__thread_start(&threads[i], "runner", run_beside_others,
				       &choices[i], NULL) == 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		plait__thread_join(&threads[i]);
		OK(choices[i]);
	}
	IS_UINT(at_load_relaxed_u64(&shared.serial_ns[0]), 1000000);
	IS_UINT(at_load_relaxed_u64(&shared.parallel_ns[0]), 600000);
}

/* A worker comes only after some short runs. */
static void sleeping_worker(void)
{
	plait__mode_timer timer = new_timer(20000);
	plait__timed_run run = { 0 };

	serial_ns = 100000;
	parallel_ns = 120000;
	run_some(&timer, &run, 2 * PLAIT__MODE_TIMER_RUNS);
	IS_UINT(timed, 2 * PLAIT__MODE_TIMER_RUNS);
	parallel_ns = 60000;
	run_some(&timer, &run, 40);
	/* 9 runs until the end of the ms, and the serial ones. */
	IS_UINT(timed, 9 + PLAIT__MODE_TIMER_RUNS);
	OK(plait__mode_timer_is_parallel(&timer));
	IS_UINT(parallel, 40 - PLAIT__MODE_TIMER_RUNS);
}

static const struct tap_scenario all[] = {
	{ "the faster mode", faster_mode },
	{ "the least saving", least_saving },
	{ "a small plan", small_plan },
	{ "disturbed runs", disturbed_runs },
	{ "a slow machine", slow_machine },
	{ "a busy processor", busy_processor },
	{ "no oscillation", no_oscillation },
	{ "rare series", rare_series },
	{ "a late run", late_run },
	{ "an early parallel run", early_parallel_run },
	{ "no parallel time", no_parallel_time },
	{ "restarted", restarted },
	{ "runs in flight", runs_in_flight },
	{ "a sleeping worker", sleeping_worker },
};

TAP_MAIN(all)
