/* SPDX-License-Identifier: MIT */
/* Copies and reductions of steps, chunk by chunk in ascending order. */
#include "coll/project/rank_compute.h"

#include <string.h>

/* Elements of a chunk's tile. */
static uint64_t count_of(const plait__rank_machine *machine,
			 const plait__rank_step *step, uint64_t tile,
			 uint32_t i)
{
	const uint32_t *parts = plait__vector_at(&machine->program->parts,
						 step->first_part);
	uint64_t share = machine->program->share, part = parts[i];
	uint64_t length = machine->quotient +
			  ((part + 1) * machine->remainder / share -
			   part * machine->remainder / share);
	uint64_t start = tile * machine->tile;

	if (start >= length)
		return 0;
	return length - start < machine->tile ? length - start : machine->tile;
}

static unsigned char *address_of(const plait__rank_machine *machine,
				 plait__rank_place place, uint32_t i,
				 uint64_t tile)
{
	uint32_t share = machine->program->share, chunk = place.chunk + i;
	uint64_t room = machine->quotient + (machine->remainder != 0);
	uint64_t part = chunk % share, start = tile * machine->tile;

	if (place.buffer == PLAIT__COLL_SCRATCH)
		start += chunk * room;
	else
		start += chunk / share * machine->call.count +
			 part * machine->quotient +
			 part * machine->remainder / share;
	return machine->call.buffers[place.buffer] +
	       start * machine->call.element_bytes;
}

static void copy(const plait__rank_machine *machine, unsigned char *target,
		 const unsigned char *source, uint64_t count)
{
	if (count > 0 && target != source)
		memmove(target, source, count * machine->call.element_bytes);
}

/* target = own + in, of one chunk; `target` may be `own`. */
static void reduce(const plait__rank_machine *machine, unsigned char *target,
		   const unsigned char *own, const unsigned char *in,
		   uint64_t count)
{
	if (count == 0)
		return;
	if (target == own)
		machine->call.reduce->together(target, in, count);
	else
		machine->call.reduce->apart(target, own, in, count);
}

uint64_t plait__rank_compute_bytes(const plait__rank_machine *machine,
				   const plait__rank_step *step, uint64_t tile)
{
	uint64_t elements = 0;

	for (uint32_t i = 0; i < step->count; i++)
		elements += count_of(machine, step, tile, i);
	return elements * machine->call.element_bytes;
}

/* Execute one chunk; `out` receives what the step sends, unless it is null. */
static void receive_chunk(const plait__rank_machine *machine,
			  const plait__rank_step *step, uint64_t tile,
			  uint32_t i, uint64_t count, const unsigned char *in,
			  unsigned char *out)
{
	unsigned char *source = address_of(machine, step->source, i, tile);
	unsigned char *target = address_of(machine, step->target, i, tile);

	switch (step->kind) {
	case PLAIT__STEP_RECV:
		copy(machine, target, in, count);
		break;
	case PLAIT__STEP_RECV_SEND:
		copy(machine, target, in, count);
		if (out != NULL)
			copy(machine, out, in, count);
		break;
	case PLAIT__STEP_RECV_REDUCE_SEND:
		reduce(machine, out, source, in, count);
		break;
	default:
		reduce(machine, target, source, in, count);
		if (out != NULL && step->kind == PLAIT__STEP_RECV_REDUCE_BOTH)
			copy(machine, out, target, count);
	}
}

void plait__rank_compute_received(const plait__rank_machine *machine,
				  const plait__rank_step *step, uint64_t tile,
				  const unsigned char *in, unsigned char *out)
{
	for (uint32_t i = 0; i < step->count; i++) {
		uint64_t count = count_of(machine, step, tile, i);

		receive_chunk(machine, step, tile, i, count, in, out);
		in += count * machine->call.element_bytes;
		if (out != NULL)
			out += count * machine->call.element_bytes;
	}
}

static void gather(const plait__rank_machine *machine,
		   const plait__rank_step *step, plait__rank_place place,
		   uint64_t tile, unsigned char *out)
{
	for (uint32_t i = 0; i < step->count; i++) {
		uint64_t count = count_of(machine, step, tile, i);

		copy(machine, out, address_of(machine, place, i, tile), count);
		out += count * machine->call.element_bytes;
	}
}

void plait__rank_compute_later(const plait__rank_machine *machine,
			       const plait__rank_step *step, uint64_t tile,
			       const unsigned char *staging, unsigned char *out)
{
	if (step->kind == PLAIT__STEP_RECV_REDUCE_SEND)
		memcpy(out, staging,
		       plait__rank_compute_bytes(machine, step, tile));
	else
		gather(machine, step, step->target, tile, out);
}

void plait__rank_compute_gather(const plait__rank_machine *machine,
				const plait__rank_step *step, uint64_t tile,
				unsigned char *out)
{
	gather(machine, step, step->source, tile, out);
}

void plait__rank_compute_local(const plait__rank_machine *machine,
			       const plait__rank_step *step, uint64_t tile)
{
	if (step->kind == PLAIT__STEP_NOP)
		return;
	for (uint32_t i = 0; i < step->count; i++) {
		uint64_t count = count_of(machine, step, tile, i);
		unsigned char *source = address_of(machine, step->source, i,
						   tile);
		unsigned char *target = address_of(machine, step->target, i,
						   tile);

		if (step->kind == PLAIT__STEP_COPY)
			copy(machine, target, source, count);
		else
			reduce(machine, target, target, source, count);
	}
}
