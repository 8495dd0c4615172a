/* SPDX-License-Identifier: MIT */
/* Inboxes of the thread that calls a plan. */
#include "run/api/call_inboxes.h"

#include "base/error.h"
#include "object/inbox/inbox_records.h"

/* Does the plan call a function whose inbox belongs to the calling thread? */
static bool calls_this_thread(const plait__program *program)
{
	const plait__plan *plan = program->plan;

	/* A rehearsal calls nothing. */
	if (program->rehearsal != NULL)
		return false;
	for (uint32_t i = 0; i < plan->functions_count; i++) {
		const plait__store_function *function =
			&program->plan_object->functions[i];

		/* A collective has its record there. */
		if ((plan->functions[i].flags & PLAIT__FUNCTION_COLLECTIVE) == 0 &&
		    function->inbox != NULL &&
		    plait__inbox_is_mine((plait__inbox *)function->inbox))
			return true;
	}
	return false;
}

plait_status plait__call_inboxes_check(const plait__instance *instance,
				       plait_error *error)
{
	if (!calls_this_thread(instance->program))
		return PLAIT_EVENT_READY;
	return plait__fail(error, PLAIT_E_STATE,
			   "an event without a function stands in front of "
			   "what the plan calls on this thread; pull it first");
}
