/* SPDX-License-Identifier: MIT */
/* Chunks of a launch; see chunks.h. */
#include "flow/access/chunks.h"

#include <stddef.h>

static uint64_t group_of(const plait_launch *launch, uint32_t d)
{
	return launch->group[d] != 0 ? launch->group[d] : 1;
}

static uint64_t groups_in(const plait_launch *launch, uint32_t d)
{
	uint64_t group = group_of(launch, d);

	return launch->items[d] / group + (launch->items[d] % group != 0);
}

static uint32_t fit(const plait_launch *launch, uint32_t d, uint32_t parts)
{
	uint64_t groups = groups_in(launch, d);

	return groups < parts ? (uint32_t)groups : parts;
}

/* The largest divisor that is at most the square root. */
static uint32_t side_of(uint32_t pieces)
{
	uint32_t side = 1;

	for (uint32_t i = 2; i * i <= pieces; i++)
		if (pieces % i == 0)
			side = i;
	return side;
}

void plait__chunks_cut(plait__chunks *chunks, const plait_launch *launch,
		       uint32_t split, uint32_t pieces)
{
	uint32_t outer = launch->dimensions - 1;
	uint32_t side = split > 1 && outer > 0 ? side_of(pieces) : 1;

	*chunks = (plait__chunks){ .launch = *launch, .parts = { 1, 1, 1 } };
	if (split > 0) {
		if (side > 1)
			chunks->parts[outer - 1] = fit(launch, outer - 1, side);
		chunks->parts[outer] = fit(launch, outer, pieces / side);
	}
	chunks->count = chunks->parts[0] * chunks->parts[1] * chunks->parts[2];
}

uint64_t plait__chunks_groups(const plait_launch *launch)
{
	return groups_in(launch, launch->dimensions - 1);
}

/* Returns the groups of dimension d before a part. */
static uint64_t groups_before(const plait__chunks *chunks, uint32_t d,
			      uint64_t part)
{
	uint64_t groups = groups_in(&chunks->launch, d);
	uint64_t each = groups / chunks->parts[d];
	uint64_t rest = groups % chunks->parts[d];

	if (chunks->borders != NULL && d == chunks->launch.dimensions - 1)
		return chunks->borders[part];
	/* The first `rest` parts have one group more. */
	return part * each + (part < rest ? part : rest);
}

plait_box plait__chunks_at(const plait__chunks *chunks, uint32_t i)
{
	plait_box box;

	for (uint32_t d = 0; d < 3; d++) {
		const plait_launch *launch = &chunks->launch;
		uint64_t group = group_of(launch, d);
		uint64_t parts = chunks->parts[d], part = i % parts;

		box.low[d] = group * groups_before(chunks, d, part);
		box.high[d] = group * groups_before(chunks, d, part + 1);
		if (box.high[d] > launch->items[d])
			box.high[d] = launch->items[d];
		i /= (uint32_t)parts;
	}
	return box;
}
