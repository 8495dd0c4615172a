/* SPDX-License-Identifier: MIT */
/* Which threads are inside a lane, and what that does to them. */
#include "pool/pool_internal.h"

PLAIT__THREAD_LOCAL plait__pool *plait__inside_of;

bool plait__pool_in_call(void)
{
	return plait__inside_of != NULL;
}

bool plait__pool_is_worker(const plait__pool *pool)
{
	return pool != NULL && plait__inside_of == pool;
}
