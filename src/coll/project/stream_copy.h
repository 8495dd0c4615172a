/* SPDX-License-Identifier: MIT */
/*
 * Copy to memory that is not read soon: stores that pass the caches by, where the
 * processor has them, so that no line of the target is loaded first.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_STREAM_COPY_H
#define PLAIT_SRC_COLL_PROJECT_STREAM_COPY_H

#include <stdint.h>

/* Copy between ranges that are disjoint.  The stores are ordered before later
 * ones of this thread. */
void plait__stream_copy(void *target, const void *source, uint64_t bytes);

#endif
