/* SPDX-License-Identifier: MIT */
/*
 * Plans on CUDA beside direct driver calls, interleaved in one process:
 *
 *	bench-cuda [rounds=N] [seconds=N] [quick=1] [only=PART] [driver=FILE]
 *		[nvrtc=FILE]
 *	bench-cuda look=1 [driver=FILE] [nvrtc=FILE]
 *	bench-cuda probe=NAME [driver=FILE] [nvrtc=FILE]
 *
 * `device` is measured by the device's clock, from the first kernel of a run to the
 * last; of `cancel` it is the host's time from the cancellation to the end.  `whole`
 * is measured by the host's clock, from the call to its end.  A ratio is the median
 * of the ratios of two sides within a round.
 *
 * The objects of a side are created after the common ones, and its name is printed
 * before its first run: a side that fails is left out, and one that hangs is known.
 * At the time limit, or on SIGTERM, the program prints the results so far.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sides.h"

struct sizes sizes = { .chain = 1000, .diamonds = 100, .turns = 1000,
		       .times = 10000, .submits = 1000, .square = 1000,
		       .fill = 1024, .trips = 200, .staged = 64,
		       .block = 512 };
double device_ns;
uint64_t result;

static jmp_buf way_out;
static bool guarded;
static volatile sig_atomic_t stopped;

void die(const char *what, const char *why)
{
	fprintf(stderr, "bench-cuda: %s: %s\n", what, why);
	if (guarded)
		longjmp(way_out, 1);
	exit(1);
}

/* --- sides ---------------------------------------------------------------- */

struct side sides[SIDES] = {
#define SIDE(index, name, open, run, take, per) \
	[index] = { name, open, run, take, per, false, false, 0, { 0 }, { 0 } }
	SIDE(CHAIN_LAUNCHES, "chain, by hand, launches", NULL,
	     hand_chain_launches, hand_take_word, &sizes.chain),
	SIDE(CHAIN_GRAPH, "chain, by hand, graph", hand_make_chain,
	     hand_chain_graph, hand_take_word, &sizes.chain),
	SIDE(CHAIN_PLAIT, "chain, plait", plait_make_chain,
	     plait_chain, plait_take_word, &sizes.chain),
	SIDE(DIAMONDS_STREAMS, "diamonds, by hand, 4 streams", NULL,
	     hand_diamonds_streams, hand_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_GRAPH, "diamonds, by hand, graph", hand_make_diamonds,
	     hand_diamonds_graph, hand_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_QUEUES, "diamonds, plait, 4 queues", plait_make_queues,
	     plait_diamonds_queues, plait_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_PLAIT, "diamonds, plait", plait_make_diamonds,
	     plait_diamonds, plait_take_branch, &sizes.diamonds),
	SIDE(WHILE_HOST, "while, by hand, host decides", NULL,
	     hand_while_host, hand_take_word, &sizes.times),
	SIDE(WHILE_NODE, "while, by hand, node decides", hand_make_node,
	     hand_while_node, hand_take_word, &sizes.times),
	SIDE(WHILE_LAST, "while, by hand, own kernel decides", hand_make_last,
	     hand_while_last, hand_take_word, &sizes.times),
	SIDE(WHILE_PLAIT, "while, plait", plait_make_while,
	     plait_while, plait_take_word, &sizes.times),
	SIDE(WHILE_OWN, "while, plait, own kernel decides", plait_make_own,
	     plait_while_own, plait_take_word, &sizes.times),
	SIDE(WHILE_PINNED, "while, by hand, stop word of host",
	     hand_make_pinned, hand_while_pinned, hand_take_word, &sizes.times),
	SIDE(WHILE_DEVICE, "while, by hand, stop word of device",
	     hand_make_device, hand_while_device, hand_take_word, &sizes.times),
	SIDE(WHILE_TIMER, "while, by hand, timer of device",
	     hand_make_timer, hand_while_timer, hand_take_word, &sizes.times),
	SIDE(SUBMIT_HAND, "submit, by hand", NULL,
	     hand_submit, hand_finish, &sizes.submits),
	SIDE(SUBMIT_PLAIT, "submit, plait", NULL,
	     plait_submit, plait_finish, &sizes.submits),
	SIDE(CG_HOST, "solve, by hand, host decides", hand_make_solver,
	     hand_cg_host, hand_take_count, NULL),
	SIDE(CG_GRAPH, "solve, by hand, graph", hand_make_cg,
	     hand_cg_graph, hand_take_count, NULL),
	SIDE(CG_PLAIT, "solve, plait", plait_make_cg,
	     plait_cg, plait_take_count, NULL),
	SIDE(FILL_WORDS, "fill, by hand, 4 bytes", hand_make_fill,
	     hand_fill_words, hand_finish, &sizes.fill),
	SIDE(FILL_COLUMNS, "fill, by hand, columns", hand_make_fill,
	     hand_fill_columns, hand_finish, &sizes.fill),
	SIDE(FILL_PLAIT, "fill, plait, 8 bytes", plait_make_fill,
	     plait_fill, plait_finish, &sizes.fill),
	SIDE(TRIP_HAND, "trip, by hand", NULL,
	     hand_trip, hand_take_nothing, &sizes.trips),
	SIDE(TRIP_QUEUE, "trip, plait, queue", NULL,
	     plait_trip_queue, plait_take_nothing, &sizes.trips),
	SIDE(TRIP_PLAIT, "trip, plait, plan", plait_make_trip,
	     plait_trip, plait_take_nothing, &sizes.trips),
	SIDE(FUNCTION_HAND, "function, by hand", NULL,
	     hand_function, hand_take_nothing, &sizes.trips),
	SIDE(FUNCTION_PLAIT, "function, plait", NULL,
	     plait_function, plait_take_nothing, &sizes.trips),
	SIDE(STAGED_HAND, "staged, by hand", hand_make_staged,
	     hand_staged, hand_take_nothing, &sizes.staged),
	SIDE(STAGED_PLAIT, "staged, plait", plait_make_staged,
	     plait_staged, plait_take_nothing, &sizes.staged),
	SIDE(INSTANTIATE_HAND, "instantiate, by hand", NULL,
	     hand_instantiate, hand_take_nothing, &sizes.chain),
	SIDE(INSTANTIATE_PLAIT, "instantiate, plait, with planning", NULL,
	     plait_instantiate, plait_take_nothing, &sizes.chain),
	SIDE(INSTANTIATE_USUAL, "instantiate, plait, 2 instances", NULL,
	     plait_instantiate_usual, plait_take_nothing, &sizes.chain),
	SIDE(PATCH_HAND, "patch, by hand", hand_make_patched,
	     hand_patch, hand_take_number, &sizes.trips),
	SIDE(PATCH_PLAIT, "patch, plait", plait_make_patched,
	     plait_patch, plait_take_number, &sizes.trips),
	SIDE(CANCEL_HAND, "cancel, by hand", hand_make_cancel,
	     hand_cancel, hand_take_cancel, NULL),
	SIDE(CANCEL_PLAIT, "cancel, plait", plait_make_cancel,
	     plait_cancel, plait_take_cancel, NULL),
	SIDE(ALLOCATE_HAND, "allocate, by hand, 1 MiB", NULL,
	     hand_allocate, hand_take_nothing, &sizes.trips),
	SIDE(ALLOCATE_PLAIT, "allocate, plait, 1 MiB", NULL,
	     plait_allocate, plait_take_nothing, &sizes.trips),
	SIDE(LARGE_HAND, "allocate, by hand, large", NULL,
	     hand_allocate_large, hand_take_nothing, NULL),
	SIDE(LARGE_PLAIT, "allocate, plait, large", NULL,
	     plait_allocate_large, plait_take_nothing, NULL),
};

/* --- measuring ------------------------------------------------------------ */

static void take_turn(struct side *side, int round)
{
	double began = clock_ns(), ended;

	side->run();
	ended = clock_ns();
	side->take();
	side->whole[round] = ended - began;
	side->device[round] = device_ns;
	side->result = result;
}

/* Open a side and run it once, untimed. */
static void begin(struct side *side, int round)
{
	printf("first turn: %s\n", side->name);
	if (side->open != NULL)
		side->open();
	take_turn(side, round);
}

/* Run a step of a side; a side that fails, with a message, is left out afterwards. */
static void try(struct side *side, void (*step)(struct side *, int), int round)
{
	if (side->skipped)
		return;
	guarded = true;
	if (setjmp(way_out) == 0) {
		step(side, round);
	} else {
		printf("FAILED: %s\n", side->name);
		side->skipped = side->failed = true;
	}
	guarded = false;
}

/* Run all sides in each round, so that disturbances affect all alike; return the
 * number of rounds. */
static int measure(int rounds, double seconds)
{
	double end = clock_ns() + seconds * 1e9;
	int i, k;

	for (k = 0; k < SIDES; k++)
		try(&sides[k], begin, 0);
	for (i = 0; i < rounds && !stopped && (i == 0 || clock_ns() < end); i++)
		for (k = 0; k < SIDES; k++)
			try(&sides[k], take_turn, i);
	return i;
}

/* --- the program ---------------------------------------------------------- */

static const char *argument(int argc, char **argv, const char *key)
{
	size_t length = strlen(key);

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], key, length) == 0 &&
		    argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

static void choose(const char *only)
{
	for (int i = 0; i < SIDES; i++)
		sides[i].skipped = only != NULL &&
				   strstr(sides[i].name, only) == NULL;
	if (hand_has_conditions())
		return;
	puts("no conditional nodes in this driver: what needs them is left "
	     "out");
	sides[WHILE_NODE].skipped = true;
	sides[WHILE_LAST].skipped = true;
	sides[WHILE_PINNED].skipped = true;
	sides[WHILE_DEVICE].skipped = true;
	sides[WHILE_TIMER].skipped = true;
	sides[CG_GRAPH].skipped = true;
	sides[CANCEL_HAND].skipped = true;
}

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

int main(int argc, char **argv)
{
	const char *driver = argument(argc, argv, "driver");
	const char *compiler = argument(argc, argv, "nvrtc");
	const char *asked = argument(argc, argv, "rounds");
	const char *seconds = argument(argc, argv, "seconds");
	const char *more = argument(argc, argv, "more");
	int rounds = asked != NULL ? atoi(asked) : 31;
	char options[2048];

	if (rounds < 1 || rounds > MOST_ROUNDS)
		die("rounds", "1 to 1001");
	if (argument(argc, argv, "quick") != NULL)
		sizes = (struct sizes){ .chain = 50, .diamonds = 5,
					.turns = 10, .times = 20,
					.submits = 50, .square = 20, .fill = 1,
					.trips = 5, .staged = 1, .block = 2 };
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(options, sizeof(options), "cuda:graphs=strict,driver=%s%s%s%s%s",
		 driver != NULL ? driver : "libcuda.so.1",
		 compiler != NULL ? ",nvrtc=" : "",
		 compiler != NULL ? compiler : "", more != NULL ? "," : "",
		 more != NULL ? more : "");
	hand_begin(driver, compiler);
	printf("%s\n", hand_name());
	if (argument(argc, argv, "look") != NULL)
		return look() != 0;
	if (argument(argc, argv, "probe") != NULL)
		return probe(argument(argc, argv, "probe")) != 0;
	hand_open();
	plait_side_open(options);
	choose(argument(argc, argv, "only"));
	(void)signal(SIGTERM, stop);
	rounds = measure(rounds, seconds != NULL ? atof(seconds) : 3600);
	if (rounds > 0)
		print_all(rounds);
	if (compare_results() != 0)
		return 1;
	plait_side_close();
	hand_close();
	return 0;
}
