/* SPDX-License-Identifier: MIT */
/* Numbers of ops in 32 bits: predecessors, and entries of lanes, where the whole
 * numbers pass multiples of 2^32. */
#include "lib/tap.h"

#include "flow/lanes/flow_claim.h"

enum { ENTRIES = 16 };

/* Whole numbers around which the tests go. */
static const uint64_t middles[] = {
	100, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(3) << 32,
	UINT64_C(1) << 60,
};

enum { MIDDLES = sizeof(middles) / sizeof(middles[0]) };

static void preds(void)
{
	static plait__op op;

	for (size_t m = 0; m < MIDDLES; m++)
		for (uint64_t n = middles[m] - 5; n <= middles[m] + 5; n++)
			for (uint32_t i = 0; i < PLAIT__OP_PREDS; i++) {
				uint64_t pred = n - 1 - 8 * i;

				plait__op_set_pred(&op, i, pred);
				IS_UINT(plait__op_pred(&op, n, i), pred);
			}
}

/* The oldest predecessor that an op can have. */
static void far_pred(void)
{
	static plait__op op;
	uint64_t n = UINT64_C(5) << 32;

	plait__op_set_pred(&op, 0, n - UINT32_MAX);
	IS_UINT(plait__op_pred(&op, n, 0), n - UINT32_MAX);
}

/* An entry of a lane opens its own op, while that is published, and no other
 * one. */
static void entries(void)
{
	static plait__op ops[ENTRIES];
	static plait__flow_lanes lanes;

	lanes.ring = (plait__op_ring){ ops, ENTRIES - 1 };
	for (size_t m = 0; m < MIDDLES; m++)
		for (uint64_t n = middles[m] - 5; n <= middles[m] + 5; n++) {
			at_u64 *word = &plait__op_at(&lanes.ring, n)->word;
			uint32_t entry = (uint32_t)n;

			at_store_relaxed_u64(word, 4 * n + PLAIT__OP_PUBLISHED);
			IS_UINT(plait__flow_claim_open(&lanes, entry), n);
			IS_UINT(plait__flow_claim_open(&lanes, entry - ENTRIES),
				0);
			at_store_relaxed_u64(word, 4 * n + PLAIT__OP_TAKEN);
			IS_UINT(plait__flow_claim_open(&lanes, entry), 0);
		}
}

static const struct tap_scenario all[] = {
	{ "predecessors", preds },
	{ "oldest predecessor", far_pred },
	{ "entries", entries },
};

TAP_MAIN(all)
