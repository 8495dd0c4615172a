/* SPDX-License-Identifier: MIT */
/* Checks of an access to a buffer. */
#ifndef PLAIT_SRC_OBJECT_MEMORY_BUFFER_CHECK_H
#define PLAIT_SRC_OBJECT_MEMORY_BUFFER_CHECK_H

#include "object/memory/buffer.h"

/* `what` "target range": PLAIT_E_INVALID when it does not lie inside. */
plait_status plait__buffer_check_range(const plait__buffer *buffer,
				       uint64_t offset, uint64_t bytes,
				       const char *what, plait_error *error);

/* PLAIT_E_INVALID when it must not be written. */
plait_status plait__buffer_check_write(const plait__buffer *buffer,
				       plait_error *error);

#endif
