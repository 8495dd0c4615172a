/* SPDX-License-Identifier: MIT */
/* Checks of an argument against its parameter that need no knowledge of
 * buffers; pure.  Launches, graphs and runs share them. */
#ifndef PLAIT_SRC_KERNEL_ARGUMENT_H
#define PLAIT_SRC_KERNEL_ARGUMENT_H

#include "kernel/signature.h"

/* Return the error of a value of `bytes` bytes, or null.  `room` is for texts
 * with numbers; null: the text does not matter. */
enum { PLAIT__ARGUMENT_FAULT_ROOM = 96 };
const char *plait__argument_check_value(const plait__parameter *parameter,
					const void *value, uint64_t bytes,
					char room[PLAIT__ARGUMENT_FAULT_ROOM]);

/* Return the error of memory at an address, or `offset` bytes from an aligned
 * one; null if it fits. */
const char *plait__argument_check_memory(const plait__parameter *parameter,
					 uint64_t offset);

/* Return the error of `bytes` bytes of local memory, or null.  `room` as above.
 * The limit of a device is that of all of a launch: local_limit.h. */
const char *plait__argument_check_local(const plait__parameter *parameter,
					uint64_t bytes,
					char room[PLAIT__ARGUMENT_FAULT_ROOM]);

/* Format a parameter's type for a message: "pointer f32", "u64". */
enum { PLAIT__ARGUMENT_TYPE_ROOM = 24 };
const char *plait__argument_type(const plait__parameter *parameter,
				 char room[PLAIT__ARGUMENT_TYPE_ROOM]);

#endif
