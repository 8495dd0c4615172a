/* SPDX-License-Identifier: MIT */
/* Callback scope: the thread-local mark of a thread that runs a lane or a task:
 * the pool. */
#include "pool/pool_internal.h"

PLAIT__THREAD_LOCAL plait__pool *plait__callback_scope_pool;

bool plait__callback_scope_is_active(void)
{
	return plait__callback_scope_pool != NULL;
}

bool plait__callback_scope_is_in_pool(const plait__pool *pool)
{
	return pool != NULL && plait__callback_scope_pool == pool;
}
