/* SPDX-License-Identifier: MIT */
/* End of a context that a caller of plait_context_close waits for. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H

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

/* The context's memory is gone: wake the callers that wait for that, and drop
 * the context's reference.  Null: no caller waits. */
void plait__context_close_notify(plait__context_end *end);

#endif
