/* SPDX-License-Identifier: MIT */
/*
 * Predicted next uses of the data in a memory, which say what is evicted.  Time
 * is the number of launches in the memory, so equal programs have equal choices.
 * The next gap between two uses is predicted to be the gap before the last one:
 * right for data that is used at a fixed distance, as in a sweep that begins
 * anew, and for data of sweeps back and forth, whose gaps alternate.  Data that
 * was used once is predicted to come back after the newest gap that ended with a
 * load.  Data that did not come back when it was predicted to is expected after
 * as long as it has been unused, as in LRU; and that much later again, unless
 * more than three in ten predictions are wrong.  Then data with values that no
 * other memory has counts half, too, since predictions do not make up for its
 * copy.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_REUSE_H
#define PLAIT_SRC_FLOW_MEMORY_REUSE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero at first. */
typedef struct plait__reuse_clock {
	uint64_t now;	  /* launches */
	uint64_t load_gap; /* the newest gap that ended with a load */
	uint32_t misses;  /* running mean of wrong predictions, of 2^16 */
} plait__reuse_clock;

/* Uses of one data in one memory.  Zero at first. */
typedef struct plait__reuse {
	uint64_t last; /* 0: never */
	uint64_t gaps[2]; /* the newest one, and the one before; 0: none */
	bool was_evicted; /* since the last use */
} plait__reuse;

/* Begin the next launch in the memory. */
void plait__reuse_tick(plait__reuse_clock *clock);
/* The launch uses the data. */
void plait__reuse_note(plait__reuse_clock *clock, plait__reuse *reuse);

/* Return the gain of an eviction: the larger, the earlier the data goes.
 * `is_saved`: other memories have its values. */
uint64_t plait__reuse_gain(const plait__reuse_clock *clock,
			   const plait__reuse *reuse, bool is_saved);

/* Returns true if the gain is within a sixteenth of the largest one.  Of such
 * data the one used longest ago goes: its tasks are most likely done. */
static inline bool plait__reuse_is_large(uint64_t gain, uint64_t largest)
{
	return gain >= largest - largest / 16;
}

#endif
