/* SPDX-License-Identifier: MIT */
/*
 * Commands of a lane that need somebody else: emissions, waits for signals,
 * functions that the owner of an inbox runs.  None of them keeps a thread: the
 * lane is parked until it is told.
 *
 *     WAIT   the signal itself tells; of an emission that nobody has
 *            submitted yet, who submits one does (object/signal.h)
 *     EMIT   a command of a queue of the lane's own, and so is
 *     CALL   this: they mean what they mean on any queue
 *
 * A ticket is what is told, once.  It may come late: when a run was stopped its
 * lane leaves the ticket, which then ends by itself.
 */
#ifndef PLAIT_SRC_RUN_OUTSIDE_H
#define PLAIT_SRC_RUN_OUTSIDE_H

#include "run/flat.h"

#include "object/call.h"
#include "object/queue.h"
#include "object/signal.h"

typedef struct plait__ticket plait__ticket;

struct plait__ticket {
	plait__object object;	/* without a handle */
	plait__hope hope;
	plait__object *needs;	/* held while it is to be told */
	struct plait__mutex lock; /* guards the rest; a leaf */
	plait__hand *hand;	/* parked until this is told; or null */
	uint64_t parking;	/* which time that is */
	bool told;
};

/* What a lane has for such commands; touched by who runs the lane. */
struct plait__outside {
	plait__queue *queue;	/* its own, idle between commands; or null */
	plait__signal *hopes;	/* whose emission is waited for, or null */
	bool begun;		/* the command at hand, at `point` */
	bool told_of;		/* the ticket is to be told of it */
	plait__port *port;
	plait_backend_point point;
	plait__object *needs;	/* has the point */
	/* Under the crew's lock, as who stops the run looks for them. */
	plait__ticket *ticket;
	plait__call *call;	/* held while it is with its owner */
};

/* The lane that is parked with it, if it is the parking that is meant; 0 means
 * any.  Who takes it goes on with it, or offers it. */
plait__hand *plait__ticket_take(plait__ticket *ticket, uint64_t parking);

/* For lanes that have such a step. */
plait_status plait__outside_make(plait__hand *hand, plait_error *error);
void plait__outside_free(plait__hand *hand);

/* A run starts: which emissions are the newest. */
void plait__outside_begin(plait__crew *crew);

/* Do the step, or go on with it.  False: parked, and no longer the caller's. */
bool plait__outside_step(plait__hand *hand, const plait__step *step);

/* stop.c.  The run was stopped: lanes that wait for somebody else go on. */
void plait__outside_cancel(plait__crew *crew);

#endif
