/* SPDX-License-Identifier: MIT */
/* Bytes of buffers as the race check names them. */
#ifndef PLAIT_SRC_OBJECT_MEMORY_BUFFER_RACES_H
#define PLAIT_SRC_OBJECT_MEMORY_BUFFER_RACES_H

#include "object/memory/buffer.h"

/* An access to bytes of a buffer.  Several roots may wrap the same memory. */
plait__race_access plait__buffer_races_access(const plait__buffer *buffer,
					      uint64_t offset, uint64_t bytes,
					      bool writes);

/* The root is destroyed: its work is over, and the user may be told so. */
void plait__buffer_races_end(const plait__buffer *root);

#endif
