/* SPDX-License-Identifier: MIT */
/* Operands of PTX: each becomes a slot, the index of a register or of a
 * constant beside the registers. */
#include <stdlib.h>

#include "parser.h"

/* Registers that are not set have this. */
#define RUBBISH 0xa5a5a5a5a5a5a5a5u

/* --- slots ---------------------------------------------------------------- */

static void make_room(struct ptx_function *f, uint32_t count)
{
	while (f->slot_count + count > f->slot_room) {
		f->slot_room = 2 * f->slot_room + 64;
		f->initial = realloc(f->initial, f->slot_room *
						 sizeof(*f->initial));
		f->constant = realloc(f->constant, f->slot_room *
						   sizeof(*f->constant));
		if (f->initial == NULL || f->constant == NULL)
			abort();
	}
}

uint32_t ptx_operand_slots(struct ptx_parser *p, uint32_t count,
			   enum ptx_type type)
{
	struct ptx_function *f = p->function;
	unsigned bits = 8 * ptx_bytes_of(type);
	uint32_t first = f->slot_count, i;

	make_room(f, count);
	for (i = 0; i < count; i++) {
		f->initial[first + i] = type == PTX_PRED ? 0 :
			bits == 64 ? RUBBISH : RUBBISH & ((1ull << bits) - 1);
		f->constant[first + i] = false;
	}
	f->slot_count += count;
	return first;
}

uint32_t ptx_operand_constant(struct ptx_parser *p, uint64_t value)
{
	struct ptx_function *f = p->function;
	uint32_t i;

	for (i = PTX_FIRST_SLOT; i < f->slot_count; i++)
		if (f->constant[i] && f->initial[i] == value)
			return i;
	i = ptx_operand_slots(p, 1, PTX_B64);
	f->initial[i] = value;
	f->constant[i] = true;
	return i;
}

/* --- values of the place -------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t what;
} specials[] = {
	{ "%tid.x", PTX_TID }, { "%tid.y", PTX_TID + 1 },
	{ "%tid.z", PTX_TID + 2 }, { "%ntid.x", PTX_NTID },
	{ "%ntid.y", PTX_NTID + 1 }, { "%ntid.z", PTX_NTID + 2 },
	{ "%ctaid.x", PTX_CTAID }, { "%ctaid.y", PTX_CTAID + 1 },
	{ "%ctaid.z", PTX_CTAID + 2 }, { "%nctaid.x", PTX_NCTAID },
	{ "%nctaid.y", PTX_NCTAID + 1 }, { "%nctaid.z", PTX_NCTAID + 2 },
	{ "%laneid", PTX_LANEID }, { "%warpid", PTX_WARPID },
	{ "%nwarpid", PTX_NWARPID }, { "%lanemask_eq", PTX_LANEMASK_EQ },
	{ "%lanemask_le", PTX_LANEMASK_LE }, { "%lanemask_lt", PTX_LANEMASK_LT },
	{ "%lanemask_ge", PTX_LANEMASK_GE }, { "%lanemask_gt", PTX_LANEMASK_GT },
	{ "%clock", PTX_CLOCK }, { "%clock64", PTX_CLOCK64 },
	{ "%clock_hi", PTX_ZERO }, { "%globaltimer", PTX_TIMER },
	{ "%globaltimer_lo", PTX_TIMER_LO }, { "%globaltimer_hi", PTX_ZERO },
	{ "%smid", PTX_ZERO }, { "%nsmid", PTX_NSMID }, { "%gridid", PTX_ZERO },
	{ "%total_smem_size", PTX_SHARED_SIZE },
	{ "%dynamic_smem_size", PTX_SHARED_SIZE },
};

static uint32_t special_slot(struct ptx_parser *p, uint32_t what,
			     uint64_t offset)
{
	struct ptx_function *f = p->function;
	struct ptx_special *special;
	uint32_t i;

	for (i = 0; i < f->special_count; i++)
		if (f->specials[i].what == what &&
		    f->specials[i].offset == offset)
			return f->specials[i].slot;
	f->specials = realloc(f->specials, (f->special_count + 1) *
					   sizeof(*f->specials));
	if (f->specials == NULL)
		abort();
	special = &f->specials[f->special_count++];
	special->what = what;
	special->offset = offset;
	special->slot = ptx_operand_slots(p, 1, PTX_B64);
	return special->slot;
}

static bool find_special(struct ptx_parser *p, const struct ptx_token *word,
			 uint32_t *slot)
{
	size_t i;

	for (i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (ptx_token_is(word, specials[i].name)) {
			*slot = special_slot(p, specials[i].what, 0);
			return true;
		}
	return false;
}

/* The slot of an address. */
static uint32_t place_slot(struct ptx_parser *p, const struct ptx_name *name,
			   int64_t offset)
{
	uint64_t address = name->address + (uint64_t)offset;

	return name->space == PTX_LOCAL ?
	       special_slot(p, PTX_LOCAL_ADDRESS, address) :
	       ptx_operand_constant(p, address);
}

/* --- parsing -------------------------------------------------------------- */

static int64_t take_offset(struct ptx_parser *p)
{
	if (ptx_token_accept(p, "+"))
		return (int64_t)ptx_token_whole(p);
	return ptx_token_is(&p->token, "-") ? (int64_t)ptx_token_whole(p) : 0;
}

static void take_vector(struct ptx_parser *p, enum ptx_type type,
			struct ptx_operand *out);

static void take_address(struct ptx_parser *p, enum ptx_type type,
			 struct ptx_operand *out)
{
	const struct ptx_name *name;
	struct ptx_token word;

	out->kind = PTX_ADDRESS;
	if (p->token.kind != PTX_WORD) {
		out->slot = ptx_operand_constant(p, ptx_token_whole(p));
	} else {
		word = ptx_token_next(p);
		name = ptx_declare_name(p, &word);
		if (name == NULL)
			ptx_token_refuse(p, "`%.*s` is not declared",
					 (int)word.length, word.at);
		out->slot = name->kind == PTX_REGISTERS ? name->slot :
			    place_slot(p, name, 0);
		out->offset = take_offset(p);
	}
	/* Coordinates behind the handle of a texture. */
	if (ptx_token_accept(p, ",")) {
		ptx_token_expect(p, "{");
		take_vector(p, type, out);
		out->kind = PTX_ADDRESS;
	}
	ptx_token_expect(p, "]");
}

static void take_word(struct ptx_parser *p, struct ptx_operand *out)
{
	const struct ptx_name *name;

	out->token = ptx_token_next(p);
	name = ptx_declare_name(p, &out->token);
	if (name != NULL && name->kind == PTX_REGISTERS) {
		out->slot = name->slot;
		out->type = name->type;
	} else if (name != NULL) {
		out->offset = (int64_t)name->address;
		out->slot = place_slot(p, name, take_offset(p));
	} else if (ptx_token_is(&out->token, "_")) {
		out->slot = PTX_SLOT_SINK;
		out->type = PTX_B64;
	} else if (ptx_token_is(&out->token, "WARP_SZ")) {
		out->slot = ptx_operand_constant(p, 32);
	} else if (!find_special(p, &out->token, &out->slot)) {
		out->kind = PTX_TARGET;
	}
}

static void take_vector(struct ptx_parser *p, enum ptx_type type,
			struct ptx_operand *out)
{
	struct ptx_operand element;

	do {
		if (out->count == 8)
			ptx_token_refuse(p, "the vector is too long");
		ptx_operand_parse(p, type, &element);
		out->type = element.type;
		out->v[out->count++] = element.slot;
	} while (ptx_token_accept(p, ","));
	ptx_token_expect(p, "}");
	out->kind = PTX_VECTOR;
}

void ptx_operand_parse(struct ptx_parser *p, enum ptx_type type,
		       struct ptx_operand *out)
{
	struct ptx_operand second;

	memset(out, 0, sizeof(*out));
	if (ptx_token_accept(p, "[")) {
		take_address(p, type, out);
	} else if (ptx_token_accept(p, "{")) {
		take_vector(p, type, out);
	} else if (ptx_token_accept(p, "!")) {
		ptx_operand_parse(p, type, out);
		out->negated = true;
	} else if (p->token.kind == PTX_WORD) {
		take_word(p, out);
	} else {
		out->slot = ptx_operand_constant(p, ptx_token_bits(p, type));
	}
	if (!ptx_token_accept(p, "|"))
		return;
	ptx_operand_parse(p, type, &second);
	out->second = second.slot;
	out->has_second = true;
}
