/* SPDX-License-Identifier: MIT */
/*
 * Weighted splits: shares of the units of a launch for devices, in proportion to
 * their speed.  A unit is what cannot be cut: an item, or a row of groups.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_WEIGHTS_H
#define PLAIT_SRC_FLOW_POLICY_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* Most devices of a split, and the weight of the fastest. */
enum { PLAIT__WEIGHTS_DEVICES = 64, PLAIT__WEIGHTS_ONE = 1 << 20 };

/* Weights of devices by the expected times of one launch on each of them alone;
 * 0: not known, then all weights are equal. */
void plait__weights_measured(const uint64_t *times_ns, uint32_t count,
			     uint32_t *weights);

/*
 * Cut `units` into `count` parts: part d is from borders[d] to borders[d + 1].
 * Parts are rounded down, and the largest remainders get one more; ties: the
 * lowest index. Weights that are all 0 count as equal.
 */
void plait__weights_cut(uint64_t units, const uint32_t *weights,
			uint32_t count, uint64_t *borders);

typedef struct plait__split_request {
	uint64_t units;
	const uint64_t *times_ns; /* of all units on each device; 0: not known */
	const uint64_t *last;	/* borders of the last split, or null */
	uint32_t count;		/* of devices */
	uint32_t least;		/* units of each device, at least; count *
				 * least <= units */
	uint64_t unit_bytes;	/* that move with a unit */
	uint64_t rate;		/* bytes per microsecond; 0: moves take for
				 * ever */
} plait__split_request;

typedef struct plait__split_choice {
	bool kept;		/* the last split */
	uint64_t last_ns;	/* makespan of the last split, if there is one */
	uint64_t next_ns;	/* of that by the times */
	uint64_t moved_units;	/* that change their device */
	uint64_t move_ns;
} plait__split_choice;

/*
 * Choose the borders, count + 1 of them: those by the measured weights; but the
 * last ones stay unless their makespan is more than 1.1 of the new one with an
 * eighth of the time of the move, or while a time is not known.
 */
plait__split_choice plait__weights_split(const plait__split_request *request,
					 uint64_t *borders);

#endif
