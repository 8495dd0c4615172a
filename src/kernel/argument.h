/* SPDX-License-Identifier: MIT */
/* Does an argument fit its parameter?  What can be said without knowing
 * memory; pure.  Launches, graphs and runs ask the same. */
#ifndef PLAIT_SRC_KERNEL_ARGUMENT_H
#define PLAIT_SRC_KERNEL_ARGUMENT_H

#include "kernel/signature.h"

/* What is wrong with `bytes` bytes at `value`; null: nothing. */
const char *plait__argument_check_value(const plait__parameter *parameter,
					const void *value, uint64_t bytes);

/* What is wrong with memory `offset` bytes from something aligned, or at
 * that address; null: nothing. */
const char *plait__argument_check_memory(const plait__parameter *parameter,
					 uint64_t offset);

/* "pointer f32", "u64"; for messages. */
enum { PLAIT__ARGUMENT_TYPE_ROOM = 24 };
const char *plait__argument_type(const plait__parameter *parameter,
				 char room[PLAIT__ARGUMENT_TYPE_ROOM]);

#endif
