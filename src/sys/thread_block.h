/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a thread: memory that a thread takes for the duration of a call and
 * reuses for the next one, so that calls of a size that was taken before
 * allocate nothing.  Blocks that are taken at one time are separate.  The end
 * of the thread frees them.
 */
#ifndef PLAIT_SRC_SYS_THREAD_BLOCK_H
#define PLAIT_SRC_SYS_THREAD_BLOCK_H

#include <stdint.h>

/* Alignment of a block. */
enum { PLAIT__THREAD_BLOCK_ALIGNMENT = 64 };

/* Take `bytes` bytes with undefined contents; null without memory. */
void *plait__thread_block_take(uint64_t bytes);

/* Give a block back, on the thread that took it. */
void plait__thread_block_give(void *block);

#endif
