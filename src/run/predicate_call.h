/* SPDX-License-Identifier: MIT */
/* Predicates that are functions: the call, and the word of its result. */
#ifndef PLAIT_SRC_RUN_PREDICATE_CALL_H
#define PLAIT_SRC_RUN_PREDICATE_CALL_H

#include "run/run_instance.h"

/* Call the function that decides the region, and store its word; false: as
 * below.  The thread is in a callback scope. */
bool plait__predicate_call(plait__instance *instance, uint32_t region,
			   uint32_t *out_word);

/* Store the word of a result, or of an owner's answer.  Returns false if the
 * result is below 0: the run has failed, and the word is 0. */
bool plait__predicate_word(plait__instance *instance, uint32_t command,
			   int32_t result, uint32_t *out_word);

#endif
