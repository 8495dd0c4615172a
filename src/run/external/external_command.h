/* SPDX-License-Identifier: MIT */
/*
 * Commands that complete outside their lane: emissions, waits for signals, and
 * functions that the owner of an inbox runs, predicates included.  None of them
 * blocks a thread: the lane is parked until a completion (completion.h) resumes
 * it.
 *
 *     WAIT    the signal notifies; for an emission that was not submitted yet,
 *             its submission does (object/signal/signal.h)
 *     EMIT    submitted to a queue of the lane's own, with the meaning that
 *     CALL    these commands have on any queue
 *     REGION  a call whose result is the decision
 *
 * Both engines have such lanes.  The engine supplies the functions that park a
 * lane and resume it.
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_EXTERNAL_COMMAND_H
#define PLAIT_SRC_RUN_EXTERNAL_EXTERNAL_COMMAND_H

#include "run/external/signal_await.h"

#include "object/queue/internal_commands.h"

typedef struct plait__completion plait__completion;
typedef struct plait__external plait__external;
struct plait__coroutine_command;

/* External state of a lane; touched by the thread that runs the lane. */
struct plait__external {
	/* Filled by the engine. */
	plait__instance *instance;
	struct plait__mutex *lock; /* guards `completion` and `call` */
	const uint64_t *newest;	/* by signal: emissions at the start of the
				 * run */
	plait__external *sibling; /* of another lane; or null */
	uint32_t device;	/* index within the plan */
	/* rest: mark the lane as parked, under the completion's lock (a yield:
	 * without it).  back: mark it as running, by the claimer.  Null:
	 * nothing to do.  offer: resume it on some thread, called from any
	 * thread and in notifications; never null. */
	void (*rest)(plait__external *external);
	void (*back)(plait__external *external);
	void (*offer)(plait__external *external);

	/* Record that the coroutine of the current command was suspended
	 * from this time until now; by the thread that runs the lane. */
	void (*gap)(plait__external *external, uint64_t start_ns);

	uint32_t word;		/* result of a predicate */
	uint32_t command;	/* the current one */
	bool subscribed;		/* a notification is outstanding, for
					 * this command or for an abandoned
					 * one */
	bool timed;		/* the timer of the completion was armed for
				 * this command */
	plait__queue *queue;	/* the lane's own, idle between commands; or
				 * null */
	plait__await *await;	/* what the current command or its function
				 * awaits; null: the command has yet to
				 * begin, or has ended */
	plait__signal_await own; /* of commands but coroutines */
	struct plait__coroutine_command *coroutine; /* of the lane, or null */
	plait__external *next;	/* link of a list of unparked lanes */
	/* Under the lock, for cancellation. */
	plait__completion *completion;
	plait__call *call;	/* held while an inbox owner has it */
};

/* Returns true for such a command. */
bool plait__external_matches(const plait__program *program, uint32_t command);

/* Make the state that the engine has filled.  `submits`: the lane has commands
 * other than waits. */
plait_status plait__external_make(plait__external *external, bool submits,
				  plait_error *error);
void plait__external_free(plait__external *external);

/* Read the newest emissions at the start of a run. */
void plait__external_begin_run(const plait__program *program, uint64_t *newest);

/* Execute the command, or continue it.  A failure is reported with
 * plait__instance_fail; the result of a predicate is then in `word`.  Returns
 * false if the lane is parked, and no longer the caller's. */
bool plait__external_step(plait__external *external, uint32_t command);

/* Describe the first of these lanes that is parked, unless *out has a command.
 * Takes their lock; *out gets holds, which the caller drops.  Null: no lane. */
void plait__external_describe_blocked(plait__external *first,
				      plait__blocked_on *out);

#endif
