/* SPDX-License-Identifier: MIT */
/* End of a context that a caller of plait_context_close waits for. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_CLOSE_H

/* Outlives its context. */
typedef struct plait__context_end plait__context_end;

/* The context's memory is gone: wake the callers that wait for that, and drop
 * the context's reference.  Null: no caller waits. */
void plait__context_close_notify(plait__context_end *end);

#endif
