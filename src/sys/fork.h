/* SPDX-License-Identifier: MIT */
/*
 * Detection of a fork since the library was first used: a page that the kernel
 * wipes in the child, so no fork handler is needed and a raw clone is noticed
 * too. Every public entry point checks it with two loads.
 */
#ifndef PLAIT_SRC_SYS_FORK_H
#define PLAIT_SRC_SYS_FORK_H

#include <stdint.h>

#include "sys/atomic.h"

struct plait__fork_state {
	at_ptr mark; /* the page's first word; null before init */
	at_u32 pid;  /* of the process that called init */
};

extern struct plait__fork_state plait__fork_state;

/* Place the mark; from any thread, any number of times. Returns 0 or a
 * negative errno. */
int plait__fork_init(void);

/* Compare process ids: for kernels before 4.14, which have no mark. */
int32_t plait__fork_check_pid(void);

/* Returns 0 in the process that called plait__fork_init(), or before any
 * call. In a child of that process, returns its id for the error text. */
#ifdef PLAIT_EXPLORE
static inline int32_t plait__fork_check(void)
{
	return 0; /* one process */
}
#else
static inline int32_t plait__fork_check(void)
{
	/* Acquire: pairs with the publication of the page in init. */
	const at_u32 *mark = at_load_acquire_ptr(&plait__fork_state.mark);

	if (mark == 0)
		return plait__fork_check_pid();
	if (at_load_relaxed_u32(mark) != 0)
		return 0;
	return (int32_t)at_load_relaxed_u32(&plait__fork_state.pid);
}
#endif

#endif
