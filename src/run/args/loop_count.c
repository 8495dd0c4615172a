/* SPDX-License-Identifier: MIT */
/* Counts of loops that repeat; see loop_count.h. */
#include "run/args/loop_count.h"

#include "run/args/payload_util.h"

#include "kernel/type.h"

#include <string.h>

static const plait__plan_payload *payload_of(const plait__plan *plan,
					     uint32_t region)
{
	return plait__payload_at(plan, plan->regions[region].predicate);
}

bool plait__loop_count_is_word(const plait__plan *plan, uint32_t region)
{
	const plait__plan_payload *payload = payload_of(plan, region);

	return payload != NULL && payload->arg_count > 0 &&
	       plan->args[payload->arg_first].kind == PLAIT__ARG_MEMORY;
}

/* An integer that the run binds; a negative one counts as 0.  The argument has
 * 4 or 8 bytes in the blob: count_fits in verify_commands.c, and add_node.c. */
static uint64_t read_parameter(const plait__frame *frame,
			       const plait__plan_arg *arg)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const uint8_t *at = frame->blob + arg->blob;
	uint64_t whole = 0;
	uint32_t half;
	int64_t number;

	memcpy(&half, at, sizeof(half));
	if (arg->bytes == sizeof(whole))
		memcpy(&whole, at, sizeof(whole));
	switch (plan->params[arg->index].type) {
	case PLAIT__TYPE_I32:
		number = (int32_t)half;
		break;
	case PLAIT__TYPE_I64:
		number = (int64_t)whole;
		break;
	default:
		return arg->bytes == sizeof(whole) ? whole : half;
	}
	return number > 0 ? (uint64_t)number : 0;
}

/* `word` is only read if the count is a word. */
static uint64_t read_count(const plait__frame *frame, uint32_t region,
			   uint32_t word)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const plait__plan_payload *payload = payload_of(plan, region);
	const plait__plan_arg *arg;

	if (payload == NULL || frame->layout->plan_object->rehearses)
		return plan->regions[region].times;
	if (payload->arg_count == 0)
		return payload->bytes;
	arg = &plan->args[payload->arg_first];
	return arg->kind == PLAIT__ARG_PARAM ? read_parameter(frame, arg) :
					       word;
}

uint64_t plait__loop_count_enter(const plait__frame *frame, uint32_t region,
				 uint32_t word)
{
	frame->counts[region] = read_count(frame, region, word);
	return plait__loop_count_iterations(frame, region);
}

uint64_t plait__loop_count_iterations(const plait__frame *frame,
				      uint32_t region)
{
	const plait__plan *plan = frame->layout->plan_object->plan;
	const plait__plan_payload *payload = payload_of(plan, region);
	uint64_t count = frame->counts[region], step = 1;

	/* The expected iterations of a rehearsal are no count of parts. */
	if (payload != NULL && !frame->layout->plan_object->rehearses)
		step = payload->value;
	return count / step + (count % step > 0);
}

bool plait__loop_count_goes_on(const plait__frame *frame, uint32_t region,
			       bool again, uint32_t word)
{
	return again ? frame->iterations[region] + 1 <
			       plait__loop_count_iterations(frame, region) :
		       plait__loop_count_enter(frame, region, word) > 0;
}

uint32_t plait__loop_count_mapped_word(const plait__frame *frame,
				       uint32_t region)
{
	const plait__frame_layout *layout = frame->layout;

	if (layout->plan_object->rehearses ||
	    !plait__loop_count_is_word(layout->plan_object->plan, region))
		return 0;
	return **(const uint32_t **)frame->words[layout->predicates[region]];
}
