/* SPDX-License-Identifier: MIT */
/*
 * Encoding of accessed objects: a slot, a parameter that brings memory, or one
 * phase of a rotation; the upper bits of the number tell which.
 *
 * The phase is the index, in the rotation's slots, that iteration 0 uses.  With
 * a prologue the phase is the index that a look-ahead from iteration 0 leads
 * to: phase 0 is the prologue's slot first and then the last of the others.  So
 * two equal objects are the same memory in each iteration.
 */
#ifndef PLAIT_SRC_PLAN_ACCESS_H
#define PLAIT_SRC_PLAN_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAIT__ACCESS_OF_PARAM = 1 << 30,
	PLAIT__ACCESS_OF_ROTATION = 1 << 29,
	/* Bits of the phase, below the rotation's number. */
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

/* Returns the phase of a look-ahead by `ahead` among `count` buffers, not
 * counting the prologue's. */
static inline uint32_t plait__access_phase(uint64_t ahead, uint32_t count,
					   uint32_t prologue)
{
	if (prologue == 0)
		return (uint32_t)(ahead % count);
	return ahead == 0 ? 0 : (uint32_t)((ahead - 1) % count) + 1;
}

/* Returns the index in the rotation's slots of a phase in an iteration. */
static inline uint32_t plait__access_slot(uint32_t phase, uint64_t iteration,
					  uint32_t count, uint32_t prologue)
{
	return plait__access_phase(iteration + phase, count, prologue);
}

/* Returns the phase of a rotation's object. */
static inline uint32_t plait__access_phase_of(uint32_t object)
{
	return object & ((1 << PLAIT__ACCESS_PHASE_BITS) - 1);
}

/* Returns the number of the slot, parameter or rotation. */
static inline uint32_t plait__access_number(uint32_t object)
{
	uint32_t number = object & (PLAIT__ACCESS_OF_ROTATION - 1);

	return plait__access_is_rotation(object) ?
	       number >> PLAIT__ACCESS_PHASE_BITS : number;
}

/* Returns an object of the same kind and phase with another number. */
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
