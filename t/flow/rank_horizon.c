/* SPDX-License-Identifier: MIT */
/* Errors of horizons that differ from those of another rank: they name the submission, or
 * say that it may be an earlier one. */
#include "lib/tap.h"

#include "flow/rank_horizon.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD = 8, RANKS = 3, OTHER = 2 };

static plait__flow_ranks ranks;
static plait__rank_peer peers[RANKS];
static plait_error error;

/* Submit so many tasks. */
static void begin(uint32_t tasks)
{
	memset(&ranks, 0, sizeof(ranks));
	memset(peers, 0, sizeof(peers));
	error = (plait_error){ .size = sizeof(error) };
	ranks.peers = peers;
	ranks.count = RANKS;
	plait__program_hash_init(&ranks.program, PERIOD);
	for (uint32_t i = 0; i < tasks; i++) {
		char label[32];

		snprintf(label, sizeof(label), "task %u", i + 1);
		(void)plait__program_hash_add(&ranks.program, i + 1, label);
	}
}

/* Horizon as the other rank told it: the same, to be changed. */
static plait__horizon *tell(uint64_t number)
{
	plait__horizon *told =
		&peers[OTHER].told[number & (PLAIT__HORIZON_KEPT - 1)];

	*told = *plait__program_hash_kept(&ranks.program, number);
	ranks.told_newest = number;
	return told;
}

static void is_equal(void)
{
	begin(PERIOD);
	(void)tell(1);
	IS_INT(plait__rank_horizon_check(&ranks, 1, &error), PLAIT_OK);
	IS_STR(error.text, "");
}

static void names_a_submission(void)
{
	begin(2 * PERIOD);
	tell(2)->each[3] ^= 1;
	IS_INT(plait__rank_horizon_check(&ranks, 2, &error), PLAIT_E_INVALID);
	IS_STR(error.text, "submission 12, \"task 12\" on rank 0 (horizon 2), is "
	       "another one on rank 2; all ranks submit the same tasks");
}

/* The words that are told of each are equal, and the hash of all is not. */
static void names_one_or_an_earlier_one(void)
{
	static const char text[] =
		"submission 8, \"task 8\" on rank 0 (horizon 1), or one before it "
		"is another one on rank 2; all ranks submit the same tasks";

	begin(PERIOD);
	tell(1)->after ^= 1;
	IS_INT(plait__rank_horizon_check(&ranks, 1, &error), PLAIT_E_INVALID);
	IS_STR(error.text, text);
}

/* The same before the horizon is over, and of the horizons before it. */
static void names_the_newest_or_an_earlier_one(void)
{
	begin(5);
	tell(1)->after ^= 1;
	IS_INT(plait__rank_horizon_check_newest(&ranks, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "submission 5, \"task 5\" on rank 0 (horizon 1), or "
		"one before it is another one on rank 2");
	begin(2 * PERIOD);
	tell(2)->before ^= 1;
	IS_INT(plait__rank_horizon_check(&ranks, 2, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "submission 9, \"task 9\" on rank 0 (horizon 2), or "
		"one before it is another one on rank 2");
}

static void names_an_end(void)
{
	plait__horizon *told;

	begin(PERIOD);
	told = tell(1);
	told->count = 5;
	told->after = ranks.program.hashes[1][4];
	told->end = PLAIT__HORIZON_LAST;
	IS_INT(plait__rank_horizon_check(&ranks, 1, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "rank 2 has ended its flow before submission 6, "
		"\"task 6\" on rank 0 (horizon 1)");
}

static const struct tap_scenario all[] = {
	{ "is equal", is_equal },
	{ "names a submission", names_a_submission },
	{ "names one or an earlier one", names_one_or_an_earlier_one },
	{ "names the newest or an earlier one",
	  names_the_newest_or_an_earlier_one },
	{ "names an end", names_an_end },
};

TAP_MAIN(all)
