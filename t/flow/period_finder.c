/* SPDX-License-Identifier: MIT */
/* Period finder: random sequences of tokens against brute force. */
#include "lib/tap.h"

#include "flow/repeat/period_finder.h"

#include <string.h>

enum { LENGTH = 12000, ROUNDS = 60 };

static plait__period_finder finder;
static uint64_t tokens[LENGTH];
static uint64_t state;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % n;
}

/* Newest tokens, before `count`, that equal those a period before. */
static uint64_t equal_before(uint64_t count, uint64_t period)
{
	uint64_t equal = 0;

	while (equal + period < count &&
	       tokens[count - 1 - equal] == tokens[count - 1 - equal - period])
		equal++;
	return equal;
}

/* Append `times` repeats of a random period; each token has one of `kinds`. */
static uint64_t append_period(uint64_t at, uint64_t period, uint64_t times,
			      uint64_t kinds)
{
	for (uint64_t i = 0; i < period * times && at < LENGTH; i++, at++)
		tokens[at] = i < period ? 1 + below(kinds) :
					  tokens[at - period];
	return at;
}

static void make_tokens(void)
{
	static const uint64_t kinds[] = { 2, 5, 50, UINT64_C(1) << 40 };
	uint64_t at = 0;

	while (at < LENGTH) {
		uint64_t period = below(3) == 0 ? 1 + below(1400) :
						  1 + below(100);

		at = append_period(at, period, 1 + below(7),
				   kinds[below(TAP_COUNT(kinds))]);
		if (at > 0 && below(3) == 0)
			tokens[at - 1 - below(at < 200 ? at : 200)] = below(5);
	}
}

/* A period that is found is one, of as many repeats as it has to be. */
static void check_found(uint64_t count, uint32_t period)
{
	OK_THAT(period >= PLAIT__PERIOD_LEAST && period <= PLAIT__PERIOD_MOST &&
		equal_before(count, period) >=
			(PLAIT__PERIOD_TIMES - 1) * (uint64_t)period,
		"token %llu: no period of %u", (unsigned long long)count,
		period);
}

static void finds_only_periods(void)
{
	uint64_t seed = tap_seed();
	uint64_t found = 0;

	for (uint64_t r = 0; r < ROUNDS && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		memset(&finder, 0, sizeof(finder));
		make_tokens();
		for (uint64_t i = 0; i < LENGTH; i++) {
			uint32_t period = plait__period_finder_add(&finder,
								   tokens[i]);

			if (period != 0) {
				found++;
				check_found(i + 1, period);
			}
		}
	}
	OK(found > 0);
}

/* A period whose tokens differ is found when it has come three times, behind any
 * tokens. */
static void finds_each_period(void)
{
	uint64_t seed = tap_seed();

	state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	NOTE("seed=%llu", (unsigned long long)seed);
	memset(&finder, 0, sizeof(finder));
	for (uint64_t period = PLAIT__PERIOD_LEAST;
	     period <= PLAIT__PERIOD_MOST; period += 1 + below(20)) {
		uint32_t found = 0;

		for (uint64_t i = below(3000); i > 0; i--)
			(void)plait__period_finder_add(&finder, 1 + below(9));
		for (uint64_t i = 0; i < PLAIT__PERIOD_TIMES * period; i++) {
			OK(found == 0);
			found = plait__period_finder_add(
				&finder, 1000 * period + i % period);
		}
		IS_UINT(found, period);
	}
}

/* Short periods count several times; long ones are none. */
static void knows_limits(void)
{
	uint32_t found = 0;

	memset(&finder, 0, sizeof(finder));
	for (uint64_t i = 0; i < 100; i++)
		found = plait__period_finder_add(&finder, 1 + i % 5);
	IS_UINT(found, 20);
	for (uint64_t i = 0; i < 5 * (PLAIT__PERIOD_MOST + 1); i++)
		IS_UINT(plait__period_finder_add(
				&finder, 10 + i % (PLAIT__PERIOD_MOST + 1)), 0);
}

static void finds_gaps(void)
{
	memset(&finder, 0, sizeof(finder));
	IS_UINT(plait__period_finder_since_gap(&finder), 0);
	(void)plait__period_finder_add(&finder, 1);
	IS_UINT(plait__period_finder_since_gap(&finder), 1);
	(void)plait__period_finder_add(&finder, PLAIT__PERIOD_GAP);
	IS_UINT(plait__period_finder_since_gap(&finder), 0);
	for (uint64_t i = 1; i < PLAIT__PERIOD_TOKENS; i++) {
		(void)plait__period_finder_add(&finder, i);
		IS_UINT(plait__period_finder_since_gap(&finder), i);
	}
	(void)plait__period_finder_add(&finder, 1);
	IS_UINT(plait__period_finder_since_gap(&finder),
		PLAIT__PERIOD_TOKENS + 2);
}

static const struct tap_scenario all[] = {
	{ "finds only periods", finds_only_periods },
	{ "finds each period", finds_each_period },
	{ "knows limits", knows_limits },
	{ "finds gaps", finds_gaps },
};

TAP_MAIN(all)
