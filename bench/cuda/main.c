/* SPDX-License-Identifier: MIT */
/*
 * Plans on CUDA beside the same by hand, in one process, in turn:
 *
 *	bench-cuda [rounds=N] [quick=1] [only=PART] [driver=FILE] [nvrtc=FILE]
 *	bench-cuda look=1 [driver=FILE] [nvrtc=FILE]
 *
 * `device` is by the device's own clock, from the first kernel of a run to the
 * last; `whole` is the host's, from the call to its end.  Ratios are the median
 * of what two sides took in the same round.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { MOST_ROUNDS = 1001 };

struct sizes sizes = { .chain = 1000, .diamonds = 100, .turns = 1000,
		       .times = 10000, .submits = 1000, .square = 1000 };
double device_ns;
uint64_t result;

void die(const char *what, const char *why)
{
	fprintf(stderr, "bench-cuda: %s: %s\n", what, why);
	exit(1);
}

/* --- who takes turns ------------------------------------------------------ */

enum {
	CHAIN_LAUNCHES, CHAIN_GRAPH, CHAIN_PLAIT,
	DIAMONDS_STREAMS, DIAMONDS_GRAPH, DIAMONDS_QUEUES, DIAMONDS_PLAIT,
	WHILE_HOST, WHILE_NODE, WHILE_LAST, WHILE_PLAIT, WHILE_OWN,
	SUBMIT_HAND, SUBMIT_PLAIT,
	CG_HOST, CG_GRAPH, CG_PLAIT,
	SIDES
};

static struct side {
	const char *name;
	void (*run)(void);
	void (*take)(void); /* not timed */
	uint32_t *per;	    /* by what its time is divided, or null */
	bool skipped;
	uint64_t result;
	double device[MOST_ROUNDS], whole[MOST_ROUNDS];
} sides[SIDES] = {
#define SIDE(index, name, run, take, per) \
	[index] = { name, run, take, per, false, 0, { 0 }, { 0 } }
	SIDE(CHAIN_LAUNCHES, "chain, by hand, launches", hand_chain_launches,
	     hand_take_word, &sizes.chain),
	SIDE(CHAIN_GRAPH, "chain, by hand, graph", hand_chain_graph,
	     hand_take_word, &sizes.chain),
	SIDE(CHAIN_PLAIT, "chain, plait", plait_chain, plait_take_word,
	     &sizes.chain),
	SIDE(DIAMONDS_STREAMS, "diamonds, by hand, 4 streams",
	     hand_diamonds_streams, hand_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_GRAPH, "diamonds, by hand, graph", hand_diamonds_graph,
	     hand_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_QUEUES, "diamonds, plait, 4 queues",
	     plait_diamonds_queues, plait_take_branch, &sizes.diamonds),
	SIDE(DIAMONDS_PLAIT, "diamonds, plait", plait_diamonds,
	     plait_take_branch, &sizes.diamonds),
	SIDE(WHILE_HOST, "while, by hand, host decides", hand_while_host,
	     hand_take_word, &sizes.times),
	SIDE(WHILE_NODE, "while, by hand, node decides", hand_while_node,
	     hand_take_word, &sizes.times),
	SIDE(WHILE_LAST, "while, by hand, own kernel decides",
	     hand_while_last, hand_take_word, &sizes.times),
	SIDE(WHILE_PLAIT, "while, plait", plait_while, plait_take_word,
	     &sizes.times),
	SIDE(WHILE_OWN, "while, plait, own kernel decides", plait_while_own,
	     plait_take_word, &sizes.times),
	SIDE(SUBMIT_HAND, "submit, by hand", hand_submit, hand_finish,
	     &sizes.submits),
	SIDE(SUBMIT_PLAIT, "submit, plait", plait_submit, plait_finish,
	     &sizes.submits),
	SIDE(CG_HOST, "solve, by hand, host decides", hand_cg_host,
	     hand_take_count, NULL),
	SIDE(CG_GRAPH, "solve, by hand, graph", hand_cg_graph,
	     hand_take_count, NULL),
	SIDE(CG_PLAIT, "solve, plait", plait_cg, plait_take_count, NULL),
};

/* What is wanted of a ratio; 0: nothing, it is told. */
static const struct pair {
	int one, other;
	bool device; /* of the device's time, else of the whole */
	double most, least;
} pairs[] = {
	{ CHAIN_PLAIT, CHAIN_GRAPH, true, 1.02, 0 },
	{ CHAIN_PLAIT, CHAIN_GRAPH, false, 0, 0 },
	{ CHAIN_LAUNCHES, CHAIN_PLAIT, true, 0, 0 },
	{ CHAIN_LAUNCHES, CHAIN_PLAIT, false, 0, 0 },
	{ DIAMONDS_PLAIT, DIAMONDS_STREAMS, true, 1.05, 0 },
	{ DIAMONDS_PLAIT, DIAMONDS_GRAPH, true, 1.05, 0 },
	{ DIAMONDS_QUEUES, DIAMONDS_STREAMS, true, 1.05, 0 },
	{ DIAMONDS_PLAIT, DIAMONDS_GRAPH, false, 0, 0 },
	{ WHILE_PLAIT, WHILE_NODE, true, 1.05, 0 },
	{ WHILE_PLAIT, WHILE_LAST, true, 1.35, 0 },
	{ WHILE_OWN, WHILE_LAST, true, 1.05, 0 },
	{ WHILE_HOST, WHILE_PLAIT, true, 0, 3 },
	{ WHILE_HOST, WHILE_PLAIT, false, 0, 3 },
	{ CG_PLAIT, CG_GRAPH, true, 0, 0 },
	{ CG_HOST, CG_PLAIT, true, 0, 0 },
	{ CG_HOST, CG_PLAIT, false, 0, 0 },
};

enum { PAIRS = sizeof(pairs) / sizeof(*pairs) };

/* The most that one launch may take longer than the driver's own call. */
static const double submit_ns = 300;

/* --- measuring ------------------------------------------------------------ */

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void take_turn(struct side *side, int round)
{
	double began = now_ns(), ended;

	side->run();
	ended = now_ns();
	side->take();
	side->whole[round] = ended - began;
	side->device[round] = device_ns;
	side->result = result;
}

/* All sides, so that whatever disturbs one disturbs all. */
static void measure(int rounds)
{
	for (int i = -1; i < rounds; i++)
		for (int k = 0; k < SIDES; k++)
			if (!sides[k].skipped)
				take_turn(&sides[k], i < 0 ? 0 : i);
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double part_of(const double *values, int rounds, int place)
{
	static double sorted[MOST_ROUNDS];

	memcpy(sorted, values, sizeof(double) * (size_t)rounds);
	qsort(sorted, (size_t)rounds, sizeof(double), ascending);
	return sorted[place];
}

/* --- what is told --------------------------------------------------------- */

static void print_side(const struct side *side, int rounds)
{
	double per = side->per != NULL ? *side->per : 1;

	if (side->skipped)
		return;
	printf("%-36s", side->name);
	if (side->device[0] > 0)
		printf(" %12.0f %12.0f",
		       part_of(side->device, rounds, 0) / per,
		       part_of(side->device, rounds, rounds / 2) / per);
	else
		printf(" %12s %12s", "", "");
	printf(" %12.0f %12.0f %12llu\n",
	       part_of(side->whole, rounds, 0) / per,
	       part_of(side->whole, rounds, rounds / 2) / per,
	       (unsigned long long)side->result);
}

static const char *judge(const struct pair *pair, double ratio)
{
	if (pair->most == 0 && pair->least == 0)
		return "";
	return (pair->most != 0 && ratio > pair->most) ||
	       ratio < pair->least ? "  MISSED" : "  held";
}

static void print_pair(const struct pair *pair, int rounds)
{
	const struct side *one = &sides[pair->one];
	const struct side *other = &sides[pair->other];
	static double ratios[MOST_ROUNDS];
	char names[100], wanted[32] = "";
	double ratio;

	if (one->skipped || other->skipped)
		return;
	for (int i = 0; i < rounds; i++)
		ratios[i] = pair->device ? one->device[i] / other->device[i] :
					   one->whole[i] / other->whole[i];
	ratio = part_of(ratios, rounds, rounds / 2);
	snprintf(names, sizeof(names), "%s / %s", one->name, other->name);
	if (pair->most != 0)
		snprintf(wanted, sizeof(wanted), "at most %.2f", pair->most);
	if (pair->least != 0)
		snprintf(wanted, sizeof(wanted), "at least %.2f",
			 pair->least);
	printf("%-66s %-6s %8.3f %8.3f %8.3f  %-14s%s\n", names,
	       pair->device ? "device" : "whole",
	       part_of(ratios, rounds, rounds / 4), ratio,
	       part_of(ratios, rounds, rounds - 1 - rounds / 4), wanted,
	       judge(pair, ratio));
}

static void print_submit(int rounds)
{
	const struct side *hand = &sides[SUBMIT_HAND];
	const struct side *plait = &sides[SUBMIT_PLAIT];
	static double more[MOST_ROUNDS];
	double median;

	if (hand->skipped || plait->skipped)
		return;
	for (int i = 0; i < rounds; i++)
		more[i] = (plait->whole[i] - hand->whole[i]) / sizes.submits;
	median = part_of(more, rounds, rounds / 2);
	printf("one launch: plait takes %.0f ns more than the driver's call "
	       "(least %.0f); at most %.0f wanted: %s\n", median,
	       part_of(more, rounds, 0), submit_ns,
	       median > submit_ns ? "MISSED" : "held");
}

static void print_all(int rounds)
{
	printf("\nns: a node, a diamond, an iteration, a launch, a solve; %d "
	       "rounds\n%-36s %12s %12s %12s %12s %12s\n", rounds, "",
	       "device, least", "median", "whole, least", "median", "result");
	for (int i = 0; i < SIDES; i++)
		print_side(&sides[i], rounds);
	printf("\n%-66s %-6s %8s %8s %8s\n", "ratios of a round: quartiles",
	       "", "", "median", "");
	for (int i = 0; i < PAIRS; i++)
		print_pair(&pairs[i], rounds);
	print_submit(rounds);
}

/* Both sides of a comparison have to have done the same.  The solver may take
 * an iteration more or less nowhere: the sums are the same. */
static int compare_results(void)
{
	static const int groups_of[][2] = {
		{ CHAIN_LAUNCHES, CHAIN_PLAIT },
		{ DIAMONDS_STREAMS, DIAMONDS_PLAIT },
		{ WHILE_HOST, WHILE_OWN }, { CG_HOST, CG_PLAIT }
	};
	int wrong = 0;

	for (size_t g = 0; g < 4; g++)
		for (int i = groups_of[g][0]; i <= groups_of[g][1]; i++) {
			const struct side *first = &sides[groups_of[g][0]];

			if (sides[i].skipped || first->skipped ||
			    sides[i].result == first->result)
				continue;
			printf("WRONG: %s has %llu, and %s %llu\n",
			       sides[i].name,
			       (unsigned long long)sides[i].result,
			       first->name,
			       (unsigned long long)first->result);
			wrong = 1;
		}
	return wrong;
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
	sides[CG_GRAPH].skipped = true;
}

int main(int argc, char **argv)
{
	const char *driver = argument(argc, argv, "driver");
	const char *compiler = argument(argc, argv, "nvrtc");
	const char *asked = argument(argc, argv, "rounds");
	int rounds = asked != NULL ? atoi(asked) : 31;
	char options[2048];

	if (rounds < 1 || rounds > MOST_ROUNDS)
		die("rounds", "1 to 1001");
	if (argument(argc, argv, "quick") != NULL)
		sizes = (struct sizes){ .chain = 50, .diamonds = 5,
					.turns = 10, .times = 20,
					.submits = 50, .square = 20 };
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(options, sizeof(options), "cuda:driver=%s%s%s",
		 driver != NULL ? driver : "libcuda.so.1",
		 compiler != NULL ? ",nvrtc=" : "",
		 compiler != NULL ? compiler : "");
	hand_begin(driver, compiler);
	printf("%s\n", hand_name());
	if (argument(argc, argv, "look") != NULL)
		return look() != 0;
	hand_open();
	plait_side_open(options);
	choose(argument(argc, argv, "only"));
	measure(rounds);
	print_all(rounds);
	plait_side_close();
	hand_close();
	return compare_results();
}
