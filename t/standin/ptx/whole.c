/* SPDX-License-Identifier: MIT */
/* Arithmetic of integers. */
#include "machine.h"
#include "parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A t->r[o->a]
#define B t->r[o->b]
#define C t->r[o->c]

/* An operation for one type: `x`, `y`, `z` are its sources. */
#define WHOLE(name, type, bits, expression) \
	static void name(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		const type x = (type)A, y = (type)B, z = (type)C; \
		(void)x, (void)y, (void)z; \
		t->r[o->d] = (uint##bits##_t)(expression); \
	}
/* For all types; arithmetic that wraps is done without a sign. */
#define ALL(name, expression) \
	WHOLE(name##_u16, uint16_t, 16, expression) \
	WHOLE(name##_u32, uint32_t, 32, expression) \
	WHOLE(name##_u64, uint64_t, 64, expression) \
	WHOLE(name##_s16, int16_t, 16, expression) \
	WHOLE(name##_s32, int32_t, 32, expression) \
	WHOLE(name##_s64, int64_t, 64, expression)
#define ROW(name) { \
	[PTX_U16] = name##_u16, [PTX_U32] = name##_u32, \
	[PTX_U64] = name##_u64, [PTX_S16] = name##_s16, \
	[PTX_S32] = name##_s32, [PTX_S64] = name##_s64 }
#define WRAPPING(name, expression) \
	WHOLE(name##_u16, uint16_t, 16, expression) \
	WHOLE(name##_u32, uint32_t, 32, expression) \
	WHOLE(name##_u64, uint64_t, 64, expression)
#define WRAPPING_ROW(name) { \
	[PTX_U16] = name##_u16, [PTX_U32] = name##_u32, \
	[PTX_U64] = name##_u64, [PTX_S16] = name##_u16, \
	[PTX_S32] = name##_u32, [PTX_S64] = name##_u64 }

WRAPPING(add, x + y)
WRAPPING(sub, x - y)
WRAPPING(mul, (uint64_t)x * y)
WRAPPING(mad, (uint64_t)x * y + z)
WRAPPING(neg, 0 - (uint64_t)x)
WHOLE(abs_of_s16, int16_t, 16, x < 0 ? -x : x)
WHOLE(abs_of_s32, int32_t, 32, x < 0 ? -(int64_t)x : x)
WHOLE(abs_of_s64, int64_t, 64, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
ALL(min, x < y ? x : y)
ALL(max, x > y ? x : y)
ALL(sad, (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y) +
	(uint64_t)z)

/* By zero: all bits, as hardware does; the text leaves it open. */
WHOLE(div_u16, uint16_t, 16, y == 0 ? 0xffff : x / y)
WHOLE(div_u32, uint32_t, 32, y == 0 ? 0xffffffff : x / y)
WHOLE(div_u64, uint64_t, 64, y == 0 ? ~0ull : x / y)
WHOLE(div_s16, int16_t, 16, y == 0 ? -1 : x / y)
WHOLE(div_s32, int32_t, 32, y == 0 ? -1 : y == -1 ? -(int64_t)x : x / y)
WHOLE(div_s64, int64_t, 64, y == 0 ? ~0ull : y == -1 ? 0 - (uint64_t)x :
	(uint64_t)(x / y))
WHOLE(rem_u16, uint16_t, 16, y == 0 ? x : x % y)
WHOLE(rem_u32, uint32_t, 32, y == 0 ? x : x % y)
WHOLE(rem_u64, uint64_t, 64, y == 0 ? x : x % y)
WHOLE(rem_s16, int16_t, 16, y == 0 ? x : x % y)
WHOLE(rem_s32, int32_t, 32, y == 0 ? x : y == -1 ? 0 : x % y)
WHOLE(rem_s64, int64_t, 64, y == 0 ? x : y == -1 ? 0 : x % y)

WHOLE(high_u16, uint16_t, 16, (uint32_t)x * y >> 16)
WHOLE(high_u32, uint32_t, 32, (uint64_t)x * y >> 32)
WHOLE(high_u64, uint64_t, 64, (unsigned __int128)x * y >> 64)
WHOLE(high_s16, int16_t, 16, (int32_t)x * y >> 16)
WHOLE(high_s32, int32_t, 32, (int64_t)x * y >> 32)
WHOLE(high_s64, int64_t, 64, (__int128)x * y >> 64)
WHOLE(mad_high_u16, uint16_t, 16, ((uint32_t)x * y >> 16) + z)
WHOLE(mad_high_u32, uint32_t, 32, ((uint64_t)x * y >> 32) + z)
WHOLE(mad_high_u64, uint64_t, 64,
	(uint64_t)((unsigned __int128)x * y >> 64) + z)
WHOLE(mad_high_s16, int16_t, 16, ((int32_t)x * y >> 16) + z)
WHOLE(mad_high_s32, int32_t, 32, (uint64_t)((int64_t)x * y >> 32) + (uint64_t)z)
WHOLE(mad_high_s64, int64_t, 64,
	(uint64_t)((__int128)x * y >> 64) + (uint64_t)z)
WHOLE(wide_u16, uint16_t, 32, (uint32_t)x * y)
WHOLE(wide_u32, uint32_t, 64, (uint64_t)x * y)
WHOLE(wide_s16, int16_t, 32, (int32_t)x * y)
WHOLE(wide_s32, int32_t, 64, (int64_t)x * y)
WHOLE(mad_wide_u16, uint16_t, 32, (uint32_t)x * y + (uint32_t)C)
WHOLE(mad_wide_u32, uint32_t, 64, (uint64_t)x * y + C)
WHOLE(mad_wide_s16, int16_t, 32, (uint32_t)((int32_t)x * y) + (uint32_t)C)
WHOLE(mad_wide_s32, int32_t, 64, (uint64_t)((int64_t)x * y) + C)

static uint64_t low24(uint64_t x)
{
	return x & 0xffffff;
}

static int64_t signed24(uint64_t x)
{
	return (int64_t)(x << 40) >> 40;
}

WHOLE(mul24_u32, uint32_t, 32, low24(A) * low24(B))
WHOLE(mul24_s32, int32_t, 32, signed24(A) * signed24(B))
WHOLE(mad24_u32, uint32_t, 32, low24(A) * low24(B) + C)
WHOLE(mad24_s32, int32_t, 32, (uint64_t)(signed24(A) * signed24(B)) + C)

/* --- saturation ----------------------------------------------------------- */

static uint64_t clamp(int64_t value)
{
	return (uint32_t)(value > INT32_MAX ? INT32_MAX :
			  value < INT32_MIN ? INT32_MIN : value);
}

WHOLE(add_sat, int32_t, 64, clamp((int64_t)x + y))
WHOLE(sub_sat, int32_t, 64, clamp((int64_t)x - y))
WHOLE(mad_sat, int32_t, 64, clamp(((int64_t)x * y >> 32) + z))

/* --- carries -------------------------------------------------------------- */

typedef unsigned __int128 sum_type;

/* Sets the register, and with .cc the carry. */
static void set_sum(struct ptx_thread *t, const struct ptx_op *o, sum_type sum)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type);

	t->r[o->d] = bits == 64 ? (uint64_t)sum : (uint32_t)sum;
	if (o->mode & 1)
		t->carry = (sum >> bits & 1) != 0;
}

static uint64_t masked(const struct ptx_op *o, uint64_t value)
{
	return ptx_bytes_of(o->type) == 8 ? value : (uint32_t)value;
}

/* mode: 1 .cc, 2 with the carry. */
static void add_carry(struct ptx_thread *t, const struct ptx_op *o)
{
	set_sum(t, o, (sum_type)masked(o, A) + masked(o, B) +
		((o->mode & 2) && t->carry));
}

/* The carry is a borrow. */
static void sub_borrow(struct ptx_thread *t, const struct ptx_op *o)
{
	set_sum(t, o, (sum_type)masked(o, A) - masked(o, B) -
		((o->mode & 2) && t->carry));
}

static void mad_carry(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type);
	sum_type product;

	if (o->type == PTX_S32)
		product = (sum_type)((int64_t)(int32_t)A * (int32_t)B);
	else if (o->type == PTX_S64)
		product = (sum_type)((__int128)(int64_t)A * (int64_t)B);
	else
		product = (sum_type)masked(o, A) * masked(o, B);
	if (o->mode & 4)
		product >>= bits;
	set_sum(t, o, (sum_type)masked(o, (uint64_t)product) + masked(o, C) +
		((o->mode & 2) && t->carry));
}

static bool decode_carry(const struct ptx_statement *s, struct ptx_op *o,
			 ptx_run *run)
{
	o->run = run;
	o->type = (uint8_t)s->types[0];
	o->mode = (uint8_t)(ptx_statement_has(s, "cc") |
			    (strchr(s->name + 3, 'c') != NULL) << 1 |
			    ptx_statement_has(s, "hi") << 2);
	o->d = s->operands[0].slot;
	o->a = s->operands[1].slot;
	o->b = s->operands[2].slot;
	o->c = s->operands[3].slot;
	return true;
}

/* --- dot products --------------------------------------------------------- */

static int64_t part(uint64_t value, uint32_t index, uint32_t bits, bool with_sign)
{
	uint64_t field = value >> index * bits & ((1ull << bits) - 1);

	return with_sign && field >> (bits - 1) ?
	       (int64_t)field - (1ll << bits) : (int64_t)field;
}

/* type: of a; from: of b. */
static void dp4a(struct ptx_thread *t, const struct ptx_op *o)
{
	int64_t sum = (int64_t)C;
	uint32_t i;

	for (i = 0; i < 4; i++)
		sum += part(A, i, 8, o->type == PTX_S32) *
		       part(B, i, 8, o->from == PTX_S32);
	t->r[o->d] = (uint32_t)sum;
}

/* mode: the first part of b. */
static void dp2a(struct ptx_thread *t, const struct ptx_op *o)
{
	int64_t sum = (int64_t)C;
	uint32_t i;

	for (i = 0; i < 2; i++)
		sum += part(A, i, 16, o->type == PTX_S32) *
		       part(B, o->mode + i, 8, o->from == PTX_S32);
	t->r[o->d] = (uint32_t)sum;
}

static bool decode_dot(struct ptx_parser *p, const struct ptx_statement *s,
		       struct ptx_op *o)
{
	ptx_statement_need(p, s, 4);
	decode_carry(s, o, strcmp(s->name, "dp4a") == 0 ? dp4a : dp2a);
	o->from = (uint8_t)s->types[1];
	o->mode = ptx_statement_has(s, "hi") ? 2 : 0;
	return true;
}

/* --- decoding ------------------------------------------------------------- */

static const struct ptx_form forms[] = {
	{ "add", 3, WRAPPING_ROW(add) },
	{ "sub", 3, WRAPPING_ROW(sub) },
	{ "mul.lo", 3, WRAPPING_ROW(mul) },
	{ "mad.lo", 4, WRAPPING_ROW(mad) },
	{ "neg", 2, WRAPPING_ROW(neg) },
	{ "abs", 2, { [PTX_S16] = abs_of_s16, [PTX_S32] = abs_of_s32,
		      [PTX_S64] = abs_of_s64 } },
	{ "min", 3, ROW(min) },
	{ "max", 3, ROW(max) },
	{ "sad", 4, ROW(sad) },
	{ "div", 3, ROW(div) },
	{ "rem", 3, ROW(rem) },
	{ "mul.hi", 3, ROW(high) },
	{ "mad.hi", 4, ROW(mad_high) },
	{ "mul.wide", 3, { [PTX_U16] = wide_u16, [PTX_U32] = wide_u32,
			   [PTX_S16] = wide_s16, [PTX_S32] = wide_s32 } },
	{ "mad.wide", 4, { [PTX_U16] = mad_wide_u16, [PTX_U32] = mad_wide_u32,
			   [PTX_S16] = mad_wide_s16,
			   [PTX_S32] = mad_wide_s32 } },
	{ "mul24.lo", 3, { [PTX_U32] = mul24_u32, [PTX_S32] = mul24_s32 } },
	{ "mad24.lo", 4, { [PTX_U32] = mad24_u32, [PTX_S32] = mad24_s32 } },
	{ "add.sat", 3, { [PTX_S32] = add_sat } },
	{ "sub.sat", 3, { [PTX_S32] = sub_sat } },
	{ "mad.hi.sat", 4, { [PTX_S32] = mad_sat } },
};

bool ptx_whole_decode(struct ptx_parser *p, const struct ptx_statement *s,
		      struct ptx_op *o)
{
	bool carries = ptx_statement_has(s, "cc");

	if (s->type_count == 0 || ptx_is_float(s->types[0]))
		return false;
	if (strcmp(s->name, "dp4a") == 0 || strcmp(s->name, "dp2a") == 0)
		return decode_dot(p, s, o);
	if (strcmp(s->name, "addc") == 0 ||
	    (carries && strcmp(s->name, "add") == 0))
		return decode_carry(s, o, add_carry);
	if (strcmp(s->name, "subc") == 0 ||
	    (carries && strcmp(s->name, "sub") == 0))
		return decode_carry(s, o, sub_borrow);
	if (strcmp(s->name, "madc") == 0 ||
	    (carries && strcmp(s->name, "mad") == 0))
		return decode_carry(s, o, mad_carry);
	return ptx_statement_find(p, s, o, forms, COUNT(forms), "");
}
