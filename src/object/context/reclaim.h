/* SPDX-License-Identifier: MIT */
/* Looking what the queues of a context do not use any more: for reclaim_thread.c. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_H
#define PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_H

#include "object/context/context.h"

/*
 * One look at every queue with something pending.  With `watch` each that is
 * not done is to tell when it got on; false if some will not.  With `must` what has happened is
 * given back when it returns, though another thread be at it already.
 */
bool plait__reclaim_queues(plait__context *context, bool watch, bool must);

/* Is the caller inside of one? */
bool plait__reclaim_is_current(plait__context *context);

/* Does any backend get on without somebody who waits? */
bool plait__reclaim_has_autonomous_backend(const plait__context *context);

#endif
