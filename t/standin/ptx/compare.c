/* SPDX-License-Identifier: MIT */
/* Comparisons and choices. */
#include <math.h>

#include "machine.h"
#include "parser.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Results of a comparison, as a mask of those that hold. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const struct {
	const char *word;
	uint8_t mask;
} conditions[] = {
	{ "eq", EQUAL }, { "ne", LESS | GREATER }, { "lt", LESS },
	{ "le", LESS | EQUAL }, { "gt", GREATER }, { "ge", GREATER | EQUAL },
	{ "lo", LESS }, { "ls", LESS | EQUAL }, { "hi", GREATER },
	{ "hs", GREATER | EQUAL }, { "equ", EQUAL | UNORDERED },
	{ "neu", LESS | GREATER | UNORDERED }, { "ltu", LESS | UNORDERED },
	{ "leu", LESS | EQUAL | UNORDERED }, { "gtu", GREATER | UNORDERED },
	{ "geu", GREATER | EQUAL | UNORDERED },
	{ "num", LESS | EQUAL | GREATER }, { "nan", UNORDERED },
};

static unsigned order_whole(const struct ptx_op *o, uint64_t a, uint64_t b)
{
	uint64_t x = ptx_extend(a, o->from, 8), y = ptx_extend(b, o->from, 8);

	if (x == y)
		return EQUAL;
	if (ptx_is_signed(o->from))
		return (int64_t)x < (int64_t)y ? LESS : GREATER;
	return x < y ? LESS : GREATER;
}

static unsigned order_real(double x, double y)
{
	return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;
}

static double flushed(const struct ptx_op *o, uint64_t bits)
{
	float x = ptx_f32(bits);

	return (o->flags & PTX_FTZ) && fpclassify(x) == FP_SUBNORMAL ? 0 : x;
}

static unsigned order(const struct ptx_op *o, uint64_t a, uint64_t b)
{
	if (o->from == PTX_F32)
		return order_real(flushed(o, a), flushed(o, b));
	if (o->from == PTX_F64)
		return order_real(ptx_f64(a), ptx_f64(b));
	return order_whole(o, a, b);
}

/* With a predicate: 1 and, 2 or, 3 xor. */
static uint64_t combine(const struct ptx_thread *t, const struct ptx_op *o,
			uint64_t held)
{
	uint64_t c = t->r[o->c] ^ ((o->flags & PTX_NEGATE_C) != 0);

	switch (o->count) {
	case 1:
		return held & c;
	case 2:
		return held | c;
	case 3:
		return held ^ c;
	default:
		return held;
	}
}

static void setp(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t held = (order(o, t->r[o->a], t->r[o->b]) & o->mode) != 0;
	uint64_t second = combine(t, o, !held);

	t->r[o->d] = combine(t, o, held);
	if (o->v[0] != PTX_SLOT_SINK)
		t->r[o->v[0]] = second;
}

/* Common ones without a second result. */
#define QUICK(name, type, comparison) \
	static void name(struct ptx_thread *t, const struct ptx_op *o) \
	{ \
		t->r[o->d] = (type)t->r[o->a] comparison (type)t->r[o->b]; \
	}
#define QUICKS(suffix, type) \
	QUICK(eq_##suffix, type, ==) QUICK(ne_##suffix, type, !=) \
	QUICK(lt_##suffix, type, <) QUICK(le_##suffix, type, <=) \
	QUICK(gt_##suffix, type, >) QUICK(ge_##suffix, type, >=)
#define ROW(suffix) { [EQUAL] = eq_##suffix, [LESS | GREATER] = ne_##suffix, \
	[LESS] = lt_##suffix, [LESS | EQUAL] = le_##suffix, \
	[GREATER] = gt_##suffix, [GREATER | EQUAL] = ge_##suffix }

QUICKS(u32, uint32_t)
QUICKS(s32, int32_t)
QUICKS(u64, uint64_t)
QUICKS(s64, int64_t)

static ptx_run *const quick[PTX_TYPES][8] = {
	[PTX_U32] = ROW(u32), [PTX_B32] = ROW(u32), [PTX_S32] = ROW(s32),
	[PTX_U64] = ROW(u64), [PTX_B64] = ROW(u64), [PTX_S64] = ROW(s64),
};

static void set(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t held = combine(t, o, (order(o, t->r[o->a], t->r[o->b]) &
				       o->mode) != 0);

	t->r[o->d] = !held ? 0 : o->type == PTX_F32 ? ptx_of_f32(1) : 0xffffffff;
}

static void selp_32(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = (uint32_t)t->r[t->r[o->c] ? o->a : o->b];
}

static void selp_64(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = t->r[t->r[o->c] ? o->a : o->b];
}

static void selp_16(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = (uint16_t)t->r[t->r[o->c] ? o->a : o->b];
}

/* A NaN takes b. */
static void slct(struct ptx_thread *t, const struct ptx_op *o)
{
	bool first = o->from == PTX_F32 ? flushed(o, t->r[o->c]) >= 0 :
					  (int32_t)t->r[o->c] >= 0;
	uint64_t value = t->r[first ? o->a : o->b];

	t->r[o->d] = ptx_extend(value, o->type, 8);
}

/* --- decoding ------------------------------------------------------------- */

static const struct ptx_form choices[] = {
	{ "selp", 4, { [PTX_B16] = selp_16, [PTX_U16] = selp_16,
		       [PTX_S16] = selp_16, [PTX_B32] = selp_32,
		       [PTX_U32] = selp_32, [PTX_S32] = selp_32,
		       [PTX_F32] = selp_32, [PTX_B64] = selp_64,
		       [PTX_U64] = selp_64, [PTX_S64] = selp_64,
		       [PTX_F64] = selp_64 } },
};

static void take_condition(struct ptx_parser *p, const struct ptx_statement *s,
			   struct ptx_op *o)
{
	static const char *const joins[] = { "and", "or", "xor" };
	size_t i;

	for (i = 0; i < COUNT(conditions); i++)
		if (ptx_statement_has(s, conditions[i].word))
			o->mode = conditions[i].mask;
	for (i = 0; i < COUNT(joins); i++)
		if (ptx_statement_has(s, joins[i]))
			o->count = (uint8_t)(i + 1);
	if (o->mode == 0)
		ptx_token_refuse(p, "`%s` has no comparison", s->name);
	if (s->types[s->type_count - 1] == PTX_F16)
		ptx_token_refuse(p, "comparison of f16 is not supported");
	ptx_statement_need(p, s, o->count != 0 ? 4 : 3);
	if (s->operands[3].negated)
		o->flags |= PTX_NEGATE_C;
	if (ptx_statement_has(s, "ftz"))
		o->flags |= PTX_FTZ;
	o->d = s->operands[0].slot;
	o->a = s->operands[1].slot;
	o->b = s->operands[2].slot;
	o->c = s->operands[3].slot;
	o->type = (uint8_t)s->types[0];
	o->from = (uint8_t)s->types[s->type_count - 1];
}

static void decode_setp(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	take_condition(p, s, o);
	o->v[0] = s->operands[0].has_second ? s->operands[0].second :
					      PTX_SLOT_SINK;
	o->run = setp;
	if (o->count == 0 && !s->operands[0].has_second && o->mode < 8 &&
	    quick[o->from][o->mode] != NULL)
		o->run = quick[o->from][o->mode];
}

bool ptx_compare_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	if (s->type_count == 0)
		return false;
	if (strcmp(s->name, "setp") == 0) {
		decode_setp(p, s, o);
		return true;
	}
	if (strcmp(s->name, "set") == 0) {
		take_condition(p, s, o);
		o->run = set;
		return true;
	}
	if (strcmp(s->name, "slct") == 0) {
		ptx_statement_need(p, s, 4);
		o->run = slct;
		o->type = (uint8_t)s->types[0];
		o->from = (uint8_t)s->types[1];
		o->d = s->operands[0].slot;
		o->a = s->operands[1].slot;
		o->b = s->operands[2].slot;
		o->c = s->operands[3].slot;
		return true;
	}
	return ptx_statement_find(p, s, o, choices, COUNT(choices), "");
}
