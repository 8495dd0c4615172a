/* SPDX-License-Identifier: MIT */
/* Lent memory of a step machine. */
#include "coll/project/rank_lend.h"

#include "plait/transport.h"

#include "coll/project/rank_compute.h"
#include "world/world_port.h"

#include <string.h>

static bool is_returned(const plait__slot_link *link,
			const plait__machine_loan *loan)
{
	return loan->message == 0 ||
	       plait__slot_link_is_returned(link, loan->message);
}

/* ---- lending ---- */

bool plait__rank_lend_source(plait__rank_machine *machine,
			     plait__machine_lane *state,
			     const plait__rank_step *step,
			     const plait__slot_link *link, uint64_t bytes)
{
	bool target = step->kind != PLAIT__STEP_SEND;
	plait__machine_loan *loan = state->loans;
	plait__machine_loan *end = loan + PLAIT__LANE_LOANS;
	unsigned char *range[2];

	if (!plait__rank_lend_may(machine, step, link, bytes))
		return false;
	while (loan < end && !is_returned(link, loan))
		loan++;
	if (loan == end ||
	    !plait__rank_compute_range(machine, step, target, state->tile,
				       range) ||
	    !plait__world_port_lend(link, range[0], bytes))
		return false;
	machine->lends = true;
	*loan = (plait__machine_loan){ range[0], range[1], link->own + 1 };
	return true;
}

void plait__rank_lend_target(plait__rank_machine *machine,
			     plait__machine_lane *state,
			     const plait__rank_step *step,
			     const plait__slot_link *link, uint64_t bytes)
{
	bool stores = step->kind == PLAIT__STEP_RECV ||
		      step->kind == PLAIT__STEP_RECV_SEND;
	unsigned char *range[2] = { NULL, NULL };

	if (state->asked || link->lent == NULL || bytes == 0 ||
	    bytes < machine->lent_least)
		return;
	if (stores && !plait__rank_compute_range(machine, step, true,
						 state->tile, range))
		range[0] = NULL;
	machine->lends = true;
	state->asked = true;
	(void)plait__world_port_lend(link, range[0], bytes);
}

/* ---- waits ---- */

bool plait__rank_lend_stores(const plait__rank_step *step)
{
	return step->kind != PLAIT__STEP_NOP &&
	       step->kind != PLAIT__STEP_SEND &&
	       step->kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

/* Returns true if the transport still reads memory of the lane in the range. */
static bool reads(const plait__slot_link *link,
		  const plait__machine_lane *state,
		  unsigned char *const range[2])
{
	for (uint32_t i = 0; i < PLAIT__LANE_LOANS; i++) {
		const plait__machine_loan *loan = &state->loans[i];

		if (loan->message != 0 && loan->start < range[1] &&
		    range[0] < loan->end && !is_returned(link, loan))
			return true;
	}
	return false;
}

uint32_t plait__rank_lend_reader(const plait__rank_machine *machine,
				 const plait__rank_step *step, uint64_t tile)
{
	unsigned char *range[2];

	if (!machine->lends || !plait__rank_lend_stores(step))
		return PLAIT__RANK_NONE;
	(void)plait__rank_compute_range(machine, step, true, tile, range);
	for (uint32_t i = 0; i < machine->program->lanes.count; i++) {
		const plait__rank_lane *lane =
			plait__vector_at(&machine->program->lanes, i);

		if (lane->send != PLAIT__RANK_NONE &&
		    reads(&machine->links[lane->send], &machine->lanes[i],
			  range))
			return lane->send;
	}
	return PLAIT__RANK_NONE;
}

bool plait__rank_lend_is_over(const plait__rank_machine *machine,
			      const plait__rank_lane *lane,
			      const plait__machine_lane *state)
{
	if (!machine->lends || lane->send == PLAIT__RANK_NONE)
		return true;
	for (uint32_t i = 0; i < PLAIT__LANE_LOANS; i++)
		if (!is_returned(&machine->links[lane->send],
				 &state->loans[i]))
			return false;
	return true;
}

/* A message in lent memory that the lane has not taken may be one of the next
 * call, whose target is elsewhere: put it into its slot. */
static void keep_message(plait__rank_machine *machine,
			 const plait__rank_lane *lane,
			 const plait__machine_lane *state)
{
	plait__slot_link *link;
	plait_link_slot *slot;
	unsigned char *range[2];

	if (!state->asked)
		return;
	link = &machine->links[lane->receive];
	if (!plait__slot_link_can_receive(link) ||
	    !plait__slot_link_is_lent(link))
		return;
	slot = (plait_link_slot *)(void *)plait__slot_link_front(link);
	(void)plait__rank_compute_range(
		machine, plait__vector_at(&machine->program->steps,
					  lane->first_step + state->step),
		true, state->tile, range);
	memcpy(slot + 1, range[0], slot->bytes);
	link->kept = link->own + 1;
}

static void keep_messages(plait__rank_machine *machine)
{
	for (uint32_t i = 0; i < machine->program->lanes.count; i++)
		keep_message(machine,
			     plait__vector_at(&machine->program->lanes, i),
			     &machine->lanes[i]);
}

plait_status plait__rank_lend_reclaim(plait__rank_machine *machine)
{
	plait_status all = PLAIT_OK, status;

	if (!machine->lends)
		return PLAIT_OK;
	for (uint32_t i = 0; i < machine->program->links.count; i++) {
		if (machine->links[i].lent == NULL)
			continue;
		status = plait__world_port_reclaim(&machine->links[i]);
		if (status != PLAIT_OK && all != PLAIT_PENDING)
			all = status;
	}
	if (all != PLAIT_OK)
		return all;
	keep_messages(machine);
	machine->lends = false;
	return PLAIT_OK;
}
