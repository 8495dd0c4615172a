/* SPDX-License-Identifier: MIT */
/* Copies and reductions of steps, chunk by chunk in ascending order. */
#include "coll/project/rank_compute.h"

#include "coll/project/stream_copy.h"

#include <string.h>

enum {
	BLOCK_BYTES = 4096,
	/* Output that does not stay in a cache until it is read. */
	STREAMED_BYTES = 8 << 20
};

/* ---- geometry ---- */

static uint64_t find_length(const plait__rank_machine *machine, uint64_t part)
{
	uint64_t share = machine->program->share;
	uint64_t count = machine->call.count;

	return plait__rank_program_start(part + 1, (uint32_t)share, count) -
	       plait__rank_program_start(part, (uint32_t)share, count);
}

static uint64_t find_offset(const plait__rank_machine *machine,
			    plait__rank_place place, uint32_t i)
{
	uint32_t share = machine->program->share;
	uint64_t chunk = place.chunk + (uint64_t)i;
	uint64_t count = machine->call.count;
	uint64_t room = count / share + (count % share != 0);
	uint64_t start = place.buffer == PLAIT__COLL_SCRATCH ? chunk * room :
			 plait__rank_program_start(chunk, share, count);

	return start * machine->call.element_bytes;
}

static void lay_step(plait__rank_machine *machine, const plait__rank_step *step)
{
	const plait__rank_program *program = machine->program;

	if (step->kind == PLAIT__STEP_NOP)
		return;
	for (uint32_t i = 0; i < step->count; i++) {
		uint32_t at = step->first_part + i;
		const uint32_t *part = plait__vector_at(&program->parts, at);

		machine->chunks[at] = (plait__machine_chunk){
			.source = find_offset(machine, step->source, i),
			.target = find_offset(machine, step->target, i),
			.count = find_length(machine, *part),
		};
	}
}

void plait__rank_compute_lay(plait__rank_machine *machine)
{
	const plait__rank_program *program = machine->program;
	const plait__machine_call *call = &machine->call;
	uint32_t chunks = program->message_chunks > 0 ?
				  program->message_chunks : 1;
	uint64_t longest = call->count / program->share +
			   (call->count % program->share != 0);

	machine->laid_count = call->count;
	machine->laid_bytes = call->element_bytes;
	machine->tile = machine->slot_bytes / chunks / call->element_bytes;
	machine->tiles = longest / machine->tile +
			 (longest % machine->tile != 0);
	machine->streams = !program->in_place &&
		plait__rank_program_start(program->buffer_chunks[1],
					  program->share, call->count) >=
			STREAMED_BYTES / call->element_bytes;
	for (uint32_t i = 0; i < program->steps.count; i++)
		lay_step(machine, plait__vector_at(&program->steps, i));
}

static const plait__machine_chunk *chunk_of(const plait__rank_machine *machine,
					    const plait__rank_step *step,
					    uint32_t i)
{
	return &machine->chunks[step->first_part + i];
}

/* Elements of a chunk's tile. */
static uint64_t count_of(const plait__rank_machine *machine,
			 const plait__machine_chunk *chunk, uint64_t tile)
{
	uint64_t start = tile * machine->tile;

	if (start >= chunk->count)
		return 0;
	return chunk->count - start < machine->tile ? chunk->count - start :
						      machine->tile;
}

/* Address of a chunk's tile; `offset` is the chunk's. */
static unsigned char *address_of(const plait__rank_machine *machine,
				 uint32_t buffer, uint64_t offset,
				 uint64_t tile)
{
	return machine->call.buffers[buffer] + offset +
	       tile * machine->tile * machine->call.element_bytes;
}

static unsigned char *source_of(const plait__rank_machine *machine,
				const plait__rank_step *step,
				const plait__machine_chunk *chunk, uint64_t tile)
{
	return address_of(machine, step->source.buffer, chunk->source, tile);
}

static unsigned char *target_of(const plait__rank_machine *machine,
				const plait__rank_step *step,
				const plait__machine_chunk *chunk, uint64_t tile)
{
	return address_of(machine, step->target.buffer, chunk->target, tile);
}

/* ---- elements ---- */

static void copy(const plait__rank_machine *machine, unsigned char *target,
		 const unsigned char *source, uint64_t count)
{
	if (count > 0 && target != source)
		memmove(target, source, count * machine->call.element_bytes);
}

/* Copy to where no step of this rank reads it again, if that is output. */
static void copy_last(const plait__rank_machine *machine,
		      const plait__rank_step *step, unsigned char *target,
		      const unsigned char *source, uint64_t count)
{
	if (machine->streams && step->target.buffer == PLAIT__COLL_OUTPUT)
		plait__stream_copy(target, source,
				   count * machine->call.element_bytes);
	else
		copy(machine, target, source, count);
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
		elements += count_of(machine, chunk_of(machine, step, i),
				     tile);
	return elements * machine->call.element_bytes;
}

/* Store a chunk that is sent on, too: block by block, in the nearest cache. */
static void store_both(const plait__rank_machine *machine,
		       const plait__rank_step *step, unsigned char *target,
		       const unsigned char *own, const unsigned char *in,
		       unsigned char *out, uint64_t count)
{
	uint32_t each = machine->call.element_bytes;
	uint64_t block = BLOCK_BYTES / each;

	for (uint64_t i = 0; i < count; i += block) {
		uint64_t some = count - i < block ? count - i : block;

		if (step->kind == PLAIT__STEP_RECV_SEND)
			copy(machine, target + i * each, in + i * each, some);
		else
			reduce(machine, target + i * each, own + i * each,
			       in + i * each, some);
		copy(machine, out + i * each, target + i * each, some);
	}
}

/* Execute one chunk; `out` receives what the step sends, unless it is null. */
static void receive_chunk(const plait__rank_machine *machine,
			  const plait__rank_step *step, uint64_t tile,
			  const plait__machine_chunk *chunk, uint64_t count,
			  const unsigned char *in, unsigned char *out)
{
	unsigned char *source = source_of(machine, step, chunk, tile);
	unsigned char *target = target_of(machine, step, chunk, tile);

	if (step->kind == PLAIT__STEP_RECV_REDUCE_SEND)
		reduce(machine, out, source, in, count);
	else if (out != NULL && plait__step_sends(step->kind))
		store_both(machine, step, target, source, in, out, count);
	else if (step->kind == PLAIT__STEP_RECV ||
		 step->kind == PLAIT__STEP_RECV_SEND)
		copy_last(machine, step, target, in, count);
	else
		reduce(machine, target, source, in, count);
}

void plait__rank_compute_received(const plait__rank_machine *machine,
				  const plait__rank_step *step, uint64_t tile,
				  const unsigned char *in, unsigned char *out)
{
	for (uint32_t i = 0; i < step->count; i++) {
		const plait__machine_chunk *chunk = chunk_of(machine, step, i);
		uint64_t count = count_of(machine, chunk, tile);

		receive_chunk(machine, step, tile, chunk, count, in, out);
		in += count * machine->call.element_bytes;
		if (out != NULL)
			out += count * machine->call.element_bytes;
	}
}

bool plait__rank_compute_range(const plait__rank_machine *machine,
			       const plait__rank_step *step, bool target,
			       uint64_t tile, unsigned char *out[2])
{
	bool whole = true;

	for (uint32_t i = 0; i < step->count; i++) {
		const plait__machine_chunk *chunk = chunk_of(machine, step, i);
		unsigned char *start = target ?
			target_of(machine, step, chunk, tile) :
			source_of(machine, step, chunk, tile);
		unsigned char *end = start +
			count_of(machine, chunk, tile) *
			machine->call.element_bytes;

		whole &= i == 0 || start == out[1];
		if (i == 0 || start < out[0])
			out[0] = start;
		if (i == 0 || end > out[1])
			out[1] = end;
	}
	return whole && step->count > 0;
}

/* Write source or target of a step as a message. */
static void gather(const plait__rank_machine *machine,
		   const plait__rank_step *step, bool target, uint64_t tile,
		   unsigned char *out)
{
	for (uint32_t i = 0; i < step->count; i++) {
		const plait__machine_chunk *chunk = chunk_of(machine, step, i);
		uint64_t count = count_of(machine, chunk, tile);

		copy(machine, out, target ?
		     target_of(machine, step, chunk, tile) :
		     source_of(machine, step, chunk, tile), count);
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
		gather(machine, step, true, tile, out);
}

void plait__rank_compute_gather(const plait__rank_machine *machine,
				const plait__rank_step *step, uint64_t tile,
				unsigned char *out)
{
	gather(machine, step, false, tile, out);
}

void plait__rank_compute_local(const plait__rank_machine *machine,
			       const plait__rank_step *step, uint64_t tile)
{
	if (step->kind == PLAIT__STEP_NOP)
		return;
	for (uint32_t i = 0; i < step->count; i++) {
		const plait__machine_chunk *chunk = chunk_of(machine, step, i);
		uint64_t count = count_of(machine, chunk, tile);
		unsigned char *source = source_of(machine, step, chunk, tile);
		unsigned char *target = target_of(machine, step, chunk, tile);

		if (step->kind == PLAIT__STEP_COPY)
			copy_last(machine, step, target, source, count);
		else
			reduce(machine, target, target, source, count);
	}
}
