/* SPDX-License-Identifier: MIT */
/*
 * Failure and cancellation at every step of a run: random graphs (t/lib/maze.h)
 * in which each function, in each of its executions, fails once and cancels the
 * run once; and runs that are cancelled after one poll, after two, and so on
 * until they end before that.  Executed nodes ran behind all of their
 * predecessors, the queue goes on, the next run is right, nothing is left.
 *
 *	t/run/random_graphs_steps.t [seed=N] [mazes=N]
 */
#include "lib/maze_run.h"

enum { MOST_LOOKS = 5000, SOME_LOOKS = 40 };

/* One poll is one step, always the same, where the waiting thread does the
 * work. */
#ifndef ON_DRIVER
static const struct maze_place places[] = {
	{ "host", "host", NULL, 0, 0, NULL },
	{ "queues of the host", "host", NULL, 0, PLAIT_FREEZE_QUEUES, NULL },
	{ "simulated", "chaos", "chaos:seed=1", 0, 0, NULL },
	{ "simulated, shuffled", "chaos",
	  "chaos:seed=2,quirks=shuffle+late_notify", 0, 0, NULL },
	{ "simulated, batches", "chaos",
	  "chaos:seed=3,parallel=2,quirks=batch+slow_host+spurious", 0, 0, NULL },
	{ "host, two workers", "host", NULL, 2, 0, NULL },
};
#endif

static struct {
	uint64_t fails, cancels, looks;
} tried;

static void reset(void)
{
	maze_reset(&round_.worlds[0], maze_next(&round_.random));
}

static void at_each_turn(const struct maze_report *whole,
			 enum maze_action action, uint64_t *count)
{
	for (uint32_t spot = 0; spot < round_.maze.spot_count; spot++)
		for (uint32_t turn = 0; turn < whole->times[spot]; turn++) {
			reset();
			if (round_.bad || !set_fuse(whole, action, spot, turn))
				break;
			(void)run_to_end(UINT64_MAX);
			++*count;
		}
}

/* With workers the number of possible polls is unknown. */
static void after_each_look(bool alone)
{
	const uint64_t most = alone ? MOST_LOOKS : SOME_LOOKS;
	bool early = false;
	uint64_t looks;

	for (looks = 0; !early && !round_.bad && looks < most; looks++) {
		reset();
		early = run_to_end(looks);
	}
	(void)must(!alone || looks < most, "never ends");
	tried.looks += looks;
}

static void run_all(bool alone)
{
	struct maze_report whole = { 0 };

	call_whole(&whole);
	at_each_turn(&whole, MAZE_FAILS, &tried.fails);
	at_each_turn(&whole, MAZE_CANCELS, &tried.cancels);
	after_each_look(alone);
	if (!round_.bad)
		call_whole(&whole);
}

static void run_maze(uint64_t random, const struct maze_place *place)
{
	plait_graph *graph;
	uint32_t size;

	round_.random.state = random;
	round_.plan_text[0] = '\0';
	size = 4 + (uint32_t)below(8);
	maze_make(&round_.maze, maze_next(&round_.random), size, false);
	round_.maze.world = &round_.worlds[0];
	graph = maze_build(&round_.maze, &kernels, rig.context, rig.queue,
			   &rig.error);
	if (must(graph != NULL, "build") && make_plan(graph, place->freeze)) {
		run_all(place->workers == 0);
		plait_plan_release(round_.plan);
	}
	plait_graph_release(graph);
	maze_free(&round_.maze);
}

static uint64_t mazes(void)
{
	const char *asked = tap_argument("mazes");
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	bool fast = sanitizer == NULL || strcmp(sanitizer, "no") == 0;

	if (asked != NULL)
		return strtoull(asked, NULL, 10);
	if (tap_soak())
		return fast ? 1000 : 100;
#ifdef ON_DRIVER
	return 4;
#endif
	return fast ? 24 : 4;
}

static void every_step(void)
{
	uint64_t seed = tap_seed(), count = mazes();

	for (uint32_t p = 0; p < TAP_COUNT(places) && !round_.bad; p++) {
		memset(&tried, 0, sizeof(tried));
		if (!open_mazes(&places[p]))
			return;
		for (uint64_t i = 0; i < count && !round_.bad; i++) {
			round_.number = i;
			run_maze(maze_seed(seed, i), &places[p]);
		}
		close_mazes();
		NOTE("%s: %llu failures, %llu cancelled inside, %llu from "
		     "outside", places[p].name,
		     (unsigned long long)tried.fails,
		     (unsigned long long)tried.cancels,
		     (unsigned long long)tried.looks);
	}
	OK(!round_.bad);
}

static const struct tap_scenario all[] = {
	{ "every step", every_step },
};
TAP_MAIN(all)
