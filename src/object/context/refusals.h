/* SPDX-License-Identifier: MIT */
/*
 * Consecutive refusals of a call that the core cannot do without: the rule by
 * which the core gives up (plait/plugin.h, "Refusal").  Zeroed memory: none.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_REFUSALS_H
#define PLAIT_SRC_OBJECT_CONTEXT_REFUSALS_H

#include "object/context/device.h"

#include "sys/clock.h"

/* Tries are exhausted after both, or after MIN_TRIES where time is
 * simulated. */
enum { PLAIT__REFUSALS_MIN_TRIES = 1000 };
#define PLAIT__REFUSALS_MIN_NS UINT64_C(1000000000)

typedef struct plait__refusals {
	uint32_t tries;
	uint64_t since_ns;	/* the first refusal */
} plait__refusals;

static inline void plait__refusals_reset(plait__refusals *refusals)
{
	refusals->tries = 0;
}

/* Count a refusal by the port's backend.  Returns false if the core gives
 * up. */
static inline bool plait__refusals_may_retry(plait__refusals *refusals,
					     const plait__backend_port *port)
{
	if (refusals->tries == 0)
		refusals->since_ns = plait__clock_now_ns();
	if (refusals->tries < PLAIT__REFUSALS_MIN_TRIES)
		refusals->tries++;
	if (refusals->tries < PLAIT__REFUSALS_MIN_TRIES)
		return true;
	return (port->all & PLAIT_CAP_VIRTUAL_TIME) == 0 &&
	       plait__clock_now_ns() - refusals->since_ns <
		       PLAIT__REFUSALS_MIN_NS;
}

#endif
