/* SPDX-License-Identifier: MIT */
/*
 * Outer runs of a call: those whose functions the calling thread executes, in
 * nested calls of plans and nested waits.  None of them goes on before the call
 * returns, so a call that needs one of them to end would wait for itself.
 */
#ifndef PLAIT_SRC_RUN_OUTER_RUNS_H
#define PLAIT_SRC_RUN_OUTER_RUNS_H

#include "run/program.h"
#include "run/run_instance.h"

#include "base/error.h"

/* Returns true if `match` is true of any outer run. */
static inline bool
plait__outer_runs_any(bool (*match)(const plait__instance *outer,
				    const void *arg), const void *arg)
{
	const struct plait__callback_run *around = &plait__callback_scope_run;
	const plait__instance *outer;

	for (; around != NULL; around = around->around)
		for (outer = around->instance; outer != NULL;
		     outer = outer->outer)
			if (match(outer, arg))
				return true;
	return false;
}

static inline bool plait__outer_runs_match_run(const plait__instance *outer,
					       const void *instance)
{
	return outer == instance;
}

static inline bool plait__outer_runs_match_program(const plait__instance *outer,
						   const void *program)
{
	return outer->program == program;
}

/* Returns true if the run `arg`, which is not over, needs the outer run to end:
 * it is that run, is behind it in a queue, or conflicts with it.  Outer runs
 * execute, so a conflicting run does not, unless one of the two may overlap. */
static inline bool plait__outer_runs_match_blocker(const plait__instance *outer,
						   const void *arg)
{
	const plait__instance *instance = arg;

	if (outer == instance ||
	    (outer->section != NULL && instance->section != NULL &&
	     outer->section->queue == instance->section->queue))
		return true;
	return outer->program == instance->program &&
	       outer->program->conflicts.kind == PLAIT__CONFLICTS_ALWAYS &&
	       ((outer->flags | instance->flags) & PLAIT_RUN_OVERLAP) == 0;
}

/* Returns true if the program has an outer run. */
static inline bool plait__outer_runs_has(const plait__program *program)
{
	return plait__outer_runs_any(plait__outer_runs_match_program, program);
}

/* Returns true if each instance of the program has an outer run. */
static inline bool plait__outer_runs_has_all(const plait__program *program)
{
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (!plait__outer_runs_any(plait__outer_runs_match_run,
					   &program->instances[i]))
			return false;
	return true;
}

/* Returns true if the run, which is not over, needs an outer run to end. */
static inline bool plait__outer_runs_block(const plait__instance *instance)
{
	return plait__outer_runs_any(plait__outer_runs_match_blocker, instance);
}

/* Returns the failure of a wait for a run that outer runs block. */
static inline plait_status plait__outer_runs_fail(plait_error *error)
{
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a run that has to end "
			   "first: that run itself, one before it in its "
			   "queue, or one that accesses the same memory, see "
			   "PLAIT_RUN_OVERLAP");
}

#endif
