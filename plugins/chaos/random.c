/* SPDX-License-Identifier: MIT */
/*
 * Random number generator of a simulated system.  The order of draws depends on
 * the seed and on the calls only, so a seed determines a run.
 */
#include "chaos.h"

uint64_t plaitp_chaos_random(chaos *system)
{
	uint64_t z = system->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Nearly uniform in [0, limit); 0 if `limit` is 0. */
uint64_t plaitp_chaos_random_below(chaos *system, uint64_t limit)
{
	uint64_t value = plaitp_chaos_random(system);

	return limit == 0 ? 0 : value % limit;
}

/* Returns a number of the range; with the quirk `shuffle` up to 1024 times as
 * much. */
uint64_t plaitp_chaos_random_delay(chaos *system, const chaos_range *range)
{
	uint64_t span = range->max - range->min;
	uint64_t value = range->min + plaitp_chaos_random_below(system, span +
								1);

	if (system->options.quirks & CHAOS_SHUFFLE)
		value <<= plaitp_chaos_random_below(system, 11);
	return value;
}
