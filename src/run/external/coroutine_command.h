/* SPDX-License-Identifier: MIT */
/*
 * Host functions that are coroutines, as external commands: the lane begins or
 * resumes the function, and is parked while the function awaits something.
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_COROUTINE_COMMAND_H
#define PLAIT_SRC_RUN_EXTERNAL_COROUTINE_COMMAND_H

#include "run/external/external_command.h"

#include "coroutine/coroutine.h"

/* Await of a suspended function; lies on its stack. */
typedef struct plait__await {
	plait__signal *signal;	/* held by the function; or null */
	uint64_t sequence;
	plait__run *run;	/* held likewise; or null.  Neither: a yield */
	uint64_t deadline_ns;	/* PLAIT__CLOCK_NEVER: none */
	bool yielded;
	plait_status status;	/* set by the lane before the function goes on;
				 * not PLAIT_PENDING */
	plait_error *error;	/* the function's, which the lane fills; or
				 * null */
} plait__await;

/* The coroutine of a lane, kept for its next one. */
struct plait__coroutine_command {
	plait__coroutine coroutine;
	plait__external *external;
	plait__await *await;	/* null while the function runs */
	bool begun;
	bool entered;		/* a thread is in the function */
	uint64_t suspended_ns;	/* since when, in a run that is recorded; else
				 * 0 */
};

/* Begin, resume or end the function, in the callback scope of the calling
 * thread.  A failure is reported with plait__instance_fail.  Returns false if
 * the lane is parked, and no longer the caller's. */
bool plait__coroutine_command_step(plait__external *external,
				   uint32_t command);

/* Free the record of a lane without a coroutine in progress. */
void plait__coroutine_command_free(plait__external *external);

/* Suspend the function of the calling coroutine until the await is decided;
 * returns its status.  Another thread may continue the function.  PLAIT_E_STATE:
 * the caller is not directly in one; `await` may be null then. */
plait_status plait__coroutine_command_await(plait__await *await,
					    plait_error *error);

/* The coroutine that the calling thread is directly in, or null. */
struct plait__coroutine_command *plait__coroutine_command_current(void);

#endif
