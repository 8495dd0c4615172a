/* SPDX-License-Identifier: MIT */
/* Wake-ups of a context's waiters and of its reclaim thread. */
#include "object/context/context_notify.h"

#include "object/context/context.h"

void plait__context_notify_reclaimer(plait__context *context)
{
	at_add_u32(&context->reclaimer.wake_count, 1);
	/* Costs a fence while the thread sleeps. */
	plait__eventcount_notify(&context->reclaimer.event);
}

void plait__context_notify_waiters(plait__context *context)
{
	plait__eventcount_notify(&context->wait_event);
	if (at_load_acquire_u64(&context->base.lingering) != 0)
		plait__context_notify_reclaimer(context);
}
