/* SPDX-License-Identifier: MIT */
/*
 * Fields of a descriptor of a task, by kind: those that its kind does not use stay zero.
 * `split` and `pieces` are looked at where launches are.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_ACCESS_TASK_FIELDS_H
#define PLAIT_SRC_FLOW_ACCESS_TASK_FIELDS_H

#include "plait/flow.h"

#include <stdbool.h>

#define PLAIT__TASK_FIELD_WORD(pointer) ((uint64_t)(uintptr_t)(pointer))

/* The fields that calls do not use, or'ed. */
static inline uint64_t plait__task_fields_beside_call(const plait_task_desc *desc)
{
	return PLAIT__TASK_FIELD_WORD(desc->kernel) |
	       PLAIT__TASK_FIELD_WORD(desc->launch) |
	       PLAIT__TASK_FIELD_WORD(desc->arguments) | desc->argument_count |
	       PLAIT__TASK_FIELD_WORD(desc->target) |
	       PLAIT__TASK_FIELD_WORD(desc->target_box) |
	       PLAIT__TASK_FIELD_WORD(desc->source) |
	       PLAIT__TASK_FIELD_WORD(desc->source_box) |
	       PLAIT__TASK_FIELD_WORD(desc->host) | desc->pattern |
	       PLAIT__TASK_FIELD_WORD(desc->signal) | desc->sequence |
	       PLAIT__TASK_FIELD_WORD(desc->plan) |
	       PLAIT__TASK_FIELD_WORD(desc->run);
}

/* Returns true unless a field is set that the kind does not use.  Inlined into each
 * submission. */
static inline bool plait__task_fields_fit(const plait_task_desc *desc)
{
	const uint64_t launch = PLAIT__TASK_FIELD_WORD(desc->kernel) |
				PLAIT__TASK_FIELD_WORD(desc->launch) |
				PLAIT__TASK_FIELD_WORD(desc->arguments) |
				desc->argument_count;
	const uint64_t call = PLAIT__TASK_FIELD_WORD(desc->function) |
			      PLAIT__TASK_FIELD_WORD(desc->user_data) |
			      PLAIT__TASK_FIELD_WORD(desc->inbox);
	const uint64_t target = PLAIT__TASK_FIELD_WORD(desc->target) |
				PLAIT__TASK_FIELD_WORD(desc->target_box);
	const uint64_t source = PLAIT__TASK_FIELD_WORD(desc->source) |
				PLAIT__TASK_FIELD_WORD(desc->source_box);
	const uint64_t host = PLAIT__TASK_FIELD_WORD(desc->host);
	const uint64_t signal = PLAIT__TASK_FIELD_WORD(desc->signal);
	const uint64_t plan = PLAIT__TASK_FIELD_WORD(desc->plan) |
			      PLAIT__TASK_FIELD_WORD(desc->run);
	const uint64_t pattern = desc->pattern, sequence = desc->sequence;
	const uint64_t late = signal | sequence | plan;

	switch (desc->kind) {
	case PLAIT_TASK_LAUNCH:
		return (call | target | source | host | pattern | late) == 0;
	case PLAIT_TASK_CALL:
		return plait__task_fields_beside_call(desc) == 0;
	case PLAIT_TASK_COPY:
		return (launch | call | host | pattern | late) == 0;
	case PLAIT_TASK_FILL:
		return (launch | call | source | host | late) == 0;
	case PLAIT_TASK_READ:
		return (launch | call | target | pattern | late) == 0;
	case PLAIT_TASK_WRITE:
		return (launch | call | source | pattern | late) == 0;
	case PLAIT_TASK_PLAN:
		return (launch | call | target | source | host | pattern |
			signal | sequence) == 0;
	case PLAIT_TASK_EMIT:
		return (launch | call | target | source | host | pattern |
			sequence | plan) == 0;
	case PLAIT_TASK_WAIT:
		return (launch | call | target | source | host | pattern |
			plan) == 0;
	default:
		return true;
	}
}

/* Of a descriptor that does not fit: PLAIT_E_INVALID, and the first such field. */
plait_status plait__task_fields_refuse(const plait_task_desc *desc,
				       plait_error *error);

#endif
