/* SPDX-License-Identifier: MIT */
/* Logic, shifts, fields of bits. */
#include "machine.h"
#include "parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define A t->r[o->a]
#define B t->r[o->b]
#define C t->r[o->c]

#define BITS(name, type, out, expression) \
	static void name(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		const type x = (type)A, y = (type)B, z = (type)C; \
		(void)x, (void)y, (void)z; \
		t->r[o->d] = (out)(expression); \
	}
#define THREE(name, expression) \
	BITS(name##_16, uint16_t, uint16_t, expression) \
	BITS(name##_32, uint32_t, uint32_t, expression) \
	BITS(name##_64, uint64_t, uint64_t, expression)
#define PLAIN_ROW(name) { \
	[PTX_PRED] = name##_pred, [PTX_B16] = name##_16, \
	[PTX_B32] = name##_32, [PTX_B64] = name##_64 }

THREE(and_of, x & y)
THREE(or_of, x | y)
THREE(xor_of, x ^ y)
THREE(not_of, ~x)
BITS(and_of_pred, uint64_t, uint64_t, (x & y) & 1)
BITS(or_of_pred, uint64_t, uint64_t, (x | y) & 1)
BITS(xor_of_pred, uint64_t, uint64_t, (x ^ y) & 1)
BITS(not_of_pred, uint64_t, uint64_t, ~x & 1)
THREE(cnot, x == 0)

/* --- shifts: longer ones than the type are as long as it ------------------ */

static uint64_t left(uint64_t x, uint32_t by)
{
	return by > 63 ? 0 : x << by;
}

static uint64_t right(uint64_t x, uint32_t by)
{
	return by > 63 ? 0 : x >> by;
}

static int64_t right_signed(int64_t x, uint32_t by)
{
	return x >> (by > 63 ? 63 : by);
}

THREE(shl, left(x, (uint32_t)B))
THREE(shr, right(x, (uint32_t)B))
BITS(shr_s16, int16_t, uint16_t, right_signed(x, (uint32_t)B))
BITS(shr_s32, int32_t, uint32_t, right_signed(x, (uint32_t)B))
BITS(shr_s64, int64_t, uint64_t, right_signed(x, (uint32_t)B))

/* Funnel: b above a. */
static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static uint32_t at_most_32(uint32_t by)
{
	return by > 32 ? 32 : by;
}

BITS(shf_l_wrap, uint32_t, uint32_t, pair(y, x) << (z & 31) >> 32)
BITS(shf_r_wrap, uint32_t, uint32_t, pair(y, x) >> (z & 31))
BITS(shf_l_clamp, uint32_t, uint32_t, left(pair(y, x), at_most_32(z)) >> 32)
BITS(shf_r_clamp, uint32_t, uint32_t, pair(y, x) >> at_most_32(z))

/* --- counts --------------------------------------------------------------- */

BITS(popc_32, uint32_t, uint32_t, __builtin_popcount(x))
BITS(popc_64, uint64_t, uint32_t, __builtin_popcountll(x))
BITS(clz_32, uint32_t, uint32_t, x == 0 ? 32 : __builtin_clz(x))
BITS(clz_64, uint64_t, uint32_t, x == 0 ? 64 : __builtin_clzll(x))

static uint32_t highest(uint64_t x)
{
	return x == 0 ? UINT32_MAX : 63 - (uint32_t)__builtin_clzll(x);
}

/* The distance from the top instead. */
static uint32_t amount(uint64_t x, uint32_t bits)
{
	return x == 0 ? UINT32_MAX : bits - 1 - highest(x);
}

BITS(find_u32, uint32_t, uint32_t, highest(x))
BITS(find_u64, uint64_t, uint32_t, highest(x))
BITS(find_s32, int32_t, uint32_t, highest((uint32_t)(x < 0 ? ~x : x)))
BITS(find_s64, int64_t, uint32_t, highest((uint64_t)(x < 0 ? ~x : x)))
BITS(amount_u32, uint32_t, uint32_t, amount(x, 32))
BITS(amount_u64, uint64_t, uint32_t, amount(x, 64))
BITS(amount_s32, int32_t, uint32_t, amount((uint32_t)(x < 0 ? ~x : x), 32))
BITS(amount_s64, int64_t, uint32_t, amount((uint64_t)(x < 0 ? ~x : x), 64))

static uint64_t reversed(uint64_t x)
{
	uint64_t out = 0;
	int i;

	for (i = 0; i < 64; i++)
		out |= (x >> i & 1) << (63 - i);
	return out;
}

BITS(brev_32, uint32_t, uint32_t, reversed(x) >> 32)
BITS(brev_64, uint64_t, uint64_t, reversed(x))

/* --- fields --------------------------------------------------------------- */

/* Beyond the top are copies of the sign, or zeros. */
static void bfe(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type), i;
	uint32_t from = (uint32_t)B & 0xff, length = (uint32_t)C & 0xff;
	uint64_t value = A, out = 0, sign;
	uint32_t top = from + length - 1 < bits - 1 ? from + length - 1 :
						      bits - 1;

	if (bits == 32)
		value = (uint32_t)value;
	sign = ptx_is_signed(o->type) && length != 0 ? value >> top & 1 : 0;
	for (i = 0; i < bits; i++)
		out |= (i < length && from + i < bits ?
			value >> (from + i) & 1 : sign) << i;
	t->r[o->d] = out;
}

/* a into b; the length is the fifth operand. */
static void bfi(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type), i;
	uint32_t from = (uint32_t)C & 0xff, length = (uint32_t)t->r[o->v[0]] & 0xff;
	uint64_t out = bits == 32 ? (uint32_t)B : B;

	for (i = 0; i < length && from + i < bits; i++)
		out = (out & ~(1ull << (from + i))) |
		      (A >> i & 1) << (from + i);
	t->r[o->d] = out;
}

static void bmsk(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t from = (uint32_t)A, length = (uint32_t)B;
	uint64_t mask;

	if (o->mode != 0) {
		from &= 31;
		length &= 31;
	}
	mask = left(1, length > 32 ? 32 : length) - 1;
	t->r[o->d] = (uint32_t)left(mask, from);
}

/* --- permutation and tables ----------------------------------------------- */

static uint32_t chosen(uint64_t bytes, uint32_t selector)
{
	uint32_t byte = bytes >> 8 * (selector & 7) & 0xff;

	if (selector & 8)
		return byte & 0x80 ? 0xff : 0;
	return byte;
}

static void prmt(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t bytes = pair((uint32_t)B, (uint32_t)A);
	uint32_t out = 0, i;

	for (i = 0; i < 4; i++)
		out |= chosen(bytes, (uint32_t)C >> 4 * i & 15) << 8 * i;
	t->r[o->d] = out;
}

/* The source of each byte, for the low two bits of c. */
static const struct {
	const char *name;
	uint16_t selectors[4];
} modes[] = {
	{ "f4e", { 0x3210, 0x4321, 0x5432, 0x6543 } },
	{ "b4e", { 0x5670, 0x6701, 0x7012, 0x0123 } },
	{ "rc8", { 0x0000, 0x1111, 0x2222, 0x3333 } },
	{ "ecl", { 0x3210, 0x3211, 0x3222, 0x3333 } },
	{ "ecr", { 0x0000, 0x1110, 0x2210, 0x3210 } },
	{ "rc16", { 0x1010, 0x3232, 0x1010, 0x3232 } },
};

static void prmt_mode(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t bytes = pair((uint32_t)B, (uint32_t)A);
	uint32_t selector = modes[o->mode].selectors[C & 3], out = 0, i;

	for (i = 0; i < 4; i++)
		out |= chosen(bytes, selector >> 4 * i & 7) << 8 * i;
	t->r[o->d] = out;
}

/* The table is the fifth operand. */
static void lop3(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t table = (uint32_t)t->r[o->v[0]], out = 0, i;

	for (i = 0; i < 32; i++) {
		uint32_t index = (A >> i & 1) << 2 | (B >> i & 1) << 1 |
				 (C >> i & 1);

		out |= (table >> index & 1) << i;
	}
	t->r[o->d] = out;
}

/* --- decoding ------------------------------------------------------------- */

static const struct ptx_form forms[] = {
	{ "and", 3, PLAIN_ROW(and_of) },
	{ "or", 3, PLAIN_ROW(or_of) },
	{ "xor", 3, PLAIN_ROW(xor_of) },
	{ "not", 2, PLAIN_ROW(not_of) },
	{ "cnot", 2, { [PTX_B16] = cnot_16, [PTX_B32] = cnot_32,
		       [PTX_B64] = cnot_64 } },
	{ "shl", 3, { [PTX_B16] = shl_16, [PTX_B32] = shl_32,
		      [PTX_B64] = shl_64 } },
	{ "shr", 3, { [PTX_B16] = shr_16, [PTX_B32] = shr_32,
		      [PTX_B64] = shr_64, [PTX_U16] = shr_16,
		      [PTX_U32] = shr_32, [PTX_U64] = shr_64,
		      [PTX_S16] = shr_s16, [PTX_S32] = shr_s32,
		      [PTX_S64] = shr_s64 } },
	{ "shf.l.wrap", 4, { [PTX_B32] = shf_l_wrap } },
	{ "shf.r.wrap", 4, { [PTX_B32] = shf_r_wrap } },
	{ "shf.l.clamp", 4, { [PTX_B32] = shf_l_clamp } },
	{ "shf.r.clamp", 4, { [PTX_B32] = shf_r_clamp } },
	{ "popc", 2, { [PTX_B32] = popc_32, [PTX_B64] = popc_64 } },
	{ "clz", 2, { [PTX_B32] = clz_32, [PTX_B64] = clz_64 } },
	{ "bfind", 2, { [PTX_U32] = find_u32, [PTX_U64] = find_u64,
			[PTX_S32] = find_s32, [PTX_S64] = find_s64 } },
	{ "bfind.shiftamt", 2, { [PTX_U32] = amount_u32,
				 [PTX_U64] = amount_u64,
				 [PTX_S32] = amount_s32,
				 [PTX_S64] = amount_s64 } },
	{ "brev", 2, { [PTX_B32] = brev_32, [PTX_B64] = brev_64 } },
	{ "bfe", 4, { [PTX_U32] = bfe, [PTX_U64] = bfe, [PTX_S32] = bfe,
		      [PTX_S64] = bfe } },
	{ "bfi", 5, { [PTX_B32] = bfi, [PTX_B64] = bfi } },
	{ "bmsk", 3, { [PTX_B32] = bmsk } },
	{ "prmt", 4, { [PTX_B32] = prmt } },
	{ "lop3", 5, { [PTX_B32] = lop3 } },
};

bool ptx_bits_decode(struct ptx_parser *p, const struct ptx_statement *s,
		     struct ptx_op *o)
{
	size_t i;

	if (s->type_count == 0 ||
	    !ptx_statement_find(p, s, o, forms, COUNT(forms),
				" b4e f4e rc8 ecl ecr rc16 "))
		return strcmp(s->name, "bmsk") == 0 &&
		       ptx_statement_find(p, s, o, forms, COUNT(forms),
					  " clamp wrap ") &&
		       (o->mode = ptx_statement_has(s, "wrap"), true);
	for (i = 0; o->run == prmt && i < COUNT(modes); i++)
		if (ptx_statement_has(s, modes[i].name)) {
			o->run = prmt_mode;
			o->mode = (uint8_t)i;
			break;
		}
	return true;
}
