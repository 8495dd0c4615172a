/* SPDX-License-Identifier: MIT */
/* Stand-ins in the explorer for the system calls of src/sys/thread.c. */
#include "sys/thread.h"

#include "mc_engine.h"

uint64_t plait__thread_token(void)
{
	return mc_self() + 1;
}

int32_t plait__thread_id(void)
{
	return (int32_t)mc_self() + 1;
}

void plait__thread_yield(void)
{
	mc_pause(MC_SITE("plait__thread_yield", MC_PAUSE));
}
