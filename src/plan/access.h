/* SPDX-License-Identifier: MIT */
/*
 * Objects of accesses: a slot, a parameter that brings memory, or one phase of
 * a rotation, told apart by the upper bits of the number.
 *
 * The phase is what iteration 0 uses, as a place in the rotation's slots, or,
 * with a prologue, the place that looking ahead from iteration 0 leads to: 0
 * is the prologue's slot first and then the last of the others.  So two equal
 * objects are the same memory in each iteration.
 */
#ifndef PLAIT_SRC_PLAN_ACCESS_H
#define PLAIT_SRC_PLAN_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAIT__ACCESS_OF_PARAM = 1 << 30,
	PLAIT__ACCESS_OF_ROTATION = 1 << 29,
	/* Bits of the phase below the rotation's number. */
	PLAIT__ACCESS_PHASE_BITS = 4
};

static inline uint32_t plait__access_param(uint32_t param)
{
	return (uint32_t)PLAIT__ACCESS_OF_PARAM | param;
}

static inline uint32_t plait__access_rotation(uint32_t rotation, uint32_t phase)
{
	return (uint32_t)PLAIT__ACCESS_OF_ROTATION |
	       rotation << PLAIT__ACCESS_PHASE_BITS | phase;
}

static inline bool plait__access_is_param(uint32_t object)
{
	return (object & PLAIT__ACCESS_OF_PARAM) != 0;
}

static inline bool plait__access_is_rotation(uint32_t object)
{
	return (object & PLAIT__ACCESS_OF_ROTATION) != 0;
}

/* The phase that looking `ahead` means, of `turns` buffers without the
 * prologue's. */
static inline uint32_t plait__access_phase(uint64_t ahead, uint32_t turns,
					   uint32_t prologue)
{
	if (prologue == 0)
		return (uint32_t)(ahead % turns);
	return ahead == 0 ? 0 : (uint32_t)((ahead - 1) % turns) + 1;
}

/* The place in the rotation's slots that a phase means in an iteration. */
static inline uint32_t plait__access_slot(uint32_t phase, uint64_t iteration,
					  uint32_t turns, uint32_t prologue)
{
	return plait__access_phase(iteration + phase, turns, prologue);
}

/* The phase of a rotation's object. */
static inline uint32_t plait__access_phase_of(uint32_t object)
{
	return object & ((1 << PLAIT__ACCESS_PHASE_BITS) - 1);
}

/* The slot, parameter or rotation. */
static inline uint32_t plait__access_number(uint32_t object)
{
	uint32_t number = object & (PLAIT__ACCESS_OF_ROTATION - 1);

	return plait__access_is_rotation(object) ?
	       number >> PLAIT__ACCESS_PHASE_BITS : number;
}

/* The same kind of object, and phase, with another number. */
static inline uint32_t plait__access_renumber(uint32_t object, uint32_t number)
{
	if (plait__access_is_param(object))
		return plait__access_param(number);
	if (plait__access_is_rotation(object))
		return plait__access_rotation(number,
					      plait__access_phase_of(object));
	return number;
}

#endif
