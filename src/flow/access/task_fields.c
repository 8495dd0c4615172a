/* SPDX-License-Identifier: MIT */
/* Fields of a task that its kind does not use; see task_fields.h. */
#include "flow/access/task_fields.h"

#include "base/error.h"

#define WORD PLAIT__TASK_FIELD_WORD
#define ONLY(kind) (1u << PLAIT_TASK_##kind)

static const char *const kinds[] = { "LAUNCH", "CALL", "COPY", "FILL", "READ",
				     "WRITE", "PLAN", "EMIT", "WAIT" };

plait_status plait__task_fields_refuse(const plait_task_desc *desc,
				       plait_error *error)
{
	const uint32_t into = ONLY(COPY) | ONLY(FILL) | ONLY(WRITE);
	const uint32_t from = ONLY(COPY) | ONLY(READ);
	const struct {
		const char *name;
		uint32_t kinds; /* that use it */
		uint64_t value;
	} fields[] = {
		{ "kernel", ONLY(LAUNCH), WORD(desc->kernel) },
		{ "launch", ONLY(LAUNCH), WORD(desc->launch) },
		{ "arguments", ONLY(LAUNCH), WORD(desc->arguments) },
		{ "argument_count", ONLY(LAUNCH), desc->argument_count },
		{ "function", ONLY(CALL), WORD(desc->function) },
		{ "user_data", ONLY(CALL), WORD(desc->user_data) },
		{ "inbox", ONLY(CALL), WORD(desc->inbox) },
		{ "target", into, WORD(desc->target) },
		{ "source", from, WORD(desc->source) },
		{ "target_box", into, WORD(desc->target_box) },
		{ "source_box", from, WORD(desc->source_box) },
		{ "host", ONLY(READ) | ONLY(WRITE), WORD(desc->host) },
		{ "pattern", ONLY(FILL), desc->pattern },
		{ "signal", ONLY(EMIT) | ONLY(WAIT), WORD(desc->signal) },
		{ "sequence", ONLY(WAIT), desc->sequence },
		{ "plan", ONLY(PLAN), WORD(desc->plan) },
		{ "run", ONLY(PLAN), WORD(desc->run) },
	};
	const uint32_t last = sizeof(fields) / sizeof(fields[0]) - 1;
	uint32_t i = 0;

	while (i < last && (fields[i].value == 0 ||
			    (fields[i].kinds >> desc->kind & 1) != 0))
		i++;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is set, which PLAIT_TASK_%s does not use; leave "
			   "it zero", fields[i].name, kinds[desc->kind]);
}
