/* SPDX-License-Identifier: MIT */
/*
 * Random programs of kernels, copies, fills, nested loops and branches, and of
 * external commands, made from a number; and a plain interpreter, which
 * computes the final values.
 */
#ifndef T_PROGRAMS_H
#define T_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/tap.h"

enum {
	BUFFERS = 6, MOST_OPS = 10, DEPTH = 3,
	MOST_TIMES = 4, MOST_BRANCHES = 3,
	/* Bits of the words that are written besides buffers: by functions of
	 * the inbox, and by emissions. */
	TOLD = BUFFERS, EMITTED
};

/* How a loop is decided: by a word or the owner of an inbox, or by a count that
 * is a constant or a word. */
enum op_loop { DECIDED, COUNTED, COUNTED_BY_WORD, OP_LOOPS };

enum op_kind {
	MAP, COPY, FILL, LOOP, CHOICE, CALL, EMIT, WAIT, OP_KINDS,
	BRANCH	/* in front of each body of a CHOICE */
};

struct op {
	enum op_kind kind;
	/* LOOP, CHOICE: `to` is the number of its word. */
	uint32_t to, from;
	/* LOOP: `b` is how often.  CHOICE: of `b` bodies comes number `a`, or
	 * none if that is one too many. */
	uint32_t a, b;
	bool told;		/* MAP: `b` is a parameter */
	/* MAP: `b` follows the iteration of the innermost loop: */
	bool numbers;
	int32_t scale;
	bool from_count;	/* and its count is added */
	enum op_loop decided;	/* LOOP */
	uint32_t step;		/* LOOP with a count: its part per iteration */
	bool asks;		/* LOOP, CHOICE: the owner decides */
	uint32_t count;		/* ops in it, all levels */
	uint32_t turn;		/* LOOP that asks: in this entry */
};

struct program {
	struct op ops[64];
	uint32_t count;
	uint32_t loops;
	bool has_told;
	bool emits;		/* always, in front of the next step */
	bool frozen;		/* steps of devices and external commands */
	const struct op *inner;	/* the loop that is generated, or null */
	uint64_t random;
};

static inline uint32_t below(struct program *program, uint32_t bound)
{
	program->random = program->random * 6364136223846793005u +
			  1442695040888963407u;
	return (uint32_t)(program->random >> 33) % bound;
}

/* ---- generation ---- */

static inline void make_ops(struct program *program, uint32_t depth);

static inline uint32_t ops_behind(const struct program *program,
				  const struct op *op)
{
	return program->count - (uint32_t)(op - program->ops) - 1;
}

static inline void make_loop(struct program *program, struct op *op,
			     uint32_t depth)
{
	const struct op *outer = program->inner;

	op->b %= MOST_TIMES + 1;
	op->decided = (enum op_loop)below(program, OP_LOOPS);
	op->asks = op->asks && op->decided == DECIDED;
	op->step = 1 + below(program, 2);
	program->inner = op;
	make_ops(program, depth + 1);
	program->inner = outer;
	op->count = ops_behind(program, op);
}

static inline void make_choice(struct program *program, struct op *op,
			       uint32_t depth)
{
	uint32_t most = 1 + op->b % MOST_BRANCHES;

	for (op->b = 0; op->b < most &&
	     program->count < TAP_COUNT(program->ops); op->b++) {
		struct op *branch = &program->ops[program->count++];

		*branch = (struct op){ .kind = BRANCH };
		make_ops(program, depth + 1);
		branch->count = ops_behind(program, branch);
	}
	op->count = ops_behind(program, op);
	op->a %= op->b + 1;
	if (op->b == 0)
		*op = (struct op){ .kind = FILL };
}

static inline void make_number(struct program *program, struct op *op)
{
	op->numbers = below(program, 2) == 0;
	op->scale = (int32_t)below(program, 7) - 3;
	op->from_count = program->inner->decided != DECIDED &&
			 below(program, 2) == 0;
}

static inline void make_ops(struct program *program, uint32_t depth)
{
	uint32_t most = (depth > 0 ? 4 : MOST_OPS) *
			(program->frozen ? 2 : 1);
	uint32_t count = 1 + below(program, most);

	for (uint32_t i = 0; i < count &&
	     program->count < TAP_COUNT(program->ops); i++) {
		struct op *op = &program->ops[program->count++];

		*op = (struct op){ .kind = (enum op_kind)below(
					   program, program->frozen ?
					   CHOICE + 1 : OP_KINDS),
				   .to = below(program, BUFFERS),
				   .from = below(program, BUFFERS),
				   .a = below(program, 9),
				   .b = below(program, 100) };
		if (op->kind == COPY && op->to == op->from)
			op->kind = FILL;
		if (op->kind == MAP && below(program, 4) == 0)
			program->has_told = op->told = true;
		else if (op->kind == MAP && program->inner != NULL)
			make_number(program, op);
		if (op->kind == WAIT && !program->emits)
			op->kind = EMIT;
		program->emits = program->emits ||
				 (op->kind == EMIT && depth == 0);
		if (op->kind != LOOP && op->kind != CHOICE)
			continue;
		if (depth == DEPTH) {
			op->kind = MAP;
			continue;
		}
		op->asks = below(program, 2) == 0 && !program->frozen;
		op->to = program->loops++;
		(op->kind == LOOP ? make_loop : make_choice)(program, op,
							     depth);
	}
}

/* ---- interpretation ---- */

/* The final values. */
struct state {
	uint32_t values[BUFFERS];
	uint32_t tally;		/* of functions of the inbox */
	uint32_t calls, emissions;
	uint32_t turn, total;	/* of the innermost loop */
};

static inline void walk(const struct program *program, uint32_t first, uint32_t end,
		 uint32_t told, struct state *state);

static inline uint32_t find_branch(const struct program *program, uint32_t choice,
			    uint32_t number)
{
	uint32_t branch = choice + 1;

	while (number-- > 0)
		branch += 1 + program->ops[branch].count;
	return branch;
}

static inline void walk_choice(const struct program *program, uint32_t choice,
			uint32_t told, struct state *state)
{
	const struct op *op = &program->ops[choice];
	uint32_t branch;

	if (op->a == op->b)
		return;
	branch = find_branch(program, choice, op->a);
	walk(program, branch + 1, branch + 1 + program->ops[branch].count,
	     told, state);
}

static inline uint32_t times_of(const struct op *loop)
{
	return loop->decided == DECIDED ? loop->b :
	       (loop->b + loop->step - 1) / loop->step;
}

static inline void walk_loop(const struct program *program, uint32_t loop,
			     uint32_t told, struct state *state)
{
	const struct op *op = &program->ops[loop];
	uint32_t turn = state->turn, total = state->total;

	state->total = op->b;
	for (uint32_t k = 0; k < times_of(op); k++) {
		state->turn = k;
		walk(program, loop + 1, loop + 1 + op->count, told, state);
	}
	state->turn = turn;
	state->total = total;
}

/* The summand of a MAP. */
static inline uint32_t addend(const struct op *op, uint32_t told,
			      const struct state *state)
{
	if (op->told)
		return told;
	return op->numbers ? op->b + (uint32_t)op->scale * state->turn +
			     (op->from_count ? state->total : 0) : op->b;
}

static inline void walk(const struct program *program, uint32_t first, uint32_t end,
		 uint32_t told, struct state *state)
{
	uint32_t *values = state->values;

	for (uint32_t i = first; i < end; i++) {
		const struct op *op = &program->ops[i];

		switch (op->kind) {
		case MAP:
			values[op->to] = values[op->from] * op->a +
					 addend(op, told, state);
			break;
		case COPY:
			values[op->to] = values[op->from];
			break;
		case FILL:
			values[op->to] = op->b;
			break;
		case CALL:
			state->tally = state->tally * op->a + op->b;
			state->calls++;
			break;
		case EMIT:
			state->emissions++;
			break;
		case LOOP:
			walk_loop(program, i, told, state);
			i += op->count;
			break;
		case CHOICE:
			walk_choice(program, i, told, state);
			i += op->count;
			break;
		default:
			break;
		}
	}
}

/* The buffers that it and its bodies read and write; bits. */
static inline void find_use(const struct program *program, uint32_t index,
		     uint32_t *out_reads, uint32_t *out_writes)
{
	const struct op *op = &program->ops[index];

	/* The operations in its bodies conflict by themselves. */
	if (op->kind == LOOP || op->kind == CHOICE)
		for (uint32_t i = index + 1; i <= index + op->count; i++)
			if (program->ops[i].kind != LOOP &&
			    program->ops[i].kind != CHOICE)
				find_use(program, i, out_reads, out_writes);
	if (op->kind == CALL)
		*out_writes |= 1u << TOLD;
	if (op->kind == EMIT)
		*out_writes |= 1u << EMITTED;
	/* A wait for an emission of its plan has to come after it, or a lane
	 * may have them in the other order. */
	if (op->kind == WAIT)
		*out_reads |= 1u << EMITTED;
	if (op->kind >= LOOP)
		return;
	*out_writes |= 1u << op->to;
	if (op->kind != FILL)
		*out_reads |= 1u << op->from;
}

#endif
