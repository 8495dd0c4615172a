/* SPDX-License-Identifier: MIT */
/* Operations of a warp: the last thread of the mask that comes to one does it
 * for all. */
#include "machine.h"
#include "parser.h"

enum { SYNC, ALL, ANY, UNI, BALLOT, UP, DOWN, BFLY, IDX, MATCH_ANY, MATCH_ALL,
	RED_ADD, RED_MIN, RED_MAX, RED_AND, RED_OR, RED_XOR };

/* The thread of a lane that waits for the mask at the same place, or null. */
static struct ptx_thread *lane_at(struct ptx_thread *t, uint32_t lane)
{
	uint32_t number = t->number / PTX_WARP * PTX_WARP + lane;

	return number < t->machine->threads ? &t->block->threads[number] : NULL;
}

/* Threads that have ended, or never were, are not waited for. */
static bool is_complete(struct ptx_thread *t)
{
	uint32_t lane;

	for (lane = 0; lane < PTX_WARP; lane++) {
		const struct ptx_thread *other = lane_at(t, lane);

		if (!(t->mask >> lane & 1) || other == NULL ||
		    other->state == PTX_ENDED)
			continue;
		if (other->state != PTX_IN_WARP || other->at != t->at ||
		    other->mask != t->mask)
			return false;
	}
	return true;
}

/* --- results -------------------------------------------------------------- */

/* The lanes whose predicate holds, and those that take part. */
static uint32_t votes(struct ptx_thread *t, const struct ptx_op *o,
		      uint32_t *present)
{
	uint32_t lane, held = 0;

	*present = 0;
	for (lane = 0; lane < PTX_WARP; lane++) {
		struct ptx_thread *other = lane_at(t, lane);

		if (!(t->mask >> lane & 1) || other == NULL ||
		    other->state != PTX_IN_WARP)
			continue;
		*present |= 1u << lane;
		if (o->mode <= BALLOT)
			held |= (uint32_t)(other->r[o->a] != o->count) << lane;
		else
			held |= (uint32_t)(other->r[o->a] == t->r[o->a]) << lane;
	}
	return held;
}

static uint64_t vote(struct ptx_thread *t, const struct ptx_op *o,
		     uint64_t *second)
{
	uint32_t present, held = votes(t, o, &present);

	*second = held == present;
	switch (o->mode) {
	case ALL:
		return held == present;
	case ANY:
		return held != 0;
	case UNI:
		return held == present || held == 0;
	case MATCH_ALL:
		return held == present ? present : 0;
	default:
		return held;
	}
}

/* The lane that is read; c: the clamp in the low bits, the segment above. */
static uint64_t shuffled(struct ptx_thread *t, const struct ptx_op *o,
			 uint64_t *second)
{
	uint32_t lane = t->number % PTX_WARP, b = (uint32_t)t->r[o->b] & 31;
	uint32_t clamp = (uint32_t)t->r[o->c] & 31;
	uint32_t segment = (uint32_t)t->r[o->c] >> 8 & 31;
	uint32_t most = (lane & segment) | (clamp & ~segment);
	uint32_t least = lane & segment, j;
	const struct ptx_thread *from;
	bool inside;

	j = o->mode == UP ? lane - b : o->mode == DOWN ? lane + b :
	    o->mode == BFLY ? lane ^ b : least | (b & ~segment);
	inside = o->mode == UP ? (int32_t)j >= (int32_t)most :
				 (int32_t)j <= (int32_t)most;
	if (!inside)
		j = lane;
	from = lane_at(t, j & 31);
	*second = inside;
	return from == NULL ? 0 : (uint32_t)from->r[o->a];
}

static uint64_t reduced(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t sum = 0;
	bool any = false;
	uint32_t lane;

	for (lane = 0; lane < PTX_WARP; lane++) {
		const struct ptx_thread *other = lane_at(t, lane);
		uint64_t x;

		if (!(t->mask >> lane & 1) || other == NULL ||
		    other->state != PTX_IN_WARP)
			continue;
		x = ptx_extend(other->r[o->a], o->type, 8);
		if (!any)
			sum = x;
		else if (o->mode == RED_ADD)
			sum += x;
		else if (o->mode == RED_MIN)
			sum = (int64_t)x < (int64_t)sum ? x : sum;
		else if (o->mode == RED_MAX)
			sum = (int64_t)x > (int64_t)sum ? x : sum;
		else
			sum = o->mode == RED_AND ? sum & x :
			      o->mode == RED_OR ? sum | x : sum ^ x;
		any = true;
	}
	return (uint32_t)sum;
}

static uint64_t compute(struct ptx_thread *t, const struct ptx_op *o,
			uint64_t *second)
{
	if (o->mode >= RED_ADD)
		return reduced(t, o);
	return o->mode >= UP && o->mode <= IDX ? shuffled(t, o, second) :
						 vote(t, o, second);
}

/* All sources are read before a result is written. */
static void finish(struct ptx_thread *t, const struct ptx_op *o)
{
	uint64_t results[PTX_WARP], seconds[PTX_WARP];
	struct ptx_thread *other;
	uint32_t lane, there = 0;

	for (lane = 0; lane < PTX_WARP; lane++) {
		other = lane_at(t, lane);
		if (!(t->mask >> lane & 1) || other == NULL ||
		    other->state != PTX_IN_WARP)
			continue;
		there |= 1u << lane;
		results[lane] = compute(other, o, &seconds[lane]);
	}
	for (lane = 0; lane < PTX_WARP; lane++) {
		if (!(there >> lane & 1))
			continue;
		other = lane_at(t, lane);
		if (o->mode != SYNC) {
			other->r[o->d] = results[lane];
			other->r[o->v[0]] = seconds[lane];
		}
		other->state = PTX_YIELDED;
	}
	t->block->turns[t->number / PTX_WARP]++;
}

static void warp(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t lane = t->number % PTX_WARP;

	t->mask = (uint32_t)t->r[o->v[1]];
	if (!(t->mask >> lane & 1)) {
		ptx_machine_fail(t, PTX_FAILED, "the mask %#x is without its "
				 "own lane %u", t->mask, lane);
		return;
	}
	t->state = PTX_IN_WARP;
	if (is_complete(t))
		finish(t, o);
}

/* Threads that run apart are a choice that hardware has. */
static void activemask(struct ptx_thread *t, const struct ptx_op *o)
{
	t->r[o->d] = 1u << t->number % PTX_WARP;
}

/* --- decoding ------------------------------------------------------------- */

static const struct {
	const char *name, *word;
	uint8_t mode, operands;
} rows[] = {
	{ "vote", "all", ALL, 3 }, { "vote", "any", ANY, 3 },
	{ "vote", "uni", UNI, 3 }, { "vote", "ballot", BALLOT, 3 },
	{ "shfl", "up", UP, 5 }, { "shfl", "down", DOWN, 5 },
	{ "shfl", "bfly", BFLY, 5 }, { "shfl", "idx", IDX, 5 },
	{ "match", "any", MATCH_ANY, 3 }, { "match", "all", MATCH_ALL, 3 },
	{ "redux", "add", RED_ADD, 3 }, { "redux", "min", RED_MIN, 3 },
	{ "redux", "max", RED_MAX, 3 }, { "redux", "and", RED_AND, 3 },
	{ "redux", "or", RED_OR, 3 }, { "redux", "xor", RED_XOR, 3 },
};

static void decode_row(struct ptx_parser *p, const struct ptx_statement *s,
		       struct ptx_op *o, uint8_t operands)
{
	ptx_statement_need(p, s, operands);
	o->type = (uint8_t)s->types[s->type_count - 1];
	o->d = s->operands[0].slot;
	o->v[0] = s->operands[0].has_second ? s->operands[0].second :
					      PTX_SLOT_SINK;
	o->a = s->operands[1].slot;
	o->b = s->operands[2].slot;
	o->c = s->operands[3].slot;
	o->count = s->operands[1].negated;
	o->v[1] = s->operands[operands - 1].slot;
}

bool ptx_warp_decode(struct ptx_parser *p, const struct ptx_statement *s,
		     struct ptx_op *o)
{
	size_t i;

	o->run = warp;
	if (strcmp(s->name, "activemask") == 0) {
		o->run = activemask;
		o->d = s->operands[0].slot;
		return true;
	}
	if (strcmp(s->name, "bar") == 0 && ptx_statement_has(s, "warp")) {
		ptx_statement_need(p, s, 1);
		o->mode = SYNC;
		o->v[1] = s->operands[0].slot;
		return true;
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(s->name, rows[i].name) == 0 &&
		    ptx_statement_has(s, rows[i].word) &&
		    ptx_statement_has(s, "sync") && s->type_count != 0) {
			o->mode = rows[i].mode;
			decode_row(p, s, o, rows[i].operands);
			return true;
		}
	return false;
}
