/* SPDX-License-Identifier: MIT */
/*
 * The host engine's choice of lanes, by measured time: pairs of functions that
 * meet save 50 ms if they run at once, so the load of the machine hardly
 * matters.  The number of merged lanes is checked, too.
 */
#include "lib/runs.h"

#include "sys/atomic.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LEVELS = 4, WIDEST = 4, RECORDS = 1000,
	/* The runs that are timed. */
	FIRST_RUNS = 8, MOST_RUNS = 2000, SERIES_NS = 2000000,
	MEET_NS = 50000000
};

/* Less than a pair saves that meets, more than times vary. */
#define NOISE_NS "20000000"

static at_u32 arrivals;
static at_u32 stays;	/* 1: the worker is in a function; 2: it may return */

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Wait for the other function of the pair, but not for ever. */
static int32_t meet(void *user_data)
{
	uint32_t both = (at_add_u32(&arrivals, 1) | 1) + 1;
	uint64_t until_ns = now_ns() + MEET_NS;

	(void)user_data;
	while (at_load_relaxed_u32(&arrivals) < both && now_ns() < until_ns)
		(void)sched_yield();
	return 0;
}

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Levels of some, each of all of the level before: as many lanes, and as many
 * hops a level. */
static void add_levels(plait_graph *graph, uint32_t levels, uint32_t width,
		       plait_host_function function)
{
	plait_node before[WIDEST], level[WIDEST];

	for (uint32_t i = 0; i < levels; i++) {
		for (uint32_t k = 0; k < width; k++)
			level[k] = add_call(graph, NULL, function, NULL, before,
					    i > 0 ? width : 0);
		memcpy(before, level, sizeof(before));
	}
}

static plait_plan *make_levels(uint32_t levels, uint32_t width,
			       plait_host_function function, uint32_t mode)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .lanes = width, .instances = 1,
		.mode = mode,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	add_levels(graph, levels, width, function);
	OK(plait_graph_freeze(graph, &desc, &plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* Returns how many lanes a recorded run uses; one lane has to be the first.
 * Checks that each command runs on the lane that the plan gave it. */
static uint32_t count_lanes(plait_plan *plan, uint32_t flags, bool *out_own)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD | flags };
	static plait_record records[RECORDS];
	uint64_t count = 0, dropped = 0;
	uint32_t lanes = 0;
	plait_run *run = NULL;

	OK(plait_plan_record(plan, RECORDS, &rig.error) == PLAIT_OK &&
	   plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	records[0].size = sizeof(records[0]);
	OK(plait_run_records(run, records, RECORDS, &count, &dropped,
			     &rig.error) == PLAIT_OK);
	*out_own = true;
	for (uint64_t i = 0; i < count && i < RECORDS; i++) {
		*out_own = *out_own &&
			   records[i].lane == records[i].planned_lane;
		if (records[i].lane >= lanes)
			lanes = records[i].lane + 1;
	}
	plait_run_release(run);
	return lanes;
}

static void set_worth(const char *ns)
{
	if (ns != NULL)
		setenv("PLAIT_LANES_GAIN_NS", ns, 1);
	else
		unsetenv("PLAIT_LANES_GAIN_NS");
}

/* Make the runs that are timed: the parallel ones take 1 ms together, and are between
 * serial ones. */
static bool run_series(plait_plan *plan)
{
	uint64_t since_ns = 0;
	bool good = true;

	for (uint32_t i = 0; i < FIRST_RUNS || (i < MOST_RUNS &&
	     now_ns() - since_ns < SERIES_NS); i++) {
		if (i == FIRST_RUNS / 2)
			since_ns = now_ns();
		good &= plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK;
	}
	/* Serial ones again. */
	for (uint32_t i = 0; i < FIRST_RUNS / 2; i++)
		good &= plait_plan_call(plan, NULL, NULL, &rig.error) ==
			PLAIT_OK;
	return good;
}

/* Returns true if runs use all lanes after those that are timed. */
static bool chosen(plait_plan *plan)
{
	bool own;

	OK(run_series(plan));
	return count_lanes(plan, 0, &own) > 1;
}

/* As `chosen`, timed again while the worker gets no processor in time. */
static bool chosen_in_the_end(plait_plan *plan)
{
	uint64_t since = 0;
	bool all = chosen(plan);

	while (!all && !tap_late(&since)) {
		OK(plait_plan_prepare(plan, &rig.error) == PLAIT_OK);
		all = chosen(plan);
	}
	return all;
}

static void faster_mode(uint32_t mode)
{
	plait_plan *plan;

	set_worth(NULL);
	plan = make_levels(2, 2, meet, mode);
	OK(chosen_in_the_end(plan));
	plait_plan_release(plan);
	set_worth("0");
	plan = make_levels(1, 2, meet, mode);
	OK(chosen_in_the_end(plan));
	plait_plan_release(plan);
	set_worth("4000000000");
	plan = make_levels(1, 2, meet, mode);
	OK(!chosen(plan));
	plait_plan_release(plan);
	/* Not a number: the default. */
	set_worth("soon");
	plan = make_levels(LEVELS, 2, do_nothing, mode);
	OK(!chosen(plan));
	plait_plan_release(plan);
	set_worth(NULL);
}

static void by_time(void)
{
	if (!open_host(1))
		return;
	/* Also on a machine of one processor. */
	setenv("PLAIT_LANES", "2", 1);
	faster_mode(PLAIT_MODE_STRICT);
	faster_mode(PLAIT_MODE_HELPED);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

/* ---- a bad minute ---- */

static int32_t stay(void *user_data)
{
	(void)user_data;
	at_store_release_u32(&stays, 1);
	while (at_load_acquire_u32(&stays) != 2)
		(void)sched_yield();
	return 0;
}

/* Returns a run whose function keeps the only worker. */
static plait_run *keep_worker(plait_plan *plan)
{
	plait_run *run = NULL;

	at_store_release_u32(&stays, 0);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	while (at_load_acquire_u32(&stays) == 0)
		(void)sched_yield();
	return run;
}

/* Plans that were timed while the only worker was busy use all lanes again
 * after plait_plan_prepare. */
static void bad_minute(void)
{
	plait_queue *queue = NULL;
	plait_plan *keeper, *plan;
	plait_run *run;

	if (!open_host(1))
		return;
	setenv("PLAIT_LANES", "2", 1);
	set_worth(NOISE_NS);
	keeper = make_levels(1, 1, stay, PLAIT_MODE_STRICT);
	plan = make_levels(1, 2, meet, PLAIT_MODE_STRICT);
	run = keep_worker(keeper);
	/* count_lanes takes the queue that the worker is busy with. */
	queue = rig.queue;
	OK(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error) ==
	   PLAIT_OK);
	OK(!chosen(plan));
	at_store_release_u32(&stays, 2);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	plait_run_release(run);
	OK(plait_plan_prepare(plan, &rig.error) == PLAIT_OK);
	OK(chosen_in_the_end(plan));
	plait_plan_release(plan);
	plait_plan_release(keeper);
	plait_queue_release(queue);
	set_worth(NULL);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

/* ---- merged lanes ---- */

/* The lanes that a plan of four lanes has when it is prepared now. */
static void fits(const char *said, uint32_t lanes, bool is_own)
{
	plait_plan *plan;
	bool own;

	setenv("PLAIT_LANES", said, 1);
	plan = make_levels(LEVELS, WIDEST, do_nothing, PLAIT_MODE_STRICT);
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(count_lanes(plan, PLAIT_RUN_PARALLEL, &own), lanes);
		OK_THAT(own == is_own, "PLAIT_LANES=%s: own lanes", said);
	}
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
}

static void given_number_of_lanes(void)
{
	if (!open_host(3))
		return;
	fits("0", 4, true);
	fits("4", 4, true);
	fits("5", 4, true);
	fits("3", 3, false);
	fits("2", 2, false);
	fits("1", 1, false);
	close_rig(&rig);
}

static int32_t count_down(void *user_data)
{
	uint32_t *left = user_data;

	return *left > 0 ? (int32_t)(*left)-- : 0;
}

/* The levels are the body of a loop. */
static plait_plan *make_loop(uint32_t *left)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = WIDEST,
					 .instances = 1 };
	plait_graph *graph = new_graph(), *body = NULL;
	plait_plan *plan = NULL;
	plait_node loop = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.device = rig.device, .function = count_down,
		.user_data = left,
	}, NULL, 0);

	OK(plait_graph_body(graph, loop, 0, &body, &rig.error) == PLAIT_OK);
	add_levels(body, LEVELS, WIDEST, do_nothing);
	plait_graph_release(body);
	OK(plait_graph_freeze(graph, &desc, &plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static void fits_loop(const char *said, uint32_t lanes, bool is_own)
{
	uint32_t left;
	plait_plan *plan;
	bool own;

	setenv("PLAIT_LANES", said, 1);
	plan = make_loop(&left);
	for (uint32_t i = 0; i < 2; i++) {
		left = 3;
		IS_INT(count_lanes(plan, PLAIT_RUN_PARALLEL, &own), lanes);
		OK_THAT(own == is_own, "PLAIT_LANES=%s: a loop's own lanes",
			said);
		IS_INT(left, 0);
	}
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
}

static void lanes_of_a_loop(void)
{
	if (!open_host(3))
		return;
	fits_loop("0", 4, true);
	fits_loop("4", 4, true);
	fits_loop("3", 3, false);
	fits_loop("2", 2, false);
	fits_loop("1", 1, false);
	close_rig(&rig);
}

/* ---- recorded waits of merged lanes ---- */

/* Returns true if a command that ended before the wait did is awaited. */
static bool has_ended(const plait_record *records, uint64_t count,
		      const plait_record *wait)
{
	for (uint64_t i = 0; i < count; i++)
		if (records[i].kind == PLAIT_RECORD_COMMAND &&
		    records[i].command == wait->other)
			return records[i].end_ns <= wait->end_ns &&
			       records[i].lane != wait->lane;
	return false;
}

/* Without workers one lane waits for the other at each level. */
static void waits_name_commands(void)
{
	const plait_run_desc desc = {
		.size = sizeof(desc),
		.flags = PLAIT_RUN_RECORD | PLAIT_RUN_PARALLEL,
	};
	static plait_record records[RECORDS];
	uint64_t count = 0, dropped = 0;
	uint32_t waits = 0, bad = 0;
	plait_plan *plan;
	plait_run *run = NULL;

	if (!open_host(0))
		return;
	setenv("PLAIT_LANES", "2", 1);
	plan = make_levels(LEVELS, WIDEST, do_nothing, PLAIT_MODE_STRICT);
	OK(plait_plan_record(plan, RECORDS, &rig.error) == PLAIT_OK &&
	   plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	records[0].size = sizeof(records[0]);
	OK(plait_run_records(run, records, RECORDS, &count, &dropped,
			     &rig.error) == PLAIT_OK);
	for (uint64_t i = 0; i < count; i++) {
		if (records[i].kind != PLAIT_RECORD_WAIT)
			continue;
		waits++;
		bad += !has_ended(records, count, &records[i]);
	}
	OK_THAT(waits > 0 && bad == 0, "%u of %u waits name another command",
		bad, waits);
	plait_run_release(run);
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

static void without_workers(void)
{
	plait_plan *plan;

	if (!open_host(0))
		return;
	setenv("PLAIT_LANES", "2", 1);
	set_worth("0");
	plan = make_levels(1, 2, do_nothing, PLAIT_MODE_STRICT);
	OK(!chosen(plan));
	plait_plan_release(plan);
	set_worth(NULL);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "by time", by_time },
	{ "a bad minute", bad_minute },
	{ "the given number of lanes", given_number_of_lanes },
	{ "the given number of lanes of a loop", lanes_of_a_loop },
	{ "recorded waits of merged lanes", waits_name_commands },
	{ "without workers", without_workers },
};
TAP_MAIN(all)
