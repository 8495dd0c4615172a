/* SPDX-License-Identifier: MIT */
/* The thread of a context that reclaims and runs tasks. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_THREAD_H
#define PLAIT_SRC_OBJECT_CONTEXT_RECLAIM_THREAD_H

#include "object/context/context.h"

/* For plait__context_ops. */
void plait__reclaim_thread_last_handle_closed(plait__context *context);
void plait__reclaim_thread_object_lingers(plait__context *context);

/* Run a task on the thread; not in notification callbacks. */
void plait__reclaim_thread_submit(plait__context *context,
				  plait__context_task *task);
/* Wake the thread, after starting it if necessary; not in notification
 * callbacks. */
void plait__reclaim_thread_wake(plait__context *context);

/* Returns true on the reclaim thread. */
bool plait__reclaim_thread_is_current(plait__context *context);
void plait__reclaim_thread_stop(plait__context *context);

#endif
