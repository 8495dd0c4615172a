/* SPDX-License-Identifier: MIT */
/*
 * The number of CPUs that this process may keep busy (affinity mask, reduced by
 * cgroup quotas of version 1 or 2), and the CPU of the calling thread. The
 * topology of CPUs and caches is left to plugins.
 */
#ifndef PLAIT_SRC_SYS_CPU_H
#define PLAIT_SRC_SYS_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns at least 1. A quota of 1.5 CPUs counts as 2. */
uint32_t plait__cpu_count(void);

/* Returns the number of CPUs in the affinity mask. */
uint32_t plait__cpu_count_affinity(void);

/* Returns the number of CPUs of the machine that are online. */
uint32_t plait__cpu_count_online(void);

/* Returns a number of the affinity mask: equal masks have equal ones. 0: unknown. */
uint64_t plait__cpu_set_number(void);

/* Returns the cgroup quota of this process, rounded up, or 0 for none.
 * `root` is "", or in tests a folder with a file tree. */
uint32_t plait__cpu_count_quota(const char *root);

/*
 * Describe the CPU for a cache of compiled code: the lines of the first CPU in
 * /proc/cpuinfo that name its model and features, and none that change at run
 * time. Empty if the file cannot be read. `root` as above.
 */
void plait__cpu_kind(const char *root, char *out, size_t out_bytes);

/* Returns the CPU of the calling thread; negative if unknown. */
static inline int plait__cpu_here(void)
{
	return sched_getcpu();
}

/*
 * Migrate the calling thread away from a CPU, if its affinity mask has another
 * one. The mask stays the same. Returns true if the thread was moved.
 */
bool plait__cpu_leave(int cpu);

#endif
