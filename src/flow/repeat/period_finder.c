/* SPDX-License-Identifier: MIT */
/* Period finder; see period_finder.h. */
#include "flow/repeat/period_finder.h"

enum { MASK = PLAIT__PERIOD_TOKENS - 1, INDEX_SHIFT = 64 - 12 };

/* Word of a gram: the sum of its tokens by powers of this number, which is odd. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

_Static_assert(1 << (64 - INDEX_SHIFT) == PLAIT__PERIOD_TOKENS,
	       "the index has an entry for each token of the ring");
/* A token of the ring is compared with one that is a period older. */
_Static_assert(PLAIT__PERIOD_MOST * (PLAIT__PERIOD_TIMES + 1) <=
		       PLAIT__PERIOD_TOKENS, "the ring has the repeats");

static uint64_t token_at(const plait__period_finder *finder, uint64_t position)
{
	return finder->tokens[position & MASK];
}

/* FACTOR to the power of the tokens of a gram. */
static uint64_t oldest_factor(void)
{
	uint64_t factor = FACTOR;

	for (int i = 1; i < PLAIT__PERIOD_GRAM; i *= 2)
		factor *= factor;
	return factor;
}

/* Add the token to the ring, and change the word of the newest gram. */
static void append(plait__period_finder *finder, uint64_t token)
{
	uint64_t word = (finder->word + token) * FACTOR;

	/* Zeroed tokens come before the first one. */
	word -= token_at(finder, finder->count - PLAIT__PERIOD_GRAM) *
		oldest_factor() * FACTOR;
	finder->word = word;
	finder->tokens[finder->count++ & MASK] = token;
}

/* Returns true if the newest gram is the one that ends at a position. */
static bool is_gram(const plait__period_finder *finder, uint64_t position)
{
	for (uint64_t i = 0; i < PLAIT__PERIOD_GRAM; i++)
		if (token_at(finder, finder->count - 1 - i) !=
		    token_at(finder, position - i))
			return false;
	return true;
}

/* Note the newest gram.  Returns the distance to the last equal one, or 0. */
static uint64_t look_up(plait__period_finder *finder)
{
	uint64_t newest = finder->count - 1;
	uint64_t *entry = &finder->index[finder->word >> INDEX_SHIFT];
	uint64_t last = *entry;

	*entry = newest + 1;
	if (last == 0 || newest - (last - 1) > PLAIT__PERIOD_MOST ||
	    !is_gram(finder, last - 1))
		return 0;
	return newest - (last - 1);
}

/* The least multiple of a distance that is a period. */
static uint64_t period_of(uint64_t distance)
{
	uint64_t least = PLAIT__PERIOD_LEAST;

	return distance == 0 || distance >= least ? distance :
	       (least + distance - 1) / distance * distance;
}

uint32_t plait__period_finder_add(plait__period_finder *finder, uint64_t token)
{
	uint64_t distance, before;

	append(finder, token);
	if (finder->count < PLAIT__PERIOD_GRAM)
		return 0;
	distance = look_up(finder);
	before = finder->count - 1 - finder->period;
	if (finder->period != 0 && token == token_at(finder, before)) {
		finder->equal++;
	} else {
		finder->period = period_of(distance);
		finder->equal = finder->period == distance ?
					PLAIT__PERIOD_GRAM : 0;
	}
	if (finder->period == 0 ||
	    finder->equal < (PLAIT__PERIOD_TIMES - 1) * finder->period)
		return 0;
	return (uint32_t)finder->period;
}

uint64_t plait__period_finder_since_gap(const plait__period_finder *finder)
{
	uint64_t kept = finder->count < PLAIT__PERIOD_TOKENS ?
				finder->count : PLAIT__PERIOD_TOKENS;

	for (uint64_t i = 0; i < kept; i++)
		if (token_at(finder, finder->count - 1 - i) ==
		    PLAIT__PERIOD_GAP)
			return i;
	return finder->count;
}
