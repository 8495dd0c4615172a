/* SPDX-License-Identifier: MIT */
/*
 * The floating-point control state: rounding mode, flush-to-zero, traps. Every
 * host function starts with the default state, independent of the function
 * before it. A query costs 1-2 ns; a set is rare.
 */
#ifndef PLAIT_SRC_POOL_FPSTATE_H
#define PLAIT_SRC_POOL_FPSTATE_H

#include <stdbool.h>
#include <stdint.h>

struct plait__fpstate {
	uint64_t control; /* MXCSR, or the only control register */
	uint16_t x87;
};

#if defined(__x86_64__)

/* Without the sticky flags (the low six bits), which change no result. */
#define PLAIT__FPSTATE_MASK 0xffc0u
#define PLAIT__FPSTATE_SSE 0x1f80u
#define PLAIT__FPSTATE_X87 0x037fu

static inline void plait__fpstate_query(struct plait__fpstate *out)
{
	uint32_t mxcsr;

	__asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
	__asm__ __volatile__("fnstcw %0" : "=m"(out->x87));
	out->control = mxcsr;
}

static inline void plait__fpstate_set(const struct plait__fpstate *state)
{
	uint32_t mxcsr = (uint32_t)state->control;

	__asm__ __volatile__("ldmxcsr %0" : : "m"(mxcsr));
	__asm__ __volatile__("fldcw %0" : : "m"(state->x87));
}

static inline bool plait__fpstate_is(const struct plait__fpstate *now,
				     const struct plait__fpstate *state)
{
	return now->control == state->control && now->x87 == state->x87;
}

static inline void plait__fpstate_clean_from(const struct plait__fpstate *now)
{
	static const struct plait__fpstate clean = { PLAIT__FPSTATE_SSE,
						     PLAIT__FPSTATE_X87 };

	if (((now->control ^ clean.control) & PLAIT__FPSTATE_MASK) != 0 ||
	    now->x87 != clean.x87)
		plait__fpstate_set(&clean);
}

#elif defined(__aarch64__)

static inline void plait__fpstate_query(struct plait__fpstate *out)
{
	__asm__ __volatile__("mrs %0, fpcr" : "=r"(out->control));
}

static inline void plait__fpstate_set(const struct plait__fpstate *state)
{
	__asm__ __volatile__("msr fpcr, %0" : : "r"(state->control));
}

static inline bool plait__fpstate_is(const struct plait__fpstate *now,
				     const struct plait__fpstate *state)
{
	return now->control == state->control;
}

static inline void plait__fpstate_clean_from(const struct plait__fpstate *now)
{
	static const struct plait__fpstate clean;

	if (now->control != 0)
		plait__fpstate_set(&clean);
}

#else

/* Unknown machines: the state is left as it is. */
static inline void plait__fpstate_query(struct plait__fpstate *out)
{
	(void)out;
}

static inline void plait__fpstate_set(const struct plait__fpstate *state)
{
	(void)state;
}

static inline bool plait__fpstate_is(const struct plait__fpstate *now,
				     const struct plait__fpstate *state)
{
	(void)now;
	(void)state;
	return true;
}

static inline void plait__fpstate_clean_from(const struct plait__fpstate *now)
{
	(void)now;
}

#endif

/* Set the default state. */
static inline void plait__fpstate_clean(void)
{
	struct plait__fpstate now;

	plait__fpstate_query(&now);
	plait__fpstate_clean_from(&now);
}

/* Restore a state; set it only if it differs, because a set is slower than a
 * query. */
static inline void plait__fpstate_restore(const struct plait__fpstate *state)
{
	struct plait__fpstate now;

	plait__fpstate_query(&now);
	if (!plait__fpstate_is(&now, state))
		plait__fpstate_set(state);
}

#endif
