/* SPDX-License-Identifier: MIT */
/* Range and write checks of buffers. */
#ifndef PLAIT_SRC_OBJECT_MEMORY_BUFFER_CHECK_H
#define PLAIT_SRC_OBJECT_MEMORY_BUFFER_CHECK_H

#include "object/memory/buffer.h"

/* PLAIT_E_INVALID if the range is not inside the buffer; `what` names it, as
 * "target range". */
plait_status plait__buffer_check_range(const plait__buffer *buffer,
				       uint64_t offset, uint64_t bytes,
				       const char *what, plait_error *error);

/* PLAIT_E_INVALID if the buffer is read-only. */
plait_status plait__buffer_check_write(const plait__buffer *buffer,
				       plait_error *error);

#endif
