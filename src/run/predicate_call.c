/* SPDX-License-Identifier: MIT */
/* Predicates that are functions; see predicate_call.h. */
#include "run/predicate_call.h"

#include "run/program.h"

#include "run/args/payload_util.h"

#include "base/error.h"

bool plait__predicate_word(plait__instance *instance, uint32_t command,
			   int32_t result, uint32_t *out_word)
{
	plait_error why = { .size = sizeof(why) };

	*out_word = result >= 0 ? (uint32_t)result : 0;
	if (result >= 0)
		return true;
	plait__fail_origin(&why, PLAIT_E_FAILED, result,
			   "failed with %d, as its predicate", (int)result);
	plait__instance_fail(instance, command, &why);
	return false;
}

bool plait__predicate_call(plait__instance *instance, uint32_t region,
			   uint32_t *out_word)
{
	const plait__plan *plan = instance->program->plan;
	const plait__plan_region *at = &plan->regions[region];
	void *user_data = plait__payload_user_data(
		&instance->frame, &plan->payloads[at->predicate]);

	return plait__predicate_word(
		instance, at->command,
		plait__program_predicate(instance->program, region)
			->function(user_data),
		out_word);
}
