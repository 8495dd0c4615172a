/* SPDX-License-Identifier: MIT */
/* Access to the workers of the open context, behind runs.h, for tests that
 * examine their state. */
#ifndef PLAIT_T_RUNS_POOL_H
#define PLAIT_T_RUNS_POOL_H

#include "object/context/context.h"
#include "pool/pool_internal.h"

static inline plait__pool *pool_of(plait_context *handle)
{
	plait__context *context = NULL;
	plait__pool *pool = NULL;

	if (!OK(plait__context_enter(handle, &context, &rig.error) ==
		PLAIT_OK))
		return NULL;
	pool = context->pool;
	plait__object_leave(&context->object);
	return pool;
}

#endif
