/* SPDX-License-Identifier: MIT */
/* Step machine: order of steps, messages; rank_compute.c moves the elements. */
#include "coll/project/rank_machine.h"

#include "plait/transport.h"

#include "coll/project/rank_compute.h"
#include "coll/project/rank_direct.h"
#include "coll/project/rank_lend.h"
#include "coll/project/rank_message.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- messages ---- */

/* Returns true if a message of this call, or of a later one, is there; drops
 * those of calls that this rank has left. */
static bool find_message(const plait__rank_machine *machine,
			 plait__machine_lane *state, plait__slot_link *link,
			 plait_link_slot *out)
{
	while (plait__slot_link_can_receive(link)) {
		plait__rank_direct_read_head(link, out);
		if (!plait__rank_message_is_old(machine, out))
			return true;
		plait__slot_link_pop(link);
		state->asked = false;
	}
	return false;
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
	const unsigned char *in, *slot;
	plait_status status;
	plait_link_slot head;

	if (!find_message(machine, state, link, &head)) {
		plait__rank_lend_target(machine, state, step, link, bytes);
		return PLAIT_PENDING;
	}
	status = plait__rank_message_check(machine, link, &head, bytes);
	in = slot = plait__rank_message_bytes(machine, link, bytes);
	if (status == PLAIT_OK &&
	    head.words[PLAIT__DIRECT_STATE] != PLAIT__DIRECT_KEPT)
		status = plait__rank_direct_claim(machine, lane->receive,
						  &head, &in);
	if (status != PLAIT_OK)
		return status;
	if (!plait__slot_link_is_lent(link))
		plait__rank_compute_received(machine, step, state->tile, in,
					     out != NULL ? out :
						     state->staging);
	if (in != slot)
		status = plait__rank_direct_take(machine, lane->receive);
	if (status != PLAIT_OK)
		return status;
	plait__slot_link_pop(link);
	state->asked = false;
	return PLAIT_OK;
}

/* Send what a step has received and stored; `is_written`: it is in the slot. */
static void send_on(plait__rank_machine *machine, plait__machine_lane *state,
		    const plait__rank_lane *lane, const plait__rank_step *step,
		    uint64_t bytes, bool is_written)
{
	plait__slot_link *link = &machine->links[lane->send];
	plait_link_slot head = plait__rank_message_head(machine, bytes);

	if (!is_written &&
	    !plait__rank_direct_offer(machine, step, lane->send, state->tile,
				      &head) &&
	    !plait__rank_lend_source(machine, state, step, link, bytes))
		plait__rank_compute_later(machine, step, state->tile,
					  state->staging,
					  plait__rank_message_bytes(
						  machine, link, bytes));
	plait__rank_message_send(link, &head);
}

/* Returns true if a message is sent from where it was stored. */
static bool stays(const plait__rank_machine *machine,
		  const plait__rank_lane *lane, const plait__rank_step *step,
		  uint64_t bytes)
{
	return plait__rank_lend_may(machine, step, &machine->links[lane->send],
				    bytes) ||
	       plait__rank_direct_may(machine, step, lane->send, bytes);
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
	unsigned char *out = has_slot && !stays(machine, lane, step, bytes) ?
				     plait__rank_message_bytes(machine, link,
							       bytes) : NULL;
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
		send_on(machine, state, lane, step, bytes, out != NULL);
	finish_step(state, lane);
	return PLAIT_OK;
}

static plait_status execute_send(plait__rank_machine *machine,
				 plait__machine_lane *state,
				 const plait__rank_lane *lane,
				 const plait__rank_step *step)
{
	plait__slot_link *link = &machine->links[lane->send];
	plait_link_slot head;

	if (!plait__slot_link_can_send(link))
		return PLAIT_PENDING;
	head = plait__rank_message_head(
		machine, plait__rank_compute_bytes(machine, step, state->tile));
	if (!plait__rank_direct_offer(machine, step, lane->send, state->tile,
				      &head) &&
	    !plait__rank_lend_source(machine, state, step, link, head.bytes))
		plait__rank_compute_gather(machine, step, state->tile,
					   plait__rank_message_bytes(
						   machine, link, head.bytes));
	plait__rank_message_send(link, &head);
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

/* Link by which memory is read that the step writes, or NONE. */
static uint32_t find_reader(const plait__rank_machine *machine,
			    const plait__rank_step *step, uint64_t tile)
{
	uint32_t reader = plait__rank_lend_reader(machine, step, tile);
	unsigned char *range[2];

	if (reader != PLAIT__RANK_NONE || !machine->offers ||
	    !plait__rank_lend_stores(step))
		return reader;
	(void)plait__rank_compute_range(machine, step, true, tile, range);
	return plait__rank_direct_reader(machine, range);
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
	    find_reader(machine, step, state->tile) != PLAIT__RANK_NONE)
		return PLAIT_PENDING;
	return plait__step_receives(step->kind) ?
		       execute_receiving(machine, state, lane, step) :
		       execute_local(machine, state, lane, step);
}

/* Returns true if nothing reads memory from which the lane has sent. */
static bool is_returned(const plait__rank_machine *machine,
			const plait__rank_lane *lane,
			const plait__machine_lane *state)
{
	return plait__rank_lend_is_over(machine, lane, state) &&
	       plait__rank_direct_is_over(machine, lane->send);
}

static bool has_ended(const plait__rank_machine *machine,
		      const plait__rank_lane *lane,
		      const plait__machine_lane *state)
{
	return (state->tile == machine->tiles || lane->step_count == 0) &&
	       is_returned(machine, lane, state);
}

static plait_status sweep_lanes(plait__rank_machine *machine, bool *out_moved,
				bool *out_ended)
{
	uint32_t count = machine->program->lanes.count;
	plait_status status;

	*out_moved = false;
	*out_ended = true;
	for (uint32_t i = 0; i < count; i++) {
		/* With a pump each lane moves once a turn: plain order. */
		uint32_t number = machine->is_pumped ? i : machine->order[i];
		const plait__rank_lane *lane =
			plait__vector_at(&machine->program->lanes, number);
		plait__machine_lane *state = &machine->lanes[number];
		uint64_t tile = state->tile;

		do {
			status = advance_lane(machine, lane, state);
			*out_moved |= status == PLAIT_OK;
		} while (status == PLAIT_OK && state->tile == tile &&
			 !machine->is_pumped);
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
		return is_returned(machine, lane, state) ?
			       PLAIT__RANK_NONE : lane->send;
	step = step_of(machine, lane, state);
	reader = find_reader(machine, step, state->tile);
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
	uint64_t room, all;

	/* Divisions are long beside a small call. */
	if (program->scratch_chunks == 0)
		return 0;
	room = count / program->share + (count % program->share != 0);
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
	/* Those of the call before have been taken, or taken back. */
	machine->offers = false;
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

static bool begins_by_sending(const plait__rank_program *program,
			      uint32_t number)
{
	const plait__rank_lane *lane = plait__vector_at(&program->lanes,
							number);
	const plait__rank_step *step;

	if (lane->step_count == 0)
		return false;
	step = plait__vector_at(&program->steps, lane->first_step);
	return step->kind == PLAIT__STEP_SEND;
}

static void order_lanes(plait__rank_machine *machine)
{
	uint32_t count = machine->program->lanes.count, used = 0;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < count; i++)
			if (begins_by_sending(machine->program, i) ==
			    (pass == 0))
				machine->order[used++] = i;
}

static plait_status allocate(plait__rank_machine *machine)
{
	const plait__rank_program *program = machine->program;

	machine->links = plait__alloc_array(machine->allocator,
					    program->links.count + 1ull,
					    sizeof(*machine->links));
	machine->lanes = plait__alloc_array(machine->allocator,
					    program->lanes.count + 1ull,
					    sizeof(*machine->lanes));
	machine->order = plait__alloc_array(machine->allocator,
					    program->lanes.count + 1ull,
					    sizeof(*machine->order));
	machine->chunks = plait__alloc_array(machine->allocator,
					     program->parts.count + 1ull,
					     sizeof(*machine->chunks));
	if (machine->links == NULL || machine->lanes == NULL ||
	    machine->order == NULL || machine->chunks == NULL)
		return PLAIT_E_NOMEM;
	order_lanes(machine);
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
	plait__free(machine->allocator, machine->order,
		    (program->lanes.count + 1ull) * sizeof(*machine->order));
	plait__free(machine->allocator, machine->chunks,
		    (program->parts.count + 1ull) * sizeof(*machine->chunks));
}
