/* SPDX-License-Identifier: MIT */
/* Reduction kernels: portable source for each element type and operation. */
#ifndef PLAIT_SRC_COLL_USE_REDUCE_KERNELS_H
#define PLAIT_SRC_COLL_USE_REDUCE_KERNELS_H

#include "plait/collective.h"

#include <stdbool.h>

/* Returns the bytes of an element, or 0 for a type that cannot be reduced. */
uint32_t plait__reduce_element_bytes(plait_element element, uint32_t bits);

/*
 * Create the kernel of target = target + source, with parameters target, source
 * and n; or, with `apart`, of target = other + source, with parameters target,
 * other, source and n.  n is a u64.
 */
plait_status plait__reduce_kernel_create(plait_context *context,
					 const plait_collective_desc *desc,
					 bool apart, plait_kernel **out,
					 plait_error *error);

#endif
