/* SPDX-License-Identifier: MIT */
/* End of a context that a caller of plait_context_close waits for. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H

#include "plait/plait.h"

#include <stdbool.h>

/* Outlives its context. */
typedef struct plait__context_end plait__context_end;

typedef struct plait__context plait__context;

/* Run `run(context)`, which ends the context, on the thread plait/end: callers
 * that wait for the end join it. Returns false if no thread starts. */
bool plait__context_close_start(plait__context *context,
				void (*run)(void *context));

/* Wake the callers that wait for the end if there will be none: work is
 * abandoned, and the user has no handle.  Caller has a hold of the context. */
void plait__context_close_recheck(plait__context *context);

/* Work of the context has failed behind the last call that could return it: callers
 * that wait for the end get the first such failure.  Caller has a hold of the
 * context. */
void plait__context_close_tell(plait__context *context,
			       const plait_error *why);

/* The end of the context waits for what a text says, in the words of `of`, for the
 * error of a timed close; null: no longer.  Caller has a hold of the context. */
void plait__context_close_wait_for(plait__context *context, const void *of,
				   const char *text);

/* The context's memory is gone: wake the callers that wait for that, and drop
 * the context's reference.  `untold` may be PLAIT_OK.  Null: no caller waits. */
void plait__context_close_notify(plait__context_end *end,
				 const plait_error *untold);

#endif
