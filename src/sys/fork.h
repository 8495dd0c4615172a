/* SPDX-License-Identifier: MIT */
/*
 * Has this process forked since the library was first used?  The mark is a
 * page that the kernel wipes in the child, so no fork handler is needed and
 * a raw clone is noticed too.  Asked at every public entry: two loads.
 */
#ifndef PLAIT_SRC_SYS_FORK_H
#define PLAIT_SRC_SYS_FORK_H

#include <stdint.h>

#include "sys/atomic.h"

struct plait__fork_state {
	at_ptr mark; /* the page's first word; null before init */
	at_u32 pid;  /* of who called init */
};

extern struct plait__fork_state plait__fork_state;

/* Place the mark; any number of times, any thread.  0 or a negative errno. */
int plait__fork_init(void);

/* Without a mark (kernels before 4.14): compare process ids instead. */
int32_t plait__fork_check_pid(void);

/*
 * 0: the process that called plait__fork_init(), or nobody has.  Else we are
 * in a child of that process, whose id is returned, to be named in the error.
 */
#ifdef PLAIT_EXPLORE
static inline int32_t plait__fork_check(void)
{
	return 0; /* there is one process */
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
