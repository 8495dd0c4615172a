/* SPDX-License-Identifier: MIT */
/* Functions that count as brief, and the worker that is woken beside an op of
 * one that is long: on lanes without threads. */
#include "lib/tap.h"

#include "flow/lanes/flow_lanes.h"
#include "sys/clock.h"

/* Functions, the first two with one place. */
enum { FUNCTION = 0x1000, SAME_PLACE = 0x11000, OTHER = 0x1010 };

static plait__brief_ops brief;

static void note_runs(uint64_t function, int runs, uint64_t ns)
{
	for (int i = 0; i < runs; i++)
		plait__brief_ops_note(&brief, function, ns);
}

static void counts_runs(void)
{
	plait__brief_ops_forget(&brief);
	note_runs(FUNCTION, PLAIT__BRIEF_RUNS - 1, PLAIT__BRIEF_NS - 1);
	OK(!plait__brief_ops_has(&brief, FUNCTION));
	note_runs(FUNCTION, 1, PLAIT__BRIEF_NS - 1);
	OK(plait__brief_ops_has(&brief, FUNCTION));
	note_runs(FUNCTION, 1000, 0);
	OK(plait__brief_ops_has(&brief, FUNCTION));
	OK(!plait__brief_ops_has(&brief, SAME_PLACE));
	OK(!plait__brief_ops_has(&brief, OTHER));
}

static void forgets_a_long_one(void)
{
	plait__brief_ops_forget(&brief);
	note_runs(OTHER, PLAIT__BRIEF_RUNS, 0);
	note_runs(FUNCTION, PLAIT__BRIEF_RUNS, 0);
	note_runs(FUNCTION, 1, PLAIT__BRIEF_NS);
	OK(!plait__brief_ops_has(&brief, FUNCTION));
	OK(plait__brief_ops_has(&brief, OTHER));
	note_runs(FUNCTION, PLAIT__BRIEF_RUNS - 1, 0);
	OK(!plait__brief_ops_has(&brief, FUNCTION));
	note_runs(FUNCTION, 1, 0);
	OK(plait__brief_ops_has(&brief, FUNCTION));
}

static void two_in_one_place(void)
{
	plait__brief_ops_forget(&brief);
	OK(plait__brief_ops_place(&brief, FUNCTION) ==
	   plait__brief_ops_place(&brief, SAME_PLACE));
	for (int i = 0; i < 2 * PLAIT__BRIEF_RUNS; i++) {
		note_runs(FUNCTION, 1, 0);
		note_runs(SAME_PLACE, 1, 0);
	}
	OK(!plait__brief_ops_has(&brief, FUNCTION));
	OK(!plait__brief_ops_has(&brief, SAME_PLACE));
	note_runs(FUNCTION, PLAIT__BRIEF_RUNS, 0);
	OK(plait__brief_ops_has(&brief, FUNCTION));
	OK(!plait__brief_ops_has(&brief, SAME_PLACE));
}

/* ---- an op that is long ---- */

static plait__flow_lanes lanes;

/* As long as a brief op takes. */
static void pass_time(void)
{
	uint64_t begin = plait__clock_now_ns();

	while (plait__clock_now_ns() - begin < PLAIT__BRIEF_NS)
		continue;
}

/* Returns true if the worker was woken, which is about to park again then. */
static bool wakes(uint64_t unshared)
{
	lanes.count = 1;
	at_store_relaxed_u64(&lanes.unshared, unshared);
	at_store_relaxed_u64(&lanes.idle, PLAIT__FLOW_IDLE);
	plait__flow_lanes_share_late(&lanes);
	return at_load_relaxed_u64(&lanes.idle) == 0;
}

/* Look at an op for as long as a brief one takes; the next look may wake. */
static void look_long(uint64_t number)
{
	OK(!wakes(number));
	OK(!wakes(number));
	pass_time();
}

static void wakes_beside_a_long_one(void)
{
	OK(!wakes(0));
	OK(!wakes(0));
	look_long(5);
	OK(!wakes(6)); /* another op */
	OK(!wakes(0));
	look_long(7);
	OK(wakes(7));
	OK(!wakes(7)); /* once */
	look_long(8);
	OK(wakes(8));
	OK(!wakes(0));
	OK(!wakes(0));
}

static void waits_for_an_idle_one(void)
{
	look_long(9);
	at_store_relaxed_u64(&lanes.idle, 0);
	plait__flow_lanes_share_late(&lanes);
	OK(wakes(9));
}

/* Of other functions, too: the woken worker may begin any op. */
static void forgets_all(void)
{
	for (int i = 0; i < PLAIT__BRIEF_RUNS; i++) {
		plait__brief_ops_note(&lanes.brief, FUNCTION, 0);
		plait__brief_ops_note(&lanes.brief, OTHER, 0);
	}
	look_long(10);
	OK(plait__brief_ops_has(&lanes.brief, FUNCTION));
	OK(wakes(10));
	OK(!plait__brief_ops_has(&lanes.brief, FUNCTION));
	OK(!plait__brief_ops_has(&lanes.brief, OTHER));
}

static const struct tap_scenario all[] = {
	{ "a function is brief after 16 brief runs", counts_runs },
	{ "one long run ends that", forgets_a_long_one },
	{ "two functions in one place are not both brief", two_in_one_place },
	{ "a late look at an op wakes a worker", wakes_beside_a_long_one },
	{ "a worker that is idle later is woken", waits_for_an_idle_one },
	{ "no function is brief then", forgets_all },
};

TAP_MAIN(all)
