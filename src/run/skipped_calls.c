/* SPDX-License-Identifier: MIT */
/* Numbers of the collective calls of a skipped run; see skipped_calls.h. */
#include "run/skipped_calls.h"

#include "run/args/payload_util.h"
#include "run/program.h"

#include "base/alloc.h"

struct plait__skipped_call {
	const plait__collective_record *record;
	at_u64 number;		/* 0: none, or used */
};

static uint32_t count_calls(const plait__program *program)
{
	uint32_t count = 0;

	/* A rehearsal calls nothing. */
	if (program->rehearsal != NULL)
		return 0;
	for (uint32_t i = 0; i < program->plan->command_count; i++)
		count += plait__payload_is_collective(program->plan, i);
	return count;
}

plait_status plait__skipped_calls_make(plait__instance *instance,
				       plait_error *error)
{
	uint32_t count = count_calls(instance->program);

	if (count == 0)
		return PLAIT_OK;
	instance->skipped_calls = plait__alloc_array(
		plait__program_allocator(instance->program), count,
		sizeof(*instance->skipped_calls));
	if (instance->skipped_calls == NULL)
		return plait__payload_no_memory(error);
	instance->skipped_call_count = count;
	return PLAIT_OK;
}

void plait__skipped_calls_free(plait__instance *instance)
{
	plait__free(plait__program_allocator(instance->program),
		    instance->skipped_calls,
		    instance->skipped_call_count *
			    sizeof(*instance->skipped_calls));
}

void plait__skipped_calls_number(plait__instance *instance)
{
	const plait__plan *plan = instance->program->plan;
	struct plait__skipped_call *call = instance->skipped_calls;

	for (uint32_t i = 0; instance->skipped_call_count > 0 &&
	     i < plan->command_count; i++) {
		if (!plait__payload_is_collective(plan, i))
			continue;
		call->record = plait__payload_user_data(
			&instance->frame, plait__payload_of(plan, i));
		/* Relaxed: published with the start of the run. */
		at_store_relaxed_u64(&call->number,
				     call->record->take_number(call->record));
		call++;
	}
}

uint64_t plait__skipped_calls_use(plait__instance *instance,
				  const plait__collective_record *record)
{
	uint64_t number = 0;

	for (uint32_t i = 0; number == 0 && i < instance->skipped_call_count;
	     i++)
		if (instance->skipped_calls[i].record == record)
			/* Another lane may use one of the same record. */
			number = at_exchange_u64(
				&instance->skipped_calls[i].number, 0);
	return number;
}
