/* SPDX-License-Identifier: MIT */
/* Memory for stacks: pages that are committed when touched, above a guard
 * page. */
#ifndef PLAIT_SRC_SYS_STACK_MEMORY_H
#define PLAIT_SRC_SYS_STACK_MEMORY_H

#include <stddef.h>

/* Round up to whole pages. */
size_t plait__stack_memory_round(size_t bytes);

/* Map `bytes` (whole pages) and a guard page below; an access to the guard page
 * is a fault. Returns the lowest usable byte, or null. */
void *plait__stack_memory_map(size_t bytes);
void plait__stack_memory_unmap(void *low, size_t bytes);

#endif
