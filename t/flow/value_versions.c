/* SPDX-License-Identifier: MIT */
/* Versions of values against arrays of elements: random writes, copies and
 * comparisons of boxes in a cube. */
#include "policy_random.h"

#include "flow/proof/value_versions.h"

#include "base/alloc.h"

enum { SIDE = 5, ELEMENTS = SIDE * SIDE * SIDE, MEMORIES = 3 };
enum { STEPS = 200, ROUNDS = 60 };

static uint64_t newest[ELEMENTS], versions_of[MEMORIES][ELEMENTS];

static plait_box random_box(void)
{
	plait_box box;

	for (int d = 0; d < 3; d++) {
		box.low[d] = below(SIDE);
		box.high[d] = box.low[d] + 1 + below(SIDE - box.low[d]);
	}
	return box;
}

static bool is_in(const plait_box *box, uint32_t e)
{
	const uint64_t at[3] = { e % SIDE, e / SIDE % SIDE, e / SIDE / SIDE };

	for (int d = 0; d < 3; d++)
		if (at[d] < box->low[d] || at[d] >= box->high[d])
			return false;
	return true;
}

static bool write_box(plait__value_versions *versions, uint64_t version)
{
	plait_box box = random_box();
	uint32_t memory = (uint32_t)below(MEMORIES);

	for (uint32_t e = 0; e < ELEMENTS; e++)
		if (is_in(&box, e))
			newest[e] = versions_of[memory][e] = version;
	return plait__value_versions_write(versions, &box, memory, version);
}

static bool copy_box(plait__value_versions *versions)
{
	plait_box box = random_box();
	uint32_t from = (uint32_t)below(MEMORIES);
	uint32_t to = (from + 1 + (uint32_t)below(MEMORIES - 1)) % MEMORIES;

	for (uint32_t e = 0; e < ELEMENTS; e++)
		if (is_in(&box, e))
			versions_of[to][e] = versions_of[from][e];
	return plait__value_versions_copy(versions, &box, from, to);
}

static uint32_t equal, different;

static bool compare_box(plait__value_versions *versions)
{
	plait_box box = random_box();
	uint32_t memory = (uint32_t)below(MEMORIES), stale = 0, told = 0;
	uint32_t right = 0;
	plait__stale_values out;
	bool same = plait__value_versions_are_newest(versions, &box, memory,
						     &out);

	for (uint32_t e = 0; e < ELEMENTS; e++) {
		if (!is_in(&box, e))
			continue;
		stale += versions_of[memory][e] != newest[e];
		if (same || !is_in(&out.box, e))
			continue;
		told++;
		right += versions_of[memory][e] == out.version &&
			 newest[e] == out.newest && out.version != out.newest;
	}
	equal += same;
	different += !same;
	return same == (stale == 0) && (same || (told > 0 && right == told));
}

static uint32_t play(void)
{
	const plait_box whole = { { 0, 0, 0 }, { SIDE, SIDE, SIDE } };
	plait__value_versions *versions = plait__value_versions_make(
		plait__alloc_default(), &whole, MEMORIES);
	uint32_t wrong = versions == NULL;

	for (uint32_t e = 0; e < ELEMENTS; e++) {
		newest[e] = versions_of[0][e] = 0;
		for (uint32_t m = 1; m < MEMORIES; m++)
			versions_of[m][e] = PLAIT__VALUE_VERSIONS_NONE;
	}
	for (uint64_t step = 1; wrong == 0 && step <= STEPS; step++)
		wrong += !(below(4) == 0 ? write_box(versions, step) :
			   below(3) != 0 ? copy_box(versions) :
					   compare_box(versions));
	plait__value_versions_free(versions, plait__alloc_default());
	return wrong;
}

static void changes(void)
{
	play_rounds(ROUNDS, play);
	NOTE("%u equal, %u different", equal, different);
	OK(equal > 0 && different > 0);
}

static const struct tap_scenario all[] = {
	{ "changes", changes },
};

TAP_MAIN(all)
