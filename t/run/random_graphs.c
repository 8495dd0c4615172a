/* SPDX-License-Identifier: MIT */
/*
 * Random graphs (t/lib/maze.h) in random plans, run in every way, whole,
 * failing and cancelled at random places, against a walk that knows only the
 * graph.  Nothing here depends on time, or on the order of threads: each check
 * holds for every order that the graph allows.
 *
 *	t/run/random_graphs.t [seed=N] [rounds=N] [from=ROUND] [say=ROUNDS]
 *
 * The test can go on for hours, and be resumed where it was stopped: it prints
 * the arguments for that.
 */
#include "lib/maze_run.h"

enum { SOME = 50, RUNS = 6 };

#ifndef ON_DRIVER
static const struct maze_place places[] = {
	{ "no workers", "host", NULL, 0, 0, NULL },
	{ "a worker", "host", NULL, 1, 0, NULL },
	{ "two workers", "host", NULL, 2, 0, NULL },
	{ "three workers, lanes merged onto two", "host", NULL, 3, 0, "2" },
	{ "four workers, each lane on its own", "host", NULL, 4, 0, "0" },
};
#endif

static uint64_t seed;

static void run_with_action(const struct maze_report *whole,
			    enum maze_action action, bool cancel_here)
{
	uint32_t fuse = (uint32_t)below(round_.maze.spot_count);

	maze_reset(&round_.worlds[0], maze_next(&round_.random));
	if (whole->times[fuse] > 0)
		(void)set_fuse(whole, action, fuse,
			       (uint32_t)below(whole->times[fuse]));
	(void)run_to_end(cancel_here ? below(3) : UINT64_MAX);
}

/* ---- several at once ---- */

static void run_overlapping(void)
{
	struct maze_report report;
	plait_run *runs[WORLDS] = { NULL };
	plait_status status;
	struct told told;

	for (uint32_t i = 0; i < WORLDS; i++) {
		maze_reset(&round_.worlds[i], maze_next(&round_.random));
		tell_all(&told, i);
		/* Without a free instance one run has to end first. */
		status = plait_plan_run(round_.plan, rig.queue, &told.desc,
					&runs[i], &rig.error);
		(void)must(status == PLAIT_OK, "run");
	}
	for (uint32_t i = WORLDS; i-- > 0;) {
		(void)must(plait_run_wait(runs[i], PLAIT_FOREVER,
					  &rig.error) == PLAIT_OK, "wait");
		look(i, MAZE_WHOLE, runs[i], &report);
		plait_run_release(runs[i]);
	}
}

/* ---- a round ---- */

static void make_pointers(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };

	for (uint32_t i = 0; i < WORLDS; i++) {
		const struct maze_world *world = &round_.worlds[i];

		(void)must(plait_buffer_create(rig.device, &desc,
					       &round_.pointers[i],
					       &rig.error) == PLAIT_OK &&
			   plait_queue_write(rig.queue, round_.pointers[i], 0,
					     &world, sizeof(world),
					     &rig.error) == PLAIT_OK,
			   "a pointer");
	}
}

static void run_all(void)
{
	struct maze_report whole = { 0 };

	call_whole(&whole);
	if (round_.maze.overlaps) {
		run_overlapping();
		return;
	}
	for (uint32_t i = 0; i < RUNS && !round_.bad; i++)
		run_with_action(&whole, (enum maze_action)(i % 3),
				below(3) == 0);
	if (!round_.bad)
		call_whole(&whole);
}

static void run_round(uint64_t random)
{
	plait_graph *graph;
	uint32_t size;
	bool overlaps;

	round_.random.state = random;
	round_.plan_text[0] = '\0';
	/* Separate statements: compilers choose the order of arguments. */
	overlaps = below(5) == 0;
	size = 3 + (uint32_t)below(14);
	maze_make(&round_.maze, maze_next(&round_.random), size, overlaps);
	round_.maze.world = &round_.worlds[0];
	graph = maze_build(&round_.maze, &kernels, rig.context, rig.queue,
			   &rig.error);
	if (must(graph != NULL, "build") && make_plan(graph, 0)) {
		if (round_.maze.overlaps)
			make_pointers();
		run_all();
		plait_plan_release(round_.plan);
		for (uint32_t i = 0; round_.maze.overlaps && i < WORLDS; i++)
			plait_buffer_release(round_.pointers[i]);
	}
	plait_graph_release(graph);
	maze_free(&round_.maze);
}

/* ---- many ---- */

static uint64_t asked(const char *name, uint64_t normal)
{
	const char *text = tap_argument(name);

	return text == NULL ? normal : strtoull(text, NULL, 10);
}

/* Counted, not timed; fewer where every access is checked. */
static uint64_t rounds(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	bool fast = sanitizer == NULL || strcmp(sanitizer, "no") == 0;

	if (tap_soak())
		return fast ? 500000 : 50000;
#ifdef ON_DRIVER
	return fast ? 300 : 150;
#endif
	return fast ? 1250 : 200;
}

static void run_some(uint64_t first, uint64_t end)
{
	const struct maze_place *place = &places[first / SOME %
						 TAP_COUNT(places)];

	if (!open_mazes(place))
		return;
	for (uint64_t i = first; i < end && !round_.bad; i++) {
		round_.number = i;
		run_round(maze_seed(seed, i));
	}
	close_mazes();
}

static void say(void)
{
	NOTE("%llu graphs, %llu runs, %llu of them recorded, %llu functions",
	     (unsigned long long)round_.graphs,
	     (unsigned long long)round_.runs,
	     (unsigned long long)round_.traces,
	     (unsigned long long)round_.entries);
}

static void random_graphs(void)
{
	uint64_t from = asked("from", 0);
	uint64_t end = from + asked("rounds", rounds());
	uint64_t often = asked("say", 10000);
	uint64_t next;

	seed = tap_seed();
	for (; from < end && tap_failed() == 0; from = next) {
		next = (from / SOME + 1) * SOME;
		run_some(from, next < end ? next : end);
		if (next / often != from / often) {
			say();
			NOTE("go on with seed=%llu from=%llu",
			     (unsigned long long)seed,
			     (unsigned long long)next);
		}
	}
	OK(!round_.bad);
	say();
}

static const struct tap_scenario all[] = {
	{ "random graphs", random_graphs },
};
TAP_MAIN(all)
