/* SPDX-License-Identifier: MIT */
/* Random numbers of the tests of policies, and rounds of a random test. */
#ifndef T_POLICY_RANDOM_H
#define T_POLICY_RANDOM_H

#include "lib/tap.h"

static uint64_t random_state;

static inline uint64_t below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Call until a round has found something wrong. */
static inline void play_rounds(uint64_t rounds, uint32_t (*play)(void))
{
	uint64_t first = tap_seed(), round;
	uint32_t wrong = 0;

	for (round = 0; round < rounds && wrong == 0; round++) {
		random_state = (first + round) * 0x9e3779b97f4a7c15 + 1;
		wrong = play();
	}
	OK_THAT(wrong == 0, "seed %llu, round %llu: %u wrong",
		(unsigned long long)first, (unsigned long long)round - 1,
		wrong);
}

#endif
