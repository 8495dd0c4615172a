/* SPDX-License-Identifier: MIT */
/*
 * How many CPUs this process may keep busy: what its affinity mask allows,
 * less where a control group (version 1 or 2) limits its share of time; and
 * on which one a thread is.  Where they are, caches and all, is a matter for
 * plugins.
 */
#ifndef PLAIT_SRC_SYS_CPU_H
#define PLAIT_SRC_SYS_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least 1.  A quota of 1.5 CPUs counts as 2. */
uint32_t plait__cpu_count(void);

/* CPUs in the affinity mask alone. */
uint32_t plait__cpu_count_affinity(void);

/*
 * The quota of the groups that this process is in, rounded up, or 0 for none.
 * `root` is "" except in tests, which lay out files below a folder of theirs.
 */
uint32_t plait__cpu_count_quota(const char *root);

/*
 * What code may be compiled for and nothing that changes while it runs: the
 * lines of the first CPU in /proc/cpuinfo that name its model and its abilities.
 * Empty when that cannot be read.  `root` as above.
 */
void plait__cpu_kind(const char *root, char *out, size_t out_bytes);

/* Where the calling thread is right now; a negative number: not to be had. */
static inline int plait__cpu_here(void)
{
	return sched_getcpu();
}

/*
 * The calling thread goes on on another CPU than this one, if it may use any;
 * where it may be stays as it is.  True: it was moved.
 */
bool plait__cpu_leave(int cpu);

#endif
