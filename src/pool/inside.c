/* SPDX-License-Identifier: MIT */
/* Which threads are inside a lane, and what that does to them. */
#include "pool/state.h"

/* The pool whose lane the calling thread is in. */
static __thread plait__pool *inside_of;

void plait__inside_enter(struct plait__inside *inside, plait__pool *pool)
{
	inside->outer = inside_of;
	inside_of = pool;
	plait__fpstate_query(&inside->fpstate);
	plait__fpstate_clean();
}

void plait__inside_leave(const struct plait__inside *inside)
{
	plait__fpstate_set(&inside->fpstate);
	inside_of = inside->outer;
}

bool plait__pool_in_call(void)
{
	return inside_of != NULL;
}

bool plait__pool_is_worker(const plait__pool *pool)
{
	return pool != NULL && inside_of == pool;
}
