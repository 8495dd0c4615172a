/* SPDX-License-Identifier: MIT */
/*
 * Calls of collectives: arguments, the schedule that fits, execution by the
 * calling thread.  A rank that leaves a call tells all others.
 */
#include "coll/project/collective_call.h"

#include "coll/merge/merge.h"
#include "coll/project/collective_wait.h"
#include "coll/project/rank_direct.h"
#include "coll/project/rank_message.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/context/host_span.h"
#include "sys/clock.h"
#include "world/world_buffer.h"

#include <stdio.h>
#include <string.h>

enum {
	STOP_NS = 1000000000,
	LOOK = 16,	/* pauses between two looks at mail */
	SLOW = 32,	/* pauses after which each one looks */
	/* Turns without a step after which direct messages are withdrawn: of a
	 * thread that waits, and of a call that lets other work run. */
	PATIENCE = 1000,
	PATIENCE_PAUSED = 8,
	/* Bytes of a buffer from which on calls that reduce send it directly. */
	DIRECT_REDUCED = 1 << 18
};

/* The call at hand. */
typedef struct collective_call {
	plait__collective *collective;
	plait_collective_run run;
	plait__collective_part *part;
	plait__machine_call machine;
	uint64_t bytes[2];	/* of input and output */
	void *mapped[2];	/* to be unmapped */
	const plait__collective_pause *pause; /* or null: the thread waits */
	plait__buffer *const *held; /* buffers in place of handles, or null */
	plait_error *error;
} collective_call;

/* ---- arguments ---- */

static plait_status read_run(collective_call *call,
			     const plait_collective_run *given)
{
	plait_collective_run *run = &call->run;
	plait_status status;

	if (given == NULL)
		return plait__fail(call->error, PLAIT_E_INVALID, "run is null");
	status = PLAIT__STRUCT_READ(plait_collective_run, run, given,
				    call->error);
	if (status != PLAIT_OK)
		return status;
	if (run->flags != 0 || run->reserved0 != 0)
		return plait__fail(call->error, PLAIT_E_INVALID,
				   "plait_collective_run: flags %#x",
				   run->flags);
	call->machine.reduce = plait__host_reduce_find(
		run->element, run->element_bits, run->reduction);
	if (call->machine.reduce == NULL)
		return plait__fail(call->error, PLAIT_E_INVALID,
				   "elements of kind %u and %u bits with "
				   "reduction %u cannot be reduced",
				   run->element, run->element_bits,
				   run->reduction);
	call->machine.element_bytes = call->machine.reduce->element_bytes;
	call->machine.count = run->count;
	return PLAIT_OK;
}

/* Bytes of `chunks` chunks; UINT64_MAX: too many. */
static uint64_t bytes_of(const collective_call *call,
			 const plait__collective_part *part, uint32_t chunks)
{
	uint32_t share = part->program.share;
	uint64_t whole = chunks / share, most;

	/* Whole shares, as of nearly all schedules; divisions are long beside a
	 * small call. */
	if (chunks == whole * share)
		return __builtin_mul_overflow(whole, call->run.count, &most) ||
		       __builtin_mul_overflow(most, call->machine.element_bytes,
					      &most) ? UINT64_MAX : most;
	if (__builtin_mul_overflow(whole + 1, call->run.count, &most) ||
	    __builtin_mul_overflow(most, call->machine.element_bytes, &most))
		return UINT64_MAX;
	return plait__rank_program_start(chunks, share, call->run.count) *
	       call->machine.element_bytes;
}

static plait_status choose_part(collective_call *call)
{
	plait__collective *collective = call->collective;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < collective->part_count; i++) {
		plait__collective_part *part = &collective->parts[i];

		bytes = bytes_of(call, part, part->chunks);
		if (bytes == UINT64_MAX)
			break;
		if (bytes < part->min_bytes ||
		    (part->max_bytes > 0 && bytes > part->max_bytes))
			continue;
		call->part = part;
		call->machine.type = plait__rank_message_type(
			call->run.element, call->run.element_bits,
			call->run.reduction, i);
		return PLAIT_OK;
	}
	return plait__fail(call->error, PLAIT_E_INVALID,
			   bytes == UINT64_MAX ? "count %llu is too large" :
			   "no schedule of the collective is for count %llu",
			   (unsigned long long)call->run.count);
}

static plait_status check_multiple(const collective_call *call)
{
	const plait__rank_program *program = &call->part->program;

	if (!program->needs_multiple ||
	    call->run.count % program->share == 0)
		return PLAIT_OK;
	return plait__fail(call->error, PLAIT_E_INVALID,
			   "%llu elements in %u chunks: chunks of unequal size "
			   "meet; use a multiple of %u elements",
			   (unsigned long long)call->run.count, program->share,
			   program->share);
}

/* ---- memory ---- */

static plait_status map_buffer(collective_call *call, uint32_t which,
			       plait_buffer *buffer, uint64_t offset)
{
	plait_map_flags flags = PLAIT_MAP_READ |
				(which == PLAIT__COLL_OUTPUT ?
				 PLAIT_MAP_WRITE : 0);
	plait_status status;
	void *pointer;

	if (call->bytes[which] == 0)
		return PLAIT_OK;
	status = call->held != NULL ?
		plait__buffer_map_held(call->held[which], offset,
				       call->bytes[which], flags, &pointer,
				       call->error) :
		plait_buffer_map(buffer, offset, call->bytes[which], flags,
				 &pointer, call->error);
	if (status != PLAIT_OK)
		return status;
	call->mapped[which] = pointer;
	call->machine.buffers[which] = pointer;
	return PLAIT_OK;
}

static bool is_input(uint32_t which)
{
	return which == PLAIT__COLL_INPUT;
}

static plait_buffer *buffer_of(const collective_call *call, uint32_t which)
{
	return is_input(which) ? call->run.input : call->run.output;
}

static const void *memory_of(const collective_call *call, uint32_t which)
{
	return is_input(which) ? call->run.input_memory :
				 call->run.output_memory;
}

static plait_status check_memory(const collective_call *call, uint32_t which)
{
	const char *name = is_input(which) ? "input" : "output";
	const plait_buffer *buffer = buffer_of(call, which);
	const void *memory = memory_of(call, which);

	if (buffer != NULL && memory != NULL)
		return plait__fail(call->error, PLAIT_E_INVALID,
				   "%s and %s_memory are both given", name,
				   name);
	if (buffer != NULL || memory != NULL ||
	    !call->part->program.uses[which] || call->bytes[which] == 0)
		return PLAIT_OK;
	return plait__fail(call->error, PLAIT_E_INVALID,
			   "the %s of rank %u is null, but needs %llu bytes",
			   name, call->part->program.rank,
			   (unsigned long long)call->bytes[which]);
}

static plait_status find_memory(collective_call *call, uint32_t which)
{
	plait_buffer *buffer = buffer_of(call, which);

	if (buffer != NULL)
		return map_buffer(call, which, buffer, is_input(which) ?
				  call->run.input_offset :
				  call->run.output_offset);
	call->machine.buffers[which] =
		(unsigned char *)(uintptr_t)memory_of(call, which);
	return PLAIT_OK;
}

static plait_status check_apart(const collective_call *call)
{
	const unsigned char *input = call->machine.buffers[0];
	const unsigned char *output = call->machine.buffers[1];

	if (input == NULL || output == NULL ||
	    (uintptr_t)input >= (uintptr_t)output + call->bytes[1] ||
	    (uintptr_t)output >= (uintptr_t)input + call->bytes[0])
		return PLAIT_OK;
	return plait__fail(call->error, PLAIT_E_INVALID,
			   "input and output overlap; the schedule is not in "
			   "place");
}

static plait_status grow_scratch(collective_call *call)
{
	plait__collective *collective = call->collective;
	const plait_allocator *allocator =
		plait__world_allocator(collective->world);
	uint64_t elements = plait__rank_machine_scratch(&call->part->program,
							call->run.count);
	uint64_t bytes;
	void *memory;

	if (__builtin_mul_overflow(elements, call->machine.element_bytes,
				   &bytes))
		return plait__fail(call->error, PLAIT_E_INVALID,
				   "count %llu is too large",
				   (unsigned long long)call->run.count);
	if (bytes > collective->scratch_bytes) {
		memory = plait__alloc(allocator, bytes);
		if (memory == NULL)
			return plait__fail(call->error, PLAIT_E_NOMEM,
					   "no memory for %llu bytes of scratch",
					   (unsigned long long)bytes);
		plait__free(allocator, collective->scratch,
			    collective->scratch_bytes);
		collective->scratch = memory;
		collective->scratch_bytes = bytes;
	}
	call->machine.buffers[PLAIT__COLL_SCRATCH] = collective->scratch;
	return PLAIT_OK;
}

/* Check all that needs no memory of buffers. */
static plait_status check(collective_call *call,
			  const plait_collective_run *run)
{
	const plait__rank_program *program;
	plait_status status = read_run(call, run);

	if (status == PLAIT_OK)
		status = choose_part(call);
	if (status == PLAIT_OK)
		status = check_multiple(call);
	if (status != PLAIT_OK)
		return status;
	program = &call->part->program;
	for (uint32_t i = 0; i < 2; i++)
		call->bytes[i] = bytes_of(call, call->part,
					  program->buffer_chunks[i]);
	if (program->in_place &&
	    (call->run.input != NULL || call->run.input_memory != NULL))
		return plait__fail(call->error, PLAIT_E_INVALID,
				   "the schedule is in place: give the output "
				   "alone");
	if (!program->in_place)
		status = check_memory(call, PLAIT__COLL_INPUT);
	return status == PLAIT_OK ? check_memory(call, PLAIT__COLL_OUTPUT) :
				    status;
}

/* Find the memory that peers can read in place.  Small reductions are faster
 * through slots, whose lines the peers do not write. */
static void find_pieces(collective_call *call)
{
	bool reduces = call->part->program.reduces;

	for (uint32_t i = 0; i < 2; i++) {
		if (call->bytes[i] < (reduces ? DIRECT_REDUCED :
						(uint64_t)PLAIT__DIRECT_LEAST))
			continue;
		plait__world_piece piece = plait__world_buffer_find(
			call->collective->world, call->machine.buffers[i],
			call->bytes[i]);

		call->machine.pieces[i] = (plait__machine_piece){
			piece.start, piece.bytes, piece.place
		};
	}
}

static plait_status prepare(collective_call *call,
			    const plait_collective_run *run)
{
	plait_status status = check(call, run);
	bool in_place;

	if (status != PLAIT_OK)
		return status;
	in_place = call->part->program.in_place;
	if (!in_place)
		status = find_memory(call, PLAIT__COLL_INPUT);
	if (status == PLAIT_OK)
		status = find_memory(call, PLAIT__COLL_OUTPUT);
	if (status == PLAIT_OK && !in_place)
		status = check_apart(call);
	find_pieces(call);
	return status == PLAIT_OK ? grow_scratch(call) : status;
}

/* ---- execution ---- */

/* Let the caller's other work have the thread; `turns` since the last step. */
static plait_status pause(collective_call *call, plait__collective_wait *wait,
			  uint32_t turns)
{
	plait_status status = call->pause->pause(call->pause->arg, turns,
						 call->error);

	if (status != PLAIT_OK)
		return status;
	return call->part->machine.is_pumped || turns >= SLOW || turns % LOOK == LOOK - 1 ?
		       plait__collective_wait_look(wait) : PLAIT_OK;
}

/* Replace the error of a rank that has left by the reason that it gave. */
static plait_status find_reason(plait__collective_wait *wait)
{
	plait_status status = plait__collective_wait_look(wait);

	return status != PLAIT_OK ? status : PLAIT_E_CANCELLED;
}

/* Tell all ranks that this one has left the call. */
static void stop(const plait__collective *collective, uint64_t number,
		 const plait_error *why)
{
	plait__world *world = collective->world;
	uint64_t deadline = plait__clock_now_ns() + STOP_NS;
	plait__world_mail mail;

	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_STOP;
	mail.number = collective->number;
	mail.of.stop.call = number;
	mail.of.stop.status = why->status;
	plait__text_copy(why->text, mail.of.stop.text,
			 sizeof(mail.of.stop.text), NULL);
	for (uint32_t i = 0; i < world->ranks; i++)
		if (i != world->rank)
			(void)plait__world_send(world, i, &mail, deadline,
						NULL);
}

/* The call has failed: the others learn of it before this rank waits for those that
 * use its memory still. */
static void leave(collective_call *call, plait__collective_wait *wait)
{
	plait__rank_direct_withdraw(&call->part->machine);
	stop(call->collective, call->machine.number, call->error);
	plait__collective_wait_reclaim(wait);
}

static plait_status execute(collective_call *call)
{
	plait__rank_machine *machine = &call->part->machine;
	plait__collective_wait wait;
	plait_status status = PLAIT_OK;
	uint32_t turns = 0;
	uint32_t patience = call->pause != NULL ? PATIENCE_PAUSED : PATIENCE;
	bool moved;

	plait__rank_machine_begin(machine, &call->machine, call->error);
	plait__collective_wait_begin(&wait, call->collective, call->part,
				     call->error);
	plait__collective_wait_moved(&wait);
	while (status == PLAIT_OK) {
		status = plait__rank_machine_advance(machine, &moved);
		if (status != PLAIT_PENDING)
			break;
		if (moved) {
			plait__collective_wait_moved(&wait);
			turns = 0;
		}
		if (turns >= patience)
			plait__rank_direct_withdraw(machine);
		status = call->pause != NULL ?
				 pause(call, &wait, turns) :
				 plait__collective_wait_step(&wait);
		turns++;
	}
	/* A message of a later call may overtake the mail that says why. */
	if (status == PLAIT_E_CANCELLED)
		status = find_reason(&wait);
	if (status != PLAIT_OK)
		leave(call, &wait);
	plait__collective_wait_end(&wait);
	return status;
}

static plait_status unmap_buffer(const collective_call *call, uint32_t which,
				 plait_error *error)
{
	return call->held != NULL ?
		plait__buffer_unmap_held(call->held[which],
					 call->mapped[which], error) :
		plait_buffer_unmap(buffer_of(call, which),
				   call->mapped[which], error);
}

static plait_status unmap(const collective_call *call)
{
	plait_status status = PLAIT_OK, next;

	for (uint32_t i = 0; i < 2; i++) {
		if (call->mapped[i] == NULL)
			continue;
		next = unmap_buffer(call, i,
				    status == PLAIT_OK ? call->error : NULL);
		status = status == PLAIT_OK ? next : status;
	}
	return status;
}

uint64_t plait__collective_call_take(plait__collective *collective)
{
	/* The order of calls is the program's. */
	return at_add_u64(&collective->begun, 1) + 1;
}

/* The calling thread has the call in progress. */
static plait_status run_call(plait__collective *collective, uint64_t number,
			     const plait_collective_run *run,
			     plait__buffer *const *held,
			     const plait__collective_pause *pause,
			     plait_error *error)
{
	collective_call call = { .collective = collective, .pause = pause,
				 .held = held };
	plait_status status, unmapped;
	plait_error why;

	/* To clear all of the text takes a part of the time of a small call. */
	plait__error_clear(&why);
	call.error = &why;
	collective->calls = number;
	call.machine.number = number;
	status = prepare(&call, run);
	if (status == PLAIT_OK)
		status = execute(&call);
	else
		stop(collective, number, &why);
	if (status != PLAIT_OK)
		call.error = NULL;
	unmapped = unmap(&call);
	if (status == PLAIT_OK)
		status = unmapped;
	if (status != PLAIT_OK)
		plait__error_copy(error, &why);
	return status;
}

/* Tell the interposers of a call, as a row of the host. */
static void tell_span(const plait__collective *collective, uint64_t number,
		      uint64_t start_ns)
{
	char owner[48], label[48];

	(void)snprintf(owner, sizeof(owner), "collective %llu of rank %u",
		       (unsigned long long)collective->number,
		       collective->world->rank);
	(void)snprintf(label, sizeof(label), "call %llu",
		       (unsigned long long)number);
	plait__host_span_tell(collective->spans, owner, label, start_ns,
			      plait__clock_now_ns());
}

/* Before the call has its number: its span has no event before it. */
static uint64_t begin_span(const plait__collective *collective)
{
	return collective->spans != NULL ? plait__clock_now_ns() : 0;
}

static plait_status run_told(plait__collective *collective, uint64_t number,
			     uint64_t start_ns,
			     const plait_collective_run *run,
			     plait__buffer *const *held,
			     const plait__collective_pause *pause,
			     plait_error *error)
{
	plait_status status = run_call(collective, number, run, held, pause,
				       error);

	if (collective->spans != NULL)
		tell_span(collective, number, start_ns);
	/* Release: pairs with the exchanges of later calls. */
	at_store_release_u32(&collective->busy, 0);
	return status;
}

/* ---- entry points ---- */

plait_status plait__collective_call_check(plait__collective *collective,
					  const plait_collective_run *run,
					  uint64_t out_bytes[2],
					  plait_error *error)
{
	collective_call call = { .collective = collective, .error = error };
	plait_status status = check(&call, run);

	out_bytes[0] = call.bytes[0];
	out_bytes[1] = call.bytes[1];
	return status;
}

plait_status plait__collective_call_paused(plait__collective *collective,
					   const plait_collective_run *run,
					   plait__buffer *const buffers[2],
					   const plait__collective_pause *pause,
					   plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	uint64_t start_ns = begin_span(collective);
	uint64_t number = plait__collective_call_take(collective);

	/* Acquire: pairs with the release in run_told. */
	if (at_exchange_u32(&collective->busy, 1) == 0)
		return run_told(collective, number, start_ns, run, buffers,
				pause, error);
	plait__fail(&why, PLAIT_E_STATE,
		    "another call of this collective is in progress; order "
		    "them by a queue, or by edges");
	stop(collective, number, &why);
	return plait__error_copy(error, &why);
}

void plait__collective_call_leave(plait__collective *collective,
				  uint64_t number, const plait_error *why)
{
	stop(collective, number != 0 ? number :
		     plait__collective_call_take(collective), why);
}

PLAIT_API plait_status plait_collective_call(plait_collective *collective,
					     const plait_collective_run *run,
					     plait_error *error)
{
	plait__collective *entered;
	uint64_t start_ns;
	plait_status status = plait__collective_enter(collective, &entered,
						      error);

	if (status != PLAIT_OK)
		return status;
	/* Acquire: pairs with the release in run_told. */
	if (at_exchange_u32(&entered->busy, 1) != 0) {
		plait__object_leave(&entered->object);
		return plait__fail(error, PLAIT_E_STATE,
				   "another thread is in a call of this "
				   "collective; create one for each thread");
	}
	start_ns = begin_span(entered);
	status = run_told(entered, plait__collective_call_take(entered),
			  start_ns, run, NULL, NULL, error);
	plait__object_leave(&entered->object);
	return status;
}
