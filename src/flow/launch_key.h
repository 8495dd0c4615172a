/* SPDX-License-Identifier: MIT */
/*
 * Keys of launches: words that are equal for two descriptors only if their
 * preparations differ in nothing but label, priority, cost, values of arguments, and
 * rows of reductions.
 */
#ifndef PLAIT_SRC_FLOW_LAUNCH_KEY_H
#define PLAIT_SRC_FLOW_LAUNCH_KEY_H

#include "base/vector.h"
#include "object/kernel/kernel.h"

#include "plait/flow.h"

/* Replace the words of `key`, of uint64_t.  Returns false for a launch without a key,
 * and without memory. */
bool plait__launch_key_make(plait__vector *key, const plait__kernel *kernel,
			    const plait_task_desc *desc);

/* Returns true if the launch, which has a key, reduces. */
bool plait__launch_key_reduces(const plait_task_desc *desc);

#endif
