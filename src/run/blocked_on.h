/* SPDX-License-Identifier: MIT */
/*
 * What a run that is not over waits for, as far as that is known without a trace
 * of what it does: for the text of a wait that took too long.
 */
#ifndef PLAIT_SRC_RUN_BLOCKED_ON_H
#define PLAIT_SRC_RUN_BLOCKED_ON_H

#include "run/program.h"

#include "object/queue/owner_call.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"

/* Zeroed but for `command` and `lane`, none, where nothing is known. */
struct plait__blocked_on {
	uint32_t command;	/* it is at this one, or has it last; or none */
	plait__signal *signal;	/* held, or null: of a command that waits */
	uint64_t sequence;	/* for this */
	plait__call *call;	/* held, or null: with the owner of an inbox */
	plait__queue *queue;	/* held: the call's */
	uint32_t lane;		/* whose queue is not through; or none */
	uint64_t reached;	/* of what it has emitted */
	uint64_t submitted;
	uint32_t lanes_left;	/* not done, of the host */
};

/* "run "x" is not over: ...".  The caller has the instance, or says whose run
 * it has to be, or has been: `run`. */
void plait__blocked_on_describe(plait__instance *instance, plait__run *run,
				const char *name, char *out, uint32_t bytes);

#endif
