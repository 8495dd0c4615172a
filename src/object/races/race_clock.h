/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks of the race check.  A *track* is a sequence of positions: a
 * queue, a gate, or a call of a plan.  A clock has three positions per track:
 *
 *     before  upper bound of what happens before
 *     sure    lower bound of it
 *     opaque  newest position of those that may follow anything, because a
 *             host function or a gate decides: upper bound
 *
 * An upper bound may hide a race; it never invents one.
 */
#ifndef PLAIT_SRC_OBJECT_RACES_RACE_CLOCK_H
#define PLAIT_SRC_OBJECT_RACES_RACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAIT__RACE_TRACKS = 64,
	PLAIT__RACE_NO_TRACK = PLAIT__RACE_TRACKS
};

typedef struct plait__race_clock {
	uint64_t before[PLAIT__RACE_TRACKS];
	uint64_t sure[PLAIT__RACE_TRACKS];
	uint64_t opaque[PLAIT__RACE_TRACKS];
	/* Something without a track may follow anything. */
	bool is_opaque;
} plait__race_clock;

static inline void plait__race_clock_raise(uint64_t *into, const uint64_t *from,
					   uint32_t tracks)
{
	for (uint32_t i = 0; i < tracks; i++)
		if (into[i] < from[i])
			into[i] = from[i];
}

/* Order `into` behind `from`; if not `is_sure`, only perhaps. */
static inline void plait__race_clock_join(plait__race_clock *into,
					  const plait__race_clock *from,
					  bool is_sure, uint32_t tracks)
{
	plait__race_clock_raise(into->before, from->before, tracks);
	if (is_sure)
		plait__race_clock_raise(into->sure, from->sure, tracks);
	plait__race_clock_raise(into->opaque, from->opaque, tracks);
	into->is_opaque |= from->is_opaque;
}

/* Order the host behind `from`.  What the host has seen is over, so whatever
 * the opaque positions followed was submitted before, and is known. */
static inline void plait__race_clock_join_host(plait__race_clock *host,
					       const plait__race_clock *from,
					       bool is_sure, uint32_t tracks)
{
	plait__race_clock_raise(host->before, from->before, tracks);
	if (is_sure)
		plait__race_clock_raise(host->sure, from->sure, tracks);
}

/* Returns true if a host function or a gate may order two works, of which
 * neither vector clock includes the other. */
static inline bool plait__race_clock_may_order(const plait__race_clock *one,
					       const plait__race_clock *other,
					       uint32_t tracks)
{
	if (one->is_opaque || other->is_opaque)
		return true;
	for (uint32_t i = 0; i < tracks; i++)
		if (one->opaque[i] > other->sure[i] ||
		    other->opaque[i] > one->sure[i])
			return true;
	return false;
}

#endif
