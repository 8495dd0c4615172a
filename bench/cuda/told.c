/* SPDX-License-Identifier: MIT */
/* Output of bench-cuda: times, ratios, and the comparison of the sides' results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sides.h"

/* Limits of a ratio; 0: none. */
static const struct pair {
	int one, other;
	bool device; /* ratio of device times, else of whole times */
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
	{ WHILE_PINNED, WHILE_NODE, true, 0, 0 },
	{ WHILE_DEVICE, WHILE_NODE, true, 0, 0 },
	{ WHILE_TIMER, WHILE_NODE, true, 0, 0 },
	{ WHILE_HOST, WHILE_PLAIT, true, 0, 3 },
	{ WHILE_HOST, WHILE_PLAIT, false, 0, 3 },
	{ CG_PLAIT, CG_GRAPH, true, 0, 0 },
	{ CG_HOST, CG_PLAIT, true, 0, 0 },
	{ CG_HOST, CG_PLAIT, false, 0, 0 },
	{ FILL_PLAIT, FILL_COLUMNS, false, 0, 0 },
	{ FILL_PLAIT, FILL_WORDS, false, 0, 0 },
	{ TRIP_QUEUE, TRIP_HAND, false, 0, 0 },
	{ TRIP_PLAIT, TRIP_HAND, false, 0, 0 },
	{ FUNCTION_PLAIT, FUNCTION_HAND, false, 0, 0 },
	{ STAGED_PLAIT, STAGED_HAND, false, 0, 0 },
	{ INSTANTIATE_PLAIT, INSTANTIATE_HAND, false, 0, 0 },
	{ INSTANTIATE_USUAL, INSTANTIATE_HAND, false, 0, 0 },
	{ PATCH_PLAIT, PATCH_HAND, false, 0, 0 },
	{ CANCEL_PLAIT, CANCEL_HAND, true, 0, 0 },
	{ ALLOCATE_PLAIT, ALLOCATE_HAND, false, 0, 0 },
	{ LARGE_PLAIT, LARGE_HAND, false, 0, 0 },
};

enum { PAIRS = sizeof(pairs) / sizeof(*pairs) };

/* Limit of the overhead of one launch over the driver's call. */
static const double submit_ns = 300;

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

/* --- tables --------------------------------------------------------------- */

static void print_side(const struct side *side, int rounds)
{
	double per = side->per != NULL ? *side->per : 1;

	if (side->failed)
		printf("%-36s FAILED\n", side->name);
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
	/* A ratio that is no number, of times that are 0, is not held. */
	return (pair->most == 0 || ratio <= pair->most) &&
	       ratio >= pair->least ? "  held" : "  MISSED";
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
	       median <= submit_ns ? "held" : "MISSED");
}

void print_all(int rounds)
{
	printf("\nns: a node, a diamond, an iteration, a launch, a solve, a MiB, an "
	       "operation; %d rounds\n%-36s %12s %12s %12s %12s %12s\n", rounds, "",
	       "device, least", "median", "whole, least", "median", "result");
	for (int i = 0; i < SIDES; i++)
		print_side(&sides[i], rounds);
	printf("\n%-66s %-6s %8s %8s %8s\n", "ratios of a round: quartiles",
	       "", "", "median", "");
	for (int i = 0; i < PAIRS; i++)
		print_pair(&pairs[i], rounds);
	print_submit(rounds);
}

/* Compare the results of both sides.  Iteration counts of the solver must agree too,
 * since the sums are the same. */
int compare_results(void)
{
	static const int groups_of[][2] = {
		{ CHAIN_LAUNCHES, CHAIN_PLAIT },
		{ DIAMONDS_STREAMS, DIAMONDS_PLAIT },
		{ WHILE_HOST, WHILE_OWN }, { CG_HOST, CG_PLAIT },
		{ PATCH_HAND, PATCH_PLAIT }
	};
	int wrong = 0;

	for (int i = 0; i < SIDES; i++)
		wrong |= sides[i].failed;
	for (size_t g = 0; g < sizeof(groups_of) / sizeof(*groups_of); g++)
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
