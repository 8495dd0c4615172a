/* SPDX-License-Identifier: MIT */
/* Runs of a repetition by one thread, by several or by a call of the waiting thread: the
 * faster way is found, kept, and given up when it is slower. */
#include "lib/tap.h"

#include "flow/run_times.h"

/* Runs, and those of them that try the slower kind once both are judged. */
enum {
	RUNS = 4 * PLAIT__RUN_PERIOD,
	TRIED = (RUNS - 2 * PLAIT__RUN_TRIALS) / PLAIT__RUN_PERIOD *
		PLAIT__RUN_TRIALS
};

/* Runs that take so long, by one thread and by several; returns how many of
 * them were by one. */
static uint32_t run(plait__run_times *times, uint64_t alone_ns,
		    uint64_t shared_ns)
{
	uint32_t alone = 0;

	for (uint32_t i = 0; i < RUNS; i++) {
		bool by_one = plait__run_times_choose(times, false) ==
			      PLAIT__RUN_ALONE;

		alone += by_one;
		plait__run_time_add(by_one ? &times->alone : &times->shared,
				    by_one ? alone_ns : shared_ns);
	}
	return alone;
}

static void short_runs(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, PLAIT__RUN_SHORT_NS, 1), RUNS);
	IS_UINT(times.shared.count, 0);
}

static void long_runs(void)
{
	plait__run_times times = { .runs = 0 };

	/* Twice, and once per period: the trial is as long. */
	IS_UINT(run(&times, PLAIT__RUN_LONG_NS + 1, PLAIT__RUN_LONG_NS / 2),
		2 + TRIED / PLAIT__RUN_TRIALS);
}

/* Calls of such runs are for several threads, once two runs tell. */
static void calls_for_several(void)
{
	plait__run_times times = { .runs = 0 };

	plait__run_time_add(&times.alone, PLAIT__RUN_SHORT_NS + 1);
	OK(!plait__run_times_are_for_several(&times));
	plait__run_time_add(&times.alone, PLAIT__RUN_SHORT_NS + 1);
	OK(plait__run_times_are_for_several(&times));
	plait__run_time_add(&times.alone, PLAIT__RUN_SHORT_NS);
	OK(!plait__run_times_are_for_several(&times));
}

/* Once judged, calls by several threads must take less than one thread. */
static void calls_that_pay(void)
{
	const struct {
		uint64_t called;
		bool pays;
	} cases[] = { { 40000, false }, { 30000, false }, { 20000, true } };

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		plait__run_times times = { .runs = 0 };

		for (int t = 0; t < 2; t++)
			plait__run_time_add(&times.alone, 30000);
		for (int t = 1; t < PLAIT__RUN_TRIALS; t++)
			plait__run_time_add(&times.called, cases[i].called);
		OK(plait__run_times_are_for_several(&times));
		plait__run_time_add(&times.called, cases[i].called);
		IS_UINT(plait__run_times_are_for_several(&times),
			cases[i].pays);
		/* The plan, which decides then, is faster by one thread. */
		plait__run_time_add(&times.called, 20000);
		IS_UINT(plait__run_times_are_for_several(&times),
			cases[i].pays);
	}
}

/* The first run by one thread was disturbed: the second one tells. */
static void slow_first_run(void)
{
	plait__run_times times = { .runs = 0 };

	plait__run_time_add(&times.alone, 2 * PLAIT__RUN_LONG_NS);
	OK(plait__run_times_choose(&times, false) == PLAIT__RUN_ALONE);
	plait__run_time_add(&times.alone, PLAIT__RUN_SHORT_NS);
	OK(plait__run_times_choose(&times, false) == PLAIT__RUN_ALONE);
}

/* Both first runs by one thread were disturbed: a trial finds that out. */
static void slow_first_runs(void)
{
	plait__run_times times = { .runs = 0 };

	plait__run_time_add(&times.alone, 2 * PLAIT__RUN_LONG_NS);
	plait__run_time_add(&times.alone, 2 * PLAIT__RUN_LONG_NS);
	OK(plait__run_times_choose(&times, false) == PLAIT__RUN_SHARED);
	OK(run(&times, 30000, 50000) >= RUNS - PLAIT__RUN_PERIOD - TRIED);
}

static void faster_shared(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, 50000, 30000),
		PLAIT__RUN_TRIALS + TRIED);
}

/* Several threads would do no more than one. */
static void hardly_faster_shared(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, 30000, 29000),
		RUNS - PLAIT__RUN_TRIALS - TRIED);
}

static void faster_alone(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, 30000, 50000),
		RUNS - PLAIT__RUN_TRIALS - TRIED);
}

/* The way that was slower becomes the faster one: the next look at it tells. */
static void changed(void)
{
	plait__run_times times = { .runs = 0 };

	(void)run(&times, 30000, 50000);
	OK(run(&times, 30000, 20000) <= PLAIT__RUN_PERIOD + TRIED);
	OK(run(&times, 30000, 500000) >= RUNS - PLAIT__RUN_PERIOD - TRIED);
}

/* The first runs of a kind are slow: the best one of the trials counts. */
static void slow_start(void)
{
	plait__run_times times = { .runs = 0 };

	for (uint32_t i = 0; i < PLAIT__RUN_TRIALS; i++)
		plait__run_time_add(&times.alone, 30000);
	for (uint32_t i = 0; i < PLAIT__RUN_TRIALS; i++)
		plait__run_time_add(&times.shared, 60000 - i * 3000);
	OK(plait__run_times_choose(&times, false) == PLAIT__RUN_SHARED);
}

/* One slow run of many is no reason. */
static void disturbed(void)
{
	plait__run_times times = { .runs = 0 };

	(void)run(&times, 40000, 60000);
	plait__run_time_add(&times.alone, 90000);
	OK(plait__run_times_choose(&times, false) == PLAIT__RUN_ALONE);
}

/* A thread that was preempted for 20 ms tells nothing about the work. */
static void preempted(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, PLAIT__RUN_SHORT_NS / 2, 1), RUNS);
	plait__run_time_add(&times.alone, 20000000);
	IS_UINT(run(&times, PLAIT__RUN_SHORT_NS / 2, 1), RUNS);
}

/* Work that has grown does: twenty such runs. */
static void grown(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run(&times, PLAIT__RUN_SHORT_NS / 2, 1), RUNS);
	for (int i = 0; i < 20; i++)
		plait__run_time_add(&times.alone, 10 * PLAIT__RUN_SHORT_NS);
	OK(times.alone.ns > PLAIT__RUN_SHORT_NS);
}

static void waiting_tasks(void)
{
	plait__run_times times = { .must_share = true };

	IS_UINT(run(&times, 1, 1), 0);
}

/* Runs that a waiting thread begins, which take so long by the way; returns how many of
 * them it called. */
static uint32_t run_awaited(plait__run_times *times, uint64_t alone_ns,
			    uint64_t called_ns)
{
	uint32_t called = 0;

	for (uint32_t i = 0; i < RUNS; i++) {
		plait__run_way way = plait__run_times_choose(times, true);

		OK(way != PLAIT__RUN_SHARED);
		called += way == PLAIT__RUN_CALLED;
		plait__run_time_add(way == PLAIT__RUN_CALLED ? &times->called :
							       &times->alone,
				    way == PLAIT__RUN_CALLED ? called_ns :
							       alone_ns);
	}
	return called;
}

/* The first two runs tell whether the tasks wait for each other. */
static void called(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run_awaited(&times, 10000, 6000), RUNS - 2);
}

/* Calls that take no longer are no worse: the plan chooses. */
static void called_as_fast(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run_awaited(&times, 10000, 10500), RUNS - 2);
}

/* The plan tries its modes meanwhile, or was preempted: its own times decide. */
static void called_slowly(void)
{
	plait__run_times times = { .runs = 0 };

	IS_UINT(run_awaited(&times, 10000, 15000), RUNS - 2);
}

/* Calls that became too long to be called are tried once per period, and timed then. */
static void called_longer(void)
{
	const uint64_t long_ns = 2 * PLAIT__RUN_LONG_NS;
	plait__run_times times = { .runs = 0 };

	(void)run_awaited(&times, 10000, 10000);
	for (int i = 0; i < 100; i++)
		plait__run_time_add(&times.called, long_ns);
	OK(plait__run_times_is_due(&times, PLAIT__RUN_CALLED));
	IS_UINT(run_awaited(&times, 10000, long_ns), RUNS / PLAIT__RUN_PERIOD);
	OK(run_awaited(&times, 10000, 10000) > RUNS - PLAIT__RUN_PERIOD);
}

/* A call cannot be cancelled. */
static void long_calls(void)
{
	plait__run_times times = { .runs = 0 };

	plait__run_time_add(&times.alone, 2 * PLAIT__RUN_LONG_NS);
	plait__run_time_add(&times.alone, 2 * PLAIT__RUN_LONG_NS);
	OK(plait__run_times_choose(&times, true) == PLAIT__RUN_SHARED);
}

/* Reasons that are no times decide for calls, too. */
static void decided(void)
{
	plait__run_times waits = { .must_share = true };
	plait__run_times fixed = { .is_fixed = true };

	for (uint32_t i = 0; i < 2 * PLAIT__RUN_TRIALS; i++) {
		plait__run_time_add(&waits.alone, 1000);
		plait__run_time_add(&fixed.alone, 1000);
	}
	OK(plait__run_times_choose(&waits, true) == PLAIT__RUN_SHARED);
	OK(plait__run_times_choose(&fixed, true) == PLAIT__RUN_ALONE);
}

/* All runs are timed, until called ones are judged. */
static void timed(void)
{
	plait__run_times times = { .called = { 0, 0 } };
	uint32_t due = 0;

	for (uint32_t i = 0; i < PLAIT__RUN_TRIALS; i++) {
		OK(plait__run_times_is_due(&times, PLAIT__RUN_CALLED));
		plait__run_time_add(&times.called, 1000);
	}
	for (uint32_t i = 0; i < PLAIT__RUN_PERIOD; i++) {
		OK(plait__run_times_is_due(&times, PLAIT__RUN_ALONE));
		due += plait__run_times_is_due(&times, PLAIT__RUN_CALLED);
	}
	OK_THAT(due > 0 && due < PLAIT__RUN_PERIOD / 4,
		"%u of %d calls timed", due, PLAIT__RUN_PERIOD);
}

static const struct tap_scenario all[] = {
	{ "short runs", short_runs },
	{ "long runs", long_runs },
	{ "calls for several", calls_for_several },
	{ "calls that pay", calls_that_pay },
	{ "a slow first run", slow_first_run },
	{ "slow first runs", slow_first_runs },
	{ "faster by several", faster_shared },
	{ "hardly faster by several", hardly_faster_shared },
	{ "faster by one", faster_alone },
	{ "changed", changed },
	{ "slow start", slow_start },
	{ "disturbed", disturbed },
	{ "preempted", preempted },
	{ "grown", grown },
	{ "waiting tasks", waiting_tasks },
	{ "called", called },
	{ "called as fast", called_as_fast },
	{ "called slowly", called_slowly },
	{ "called longer", called_longer },
	{ "long calls", long_calls },
	{ "decided", decided },
	{ "timed", timed },
};

TAP_MAIN(all)
