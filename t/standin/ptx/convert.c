/* SPDX-License-Identifier: MIT */
/* Conversions between types, with their roundings and saturations. */
#include <fenv.h>
#include <math.h>

#include "machine.h"
#include "parser.h"

static const int roundings[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
				 FE_UPWARD };

/* --- f16 ------------------------------------------------------------------ */

static double of_f16(uint64_t bits)
{
	int exponent = (int)(bits >> 10 & 31);
	double fraction = (double)(bits & 1023), value;

	if (exponent == 31)
		value = fraction != 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		value = ldexp(fraction, -24);
	else
		value = ldexp(fraction + 1024, exponent - 25);
	return bits & 0x8000 ? -value : value;
}

/* By the rounding that is set. */
static uint64_t to_f16(double value, int rounding)
{
	uint64_t sign = signbit(value) ? 0x8000 : 0;
	uint64_t bits;
	int exponent;
	bool outward;
	double units;

	if (isnan(value))
		return 0x7fff;
	if (isinf(value))
		return sign | 0x7c00;
	frexp(value, &exponent);
	exponent = exponent < -13 ? -13 : exponent;
	fesetround(roundings[rounding]);
	units = fabs(nearbyint(ldexp(value, 11 - exponent)));
	fesetround(FE_TONEAREST);
	/* Units of the last place: 1024 are the hidden bit, whose carry goes into
	 * the exponent. */
	bits = (uint64_t)(exponent + 13) * 1024 + (uint64_t)units;
	if (exponent <= 16 && bits < 0x7c00)
		return sign | bits;
	outward = rounding == PTX_RN ||
		  rounding == (sign != 0 ? PTX_RM : PTX_RP);
	return sign | (outward ? 0x7c00 : 0x7bff);
}

/* --- to integers ---------------------------------------------------------- */

static double integral(double value, int rounding)
{
	switch (rounding) {
	case PTX_RZ:
		return trunc(value);
	case PTX_RM:
		return floor(value);
	case PTX_RP:
		return ceil(value);
	default:
		return nearbyint(value);
	}
}

static uint64_t greatest(enum ptx_type type)
{
	uint32_t bits = 8 * ptx_bytes_of(type);

	return ~0ull >> (64 - bits) >> ptx_is_signed(type);
}

static uint64_t least(enum ptx_type type)
{
	return ptx_is_signed(type) ? ~greatest(type) : 0;
}

/* A NaN is 0, but with 64 bits on either side the upper bit alone. */
static uint64_t whole_of(const struct ptx_op *o, double value)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type);
	bool with_sign = ptx_is_signed(o->type);

	if (isnan(value))
		return bits == 64 || o->from == PTX_F64 ? 1ull << (bits - 1) : 0;
	value = integral(value, o->rounding);
	if (value >= ldexp(1, (int)bits - with_sign))
		return greatest(o->type);
	if (value < (with_sign ? -ldexp(1, (int)bits - 1) : 0.0))
		return least(o->type);
	return with_sign ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* .sat between integers. */
static uint64_t clamped(const struct ptx_op *o, uint64_t value)
{
	uint64_t high = greatest(o->type), low = least(o->type);
	bool negative = ptx_is_signed(o->from) && (int64_t)value < 0;

	if (negative)
		return (int64_t)value < (int64_t)low ? low : value;
	return value > high ? high : value;
}

/* --- to floating point ---------------------------------------------------- */

static double flushed(const struct ptx_op *o, double value)
{
	return (o->flags & PTX_FTZ) && o->from == PTX_F32 &&
	       fabs(value) < 0x1p-126 ? copysign(0, value) : value;
}

/* Rounds once: the value is exact. */
static uint64_t real_of(const struct ptx_op *o, double value)
{
	volatile double exact = value;
	volatile float narrow;

	if (o->flags & PTX_INTEGRAL)
		exact = integral(exact, o->rounding);
	if (o->flags & PTX_SAT)
		exact = exact > 0 ? (exact < 1 ? exact : 1) : 0;
	if (o->type == PTX_F64)
		return ptx_of_f64(exact);
	if (o->type == PTX_F16)
		return to_f16(exact, o->rounding);
	fesetround(roundings[o->rounding]);
	narrow = (float)exact;
	fesetround(FE_TONEAREST);
	if ((o->flags & PTX_FTZ) && fpclassify(narrow) == FP_SUBNORMAL)
		narrow = copysignf(0, narrow);
	return isnan(narrow) ? 0x7fffffff : ptx_of_f32(narrow);
}

/* Integers of 64 bits are not exact as double. */
static uint64_t real_of_whole(const struct ptx_op *o, uint64_t value)
{
	volatile int64_t with_sign = (int64_t)value;
	volatile uint64_t plain = value;
	volatile float narrow;
	volatile double wide;
	bool is_signed = ptx_is_signed(o->from);

	if (o->type == PTX_F16)
		return to_f16(is_signed ? (double)with_sign : (double)plain,
			      o->rounding);
	fesetround(roundings[o->rounding]);
	if (o->type == PTX_F32)
		narrow = is_signed ? (float)with_sign : (float)plain;
	else
		wide = is_signed ? (double)with_sign : (double)plain;
	fesetround(FE_TONEAREST);
	return o->type == PTX_F32 ? ptx_of_f32(narrow) : ptx_of_f64(wide);
}

/* --- operations ----------------------------------------------------------- */

static void cvt_whole(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t value = ptx_extend(t->r[o->a], o->from, 8);

	if (o->flags & PTX_SAT)
		value = clamped(o, value);
	t->r[o->d] = ptx_extend(value, o->type, o->width);
}

static void cvt_real(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t bits = t->r[o->a], result;
	double value;

	if (!ptx_is_float(o->from)) {
		t->r[o->d] = real_of_whole(o, ptx_extend(bits, o->from, 8));
		return;
	}
	value = o->from == PTX_F64 ? ptx_f64(bits) :
		o->from == PTX_F32 ? ptx_f32(bits) : of_f16(bits & 0xffff);
	value = flushed(o, value);
	if (ptx_is_float(o->type)) {
		t->r[o->d] = real_of(o, value);
		return;
	}
	result = whole_of(o, value);
	t->r[o->d] = ptx_extend(result, o->type, o->width);
}

bool ptx_convert_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	static const char *const words[] = { "rn", "rz", "rm", "rp" };
	static const char *const whole[] = { "rni", "rzi", "rmi", "rpi" };
	uint8_t i;

	if (strcmp(s->name, "cvt") != 0)
		return false;
	ptx_statement_need(p, s, 2);
	if (s->type_count != 2 || s->operands[1].kind == PTX_VECTOR ||
	    s->operand_count != 2)
		ptx_token_refuse(p, "cvt of these types is not supported");
	o->type = (uint8_t)s->types[0];
	o->from = (uint8_t)s->types[1];
	o->d = s->operands[0].slot;
	o->a = s->operands[1].slot;
	o->width = (uint8_t)ptx_bytes_of(s->operands[0].type);
	for (i = 0; i < 4; i++) {
		bool to_whole = ptx_statement_has(s, whole[i]);

		if (to_whole || ptx_statement_has(s, words[i]))
			o->rounding = i;
		if (to_whole)
			o->flags |= PTX_INTEGRAL;
	}
	if (ptx_statement_has(s, "sat"))
		o->flags |= PTX_SAT;
	if (ptx_statement_has(s, "ftz"))
		o->flags |= PTX_FTZ;
	o->run = ptx_is_float(o->type) || ptx_is_float(o->from) ? cvt_real :
								  cvt_whole;
	return true;
}
