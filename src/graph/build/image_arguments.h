/* SPDX-License-Identifier: MIT */
/* Images as arguments of launches. */
#ifndef PLAIT_SRC_GRAPH_BUILD_IMAGE_ARGUMENTS_H
#define PLAIT_SRC_GRAPH_BUILD_IMAGE_ARGUMENTS_H

#include "graph/build/graph.h"
#include "kernel/signature.h"

/* Return the error of a slot, from an offset on, as the argument of a parameter
 * that needs an image, or none; null if it fits. */
const char *plait__image_arguments_fault(const plait__node_draft *draft,
					 uint32_t slot, uint64_t offset,
					 const plait__parameter *parameter);

/* Refuse a launch that reads and writes one image.  All accesses of the node are
 * pushed. */
plait_status plait__image_arguments_check(const plait__node_draft *draft,
					  const plait__signature *signature);

#endif
