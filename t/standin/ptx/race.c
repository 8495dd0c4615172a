/* SPDX-License-Identifier: MIT */
/*
 * Races in shared memory: two threads access a byte, one of them stores another
 * value there, and no barrier is in between.  A value that two threads have
 * stored may be loaded: each may load its own.  An epoch of the block ends at each
 * of its barriers, a turn of a warp at each of its own.
 */
#include "machine.h"

/* Readers: a thread, or several of a warp, or of several warps. */
enum { OF_WARP = 0x8000 };

static uint32_t warp_of(uint16_t number)
{
	return number & OF_WARP ? number & ~(unsigned)OF_WARP :
				  number / PTX_WARP;
}

static void add_reader(const struct ptx_thread *t, struct ptx_shadow *s)
{
	uint32_t warp = t->number / PTX_WARP, turn = t->block->turns[warp];
	uint16_t reader = (uint16_t)t->number;

	if (s->read == t->block->epoch && s->reader != reader) {
		if (s->reader == PTX_SEVERAL || warp_of(s->reader) != warp)
			reader = PTX_SEVERAL;
		else if (s->read_turn == turn)
			reader = (uint16_t)(OF_WARP | warp);
	}
	s->reader = reader;
	s->read = t->block->epoch;
	s->read_turn = turn;
}

static bool is_other(const struct ptx_thread *t, uint16_t number, uint32_t turn)
{
	uint32_t warp = t->number / PTX_WARP;

	if (number == PTX_SEVERAL)
		return true;
	if (number == t->number)
		return false;
	return warp_of(number) != warp || turn == t->block->turns[warp];
}

static bool fail(struct ptx_thread *t, uint32_t at, uint16_t other,
		 const char *text)
{
	if (other & OF_WARP)
		ptx_machine_fail(t, PTX_FAILED, "race in shared memory at %#x: "
				 "others %s since the last barrier", at, text);
	else
		ptx_machine_fail(t, PTX_FAILED, "race in shared memory at %#x: "
				 "thread %u %s since the last barrier", at,
				 other, text);
	return false;
}

bool ptx_race_read(struct ptx_thread *t, const struct ptx_op *o, uint32_t at,
		   uint32_t bytes)
{
	const struct ptx_block *block = t->block;
	bool strong = (o->flags & PTX_STRONG) != 0;
	uint32_t i;

	for (i = at; i < at + bytes; i++) {
		struct ptx_shadow *s = &block->shadow[i];

		if (s->written == block->epoch && !(strong && s->strong) &&
		    !s->agreed && is_other(t, s->writer, s->write_turn))
			return fail(t, i, s->writer, "wrote");
		if (!strong)
			add_reader(t, s);
	}
	return true;
}

bool ptx_race_write(struct ptx_thread *t, const struct ptx_op *o, uint32_t at,
		    uint64_t value, uint32_t bytes)
{
	const struct ptx_block *block = t->block;
	bool strong = (o->flags & PTX_STRONG) != 0;
	uint32_t i;

	for (i = at; i < at + bytes; i++, value >>= 8) {
		struct ptx_shadow *s = &block->shadow[i];

		if ((uint8_t)block->shared[i] == (uint8_t)value) {
			s->agreed = s->agreed || s->writer != t->number;
			continue;
		}
		if (s->written == block->epoch && !(strong && s->strong) &&
		    is_other(t, s->writer, s->write_turn))
			return fail(t, i, s->writer, "wrote another value");
		if (s->read == block->epoch &&
		    is_other(t, s->reader, s->read_turn))
			return fail(t, i, s->reader, "read");
		s->writer = (uint16_t)t->number;
		s->written = block->epoch;
		s->write_turn = block->turns[t->number / PTX_WARP];
		s->strong = strong;
		s->agreed = false;
	}
	return true;
}
