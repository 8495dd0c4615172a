/* SPDX-License-Identifier: MIT */
/* Arithmetic on times and bytes that stops at UINT64_MAX, which stands for
 * "never". */
#ifndef PLAIT_SRC_FLOW_POLICY_SATURATING_H
#define PLAIT_SRC_FLOW_POLICY_SATURATING_H

#include <stdint.h>

static inline uint64_t plait__saturating_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Returns (a * b + more) / c, rounded down; never, if c is 0. */
static inline uint64_t plait__saturating_mul_add_div(uint64_t a, uint64_t b,
						     uint64_t more, uint64_t c)
{
	__extension__ typedef unsigned __int128 wide;
	wide quotient = c > 0 ? ((wide)a * b + more) / c : UINT64_MAX;

	return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

/* Returns a * b / c, rounded down; never, if c is 0. */
static inline uint64_t plait__saturating_mul_div(uint64_t a, uint64_t b,
						 uint64_t c)
{
	return plait__saturating_mul_add_div(a, b, 0, c);
}

/* Rounded up. */
static inline uint64_t plait__saturating_mul_div_up(uint64_t a, uint64_t b,
						    uint64_t c)
{
	return plait__saturating_mul_add_div(a, b, c > 0 ? c - 1 : 0, c);
}

static inline uint64_t plait__saturating_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
