/* SPDX-License-Identifier: MIT */
/*
 * Reductions of arrays on the host.  The inner loops have a constant number of
 * iterations, which lets the compiler vectorise them at -O2.
 */
#include "coll/project/host_reduce.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK = 32 }; /* elements of an inner loop */

/* ---- conversions ---- */

static inline uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline float widen_bfloat(uint16_t x)
{
	return float_of((uint32_t)x << 16);
}

static inline uint16_t narrow_bfloat(float x)
{
	uint32_t bits = bits_of(x);
	uint32_t quiet = bits >> 16 | 0x40u;
	uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;

	return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? quiet :
							       rounded);
}

static inline float widen_half(uint16_t x)
{
	uint32_t sign = (uint32_t)(x & 0x8000u) << 16;
	uint32_t exponent = x >> 10 & 31u, fraction = x & 1023u;

	if (exponent == 31u)
		return float_of(sign | 0x7f800000u | fraction << 13);
	if (exponent == 0u)
		return float_of(sign | bits_of((float)fraction *
					       5.9604644775390625e-08f));
	return float_of(sign | (exponent + 112u) << 23 | fraction << 13);
}

/* Round a magnitude below the least normal half to even. */
static inline uint32_t narrow_small(uint32_t rest)
{
	uint32_t shift = 126u - (rest >> 23);
	uint32_t fraction = (rest & 0x7fffffu) | 0x800000u;
	uint32_t whole = fraction >> shift;
	uint32_t part = fraction << (32u - shift);

	return whole + (part > 0x80000000u ||
			(part == 0x80000000u && (whole & 1u) == 1u));
}

static inline uint16_t narrow_half(float x)
{
	uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000u;
	uint32_t rest = bits & 0x7fffffffu;

	if (rest > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00u | (rest >> 13 & 0x1ffu));
	if (rest >= 0x477ff000u)
		return (uint16_t)(sign | 0x7c00u);
	if (rest < 0x33000000u)
		return (uint16_t)sign;
	if (rest >= 0x38800000u) {
		rest += 0xfffu + (rest >> 13 & 1u);
		return (uint16_t)(sign | (rest - 0x38000000u) >> 13);
	}
	return (uint16_t)(sign | narrow_small(rest));
}

/* ---- operations ---- */

/* A NaN wins; of two zeros the sign decides, so that the order of the operands
 * does not matter. */
#define DEFINE_LIMITS(wide, negative)                                          \
	static inline wide least_##wide(wide a, wide b)                        \
	{                                                                      \
		return a < b ? a : b < a ? b : a != a ? a : b != b ? b :       \
		       negative(a) ? a : b;                                    \
	}                                                                      \
	static inline wide most_##wide(wide a, wide b)                         \
	{                                                                      \
		return a < b ? b : b < a ? a : a != a ? a : b != b ? b :       \
		       negative(a) ? b : a;                                    \
	}

DEFINE_LIMITS(float, __builtin_signbit)
DEFINE_LIMITS(double, __builtin_signbit)

#define SUM(wide, a, b) ((wide)((a) + (b)))
#define PROD(wide, a, b) ((wide)((a) * (b)))
#define LEAST(wide, a, b) ((a) < (b) ? (a) : (b))
#define MOST(wide, a, b) ((a) < (b) ? (b) : (a))
#define LEAST_FLOAT(wide, a, b) least_##wide(a, b)
#define MOST_FLOAT(wide, a, b) most_##wide(a, b)
#define SAME(x) (x)

/* Both functions of a type and an operation.  Integers are added and multiplied
 * as unsigned ones of at least 32 bits, so they wrap.  `TARGET` is an attribute:
 * the instructions that the compiler may use. */
#define DEFINE_FUNCTIONS(name, type, wide, load, store, op)                    \
	TARGET static void name##_together(void *restrict target,              \
					   const void *restrict source,        \
					   uint64_t count)                     \
	{                                                                      \
		type *to = target;                                             \
		const type *from = source;                                     \
		uint64_t i = 0;                                                \
									       \
		for (; count - i >= BLOCK; i += BLOCK)                         \
			for (uint32_t k = 0; k < BLOCK; k++)                   \
				to[i + k] = (type)store(op(                    \
					wide, (wide)load(to[i + k]),           \
					(wide)load(from[i + k])));             \
		for (; i < count; i++)                                         \
			to[i] = (type)store(op(wide, (wide)load(to[i]),        \
					       (wide)load(from[i])));          \
	}                                                                      \
	TARGET static void name##_apart(void *restrict target,                 \
					const void *restrict other,            \
					const void *restrict source,           \
					uint64_t count)                        \
	{                                                                      \
		type *to = target;                                             \
		const type *own = other;                                       \
		const type *from = source;                                     \
		uint64_t i = 0;                                                \
									       \
		for (; count - i >= BLOCK; i += BLOCK)                         \
			for (uint32_t k = 0; k < BLOCK; k++)                   \
				to[i + k] = (type)store(op(                    \
					wide, (wide)load(own[i + k]),          \
					(wide)load(from[i + k])));             \
		for (; i < count; i++)                                         \
			to[i] = (type)store(op(wide, (wide)load(own[i]),       \
					       (wide)load(from[i])));          \
	}

#define DEFINE_INTEGER(name, type, wide)                                       \
	DEFINE_FUNCTIONS(name##_sum, type, wide, SAME, SAME, SUM)              \
	DEFINE_FUNCTIONS(name##_prod, type, wide, SAME, SAME, PROD)            \
	DEFINE_FUNCTIONS(name##_min, type, type, SAME, SAME, LEAST)            \
	DEFINE_FUNCTIONS(name##_max, type, type, SAME, SAME, MOST)

#define DEFINE_FLOAT(name, type, wide, load, store)                            \
	DEFINE_FUNCTIONS(name##_sum, type, wide, load, store, SUM)             \
	DEFINE_FUNCTIONS(name##_prod, type, wide, load, store, PROD)           \
	DEFINE_FUNCTIONS(name##_min, type, wide, load, store, LEAST_FLOAT)     \
	DEFINE_FUNCTIONS(name##_max, type, wide, load, store, MOST_FLOAT)

#define DEFINE_ALL(set)                                                        \
	DEFINE_INTEGER(set##_i8, int8_t, uint32_t)                             \
	DEFINE_INTEGER(set##_i16, int16_t, uint32_t)                           \
	DEFINE_INTEGER(set##_i32, int32_t, uint32_t)                           \
	DEFINE_INTEGER(set##_i64, int64_t, uint64_t)                           \
	DEFINE_INTEGER(set##_u8, uint8_t, uint32_t)                            \
	DEFINE_INTEGER(set##_u16, uint16_t, uint32_t)                          \
	DEFINE_INTEGER(set##_u32, uint32_t, uint32_t)                          \
	DEFINE_INTEGER(set##_u64, uint64_t, uint64_t)                          \
	DEFINE_FLOAT(set##_f16, uint16_t, float, widen_half, narrow_half)      \
	DEFINE_FLOAT(set##_f32, float, float, SAME, SAME)                      \
	DEFINE_FLOAT(set##_f64, double, double, SAME, SAME)                    \
	DEFINE_FLOAT(set##_bf16, uint16_t, float, widen_bfloat, narrow_bfloat)

/* ---- tables ---- */

typedef struct host_type {
	plait_element element;
	uint32_t bits;
	plait__host_reduce operations[PLAIT_REDUCE_MAX + 1];
} host_type;

enum { TYPE_COUNT = 12 };

#define ENTRIES(name, bytes)                                                   \
	{ { name##_sum_together, name##_sum_apart, bytes },                    \
	  { name##_prod_together, name##_prod_apart, bytes },                  \
	  { name##_min_together, name##_min_apart, bytes },                    \
	  { name##_max_together, name##_max_apart, bytes } }

#define DEFINE_TABLE(set)                                                      \
	static const host_type set##_types[TYPE_COUNT] = {                     \
		{ PLAIT_ELEMENT_INT, 8, ENTRIES(set##_i8, 1) },                \
		{ PLAIT_ELEMENT_INT, 16, ENTRIES(set##_i16, 2) },              \
		{ PLAIT_ELEMENT_INT, 32, ENTRIES(set##_i32, 4) },              \
		{ PLAIT_ELEMENT_INT, 64, ENTRIES(set##_i64, 8) },              \
		{ PLAIT_ELEMENT_UINT, 8, ENTRIES(set##_u8, 1) },               \
		{ PLAIT_ELEMENT_UINT, 16, ENTRIES(set##_u16, 2) },             \
		{ PLAIT_ELEMENT_UINT, 32, ENTRIES(set##_u32, 4) },             \
		{ PLAIT_ELEMENT_UINT, 64, ENTRIES(set##_u64, 8) },             \
		{ PLAIT_ELEMENT_FLOAT, 16, ENTRIES(set##_f16, 2) },            \
		{ PLAIT_ELEMENT_FLOAT, 32, ENTRIES(set##_f32, 4) },            \
		{ PLAIT_ELEMENT_FLOAT, 64, ENTRIES(set##_f64, 8) },            \
		{ PLAIT_ELEMENT_BFLOAT, 16, ENTRIES(set##_bf16, 2) },          \
	}

#define TARGET
DEFINE_ALL(base)
DEFINE_TABLE(base);
#undef TARGET

/* The same bits from longer vectors: no operation is fused. */
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
DEFINE_ALL(avx2)
DEFINE_TABLE(avx2);
#undef TARGET

static const host_type *choose_types(void)
{
	return __builtin_cpu_supports("avx2") ? avx2_types : base_types;
}
#else
static const host_type *choose_types(void)
{
	return base_types;
}
#endif

const plait__host_reduce *plait__host_reduce_find(plait_element element,
						  uint32_t bits,
						  plait_reduction reduction)
{
	const host_type *types = choose_types();

	if (reduction > PLAIT_REDUCE_MAX)
		return NULL;
	for (uint32_t i = 0; i < TYPE_COUNT; i++)
		if (types[i].element == element && types[i].bits == bits)
			return &types[i].operations[reduction];
	return NULL;
}
