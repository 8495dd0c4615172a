/* SPDX-License-Identifier: MIT */
/* Barriers of a block: bar and barrier. */
#include "machine.h"
#include "parser.h"

enum { SYNC, ARRIVE, POPC, AND, OR };

static uint64_t reduced(const struct ptx_barrier *b, uint32_t mode)
{
	return mode == POPC ? b->red_count : mode == AND ? b->red_all :
							   b->red_any;
}

/* .aligned: all threads of a warp are at one instruction. */
static bool is_aligned(struct ptx_block *block, uint32_t id)
{
	struct ptx_thread *first = NULL;
	uint32_t i;

	for (i = 0; i < block->machine->threads; i++) {
		struct ptx_thread *t = &block->threads[i];

		if (i % PTX_WARP == 0)
			first = NULL;
		if (t->state != PTX_AT_BARRIER || t->wait != id ||
		    !(t->at[-1].flags & PTX_ALIGNED))
			continue;
		if (first == NULL)
			first = t;
		if (first->at != t->at) {
			ptx_machine_fail(t, PTX_FAILED, "divergent barrier: "
					 "thread %u of the warp is at line %u",
					 first->number, first->at[-1].line);
			return false;
		}
	}
	return true;
}

static void complete(struct ptx_block *block, uint32_t id)
{
	struct ptx_barrier *b = &block->barriers[id];
	uint32_t i;

	if (!is_aligned(block, id))
		return;
	for (i = 0; i < block->machine->threads; i++) {
		struct ptx_thread *t = &block->threads[i];
		const struct ptx_op *o = t->at - 1;

		if (t->state != PTX_AT_BARRIER || t->wait != id)
			continue;
		if (o->mode >= POPC)
			t->r[o->d] = reduced(b, o->mode);
		t->state = PTX_YIELDED;
	}
	memset(b, 0, sizeof(*b));
	block->epoch++;
}

static void bar(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t id = (uint32_t)t->r[o->a];
	uint32_t wanted = o->count != 0 ? (uint32_t)t->r[o->b] :
					  t->machine->threads;
	uint32_t held = t->r[o->c] != ((o->flags & PTX_NEGATE_C) != 0);
	struct ptx_barrier *b = &t->block->barriers[id % PTX_BARRIERS];

	if (id >= PTX_BARRIERS || wanted == 0) {
		ptx_machine_fail(t, PTX_FAILED, "barrier %u of %u threads", id,
				 wanted);
		return;
	}
	b->red_all = (b->arrived == 0 || b->red_all) && held;
	b->red_any |= held;
	b->red_count += held;
	b->arrived++;
	if (o->mode != ARRIVE) {
		t->state = PTX_AT_BARRIER;
		t->wait = id;
	}
	if (b->arrived >= wanted)
		complete(t->block, id);
}

bool ptx_barrier_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	static const char *const modes[] = { "sync", "arrive", "popc", "and",
					     "or" };
	bool old = strcmp(s->name, "bar") == 0;
	uint32_t first, i;

	if ((!old && strcmp(s->name, "barrier") != 0) ||
	    ptx_statement_has(s, "warp") || ptx_statement_has(s, "cluster"))
		return false;
	for (i = 0; i < 5; i++)
		if (ptx_statement_has(s, modes[i]))
			o->mode = (uint8_t)i;
	first = o->mode >= POPC;
	ptx_statement_need(p, s, 1 + 2 * first);
	o->run = bar;
	o->flags = old || ptx_statement_has(s, "aligned") ? PTX_ALIGNED : 0;
	o->a = s->operands[first].slot;
	o->count = s->operand_count > 1 + 2 * first;
	o->b = s->operands[first + 1].slot;
	if (first == 1) {
		const struct ptx_operand *last =
			&s->operands[s->operand_count - 1];

		o->d = s->operands[0].slot;
		o->c = last->slot;
		if (last->negated)
			o->flags |= PTX_NEGATE_C;
	}
	return true;
}
