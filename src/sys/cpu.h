/* SPDX-License-Identifier: MIT */
/*
 * How many CPUs this process may keep busy: what its affinity mask allows,
 * less where a control group (version 1 or 2) limits its share of time.
 * Where they are, caches and all, is a matter for plugins.
 */
#ifndef PLAIT_SRC_SYS_CPU_H
#define PLAIT_SRC_SYS_CPU_H

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

#endif
