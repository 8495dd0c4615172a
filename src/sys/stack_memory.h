/* SPDX-License-Identifier: MIT */
/*
 * Memory for stacks: address space whose pages are committed when touched, and
 * guard pages in it.
 *
 * A guard page is a mark in the page table where the kernel has those (Linux
 * 6.13), so that any number of stacks lies in one mapping.  On an older kernel
 * it is a mapping of its own and splits that of the stacks: each stack takes two
 * of the mappings that the kernel allows a process (vm.max_map_count).
 */
#ifndef PLAIT_SRC_SYS_STACK_MEMORY_H
#define PLAIT_SRC_SYS_STACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

size_t plait__stack_memory_page_bytes(void);

/* Map `bytes` (whole pages) of zeroes; returns null if the kernel refuses. */
void *plait__stack_memory_map(size_t bytes);
void plait__stack_memory_unmap(void *low, size_t bytes);

/* Make the page a guard page, for as long as it is mapped: any access to it is a
 * fault.  Returns false if the kernel refuses one more. */
bool plait__stack_memory_guard(void *page);

/* Returns true if a guard page takes no mapping; `page` is mapped, and may be a
 * guard page afterwards. */
bool plait__stack_memory_guards_by_mark(void *page);

/* Give the pages back to the kernel; they are zeroes when touched again. */
void plait__stack_memory_discard(void *low, size_t bytes);

#endif
