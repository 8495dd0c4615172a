/* SPDX-License-Identifier: MIT */
/* Wake-ups of a context's waiters and of its reclaim thread. */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_NOTIFY_H
#define PLAIT_SRC_OBJECT_CONTEXT_CONTEXT_NOTIFY_H

typedef struct plait__context plait__context;

/* Wake all waiters: something they may wait for has changed. Also in
 * notification callbacks. */
void plait__context_notify_waiters(plait__context *context);
/* Wake the reclaim thread, if it runs. */
void plait__context_notify_reclaimer(plait__context *context);

#endif
