/* SPDX-License-Identifier: MIT */
/* Step machine: order of steps, messages; rank_compute.c moves the elements. */
#include "coll/project/rank_machine.h"

#include "plait/transport.h"

#include "coll/project/rank_compute.h"
#include "coll/project/rank_lend.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* Words of a head. */
enum { WORD_CALL, WORD_COUNT, WORD_TYPE };

uint64_t plait__rank_machine_type(plait_element element, uint32_t bits,
				  plait_reduction reduction, uint32_t schedule)
{
	return (uint64_t)schedule << 32 | (uint64_t)(element & 0xff) << 16 |
	       (uint64_t)(bits & 0xff) << 8 | (reduction & 0xff);
}

/* ---- messages ---- */

static unsigned char *payload_of(const plait__slot_link *link)
{
	return plait__slot_link_front(link) + sizeof(plait_link_slot);
}

static plait_status refuse_message(const plait__rank_machine *machine,
				   const plait__slot_link *link,
				   const plait_link_slot *head)
{
	const plait__machine_call *call = &machine->call;
	uint64_t type = head->words[WORD_TYPE];

	if (head->words[WORD_CALL] != call->number)
		return plait__fail(machine->error, PLAIT_E_CANCELLED,
				   "rank %u has left call %llu of the "
				   "collective", link->peer,
				   (unsigned long long)call->number);
	if (head->words[WORD_COUNT] != call->count)
		return plait__fail(machine->error, PLAIT_E_INVALID,
				   "rank %u calls the collective with count "
				   "%llu, this rank with %llu", link->peer,
				   (unsigned long long)head->words[WORD_COUNT],
				   (unsigned long long)call->count);
	if (type != call->type)
		return plait__fail(machine->error, PLAIT_E_INVALID,
				   "rank %u calls the collective with element "
				   "%u, bits %u, reduction %u, schedule %u; this "
				   "rank with %u, %u, %u, %u", link->peer,
				   (unsigned)(type >> 16 & 0xff),
				   (unsigned)(type >> 8 & 0xff),
				   (unsigned)(type & 0xff),
				   (unsigned)(type >> 32),
				   (unsigned)(call->type >> 16 & 0xff),
				   (unsigned)(call->type >> 8 & 0xff),
				   (unsigned)(call->type & 0xff),
				   (unsigned)(call->type >> 32));
	return plait__fail(machine->error, PLAIT_E_INTERNAL,
			   "a message of rank %u has %llu bytes, which are not "
			   "those of the step", link->peer,
			   (unsigned long long)head->bytes);
}

/* Returns true if a message of this call, or of a later one, is there; drops
 * those of calls that this rank has left. */
static bool find_message(const plait__rank_machine *machine,
			 plait__machine_lane *state, plait__slot_link *link,
			 plait_link_slot *out)
{
	while (plait__slot_link_can_receive(link)) {
		memcpy(out, plait__slot_link_front(link), sizeof(*out));
		if (out->words[WORD_CALL] >= machine->call.number)
			return true;
		plait__slot_link_pop(link);
		state->asked = false;
	}
	return false;
}

static void send_message(const plait__rank_machine *machine,
			 plait__slot_link *link, uint64_t bytes)
{
	const plait_link_slot head = {
		.bytes = bytes,
		.words = { [WORD_CALL] = machine->call.number,
			   [WORD_COUNT] = machine->call.count,
			   [WORD_TYPE] = machine->call.type },
	};

	memcpy(plait__slot_link_front(link), &head, sizeof(head));
	plait__slot_link_push(link);
}

/* ---- steps ---- */

static bool waits_are_over(const plait__rank_machine *machine,
			   const plait__rank_step *step, uint64_t tile)
{
	const plait__rank_program *program = machine->program;

	for (uint32_t i = 0; i < step->wait_count; i++) {
		const plait__rank_wait *wait = plait__vector_at(
			&program->waits, step->first_wait + i);
		const plait__rank_lane *lane = plait__vector_at(&program->lanes,
							   wait->lane);

		if (machine->lanes[wait->lane].done <=
		    tile * lane->step_count + wait->step)
			return false;
	}
	return true;
}

static void finish_step(plait__machine_lane *state, const plait__rank_lane *lane)
{
	state->received = false;
	state->done++;
	if (++state->step == lane->step_count) {
		state->step = 0;
		state->tile++;
	}
}

/* ---- receiving ---- */

/* Take the message of a step and compute, into the outgoing slot if one is free.
 * Returns PLAIT_PENDING if there is no message. */
static plait_status receive(plait__rank_machine *machine,
			    plait__machine_lane *state, const plait__rank_lane *lane,
			    const plait__rank_step *step, uint64_t bytes,
			    unsigned char *out)
{
	plait__slot_link *link = &machine->links[lane->receive];
	plait_link_slot head;

	if (!find_message(machine, state, link, &head)) {
		plait__rank_lend_target(machine, state, step, link, bytes);
		return PLAIT_PENDING;
	}
	if (head.words[WORD_CALL] != machine->call.number ||
	    head.words[WORD_COUNT] != machine->call.count ||
	    head.words[WORD_TYPE] != machine->call.type || head.bytes != bytes)
		return refuse_message(machine, link, &head);
	if (!plait__slot_link_is_lent(link))
		plait__rank_compute_received(machine, step, state->tile,
					     payload_of(link),
					     out != NULL ? out :
						     state->staging);
	plait__slot_link_pop(link);
	state->asked = false;
	return PLAIT_OK;
}

/* Send what a step has received and stored; `is_written`: it is in the slot. */
static void send_on(plait__rank_machine *machine, plait__machine_lane *state,
		    const plait__rank_step *step, plait__slot_link *link,
		    uint64_t bytes, bool is_written)
{
	if (!is_written &&
	    !plait__rank_lend_source(machine, state, step, link, bytes))
		plait__rank_compute_later(machine, step, state->tile,
					  state->staging, payload_of(link));
	send_message(machine, link, bytes);
}

static plait_status execute_receiving(plait__rank_machine *machine,
				      plait__machine_lane *state,
				      const plait__rank_lane *lane,
				      const plait__rank_step *step)
{
	uint64_t bytes = plait__rank_compute_bytes(machine, step, state->tile);
	bool sends = plait__step_sends(step->kind);
	plait__slot_link *link = sends ? &machine->links[lane->send] : NULL;
	bool has_slot = sends && plait__slot_link_can_send(link);
	unsigned char *out = has_slot && !plait__rank_lend_may(machine, step,
							       link, bytes) ?
				     payload_of(link) : NULL;
	plait_status status;

	if (state->received)
		out = NULL;
	else if ((status = receive(machine, state, lane, step, bytes, out)) !=
		 PLAIT_OK)
		return status;
	state->received = true;
	if (sends && !has_slot)
		return PLAIT_PENDING;
	if (sends)
		send_on(machine, state, step, link, bytes, out != NULL);
	finish_step(state, lane);
	return PLAIT_OK;
}

static plait_status execute_send(plait__rank_machine *machine,
				 plait__machine_lane *state,
				 const plait__rank_lane *lane,
				 const plait__rank_step *step)
{
	plait__slot_link *link = &machine->links[lane->send];
	uint64_t bytes;

	if (!plait__slot_link_can_send(link))
		return PLAIT_PENDING;
	bytes = plait__rank_compute_bytes(machine, step, state->tile);
	if (!plait__rank_lend_source(machine, state, step, link, bytes))
		plait__rank_compute_gather(machine, step, state->tile,
					   payload_of(link));
	send_message(machine, link, bytes);
	finish_step(state, lane);
	return PLAIT_OK;
}

static plait_status execute_local(plait__rank_machine *machine,
				  plait__machine_lane *state,
				  const plait__rank_lane *lane,
				  const plait__rank_step *step)
{
	if (step->kind == PLAIT__STEP_SEND)
		return execute_send(machine, state, lane, step);
	plait__rank_compute_local(machine, step, state->tile);
	finish_step(state, lane);
	return PLAIT_OK;
}

static const plait__rank_step *step_of(const plait__rank_machine *machine,
				       const plait__rank_lane *lane,
				       const plait__machine_lane *state)
{
	return plait__vector_at(&machine->program->steps,
				lane->first_step + state->step);
}

/* PLAIT_PENDING: the lane's next step cannot be executed yet, or there is
 * none. */
static plait_status advance_lane(plait__rank_machine *machine,
				 const plait__rank_lane *lane,
				 plait__machine_lane *state)
{
	const plait__rank_step *step;

	if (state->tile == machine->tiles || lane->step_count == 0)
		return PLAIT_PENDING;
	step = step_of(machine, lane, state);
	if (!waits_are_over(machine, step, state->tile) ||
	    plait__rank_lend_reader(machine, step, state->tile) != PLAIT__RANK_NONE)
		return PLAIT_PENDING;
	return plait__step_receives(step->kind) ?
		       execute_receiving(machine, state, lane, step) :
		       execute_local(machine, state, lane, step);
}

static bool has_ended(const plait__rank_machine *machine,
		      const plait__rank_lane *lane,
		      const plait__machine_lane *state)
{
	return (state->tile == machine->tiles || lane->step_count == 0) &&
	       plait__rank_lend_is_over(machine, lane, state);
}

static plait_status sweep_lanes(plait__rank_machine *machine, bool *out_moved,
				bool *out_ended)
{
	uint32_t count = machine->program->lanes.count;
	plait_status status;

	*out_moved = false;
	*out_ended = true;
	for (uint32_t i = 0; i < count; i++) {
		const plait__rank_lane *lane =
			plait__vector_at(&machine->program->lanes, i);
		plait__machine_lane *state = &machine->lanes[i];

		do {
			status = advance_lane(machine, lane, state);
			*out_moved |= status == PLAIT_OK;
		} while (status == PLAIT_OK && !machine->is_pumped);
		if (status != PLAIT_OK && status != PLAIT_PENDING)
			return status;
		*out_ended &= has_ended(machine, lane, state);
	}
	return PLAIT_PENDING;
}

plait_status plait__rank_machine_advance(plait__rank_machine *machine,
					 bool *out_moved)
{
	bool moved, ended;
	plait_status status;

	*out_moved = false;
	do {
		status = sweep_lanes(machine, &moved, &ended);
		*out_moved |= moved;
	} while (status == PLAIT_PENDING && moved && !ended &&
		 !machine->is_pumped);
	return status == PLAIT_PENDING && ended ? PLAIT_OK : status;
}

/* Link that a lane waits for, or NONE. */
static uint32_t find_blocked(const plait__rank_machine *machine,
			     const plait__rank_lane *lane,
			     const plait__machine_lane *state,
			     bool *out_receives)
{
	const plait__rank_step *step;
	uint32_t reader;

	*out_receives = false;
	if (state->tile == machine->tiles || lane->step_count == 0)
		return plait__rank_lend_is_over(machine, lane, state) ?
			       PLAIT__RANK_NONE : lane->send;
	step = step_of(machine, lane, state);
	reader = plait__rank_lend_reader(machine, step, state->tile);
	if (reader != PLAIT__RANK_NONE)
		return reader;
	*out_receives = plait__step_receives(step->kind) && !state->received;
	if ((!*out_receives && !plait__step_sends(step->kind)) ||
	    !waits_are_over(machine, step, state->tile))
		return PLAIT__RANK_NONE;
	return *out_receives ? lane->receive : lane->send;
}

bool plait__rank_machine_blocked(const plait__rank_machine *machine,
				 uint32_t *number, uint32_t *out_peer,
				 bool *out_receives)
{
	while (*number < machine->program->lanes.count) {
		uint32_t lane = (*number)++;
		uint32_t link = find_blocked(
			machine, plait__vector_at(&machine->program->lanes,
						  lane),
			&machine->lanes[lane], out_receives);

		if (link == PLAIT__RANK_NONE)
			continue;
		*out_peer = machine->links[link].peer;
		return true;
	}
	return false;
}

/* ---- calls ---- */

uint64_t plait__rank_machine_scratch(const plait__rank_program *program,
				     uint64_t count)
{
	uint64_t room = count / program->share + (count % program->share != 0);
	uint64_t all;

	return __builtin_mul_overflow(room, program->scratch_chunks, &all) ?
		       UINT64_MAX : all;
}

void plait__rank_machine_begin(plait__rank_machine *machine,
			       const plait__machine_call *call,
			       plait_error *error)
{
	const plait__rank_program *program = machine->program;

	machine->call = *call;
	machine->error = error;
	if (call->count != machine->laid_count ||
	    call->element_bytes != machine->laid_bytes)
		plait__rank_compute_lay(machine);
	for (uint32_t i = 0; i < program->lanes.count; i++) {
		unsigned char *staging = machine->lanes[i].staging;

		machine->lanes[i] = (plait__machine_lane){
			.staging = staging
		};
	}
}

/* ---- memory ---- */

static plait_status allocate(plait__rank_machine *machine)
{
	const plait__rank_program *program = machine->program;

	machine->links = plait__alloc_array(machine->allocator,
					    program->links.count + 1ull,
					    sizeof(*machine->links));
	machine->lanes = plait__alloc_array(machine->allocator,
					    program->lanes.count + 1ull,
					    sizeof(*machine->lanes));
	machine->chunks = plait__alloc_array(machine->allocator,
					     program->parts.count + 1ull,
					     sizeof(*machine->chunks));
	if (machine->links == NULL || machine->lanes == NULL ||
	    machine->chunks == NULL)
		return PLAIT_E_NOMEM;
	for (uint32_t i = 0; i < program->lanes.count; i++) {
		const plait__rank_lane *lane = plait__vector_at(&program->lanes, i);

		if (!lane->stages)
			continue;
		machine->lanes[i].staging = plait__alloc(machine->allocator,
							 machine->slot_bytes);
		if (machine->lanes[i].staging == NULL)
			return PLAIT_E_NOMEM;
	}
	return PLAIT_OK;
}

plait_status plait__rank_machine_init(plait__rank_machine *machine,
				      const plait__rank_program *program,
				      uint64_t slot_bytes, plait_error *error)
{
	*machine = (plait__rank_machine){
		.program = program, .allocator = program->allocator,
		.slot_bytes = slot_bytes,
		.lent_least = program->reduces ? PLAIT__LENT_LEAST_REDUCED :
						 PLAIT__LENT_LEAST,
	};
	if (allocate(machine) != PLAIT_OK)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u lanes of rank %u",
				   program->lanes.count, program->rank);
	return PLAIT_OK;
}

void plait__rank_machine_free(plait__rank_machine *machine)
{
	const plait__rank_program *program = machine->program;

	if (program == NULL)
		return;
	if (machine->lanes != NULL)
		for (uint32_t i = 0; i < program->lanes.count; i++)
			plait__free(machine->allocator,
				    machine->lanes[i].staging,
				    machine->slot_bytes);
	plait__free(machine->allocator, machine->links,
		    (program->links.count + 1ull) * sizeof(*machine->links));
	plait__free(machine->allocator, machine->lanes,
		    (program->lanes.count + 1ull) * sizeof(*machine->lanes));
	plait__free(machine->allocator, machine->chunks,
		    (program->parts.count + 1ull) * sizeof(*machine->chunks));
}
