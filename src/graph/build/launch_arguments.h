/* SPDX-License-Identifier: MIT */
/* Arguments of a launch: checked against the signature, pushed as tables. */
#ifndef PLAIT_SRC_GRAPH_BUILD_LAUNCH_ARGUMENTS_H
#define PLAIT_SRC_GRAPH_BUILD_LAUNCH_ARGUMENTS_H

#include "graph/build/object_refs.h"

/* Check the arguments against the signature and push them. */
plait_status plait__launch_arguments_push(plait__node_draft *draft,
					  const struct plait__signature *signature);

/* Push one argument that is a range, and what the node does to it. */
plait_status plait__arguments_push_range(plait__node_draft *draft,
					 const plait__range *range, uint64_t bytes,
					 uint32_t access);

/* The same of memory that each run brings; range->offset is within that, and
 * range->slot becomes its access. */
plait_status plait__arguments_push_parameter(plait__node_draft *draft, const char *name,
					     plait__range *range, uint64_t bytes,
					     uint32_t access);

/* Push bytes as one argument more. */
plait_status plait__arguments_push_value(plait__node_draft *draft, const void *bytes,
					 uint32_t count);

#endif
