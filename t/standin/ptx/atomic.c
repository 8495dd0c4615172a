/* SPDX-License-Identifier: MIT */
/* Atomic operations: atom and red. */
#include "machine.h"
#include "parser.h"

enum { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };

static const char *const names[] = { "add", "min", "max", "and", "or", "xor",
				     "exch", "cas", "inc", "dec" };

static uint64_t add(const struct ptx_op *o, uint64_t old, uint64_t b)
{
	if (o->type == PTX_F32)
		return ptx_of_f32(ptx_f32(old) + ptx_f32(b));
	if (o->type == PTX_F64)
		return ptx_of_f64(ptx_f64(old) + ptx_f64(b));
	return old + b;
}

static bool is_less(const struct ptx_op *o, uint64_t x, uint64_t y)
{
	x = ptx_extend(x, o->type, 8);
	y = ptx_extend(y, o->type, 8);
	return ptx_is_signed(o->type) ? (int64_t)x < (int64_t)y : x < y;
}

static uint64_t result(const struct ptx_op *o, uint64_t old, uint64_t b,
		       uint64_t c)
{
	switch (o->mode) {
	case ADD:
		return add(o, old, b);
	case MIN:
		return is_less(o, b, old) ? b : old;
	case MAX:
		return is_less(o, old, b) ? b : old;
	case AND:
		return old & b;
	case OR:
		return old | b;
	case XOR:
		return old ^ b;
	case EXCH:
		return b;
	case INC:
		return old >= b ? 0 : old + 1;
	case DEC:
		return old == 0 || old > b ? b : old - 1;
	default:
		return old == b ? c : old;
	}
}

static bool exchange(char *at, uint64_t *old, uint64_t new, uint32_t bytes)
{
	void *place = at;
	uint16_t half = (uint16_t)*old;
	uint32_t word = (uint32_t)*old;
	bool done;

	if (bytes == 8)
		return __atomic_compare_exchange_n((uint64_t *)place, old, new,
						   false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	if (bytes == 2) {
		done = __atomic_compare_exchange_n(
			(uint16_t *)place, &half, (uint16_t)new, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		*old = half;
		return done;
	}
	done = __atomic_compare_exchange_n((uint32_t *)place, &word,
					   (uint32_t)new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	*old = word;
	return done;
}

/* Other workers may run kernels on the same memory. */
static void atom(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bytes = ptx_bytes_of(o->type);
	uint64_t mask = bytes == 8 ? ~0ull : (1ull << 8 * bytes) - 1;
	uint64_t b = t->r[o->b] & mask, c = t->r[o->c] & mask, old, new;
	char *at = ptx_memory_at(t, o, t->r[o->a] + (uint64_t)o->offset, bytes,
				 true);
	uint32_t offset;

	if (at == NULL)
		return;
	offset = (uint32_t)(at - t->block->shared);
	old = ptx_memory_load(at, bytes);
	do
		new = result(o, old, b, c) & mask;
	while (!exchange(at, &old, new, bytes));
	t->r[o->d] = old;
	if ((uintptr_t)at - (uintptr_t)t->block->shared >=
	    t->machine->shared_bytes)
		return;
	/* The check compares with the old value. */
	ptx_memory_store(at, old, bytes);
	if (ptx_race_read(t, o, offset, bytes) &&
	    ptx_race_write(t, o, offset, new, bytes))
		ptx_memory_store(at, new, bytes);
}

bool ptx_atomic_decode(struct ptx_parser *p, const struct ptx_statement *s,
		       struct ptx_op *o)
{
	bool returns = strcmp(s->name, "atom") == 0;
	uint32_t i, k;

	if (!returns && strcmp(s->name, "red") != 0)
		return false;
	ptx_statement_need(p, s, 2 + returns);
	o->mode = CAS + 100;
	o->flags = PTX_STRONG;
	for (i = 0; i < s->word_count; i++) {
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (strcmp(s->words[i], names[k]) == 0)
				o->mode = (uint8_t)k;
		if (strncmp(s->words[i], "shared", 6) == 0)
			o->space = PTX_SHARED;
		else if (strcmp(s->words[i], "global") == 0)
			o->space = PTX_GLOBAL;
	}
	if (o->mode > DEC || s->type_count != 1 || s->types[0] == PTX_F16 ||
	    s->operands[returns].kind != PTX_ADDRESS ||
	    s->operands[returns + 1].kind == PTX_VECTOR)
		ptx_token_refuse(p, "this `%s` is not supported", s->name);
	o->run = atom;
	o->type = (uint8_t)s->types[0];
	o->d = returns ? s->operands[0].slot : PTX_SLOT_SINK;
	o->a = s->operands[returns].slot;
	o->offset = s->operands[returns].offset;
	o->b = s->operands[returns + 1].slot;
	o->c = s->operands[returns + 2].slot;
	return true;
}
