/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a run: the command, signal or inbox owner that an
 * unfinished run is blocked on, as far as the engine knows without a recording;
 * and the wait for it inside the driver of a backend. */
#ifndef PLAIT_SRC_RUN_BLOCKED_ON_H
#define PLAIT_SRC_RUN_BLOCKED_ON_H

#include "run/program.h"

#include "object/queue/owner_call.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"
#include "object/wait/wait_loop.h"

/* All fields are zero, `command` and `lane` PLAIT__NONE, where the engine knows
 * nothing. */
struct plait__blocked_on {
	uint32_t command;	/* the current one, that a lane executes or
				 * decides, or the last one submitted; or
				 * none */
	plait__object *awaited;	/* held, or null: what a WAIT command or a
				 * coroutine awaits */
	uint64_t number;	/* of `awaited`, and the name of that event
				 * (plait__await_class) */
	void (*name)(const plait__object *object, uint64_t number, char *out,
		     uint32_t bytes);
	plait__call *call;	/* held, or null: a call that an inbox owner
				 * has yet to run */
	plait__queue *queue;	/* held: the queue of `call`; null without */
	uint32_t lane;		/* the lane whose queue is not drained; or
				 * none */
	uint64_t reached;	/* points of `lane` that are complete */
	uint64_t submitted;
	uint32_t lanes_left;	/* lanes of the host that are not done */
};

/* Write "run "x" is not over: ..." into `out`.  The caller has the instance,
 * or passes the run that has or had it as `run`. */
void plait__blocked_on_describe(plait__instance *instance, plait__run *run,
				const char *name, char *out, uint32_t bytes);

/* Write ": node 7 "x" waits for ..." into `out`, or "".  The caller keeps the
 * run from its end, and may hold the lock of a queue. */
void plait__blocked_on_describe_work(plait__instance *instance, char *out,
				     uint32_t bytes);

/* Use the points that the run awaits (object/wait/wait_in_driver.h): wait in a
 * driver for one, or poll them.  PLAIT_PENDING if there are none now.  The engine
 * has find_points; `run` as above. */
plait_status plait__blocked_on_enter_driver(plait__instance *instance,
					    plait__run *run,
					    plait__awaited_use *use);

#endif
