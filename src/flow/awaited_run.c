/* SPDX-License-Identifier: MIT */
/* Runs that the waiting thread calls; see awaited_run.h. */
#include "flow/awaited_run.h"

#include "flow/lanes/flow_worker.h"

#include "object/wait/suspension.h"
#include "pool/callback_scope.h"

/* Runs in a row that were awaited at once, before one is reserved. */
enum { PROBATION = 4 };

bool plait__awaited_run_expect(plait__flow *flow, plait__repetition *again)
{
	/* The run before this one was not awaited at once. */
	if (flow->newest_run != 0)
		flow->newest_again->awaited = 0;
	flow->newest_run = 0;
	return again->awaited >= PROBATION && flow->devices == NULL &&
	       flow->lanes.span == NULL;
}

/* Returns true if the thread executes no function of a run, an inbox or a
 * callback. */
static bool is_outside(void)
{
	return !plait__callback_scope_is_active() &&
	       plait__callback_scope_run.event == NULL &&
	       plait__suspension_current() == NULL;
}

uint64_t plait__awaited_run_take(plait__flow *flow, uint64_t number, bool all)
{
	const uint64_t run = flow->newest_run;
	plait__repetition *again = flow->newest_again;

	if (run == 0)
		return 0;
	flow->newest_run = 0;
	if (flow->newest_run_end != flow->window.newest || (!all && run != number) ||
	    flow->devices != NULL || flow->lanes.span != NULL ||
	    !is_outside()) {
		again->awaited = 0;
		return 0;
	}
	if (again->awaited < PROBATION)
		again->awaited++;
	return run;
}

void plait__awaited_run_call(plait__flow *flow, uint64_t number)
{
	(void)plait__flow_worker_call_here(&flow->lanes, number);
}
