/* SPDX-License-Identifier: MIT */
/* Instructions of the interpreter of PTX against C, for random and for extreme
 * values. */
#include <fenv.h>
#include <math.h>

#include "interpret.h"

enum { ROUNDS = 300 };

typedef uint64_t expected(uint64_t a, uint64_t b, uint64_t c);

/* --- values --------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state ^ state >> 29;
}

static uint64_t draw_extreme(void)
{
	static const uint64_t list[] = {
		0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 255, 0x7fff, 0x8000,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7f800000, 0xff800000, 0x7fc00000, 1u << 23, 0x3f800000,
		0xbf800000, 0x3f000000, 0x4b000001, 0x4f000000, 0xcf000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x3ff8000000000000, 0xc004000000000000, 0x41e0000000000000,
		0x43e0000000000000, 1ull << 52, 1ull << 63, ~0ull >> 1, ~0ull
	};

	return draw() % 2 ? list[draw() % TAP_COUNT(list)] :
			    draw() >> draw() % 64;
}

static float f32(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof(value));
	return value;
}

static double f64(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return isnan(value) ? 0x7fffffff : bits;
}

static uint64_t of_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return isnan(value) ? 0x7ff8000000000000 : bits;
}

/* --- integers ------------------------------------------------------------- */

#define TEST(name, expression) \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
	{ \
		(void)a, (void)b, (void)c; \
		return (uint64_t)(expression); \
	}
#define S32(x) ((int64_t)(int32_t)(x))

TEST(add_32, (uint32_t)(a + b))
TEST(sub_64, a - b)
TEST(mul_lo_64, a * b)
TEST(mul_hi_u32, (a & 0xffffffff) * (b & 0xffffffff) >> 32)
TEST(mul_hi_s64, (unsigned __int128)((__int128)(int64_t)a * (int64_t)b) >> 64)
TEST(mul_wide_s32, S32(a) * S32(b))
TEST(mad_wide_u32, (a & 0xffffffff) * (b & 0xffffffff) + c)
TEST(mad_lo_32, (uint32_t)(a * b + c))
TEST(min_s32, (uint32_t)(S32(a) < S32(b) ? a : b))
TEST(max_u64, a > b ? a : b)
TEST(abs_s32, (uint32_t)(S32(a) < 0 ? -S32(a) : S32(a)))
TEST(shl_32, (uint32_t)b > 31 ? 0 : (uint32_t)(a << (uint32_t)b))
TEST(shr_u64, (uint32_t)b > 63 ? 0 : a >> (uint32_t)b)
TEST(shr_s32, (uint32_t)(S32(a) >> ((uint32_t)b > 31 ? 31 : (uint32_t)b)))
TEST(add_sat, (uint32_t)(S32(a) + S32(b) > INT32_MAX ? INT32_MAX :
			 S32(a) + S32(b) < INT32_MIN ? INT32_MIN :
						       S32(a) + S32(b)))
TEST(popc_64, (uint64_t)__builtin_popcountll(a))
TEST(clz_32, (uint32_t)a == 0 ? 32u : (unsigned)__builtin_clz((uint32_t)a))
TEST(bfind_s32, S32(a) == 0 || S32(a) == -1 ? 0xffffffffu :
	31u - (unsigned)__builtin_clz((uint32_t)(S32(a) < 0 ? ~a : a)))
TEST(and_64, a & b)
TEST(not_32, (uint32_t)~a)
TEST(selp, (uint32_t)(S32(a) < S32(b) ? a : c))
TEST(set_ne, (uint32_t)a != (uint32_t)b ? 0xffffffffu : 0)
TEST(funnel, (uint32_t)((b << 32 | (a & 0xffffffff)) >> (c & 31)))
TEST(funnel_clamp, (uint32_t)c > 31 ? (uint32_t)a :
	(b << 32 | (a & 0xffffffff)) << (c & 63) >> 32)
TEST(carried, a + b < a)
TEST(prmt_reverse, __builtin_bswap32((uint32_t)a))
TEST(lop3_xor, (uint32_t)(a ^ b ^ c))

static uint64_t bfe_s32(uint64_t a, uint64_t b, uint64_t c)
{
	uint32_t from = b & 255, count = c & 255;
	int64_t value = S32(a);

	/* Bits above the word are its sign. */
	if (count == 0)
		return 0;
	value = value >> (from > 31 ? 31 : from);
	return count > 31 ? (uint32_t)value :
	       (uint32_t)((int64_t)((uint64_t)value << (64 - count)) >>
			  (64 - count));
}

static uint64_t bfi_b64(uint64_t a, uint64_t b, uint64_t c)
{
	uint32_t from = c & 255;
	uint64_t mask = from > 63 ? 0 : 0xffull << from;

	return (b & ~mask) | (from > 63 ? 0 : a << from & mask);
}

static uint64_t dp4a(uint64_t a, uint64_t b, uint64_t c)
{
	for (int i = 0; i < 4; i++)
		c += (uint64_t)((int8_t)(a >> 8 * i) *
				(int64_t)(uint8_t)(b >> 8 * i));
	return (uint32_t)c;
}

/* --- floating point ------------------------------------------------------- */

static uint64_t rounded(int direction, float a, float b)
{
	volatile float x = a, y = b, sum;

	fesetround(direction);
	sum = x + y;
	fesetround(FE_TONEAREST);
	return of_f32(sum);
}

static uint64_t narrowed(int direction, uint64_t a)
{
	volatile double x = f64(a);
	volatile float narrow;

	fesetround(direction);
	narrow = (float)x;
	fesetround(FE_TONEAREST);
	return of_f32(narrow);
}

static float flush(float x)
{
	return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static double whole(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

TEST(add_rn, of_f32(f32(a) + f32(b)))
TEST(add_rz, rounded(FE_TOWARDZERO, f32(a), f32(b)))
TEST(add_rm, rounded(FE_DOWNWARD, f32(a), f32(b)))
TEST(add_rp, rounded(FE_UPWARD, f32(a), f32(b)))
TEST(mul_ftz, of_f32(flush(flush(f32(a)) * flush(f32(b)))))
TEST(fma_rn, of_f32(fmaf(f32(a), f32(b), f32(c))))
TEST(fma_f64, of_f64(fma(f64(a), f64(b), f64(c))))
TEST(add_float_sat, of_f32(f32(a) + f32(b) > 0 ?
			   fminf(f32(a) + f32(b), 1) : 0))
TEST(div_rn, of_f64(f64(a) / f64(b)))
TEST(sqrt_rn, of_f32(sqrtf(f32(a))))
TEST(min_f32, isnan(f32(a)) ? of_f32(f32(b)) : isnan(f32(b)) ? of_f32(f32(a)) :
	f32(a) == f32(b) ? ((a | b) & 0x80000000) | (a & b & 0x7fffffff) :
	of_f32(f32(a) < f32(b) ? f32(a) : f32(b)))
TEST(max_nan, isnan(f32(a)) || isnan(f32(b)) ? 0x7fffffff :
	f32(a) == f32(b) ? a & b & 0xffffffff :
	of_f32(f32(a) > f32(b) ? f32(a) : f32(b)))
TEST(neg_f64, a ^ 1ull << 63)
TEST(sign_of_a, (a & 0x80000000) | (b & 0x7fffffff))
TEST(below, f32(a) < f32(b))
TEST(not_above, !(f32(a) > f32(b)))
TEST(is_nan, isnan(f64(a)) || isnan(f64(b)))

/* --- conversions ---------------------------------------------------------- */

TEST(widen, (uint64_t)S32(a))
TEST(cut, a & 0xff)
TEST(sign_byte, (uint32_t)(int8_t)a)
TEST(sat_u8, S32(a) < 0 ? 0 : S32(a) > 255 ? 255 : a & 255)
TEST(f32_to_s32, isnan(f32(a)) ? 0 : (uint32_t)(int64_t)whole(
	trunc((double)f32(a)), -0x1p31, 0x1p31 - 1))
TEST(f32_to_u8, isnan(f32(a)) ? 0 : (uint64_t)whole(
	nearbyint((double)f32(a)), 0, 255))
TEST(f64_to_s64, isnan(f64(a)) ? 1ull << 63 : f64(a) >= 0x1p63 ? ~0ull >> 1 :
	f64(a) < -0x1p63 ? 1ull << 63 : (uint64_t)(int64_t)floor(f64(a)))
TEST(u64_to_f32, of_f32((float)a))
TEST(s64_to_f64, of_f64((double)(int64_t)a))
TEST(f64_to_f32, narrowed(FE_TONEAREST, a))
TEST(f64_to_f32_up, narrowed(FE_UPWARD, a))
TEST(round_even, of_f32(nearbyintf(f32(a))))
TEST(saturate, of_f32(f32(a) > 0 ? fminf(f32(a), 1) : 0))

/* --- the table ------------------------------------------------------------ */

#define U "cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; cvt.u32.u64 %rc, %c;\n"
#define F U "mov.b32 %fa, %ra; mov.b32 %fb, %rb; mov.b32 %fc, %rc;\n"
#define D "mov.b64 %da, %a; mov.b64 %db, %b; mov.b64 %dc, %c;\n"
#define RD "cvt.u64.u32 %d, %rd;\n"
#define FD "mov.b32 %rd, %fd;\n" RD
#define DD "mov.b64 %d, %dd;\n"
#define PD "selp.u64 %d, 1, 0, %p;\n"

static const struct {
	const char *text;
	expected *want;
} rows[] = {
	{ U "add.s32 %rd, %ra, %rb;\n" RD, add_32 },
	{ "sub.u64 %d, %a, %b;\n", sub_64 },
	{ "mul.lo.s64 %d, %a, %b;\n", mul_lo_64 },
	{ U "mul.hi.u32 %rd, %ra, %rb;\n" RD, mul_hi_u32 },
	{ "mul.hi.s64 %d, %a, %b;\n", mul_hi_s64 },
	{ U "mul.wide.s32 %d, %ra, %rb;\n", mul_wide_s32 },
	{ U "mad.wide.u32 %d, %ra, %rb, %c;\n", mad_wide_u32 },
	{ U "mad.lo.s32 %rd, %ra, %rb, %rc;\n" RD, mad_lo_32 },
	{ U "min.s32 %rd, %ra, %rb;\n" RD, min_s32 },
	{ "max.u64 %d, %a, %b;\n", max_u64 },
	{ U "abs.s32 %rd, %ra;\n" RD, abs_s32 },
	{ U "shl.b32 %rd, %ra, %rb;\n" RD, shl_32 },
	{ U "shr.u64 %d, %a, %rb;\n", shr_u64 },
	{ U "shr.s32 %rd, %ra, %rb;\n" RD, shr_s32 },
	{ U "add.sat.s32 %rd, %ra, %rb;\n" RD, add_sat },
	{ "popc.b64 %rd, %a;\n" RD, popc_64 },
	{ U "clz.b32 %rd, %ra;\n" RD, clz_32 },
	{ U "bfind.s32 %rd, %ra;\n" RD, bfind_s32 },
	{ "and.b64 %d, %a, %b;\n", and_64 },
	{ U "not.b32 %rd, %ra;\n" RD, not_32 },
	{ U "setp.lt.s32 %p, %ra, %rb;\nselp.b32 %rd, %ra, %rc, %p;\n" RD, selp },
	{ U "set.ne.u32.u32 %rd, %ra, %rb;\n" RD, set_ne },
	{ U "shf.r.wrap.b32 %rd, %ra, %rb, %rc;\n" RD, funnel },
	{ U "min.u32 %rc, %rc, 32;\nshf.l.clamp.b32 %rd, %ra, %rb, %rc;\n" RD,
	  funnel_clamp },
	{ "add.cc.u64 %d, %a, %b;\naddc.u64 %d, 0, 0;\n", carried },
	{ U "prmt.b32 %rd, %ra, 0, 0x0123;\n" RD, prmt_reverse },
	{ U "lop3.b32 %rd, %ra, %rb, %rc, 0x96;\n" RD, lop3_xor },
	{ U "bfe.s32 %rd, %ra, %rb, %rc;\n" RD, bfe_s32 },
	{ U "bfi.b64 %d, %a, %b, %rc, 8;\n", bfi_b64 },
	{ U "dp4a.s32.u32 %rd, %ra, %rb, %rc;\n" RD, dp4a },
	{ F "add.rn.f32 %fd, %fa, %fb;\n" FD, add_rn },
	{ F "add.rz.f32 %fd, %fa, %fb;\n" FD, add_rz },
	{ F "add.rm.f32 %fd, %fa, %fb;\n" FD, add_rm },
	{ F "add.rp.f32 %fd, %fa, %fb;\n" FD, add_rp },
	{ F "mul.rn.ftz.f32 %fd, %fa, %fb;\n" FD, mul_ftz },
	{ F "fma.rn.f32 %fd, %fa, %fb, %fc;\n" FD, fma_rn },
	{ D "fma.rn.f64 %dd, %da, %db, %dc;\n" DD, fma_f64 },
	{ F "add.sat.f32 %fd, %fa, %fb;\n" FD, add_float_sat },
	{ D "div.rn.f64 %dd, %da, %db;\n" DD, div_rn },
	{ F "sqrt.rn.f32 %fd, %fa;\n" FD, sqrt_rn },
	{ F "min.f32 %fd, %fa, %fb;\n" FD, min_f32 },
	{ F "max.NaN.f32 %fd, %fa, %fb;\n" FD, max_nan },
	{ D "neg.f64 %dd, %da;\n" DD, neg_f64 },
	{ F "copysign.f32 %fd, %fa, %fb;\n" FD, sign_of_a },
	{ F "setp.lt.f32 %p, %fa, %fb;\n" PD, below },
	{ F "setp.leu.f32 %p, %fa, %fb;\n" PD, not_above },
	{ D "setp.nan.f64 %p, %da, %db;\n" PD, is_nan },
	{ U "cvt.s64.s32 %d, %ra;\n", widen },
	{ "cvt.u64.u8 %d, %a;\n", cut },
	{ U "cvt.s32.s8 %rd, %ra;\n" RD, sign_byte },
	{ U "cvt.sat.u8.s32 %rd, %ra;\n" RD, sat_u8 },
	{ F "cvt.rzi.s32.f32 %rd, %fa;\n" RD, f32_to_s32 },
	{ F "cvt.rni.u8.f32 %rd, %fa;\n" RD, f32_to_u8 },
	{ D "cvt.rmi.s64.f64 %d, %da;\n", f64_to_s64 },
	{ "cvt.rn.f32.u64 %fd, %a;\n" FD, u64_to_f32 },
	{ "cvt.rn.f64.s64 %dd, %a;\n" DD, s64_to_f64 },
	{ D "cvt.rn.f32.f64 %fd, %da;\n" FD, f64_to_f32 },
	{ D "cvt.rp.f32.f64 %fd, %da;\n" FD, f64_to_f32_up },
	{ F "cvt.rni.f32.f32 %fd, %fa;\n" FD, round_even },
	{ F "cvt.sat.f32.f32 %fd, %fa;\n" FD, saturate },
};

/* Each thread has three words and gets one. */
static void compose(char *out, size_t room, const char *body)
{
	(void)snprintf(out, room, INTERPRET_HEAD
		".visible .entry k(.param .u64 m)\n{\n"
		".reg .b64 %%a, %%b, %%c, %%d, %%m;\n.reg .pred %%p;\n"
		".reg .b32 %%ra, %%rb, %%rc, %%rd, %%i;\n"
		".reg .f32 %%fa, %%fb, %%fc, %%fd;\n"
		".reg .f64 %%da, %%db, %%dc, %%dd;\n"
		"ld.param.u64 %%m, [m];\nmov.u32 %%i, %%tid.x;\n"
		"mul.wide.u32 %%a, %%i, 32;\nadd.s64 %%m, %%m, %%a;\n"
		"ld.global.v2.u64 {%%a, %%b}, [%%m];\n"
		"ld.global.u64 %%c, [%%m+16];\n%s"
		"st.global.u64 [%%m+24], %%d;\n}\n", body);
}

/* A NaN of 64 bits may have any sign and content. */
static bool is_same(uint64_t got, uint64_t want)
{
	return got == want || (isnan(f64(got)) && isnan(f64(want)) &&
			       want == 0x7ff8000000000000);
}

static void try_row(size_t row)
{
	char text[2048];
	uint64_t *at;
	uint32_t wrong = 0;

	compose(text, sizeof(text), rows[row].text);
	for (int round = 0; round < ROUNDS && wrong == 0; round++) {
		for (int i = 0; i < 64; i++)
			interpret_memory[i] = draw_extreme();
		if (interpret_run(text, 1, 16, (uint64_t)round) != 0)
			break;
		for (at = interpret_memory; at != interpret_memory + 64; at += 4)
			if (!is_same(at[3], rows[row].want(at[0], at[1], at[2]))) {
				wrong++;
				NOTE("%llx %llx %llx: %llx, not %llx",
					    (unsigned long long)at[0],
					    (unsigned long long)at[1],
					    (unsigned long long)at[2],
					    (unsigned long long)at[3],
					    (unsigned long long)rows[row].want(
						    at[0], at[1], at[2]));
			}
	}
	OK_THAT(wrong == 0 && interpret_message[0] == '\0', "%s%s",
		rows[row].text, interpret_message);
}

static void instructions(void)
{
	state = tap_seed();
	for (size_t row = 0; row < TAP_COUNT(rows); row++)
		try_row(row);
}

static const struct tap_scenario all[] = {
	{ "instructions", instructions },
};

TAP_MAIN(all)
