/* SPDX-License-Identifier: MIT */
/*
 * Commands that need somebody else: emissions, waits for signals, functions
 * that the owner of an inbox runs, predicates among them.  None of them keeps a
 * thread: who comes to one is parked until it is told.
 *
 *     WAIT    the signal itself tells; of an emission that nobody has
 *             submitted yet, who submits one does (object/signal/signal.h)
 *     EMIT    a command of a queue of the lane's own, and so is
 *     CALL    this: they mean what they mean on any queue
 *     REGION  a call whose answer is the word
 *
 * Both engines have such lanes.  What a lane is, and how it goes on when it is
 * told, its engine says.  What is told is a ticket (completion.h).
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_EXTERNAL_COMMAND_H
#define PLAIT_SRC_RUN_EXTERNAL_EXTERNAL_COMMAND_H

#include "run/program.h"

#include "object/queue/internal_commands.h"
#include "object/signal/signal.h"

typedef struct plait__completion plait__completion;
typedef struct plait__external plait__external;

/* What a lane has for such commands; touched by who runs the lane. */
struct plait__external {
	/* The engine's to fill. */
	plait__instance *instance;
	struct plait__mutex *lock; /* guards `ticket` and `call` */
	const uint64_t *newest;	/* emissions when the run began, by signal */
	plait__external *sibling; /* another lane's; or null */
	uint32_t device;	/* index within the plan */
	/* Parked, or not after all: under the ticket's lock, or by who has
	 * it; null: nothing to do.  Somebody is to go on with it: from any
	 * thread, in upcalls too. */
	void (*rest)(plait__external *external);
	void (*back)(plait__external *external);
	void (*offer)(plait__external *external);

	uint32_t word;		/* what a predicate said */
	uint32_t command;	/* at hand */
	bool started;		/* the command at hand, at `point` */
	bool subscribed;		/* the ticket is to be told of something: it,
				 * or what the lane did before */
	bool awaits_submit;		/* which is that there is an emission */
	plait__queue *queue;	/* its own, idle between commands; or null */
	plait__signal *awaited_signal;	/* whose emission is waited for, or null */
	plait__backend_port *port;
	plait_backend_point point;
	plait__object *needs;	/* has the point */
	plait__external *next;	/* of those that go on, when it is stopped */
	/* Under the lock, as who stops the run looks for them. */
	plait__completion *completion;
	plait__call *call;	/* held while it is with its owner */
};

/* Is it such a command? */
bool plait__external_matches(const plait__program *program, uint32_t command);

/* Filled by its engine.  `submits`: not only waits. */
plait_status plait__external_make(plait__external *external, bool submits,
				  plait_error *error);
void plait__external_free(plait__external *external);

/* A run starts: which emissions are the newest. */
void plait__external_begin_run(const plait__program *program, uint64_t *newest);

/* Do the command, or go on with it.  False: parked, and no longer the
 * caller's. */
bool plait__external_step(plait__external *external, uint32_t command);

/* The first of it and its siblings that is parked: what it waits for. */
void plait__external_describe_blocked(plait__external *first, plait__blocked_on *out);

/* cancel_external.c.  The run was stopped: it and its siblings go on, if they wait for
 * somebody else. */
void plait__cancel_external(plait__external *first);

#endif
