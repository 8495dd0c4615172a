/* SPDX-License-Identifier: MIT */
/* State of a proof: refusals, names of steps, release. */
#include "coll/prove/proof_state.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t plait__proof_kind(const plait__proof_state *state)
{
	if (state->request->flags & PLAIT__PROVE_PROMISES)
		return PLAIT__COLL_CUSTOM;
	if (state->request->flags & PLAIT__PROVE_KIND)
		return state->request->kind;
	return state->schedule->kind;
}

uint32_t plait__proof_root(const plait__proof_state *state)
{
	return state->request->flags & PLAIT__PROVE_KIND ?
		       state->request->root : state->schedule->root;
}

void plait__proof_state_fini(plait__proof_state *state)
{
	const plait_allocator *allocator = state->allocator;
	uint64_t lanes = state->lane_count, steps = state->step_count;

	plait__free(allocator, state->sender, lanes * sizeof(uint32_t));
	plait__free(allocator, state->receiver, lanes * sizeof(uint32_t));
	plait__free(allocator, state->first_send,
		    (lanes + 1) * sizeof(uint32_t));
	plait__free(allocator, state->first_receipt,
		    (lanes + 1) * sizeof(uint32_t));
	plait__free(allocator, state->sends, steps * sizeof(uint32_t));
	plait__free(allocator, state->receipts, steps * sizeof(uint32_t));
	plait__free(allocator, state->lane_of, steps * sizeof(uint32_t));
	plait__free(allocator, state->order, steps * sizeof(uint32_t));
}

plait_status plait__proof_refuse(plait__proof_state *state, uint32_t reason,
				 const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length >= (int)sizeof(text))
		memcpy(text + sizeof(text) - 4, "...", 4);
	state->proof->verdict = PLAIT__PROOF_REFUSED;
	state->proof->reason = reason;
	return plait__fail(state->error,
			   reason == PLAIT__PROOF_DEADLOCK ?
				   PLAIT_E_DEADLOCK : PLAIT_E_INVALID,
			   "%s", text);
}

plait_status plait__proof_no_memory(plait__proof_state *state)
{
	return plait__fail(state->error, PLAIT_E_NOMEM,
			   "no memory for the proof of a schedule of %lu steps",
			   (unsigned long)state->schedule->step_count);
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		"nop", "send", "recv", "recv_send", "recv_reduce",
		"recv_reduce_send", "recv_reduce_both", "copy", "reduce"
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

const char *plait__proof_step_name(const plait__proof_state *state,
				   uint32_t step,
				   char room[PLAIT__PROOF_NAME_BYTES])
{
	const plait__schedule *schedule = state->schedule;
	const plait__coll_lane *lane = &schedule->lanes[state->lane_of[step]];
	uint32_t index = (uint32_t)(lane - schedule->lanes) -
			 schedule->ranks[lane->rank].first_lane;

	snprintf(room, PLAIT__PROOF_NAME_BYTES, "rank %u lane %u step %u (%s)",
		 lane->rank, index, (uint32_t)(step - lane->first_step),
		 kind_name(schedule->steps[step].kind));
	return room;
}

const char *plait__proof_buffer_name(uint32_t buffer)
{
	return buffer == PLAIT__COLL_INPUT ? "input" :
	       buffer == PLAIT__COLL_OUTPUT ? "output" : "scratch";
}
