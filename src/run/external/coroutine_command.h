/* SPDX-License-Identifier: MIT */
/*
 * Host functions that are coroutines, as external commands: the lane begins or
 * resumes the function, and is parked while the function awaits something.
 */
#ifndef PLAIT_SRC_RUN_EXTERNAL_COROUTINE_COMMAND_H
#define PLAIT_SRC_RUN_EXTERNAL_COROUTINE_COMMAND_H

#include "run/external/external_command.h"

#include "coroutine/coroutine.h"

/* The coroutine of a lane, kept for its next one. */
struct plait__coroutine_command {
	const plait__suspender *suspender; /* first */
	plait__coroutine coroutine;
	plait__external *external;
	plait__await *await;	/* null while the function runs */
	bool begun;
	bool entered;		/* a thread is in the function */
	uint64_t suspended_ns;	/* since when, in a run that is recorded; else
				 * 0 */
};

/* The function of a coroutine. */
struct plait__coroutine_entry {
	int32_t (*function)(void *user_data);
	void *user_data;
};

/* Returns true for the call of such a function, and for the launch of such a
 * kernel. */
bool plait__coroutine_command_matches(const plait__program *program,
				      uint32_t command);

/* Likewise: true if it continues only on the worker that began it. */
bool plait__coroutine_command_is_bound(const plait__program *program,
				       uint32_t command);

/* Returns true if the current command of the lane is suspended. */
bool plait__coroutine_command_is_begun(const plait__external *external);

/* In a coroutine: fail its command with a text of its own.  The function then
 * returns. */
void plait__coroutine_command_fail(const plait_error *why);

/* Begin, resume or end the function, in the callback scope of the calling
 * thread.  A failure is reported with plait__instance_fail.  Returns false if
 * the lane is parked, and no longer the caller's. */
bool plait__coroutine_command_step(plait__external *external,
				   uint32_t command,
				   const struct plait__coroutine_entry *entry);

/* Free the record of a lane without a coroutine in progress. */
void plait__coroutine_command_free(plait__external *external);

#endif
