/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of floating point.  f32 results that are NaN have one pattern, as
 * hardware's.  Approximations are the host's correctly rounded functions, or
 * nearly: inside the error that PTX allows.
 */
#include <fenv.h>
#include <math.h>

#include "machine.h"
#include "parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int roundings[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
				 FE_UPWARD };

static float flush(const struct ptx_op *o, float x)
{
	return (o->flags & PTX_FTZ) && fpclassify(x) == FP_SUBNORMAL ?
	       copysignf(0, x) : x;
}

static float saturated(float x)
{
	return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN: 0 */
}

static void set_f32(struct ptx_thread *t, const struct ptx_op *o, float x)
{
	x = flush(o, x);
	if (o->flags & PTX_SAT)
		x = saturated(x);
	t->r[o->d] = isnan(x) ? 0x7fffffff : ptx_of_f32(x);
}

/* volatile: the rounding is set around the operation. */
#define REAL_F32(name, expression) \
	static void name##_f32(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		volatile float x = flush(o, ptx_f32(t->r[o->a])); \
		volatile float y = flush(o, ptx_f32(t->r[o->b])); \
		volatile float z = flush(o, ptx_f32(t->r[o->c])); \
		volatile float result; \
		(void)x, (void)y, (void)z; \
		if (o->rounding != PTX_RN) \
			fesetround(roundings[o->rounding]); \
		result = (float)(expression); \
		if (o->rounding != PTX_RN) \
			fesetround(FE_TONEAREST); \
		set_f32(t, o, result); \
	}
#define REAL_F64(name, expression) \
	static void name##_f64(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		volatile double x = ptx_f64(t->r[o->a]); \
		volatile double y = ptx_f64(t->r[o->b]); \
		volatile double z = ptx_f64(t->r[o->c]); \
		volatile double result; \
		(void)x, (void)y, (void)z; \
		if (o->rounding != PTX_RN) \
			fesetround(roundings[o->rounding]); \
		result = expression; \
		if (o->rounding != PTX_RN) \
			fesetround(FE_TONEAREST); \
		t->r[o->d] = ptx_of_f64(result); \
	}

REAL_F32(add, x + y)
REAL_F32(sub, x - y)
REAL_F32(mul, x * y)
REAL_F32(fma, fmaf(x, y, z))
REAL_F32(div, x / y)
REAL_F32(rcp, 1 / x)
REAL_F32(root, sqrtf(x))
REAL_F32(rsqrt, (float)(1 / sqrt((double)x)))
REAL_F32(sine, sinf(x))
REAL_F32(cosine, cosf(x))
REAL_F32(log_two, log2f(x))
REAL_F32(exp_two, exp2f(x))
REAL_F32(tanhyp, tanhf(x))
REAL_F64(add, x + y)
REAL_F64(sub, x - y)
REAL_F64(mul, x * y)
REAL_F64(fma, fma(x, y, z))
REAL_F64(div, x / y)
REAL_F64(rcp, 1 / x)
REAL_F64(root, sqrt(x))
REAL_F64(rsqrt, 1 / sqrt(x))

/* rcp.approx.ftz.f64 and rsqrt: only the upper half of the number is read and
 * written. */
static double upper(double x)
{
	uint64_t bits = ptx_of_f64(x) & ~0xffffffffull;

	x = ptx_f64(bits);
	return fpclassify(x) == FP_SUBNORMAL ? copysign(0, x) : x;
}

static void rough_rcp(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = ptx_of_f64(upper(1 / upper(ptx_f64(t->r[o->a]))));
}

static void rough_rsqrt(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = ptx_of_f64(upper(1 / sqrt(upper(ptx_f64(t->r[o->a])))));
}

/* --- signs and order ------------------------------------------------------ */

/* Negative zero is less than positive zero; of a NaN and a number the number is
 * taken, unless .NaN. */
#define LEAST_AND_GREATEST(suffix, type, read) \
	static type least_##suffix(type x, type y) \
	{ \
		if (x == y) \
			return signbit(x) ? x : y; \
		return x < y ? x : y; \
	} \
	static type choose_##suffix(const struct ptx_op *o, type x, type y, \
				    bool greatest) \
	{ \
		if (isnan(x) || isnan(y)) \
			return (o->flags & PTX_NAN) || (isnan(x) && isnan(y)) ? \
			       (type)NAN : isnan(x) ? y : x; \
		return greatest ? -least_##suffix(-x, -y) : \
				  least_##suffix(x, y); \
	}

LEAST_AND_GREATEST(f32, float, ptx_f32)
LEAST_AND_GREATEST(f64, double, ptx_f64)

static void min_f32(struct ptx_thread *t, const struct ptx_op *o)
{
	set_f32(t, o, choose_f32(o, flush(o, ptx_f32(t->r[o->a])),
				 flush(o, ptx_f32(t->r[o->b])), false));
}

static void max_f32(struct ptx_thread *t, const struct ptx_op *o)
{
	set_f32(t, o, choose_f32(o, flush(o, ptx_f32(t->r[o->a])),
				 flush(o, ptx_f32(t->r[o->b])), true));
}

static void min_f64(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = ptx_of_f64(choose_f64(o, ptx_f64(t->r[o->a]),
					   ptx_f64(t->r[o->b]), false));
}

static void max_f64(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = ptx_of_f64(choose_f64(o, ptx_f64(t->r[o->a]),
					   ptx_f64(t->r[o->b]), true));
}

#define SIGNS(name, expression) \
	static void name##_f32(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		uint64_t a = ptx_of_f32(flush(o, ptx_f32(t->r[o->a]))), \
			 b = t->r[o->b], sign = 0x80000000u; \
		(void)b; \
		t->r[o->d] = (uint32_t)(expression); \
	} \
	static void name##_f64(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		uint64_t a = t->r[o->a], b = t->r[o->b], sign = 1ull << 63; \
		(void)b; \
		t->r[o->d] = expression; \
	}

SIGNS(neg, a ^ sign)
SIGNS(abs_of, a & ~sign)
/* The sign of a, the rest of b. */
SIGNS(copysign, (a & sign) | (b & ~sign))

static const char *const properties[] = { "finite", "infinite", "number",
					  "notanumber", "normal", "subnormal" };

static void testp(struct ptx_thread *t, const struct ptx_op *o)
{
	int kind = o->type == PTX_F32 ? fpclassify(ptx_f32(t->r[o->a])) :
					fpclassify(ptx_f64(t->r[o->a]));
	const bool is[] = {
		kind != FP_NAN && kind != FP_INFINITE, kind == FP_INFINITE,
		kind != FP_NAN, kind == FP_NAN, kind == FP_NORMAL ||
		kind == FP_ZERO, kind == FP_SUBNORMAL
	};

	t->r[o->d] = is[o->mode];
}

/* --- decoding ------------------------------------------------------------- */

#define BOTH(name) { [PTX_F32] = name##_f32, [PTX_F64] = name##_f64 }
#define ONE(name) { [PTX_F32] = name##_f32 }

static const struct ptx_form forms[] = {
	{ "add", 3, BOTH(add) }, { "sub", 3, BOTH(sub) },
	{ "mul", 3, BOTH(mul) }, { "fma", 4, BOTH(fma) },
	{ "mad", 4, BOTH(fma) }, { "div", 3, BOTH(div) },
	{ "rcp", 2, BOTH(rcp) }, { "sqrt", 2, BOTH(root) },
	{ "rsqrt", 2, BOTH(rsqrt) }, { "sin", 2, ONE(sine) },
	{ "cos", 2, ONE(cosine) }, { "lg2", 2, ONE(log_two) },
	{ "ex2", 2, ONE(exp_two) }, { "tanh", 2, ONE(tanhyp) },
	{ "min", 3, BOTH(min) }, { "max", 3, BOTH(max) },
	{ "neg", 2, BOTH(neg) }, { "abs", 2, BOTH(abs_of) },
	{ "copysign", 3, BOTH(copysign) },
};

static bool decode_test(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	size_t i;

	ptx_statement_need(p, s, 2);
	o->run = testp;
	o->type = (uint8_t)s->types[0];
	o->d = s->operands[0].slot;
	o->a = s->operands[1].slot;
	for (i = 0; i < COUNT(properties); i++)
		if (ptx_statement_has(s, properties[i]))
			o->mode = (uint8_t)i;
	return true;
}

bool ptx_real_decode(struct ptx_parser *p, const struct ptx_statement *s,
		     struct ptx_op *o)
{
	bool rough;

	if (s->type_count == 0 || s->types[0] < PTX_F32)
		return false;
	if (strcmp(s->name, "testp") == 0)
		return decode_test(p, s, o);
	if (!ptx_statement_find(p, s, o, forms, COUNT(forms),
				" rn rz rm rp ftz sat approx full NaN "))
		return false;
	rough = (o->flags & PTX_APPROX) && (o->flags & PTX_FTZ) &&
		o->type == PTX_F64;
	if (rough && o->run == rcp_f64)
		o->run = rough_rcp;
	if (rough && o->run == rsqrt_f64)
		o->run = rough_rsqrt;
	return true;
}
