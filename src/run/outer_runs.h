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
#include "object/inbox/inbox.h"
#include "object/queue/outer_calls.h"

/* A question about each outer run. */
struct plait__outer_runs_question {
	bool (*match)(const plait__instance *outer, const void *arg);
	const void *arg;
};

static inline bool
plait__outer_runs_match_chain(const struct plait__outer_runs_question *question,
			      const plait__instance *outer)
{
	while (outer != NULL && !question->match(outer, question->arg))
		outer = outer->outer;
	return outer != NULL;
}

/* Of a call that is not answered: its run goes on behind it. */
static inline bool plait__outer_runs_match_call(plait__inbox_event *call,
						const void *question)
{
	return plait__outer_runs_match_chain(question, call->run);
}

/* Returns true if `match` is true of any outer run. */
static inline bool
plait__outer_runs_any(bool (*match)(const plait__instance *outer,
				    const void *arg), const void *arg)
{
	const struct plait__outer_runs_question question = { match, arg };
	const struct plait__callback_run *at = &plait__callback_scope_run;

	for (; at != NULL; at = at->around)
		if (at->event != NULL ?
			    plait__inbox_is_open_call(
				    at->event, plait__outer_runs_match_call,
				    &question) :
			    plait__outer_runs_match_chain(&question,
							  at->instance))
			return true;
	return false;
}

static inline bool plait__outer_runs_match_any(plait__inbox_event *call,
					       const void *arg)
{
	(void)call;
	(void)arg;
	return true;
}

/* The run that waits for the function that makes the call; or null: the close of
 * its inbox may have ended the run. */
static inline plait__instance *plait__outer_runs_caller(void)
{
	plait__inbox_event *event = plait__callback_scope_run.event;

	return event == NULL ||
			       plait__inbox_is_open_call(
				       event, plait__outer_runs_match_any,
				       NULL) ?
		       plait__run_instance_current() : NULL;
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

/* Returns true if the run, which is not over, needs an outer run or a command in
 * front of it in its queue to end. */
static inline bool plait__outer_runs_block(const plait__instance *instance)
{
	return plait__outer_runs_any(plait__outer_runs_match_blocker,
				     instance) ||
	       (instance->section != NULL &&
		plait__outer_calls_block(instance->section->queue));
}

/* Returns the failure of a wait for a run that outer runs block. */
static inline plait_status plait__outer_runs_fail(plait_error *error)
{
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a run or command that "
			   "has to end first: that run itself, one before it "
			   "in its queue, or one that accesses the same "
			   "memory, see PLAIT_RUN_OVERLAP");
}

#endif
