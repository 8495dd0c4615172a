/* SPDX-License-Identifier: MIT */
/* Copies of registers, vectors of them, addresses of other spaces. */
#include "machine.h"
#include "parser.h"

static void mov(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = t->r[o->a];
}

/* For sources that are wider than the type. */
static void mov_narrow(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = t->r[o->a] & ((1ull << 8 * ptx_bytes_of(o->type)) - 1);
}

static void pack(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type) / o->count, i;
	uint64_t out = 0, mask = (1ull << bits) - 1;

	for (i = 0; i < o->count; i++)
		out |= (t->r[o->v[i]] & mask) << i * bits;
	t->r[o->d] = out;
}

static void unpack(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bits = 8 * ptx_bytes_of(o->type) / o->count, i;
	uint64_t value = t->r[o->a], mask = (1ull << bits) - 1;

	for (i = 0; i < o->count; i++)
		t->r[o->v[i]] = value >> i * bits & mask;
}

/* From a space to a generic address, and back. */
static void to_generic(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = t->r[o->a] + (o->space >= PTX_SHARED ?
				   PTX_WINDOW(o->space) : 0);
}

static void from_generic(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = t->r[o->a] - (o->space >= PTX_SHARED ?
				   PTX_WINDOW(o->space) : 0);
}

static void isspacep(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t address = t->r[o->a];

	t->r[o->d] = ptx_memory_space(PTX_GENERIC, &address) == o->space;
}

/* --- decoding ------------------------------------------------------------- */

static void set_vector(struct ptx_parser *p, const struct ptx_operand *from,
		       struct ptx_op *o)
{
	uint32_t i;

	if (from->count != 2 && from->count != 4)
		ptx_token_refuse(p, "vectors have two or four elements");
	o->count = (uint8_t)from->count;
	for (i = 0; i < from->count; i++)
		o->v[i] = from->v[i];
}

static bool decode_mov(struct ptx_parser *p, const struct ptx_statement *s,
		       struct ptx_op *o)
{
	ptx_statement_need(p, s, 2);
	if (s->operands[1].kind == PTX_TARGET)
		ptx_token_refuse(p, "`%.*s` is not declared",
				 (int)s->operands[1].token.length,
				 s->operands[1].token.at);
	o->run = ptx_bytes_of(s->types[0]) < 8 && s->types[0] != PTX_PRED ?
		 mov_narrow : mov;
	if (s->operands[0].kind == PTX_VECTOR) {
		o->run = unpack;
		set_vector(p, &s->operands[0], o);
	} else if (s->operands[1].kind == PTX_VECTOR) {
		o->run = pack;
		set_vector(p, &s->operands[1], o);
	}
	return true;
}

bool ptx_move_decode(struct ptx_parser *p, const struct ptx_statement *s,
		     struct ptx_op *o)
{
	static const char *const spaces[] = { "", "global", "const", "shared",
					      "local", "param" };
	uint32_t i;
	uint8_t k;

	for (i = 0; i < s->word_count; i++)
		for (k = 1; k <= PTX_PARAM; k++)
			if (strncmp(s->words[i], spaces[k],
				    strlen(spaces[k])) == 0)
				o->space = k;
	o->type = (uint8_t)s->types[0];
	o->d = s->operands[0].slot;
	o->a = s->operands[1].slot;
	if (strcmp(s->name, "mov") == 0 && s->type_count == 1)
		return decode_mov(p, s, o);
	if (strcmp(s->name, "cvta") == 0)
		o->run = ptx_statement_has(s, "to") ? from_generic : to_generic;
	else if (strcmp(s->name, "isspacep") == 0)
		o->run = isspacep;
	else
		return false;
	ptx_statement_need(p, s, 2);
	return true;
}
